"""``segmenter cut``: text into words, one line in is one line out."""

from __future__ import annotations

import os
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
        "segmenter cut < in.txt > out.txt",
        "segmenter cut a.txt b.txt -o out.txt --sep / -j 2",
        "segmenter cut --encoding gb18030 --errors replace old.txt",
        "segmenter cut --standard pku --decoder bigram --skip space in.txt",
    )
    parser.set_defaults(run=run)
    input_options(parser)
    parser.add_argument(
        "--sep", default=" ", help=r"between two words (default: a blank); \t is a tab"
    )
    parser.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="threads; 0: one a processor"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    parser.add_argument(
        "-v", "--verbose", action="store_true", help="lines, size and speed on stderr at the end"
    )
    segmenter_options(parser)


def run(given: argparse.Namespace) -> int:
    files = inputs(given)
    segmenter = load_segmenter(given)
    threads = given.threads or _processors()
    with output(given) as out:
        for file in files:
            out.end_line()  # a last line without an end is a line, whatever file follows
            summary = segmenter.cut_file(
                file,
                out,  # type: ignore[arg-type]  # all of a binary file that is asked for
                sep=given.sep.replace(r"\t", "\t"),
                threads=threads,
                progress=False if given.quiet else None,
                encoding=given.encoding,
                errors=given.errors,
            )
            if given.verbose:
                say("cut", f"{file}: {summary}")
    return DONE


def _processors() -> int:
    # those that this process may use: fewer than the machine's in a container
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
