"""What a compiled file is refused for: every check finds its fault wherever the number stands."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import mutants
import pytest
import worlds

from segmenter import Segmenter, artifact
from segmenter.errors import ArtifactError
from segmenter.lexicon import Lexicon
from segmenter.tagging.predictor import Predictor
from segmenter.text import chars
from segmenter.train.tagging import model as form

if TYPE_CHECKING:
    from collections.abc import Callable

Sections = dict[str, bytes]
Change = tuple[str, str, "Callable[[array[int]], list[int]]", "Callable[[int], int]", str]

NO_COST = 0xFFFF


def sections_of(art: artifact.Artifact) -> Sections:
    return {name: bytes(art.section(name)) for name in art.names()}


def refusal(kind: str, sections: Sections, meta: dict[str, object]) -> str:
    """What the kernel says, or \"\"."""
    data = artifact.pack(kind, sections, meta)
    try:
        if kind == form.KIND:
            Predictor.from_bytes(data)
        else:
            Lexicon.from_bytes(data)
    except ArtifactError as e:
        return str(e)
    return ""


def every(column: array[int]) -> list[int]:
    """First, last, and some places between that no vector's width divides alike."""
    return sorted({*range(0, len(column), max(1, len(column) // 13)), len(column) - 1})


def at(*places: int) -> Callable[[array[int]], list[int]]:
    return lambda _: [*places]


def singles(column: array[int]) -> list[int]:
    """Units of single characters."""
    return list(range(0, 100, 7))


def deep(column: array[int]) -> list[int]:
    """Units from the second level on."""
    return [place for place in every(column) if place > 150]


def words(column: array[int]) -> list[int]:
    """Units of words of two and more characters."""
    found = [i for i, unit in enumerate(column) if i > 150 and unit >> 16 & NO_COST != NO_COST]
    return found[:: max(1, len(found) // 9)]


def value(n: int) -> Callable[[int], int]:
    return lambda _: n


def other_class(of: int) -> int:
    """A class that what stands here cannot have: characters of runs come before all others."""
    return chars.DIGIT if of in chars.ORDINARY else chars.HAN


def no_class(unit: int) -> int:
    """A word's unit with a class, which is its cost, that no tagger has."""
    return unit & ~(NO_COST << 16) | 0xFFFE << 16


#: Section, its numbers, which of them, what they become, and what is said.
OF_LEXICON: list[Change] = [
    ("params", "I", at(1), value(0xFFFF), "params: ranges of characters out of order"),
    ("params", "I", at(2), value(0), "params: the longest word is out of range"),
    ("params", "I", at(2), value(1 << 24), "params: the longest word is out of range"),
    ("params", "I", at(7), value(0xFFFF), "params: ranges of characters out of order"),
    ("params", "I", at(*range(17, 45)), value(0x7FF0), "params: a rule's character is of"),
    ("charmap.bmp", "H", every, value(0x7FFF), "charmap.bmp names a character"),
    ("charmap.blocks", "H", every, value(0x7FFF), "charmap.blocks names a character"),
    ("charmap.pages", "H", every, value(0xFFFF), "charmap.pages names a block"),
    ("charmap.bmp", "H", at(0x4E00, 0x20, 0xE000), value(5), "charmap: two characters of one"),
    ("charmap.classes", "B", every, other_class, "charmap.classes are out"),
    ("words.terminal", "Q", every, lambda w: w ^ 1, "words.terminal: marks another unit"),
    ("words.terminal", "Q", every, lambda w: w ^ 1 << 63, "words.terminal: marks another unit"),
    ("words.rank", "I", every, lambda n: n + 1, "words.rank: counts other words"),
    ("trie.units", "Q", every, lambda u: u | 0xFFFFFF << 40, "trie.units: a unit leads outside"),
    ("trie.units", "Q", singles, lambda u: u | NO_COST << 16, "trie.units: a unit leads outside"),
    ("trie.units", "Q", deep, lambda u: u & ~0xFFFF | 0x7FFF, "trie.units: a unit leads outside"),
    ("trie.units", "Q", deep, lambda u: u & ~0xFFFF, "trie.units: a unit leads outside"),
]
OF_TAGGER: list[Change] = [
    ("trie.units", "Q", words, no_class, "trie.units: a word of a class"),
    ("tagger.groups", "B", every, value(8), "tagger.groups: a group that is not there"),
    ("tagger.longer", "I", every, value(0xFFFFFF), "tagger.longer: leads outside"),
    ("tagger.params", "i", at(3), value(0), "tagger.params: scores out of range"),
    ("tagger.params", "i", at(*range(4, 24)), value(1 << 19), "tagger.params: scores out of"),
    ("tagger.params", "i", at(*range(4, 24)), value(-1 << 19), "tagger.params: scores out of"),
    ("tagger.uni", "I", at(3, 7, 4 * 30 + 3), lambda k: k | 1 << 28, "tagger.uni: a character"),
    ("tagger.pair", "I", at(3, 7, 4 * 30 + 3), lambda k: k & 0x3FFF | 1 << 31, "tagger.pair: a"),
]  # fmt: skip


def check(kind: str, art: artifact.Artifact, changes: list[Change]) -> None:
    sound = sections_of(art)
    assert refusal(kind, sound, art.meta) == ""
    for name, form_of, places, change, said in changes:
        column = array(form_of, sound[name])
        for place in places(column):
            damaged = column[:]
            damaged[place] = change(column[place])
            got = refusal(kind, {**sound, name: damaged.tobytes()}, art.meta)
            assert said in got, (name, place, column[place], damaged[place], got)


def test_every_fault_of_a_lexicon_is_found() -> None:
    check("lexicon", worlds.lexicon().artifact, OF_LEXICON)


@pytest.mark.parametrize("made", [mutants.linear, mutants.with_rows_of_characters])
def test_every_fault_of_a_tagger_is_found(made: Callable[[], bytes]) -> None:
    check(form.KIND, artifact.from_bytes(made()), OF_TAGGER)


def test_a_full_table_of_ngrams_is_refused() -> None:
    art = worlds.lexicon().artifact
    records = art.section("ngram.bigrams").cast("Q")
    full = array("Q", [5 << 24 if record == (1 << 64) - 1 else record for record in records])
    assert full != array("Q", records)
    broken = artifact.pack(
        "lexicon", {**sections_of(art), "ngram.bigrams": full.tobytes()}, art.meta
    )
    with pytest.raises(ArtifactError, match="n-grams"):
        Segmenter(Lexicon.from_bytes(broken), decoder="bigram")
