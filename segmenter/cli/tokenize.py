"""``segmenter tokenize``: tokens with offsets, kinds and tags, as TSV or JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.choices import MODES
from segmenter.cli.exits import DONE
from segmenter.cli.options import input_options, load_segmenter, segmenter_options, units_option
from segmenter.cli.parsers import options, set_up
from segmenter.cli.rows import json_rows, tsv_rows
from segmenter.cli.streams import inputs, write_lines
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse

    from segmenter.cli.streams import Line


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "echo 在2026年 | segmenter tokenize",
        "segmenter tokenize --json in.txt -o tokens.jsonl",
        "segmenter tokenize --mode search --units utf16 in.txt",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--tsv": "one token per line: line, start, end, token, kind, source, tag (default), "
            r"and in the mode search its position and span; tab and backslash in a token as \t "
            r"and \\",
            "--json": "one JSON object per line",
        },
        one_of=True,
    )
    options(
        parser,
        {
            "--mode " + "|".join(MODES): "words (default), or search: also the words inside "
            "words; index, query: these and their characters",
            "--pos": "tags from the context instead of the lexicon; see `segmenter tag`",
        },
    )
    units_option(parser)
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    files = inputs(args)
    segmenter = load_segmenter(args)
    if args.pos and args.mode != MODES[0]:
        raise ArgumentError("--pos: words inside words have no context: use --mode words")
    rows = json_rows if args.json else tsv_rows
    graph = args.mode != MODES[0]

    def answer(line: Line) -> str:
        tokens = segmenter.tokenize(line.text, mode=args.mode, units=args.units, pos=args.pos)
        return rows(tokens, line.number, graph)

    write_lines(args, files, answer)
    return DONE
