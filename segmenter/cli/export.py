"""``segmenter export``: a compiled file as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import say, say_file
from segmenter.cli.options import compiled
from segmenter.cli.parsers import options, set_up, subcommand
from segmenter.cli.streams import check_output, escape, output

if TYPE_CHECKING:
    import argparse


_KINDS = {
    "tagger": "model",
    "bilstm-crf": "model",
    "encoder-crf": "model",
    "lexicon": "lexicon",
    "user": "user",
}
_NAMES = {"model": "tagger", "lexicon": "lexicon", "user": "user dictionary"}


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter export model my.model -o my.txt",
        "segmenter export lexicon my.lex -o my.tsv",
        "segmenter export user my.user -o my.tsv",
    )
    commands = parser.add_subparsers(dest="subcommand", metavar="WHAT", required=True)
    parser = subcommand(
        commands,
        "model",
        "write a compiled tagger in its text form, one feature per line, to read or to compare",
        "segmenter export model my.model -o my.txt",
        "segmenter export model general-fast -o fast.txt",
        "segmenter export model accurate -o accurate.npz",
        run=_export_model,
    )
    options(
        parser,
        {
            "model FILE": "a compiled tagger, or a shipped one's name",
            "-o --output OUT.txt!": "file to write",
        },
    )
    parser = subcommand(
        commands,
        "lexicon",
        "write the words of a compiled lexicon, counts and tags, as `build lexicon` reads them",
        "segmenter export lexicon my.lex -o my.tsv",
        "segmenter export lexicon general | head",
        run=_export_lexicon,
    )
    options(
        parser,
        {
            "lexicon FILE": "a compiled lexicon, or a shipped one's name",
            "-o --output OUT.tsv=-": "file to write (default: stdout)",
        },
    )
    parser = subcommand(
        commands,
        "user",
        "write a compiled user dictionary as `build user` reads it",
        "segmenter export user my.user -o my.tsv",
        "segmenter export user --format jsonl my.user",
        run=_export_user,
    )
    options(
        parser,
        {
            "user FILE": "a compiled user dictionary",
            "--format tsv|jsonl": "tsv (default) or jsonl",
            "-o --output OUT=-": "file to write (default: stdout)",
        },
    )


def _export_model(args: argparse.Namespace) -> int:
    from segmenter import train

    _check_kind(args.model, "model", args.output)
    train.export_tagger(args.model, args.output)
    say_file("export", args.output)
    return DONE


def _export_lexicon(args: argparse.Namespace) -> int:
    from segmenter.lexicon import Lexicon

    path = compiled(args.lexicon)
    _check_kind(path, "lexicon", args.output)
    lexicon = Lexicon.open(path)
    with output(args) as out:
        for word, count, tag in lexicon:
            out.write(f"{escape(word)}\t{count:g}{tag and chr(9) + tag}\n".encode())
    _say_written(args, f"{len(lexicon):,} words")
    return DONE


def _export_user(args: argparse.Namespace) -> int:
    from segmenter.lexicon.user import UserDictionary

    _check_kind(args.user, "user", args.output)
    words = UserDictionary.load(args.user)
    with output(args) as out:
        out.write(words.dumps(args.format).encode("utf-8"))
    _say_written(args, f"{len(words):,} words")
    return DONE


def _check_kind(path: str, expected: str, output: str) -> None:
    """Raise ArgumentError if a compiled file is of another kind, or is also the file to write."""
    from segmenter import artifact
    from segmenter.errors import ArgumentError, SegmenterError

    check_output(output, (path,))
    try:
        kind = artifact.open(compiled(path)).kind
    except (SegmenterError, OSError):
        return  # the caller opens it again and raises the error
    command = _KINDS.get(kind)
    if command != expected:
        remedy = f"use `segmenter export {command}`" if command else "this kind has no text form"
        raise ArgumentError(f"{path}: a file of kind {kind!r}, not a {_NAMES[expected]}: {remedy}")


def _say_written(args: argparse.Namespace, summary: str) -> None:
    if args.output != "-":
        say("export", f"{args.output}: {summary}")
