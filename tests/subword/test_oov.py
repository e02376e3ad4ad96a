"""oov="bpe" and "unigram": unknown spans become subwords, alike at every entry point."""

from __future__ import annotations

import io
import pickle
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import worlds
from hypothesis import example, given
from hypothesis import strategies as st

from segmenter import Segmenter, load
from segmenter.errors import ArgumentError, ResourceError
from segmenter.subword import BPE, Tokenizer, Unigram
from segmenter.subword.models.model import BYTE_PIECES
from segmenter.text.chars import HAN, HANNUM, char_class, fold
from segmenter.train.tagging.decompile import decompile

if TYPE_CHECKING:
    from segmenter.subword import Model

LEXICON = worlds.lexicon()
# 堃 has no piece: it is spelt in bytes; 龘 neither, and 鑫鑫 is a piece
SCORES = [("鑫鑫", -3.0), ("魑魅", -4.0), ("理鑫", -3.5), ("一鑫", -6.0)]
SINGLES = [(c, -9.0) for c in "鑫魑魅理一"]
UNIGRAM = Tokenizer(
    Unigram([*((p, 0.0) for p in BYTE_PIECES), *SCORES, *SINGLES], byte_fallback=True)
)
PIECES = [*BYTE_PIECES, *(p for p, _ in SINGLES), "鑫鑫", "魑魅", "理鑫"]
BPE_MODEL = Tokenizer(
    BPE(
        {p: i for i, p in enumerate(PIECES)},
        [("鑫", "鑫"), ("魑", "魅"), ("理", "鑫")],
        byte_fallback=True,
    )
)
# without bytes: what has no piece is left out by the model, and must not be by us
OPEN = Tokenizer(BPE({"鑫": 0, "鑫鑫": 1}, [("鑫", "鑫")]))
VOCABULARIES = {"unigram": UNIGRAM, "bpe": BPE_MODEL}
TEXTS = st.one_of(
    st.text(),
    st.text("鑫鑫鑫魑魅堃龘𠀀理一二 的确实他说a1\n，\ud800Ａ", max_size=40),
    st.text("鑫魑魅堃理的\r\n ", max_size=40),
)


def is_han(c: str) -> bool:
    return char_class(fold(ord(c))) in (HAN, HANNUM)


def expected(words: list[str], is_unknown: list[bool], model: Model) -> list[str]:
    """Joins neighbours that are to be cut again and cuts them by the readable model."""
    units_expected: list[str] = []
    i = 0
    while i < len(words):
        j = i
        while j < len(words) and is_unknown[j]:
            j += 1
        if j < i + 2:
            units_expected += words[i : max(j, i + 1)]
            i = max(j, i + 1)
            continue
        span = "".join(words[i:j])
        ends = {p.end for p in model.encode(span)} | {
            k + 1 for k, c in enumerate(span) if model.id_of(c) is None
        }
        offset = 0
        for end in sorted(ends):
            units_expected.append(span[offset:end])
            offset = end
        i = j
    return units_expected


@pytest.mark.parametrize("decoder", ["unigram", "forward-max", "bigram", "shortest"])
@pytest.mark.parametrize("oov", ["bpe", "unigram"])
@given(text=TEXTS)
def test_runs_of_single_characters_become_subwords(decoder: str, oov: str, text: str) -> None:
    vocabulary = VOCABULARIES[oov]
    plain = Segmenter(LEXICON, decoder=decoder)
    cutter = Segmenter(LEXICON, decoder=decoder, oov=oov, subwords=vocabulary)
    tokens = plain.tokenize(text)
    is_unknown = [
        len(t.text) == 1 and is_han(t.text) and t.kind in ("word", "unknown") for t in tokens
    ]
    words = cutter.cut(text)
    assert words == expected(tokens.words, is_unknown, vocabulary.model)
    assert "".join(words) == text


def test_examples() -> None:
    cutter = Segmenter(LEXICON, oov="unigram", subwords=UNIGRAM)
    assert cutter.cut("他说堃鑫鑫魑魅的") == ["他", "说", "堃", "鑫鑫", "魑魅", "的"]
    tokens = cutter.tokenize("堃鑫鑫的")
    assert [(t.text, t.kind, t.source.value) for t in tokens] == [
        ("堃", "word", "unknown"),
        ("鑫鑫", "word", "model"),
        ("的", "word", "lexicon"),
    ]
    assert "oov='unigram'" in str(cutter.explain("堃鑫鑫的"))
    left_out = Segmenter(LEXICON, oov="bpe", subwords=OPEN)
    assert left_out.cut("堃鑫鑫龘龘") == ["堃", "鑫鑫", "龘", "龘"]


