"""``segmenter build``: lexicons, models and user dictionaries, compiled from text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter._version import __version__
from segmenter.cli.exits import DONE
from segmenter.cli.messages import say, say_file, say_report
from segmenter.cli.options import errors_option
from segmenter.cli.parsers import options, set_up, subcommand
from segmenter.cli.streams import check_output
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from segmenter.lexicon.user import UserDictionary


_SAFE_WORDS = 5_000_000  # words that always fit a double array, at three slots each
_MAX_CHECKED = 100_000  # user words that are checked in two or three seconds
_NEARLY_FULL = 12_582_912  # three quarters of the slots


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter build lexicon words.tsv -o my.lex",
        "segmenter build model my.txt -o my.model",
    )
    commands = parser.add_subparsers(dest="subcommand", metavar="WHAT", required=True)
    parser = subcommand(
        commands,
        "lexicon",
        "compile word lists, and n-gram counts where there are any, into one file",
        "segmenter build lexicon words.tsv -o my.lex",
        "segmenter build lexicon jieba/dict.txt --profile jieba -o jieba.lex",
        "segmenter build lexicon words.tsv more.txt --bigrams bigrams.tsv -o my.lex",
        "segmenter cut --model my.lex in.txt",
        run=_build_lexicon,
    )
    options(
        parser,
        {
            "words WORDS+": "one word per line, UTF-8: word, count, tag; counts of a word in "
            "several files add up; rows <num>, <date>, <latin>, <unk> count these classes",
            "-o --output OUT.lex!": "file to write",
            "--format auto|tsv|jieba": "tsv (tabs), jieba (blanks), or detected (auto, default)",
            "--bigrams F...": "first, second, count between tabs; <s> is the beginning and the "
            "end of a sentence; may be repeated",
            "--trigrams F...": "three words and a count",
            "--kinds K=N,…=": "counts of classes, as num=1200,date=300; instead of rows in a "
            "words file",
            "--unknown X=1": "the count that an unknown character is taken to have",
            "--discount D=0.5": "taken from every n-gram count, between 0 and 1",
            "--profile default|jieba": "jieba: no folding of width and case, no rules for numbers "
            "and dates",
            "--matcher double-array|marisa": "what holds the words: a double array of 16,777,216 "
            "slots (default), or a marisa-trie for words that do not fit it: smaller, and some "
            "forty times slower",
        },
    )
    errors_option(parser)

    parser = subcommand(
        commands,
        "model",
        "compile the text form of a tagger",
        "segmenter build model my.txt -o my.model",
        "segmenter cut --model my.model in.txt",
        run=_build_model,
    )
    options(
        parser,
        {
            "text MODEL": "the text form that `train` and `export model` write, or the .npz of a "
            "BiLSTM-CRF",
            "-o --output OUT.model!": "file to write",
        },
    )

    parser = subcommand(
        commands,
        "user",
        "compile word lists into a user dictionary, which is mapped instead of read",
        "segmenter build user words.tsv -o words.user",
        "segmenter build user userdict.txt --format jieba --level prefer -o words.user",
        "segmenter cut --user words.user in.txt",
        run=_build_user,
    )
    options(
        parser,
        {
            "words WORDS+": "files or folders: word, level or weight, tag, payload, options "
            "between tabs; JSON lines; or jieba's format",
            "-o --output OUT.user!": "file to write",
            "--format auto|tsv|jsonl|jieba": "format of the word lists (default auto: detected)",
            "--encoding=utf-8": "encoding of the word lists (default utf-8)",
            "--level |force|prefer": "level of all words, instead of their own",
            "--fold": "width and case do not matter",
            "--script": "Traditional and regional forms of a character count as equal",
            "--inside": "words may occur inside longer runs of letters or digits",
        },
    )
    errors_option(parser)


def _build_lexicon(args: argparse.Namespace) -> int:
    from hashlib import sha256

    from segmenter.lexicon import Lexicon
    from segmenter.lexicon.sources import read_ngrams, read_words

    check_output(args.output, (*args.words, *args.bigrams, *args.trigrams))
    entries: list[tuple[str, float, str]] = []
    kinds: dict[str, float] = {}
    sources: list[dict[str, object]] = []

    def add_source(report: Any) -> None:
        say_report("build", report, args.errors)
        with open(report.path, "rb") as file:
            digest = sha256(file.read()).hexdigest()
        sources.append(
            {"name": os.path.basename(report.path), "sha256": digest, "rows": report.rows}
        )

    for path in args.words:
        words = read_words(path, format=args.format, errors=args.errors)
        add_source(words.report)
        entries += words.entries
        for kind, count in words.kinds.items():
            kinds[kind] = kinds.get(kind, 0.0) + count
    kinds.update(_kinds(args.kinds))
    if not entries:
        raise ArgumentError(f"WORDS: no words in {', '.join(args.words)}")
    ngrams: dict[int, list[Any]] = {2: [], 3: []}
    for n, paths in ((2, args.bigrams), (3, args.trigrams)):
        for path in paths:
            table = read_ngrams(path, n, errors=args.errors)
            add_source(table.report)
            ngrams[n] += table.rows
    if ngrams[3] and not ngrams[2]:
        raise ArgumentError("--trigrams: needs --bigrams too")
    lexicon = Lexicon.build(
        entries,
        name=args.output,
        kinds=kinds,
        bigrams=ngrams[2],
        trigrams=ngrams[3],
        discount=args.discount,
        unknown=args.unknown,
        profile=args.profile,
        matcher=args.matcher,
        meta={"sources": sources, "discount": args.discount, "built_with": __version__},
    )
    lexicon.save(args.output)
    size = os.path.getsize(args.output)
    say(
        "build",
        f"{args.output}: {len(lexicon):,} words, {size:,} bytes, digest {lexicon.digest[:16]}",
    )
    slots = lexicon.artifact.section("trie.units").nbytes // 8
    if lexicon.trie is not None and len(lexicon) < _SAFE_WORDS:
        say(
            "build",
            "a double array would hold these words and find them some forty times faster: leave "
            "--matcher marisa out",
        )
    elif slots > _NEARLY_FULL:
        say(
            "build",
            f"{slots:,} of the 16,777,216 slots of a double array are taken: should more words not "
            "fit, build with --matcher marisa",
        )
    return DONE


def _build_user(args: argparse.Namespace) -> int:
    from warnings import catch_warnings, simplefilter

    from segmenter.errors import DictionaryWarning
    from segmenter.lexicon.user import UserDictionary

    for path in args.words:
        if not os.path.exists(path):
            raise FileNotFoundError(2, "no such file", path)
    check_output(args.output, args.words)
    with catch_warnings():
        simplefilter("ignore", DictionaryWarning)  # reported below
        words = UserDictionary.load(
            args.words,
            format=args.format,
            encoding=args.encoding,
            errors=args.errors,
            level=args.level,
            fold=args.fold,
            inside=args.inside,
            script=args.script,
        )
    for report in words.reports:
        say_report("build", report, args.errors)
    _say_faults(args, words)
    words.save(args.output, format="compiled")
    size = os.path.getsize(args.output)
    say("build", f"{args.output}: {len(words):,} words, {size:,} bytes")
    return DONE


def _say_faults(args: argparse.Namespace, words: UserDictionary) -> None:
    from shlex import join

    check = f"segmenter words check {join(args.words)}"
    if len(words) > _MAX_CHECKED:
        say(
            "build",
            f"more than {_MAX_CHECKED:,} words are not checked for faults: {check} checks them",
        )
    elif faults := sum(fault.word != "" for fault in words.check()):
        say("build", f"{faults:,} rows may not do what is meant: {check} lists them")


def _build_model(args: argparse.Namespace) -> int:
    from segmenter import train

    check_output(args.output, (args.text,))
    train.compile_tagger(args.text, args.output)
    say_file("build", args.output)
    return DONE


def _kinds(text: str) -> dict[str, float]:
    counts: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, equals, count = part.partition("=")
        try:
            value = float(count)
        except ValueError:
            value = -1.0
        if not equals or value < 0:
            raise ArgumentError(f"--kinds: {part!r} is not NAME=COUNT, such as num=1200")
        counts[f"<{name.strip().strip('<>')}>"] = value
    return counts
