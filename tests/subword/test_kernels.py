"""Compiled subword models against the same in Python, on random vocabularies and texts."""

from __future__ import annotations

import itertools
import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.expressions import expression_matches

from segmenter.errors import ArgumentError
from segmenter.lattice.steps import result
from segmenter.subword import (
    BPE,
    Unigram,
    WordPiece,
    expressions,
    patterns,
    pretokenise,
    scanning,
)
from segmenter.subword.models.model import BYTE_PIECES, BYTE_TO_CHAR, byte_chars, to_bytes

if TYPE_CHECKING:
    from segmenter.subword import Model

# characters of one to four bytes, some with bytes in common, a lone surrogate, a blank
LETTERS = "ab é#好奾的😀😁\ud800\0"
STRANGERS = "x¿丂𠀀"
WORDS = st.text(st.sampled_from(LETTERS + STRANGERS), min_size=1, max_size=12)
RUNS = st.builds(lambda w, n: w * n, WORDS, st.integers(1, 40))
TEXTS = st.one_of(WORDS, RUNS, st.text(max_size=20))


@st.composite
def merged_vocabularies(
    draw: st.DrawFn, symbols: list[str], join: str = ""
) -> tuple[list[str], list[tuple[str, str]]]:
    """Pieces and merges, each of two pieces before it; ranks in an order of their own."""
    pieces = list(symbols)
    merges: list[tuple[str, str]] = []
    for _ in range(draw(st.integers(0, 25))):
        a, b = draw(st.sampled_from(pieces)), draw(st.sampled_from(pieces))
        if not b.startswith(join) or len(a + b) > 12 or (a, b) in merges:
            continue
        merges.append((a, b))
        merged = a + b[len(join) :]
        if merged not in pieces:
            pieces.append(merged)
    return pieces, draw(st.permutations(merges))


def assert_as_in_python(model: Model, text: str) -> None:
    assert model.kernel is not None
    expected = model.encode(text)
    if isinstance(model, BPE) and not model.ignore_merges and len(text) < 50:
        assert result(model.steps(text)) == expected
    assert [*zip(*model.encode_spans(text, [(0, len(text))]), strict=True)] == expected


def assert_spans(model: Model, text: str) -> None:
    cuts = [0, *(i for i in range(1, len(text)) if (i * 7 + len(text)) % 3 == 0), len(text)]
    spans = [(a, b) for a, b in itertools.pairwise(cuts) if (a + b) % 5]
    assert model.encode_spans(text, spans) == model._encode_spans(text, spans)


@given(merged_vocabularies(list(LETTERS)), TEXTS, st.booleans(), st.booleans(), st.booleans())
def test_bpe_of_characters(
    made: tuple[list[str], list[tuple[str, str]]], text: str, unk: bool, fuse: bool, whole: bool
) -> None:
    pieces = [*made[0], "<unk>"]
    vocab = {piece: 3 * i for i, piece in enumerate(pieces)}
    model = BPE(vocab, made[1], unk="<unk>" if unk else None, fuse_unk=fuse, ignore_merges=whole)
    assert_as_in_python(model, text)
    assert_spans(model, text)


@given(merged_vocabularies(list(LETTERS)), TEXTS)
def test_bpe_with_byte_fallback(made: tuple[list[str], list[tuple[str, str]]], text: str) -> None:
    vocab = {piece: i for i, piece in enumerate([*BYTE_PIECES, *made[0]])}
    assert_as_in_python(BPE(vocab, made[1], byte_fallback=True), text)
    assert_as_in_python(BPE(vocab, made[1], byte_fallback=True), text + "<0x41>")


@given(
    merged_vocabularies(["a", "b", "好", "a</w>", "b</w>", "好</w>", "é</w>"]),
    st.text(st.sampled_from("ab好é<x"), max_size=40),
)
def test_bpe_with_a_suffix(made: tuple[list[str], list[tuple[str, str]]], text: str) -> None:
    vocab = {piece: i for i, piece in enumerate(["?", *made[0]])}
    assert_as_in_python(BPE(vocab, made[1], end_of_word_suffix="</w>", unk="?"), text)


@given(
    merged_vocabularies(["a", "b", "好", "##a", "##b", "##好", "#"], join="##"),
    st.text(st.sampled_from("ab好é#"), max_size=40),
)
def test_bpe_with_a_prefix(made: tuple[list[str], list[tuple[str, str]]], text: str) -> None:
    vocab = {piece: i for i, piece in enumerate(["?", *made[0]])}
    assert_as_in_python(BPE(vocab, made[1], continuing_prefix="##", unk="?"), text)


BYTES = sorted(set(byte_chars(to_bytes(LETTERS))))


@given(merged_vocabularies(BYTES), TEXTS, st.booleans(), st.booleans())
def test_bpe_of_bytes(
    made: tuple[list[str], list[tuple[str, str]]], text: str, all_bytes: bool, whole: bool
) -> None:
    extra = [c for c in BYTE_TO_CHAR.values() if c not in made[0]] if all_bytes else []
    vocab = {piece: i for i, piece in enumerate([*made[0], *extra])}
    model = BPE(vocab, made[1], byte_level=True, ignore_merges=whole)
    assert_as_in_python(model, text)
    assert_spans(model, text)


