"""``segmenter words``: the faults of a user dictionary, and its effect on text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.cli.exits import BAD_DATA, DONE
from segmenter.cli.messages import print_line, say
from segmenter.cli.options import load_arguments, segmenter_options
from segmenter.cli.parsers import options, set_up, subcommand
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    import argparse

    from segmenter.effects import Effect
    from segmenter.lexicon.user.check import Finding


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(parser, "segmenter words check words.tsv --against book.txt")
    commands = parser.add_subparsers(dest="subcommand", metavar="WHAT", required=True)
    parser = subcommand(
        commands,
        "check",
        "list the faults of word lists: duplicates, contradictions, blanks and characters that "
        "nobody sees, lines in another form, words that cannot win; exit status 1 if there are any",
        "segmenter words check words.tsv",
        "segmenter words check words.tsv more/ --json",
        "segmenter words check words.tsv --against book.txt",
        run=_check,
    )
    options(
        parser,
        {
            "words WORDS+": "files or folders, as --user takes them",
            "--against FILE...": "cut this text with the words and without them: how often each "
            "word occurs, and where it changes the boundaries of other words; -: stdin; may be "
            "repeated",
            "--examples N=3": "examples of such changes for each word",
            "--format auto|tsv|jsonl|jieba": "format of the word lists (default auto: detected)",
            "--encoding=utf-8": "encoding of the word lists (default utf-8)",
            "--json": "one JSON object per fault; with --against also one per word",
        },
    )
    segmenter_options(parser, user=False)


def _check(args: argparse.Namespace) -> int:
    from segmenter.lexicon.user import UserDictionary

    for path in args.words:
        if not os.path.exists(path):
            raise FileNotFoundError(2, "no such file", path)
    words = UserDictionary.load(
        args.words, format=args.format, encoding=args.encoding, errors="skip"
    )
    findings = words.check()
    effects: list[Effect] = []
    if args.against:
        from segmenter.effects import effects as effects_of
        from segmenter.files.reading import read_lines

        name, arguments = load_arguments(args)
        segmenter = load_by_name(name, **arguments, user=words)
        lines = (line for path in args.against for _, line in read_lines(path))
        effects = effects_of(segmenter, lines, examples=args.examples)
        effects.sort(key=lambda e: (-e.changes, -e.places))
        findings += [_finding(effect) for effect in effects if effect.changes]
    write = _print_json if args.json else _print_text
    write(findings, effects)
    rows = sum(report.rows for report in words.reports)
    summary = f"{rows or len(words):,} rows, {len(words):,} words, {len(findings):,} faults"
    if effects:
        absent = sum(not effect.places for effect in effects)
        summary += f"; {absent:,} words do not occur in the text"
    say("words check", summary)
    return BAD_DATA if findings else DONE


def _finding(effect: Effect) -> Finding:
    from segmenter.lexicon.user.check import Finding

    entry = effect.entry
    examples = "; ".join(f"{old} → {new}" for old, new in effect.examples)
    reason = (
        f"{entry.word!r} changes other words in {effect.changes:,} of {effect.places:,} places: "
        f"{examples}"
    )
    return Finding(entry.source, entry.line, "breaks", entry.word, reason)


def _print_text(findings: list[Finding], effects: list[Effect]) -> None:
    from segmenter.cli.streams import escape

    for finding in findings:
        print_line(f"{finding} [{finding.kind}]")
    if effects:
        print_line("word\tplaces\tchanges")
    for effect in sorted(effects, key=lambda e: -e.places):
        print_line(f"{escape(effect.entry.word)}\t{effect.places}\t{effect.changes}")


def _print_json(findings: list[Finding], effects: list[Effect]) -> None:
    from json import dumps

    for finding in findings:
        print_line(dumps(finding._asdict(), ensure_ascii=False))
    for effect in effects:
        row = {
            "word": effect.entry.word,
            "source": effect.entry.source,
            "line": effect.entry.line,
            "places": effect.places,
            "changes": effect.changes,
            "examples": effect.examples,
        }
        print_line(dumps(row, ensure_ascii=False))
