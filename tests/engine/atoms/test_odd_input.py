"""Odd texts and settings: a line's start, atoms that are split, work that must stay linear."""

from __future__ import annotations

import random

import atom_cases
import pytest
import worlds
from promises import check_everything

from segmenter import load
from segmenter.atoms import NAMES
from segmenter.choices import DECODERS

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
    pieces = [*atom_cases.PIECES, *worlds.PIECES, *("\n" + mark for mark in MARKS)]
    for _ in range(6):
        some = dict(pick.choices(list(GREEDY.items()), k=pick.randint(1, 3)))
        names = [n for n in NAMES if n not in ("emoji", "measure")]  # of these one is refused
        rules = {n: pick.choice(["keep", "split"]) for n in names if pick.random() < 0.5}
        s = load("fast", decoder=decoder, atoms={**rules, "patterns": some})
        for _ in range(12):
            check_everything(s, "".join(pick.choices(pieces, k=12)))


@pytest.mark.parametrize("standard", ["general", "pku"])
def test_a_date_stays_whole_at_the_beginning_of_a_text(standard: str) -> None:
    """Of one digit it was whole at the beginning of later lines only."""
    for decoder in ("hmm", "perceptron"):
        s = load("fast", decoder=decoder, standard=standard)
        for line in ("4日Z", "4日", "9月,", "4日的", "1月1日"):
            assert s.cut("\n" + line)[1:] == s.cut(line)
            assert all(len(word) > 1 for word in s.cut(line)[:1])


# --- work that grows with the text alone -------------------------------------------------------

EVERY = dict.fromkeys(NAMES, "model")
OPTIONS: dict[str, dict[str, object]] = {
    f"{name}={setting}": {"atoms": {**EVERY, name: setting}}
    for name in NAMES
    for setting in ("keep", "split")
    if (name, setting) not in (("emoji", "split"), ("measure", "keep"))
}
OPTIONS |= {f"oov={o}": {"oov": o, "skip": ["space", "punct"]} for o in ("keep", "hmm")}
OPTIONS["patterns"] = {"atoms": {"patterns": {"p": r"(1,)*x", "q": r"\w*\W\w"}}}
OPTIONS["user"] = {"user": ["1,", ("a", "force"), ("1", "delete"), ("的", 5.0), "a1"]}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_work_grows_with_the_text_alone(name: str) -> None:
    s = load("fast", decoder="unigram", **OPTIONS[name])  # type: ignore[arg-type]
    for unit in atom_cases.NEVER_ENDING:
        text = (unit * 3000)[:3000]
        single, double = (s._engine.steps(text * n) for n in (1, 2))
        assert double <= 2.2 * single + 2000, (unit, single, double)


@pytest.mark.parametrize("decoder", ["perceptron", "shortest"])
def test_the_work_of_other_decoders_grows_with_the_text_alone(decoder: str) -> None:
    s = load("fast", decoder=decoder)
    for unit in atom_cases.NEVER_ENDING:
        text = (unit * 3000)[:3000]
        single, double = (s._engine.steps(text * n) for n in (1, 2))
        assert double <= 2.2 * single + 2000, (unit, single, double)


def test_a_number_that_is_split_looks_no_further_than_it_goes() -> None:
    s = load("fast", decoder="unigram", atoms={**EVERY, "number": "split"})
    for unit in ("1,", "1,000", "1.5,", "１，"):
        assert s._engine.steps(unit * 8000) < 100 * len(unit) * 8000
    words = "共 1,000.5 万 ， 50 % ， 1 / 2"
    assert s.cut(words.replace(" ", "")) == words.split()
