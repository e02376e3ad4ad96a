"""``segmenter subword``: vocabularies of subwords: train, encode, decode."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import is_live, say
from segmenter.cli.options import input_options, load_segmenter, segmenter_options
from segmenter.cli.parsers import options, set_up, subcommand
from segmenter.cli.streams import inputs, write_lines
from segmenter.errors import ArgumentError, DictionaryError

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from segmenter.cli.parsers import Subcommands
    from segmenter.cli.streams import Line


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter subword train text.txt -o my.model --vocab-size 8000",
        "echo 他说的确实在理 | segmenter subword encode --show",
        "segmenter subword encode in.txt | segmenter subword decode",
    )
    commands = parser.add_subparsers(dest="subcommand", metavar="WHAT", required=True)
    _add_train(commands)
    parser = subcommand(
        commands,
        "encode",
        "write the ids of every line, or its pieces: one line in is one line out",
        "segmenter subword encode in.txt -o ids.txt",
        "segmenter subword encode --vocabulary my.model --pieces < in.txt",
        "echo 你好 | segmenter subword encode --show",
        run=_encode,
    )
    input_options(parser)
    _vocabulary_option(parser)
    options(
        parser,
        {
            "--pieces": "pieces instead of ids, separated by spaces",
            "--json": "one object per line: ids and pieces",
            "--show": r"every piece with its id; part of a character as bytes, \xe5",
        },
        one_of=True,
    )
    options(parser, {"--special": "read special tokens in the text as such"})
    parser = subcommand(
        commands,
        "decode",
        "write the text of every line of ids",
        "segmenter subword decode ids.txt -o text.txt",
        run=_decode,
    )
    input_options(parser)
    _vocabulary_option(parser)


def _add_train(commands: Subcommands) -> None:
    parser = subcommand(
        commands,
        "train",
        "learn a vocabulary from text: whole words, subwords for the rest, and the 256 bytes",
        "segmenter subword train a.txt b.txt -o my.model --vocab-size 32000 --words 20000",
        "segmenter subword train a.txt -o my.model --algorithm unigram --no-words",
        run=_train,
    )
    input_options(parser)
    options(
        parser,
        {
            "--algorithm bpe|wordpiece|unigram": "what learns the subwords (default bpe)",
            "--vocab-size N=8000": "ids in all",
        },
    )
    options(
        parser,
        {
            "--words N": "this many frequent words become whole pieces (default: a quarter of the "
            "ids)",
            "--no-words": "no word segmentation: text is cut between letters, digits and the rest "
            "only",
        },
        one_of=True,
    )
    options(
        parser,
        {
            "--min-frequency N=2": "minimum count of a piece",
            "--coverage X=0.9995": "share of the text's characters that have pieces; others are "
            "bytes",
            "--byte-level": "bpe of UTF-8 bytes instead of characters",
            "--no-bytes": "no pieces for bytes: characters without a piece are unknown",
            "--special TOKEN...": "a special token; may be repeated",
            "--seed N=1": "recorded in the file",
            "--quiet": "no progress on a terminal",
        },
    )
    segmenter_options(parser)


def _vocabulary_option(parser: argparse.ArgumentParser) -> None:
    options(
        parser,
        {
            "--vocabulary NAME=bpe": "bpe (default) or unigram, both shipped, or the path of your "
            "own"
        },
    )


def _train(args: argparse.Namespace) -> int:
    from segmenter import subword

    files = inputs(args)
    if args.output == "-":
        raise ArgumentError("-o: name the file to write")
    segmenter = None if args.no_words else load_segmenter(args)
    live = is_live(args)

    def progress(step: str, done: int, total: int | None) -> None:
        suffix = "" if total is None else f" of {total:,}"
        print(f"\r{step} {done:,}{suffix}", end="", file=sys.stderr, flush=True)

    tokenizer = subword.Tokenizer.train(
        files,
        encoding=args.encoding,
        errors=args.errors,
        model=args.algorithm,
        vocab_size=args.vocab_size,
        segmenter=segmenter,
        words=args.words,
        min_frequency=args.min_frequency,
        coverage=args.coverage,
        byte_fallback=not args.no_bytes,
        byte_level=args.byte_level,
        special=args.special,
        seed=args.seed,
        progress=progress if live else None,
    )
    if live:
        print(file=sys.stderr)
    tokenizer.save(args.output)
    say("subword train", f"{args.output}: {tokenizer.model!r}")
    return DONE


def _encode(args: argparse.Namespace) -> int:
    from segmenter import subword

    tokenizer = subword.load(args.vocabulary)
    allowed: Any = "all" if args.special else None

    def answer(line: Line) -> str:
        return form(line.text) + "\n"

    def form(line: str) -> str:
        if args.show:
            from segmenter.subword.show import show

            return show(tokenizer, line, allowed=allowed)
        encoding = tokenizer.encode(line, allowed=allowed)
        if args.json:
            from json import dumps

            return dumps({"ids": encoding.ids, "pieces": encoding.tokens}, ensure_ascii=False)
        return " ".join(encoding.tokens if args.pieces else map(str, encoding.ids))

    files = inputs(args)
    write_lines(args, files, answer)
    return DONE


def _decode(args: argparse.Namespace) -> int:
    from segmenter import subword

    tokenizer = subword.load(args.vocabulary)

    def answer(line: Line) -> str:
        try:
            ids = [int(field) for field in line.text.split()]
        except ValueError as e:
            reason = f"ids are whole numbers between blanks: {e}"
            raise DictionaryError(line.source, line.number, reason) from e
        return tokenizer.decode(ids) + "\n"

    files = inputs(args)
    write_lines(args, files, answer)
    return DONE
