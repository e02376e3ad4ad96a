"""Words of two characters that stand whatever their neighbours are, against the reference."""

from __future__ import annotations

import itertools

import pytest
import worlds
from reference.bounds import GainBounds

SMALL = worlds.lexicon()
NGRAMS = SMALL.ngrams
REFERENCE = GainBounds(worlds.dictionary(), worlds.model())
HAN = [w for w in worlds.COUNTS if len(w) == 1 and "\u4e00" <= w <= "\u9fff"]
NUMERIC = "年月份日时分第一二三十千"  # beside them may stand a number, which is not a word


def gains(x: str, a: str, b: str, y: str) -> tuple[int, int]:
    assert NGRAMS is not None
    return NGRAMS.gain_bounds(*map(ord, SMALL.native.encode(x + a + b + y)))


def test_margins_of_words_are_those_of_the_reference() -> None:
    assert NGRAMS is not None
    assert len(REFERENCE.margins) > 20
    assert sum(m > 0 for m in REFERENCE.margins.values()) > 10
    for word in SMALL.words():
        got = NGRAMS.word_margin(SMALL.number(word))
        assert got == REFERENCE.margins.get(word, 0), word


def test_gains_are_bounded_and_mostly_exact() -> None:
    exact = exact_of = count = 0
    for x, y in itertools.product(HAN, HAN):
        before, after = gains(x, y, x, y)
        ending, beginning = REFERENCE.ending.get((x, y), 0), REFERENCE.beginning.get((x, y), 0)
        assert ending <= before <= REFERENCE.before.get(y, 0)
        assert beginning <= after <= REFERENCE.after.get(x, 0)
        count += (ending > 0) + (beginning > 0)
        if x in NUMERIC or y in NUMERIC:  # no bound but that of the one character
            assert before == REFERENCE.before.get(y, 0)
            assert after == REFERENCE.after.get(x, 0)
        else:
            exact_of += 2
            exact += (before == ending) + (after == beginning)  # else two places are one
    assert count > 50
    assert exact > 0.95 * exact_of


def test_a_word_that_may_be_beside_what_is_not_a_word_has_the_wide_bound() -> None:
    for x in "a3 堃":
        assert gains(x, "的", "的", x) == (REFERENCE.before["的"], REFERENCE.after["的"])


def test_a_number_beyond_the_words_is_refused() -> None:
    assert NGRAMS is not None
    with pytest.raises(IndexError, match="word"):
        NGRAMS.word_margin(len(SMALL))
    with pytest.raises(IndexError, match="characters"):
        NGRAMS.gain_bounds(0x7FFF, 0, 0, 0)
