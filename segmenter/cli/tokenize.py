"""``segmenter tokenize``: tokens with offsets, kinds and tags, as TSV or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.colours import colour_option, painter
from segmenter.cli.exits import DONE
from segmenter.cli.options import input_options, load_segmenter, segmenter_options
from segmenter.cli.parsers import set_examples
from segmenter.cli.streams import escape, inputs, output
from segmenter.engine import MODES
from segmenter.errors import ArgumentError
from segmenter.types import UNITS

if TYPE_CHECKING:
    import argparse

    from segmenter.cli.colours import Paint
    from segmenter.types import Token, Tokens


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "echo 在2026年 | segmenter tokenize",
        "segmenter tokenize --json in.txt -o tokens.jsonl",
        "segmenter tokenize --mode search --units utf16 in.txt",
    )
    parser.set_defaults(run=run)
    input_options(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--tsv",
        action="store_true",
        help="a token a line: line, start, end, token, kind, source, tag (default), and in the "
        "mode search its position and how many it spans; "
        r"tab and backslash in a token as \t and \\",
    )
    form.add_argument("--json", action="store_true", help="a JSON object a line")
    parser.add_argument(
        "--mode",
        choices=MODES,
        default=MODES[0],
        help="words (default), or search: also the words inside words",
    )
    parser.add_argument(
        "--pos",
        action="store_true",
        help="tags by context instead of the lexicon's; see `segmenter tag`",
    )
    parser.add_argument(
        "--units",
        choices=UNITS,
        default=UNITS[0],
        help="what offsets count in the line: code points (default), bytes of UTF-8, or code units "
        "of UTF-16",
    )
    colour_option(parser)
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    from segmenter.files import name_of, open_source, read_lines

    files = inputs(given)
    segmenter = load_segmenter(given)
    if given.pos and given.mode == "search":
        raise ArgumentError("--pos: words inside words have no context: use --mode words")
    rows = _json_rows if given.json else _tsv_rows
    graph = given.mode == "search"
    paint = painter(given)
    with output(given) as out:
        for file in files:
            with open_source(file) as reader:
                # lines typed or piped in are answered one by one
                live = file == "-"
                name = name_of(file, "src")
                for number, line in read_lines(reader, name, given.encoding, given.errors):
                    tokens = segmenter.tokenize(
                        line, mode=given.mode, units=given.units, pos=given.pos
                    )
                    out.write(rows(tokens, number, graph, paint).encode("utf-8"))
                    if live:
                        out.flush()
    return DONE


def _tsv_rows(tokens: Tokens, number: int, graph: bool, paint: Paint) -> str:
    return "".join(
        f"{number}\t{t.start}\t{t.end}\t{paint(escape(t.text), _style(t))}\t{t.kind}"
        f"\t{t.source.value}\t{t.tag}"
        + (f"\t{t.position}\t{t.position_length}\n" if graph else "\n")
        for t in tokens
    )


def _style(token: Token) -> str:
    return "user" if token.source.value == "user" else token.kind


def _json_rows(tokens: Tokens, number: int, graph: bool, paint: Paint) -> str:
    from json import dumps

    rows = [
        {
            "text": t.text,
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
