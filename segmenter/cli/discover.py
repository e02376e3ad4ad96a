"""``segmenter discover``: words of raw text that the lexicon does not have."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import say
from segmenter.cli.options import input_options, load_segmenter, segmenter_options
from segmenter.cli.parsers import set_examples
from segmenter.cli.streams import inputs, output

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_examples(
        parser,
        "segmenter discover book.txt -o found.tsv",
        "segmenter discover a.txt b.txt --min-count 20 --min-pmi 6 | head -100",
    )
    parser.set_defaults(run=run)
    input_options(parser)
    parser.add_argument(
        "--min-count",
        type=int,
        default=10,
        metavar="N",
        help="minimum number of occurrences (default 10)",
    )
    parser.add_argument(
        "--max-length",
        type=int,
        default=4,
        metavar="N",
        help="maximum length in characters (default 4)",
    )
    parser.add_argument(
        "--min-pmi",
        type=float,
        default=5.0,
        metavar="X",
        help="minimum pointwise mutual information of the parts, in nats (default 5)",
    )
    parser.add_argument(
        "--min-entropy",
        type=float,
        default=1.5,
        metavar="X",
        help="minimum entropy of the neighbours on either side, in nats (default 1.5)",
    )
    parser.add_argument(
        "--max-strings",
        type=int,
        default=20_000_000,
        metavar="N",
        help="distinct strings held at once, 16 bytes each (default 20 million)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    from shlex import quote

    from segmenter.lexicon.user import UserDictionary
    from segmenter.train.discover import discover

    files = inputs(given)
    segmenter = load_segmenter(given)
    live = not given.quiet and sys.stderr is not None and sys.stderr.isatty()
    found = discover(
        files,
        known=(segmenter.lexicon, segmenter.user),
        min_count=given.min_count,
        max_length=given.max_length,
        min_pmi=given.min_pmi,
        min_entropy=given.min_entropy,
        max_strings=given.max_strings,
        encoding=given.encoding,
        errors=given.errors,
        progress=(lambda done, of: say("discover", f"reading {done} of {of}")) if live else None,
    )
    with output(given) as out:
        out.write(UserDictionary(word.entry() for word in found.words).dumps().encode("utf-8"))
    if given.output != "-":
        n = len(found.words)
        then = (
            f"; next: segmenter cut --user {quote(given.output)} FILE"
            if n
            else ("; lower --min-count, --min-pmi or --min-entropy for more")
        )
        say("discover", f"{given.output}: {n:,} words{then}")
    if found.missed:
        say(
            "discover",
            f"counts may be too small by {found.missed}: raise --max-strings or --min-count",
        )
    return DONE
