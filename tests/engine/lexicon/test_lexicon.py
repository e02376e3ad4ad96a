"""Lexicons: what goes in comes out, the same bytes every time, and faults are named."""

from __future__ import annotations

import random
import re
import struct
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st

from segmenter import ArgumentError, ArtifactError, Segmenter, artifact
from segmenter.kernels import _models
from segmenter.lexicon import Lexicon
from segmenter.lexicon.builder import Entry
from segmenter.text import chars

if TYPE_CHECKING:
    from pathlib import Path

    from segmenter.choices import Decoder

WORD = st.text("日月人民的中a1Ｂ ，\u0301𠀀龘", min_size=1, max_size=7)


@settings(max_examples=40)
@given(st.dictionaries(WORD, st.integers(0, 9999), max_size=60))
def test_round_trip(counts: dict[str, int]) -> None:
    counts["日"] = 5
    lexicon = Lexicon.build([(w, n, f"t{n % 5}") for w, n in counts.items()])
    merged: dict[str, int] = {}
    for word, n in counts.items():
        merged[chars.fold_str(word)] = merged.get(chars.fold_str(word), 0) + n
    assert sorted(lexicon.words()) == sorted(merged)
    assert len(lexicon) == len(merged)
    # counts are told from costs: exact up to 200, beyond that to one part in 2,000
    about = {w: pytest.approx(n, rel=1 / 2000 if n > 200 else 0) for w, n in merged.items()}
    assert {e.word: e.count for e in lexicon} == about
    for number, word in enumerate(lexicon.words()):
        assert lexicon.number(word) == number
        assert word in lexicon
        assert lexicon.count(word) == about[word]
    for word in counts:
        assert word in lexicon  # look-ups fold
        assert word[:-1] in lexicon or chars.fold_str(word[:-1]) not in merged
        for unlisted in (word + "月", word + "\x00", "民" + word, word[1:]):
            assert (unlisted in lexicon) == (chars.fold_str(unlisted) in merged)
    # ranks are the words below a slot: costs by number are the costs by word
    costs = lexicon.native.word_costs()
    assert [lexicon.cost(w) for w in lexicon.words()] == list(costs)


def test_a_large_random_lexicon() -> None:
    rng = random.Random(5)
    letters = [chr(0x4E00 + i) for i in range(4000)] + ["𠀀", "𠀁", "a", "1", "，"]
    counts = {
        "".join(rng.choices(letters, k=min(9, 1 + int(rng.expovariate(0.6))))): rng.randint(0, 99)
        for _ in range(30_000)
    }
    lexicon = Lexicon.build([(w, n, "") for w, n in counts.items()], fold_variants=False)
    lexicon = Lexicon(lexicon.artifact, variants=False)
    assert sorted(lexicon.words()) == sorted(counts)
    assert all(lexicon.count(w) == n for w, n in counts.items())
    for _ in range(20_000):
        word = "".join(rng.choices(letters, k=rng.randint(1, 4)))
        assert (word in lexicon) == (word in counts)


def test_same_input_same_bytes_in_any_order() -> None:
    first = worlds.lexicon().to_bytes()
    entries = [(w, n, "x") for w, n in worlds.COUNTS.items()]
    random.Random(1).shuffle(entries)
    rebuilt = Lexicon.build(
        entries,
        kinds=worlds.KINDS,
        bigrams=reversed(worlds.BIGRAMS),
        trigrams=reversed(worlds.TRIGRAMS),
        unknown=worlds.UNKNOWN,
    )
    assert rebuilt.to_bytes() == first


def test_save_and_open(tmp_path: Path) -> None:
    lexicon = worlds.lexicon()
    lexicon.save(tmp_path / "a.lex")
    opened = Lexicon.open(tmp_path / "a.lex")
    assert opened.digest == lexicon.digest
    assert opened.to_bytes() == lexicon.to_bytes() == (tmp_path / "a.lex").read_bytes()
    assert opened.words() == lexicon.words()
    assert opened.meta["words"] == len(lexicon)
    assert Segmenter(opened, decoder="trigram").cut(worlds.GOLDEN) == Segmenter(
        lexicon, decoder="trigram"
    ).cut(worlds.GOLDEN)


