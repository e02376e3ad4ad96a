"""``segmenter tag``: words with their parts of speech, a line of output for each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.options import (
    input_options,
    load_segmenter,
    segmenter_options,
    stop_words,
    stop_words_option,
)
from segmenter.cli.parsers import options, set_up
from segmenter.cli.streams import inputs, write_lines

if TYPE_CHECKING:
    import argparse

    from segmenter.cli.streams import Line


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "echo 促进经济的发展 | segmenter tag",
        "segmenter tag --standard pku in.txt -o out.txt",
        "segmenter tag --tags     (the tag set)",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--sep= ": r"separator of words (default: a space); \t is a tab",
            "--mark=/": "separator of a word and its tag (default: /)",
            "--tags": "list the tags and what they mean",
        },
    )
    stop_words_option(parser)
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.tags:
        from segmenter.cli.messages import print_line
        from segmenter.tagging.pos import MEANING

        for tag, (chinese, english) in MEANING.items():
            print_line(f"{tag}\t{chinese}\t{english}")
        return DONE
    files = inputs(args)
    segmenter, stop = load_segmenter(args), stop_words(args)
    sep = args.sep.replace(r"\t", "\t")
    mark = args.mark.replace(r"\t", "\t")

    def answer(line: Line) -> str:
        pairs = segmenter.tag(line.text)
        kept = pairs if stop is None else stop.drop(pairs)
        tagged: str = sep.join(word + mark + tag for word, tag in kept)
        return tagged + "\n"

    write_lines(args, files, answer)
    return DONE