@pytest.mark.parametrize("oov", ["bpe", "unigram"])
@given(text=TEXTS)
def test_entry_points_agree(oov: str, text: str) -> None:
    cutter = Segmenter(LEXICON, oov=oov, subwords=VOCABULARIES[oov])
    agree(cutter, text)


def agree(cutter: Segmenter, text: str) -> None:
    words = cutter.cut(text)
    assert "".join(words) == text
    ends = cutter.ends(text).tolist()
    assert [text[a:b] for a, b in zip([0, *ends], ends, strict=False)] == words
    assert cutter.tokenize(text).words == words
    assert cutter.cut_batch([text, text], threads=2) == [words, words]
    try:
        utf8 = text.encode()
    except UnicodeEncodeError:
        return
    expected_words, before = "", "newline"
    for token in cutter.tokenize(text):
        expected_words += "/" * ("newline" not in (before, token.kind)) + token.text
        before = token.kind
    assert cutter.cut_bytes(utf8, b"/", threads=2).decode() == expected_words


@pytest.mark.parametrize("decoder", ["unigram", "perceptron", "hmm"])
@pytest.mark.parametrize("oov", ["bpe", "unigram"])
def test_shipped_vocabularies_cut_unknown_text(decoder: str, oov: str) -> None:
    try:
        cutter = load("fast", decoder=decoder, oov=oov)
        plain = load("fast", decoder=decoder)
    except ResourceError:
        pytest.skip("models/ is not built here")
    text = "王惠莹和戚务丽等好苗子，饕餮魑魅堃龘𠀀魍魉在2026年hello。\r\n" * 3
    agree(cutter, text)
    assert cutter.fingerprint != plain.fingerprint
    assert pickle.loads(pickle.dumps(cutter)).cut(text) == cutter.cut(text)
    buffer = io.BytesIO()
    cutter.cut_file(io.BytesIO(text.encode()), buffer, sep="/")
    assert buffer.getvalue() == cutter.cut_bytes(text.encode(), b"/")
    long = text * 400  # more than 16,384 characters: decoded without the GIL
    assert cutter.cut(long) == cutter.cut(text) * 400


@cache
def words_of(decoder: str) -> frozenset[str]:
    """The words that a tagger of ``fast`` has features of."""
    tagger = load("fast", decoder=decoder).tagger
    assert tagger is not None
    return frozenset(decompile(tagger.artifact).words)


@pytest.mark.parametrize("decoder", ["perceptron", "hmm"])
@given(text=TEXTS)
@example("折摺")  # 折折, which is known, in another spelling
def test_words_a_tagger_does_not_know_become_subwords(decoder: str, text: str) -> None:
    try:
        cutter = load("fast", decoder=decoder, oov="bpe")
    except ResourceError:
        pytest.skip("models/ is not built here")
    model = cutter.subwords.model  # type: ignore[union-attr]
    plain = load("fast", decoder=decoder)
    assert plain.tagger is not None
    words_known = words_of(decoder)
    expected_words: list[str] = []
    for token in plain.tokenize(text):
        new = token.kind == "word" and plain.tagger.fold(token.text) not in words_known
        if new and len(token.text) > 1 and is_han(token.text[0]):
            ends = {p.end for p in model.encode(token.text)}
            offset = 0
            for end in sorted(ends):
                expected_words.append(token.text[offset:end])
                offset = end
        else:
            expected_words.append(token.text)
    tokens = cutter.tokenize(text)
    assert tokens.words == expected_words


def test_options_are_checked() -> None:
    for options in ({"oov": "bpe"}, {"subwords": BPE_MODEL}, {"oov": "keep", "subwords": UNIGRAM}):
        with pytest.raises(ArgumentError, match="subwords"):
            Segmenter(LEXICON, **options)


def test_pickles_with_a_vocabulary_of_ones_own() -> None:
    cutter: Any = Segmenter(LEXICON, oov="bpe", subwords=BPE_MODEL)
    restored = pickle.loads(pickle.dumps(cutter))
    assert restored.cut("堃鑫鑫魑魅") == cutter.cut("堃鑫鑫魑魅") == ["堃", "鑫鑫", "魑魅"]
    assert restored.fingerprint == cutter.fingerprint
    assert BPE_MODEL.digest[:32] in cutter.fingerprint