def test_equal_words_merge() -> None:
    lexicon = Lexicon.build([("Ｔ恤", 3, "a"), ("t恤", 5, "b"), ("T恤", 1, "c")])
    assert lexicon.words() == ["t恤"]
    assert lexicon.count("T恤") == 9
    assert lexicon.tag("t恤") == "b"  # of the largest count
    assert list(lexicon) == [Entry("t恤", 9.0, "b")]


@pytest.mark.parametrize(
    ("entries", "options", "message"),
    [
        ([], {}, "no words"),
        ([("", 1, "")], {}, "an empty word"),
        ([("在", -1, "")], {}, "count -1 of '在'"),
        ([("在", 0, "")], {}, "the counts sum to 0"),
        ([("在", 1, "")], {"total": 0.0}, "the counts sum to 0"),
        ([("在", float("nan"), "")], {}, "count nan"),
        ([("在", float("inf"), "")], {}, "count inf"),
        ([("在", 1, "")], {"kinds": {"<xyz>": 1}}, "'<xyz>'"),
        ([("在", 1, "")], {"profile": "pkuseg"}, "profile: 'pkuseg'"),
        ([("在", 1, "")], {"bigrams": [("在", "在", 1)], "discount": 1.0}, "discount"),
        ([("在", 1, "")], {"bigrams": [("在", "在", -1)]}, "bigrams: count -1 of '在 在'"),
        ([("在", 1, "")], {"bigrams": [("在", "在", float("nan"))]}, "bigrams: count nan"),
        ([("在", 1, "")], {"bigrams": [("在", "在", 1e308)] * 2}, "bigrams: the sum"),
        ([(chr(0x4E00 + i % 20000) + "在", 1, f"t{i}") for i in range(300)], {}, "tags"),
        ([(chr(0x20000 + i), 1, "") for i in range(33000)], {}, "distinct characters"),
    ],
)
def test_faults_are_named(entries: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Lexicon.build(entries, **options)


@pytest.mark.parametrize("count", [0, 5e-324])
def test_a_pair_that_was_hardly_seen_changes_nothing(count: float) -> None:
    entries = [("研究", 3, ""), ("生命", 2, ""), ("研究生", 2, ""), ("命", 1, "")]
    with_it = Lexicon.build(entries, bigrams=[("研究", "生命", count), ("研究生", "命", count)])
    decoder: Decoder = "bigram" if count else "unigram"
    got = Segmenter(with_it, decoder=decoder).cut("研究生命")
    assert got == Segmenter(Lexicon.build(entries)).cut("研究生命")
    with pytest.raises(ArgumentError) if not count else nullcontext():
        Segmenter(with_it, decoder="bigram")


def test_wrong_types() -> None:
    lexicon = worlds.lexicon()
    for method in (lexicon.number, lexicon.count, lexicon.tag, lexicon.cost):
        with pytest.raises(TypeError, match="word must be str"):
            method(b"x")  # type: ignore[operator]
    assert b"x" not in lexicon
    assert None not in lexicon
    assert "" not in lexicon
    assert lexicon.number("") == lexicon.cost("") == -1
    assert lexicon.count("没有") == 0.0
    assert lexicon.tag("没有") == ""


def test_sections_that_do_not_fit_are_refused() -> None:
    lexicon = worlds.lexicon()
    sections = {n: bytes(lexicon.artifact.section(n)) for n in lexicon.artifact.names()}
    params = list(struct.unpack("<45I", sections["params"]))
    changes = {
        "params": sections["params"][:-4],
        "charmap.bmp": sections["charmap.bmp"][:-2],
        "charmap.pages": b"",
        "words.terminal": sections["words.terminal"][:8],
        "words.rank": sections["words.rank"] + bytes(4),
        "words.tags": sections["words.tags"] + b"\0",
        "trie.filter": sections["trie.filter"] + bytes(4),
        "trie.units": sections["trie.units"][:16],
    }
    for name, data in changes.items():
        packed = artifact.pack("lexicon", {**sections, name: data}, lexicon.artifact.meta)
        with pytest.raises(ArtifactError, match=r"bad\.lex: its "):
            Lexicon.from_bytes(packed, "bad.lex")
    params[4] += 1  # one word more than there are columns for
    packed = artifact.pack(
        "lexicon", {**sections, "params": struct.pack("<45I", *params)}, lexicon.artifact.meta
    )
    with pytest.raises(ArtifactError, match="the number of words differs"):
        Lexicon.from_bytes(packed, "bad.lex")
    remaining = {n: s for n, s in sections.items() if n != "trie.units"}
    with pytest.raises(ArtifactError, match=r"bad\.lex: has no section 'trie\.units'"):
        Lexicon.from_bytes(artifact.pack("lexicon", remaining, {}), "bad.lex")


def test_an_ngram_model_of_another_lexicon_is_refused() -> None:
    small = Lexicon.build([("在", 1, "")])
    lexicon = worlds.lexicon()
    sections = {n: lexicon.artifact.section(n) for n in lexicon.artifact.names() if "ngram" in n}
    with pytest.raises(ValueError, match="do not fit"):
        _models.NgramModel(sections, small.native)


def test_costs_are_minus_log_p() -> None:
    lexicon = Lexicon.build([("在", 50, ""), ("理", 25, ""), ("在理", 25, "")])
    assert [lexicon.cost(w) for w in ("在", "理", "在理")] == [1420, 2839, 2839]
    assert Segmenter(lexicon).tokenize("在理")[0].score == pytest.approx(-1.386, abs=1e-3)
    with_total = Lexicon.build([("在", 50, "")], total=5000)
    assert with_total.cost("在") == round(4.605170186 * 2048)


def test_bigram_history_totals() -> None:
    """A row (v, "<any>", total) makes v's kept successors rarer, never more frequent."""
    entries = [("甲", 5, ""), ("乙", 5, ""), ("丙", 5, "")]
    plain = Lexicon.build(entries, bigrams=[("甲", "乙", 4)])
    pruned = Lexicon.build(entries, bigrams=[("甲", "乙", 4), ("甲", "<any>", 40)])
    scores = [Segmenter(x, decoder="bigram").nbest("甲乙", 1)[0][1] for x in (plain, pruned)]
    assert scores[1] < scores[0] - 0.5


@pytest.mark.parametrize(
    ("entries", "error", "message"),
    [
        (5, TypeError, "entries must be an iterable of (word, count, tag), not int"),
        ("的确", TypeError, "entries must be an iterable of (word, count, tag), not str"),
        (["的确"], TypeError, "entries: an item must be (word, count, tag), not str"),
        ([("的确",)], ArgumentError, "entries: ('的确',) has 1 fields, not (word, count, tag)"),
        ([(5, 1.0)], TypeError, "entries: a word must be str, not int"),
        ([("的确", "5")], TypeError, "entries: the count of '的确' must be a number, not str"),
        ([("的确", True)], TypeError, "entries: the count of '的确' must be a number, not bool"),
        ([("的确", 10**400)], ArgumentError, "entries: the count of '的确' is too large"),
        ([("的确", 1.0, 5)], TypeError, "entries: the tag of '的确' must be str, not int"),
    ],
)
def test_build_names_what_is_wrong(entries: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        Lexicon.build(entries)


def test_a_nul_in_a_path_is_named() -> None:
    with pytest.raises(ArgumentError, match=r"^path: 'a\\x00b' contains a NUL character"):
        Lexicon.build([("的确", 1.0)]).save("a\0b")
    with pytest.raises(ArtifactError, match=r"no path can contain a NUL; give a path"):
        Lexicon.open("a\0b")
