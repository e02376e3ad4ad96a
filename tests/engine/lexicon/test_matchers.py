"""Four matchers, the same words: against a naive search, against each other, link by link."""

from __future__ import annotations

import copy
import pickle
import random
from array import array
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter.choices import LATTICE, MATCHERS
from segmenter.columns import cut_column
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError
from segmenter.kernels import _lexicon, _tokens
from segmenter.lexicon import Lexicon, builder
from segmenter.lexicon.matchers import (
    Matcher,
    PyAhoCorasickMatcher,
    make,
    matches,
)
from segmenter.text import chars

# Characters of words, one or two of every class; 𠀀 and the variation selector are astral.
LETTERS = "的确实在理abc1２一十年月·カд́😀𠀀\U000e0100國"
# Characters of texts: those, their other forms, and characters that no word holds.
TEXT = LETTERS + "ＡbＣ12０二百万日第点・，,.%‰-/:： 　\t\n\r\f他ひ한ΩяÀß"
TEXT += "\u200d\u0300\ufe0f\ud800\udfff\0\U0010ffff🏽"


@cache
def lexicon(seed: int) -> Lexicon:
    """Random words that overlap and nest, few distinct counts so that paths tie; long ones."""
    rng = random.Random(seed)
    letters = rng.sample(LETTERS, rng.randint(2, len(LETTERS)))
    words: dict[str, int] = {}
    for _ in range(rng.choice((3, 30, 300))):
        length = rng.choice((1, 1, 2, 2, 2, 3, 4, 5, 6, 8))
        words["".join(rng.choices(letters, k=length))] = rng.choice((1, 2, 2, 8))
    for period in (1, 2, 3):
        unit = "".join(rng.choices(letters, k=period))
        for length in rng.sample(range(1, 41), 4):
            words[(unit * 40)[:length]] = rng.choice((1, 2, 4))
    pairs = [(a, b, 2) for a, b in zip(list(words), list(words)[1:], strict=False)]
    profile = "jieba" if seed % 5 == 4 else "default"
    rows = [(w, c, "n") for w, c in words.items()]
    return Lexicon.build(rows, bigrams=pairs, trigrams=[], profile=profile, name=f"<seed {seed}>")


SEEDS = range(10)


@cache
def matcher(name: str, seed: int) -> Matcher:
    return make(name, lexicon(seed))


@cache
def segmenter(name: str, seed: int, decoder: str = "unigram") -> Segmenter:
    kind: str | Matcher = name if name == "double-array" else matcher(name, seed)
    return Segmenter(lexicon(seed), decoder=decoder, matcher=kind)


def naive(lex: Lexicon, text: str) -> list[tuple[int, int, int]]:
    """Every span of folded text that is a word, looked up in a dict: no kernel takes part."""
    folded = text if lex.meta["profile"] == "jieba" else chars.fold_str(text)
    number = {word: k for k, word in enumerate(lex.words())}
    longest = max(map(len, number))
    return [
        (i, j, number[folded[i:j]])
        for i in range(len(text))
        for j in range(i + 1, min(len(text), i + longest) + 1)
        if folded[i:j] in number
    ]


def triples(matches: object) -> list[tuple[int, int, int]]:
    flat = memoryview(matches).cast("B").cast("I").tolist()  # type: ignore[arg-type]
    return list(zip(flat[::3], flat[1::3], flat[2::3], strict=True))


def check_equal(text: str, seed: int, decoder: str = "unigram") -> None:
    """All matchers find what the naive search finds; DAG and boundaries are those of the trie."""
    expected = naive(lexicon(seed), text)
    plain = segmenter("double-array", seed, decoder)
    for name in MATCHERS:
        assert triples(matcher(name, seed).find(text)) == expected, name
        if name != "double-array":
            segmenter_of_matcher = segmenter(name, seed, decoder)
            assert _tokens.dag(segmenter_of_matcher._engine, text) == _tokens.dag(
                plain._engine, text
            ), name
            assert segmenter_of_matcher.cut(text) == plain.cut(text), name
            assert segmenter_of_matcher.ends(text).tolist() == plain.ends(text).tolist(), name


texts = st.text(alphabet=st.sampled_from(TEXT), max_size=60)
anything = st.text(
    st.one_of(st.sampled_from(TEXT), st.characters(), st.characters(categories=["Cs", "Mn"]))
)


@settings(max_examples=250, deadline=None)
@given(texts, st.sampled_from(SEEDS))
def test_same_words_and_cuts_on_lexicon_characters(text: str, seed: int) -> None:
    check_equal(text, seed)


@settings(max_examples=150, deadline=None)
@given(anything, st.sampled_from(SEEDS))
def test_same_words_and_cuts_on_any_characters(text: str, seed: int) -> None:
    check_equal(text, seed)


