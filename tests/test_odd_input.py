"""Odd texts and settings: a line's start, atoms that are split, work that must stay linear."""

from __future__ import annotations

import random

import pytest
import test_atoms
import worlds
from test_properties import check_everything

from segmenter import load
from segmenter.atoms import NAMES
from segmenter.engine import DECODERS

# --- a line's start is a text's start ----------------------------------------------------------

GREEDY = {"p": "[^ ]{3}", "q": r"\w+", "r": r"\W+"}
MARKS = ["\ufe0f", "\u0301", "\u200d", "\u3099", "\U000e0100"]


@pytest.mark.parametrize("mark", MARKS)
def test_a_pattern_sees_a_line_as_it_sees_a_text(mark: str) -> None:
    s = load("fast", atoms={"patterns": {"p": "[^ ]{3}"}})
    line = mark + "甲乙"
    assert s.cut(line) == [line]
    assert s.cut("丙\n" + line) == ["丙", "\n", line]
    for threads in (1, 2):
        assert s.cut_bytes(f"丙\n{line}\n".encode(), b"|", threads) == f"丙\n{line}\n".encode()


@pytest.mark.parametrize("decoder", DECODERS)
def test_every_entry_point_agrees_on_lines_that_begin_with_a_mark(decoder: str) -> None:
    pick = random.Random(decoder)
    pieces = [*test_atoms.PIECES, *worlds.PIECES, *("\n" + mark for mark in MARKS)]
    for _ in range(6):
        some = dict(pick.choices(list(GREEDY.items()), k=pick.randint(1, 3)))
        rules = {n: pick.choice(["keep", "split"]) for n in NAMES[:-1] if pick.random() < 0.5}
        s = load("fast", decoder=decoder, atoms={**rules, "patterns": some})
        for _ in range(12):
            check_everything(s, "".join(pick.choices(pieces, k=12)))
