"""``segmenter describe``: the contents of a compiled file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.options import compiled
from segmenter.cli.parsers import options, set_up

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter describe my.lex",
        "segmenter describe general-fast",
        "segmenter describe --json my.lex | jq .digest",
        run=run,
    )
    options(
        parser,
        {
            "--json": "one JSON object per file",
            "compiled FILE+": "compiled lexicon or model, or a shipped one's name",
        },
    )


def run(args: argparse.Namespace) -> int:
    from segmenter import artifact

    for path in args.compiled:
        art = artifact.open(compiled(path))
        if args.json:
            from json import dumps

            print_line(dumps(art.facts(), ensure_ascii=False))
        else:
            print_line(art.describe())
    return DONE
