"""``segmenter search``: the tokens of a search index, or of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.options import (
    input_options,
    load_segmenter,
    segmenter_options,
    split_commas,
    units_option,
)
from segmenter.cli.parsers import options, set_up
from segmenter.cli.rows import json_rows, tsv_rows
from segmenter.cli.streams import inputs, write_lines
from segmenter.errors import ArgumentError
from segmenter.text.kinds import TOKEN_KINDS
from segmenter.types import UNITS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from segmenter.choices import Mode
    from segmenter.cli.streams import Line
    from segmenter.search import SearchOptions
    from segmenter.types import Tokens

# options of the library -> those of the command line
_OPTIONS = {"min_length": "--min-length", "ngrams": "--grams", "drop": "--drop"}


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "echo 中华人民共和国成立 | segmenter search",
        "echo 共和国 | segmenter search --query",
        "segmenter search --decoder unigram --sep ' ' --fold texts.txt -o terms.txt",
        "segmenter search --json --units utf8 --stop 的,了 --stop-file stop.txt in.txt",
        run=run,
    )
    input_options(parser)
    options(
        parser,
        {
            "--tsv": "one token per line: line, start, end, token, kind, source, tag, position "
            r"and how many positions it spans (default); tab and backslash in a token as \t and "
            r"\\",
            "--json": "one JSON object per line",
            "--sep TEXT": r"one line in is one line out, with this between tokens; \t is a tab",
        },
        one_of=True,
    )
    options(
        parser,
        {
            "--query": "the tokens of a query, which matches a line if a path through them is "
            "also in the line's; with --words: only the outermost words",
            "--phrase": "the tokens of a phrase, also for an index without position lengths: "
            "characters, or with --words the smallest parts of words, one position each",
        },
        one_of=True,
    )
    options(
        parser,
        {
            "--words": "words and the words inside them, without their characters: fewer tokens, "
            "and about one query in a hundred is cut differently from the line and not found",
            "--min-length N=2": "minimum length of words inside words, in characters",
            "--single": "with --words: also the characters, one by one",
            "--runs whole|split": "a run of letters or digits counts as one character (whole, "
            "default), or is split",
            "--grams N=0": "also N-grams of longer words that are not in the lexicon (default 0: "
            "none)",
            "--stop WORDS...": "words to drop, comma-separated; may be repeated",
            "--stop-file PATH...": "the same, one or several words a line; default: the shipped "
            "list; may be repeated",
            "--drop KINDS=space,newline,punct": "kinds to drop, comma-separated (default "
            f"space,newline,punct; none: keep all): {', '.join(TOKEN_KINDS)}",
            "--fold": "fold width and case in the output: ａＢ becomes ab",
            "--script": "write Traditional forms as Simplified: 學 becomes 学",
        },
        title="tokens; the same for index and queries",
    )
    units_option(parser)
    segmenter_options(parser)


def run(args: argparse.Namespace) -> int:
    from segmenter.search import leaves, outermost

    files = inputs(args)
    options = _search_options(args)
    segmenter = load_segmenter(args)
    mode: Mode = "search" if args.words else "query" if args.query else "index"
    chosen: Callable[[Tokens], Tokens] | None = (
        leaves if args.phrase else outermost if args.query and args.words else None
    )
    form = _form(args)

    def answer(line: Line) -> str:
        tokens = segmenter.tokenize(line.text, mode=mode, options=options)
        if chosen is not None:
            tokens = chosen(tokens)
        return form(tokens if args.units == UNITS[0] else tokens.in_units(args.units), line)

    write_lines(args, files, answer)
    return DONE


def _form(args: argparse.Namespace) -> Callable[[Tokens, Line], str]:
    from segmenter.text import variants
    from segmenter.text.chars import fold_str

    def fold(word: str) -> str:
        word = fold_str(word) if args.fold else word
        return variants.fold_str(word) if args.script else word

    if args.sep is not None:
        sep = args.sep.replace(r"\t", "\t")
        return lambda tokens, line: sep.join(map(fold, tokens.words)) + "\n"
    rows = json_rows if args.json else tsv_rows
    return lambda tokens, line: rows(tokens, line.number, True, fold)


def _search_options(args: argparse.Namespace) -> SearchOptions:
    from segmenter.keywords.stop_words import StopWords, words_of
    from segmenter.search import SearchOptions

    stop = {word for words in args.stop for word in words.split(",") if word}
    for path in args.stop_file:
        stop.update(StopWords() if path == "default" else words_of(path))
    try:
        return SearchOptions(
            min_length=args.min_length,
            single=args.single,
            ngrams=args.grams,
            runs=args.runs,
            stop=frozenset(stop),
            drop=frozenset(split_commas(args.drop)) - {"none"},
        )
    except ArgumentError as e:
        name, colon, rest = str(e).partition(":")
        raise ArgumentError(_OPTIONS.get(name, name) + colon + rest) from None
