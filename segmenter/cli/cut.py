"""``segmenter cut``: text into words, a line of output for each line of input."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from segmenter.cli.streams import inputs, output
from segmenter.core import line_cutter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from segmenter.core import Segmenter


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter cut < in.txt > out.txt",
        "segmenter cut a.txt b.txt -o out.txt --sep / -j 2",
        "segmenter cut -j 0 large.txt -o large.cut.txt",
        "segmenter cut --json in.txt",
        "segmenter cut --stop-words default in.txt",
        "segmenter cut --encoding gb18030 --errors replace old.txt",
        "segmenter cut --learn novel.txt -o novel.cut.txt",
        "segmenter cut --standard pku --decoder bigram --skip space in.txt",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--sep= ": r"separator of words (default: a space); \t is a tab",
            "--tsv": r"separate words by tabs; tab and backslash in a word become \t and \\",
            "--json": "one JSON array of words per line",
        },
        one_of=True,
    )
    threads_option(parser)
    options(
        parser,
        {
            "--learn": "read the files twice, first to learn the names and terms that recur in "
            "them",
            "--quiet": "no progress on a terminal",
            "-v --verbose": "lines, size and speed on stderr at the end",
        },
    )
    stop_words_option(parser)
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    from segmenter.files.cutting import cut_file

    files = inputs(args)
    segmenter = load_segmenter(args)
    if args.learn:
        from segmenter.files.reading import lines_again

        segmenter = segmenter.learn(
            line for file in files for line in lines_again(file, args.encoding, args.errors)
        )
    cut = _cutter(args, segmenter)
    with output(args) as out:
        for file in files:
            out.end_line()  # a last line without a line end stays a line of its own
            summary = cut_file(
                cut,
                file,
                out,  # type: ignore[arg-type]  # cut_file needs no other method of a file
                progress=False if args.quiet else None,
                encoding=args.encoding,
                errors=args.errors,
            )
            if args.verbose:
                say("cut", f"{file}: {summary}")
    return DONE


def _cutter(args: argparse.Namespace, segmenter: Segmenter) -> Callable[[bytes], bytes]:
    """A function from whole lines in UTF-8 to their words."""
    threads, stop = threads_of(args), stop_words(args)
    sep = args.sep.replace(r"\t", "\t")
    plain = line_cutter(segmenter, sep, threads)  # checks the separator
    if stop is None and not args.json and not args.tsv:
        return plain
    if args.json:
        from json import dumps

        def form(words: list[str]) -> str:
            return dumps(words, ensure_ascii=False)
    elif args.tsv:
        from segmenter.cli.streams import escape

        def form(words: list[str]) -> str:
            return "\t".join(map(escape, words))
    else:
        form = sep.join

    def cut(data: bytes) -> bytes:
        from segmenter.files.reading import decode

        lines = decode(data).split("\n")
        ended = lines[-1] == ""
        bodies = [line.removesuffix("\r") for line in lines[: len(lines) - ended]]
        batch: Iterable[list[str]] = segmenter.cut_batch(bodies, threads)
        rows = map(form, batch if stop is None else map(stop.drop, batch))
        return ("\n".join(rows) + "\n" * ended).encode("utf-8")

    return cut
