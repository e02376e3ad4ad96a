"""Lexicons whose words are in a marisa-trie: the same words and boundaries as of a double array."""

from __future__ import annotations

import pickle
import random
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import segmenter as seg
from segmenter import artifact
from segmenter.choices import LATTICE
from segmenter.core import Segmenter
from segmenter.errors import ArgumentError, ArtifactError
from segmenter.lexicon import Lexicon
from segmenter.lexicon.marisa import MarisaTrie
from segmenter.text import variants

if TYPE_CHECKING:
    from pathlib import Path

# characters of several readings, what they are read as, variants, classes that form runs
LETTERS = "乾干坤淨净燥著着名後后天餘余生畫画划計计國国的确在理abc1２十年月·\u0301😀𠀀"
TEXT = LETTERS + "ＡＢ百第日點点，。 \n\r他\ud800\0の"


@cache
def pair(seed: int) -> tuple[Lexicon, Lexicon]:
    """The same random words in a double array and in a marisa-trie."""
    rng = random.Random(seed)
    letters = rng.sample(LETTERS, rng.randint(4, len(LETTERS)))
    words: dict[str, int] = {}
    for _ in range(rng.choice((5, 50, 400))):
        length = rng.choice((1, 1, 2, 2, 2, 3, 4, 7))
        words["".join(rng.choices(letters, k=length))] = rng.choice((1, 2, 2, 8))
    words["的" * 30] = 1
    rows = [(w, c, rng.choice("nv")) for w, c in words.items()]
    options: dict[str, Any] = {
        "bigrams": [(a, b, 2) for a, b in zip(list(words), list(words)[1:], strict=False)],
        "profile": "jieba" if seed % 5 == 4 else "default",
    }
    lexicon = Lexicon.build(rows, **options)
    return lexicon, Lexicon.build(rows, matcher="marisa", **options)


SEEDS = range(10)
texts = st.text(alphabet=st.sampled_from(TEXT), max_size=60)


def edges(s: Segmenter, text: str) -> list[tuple[int, int, int, str]]:
    return [(e.start, e.end, e.cost, e.kind) for e in s.dag(text).edges]


def check_equal(text: str, seed: int, decoder: str = "unigram") -> None:
    first, two = (Segmenter(lexicon, decoder=decoder) for lexicon in pair(seed))
    assert (
        first.matcher if isinstance(first.matcher, str) else first.matcher.name
    ) == "double-array"
    assert not isinstance(two.matcher, str)
    assert two.matcher.name == "marisa"
    assert edges(two, text) == edges(first, text)
    assert two.cut(text) == first.cut(text)
    assert two.ends(text).tolist() == first.ends(text).tolist()
    a, b = first.cut_all(text), two.cut_all(text)
    assert (a.spans, a.words) == (b.spans, b.words)
    assert [t.tag for t in a] == [t.tag for t in b]
    assert two.cut_for_search(text) == first.cut_for_search(text)


@settings(max_examples=300, deadline=None)
@given(texts, st.sampled_from(SEEDS))
def test_same_words_and_cuts(text: str, seed: int) -> None:
    check_equal(text, seed)


