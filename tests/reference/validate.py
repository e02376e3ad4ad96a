"""Whether the sections of a compiled file are consistent (``validate.hpp``).

The functions take the sections of an artifact by name and return what is wrong, in the kernel's
words, or None.  Sizes of sections have been checked already; this checks every number that a kernel
uses as a place without checking.
"""

from __future__ import annotations

from collections import Counter
from struct import unpack
from typing import TYPE_CHECKING, Literal, NamedTuple

from segmenter.text import chars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    Sections = Mapping[str, Any]

NONE = 0xFFFF  # no label, no cost
SINGLE = 0xFFFE  # the label of a single character that is a word
NOT_CANONICAL = 0x8000
MOST_IDS = 0x7FFF
MOST_SLOTS = 1 << 24
MOST_UNITS = MOST_SLOTS + 0x8000
MOST_SCORE = 1 << 18

_RUNS = {*range(chars.HAN)} - chars.ORDINARY  # older files have joiners here


class Unit(NamedTuple):
    """A unit of the double array; ``base`` locates its children."""

    label: int
    cost: int
    guard: int
    base: int

    @classmethod
    def of(cls, raw: int) -> Unit:
        return cls(raw & 0xFFFF, raw >> 16 & 0xFFFF, raw >> 32 & 0xFF, raw >> 40)


def _column(sections: Sections, name: str, form: Literal["B", "H", "I", "Q", "i"]) -> Sequence[int]:
    return memoryview(sections[name]).cast("B").cast(form)


