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


def run(given: argparse.Namespace) -> int:
    from shlex import quote

    from segmenter.lexicon.user import UserDictionary
    from segmenter.train.discover import discover

    files = inputs(given)
    segmenter = load_segmenter(given)
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
        progress=(lambda done, of: say("discover", f"reading {done} of {of}"))
        if is_live(given)
        else None,
    )
    with output(given) as out:
        out.write(UserDictionary(word.entry() for word in found.words).dumps().encode("utf-8"))
    n = len(found.words)
    if not n:
        name = "" if given.output == "-" else f"{given.output}: "
        say(
            "discover",
            f"{name}0 words; lower --min-count, --min-pmi or --min-entropy for more, or give more "
            "text",
        )
    elif given.output != "-":
        next_ = f"next: segmenter cut --user {quote(given.output)} FILE"
        say("discover", f"{given.output}: {n:,} words; {next_}")
    if found.missed:
        say(
            "discover",
            f"counts may be too small by {found.missed}: raise --max-strings or --min-count",
        )
    return DONE
