"""The table ``readings.txt``: the reading of a character by its tag and its neighbours.

Each row of the table is a rule; the comment at the top of the table describes the format.  The
first rule of the character or word whose conditions all hold gives the reading.
"""

from __future__ import annotations

from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import DictionaryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: The path of the table, and the names of conditions.
TABLE = Path(__file__).with_name("readings.txt")
CONDITIONS = ("tag", "at", "before", "after", "near")
PLACES = ("only", "first", "inner", "last")
#: Marks that end a clause, and a sentence.
CLAUSE, SENTENCE = frozenset("，、；：。！？…\n"), frozenset("；。！？…\n")


class Unit(NamedTuple):
    """A word with an entry, or a part of a word: a shorter word with an entry, or a character.

    Attributes:
        text: as in the text.
        plain: the same in Simplified characters.
        tag: the tag of the word.
        position: its position in the word, one of ``PLACES``.
    """

    text: str
    plain: str
    tag: str
    position: str


class Context(NamedTuple):
    """A unit and its neighbours: other parts of its word, then whole words.

    Attributes:
        unit: the unit to read.
        before: units before it, the nearest last.
        after: units after it, the nearest first.
    """

    unit: Unit
    before: Sequence[Unit]
    after: Sequence[Unit]


class Rule(NamedTuple):
    """A row: a reading (a syllable per character) and the alternatives of each condition."""

    reading: tuple[str, ...]
    conditions: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]

    def holds(self, context: Context) -> bool:
        """Whether all conditions hold."""
        return all(_condition_holds(name, choices, context) for name, choices in self.conditions)


def _condition_holds(name: str, choices: tuple[tuple[str, ...], ...], context: Context) -> bool:
    if name == "tag":
        return any(context.unit.tag.startswith(tag) for (tag,) in choices)
    if name == "at":
        return any(context.unit.position == position for (position,) in choices)
    if name == "after":
        return any(_matches_sequence(items, context.after) for items in choices)
    if name == "before":
        return any(_matches_sequence(items[::-1], context.before[::-1]) for items in choices)
    return any(_matches(item, unit) for unit in _sentence(context) for (item,) in choices)


def _sentence(context: Context) -> Iterator[Unit]:
    """Yield the neighbours in the same sentence, each side from the nearest."""
    yield from takewhile(_same_sentence, context.before[::-1])
    yield from takewhile(_same_sentence, context.after)


def _same_sentence(unit: Unit) -> bool:
    return unit.text[0] not in SENTENCE


def _matches_sequence(items: tuple[str, ...], units: Sequence[Unit]) -> bool:
    """Whether units begin with these items; beyond the last unit is the edge of a clause."""
    for i, item in enumerate(items):
        exists = i < len(units)
        if item in ("$", "^"):
            if exists and units[i].text[0] not in CLAUSE:
                return False
        elif not exists or not _matches(item, units[i]):
            return False
    return True


def _matches(item: str, unit: Unit) -> bool:
    """Whether a unit matches one item: a word, a beginning, an end, a tag, or word and tag."""
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
    """Return the rules of the shipped table, by character or word."""
    return parse(TABLE.read_text("utf-8"), TABLE.name)


def parse(text: str, name: str) -> dict[str, tuple[Rule, ...]]:
    """Parse the text of a table; return rules by character or word.

    Args:
        text: the table.
        name: the name of the table in errors.

    Raises:
        DictionaryError: a row does not have the format; names the line.

    >>> rules = parse("还/還 huan2 tag:v\\n还/還 hai2", "a table")
    >>> [rule.reading for rule in rules["還"]]
    [('huan2',), ('hai2',)]
    """
    rules: dict[str, list[Rule]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        keys, *fields = line.split()
        try:
            rule = _rule(fields)
            for key in keys.split("/"):
                if len(key) != len(rule.reading):
                    raise ValueError(f"{key} has {len(key)} characters, not {len(rule.reading)}")
                if rules.get(key, [rule])[-1].conditions == () and key in rules:
                    raise ValueError(f"{key} has its usual reading in a row above")
                rules.setdefault(key, []).append(rule)
        except ValueError as e:
            raise DictionaryError(name, number, str(e)) from None
    return {key: tuple(key_rules) for key, key_rules in rules.items()}


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
            raise ValueError(f"{name}: has no value: write one after the colon")
        if name not in ("before", "after") and any(len(items) > 1 for items in choices):
            raise ValueError(f"{name}: takes one word, not several in a row")
        if name == "at" and not {place for (place,) in choices} <= set(PLACES):
            raise ValueError(f"at: must be one of {', '.join(PLACES)}")
        conditions.append((name, choices))
    return Rule(reading, tuple(conditions))
