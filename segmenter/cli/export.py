"""``segmenter export``: a compiled file as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import say, say_file
from segmenter.cli.options import compiled
from segmenter.cli.parsers import options, set_up, subcommand
from segmenter.cli.streams import escape, keep_inputs, output

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
    what = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    parser = subcommand(
        what,
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
        what,
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
        what,
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


def _export_model(given: argparse.Namespace) -> int:
    from segmenter import train

    _check(given.model, "model", given.output)
    train.export_tagger(given.model, given.output)
    say_file("export", given.output)
    return DONE


def _export_lexicon(given: argparse.Namespace) -> int:
    from segmenter.lexicon import Lexicon

    path = compiled(given.lexicon)
    _check(path, "lexicon", given.output)
    lexicon = Lexicon.open(path)
    with output(given) as out:
        for word, count, tag in lexicon:
            out.write(f"{escape(word)}\t{count:g}{tag and chr(9) + tag}\n".encode())
    _done(given, f"{len(lexicon):,} words")
    return DONE


def _export_user(given: argparse.Namespace) -> int:
    from segmenter.lexicon.user import UserDictionary

    _check(given.user, "user", given.output)
    words = UserDictionary.load(given.user)
    with output(given) as out:
        out.write(words.dumps(given.format).encode("utf-8"))
    _done(given, f"{len(words):,} words")
    return DONE


def _check(path: str, what: str, output: str) -> None:
    """An error if a compiled file is of another kind, which names the right command, or is also
    the file to write."""
    from segmenter import artifact
    from segmenter.errors import ArgumentError, SegmenterError

    keep_inputs(output, (path,))
    try:
        kind = artifact.open(compiled(path)).kind
    except (SegmenterError, OSError):
        return  # whoever reads it says what is wrong
    right = _KINDS.get(kind)
    if right != what:
        remedy = f"use `segmenter export {right}`" if right else "this kind has no text form"
        raise ArgumentError(f"{path}: a file of kind {kind!r}, not a {_NAMES[what]}: {remedy}")


def _done(given: argparse.Namespace, what: str) -> None:
    if given.output != "-":
        say("export", f"{given.output}: {what}")
