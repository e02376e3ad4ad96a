"""``segmenter tokenize``: tokens with offsets, kinds and tags, as TSV or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.choices import MODES
from segmenter.cli.colours import colour_option, painter
from segmenter.cli.exits import DONE
from segmenter.cli.options import input_options, load_segmenter, segmenter_options, units_option
from segmenter.cli.parsers import set_examples
from segmenter.cli.rows import json_rows, tsv_rows
from segmenter.cli.streams import inputs, write_lines
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse

    from segmenter.cli.streams import Line


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
        help="one token per line: line, start, end, token, kind, source, tag (default), and in the "
        "mode search its position and span; "
        r"tab and backslash in a token as \t and \\",
    )
    form.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument(
        "--mode",
        choices=MODES,
        default=MODES[0],
        help="words (default), or search: also the words inside words; index, query: these and "
        "their characters",
    )
    parser.add_argument(
        "--pos",
        action="store_true",
        help="tags from the context instead of the lexicon; see `segmenter tag`",
    )
    units_option(parser)
    colour_option(parser)
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    files = inputs(given)
    segmenter = load_segmenter(given)
    if given.pos and given.mode != MODES[0]:
        raise ArgumentError("--pos: words inside words have no context: use --mode words")
    rows = json_rows if given.json else tsv_rows
    graph = given.mode != MODES[0]
    paint = painter(given)

    def answer(line: Line) -> str:
        tokens = segmenter.tokenize(line.text, mode=given.mode, units=given.units, pos=given.pos)
        return rows(tokens, line.number, graph, paint)

    write_lines(given, files, answer)
    return DONE
