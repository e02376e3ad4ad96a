"""``segmenter discover``: words in raw text that the lexicon lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import is_live, say
from segmenter.cli.options import input_options, load_segmenter, segmenter_options
from segmenter.cli.parsers import options, set_up
from segmenter.cli.streams import inputs, output

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter discover book.txt -o found.tsv",
        "segmenter discover a.txt b.txt --min-count 20 --min-pmi 6 | head -100",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--min-count N=10": "minimum number of occurrences",
            "--max-length N=4": "maximum length in characters",
            "--min-pmi X=5": "minimum pointwise mutual information of the parts, in nats",
            "--min-entropy X=1.5": "minimum entropy of the neighbours on either side, in nats",
            "--max-strings N=20000000": "distinct strings held at once, 16 bytes each (default 20 "
            "million)",
            "--quiet": "no progress on a terminal",
        },
    )
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    from shlex import quote

    from segmenter.lexicon.user import UserDictionary
    from segmenter.train.discover import discover

    files = inputs(args)
    segmenter = load_segmenter(args)
    result = discover(
        files,
        known=(segmenter.lexicon, segmenter.user),
        min_count=args.min_count,
        max_length=args.max_length,
        min_pmi=args.min_pmi,
        min_entropy=args.min_entropy,
        max_strings=args.max_strings,
        encoding=args.encoding,
        errors=args.errors,
        progress=(lambda count, total: say("discover", f"reading {count} of {total}"))
        if is_live(args)
        else None,
    )
    with output(args) as out:
        out.write(UserDictionary(word.entry() for word in result.words).dumps().encode("utf-8"))
    n = len(result.words)
    if not n:
        name = "" if args.output == "-" else f"{args.output}: "
        say(
            "discover",
            f"{name}0 words; lower --min-count, --min-pmi or --min-entropy for more, or give more "
            "text",
        )
    elif args.output != "-":
        command = f"segmenter cut --user {quote(args.output)} FILE"
        say("discover", f"{args.output}: {n:,} words; next: {command}")
    if result.missed:
        say(
            "discover",
            f"counts may be too small by {result.missed}: raise --max-strings or --min-count",
        )
    return DONE
