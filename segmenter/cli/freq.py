"""``segmenter freq``: how often each word occurs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.choices import check_whole
from segmenter.cli.exits import DONE
from segmenter.cli.messages import say
from segmenter.cli.options import (
    input_options,
    load_segmenter,
    segmenter_options,
    stop_words,
    stop_words_option,
    threads_of,
    threads_option,
)
from segmenter.cli.parsers import options, set_up
from segmenter.cli.streams import escape, inputs, output, read_inputs
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter freq book.txt --top 100",
        "segmenter freq *.txt --stop-words default -o words.tsv",
        "segmenter freq --tags --only n,nr,ns book.txt",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--top N": "the N commonest only",
            "--least N=1": "leave out words that occur less often",
            "--tags": "count words by their parts of speech",
            "--only TAGS=": "these parts of speech only, comma-separated (segmenter tag --tags)",
        },
    )
    stop_words_option(parser)
    threads_option(parser)
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    from segmenter.cli.options import split_commas
    from segmenter.keywords import count_words
    from segmenter.tagging.pos import MEANING

    only = set(split_commas(args.only))
    if unknown := only - set(MEANING):
        raise ArgumentError(f"--only: {min(unknown)!r} is not a tag; segmenter tag --tags has them")
    if args.top is not None:
        check_whole("--top", args.top, 1)
    files = inputs(args)
    tags = args.tags or bool(only)
    counts = count_words(
        (line.text for line in read_inputs(args, files)),
        segmenter=load_segmenter(args),
        stop_words=stop_words(args),
        tags=tags,
        threads=threads_of(args),
    )
    rows = [(item, n) for item, n in counts.items() if n >= args.least]
    if only:
        rows = [row for row in rows if row[0][1] in only]
    rows.sort(key=lambda row: (-row[1], row[0]))
    with output(args) as out:
        for item, n in rows[: args.top]:
            word, tag = item if tags else (item, "")
            end = f"\t{tag}\n" if tags else "\n"
            out.write(f"{escape(word)}\t{n}{end}".encode("utf-8", "replace"))
    if args.output != "-":
        say("freq", f"{args.output}: {len(rows[: args.top]):,} words")
    return DONE
