"""Tokens as rows: the output of ``tokenize`` and ``search``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.streams import escape

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.types import Tokens


def tsv_rows(tokens: Tokens, number: int, graph: bool, form: Callable[[str], str] = str) -> str:
    """One row per token; with `graph` also its position and position length."""
    return "".join(
        f"{number}\t{t.start}\t{t.end}\t{escape(form(t.text))}\t{t.kind}"
        f"\t{t.source.value}\t{t.tag}"
        + (f"\t{t.position}\t{t.position_length}\n" if graph else "\n")
        for t in tokens
    )


def json_rows(tokens: Tokens, number: int, graph: bool, form: Callable[[str], str] = str) -> str:
    """One JSON object for a line of text."""
    from json import dumps

    rows = [
        {
            "text": form(t.text),
            "start": t.start,
            "end": t.end,
            "kind": t.kind,
            "source": t.source.value,
            "tag": t.tag,
            "score": t.score,
            **({"position": t.position, "position_length": t.position_length} if graph else {}),
        }
        for t in tokens
    ]
    return dumps({"line": number, "tokens": rows}, ensure_ascii=False) + "\n"