@settings(max_examples=60, deadline=None)
@given(st.text(), st.sampled_from(SEEDS), st.sampled_from(LATTICE))
def test_same_cuts_on_any_text_by_every_decoder(text: str, seed: int, decoder: str) -> None:
    check_equal(text, seed, decoder)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_words_on_long_texts(seed: int) -> None:
    rng = random.Random(seed + 100)
    words = pair(seed)[0].words()
    parts = (rng.choice(words if rng.random() < 0.7 else TEXT) for _ in range(800))
    check_equal("".join(parts), seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_counts_tags_and_numbers(seed: int) -> None:
    first, second = pair(seed)
    words = second.words()
    assert sorted(words) == sorted(first.words())
    assert len(second) == len(first)
    # by itself a word may be read as another one or as none: 乾 as 干, if that is in a longer word
    numbers = {w: second.number(w) for w in words}
    listed = [w for w in words if numbers[w] >= 0]
    assert listed == [w for w in words if w in first]
    assert [words[numbers[w]] for w in listed] == [first.words()[first.number(w)] for w in listed]
    assert [(second.count(w), second.cost(w), second.tag(w)) for w in words] == [
        (first.count(w), first.cost(w), first.tag(w)) for w in words
    ]
    assert sorted(second) == sorted(first)
    for absent in ("", "不在", "的" * 31, "\0"):
        assert absent not in second
        assert (second.number(absent), second.cost(absent), second.count(absent)) == (-1, -1, 0.0)
    assert second.meta["matcher"] == "marisa"
    assert "matcher" not in first.meta


def test_a_reading_is_chosen_by_its_words() -> None:
    rows = [(w, 5, "") for w in ("乾坤", "干净", "计划", "画家", "了")]
    s = Segmenter(Lexicon.build(rows, matcher="marisa"))
    assert s.cut("乾坤乾淨了") == ["乾坤", "乾淨", "了"]
    assert s.cut("計畫畫家") == ["計畫", "畫家"]
    assert "計畫" in s.lexicon
    off = Segmenter(Lexicon(s.lexicon.artifact, variants=False))
    assert off.cut("計畫畫家") == list("計畫畫家")
    assert variants.fold_str("計") == "计"


def test_bytes_batches_user_words_and_pickles(tmp_path: Path) -> None:
    first, second = map(Segmenter, pair(3))
    lines = ["".join(random.Random(k).choices(LETTERS, k=30)) for k in range(12)]
    lines = [line for line in lines if line.isprintable()]
    raw = "\n".join(lines).encode()
    assert second.cut_bytes(raw) == first.cut_bytes(raw)
    assert second.cut_batch(lines, threads=2) == first.cut_batch(lines)
    mine = [("乾理", "force"), ("在着", 50), ("的确", "delete")]
    for line in lines:
        assert second.with_words(mine).cut(line) == first.with_words(mine).cut(line)
        assert second.nbest(line, 3) == first.nbest(line, 3)
    path = tmp_path / "words.lex"
    second.lexicon.save(path)
    loaded = seg.load(path)
    assert loaded.cut_batch(lines) == first.cut_batch(lines)
    restored = pickle.loads(pickle.dumps(loaded))
    assert restored.cut_batch(lines) == first.cut_batch(lines)
    assert restored.fingerprint == loaded.fingerprint == second.fingerprint
    assert len(pickle.dumps(loaded)) < 1024
    assert [r["cost"] for r in loaded.explain(lines[0]).rows] == [
        r["cost"] for r in first.explain(lines[0]).rows
    ]


def test_equal_words_give_equal_bytes() -> None:
    rows = [("的确", 3, ""), ("的", 2, ""), ("确", 1, "")]
    first = Lexicon.build(rows, matcher="marisa")
    assert first.to_bytes() == Lexicon.build(rows[::-1], matcher="marisa").to_bytes()
    assert Lexicon.from_bytes(first.to_bytes()).words() == first.words()


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(ArgumentError, match="matcher: 'trie' is not one of double-array, marisa"):
        Lexicon.build([("的", 1, "")], matcher="trie")
    lexicon = Lexicon.build([("的", 1, "")], matcher="marisa", name="big.lex")
    for name in ("double-array", "aho-corasick", "pyahocorasick"):
        with pytest.raises(ArgumentError, match=r"needs a double array, and big\.lex was built"):
            Segmenter(lexicon, matcher=name)
    assert Segmenter(lexicon, matcher="marisa").cut("的的") == ["的", "的"]


def test_damaged_sections_are_refused() -> None:
    lexicon = Lexicon.build([("的确", 1, ""), ("在", 1, "")], matcher="marisa")
    art = lexicon.artifact
    good = {name: bytes(art.section(name)) for name in art.names()}
    for name, bad in [
        ("marisa.trie", b"no trie"),
        ("marisa.trie", bytes(MarisaTrie.build(["\1"]).sections()[0])),
        ("marisa.reach", bytes(2)),
        ("words.costs", bytes(2)),
        ("words.tags", bytes(1)),
    ]:
        raw = artifact.pack("lexicon", {**good, name: bad}, art.meta)
        with pytest.raises(ArtifactError):
            Lexicon.from_bytes(raw)


def test_any_text_is_found_as_by_a_set() -> None:
    rng = random.Random(5)
    words = {"".join(rng.choices("\1\2\3\u4e00\u7fff", k=rng.randint(1, 6))) for _ in range(200)}
    trie = MarisaTrie.build(sorted(words))
    costs = [rng.randrange(5) for _ in words]
    assert set(trie.items()) == words
    for _ in range(50):
        text = "".join(rng.choices("\1\2\3\u4e00\u7fff\0", k=20))
        flat = memoryview(trie.find(text, range(len(trie)))).cast("I").tolist()
        spans = [(a, b) for a, b in zip(flat[::3], flat[1::3], strict=True)]
        assert spans == [(a, b) for a in range(20) for b in range(a + 1, 21) if text[a:b] in words]
        assert [trie.number(text[a:b]) for a, b in spans] == flat[2::3]
        for k in range(20):
            assert trie.longest(text, k, costs) == max(
                (
                    (b - a) << 16 | 0xFFFF - costs[trie.number(text[a:b])]
                    for a, b in spans
                    if a <= k < b and b - a > 1
                ),
                default=0,
            )
