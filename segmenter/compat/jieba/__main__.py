"""``python -m segmenter.compat.jieba``: the command line of ``python -m jieba``, option for option.

``segmenter cut`` and ``segmenter tag`` can do more.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import segmenter.compat.jieba as jieba
from segmenter._version import __version__
from segmenter.errors import SegmenterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PROGRAM = "python -m segmenter.compat.jieba"


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut a file or standard input, UTF-8, line by line; return the exit code."""
    args = _parser().parse_args(arguments)
    try:
        _cut(args)
    except BrokenPipeError:
        # Python flushes once more at exit: to the null device
        with suppress(OSError, AttributeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141  # as a shell reports SIGPIPE
    except KeyboardInterrupt:
        return 130
    except (SegmenterError, OSError) as e:
        print(f"{PROGRAM}: {e}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="The command line of jieba over this package; see also `segmenter cut --help`.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("filename", nargs="?", default="-", help="input file, UTF-8 (default: standard input)")
    add(
        "-d", "--delimiter", metavar="DELIM", nargs="?", default=" / ", const=" ",
        help="separator of words (default ' / '; -d alone: a blank)",
    )  # fmt: skip
    add(
        "-p", "--pos", metavar="DELIM", nargs="?", const="_",
        help="add parts of speech, and the separator before them (default '_')",
    )  # fmt: skip
    add("-D", "--dict", metavar="DICT", help="use this word list")
    add("-u", "--user-dict", metavar="USER_DICT", help="your own words as well")
    add("-a", "--cut-all", action="store_true", help="every word, overlapping; not with -p")
    add("-n", "--no-hmm", action="store_true", help="guess no words that are not in the list")
    add("-q", "--quiet", action="store_true", help="no effect: nothing is logged anyway")
    add("-V", "--version", action="version", version=f"segmenter-zh {__version__}")
    return parser


def _cut(args: argparse.Namespace) -> None:
    from segmenter.compat.jieba import posseg
    from segmenter.files.opening import write_all
    from segmenter.files.reading import read_lines

    jieba.initialize(args.dict)
    if args.user_dict is not None:
        jieba.load_userdict(args.user_dict)
    hmm = not args.no_hmm

    def parts(line: str) -> Iterable[str]:
        if args.pos is None:
            return jieba.cut(line, args.cut_all, hmm)
        return (f"{word}{args.pos}{flag}" for word, flag in posseg.cut(line, hmm))

    for _, line in read_lines(args.filename):
        write_all(sys.stdout.buffer, (args.delimiter.join(parts(line)) + "\n").encode())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    raise SystemExit(main())
