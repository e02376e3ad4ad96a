"""``segmenter describe``: what is in a compiled file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.choices import STANDARDS
from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.options import SHIPPED
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


def run(given: argparse.Namespace) -> int:
    from segmenter import artifact
    from segmenter.files import resources

    for path in given.compiled:
        shown = path
        if not os.path.exists(path):
            if path not in (*STANDARDS, *SHIPPED):
                raise FileNotFoundError(2, "no such file", path)
            shown = resources.find(f"{path}.{'lex' if path in STANDARDS else 'model'}")
        art = artifact.open(shown)
        if given.json:
            from json import dumps

            print_line(dumps(art.facts(), ensure_ascii=False))
        else:
            print_line(art.describe())
    return DONE
