"""The names that arguments accept: presets, standards, decoders, and others.

At run time they are tuples; for type checkers each has a ``Literal`` of the same values, so that an
editor completes them and a checker finds misspellings.  A test compares the two.
"""

from __future__ import annotations

from segmenter.errors import ArgumentError, check_str, wrong_type
from segmenter.kernels import _models, _opening

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Literal, TypeAlias

    Preset: TypeAlias = Literal["fast", "balanced", "accurate", "best"]
    Standard: TypeAlias = Literal[
        "general", "pku", "national", "ctb", "sxu", "msr", "ud", "weibo", "sinica", "as"
    ]  # fmt: skip
    Lattice: TypeAlias = Literal[
        "forward-max", "backward-max", "bidirectional-max", "shortest", "n-shortest", "unigram",
        "bigram", "trigram",
    ]  # fmt: skip
    Tagger: TypeAlias = Literal["hmm", "perceptron", "crf", "bilstm-crf", "encoder-crf"]
    Decoder: TypeAlias = Lattice | Tagger
    Oov: TypeAlias = Literal["chars", "keep", "hmm", "tagger", "bpe", "unigram"]
    Skip: TypeAlias = Literal["space", "punct"]
    MatcherName: TypeAlias = Literal["double-array", "aho-corasick", "marisa", "pyahocorasick"]
    Mode: TypeAlias = Literal["words", "search", "index", "query"]
    Unit: TypeAlias = Literal["codepoints", "utf8", "utf16"]

#: The default of each option of ``load``, "" where preset or file decide; and its values.
DEFAULTS = _opening.DEFAULTS
VALUES = _opening.VALUES

#: The decoders over the words of a lexicon.
LATTICE: tuple[Lattice, ...] = _models.DECODERS
#: The lattice decoders that need the n-gram model of a lexicon.
NGRAM_DECODERS: tuple[Lattice, ...] = _models.NGRAM_DECODERS
#: The decoders that tag characters, by a compiled model.
TAGGERS: tuple[Tagger, ...] = _opening.TAGGERS
DECODERS: tuple[Decoder, ...] = VALUES["decoder"]
#: The standards of the shipped presets; a tagger of yours may have any.
STANDARDS: tuple[Standard, ...] = VALUES["standard"]
#: The standards that only the presets ``accurate`` and ``best`` have.
MORE_STANDARDS: tuple[Standard, ...] = _opening.MORE_STANDARDS
DEFAULT_STANDARD: Standard = DEFAULTS["standard"]
OOV: tuple[Oov, ...] = VALUES["oov"]
SUBWORDS: tuple[Oov, ...] = _opening.SUBWORDS  # need a subword vocabulary
SKIP: dict[Skip, int] = {kind: 1 << bit for bit, kind in enumerate(VALUES["skip"])}
MATCHERS: tuple[MatcherName, ...] = VALUES["matcher"]

#: The decoder of each preset.
PRESETS: dict[str, Tagger] = _opening.PRESETS
DEFAULT_PRESET: Preset = DEFAULTS["name"]
#: The shipped model of a linear tagger: ``<standard>-<value>.model``; lattices read <standard>.lex.
MODELS = {
    tagger: file[2:].removesuffix(".model")
    for tagger, file in _opening.TAGGER_FILES.items()
    if file.startswith("%")
}

MODES: tuple[Mode, ...] = ("words", "search", "index", "query")


def one_of(name: str, value: object, choices: Collection[str]) -> None:
    """Raise TypeError or ArgumentError for a value that is not one of the choices."""
    check_str(name, value)
    if value not in choices:
        raise ArgumentError(f"{name}: {value!r} is not one of {', '.join(choices)}")


def check_whole(name: str, value: object, least: int, most: int | None = None) -> None:
    """Raise TypeError or ArgumentError for a value that is not an int from least to most."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong_type(name, value, "int")
    if most is None and value < least:
        raise ArgumentError(f"{name}: {value} is less than {least}")
    if most is not None and not least <= value <= most:
        raise ArgumentError(f"{name}: {value} is not from {least} to {most}")


def checked_threads(threads: int) -> int:
    """Return the number of threads; raise TypeError or ArgumentError if it is not valid."""
    check_whole("threads", threads, 1, 256)
    return threads
