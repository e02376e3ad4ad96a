"""The table ``readings.txt``: the reading of a character by its tag and its neighbours.

Each row of the table is a rule; the comment at the top of the table describes the form.  The first
rule of the character or word whose conditions all hold gives the reading.
"""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import DictionaryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Where the table lies, and the conditions that a row may have.
TABLE = Path(__file__).with_name("readings.txt")
CONDITIONS = ("tag", "at", "before", "after", "near")
PLACES = ("only", "first", "inner", "last")
#: What ends a clause, and a sentence.
CLAUSE, SENTENCE = frozenset("，、；：。！？…\n"), frozenset("；。！？…\n")


class Unit(NamedTuple):
    """A piece of a word that is read as one: a word that is known as a whole, or a character.

    Attributes:
        text: as it stands in the text.
        plain: the same in Simplified characters.
        tag: the word's.
        at: where it stands in its word, one of ``PLACES``.
    """

    text: str
    plain: str
    tag: str
    at: str


class Place(NamedTuple):
    """A unit with what stands around it: other parts of its word, then whole words.

    Attributes:
        unit: what is to be read.
        before: the nearest last.
        after: the nearest first.
    """

    unit: Unit
    before: Sequence[Unit]
    after: Sequence[Unit]


class Rule(NamedTuple):
    """A row: a reading, a syllable per character, and the alternatives of each condition."""

    reading: tuple[str, ...]
    conditions: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]

    def holds(self, place: Place) -> bool:
        """Whether all conditions hold there."""
        return all(_holds(name, choices, place) for name, choices in self.conditions)


def _holds(name: str, choices: tuple[tuple[str, ...], ...], place: Place) -> bool:
    if name == "tag":
        return any(place.unit.tag.startswith(tag) for (tag,) in choices)
    if name == "at":
        return any(place.unit.at == at for (at,) in choices)
    if name == "after":
        return any(_row(items, place.after) for items in choices)
    if name == "before":
        return any(_row(items[::-1], place.before[::-1]) for items in choices)
    return any(_is(item, unit) for unit in _sentence(place) for (item,) in choices)


def _sentence(place: Place) -> Iterator[Unit]:
    """What stands near in the same sentence."""
    yield from takewhile(_goes_on, place.before[::-1])
    yield from takewhile(_goes_on, place.after)


def _goes_on(unit: Unit) -> bool:
    return unit.text[0] not in SENTENCE


def _row(items: tuple[str, ...], units: Sequence[Unit]) -> bool:
    """Whether units begin with these; behind the last one only the edge of a clause is."""
    for at, item in enumerate(items):
        inside = at < len(units)
        if item in ("$", "^"):
            if inside and units[at].text[0] not in CLAUSE:
                return False
        elif not inside or not _is(item, units[at]):
            return False
    return True


def _is(item: str, unit: Unit) -> bool:
    """Whether a unit is what one item says: a word, a beginning, an end, a tag, or word and tag."""
    word, slash, tag = item.partition("/")
    if slash and not unit.tag.startswith(tag):
        return False
    if not word or unit.plain == word:
        return True
    if word[-1] == "*":
        return unit.plain.startswith(word[:-1])
    return word[0] == "*" and unit.plain.endswith(word[1:])


@cache
def shipped() -> Mapping[str, tuple[Rule, ...]]:
    """The rules of the shipped table, by character or word."""
    return parse(TABLE.read_text("utf-8"), TABLE.name)


def parse(text: str, name: str) -> dict[str, tuple[Rule, ...]]:
    """Rules by character or word, from the text of a table.

    Args:
        text: the table.
        name: what errors call it.

    Raises:
        DictionaryError: a row is not as the table's comment says; names the line.

    >>> rules = parse("还/還 huan2 tag:v\\n还/還 hai2", "a table")
    >>> [rule.reading for rule in rules["還"]]
    [('huan2',), ('hai2',)]
    """
    found: dict[str, list[Rule]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        keys, *rest = line.split()
        try:
            rule = _rule(rest)
            for key in keys.split("/"):
                if len(key) != len(rule.reading):
                    raise ValueError(f"{key} has {len(key)} characters, not {len(rule.reading)}")
                if found.get(key, [rule])[-1].conditions == () and key in found:
                    raise ValueError(f"{key} has its usual reading in a row above")
                found.setdefault(key, []).append(rule)
        except ValueError as e:
            raise DictionaryError(name, number, str(e)) from None
    return {key: tuple(rules) for key, rules in found.items()}


def _rule(fields: list[str]) -> Rule:
    if not fields:
        raise ValueError("a row is a character or word, a reading, and conditions")
    reading = tuple(fields[0].split("_"))
    for syllable in reading:
        if not (syllable[-1] in "12345" and syllable[:-1].isalpha()):
            raise ValueError(f"{syllable!r} is not a syllable with the number of its tone")
    conditions = []
    for field in fields[1:]:
        name, colon, alternatives = field.partition(":")
        if name not in CONDITIONS or not colon:
            raise ValueError(f"{field!r} is not one of {', '.join(CONDITIONS)} with a colon")
        choices = tuple(tuple(item.split("_")) for item in alternatives.split(",") if item)
        if not choices:
            raise ValueError(f"{name}: names nothing")
        if name not in ("before", "after") and any(len(items) > 1 for items in choices):
            raise ValueError(f"{name}: takes one word, not several in a row")
        if name == "at" and not {place for (place,) in choices} <= set(PLACES):
            raise ValueError(f"at: must be one of {', '.join(PLACES)}")
        conditions.append((name, choices))
    return Rule(reading, tuple(conditions))
