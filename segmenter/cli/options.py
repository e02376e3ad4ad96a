"""Options that several commands have, and the Segmenter that they describe."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from segmenter.atoms import NAMES as ATOMS
from segmenter.choices import (
    DECODERS,
    DEFAULT_PRESET,
    MATCHERS,
    MODELS,
    OOV,
    PRESETS,
    SKIP,
    STANDARDS,
)
from segmenter.cli.parsers import suggest
from segmenter.errors import ArgumentError
from segmenter.loading import load_by_name
from segmenter.types import UNITS

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from segmenter.segmenter import Segmenter

#: Standards of the shipped BiLSTM-CRF beyond those of every preset.
MORE_STANDARDS = ("national", "ctb", "sxu", "msr", "ud", "weibo", "sinica")
#: Names of the shipped taggers, as ``adapt`` and ``export model`` take them.
SHIPPED = (*(f"{s}-{m}" for s in STANDARDS for m in MODELS.values()), "accurate")
_ENCODINGS = ("utf-8", "gb18030", "gbk", "big5", "utf-16", "utf-16-le", "utf-16-be")


def units_option(parser: argparse.ArgumentParser) -> None:
    """``--units`` of the commands that print offsets."""
    parser.add_argument(
        "--units",
        choices=UNITS,
        default=UNITS[0],
        help="what offsets count in the line: code points (default), bytes of UTF-8, or code units "
        "of UTF-16",
    )


def segmenter_options(parser: argparse.ArgumentParser) -> None:
    """How to segment: the arguments of :func:`segmenter.load`."""
    group = parser.add_argument_group("how to segment")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--preset",
        choices=sorted(PRESETS),
        default=DEFAULT_PRESET,
        help=f"a shipped preset (default {DEFAULT_PRESET})",
    )
    which.add_argument(
        "--model", metavar="PATH", help="a compiled lexicon or model, instead of a preset"
    )
    standard = group.add_argument(
        "--standard",
        metavar="NAME",
        help="segmentation standard: general (personal names whole, the default) or pku (the PKU "
        f"benchmark's); with --preset accurate also {', '.join(MORE_STANDARDS)}; with --model the "
        "one that it was trained for",
    )
    suggest(standard, (*STANDARDS, *MORE_STANDARDS))
    group.add_argument(
        "--decoder",
        choices=DECODERS,
        metavar="NAME",
        help=f"instead of the preset's own: {', '.join(DECODERS)}",
    )
    group.add_argument(
        "--oov",
        choices=OOV,
        default=OOV[0],
        help="characters outside the lexicon: chars, one token each (default); keep, one token per "
        "run of them; hmm or tagger, the words that this model finds in them; bpe or unigram, "
        "learnt subwords",
    )
    skip = group.add_argument(
        "--skip",
        metavar="KINDS",
        default="",
        help=f"kinds of tokens to drop, comma-separated: {', '.join(SKIP)}",
    )
    suggest(skip, SKIP, list=True)
    group.add_argument(
        "--matcher",
        choices=MATCHERS,
        help="how words are looked up in the lexicon (default: as it was built, usually "
        f"{MATCHERS[0]}); the words found are the same",
    )
    group.add_argument(
        "--no-variants",
        action="store_true",
        help="do not read Traditional characters as their Simplified forms",
    )
    user_option(parser)
    atoms = group.add_argument(
        "--atoms",
        metavar="RULES",
        help="URLs, numbers and other things found by rule, as rule=keep (one token), rule=split "
        "or rule=model (left to the decoder), comma-separated; or none, keep or split for all. "
        f"Rules: {', '.join(ATOMS)}",
    )
    suggest(atoms, ("none", "keep", "split"))
    group.add_argument(
        "--pattern",
        action="append",
        default=[],
        metavar="KIND=REGEX",
        help="each match of the regular expression is one token of that kind; may be repeated",
    )


def user_option(parser: argparse.ArgumentParser) -> None:
    """The user's words."""
    parser.add_argument(
        "--user",
        action="append",
        default=[],
        metavar="PATH",
        help="your own words, one per line (see `segmenter build user --help`), or compiled; a "
        "file or a folder; may be repeated",
    )


def input_options(parser: argparse.ArgumentParser) -> None:
    """Files of text to read, and the one to write."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="input files; none or -: stdin")
    parser.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        default="-",
        help="file to write, completely or not at all (default: stdout); always UTF-8",
    )
    encoding = parser.add_argument(
        "--encoding",
        default="utf-8",
        help="encoding of the input: utf-8 (default), gb18030, big5, utf-16, …",
    )
    suggest(encoding, _ENCODINGS)
    parser.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that do not fit the encoding: stop and name the line (strict, default), or "
        "replace them by U+FFFD (replace)",
    )


def errors_option(parser: argparse.ArgumentParser) -> None:
    """What a faulty line of a word list or of segmented text does."""
    parser.add_argument(
        "--errors",
        choices=("raise", "warn", "skip"),
        default="raise",
        help="a faulty line: stop (raise, default), skip it with a warning (warn), or skip it and "
        "only count it (skip)",
    )


def text_options(parser: argparse.ArgumentParser) -> None:
    """Segmented text to learn from."""
    parser.add_argument(
        "--train",
        nargs="+",
        required=True,
        metavar="FILE",
        help="segmented text: UTF-8, one sentence per line, words separated by spaces",
    )
    parser.add_argument(
        "--dev", metavar="FILE", help="held-out text, to choose the best epoch and to score"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        metavar="N",
        help="the same seed gives the same file (default 1)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on a terminal")
    errors_option(parser)


def load_segmenter(given: argparse.Namespace) -> Segmenter:
    """The Segmenter of :func:`segmenter_options`."""
    name, options = load_arguments(given)
    return load_by_name(name, **options)


def load_arguments(given: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """What :func:`segmenter.load` is called with for :func:`segmenter_options`."""
    options: dict[str, Any] = {}
    if given.standard is not None:
        if given.model is not None and os.path.exists(given.model):
            from segmenter import artifact

            if artifact.open(given.model, verify=False).kind == "lexicon":
                raise ArgumentError(
                    "--standard: the lexicon given by --model has a standard of its own; leave "
                    "--standard out"
                )
        options["standard"] = given.standard
    if given.model is not None and not os.path.exists(given.model):
        raise FileNotFoundError(2, "no such lexicon or model", given.model)
    skip = [kind.strip() for kind in given.skip.split(",") if kind.strip()]
    if unknown := [kind for kind in skip if kind not in SKIP]:
        raise ArgumentError(f"--skip: {unknown[0]!r} is not one of {', '.join(SKIP)}")
    if given.user:
        from segmenter.lexicon.user import UserDictionary

        options["user"] = UserDictionary.load(given.user)
    if given.atoms is not None or given.pattern:
        from segmenter.atoms import Atoms

        patterns: dict[str, str] = {}
        for pattern in given.pattern:
            kind, equals, regex = pattern.partition("=")
            if not equals:
                raise ArgumentError(f"--pattern: {pattern!r} is not of the form kind=regex")
            patterns[kind] = regex
        options["atoms"] = Atoms.parse(given.atoms or "").replace(patterns=patterns)
    options.update(decoder=given.decoder, oov=given.oov, skip=skip, matcher=given.matcher)
    options["variants"] = not given.no_variants
    return given.model or given.preset, options