def lexicon_fault(sections: Sections, outside: bool = False) -> tuple[str | None, int]:
    """What is wrong with a lexicon, and the greatest cost of a word of two or more characters.

    Args:
        sections: of a lexicon or a tagger.
        outside: its words are in another trie, and this one has only single characters.
    """
    params = _column(sections, "params", "I")
    n_ids, n_special, longest, _, n_words, numbers, _, n_runs = params[:8]
    n_runs = n_runs or n_special
    units = [Unit.of(raw) for raw in _column(sections, "trie.units", "Q")]
    terminal, rank = _column(sections, "words.terminal", "Q"), _column(sections, "words.rank", "I")
    blocks, pages = (
        _column(sections, "charmap.blocks", "H"),
        _column(sections, "charmap.pages", "H"),
    )
    bmp, classes = _column(sections, "charmap.bmp", "H"), _column(sections, "charmap.classes", "B")

    def fault() -> Iterator[str]:
        if not 0 < n_ids <= min(MOST_IDS, len(units) - 1) or not (
            len(units) <= min(MOST_UNITS, 64 * len(terminal))
        ):
            yield "params: more characters or units than there can be"
        if not 0 < n_runs <= n_special <= n_ids:
            yield "params: ranges of characters out of order"
        if not 0 < longest <= (MOST_SLOTS if outside else len(units)):
            yield "params: the longest word is out of range"
        if n_words >= MOST_SLOTS:
            yield "params: more words than there can be"
        if any(entry & MOST_IDS >= n_ids for entry in bmp):
            yield "charmap.bmp names a character that is not there"
        whole = len(blocks) >= 256 and len(blocks) % 256 == 0
        if not whole or any(entry & MOST_IDS >= n_ids for entry in blocks):
            yield "charmap.blocks names a character that is not there"
        if any(page >= len(blocks) // 256 for page in pages):
            yield "charmap.pages names a block that is not there"
        canonical = [entry for entry in _every(bmp, pages, blocks) if not entry & NOT_CANONICAL]
        if 0 in canonical or len({*canonical}) < len(canonical):
            yield "charmap: two characters of one spelling"
        for number, cls in enumerate(classes):
            ordinary = number == 0 or number >= n_special
            if cls not in (
                chars.ORDINARY if ordinary else _RUNS if number < n_runs else chars.JOINERS
            ):
                yield "charmap.classes are out of order"
        if numbers and not _rules_hold(params[17:], classes, n_special):
            yield "params: a rule's character is of another class"
        nothing = blocks[256 * pages[(0x3FFFE >> 8) - 0x100] + 0xFE] & MOST_IDS
        if 0 < nothing < n_special:
            yield "charmap: a character that nothing has is in a run"
        words = 0
        for w, (marks, before) in enumerate(zip(terminal, rank, strict=True)):
            of = units[64 * w : 64 * w + 64]
            ends = sum(_is_word(unit, 64 * w + i < n_ids) << i for i, unit in enumerate(of))
            if marks != ends:
                yield "words.terminal: marks another unit than those that have costs"
            if before != words:
                yield "words.rank: counts other words than there are"
            words += ends.bit_count()
        if any(_leads_outside(unit, slot, n_ids, len(units)) for slot, unit in enumerate(units)):
            yield "trie.units: a unit leads outside"
        if any(unit.label != NONE for unit in units[MOST_SLOTS:]):
            yield "trie.units: more units than there can be"
        long = any(unit.cost != NONE for unit in units[n_ids:])
        if (words > n_words or long) if outside else words != n_words:
            yield "params: another number of words than there are"

    found = next(fault(), None)
    if found is not None:
        return found, 0
    return None, max((unit.cost for unit in units[n_ids:] if unit.cost != NONE), default=0)


def _every(bmp: Sequence[int], pages: Sequence[int], blocks: Sequence[int]) -> Iterator[int]:
    """The entry of every code point; pages that share a block repeat its entries."""
    yield from bmp
    for page, times in Counter(pages).items():
        yield from [*blocks[256 * page : 256 * page + 256]] * min(times, 2)


def _rules_hold(rules: Sequence[int], classes: Sequence[int], n_special: int) -> bool:
    """Whether digits, units of dates and numerals have the classes that the rules expect."""
    zero, units, numerals = rules[0], rules[1:10], rules[10:28]
    digits = classes[zero : zero + 10] if zero else [chars.DIGIT] * 10
    return (
        [*digits] == [chars.DIGIT] * 10
        and all(not u or (n_special <= u < len(classes) and classes[u] == chars.HAN) for u in units)
        and all(not n or (n < len(classes) and classes[n] == chars.HANNUM) for n in numerals)
    )


def _is_word(unit: Unit, single: bool) -> bool:
    """Whether a word ends at a unit; for single characters the label says so."""
    return unit.label == SINGLE if single else unit.cost != NONE


def _leads_outside(unit: Unit, slot: int, n_ids: int, n_units: int) -> bool:
    if unit.base > n_units - n_ids:
        return True
    if slot < n_ids:
        return unit.label not in (SINGLE, NONE) or unit.cost == NONE
    if unit.label == NONE:
        return unit.cost != NONE
    return not 0 < unit.label < n_ids


def tagger_fault(sections: Sections, most_cost: int) -> str | None:
    """What is wrong with a tagger whose lexicon is sound.

    Args:
        sections: of a tagger.
        most_cost: from :func:`lexicon_fault`.
    """
    n_ids, n_units = _column(sections, "params", "I")[0], len(_column(sections, "trie.units", "Q"))
    params = _column(sections, "tagger.params", "i")
    tags = 6 if "tagger.widepair" in sections else 4
    _, n_matches, n_pairs, scale = params[:4]
    if n_units + n_pairs > MOST_SLOTS:
        return "tagger.params: more pairs than there can be"
    if most_cost > n_matches:
        return "trie.units: a word of a class that is not there"
    if any(groups > 7 for groups in _column(sections, "tagger.groups", "B")):
        return "tagger.groups: a group that is not there"
    longer = _column(sections, "tagger.longer", "I")
    if any(entry & 0xFFFFFF > n_units - n_ids for entry in longer):
        return "tagger.longer: leads outside"
    for key in _keys(sections["tagger.pair"]):
        if key >> 31 and key >> 14 & 0x3FFF == 0:
            return "tagger.pair: a word that goes on after the sentence's end"
    if any(key >> 28 for key in _keys(sections["tagger.uni"])):
        return "tagger.uni: a character alone that begins a word"
    scores = params[4 : 4 + tags + tags * tags]
    if any(abs(score) > MOST_SCORE for score in scores) or scale <= 0:
        return "tagger.params: scores out of range"
    return None


def _keys(records: Any) -> Iterator[int]:
    """The keys at the ends of records of 16 bytes, ``first | second << 14 | groups << 28 | longer
    << 31``."""
    data = bytes(records)
    for at in range(0, len(data), 16):
        yield unpack("<I", data[at + 12 : at + 16])[0]


def has_empty(records: Sequence[int]) -> bool:
    """Whether look-ups in a table of n-grams end: it has an empty place, or no places."""
    return not records or any(record == (1 << 64) - 1 for record in records)
