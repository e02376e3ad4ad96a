"""``segmenter keywords``: the keywords of each file, or of each line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.options import (
    input_options,
    load_segmenter,
    segmenter_options,
    split_commas,
    stop_words,
    stop_words_option,
)
from segmenter.cli.parsers import options, set_up
from segmenter.cli.streams import escape, inputs, output, read_inputs
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter keywords article.txt",
        "segmenter keywords --lines --top 5 titles.txt",
        "segmenter keywords --method textrank --allow n,ns,nr *.txt --json",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--lines": "each line is a text of its own (default: each file)",
            "--top N=20": "keywords of a text",
            "--method tfidf|textrank": "TF-IDF (default), or TextRank over nouns, names and verbs",
            "--allow TAGS=": "parts of speech that keywords may have, comma-separated (segmenter "
            "tag --tags)",
            "--json": "one JSON object per text",
        },
    )
    stop_words_option(parser)
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    from json import dumps

    from segmenter.keywords import METHODS
    from segmenter.tagging.pos import MEANING

    allow = split_commas(args.allow)
    if unknown := [tag for tag in allow if tag not in MEANING]:
        raise ArgumentError(f"--allow: {unknown[0]!r} is not a tag; segmenter tag --tags has them")
    files = inputs(args)
    extractor = METHODS[args.method](
        load_segmenter(args), stop_words=stop_words(args), **({"allow": allow} if allow else {})
    )
    several = args.lines or len(files) > 1
    with output(args) as out:
        for name, text in _texts(args, files):
            ranked = extractor.extract(text, args.top)
            if args.json:
                row = {"text": name, "keywords": [{"word": w, "weight": x} for w, x in ranked]}
                lines = dumps(row, ensure_ascii=False) + "\n"
            else:
                head = f"{escape(name)}\t" if several else ""
                lines = "".join(f"{head}{escape(word)}\t{weight:.4f}\n" for word, weight in ranked)
            out.write(lines.encode("utf-8", "replace"))
    return DONE


def _texts(args: argparse.Namespace, files: list[str]) -> Iterator[tuple[str, str]]:
    """Each text with its name: the number of its line, or its file."""
    if args.lines:
        for number, line in enumerate(read_inputs(args, files), 1):
            yield str(number), line.text
        return
    for file in files:
        yield file, "\n".join(line.text for line in read_inputs(args, [file]))
