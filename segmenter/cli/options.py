"""Options that several commands share, and the Segmenter that they describe."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter.atoms import NAMES as ATOMS
from segmenter.choices import (
    DECODERS,
    DEFAULT_PRESET,
    DEFAULT_STANDARD,
    DEFAULTS,
    MATCHERS,
    MODELS,
    MORE_STANDARDS,
    OOV,
    PRESETS,
    SKIP,
    STANDARDS,
)
from segmenter.cli.parsers import options
from segmenter.cli.streams import check_output
from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name
from segmenter.types import UNITS

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from segmenter.core import Segmenter
    from segmenter.keywords import StopWords

#: Names of the shipped taggers, as ``adapt`` and ``export model`` take them.
SHIPPED = (*(f"{s}-{m}" for s in STANDARDS for m in MODELS.values()), "accurate")


def units_option(parser: argparse.ArgumentParser) -> None:
    """``--units`` of the commands that print offsets."""
    options(
        parser,
        {
            "--units " + "|".join(UNITS): "what offsets count in the line: code points (default), "
            "bytes of UTF-8, or code units of UTF-16"
        },
    )


def segmenter_options(parser: argparse.ArgumentParser, *, user: bool = True) -> None:
    """Arguments of :func:`segmenter.load`; with ``user`` also the words of the user."""
    group = parser.add_argument_group("how to segment")
    exclusive = group.add_mutually_exclusive_group()
    exclusive.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default=DEFAULT_PRESET,
        help=f"a shipped preset (default {DEFAULT_PRESET})",
    )
    options(exclusive, {"--model PATH": "a compiled lexicon or model, instead of a preset"})
    standard = {
        "--standard NAME": "segmentation standard: general (personal names whole) or pku (the PKU "
        f"benchmark's), default {DEFAULT_STANDARD}; with --preset accurate or best also "
        f"{', '.join(MORE_STANDARDS)}; with --model the one that it was trained for"
    }
    options(group, standard)
    group.add_argument(
        "--decoder",
        choices=DECODERS,
        metavar="NAME",
        help=f"instead of the preset's own: {', '.join(DECODERS)}",
    )
    options(
        group,
        {
            "--oov |" + "|".join(OOV): "characters outside the lexicon: chars, one token each; "
            "keep, one token per run of them; hmm or tagger, the words that this model finds in "
            f"them; bpe or unigram, learnt subwords (default {DEFAULTS['oov']})",
            "--skip KINDS": f"kinds of tokens to drop, comma-separated: {', '.join(SKIP)}",
            "--matcher |" + "|".join(MATCHERS): "how words are looked up in the lexicon (default: "
            f"as it was built, usually {MATCHERS[0]}); the words found are the same",
            "--no-variants": "do not read Traditional characters as their Simplified forms",
        },
    )
    if user:
        user_option(parser)
    options(
        group,
        {
            "--atoms RULES": "URLs, numbers and other things found by rule, as rule=keep (one "
            "token), rule=split or rule=model (left to the decoder), comma-separated; or none, "
            f"keep or split for all. Rules: {', '.join(ATOMS)}",
            "--pattern KIND=REGEX...": "each match of the regular expression is one token of that "
            "kind; may be repeated",
        },
    )


def threads_option(parser: argparse.ArgumentParser) -> None:
    """``-j`` of the commands that cut in native threads."""
    parser.add_argument(
        "-j", "--threads", type=int, default=1, metavar="N", help="threads; 0: one per processor"
    )


def threads_of(args: argparse.Namespace) -> int:
    """The number of threads of :func:`threads_option`."""
    if args.threads:
        return int(args.threads)
    # a container may allow fewer than the machine has
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def stop_words_option(parser: argparse.ArgumentParser) -> None:
    """``--stop-words`` of the commands whose words may be left out."""
    options(
        parser,
        {
            "--stop-words LIST": "leave these words out, in either script: default, the shipped "
            "list of function words, or a file of words, one or several a line"
        },
    )


def stop_words(args: argparse.Namespace) -> StopWords | None:
    """The stop words of ``--stop-words``, or None."""
    if args.stop_words is None:
        return None
    from segmenter.keywords import StopWords

    return StopWords() if args.stop_words == "default" else StopWords.load(args.stop_words)


def user_option(parser: argparse.ArgumentParser) -> None:
    options(
        parser,
        {
            "--user PATH...": "your own words, one per line (see `segmenter build user --help`), "
            "or compiled; a file or a folder; may be repeated"
        },
    )


def input_options(parser: argparse.ArgumentParser) -> None:
    """Files of text to read, and the one to write."""
    options(
        parser,
        {
            "files FILE*": "input files; none or -: stdin",
            "-o --output OUT=-": "file to write, completely or not at all (default: stdout); "
            "always UTF-8",
            "--encoding=utf-8": "encoding of the input: utf-8 (default), gb18030, big5, utf-16, …",
            "--errors strict|replace": "bytes that do not fit the encoding: stop and name the "
            "line (strict, default), or replace them by U+FFFD (replace)",
        },
    )


def errors_option(parser: argparse.ArgumentParser) -> None:
    """``--errors``: faulty lines of word lists and of segmented text."""
    options(
        parser,
        {
            "--errors raise|warn|skip": "a faulty line: stop (raise, default), skip it with a "
            "warning (warn), or skip it and only count it (skip)"
        },
    )


def text_options(parser: argparse.ArgumentParser) -> None:
    """Segmented text to learn from."""
    options(
        parser,
        {
            "--train FILE+!": "segmented text: UTF-8, one sentence per line, words separated by "
            "spaces",
            "--dev FILE": "held-out text, to choose the best epoch and to score",
            "--seed N=1": "the same seed gives the same file",
            "--quiet": "no progress on a terminal",
        },
    )
    errors_option(parser)


def load_segmenter(args: argparse.Namespace) -> Segmenter:
    name, arguments = load_arguments(args)
    return load_by_name(name, **arguments)


def text_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """Arguments of training from :func:`text_options` and ``--out``."""
    inputs = [*args.train, *(getattr(args, "lexicon", None) or ()), *filter(None, (args.dev,))]
    in_folder = hasattr(args, "standard")
    if not (in_folder and os.path.isdir(args.out)):
        check_output(args.out, inputs, "--out")
    if in_folder:  # the name of the text form
        check_output(os.path.join(args.out, f"{args.standard}.txt"), inputs, "--out")
    names = ("dev", "out", "seed", "errors")
    return {"command": args.line, **{name: getattr(args, name) for name in names}}


def user_arguments(args: argparse.Namespace) -> dict[str, Any]:
    """Arguments of :func:`segmenter.load` from :func:`user_option`."""
    if not getattr(args, "user", None):
        return {}
    from segmenter.lexicon.user import UserDictionary

    return {"user": UserDictionary.load(args.user)}


def check_model(args: argparse.Namespace) -> None:
    """Raise FileNotFoundError if the file of ``--model`` is missing."""
    if args.model is not None and not os.path.exists(args.model):
        raise FileNotFoundError(2, "no such lexicon or model", args.model)


def compiled(name: str) -> str:
    """The path of a compiled file, which may be the name of a shipped lexicon or tagger."""
    if os.path.exists(name):
        return name
    if name not in (*STANDARDS, *SHIPPED):
        raise FileNotFoundError(2, "no such file", name)
    from segmenter.files import resources

    return resources.find(f"{name}.{'lex' if name in STANDARDS else 'model'}")


def split_commas(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def load_arguments(args: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Arguments of :func:`segmenter.load` from :func:`segmenter_options`."""
    arguments: dict[str, Any] = {}
    check_model(args)
    if args.standard is not None:
        if args.model is not None:
            from segmenter import artifact

            if artifact.open(args.model, verify=False).kind == "lexicon":
                raise ArgumentError(
                    "--standard: the lexicon given by --model has a standard of its own; leave "
                    "--standard out"
                )
        arguments["standard"] = args.standard
    if args.skip is not None:
        arguments["skip"] = skip = split_commas(args.skip)
        if unknown := [kind for kind in skip if kind not in SKIP]:
            raise ArgumentError(f"--skip: {unknown[0]!r} is not one of {', '.join(SKIP)}")
    arguments.update(user_arguments(args))
    if args.atoms is not None or args.pattern:
        from segmenter.atoms import Atoms

        patterns: dict[str, str] = {}
        for pattern in args.pattern:
            kind, equals, regex = pattern.partition("=")
            if not equals:
                raise ArgumentError(f"--pattern: {pattern!r} is not of the form kind=regex")
            patterns[kind] = regex
        arguments["atoms"] = Atoms.parse(args.atoms or "").replace(patterns=patterns)
    arguments.update(decoder=args.decoder, oov=args.oov, matcher=args.matcher)
    if args.no_variants:
        arguments["variants"] = False
    return args.model or args.preset, arguments
