"""Timing outside the Segmenter: ids of a published vocabulary, keywords, Python itself.

The vocabulary is tiktoken's ``cl100k_base``, in the folder ``vectors`` beside the corpora; without
that file or the package its rows are left out, and so are those of jieba's keywords without jieba.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Any

from eval.speed.systems import JIEBA, OWN, Form, System, Text, each_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

VOCABULARY = "cl100k_base"
#: What Python itself takes for a text, whoever cuts it.
FLOOR = ("an empty call", "str.split", "a list of ready words")


def _no_words(line: str) -> Sequence[str]:
    raise NotImplementedError("only the Segmenters are compared word by word")


def _system(name: str, lexicon: str, **forms: Form) -> System:
    return System(name, lexicon, _no_words, forms)


def mine(vectors: Path) -> Iterator[System]:
    """Ours: a Tokenizer, TextRank."""
    path = vectors / "cl100k" / f"{VOCABULARY}.tiktoken"
    if path.is_file():
        from segmenter.subword.formats import load

        model = load(path)
        yield _system(
            "Tokenizer",
            VOCABULARY,
            decode=_decode(model.encode_ids, model.decode),
            encode=lambda text: lambda: model.encode_batch(text.lines),
        )
    yield _system(
        "Python",
        "",
        **dict(zip(FLOOR, (each_line(callable), each_line(str.split), _list), strict=True)),
    )
    from segmenter.keywords import TextRank

    yield _system("keywords", OWN, textrank=each_line(TextRank().extract))


def peers(vectors: Path) -> Iterator[System]:
    """tiktoken with the same file, and jieba's TextRank."""
    path = vectors / "cl100k" / f"{VOCABULARY}.tiktoken"
    tiktoken = _installed("tiktoken")
    if tiktoken is not None and path.is_file():
        from segmenter.subword.formats.presets import PRESETS
        from segmenter.subword.formats.tiktoken import read_ranks

        preset = PRESETS[VOCABULARY]
        encoding = tiktoken.Encoding(
            VOCABULARY,
            pat_str=preset.patterns[0],
            mergeable_ranks=read_ranks(path),
            special_tokens=preset.special,
        )
        yield _system(
            "tiktoken",
            VOCABULARY,
            decode=_decode(encoding.encode_ordinary, encoding.decode),
            encode=lambda text: lambda: encoding.encode_ordinary_batch(text.lines, num_threads=1),
        )
    analyse = _installed("jieba.analyse")
    if analyse is not None:
        logging.getLogger("jieba").setLevel(logging.ERROR)
        yield _system(
            "jieba.analyse",
            JIEBA,
            textrank=each_line(lambda text: analyse.textrank(text, withWeight=True)),
        )


def _list(text: Text) -> Callable[[], object]:
    """A list of character pairs per line, for text that is in memory already."""

    def run() -> None:
        for line in lines:
            list(line)

    lines = [tuple(line[k : k + 2] for k in range(0, len(line), 2)) for line in text.lines]
    return run


def _decode(encode: Callable[[str], list[int]], decode: Callable[[list[int]], str]) -> Form:
    def form(text: Text) -> Callable[[], object]:
        text_decoded = text.utf8.decode()
        ids = encode(text_decoded)
        if decode(ids) != text_decoded:
            raise ValueError("decode: the ids of a text do not give it back")
        return lambda: decode(ids)

    return form


def _installed(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
