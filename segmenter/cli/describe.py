"""``segmenter describe``: what is in a compiled file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.parsers import set_examples

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser, "segmenter describe my.lex", "segmenter describe --json my.lex | jq .digest"
    )
    parser.set_defaults(run=run)
    parser.add_argument("--json", action="store_true", help="a JSON object a file")
    parser.add_argument("compiled", nargs="+", metavar="FILE", help="compiled lexicon or model")


def run(given: argparse.Namespace) -> int:
    from segmenter import artifact

    for path in given.compiled:
        if not os.path.exists(path):
            raise FileNotFoundError(2, "no such file", path)
        art = artifact.open(path)
        if given.json:
            from json import dumps

            print_line(dumps(art.facts(), ensure_ascii=False))
        else:
            print_line(art.describe())
    return DONE
