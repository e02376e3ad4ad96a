"""``segmenter explain``: which word or rule made each token."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.options import load_segmenter, segmenter_options
from segmenter.cli.parsers import set_examples

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "segmenter explain 他说的确实在理",
        "segmenter explain --decoder forward-max 他说的确实在理",
        "segmenter explain --best 3 研究生命起源",
    )
    parser.set_defaults(run=run)
    parser.add_argument("text", nargs="+", metavar="TEXT", help="several are explained in turn")
    parser.add_argument(
        "--best",
        type=int,
        metavar="N",
        help="also the N best segmentations with their scores (natural logarithms)",
    )
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    segmenter = load_segmenter(given)
    for text in given.text:
        print_line(str(segmenter.explain(text)))
        if given.best is not None:
            for words, score in segmenter.nbest(text, given.best):
                print_line(f"{score:10.3f}  {'/'.join(words)}")
    return DONE
