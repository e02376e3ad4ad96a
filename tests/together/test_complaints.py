"""What users of other segmenters complain about does not happen here, family by family.

The cases (``complaints.toml``) and the questions (``complaints.py``) were asked of jieba and rjieba
too (commit 94e85919c6): jieba 0.42.1 fails in five of the six families, rjieba 0.2.2 in all six.
"""

from __future__ import annotations

import complaints
import pytest

from segmenter import load
from segmenter.atoms import Atoms

SYSTEMS = {
    "fast": complaints.Ours(load("fast")),
    "balanced": complaints.Ours(load("balanced"), "balanced"),
    "accurate": complaints.Ours(load("accurate"), "accurate"),
    "unigram": complaints.Ours(load("fast", decoder="unigram"), "fast", "unigram"),
}


@pytest.fixture(params=SYSTEMS)
def ours(request: pytest.FixtureRequest) -> complaints.Ours:
    return SYSTEMS[str(request.param)]


def test_family_1_user_words_take_effect_whatever_is_in_them(ours: complaints.Ours) -> None:
    assert complaints.user_words_take_effect(ours) == []


def test_family_2_index_and_query_agree(ours: complaints.Ours) -> None:
    assert complaints.index_and_query_agree(ours) == []


def test_family_4_nothing_is_lost(ours: complaints.Ours) -> None:
    assert complaints.nothing_is_lost(ours) == []


def test_family_6_dictionaries_leave_each_other_alone(ours: complaints.Ours) -> None:
    assert complaints.dictionaries_leave_each_other_alone(ours) == []


def test_family_7_it_goes_to_other_processes(ours: complaints.Ours) -> None:
    assert complaints.it_goes_to_other_processes(ours) == []


def test_family_9_typed_atoms_stay_whole_or_come_apart(ours: complaints.Ours) -> None:
    assert complaints.typed_atoms_stay_whole_or_come_apart(ours) == []


def test_the_questions_can_fail() -> None:
    class Forgetful(complaints.Ours):
        def with_words(self, words: object) -> complaints.Ours:
            return self

        def without(self, words: object) -> complaints.Ours:
            return self

        def pickled(self) -> bytes:
            return super().pickled() + bytes(2000)

        def spans(self, text: str) -> list[tuple[int, int]]:
            return [(0, len(text))]

    system = Forgetful(load("fast"))
    assert len(complaints.user_words_take_effect(system)) > 7
    assert len(complaints.nothing_is_lost(system)) > 5
    assert complaints.dictionaries_leave_each_other_alone(system)
    assert complaints.it_goes_to_other_processes(system)

    class Splitting(complaints.Ours):
        def with_rule(self, rule: str, setting: str) -> complaints.Ours:
            return self

    class Coarse(complaints.Ours):
        def index(self, text: str) -> list[tuple[str, int, int]]:
            return [(t.text, t.start, t.end) for t in self.segmenter.tokenize(text)]

    assert complaints.index_and_query_agree(Coarse(load("fast")))

    plain = Splitting(load("fast", atoms=Atoms.none()))
    assert len(complaints.typed_atoms_stay_whole_or_come_apart(plain)) > 5