@pytest.mark.parametrize("decoder", LATTICE)
def test_same_cuts_by_every_decoder(decoder: str) -> None:
    rng = random.Random(7)
    for seed in SEEDS:
        for _ in range(6):
            words = rng.choices(lexicon(seed).words(), k=rng.randint(0, 12))
            text = "".join(w if rng.random() < 0.8 else rng.choice(TEXT) for w in words)
            expected = segmenter("double-array", seed, decoder)
            for name in MATCHERS[1:]:
                actual = segmenter(name, seed, decoder)
                assert actual.cut(text) == expected.cut(text), (name, text)
                if not decoder.endswith("-max"):
                    assert actual.nbest(text, 5) == expected.nbest(text, 5), (name, text)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_words_and_cuts_on_long_texts(seed: int) -> None:
    # several blocks of the lattice; words lie across their ends
    rng = random.Random(seed + 100)
    words = lexicon(seed).words()
    text = ""
    while len(text) < 3500:
        text += rng.choice(words) if rng.random() < 0.7 else rng.choice(TEXT)
    check_equal(text, seed)
    check_equal(text, seed, "bigram")


def test_one_character_over_and_over() -> None:
    # 40 words end at every character
    lex = Lexicon.build([("的" * n, n, "") for n in range(1, 41)])
    text = "的" * 2000
    spans = [triples(make(name, lex).find(text)) for name in MATCHERS]
    assert len(spans[0]) == 2000 * 40 - sum(range(40))
    assert spans == [naive(lex, text)] * 4
    segmenter = Segmenter(lex)
    for name in MATCHERS[1:]:
        assert _tokens.dag(Segmenter(lex, matcher=name)._engine, text) == _tokens.dag(
            segmenter._engine, text
        )


def test_ties_are_broken_alike() -> None:
    lex = Lexicon.build([(w, 1, "") for w in ("甲", "乙", "丙", "甲乙", "乙丙")])
    text = "甲乙丙" * 500
    cuts = [Segmenter(lex, matcher=name).cut(text) for name in MATCHERS]
    assert cuts == [["甲", "乙丙"] * 500] * 4  # from the right, the longer word wins


def test_ushers() -> None:
    lex = Lexicon.build([(w, 1, "") for w in ("he", "she", "his", "hers")])
    for name in MATCHERS:
        spans = matches(make(name, lex), "ushers")
        assert spans == [(1, 4, "she"), (2, 4, "he"), (2, 6, "hers")], name


def test_shared_strings_of_two_engines_do_not_mix() -> None:
    # both engines keep one str a word, one by slot of the trie, the other by word number
    seed = 1
    text = "".join(lexicon(seed).words()) * 2
    lex = Lexicon.from_bytes(lexicon(seed).to_bytes())
    first, second = Segmenter(lex), Segmenter(lex, matcher="aho-corasick")
    for _ in range(3):
        for s in (first, second):
            assert "".join(s.cut(text)) == text
            ends = s.ends(text).tolist()
            assert s.cut(text) == [text[a:b] for a, b in zip([0, *ends], ends, strict=False)]


@pytest.mark.parametrize("name", MATCHERS)
def test_bytes_batches_files_and_pickles(name: str) -> None:
    seed = 2
    lines = ["".join(random.Random(k).choices(lexicon(seed).words(), k=9)) for k in range(20)]
    lines = [line for line in lines if line.isprintable()]
    first, second = Segmenter(lexicon(seed)), Segmenter(lexicon(seed), matcher=name)
    assert second.cut_batch(lines, threads=2) == first.cut_batch(lines)
    joined = "\n".join(lines).encode()
    assert second.cut_bytes(joined) == first.cut_bytes(joined)
    restored = pickle.loads(pickle.dumps(second))
    assert (restored.cut(lines[0]), restored.fingerprint) == (
        first.cut(lines[0]),
        first.fingerprint,
    )
    assert copy.deepcopy(second) is second


# --- pyahocorasick, which can change -------------------------------------------------------------


def test_words_go_out_and_come_back() -> None:
    lex = Lexicon.build([("北京", 1, ""), ("北京大学", 1, ""), ("大学", 1, "")])
    changing = PyAhoCorasickMatcher(lex)
    segmenter = Segmenter(lex, matcher=changing)
    assert segmenter.cut("北京大学") == ["北京大学"]
    key = lex.native.encode("北京大学")
    changing.automaton.remove_word(key)
    changing.automaton.make_automaton()
    assert segmenter.cut("北京大学") == ["北京", "大学"]
    changing.automaton.add_word(key, lex.number("北京大学"))
    changing.automaton.make_automaton()
    assert segmenter.cut("北京大学") == ["北京大学"]


# --- doors ---------------------------------------------------------------------------------------


