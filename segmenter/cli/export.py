"""``segmenter export``: a compiled file as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import say_file
from segmenter.cli.parsers import set_examples, subcommand

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "segmenter export model my.model -o my.txt",
    )
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    parser = subcommand(
        what,
        "model",
        "write a compiled tagger in its text form, one feature a line, to read or to compare",
        "segmenter export model my.model -o my.txt",
        "segmenter export model general-fast -o fast.txt",
        "segmenter export model accurate -o accurate.npz",
        run=_export_model,
    )
    parser.add_argument("model", metavar="FILE", help="a compiled tagger, or a shipped one's name")
    parser.add_argument("-o", "--output", required=True, metavar="OUT.txt", help="file to write")


def _export_model(given: argparse.Namespace) -> int:
    from segmenter import train

    train.export_tagger(given.model, given.output)
    say_file("export", given.output)
    return DONE
