"""Pre-tokenisers that cut and change no character: blanks, punctuation, digits, patterns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.pieces import entries
from segmenter.subword import characters, expressions
from segmenter.subword.characters import BLANKS, library
from segmenter.subword.expressions import MANY, Either, Repeat, Row, Set
from segmenter.subword.pretokenise.step import PreTokeniser
from segmenter.subword.scanning import BEHAVIOURS, Cut

if TYPE_CHECKING:
    from typing import Any


# what stands between blanks; of the second, every punctuation mark for itself
_NOT_BLANK = Repeat(Set(characters.complement(BLANKS)), 1, MANY, "")


class Whitespace(PreTokeniser):
    r"""Words and runs of other characters (``\w+|[^\w\s]+``); blanks are dropped."""

    kind = "Whitespace"

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(r"\w+|[^\w\s]+", "Removed", True),)


class WhitespaceSplit(PreTokeniser):
    """What stands between blanks."""

    kind = "WhitespaceSplit"

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(_NOT_BLANK, "Removed", True),)


class BertPreTokenizer(PreTokeniser):
    """What stands between blanks, every punctuation mark for itself (Devlin et al. 2019)."""

    kind = "BertPreTokenizer"

    def cuts(self) -> tuple[Cut, ...]:
        marks = library("PUNCTUATION")
        others = characters.complement(characters.union(BLANKS, marks))
        return (Cut(Either((Repeat(Set(others), 1, MANY, ""), Set(marks))), "Removed", True),)


@dataclass(eq=False, repr=False)
class Punctuation(PreTokeniser):
    """Cuts at punctuation; ``behaviour`` is one of :data:`BEHAVIOURS`."""

    kind = "Punctuation"

    behaviour: str = entries.named("behavior", "Isolated")

    def __post_init__(self) -> None:
        _check_behaviour(self.behaviour)

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(library("PUNCTUATION")), self.behaviour),)


@dataclass(eq=False, repr=False)
class Digits(PreTokeniser):
    """Cuts numbers from what is around them; ``individual``: every digit for itself."""

    kind = "Digits"

    individual: bool = entries.named("individual_digits", False)

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(library("NUMERIC")), "Isolated" if self.individual else "Contiguous"),)


@dataclass(eq=False, repr=False)
class CharDelimiterSplit(PreTokeniser):
    """What stands between occurrences of one character."""

    kind = "CharDelimiterSplit"

    delimiter: str

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1:
            raise ArgumentError(f"delimiter: {self.delimiter!r} is not one character")

    def cuts(self) -> tuple[Cut, ...]:
        return (Cut(Set(characters.chars(self.delimiter)), "Removed"),)


@dataclass(eq=False, repr=False)
class FixedLength(PreTokeniser):
    """Spans of so many characters; the last may be shorter."""

    kind = "FixedLength"

    length: int = 5

    def cuts(self) -> tuple[Cut, ...]:
        if not self.length:
            return ()
        return (Cut(Repeat(Set(characters.ALL), 1, self.length, "")),)


class Split(PreTokeniser):
    """Cuts at the matches of a string or of a regular expression.

    Args:
        pattern: what is sought.
        behaviour: what becomes of matches, one of :data:`BEHAVIOURS`.
        invert: matches are what is kept, the rest delimits.
        regex: ``pattern`` is a regular expression.
        engine: for which it is written, ``"fancy"`` (tiktoken) or ``"oniguruma"``
            (``tokenizer.json``); see :mod:`.expressions`.

    Raises:
        ArgumentError: the expression cannot be run here as that engine runs it.
    """

    kind = "Split"

    def __init__(
        self,
        pattern: str,
        behaviour: str = "Isolated",
        *,
        invert: bool = False,
        regex: bool = True,
        engine: str = "fancy",
    ) -> None:
        self.pattern, self.invert, self.regex = pattern, invert, regex
        self.behaviour = behaviour
        _check_behaviour(behaviour)
        self.engine = engine
        if regex:
            expressions.parse(pattern, engine)

    def cuts(self) -> tuple[Cut, ...]:
        if self.regex:
            return (Cut(self.pattern, self.behaviour, self.invert, self.engine),)
        if not self.pattern:
            return ()
        return (Cut(_spelt(self.pattern), self.behaviour, self.invert),)

    def config(self) -> dict[str, Any]:
        entry = {
            "type": self.kind,
            "pattern": entries.pattern_entry(self.pattern, self.regex),
            "behavior": self.behaviour,
            "invert": self.invert,
        }
        # not of tokenizer.json, whose patterns are Oniguruma's
        return {**entry, "engine": self.engine} if self.regex and self.engine == "fancy" else entry


def _spelt(text: str) -> Row:
    return Row(tuple(Set(characters.chars(c)) for c in text))


def _check_behaviour(name: str) -> None:
    if name not in BEHAVIOURS:
        raise ArgumentError(f"behaviour: {name!r} is not one of {', '.join(BEHAVIOURS)}")
