"""``segmenter explain``: the word or rule behind each token."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.options import load_arguments, load_segmenter, segmenter_options
from segmenter.cli.parsers import options, set_up

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter explain 他说的确实在理",
        "segmenter explain --decoder forward-max 他说的确实在理",
        "segmenter explain --best 3 研究生命起源",
        "segmenter explain --html page.html 他说的确实在理",
        run=run,
    )
    options(parser, {"text TEXT+": "texts to explain; -: lines of stdin"})
    options(
        parser,
        {
            "--json": "one JSON object per text",
            "--html OUT": "write a page that draws the words of each text as a graph, with every "
            "decoder's path",
        },
        one_of=True,
    )
    options(
        parser, {"--best N": "also the N best segmentations with their scores (natural logarithms)"}
    )
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    if args.html is not None:
        return _write_page(args)
    segmenter = load_segmenter(args)
    for text in _texts(args):
        explanation = segmenter.explain(text)
        best = [] if args.best is None else segmenter.nbest(text, args.best)
        if args.json:
            print_line(_json(text, explanation.rows, best))
            continue
        print_line(str(explanation))
        for words, score in best:
            print_line(f"{score:10.3f}  {'/'.join(words)}")
    return DONE


def _write_page(args: argparse.Namespace) -> int:
    from segmenter.files.opening import open_target, write_all
    from segmenter.serve.gallery import Gallery
    from segmenter.serve.graph import picture
    from segmenter.serve.page import single_file
    from segmenter.serve.steps import traces

    name, options = load_arguments(args)
    gallery = Gallery.of(name, **options)
    page = single_file(
        [{**picture(gallery, text), "steps": traces(gallery, text)} for text in _texts(args)]
    )
    with open_target(args.html) as file:
        write_all(file, page.encode("utf-8"))
    return DONE


def _texts(args: argparse.Namespace) -> Iterator[str]:
    from segmenter.files.reading import read_lines

    for text in args.text:
        if text != "-":
            # in the C locale, bytes beyond ASCII arrive as surrogates
            yield os.fsencode(text).decode("utf-8", "replace") if _is_escaped(text) else text
            continue
        yield from (line for _, line in read_lines("-"))


def _is_escaped(text: str) -> bool:
    """Whether a text of the command line has bytes that the locale's encoding does not know."""
    return any("\udc80" <= char <= "\udcff" for char in text)


def _json(text: str, rows: list[dict[str, object]], best: list[tuple[list[str], float]]) -> str:
    from json import dumps

    answer: dict[str, object] = {"text": text, "tokens": rows}
    if best:
        answer["best"] = [{"words": words, "score": score} for words, score in best]
    return dumps(answer, ensure_ascii=False)