def test_names_and_types_are_checked() -> None:
    with pytest.raises(ArgumentError, match="'trie' is not one of double-array, aho-corasick"):
        make("trie", lexicon(0))
    with pytest.raises(TypeError, match="name must be str, not int"):
        make(1, lexicon(0))  # type: ignore[arg-type]
    for name in MATCHERS:
        for value in (b"text", None, ["text"]):
            with pytest.raises(TypeError, match="text"):
                matcher(name, 0).find(value)  # type: ignore[arg-type]
        assert bytes(matcher(name, 0).find("")) == b""
        assert matcher(name, 0).name == name


@pytest.mark.parametrize(
    "found",
    [
        (0, 9, 0),  # past the end
        (1, 1, 0),  # empty
        (2, 1, 0),  # ends before it starts
        (1, 2, 0, 0, 1, 0),  # out of order
        (0, 1, 1 << 24),  # no such word
    ],
)
def test_wrong_answers_of_a_foreign_matcher_are_refused(found: tuple[int, ...]) -> None:
    class Foreign:
        name = "double-array"

        def find(self, text: str) -> array[int]:
            return array("I", found)

    foreign = Segmenter(lexicon(0), matcher=Foreign())
    with pytest.raises(ValueError, match="its matches are out of order or out of range"):
        foreign.cut("的确")


def test_an_exception_of_a_matcher_leaves_every_call() -> None:
    class Failing:
        name = "double-array"

        def find(self, text: str) -> array[int]:
            raise LookupError(f"{len(text)} characters")

    failing = Segmenter(lexicon(0), matcher=Failing())
    text = "的确实" * 10_000  # decoded without the interpreter's lock
    for part in (text[:3], text):
        n = f"^{len(part)} characters$"
        for call in (failing.cut, failing.ends, failing.tokenize, failing.dag):
            with pytest.raises(LookupError, match=n):
                call(part)
        with pytest.raises(LookupError, match=n):
            failing.cut_bytes(part.encode(), threads=2)
        with pytest.raises(LookupError, match="characters"):
            failing.cut_batch([part] * 9, threads=3)
        with pytest.raises(LookupError, match=n):
            cut_column(failing, part.encode(), np.array([0, len(part.encode())]), None)
    with pytest.raises(LookupError):
        failing.nbest(text[:3], 2)


# --- what the compiled lexicon says of itself ----------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_words_costs_and_numbers_agree(seed: int) -> None:
    lex = lexicon(seed)
    words = lex.words()
    assert len(words) == len(set(words)) == len(lex)
    assert [lex.number(w) for w in words] == list(range(len(lex)))
    costs = lex.native.word_costs().tolist()
    peak = max(lex.count(w) for w in words)
    top = {w for w in words if lex.count(w) == peak}
    assert {w for w, c in zip(words, costs, strict=True) if c == min(costs)} == top
    assert [lex.cost(w) for w in words] == costs
    encoded = lex.native.encoded_items()
    assert encoded == [lex.native.encode(w) for w in words]
    assert max(map(max, encoded)) < "\u8000"


def test_words_of_lone_surrogates_and_of_the_last_code_points() -> None:
    rows = ["\ud800", "\ud800\udfff", "葛\U000e0100", "\U0010ffff\U0010ffff", "\0\0"]
    lex = Lexicon.build([(w, 1, "") for w in rows])
    assert sorted(lex.words()) == sorted(rows)
    text = "".join(rows) * 2
    expected = naive(lex, text)
    assert expected
    for name in MATCHERS:
        assert triples(make(name, lex).find(text)) == expected


@given(anything)
def test_folding_is_that_of_the_character_table(text: str) -> None:
    lex = lexicon(0)
    letters = set("".join(lex.words()))
    got = lex.native.fold(text)
    assert len(got) == len(text)
    for raw, folded, folded_text in zip(text, got, chars.fold_str(text), strict=True):
        assert folded == folded_text or (folded == raw and folded_text not in letters)


def test_weights_of_characters_count_a_word_once() -> None:
    merged = {"的的": (2.0, ""), "的确": (1.0, ""), "𠀀": (0.0, ""), "\ud800a": (3.5, "")}
    expected: dict[str, float] = {}
    for word, (count, _) in merged.items():
        for c in sorted(set(word)):
            expected[c] = expected.get(c, 0.0) + (count + 0.01)
    assert builder.char_weights(merged) == expected


def test_a_trie_too_large_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = _lexicon.build_trie

    def full(*arguments: Any) -> object:
        *columns, _, cost = arguments  # with so many character ids that no slot is left
        return real(*columns, 1 << 24, cost)

    monkeypatch.setattr(_lexicon, "build_trie", full)
    with pytest.raises(ArgumentError, match=r"entries: 1 words .*16,777,216.*leave"):
        Lexicon.build([("的", 1, "")])


def test_too_many_characters_say_so() -> None:
    rows = [(chr(0x20000 + k), 1, "") for k in range(0x8000)]
    with pytest.raises(ArgumentError, match=r"entries: .* distinct characters.*32,767"):
        Lexicon.build(rows)