@given(
    st.dictionaries(
        st.text(st.sampled_from(LETTERS), max_size=5),
        # halves add up exactly: paths of equal score are frequent
        st.integers(-20, 2).map(lambda k: k / 2),
        min_size=1,
        max_size=30,
    ),
    TEXTS,
    st.booleans(),
)
def test_unigram_encodes_as_in_python(scores: dict[str, float], text: str, fuse: bool) -> None:
    pieces = [("<unk>", 0.0), *scores.items()]
    model = Unigram(pieces, 0, fuse_unk=fuse)
    assert_as_in_python(model, text)
    assert_spans(model, text)
    with_bytes = [*pieces, *((p, 0.0) for p in BYTE_PIECES)]
    assert_as_in_python(Unigram(with_bytes, 0, byte_fallback=True), text + "<0x41>")


@given(
    st.lists(st.text(st.sampled_from(LETTERS), min_size=1, max_size=5), max_size=30),
    st.lists(st.text(st.sampled_from(LETTERS), max_size=5), max_size=30),
    TEXTS,
)
def test_wordpiece_encodes_as_in_python(first: list[str], inner: list[str], text: str) -> None:
    pieces = dict.fromkeys(["[UNK]", *first, *("##" + p for p in inner)])
    model = WordPiece({p: i for i, p in enumerate(pieces)}, max_chars=20)
    assert_as_in_python(model, text)
    assert_spans(model, text)


BLANKS = " \t\n\r\x0b\x1c\x85\xa0\u2003\u3000\u200b"
SCANNED_TEXTS = st.text(
    st.one_of(
        st.sampled_from(BLANKS + "'sStTlLvVeEſa好1²Ⅳ,.$_-`\u0301\u200d😀\ud800"), st.characters()
    ),
    max_size=30,
)
STEPS = (
    pretokenise.ByteLevel(),
    pretokenise.Split(patterns.CL100K, "Removed", invert=True),
    pretokenise.Split(patterns.LLAMA3),
    pretokenise.BertPreTokenizer(),
    pretokenise.WhitespaceSplit(),
    pretokenise.Whitespace(),
)


@given(SCANNED_TEXTS, st.sampled_from(STEPS))
def test_compiled_pretokenisers_cut_alike(text: str, step: pretokenise.PreTokeniser) -> None:
    cuts = step.cuts()
    assert cuts is not None
    scanner = scanning.scanner(cuts)
    listed = scanner.spans(text)
    tree = cuts[0].pattern
    if isinstance(tree, str):
        tree = expressions.parse(tree, cuts[0].engine)
    matches = [(a, b) for a, b in expression_matches(tree, text) if a < b]
    assert listed == matches
    model = BPE({c: b for b, c in BYTE_TO_CHAR.items()}, [], byte_level=True)
    assert model.encode_spans(text, scanner) == model.encode_spans(text, listed)


def test_what_changes_the_text_has_no_compiled_pretokeniser() -> None:
    for step in (pretokenise.ByteLevel(add_prefix_space=True), pretokenise.Metaspace()):
        assert step.cuts() is None
        assert pretokenise.Sequence([pretokenise.Whitespace(), step]).cuts() is None


def test_what_no_piece_stands_for_is_named() -> None:
    model = Unigram([("a", -1.0)])
    with pytest.raises(ArgumentError, match="'丂' has no piece"):
        model.encode_spans("aa丂", [(0, 1), (1, 3)])
    with pytest.raises(ArgumentError, match="'丂' has no piece"):
        model.encode("aa丂")


def test_spans_out_of_order_are_refused() -> None:
    kernel = Unigram([("a", -1.0)]).kernel
    assert kernel is not None
    for spans in ([(0, 4)], [(1, 0)], [(1, 2), (0, 1)], [(-1, 2)]):
        with pytest.raises(ValueError, match="out of order or out of range"):
            kernel.encode("aaa", spans)


def test_a_model_pickles_without_its_kernel() -> None:
    model = BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
    assert model.encode_spans("abab", [(0, 4)]) == ([2, 2], [0, 2], [2, 4])
    restored = pickle.loads(pickle.dumps(model))
    assert restored.encode_spans("abab", [(0, 4)]) == ([2, 2], [0, 2], [2, 4])


def test_a_run_is_cut_where_no_piece_reaches_across() -> None:
    """The cut itself shows only in time; here: long runs of both kinds give the same pieces."""
    pieces = ["a", "b", "c", "好", "的", "ab", "abc", "好的"]
    merges = [("a", "b"), ("ab", "c"), ("好", "的")]
    model = BPE({p: i for i, p in enumerate(pieces)}, merges)
    for text in ("abc" * 5000, "好的好" * 5000, "ab好的cab" * 2000, "aab" * 7000):
        assert_as_in_python(model, text)


def test_sums_of_long_texts_begin_anew_as_in_sentencepiece() -> None:
    """Kept in 32 bits, -120,000 has no room for the thousandth that is between the two paths."""
    scores = {
        "<unk>": -9.0,
        "a": -60_000.0,
        "b": -1.0,
        "c": -1.0,
        "d": -1.0,
        "bc": -2.0,
        "cd": -2.001,
    }
    model = Unigram(list(scores.items()), unk_id=0, single=True)
    for text, pieces in (("aabcd", "a a bc d"), ("abcd", "a b cd"), ("aaabcd", "a a a b cd")):
        assert_as_in_python(model, text)
        assert [model.piece_of(piece.id) for piece in model.encode(text)] == pieces.split()
