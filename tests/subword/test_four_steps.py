"""Normalisers, pre-tokenisers, post-processors and decoders; against ``tokenizers`` where it is."""

from __future__ import annotations

import json
import unicodedata
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segmenter import Segmenter, load
from segmenter.errors import ArgumentError
from segmenter.subword import decode, normalise, patterns, postprocess, pretokenise, scanning
from segmenter.subword.normalise import Aligned
from segmenter.subword.postprocess import TokenColumns

# characters that Unicode 3.2 has: newer ones differ by the Unicode version of each library
OLD = [
    chr(cp)
    for cp in range(0x110000)
    if not 0xD800 <= cp < 0xE000 and unicodedata.ucd_3_2_0.category(chr(cp)) not in ("Cn", "Co")
]
# and whose class has not changed since
CHANGED = {
    c
    for c in OLD
    if unicodedata.ucd_3_2_0.category(c) != unicodedata.category(c)
    or unicodedata.ucd_3_2_0.normalize("NFKC", c) != unicodedata.normalize("NFKC", c)
}
STEADY = [c for c in OLD if c not in CHANGED]
TEXTS = st.one_of(
    st.text(st.sampled_from(STEADY)),
    st.text(
        st.sampled_from(" \n\t\r　a1'ｓſIi’tsdmrevl٣¾Ⅳ好的，。,.!?▁#é́ﾞ한ᄒ\u1161👍🏽\u200d_-"),
        max_size=30,
    ),
)


def split(step: pretokenise.PreTokeniser, text: str) -> list[str]:
    aligned, spans = step(Aligned(text), [(0, len(text))] if text else [])
    return [aligned.text[a:b] for a, b in spans]


NORMALISERS: list[dict[str, Any]] = [
    {"type": "NFC"},
    {"type": "NFD"},
    {"type": "NFKC"},
    {"type": "NFKD"},
    {"type": "Lowercase"},
    {"type": "StripAccents"},
    {"type": "Nmt"},
    {"type": "Strip", "strip_left": True, "strip_right": False},
    {"type": "Strip", "strip_left": True, "strip_right": True},
    {"type": "Prepend", "prepend": "▁"},
    {"type": "Replace", "pattern": {"String": "a"}, "content": "bb"},
    {"type": "Replace", "pattern": {"Regex": r"\p{N}+|\s"}, "content": ""},
    {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    {
        "type": "BertNormalizer",
        "clean_text": False,
        "handle_chinese_chars": False,
        "strip_accents": True,
        "lowercase": False,
    },
    {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}]},
]
PRETOKENISERS: list[dict[str, Any]] = [
    {"type": "Whitespace"},
    {"type": "WhitespaceSplit"},
    {"type": "BertPreTokenizer"},
    *({"type": "Punctuation", "behavior": b} for b in pretokenise.BEHAVIOURS),
    {"type": "Digits", "individual_digits": True},
    {"type": "Digits", "individual_digits": False},
    {"type": "CharDelimiterSplit", "delimiter": "的"},
    *(
        {"type": "Split", "pattern": {"Regex": p}, "behavior": b, "invert": i}
        for p in (patterns.GPT2, patterns.CL100K_ONIGURUMA, r"\s+", r"[^\S\n]|\P{L}\d")
        for b in pretokenise.BEHAVIOURS
        for i in (False, True)
    ),
    {"type": "Split", "pattern": {"String": "a"}, "behavior": "Isolated", "invert": False},
    *(
        {"type": "Metaspace", "replacement": "▁", "prepend_scheme": p, "split": s}
        for p in ("always", "first", "never")
        for s in (True, False)
    ),
    {
        "type": "Sequence",
        "pretokenizers": [
            {"type": "WhitespaceSplit"},
            {"type": "Digits", "individual_digits": True},
        ],
    },
]


def name(config: dict[str, Any]) -> str:
    return json.dumps(config, ensure_ascii=False)


@pytest.mark.parametrize("config", NORMALISERS, ids=name)
def test_normalisers_are_those_of_tokenizers(config: dict[str, Any]) -> None:
    library = pytest.importorskip("tokenizers")
    theirs = library.Tokenizer.from_str(
        json.dumps({**EMPTY, "normalizer": config}, ensure_ascii=False)
    ).normalizer
    ours = normalise.make(config)

    @given(TEXTS)
    def check(text: str) -> None:
        assert ours(Aligned(text)).text == theirs.normalize_str(text)

    check()


EMPTY: dict[str, Any] = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [],
    "normalizer": None,
    "pre_tokenizer": None,
    "post_processor": None,
    "decoder": None,
    "model": {"type": "WordLevel", "vocab": {"?": 0}, "unk_token": "?"},
}


@pytest.mark.parametrize("config", PRETOKENISERS, ids=name)
def test_pretokenisers_are_those_of_tokenizers(config: dict[str, Any]) -> None:
    library = pytest.importorskip("tokenizers")
    theirs = library.Tokenizer.from_str(
        json.dumps({**EMPTY, "pre_tokenizer": config}, ensure_ascii=False)
    ).pre_tokenizer
    ours = pretokenise.make(config)

    @given(TEXTS)
    def check(text: str) -> None:
        assert split(ours, text) == [part for part, _ in theirs.pre_tokenize_str(text)]

    check()


def pieces_of(pattern: str, text: str) -> list[str]:
    return [text[a:b] for a, b in scanning.matches(pattern, text)]


@pytest.mark.parametrize("pattern", [patterns.GPT2, patterns.CL100K, r"[^\r\n\p{L}]+|\p{Lu}\P{N}"])
def test_patterns_are_those_of_regex(pattern: str) -> None:
    library = pytest.importorskip("regex")
    theirs = library.compile(pattern)

    @given(TEXTS)
    def check(text: str) -> None:
        assert pieces_of(pattern, text) == theirs.findall(text)

    check()


def test_published_patterns_cut_as_published() -> None:
    # worked by hand: no library needed
    assert pieces_of(patterns.GPT2, "I'll  go, 12a\n 好的") == [
        "I", "'ll", " ", " go", ",", " 12", "a", "\n", " 好的",
    ]  # fmt: skip
    assert pieces_of(patterns.CL100K, "I'LL go, 12345 x\n\n好") == [
        "I", "'LL", " go", ",", " ", "123", "45", " x", "\n\n", "好",
    ]  # fmt: skip


# --- offsets ---------------------------------------------------------------------------------


ALL = [normalise.make(config) for config in NORMALISERS]
ALL += [normalise.Width(), normalise.Blanks(), normalise.Identity()]


@pytest.mark.parametrize("step", ALL, ids=lambda s: name(s.config()))
@given(text=TEXTS)
def test_offsets_ascend_within_the_text(step: normalise.Normaliser, text: str) -> None:
    pieces = step(Aligned("<" + text + ">").part(1, len(text) + 1))
    offset = 1
    for i in range(len(pieces.text)):
        start, end = pieces.span(i, i + 1)
        assert 1 <= start <= end <= len(text) + 1
        assert start >= offset or isinstance(step, (normalise.NFD, normalise.NFKD, normalise.NFKC))
        offset = max(offset, start)
    starts, ends = pieces.columns()
    assert len(starts) == len(ends) == len(pieces.text)


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@given(text=st.one_of(st.text(), TEXTS))
def test_forms_of_segments_are_those_of_the_whole(form: Any, text: str) -> None:
    step = normalise.make({"type": form})
    pieces = step(Aligned(text))
    assert pieces.text == unicodedata.normalize(form, text)
    # every character comes from where its own normal form contains it, but for marks: where they
    # are reordered, positions are counted (`forms.changes`)
    for i, c in enumerate(pieces.text):
        start, end = pieces.span(i, i + 1)
        assert unicodedata.combining(c) or c in unicodedata.normalize(form, text[start:end])


def test_offsets_through_several_steps() -> None:
    step = normalise.Sequence(
        [normalise.Width(), normalise.Blanks(), normalise.NFKC(), normalise.Lowercase()]
    )
    text = step(Aligned("　Ａ① ﬁ  Ｂ "))
    assert text.text == "a1 fi b"
    spans = [text.span(i, i + 1) for i in range(len(text.text))]
    assert spans == [(1, 2), (2, 3), (3, 4), (4, 5), (4, 5), (5, 7), (7, 8)]
    assert text.span(0, 7) == (1, 8)


@given(text=TEXTS)
def test_offsets_of_metaspace_cover_the_text(text: str) -> None:
    aligned, spans = pretokenise.Metaspace()(Aligned(text), [(0, len(text))] if text else [])
    covered = [aligned.span(a, b) for a, b in spans]
    assert all(x[1] <= y[0] for x, y in pairwise(covered))
    joined = "".join(text[a:b] for a, b in covered)
    assert joined == text


@given(text=st.one_of(st.text(), st.text("他说的确实在理 ab1\n")))
def test_words_tile_the_text(small: Any, text: str) -> None:
    step = pretokenise.Words(Segmenter(small))
    assert "".join(split(step, text)) == text
    plain = pretokenise.Words(Segmenter(small), join_blanks=False)
    assert split(plain, text) == Segmenter(small).cut(text)


def test_words_need_the_segmenter_they_were_made_with(small: Any) -> None:
    step = pretokenise.Words(Segmenter(small))
    with pytest.raises(ArgumentError, match="not loaded by name"):
        pretokenise.make(step.config())
    rebuilt = pretokenise.make(step.config(), Segmenter(small))
    assert split(rebuilt, "确实在理") == split(step, "确实在理")
    with pytest.raises(ArgumentError, match="leaves out tokens"):
        pretokenise.Words(Segmenter(small, skip="space"))


def test_words_name_their_segmenter() -> None:
    step = pretokenise.Words(load("fast"))
    config = json.loads(json.dumps(step.config()))
    assert split(pretokenise.make(config), "确实在理") == ["确实", "在理"]
    config["fingerprint"] += "x"
    with pytest.raises(ArgumentError, match="trained on words of"):
        pretokenise.make(config)


# --- round trips of the configuration -----------------------------------------------------------


@pytest.mark.parametrize("config", NORMALISERS, ids=name)
def test_a_normaliser_is_made_from_its_configuration(config: dict[str, Any]) -> None:
    assert normalise.make(config).config() == config


@pytest.mark.parametrize("config", PRETOKENISERS, ids=name)
def test_a_pretokeniser_is_made_from_its_configuration(config: dict[str, Any]) -> None:
    assert pretokenise.make(config).config() == config


def test_unknown_types_are_refused() -> None:
    for module in (normalise, pretokenise, postprocess, decode):
        with pytest.raises(ArgumentError, match="Nonsense"):
            module.make({"type": "Nonsense"})  # type: ignore[attr-defined]


# --- post-processors and decoders ----------------------------------------------------------------

VOCAB = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "b": 4, "c": 5}
POSTPROCESSORS: list[dict[str, Any]] = [
    {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    {
        "type": "RobertaProcessing",
        "sep": ["[SEP]", 2],
        "cls": ["[CLS]", 1],
        "trim_offsets": True,
        "add_prefix_space": False,
    },
    postprocess.Template("[CLS] $A:3 [SEP]", "$B:1 [SEP]:2 $A", {"[CLS]": 1, "[SEP]": 2}).config(),
    {
        "type": "Sequence",
        "processors": [
            {
                "type": "ByteLevel",
                "add_prefix_space": True,
                "trim_offsets": False,
                "use_regex": True,
            },
            {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
        ],
    },
]


@pytest.mark.parametrize("config", POSTPROCESSORS, ids=name)
def test_postprocessors_are_those_of_tokenizers(config: dict[str, Any]) -> None:
    library = pytest.importorskip("tokenizers")
    model = {"type": "WordLevel", "vocab": VOCAB, "unk_token": "[UNK]"}
    pre = {"type": "WhitespaceSplit"}
    theirs = library.Tokenizer.from_str(
        json.dumps({**EMPTY, "model": model, "pre_tokenizer": pre, "post_processor": config})
    )
    ours = postprocess.make(config)
    assert ours.config() == config
    first = TokenColumns("a b", [3, 4], [0, 2], [1, 3])
    second = TokenColumns("c", [5], [0], [1])
    for pair in (None, second):
        for add in (True, False):
            expected = theirs.encode("a b", None if pair is None else "c", add_special_tokens=add)
            got = ours(first, pair, add)
            assert got.ids == expected.ids
            assert got.type_ids == expected.type_ids
            assert got.offsets == expected.offsets
            assert got.special == expected.special_tokens_mask


def test_templates_are_checked() -> None:
    with pytest.raises(ArgumentError, match=r"\[CLS\]"):
        postprocess.Template("[CLS] $A", None, {})
    with pytest.raises(ArgumentError, match=r"\$A"):
        postprocess.Template("[CLS]", None, {"[CLS]": 1})


def test_byte_level_offsets_leave_out_blanks() -> None:
    columns = TokenColumns(" a  b ", [1, 2], [0, 2], [2, 6])
    assert postprocess.ByteLevel()(columns).offsets == [(1, 2), (4, 5)]
    assert postprocess.ByteLevel(trim_offsets=False)(columns).offsets == columns.offsets


DECODERS: list[dict[str, Any]] = [
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "WordPiece", "prefix": "##", "cleanup": False},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True},
    {"type": "Strip", "content": " ", "start": 1, "stop": 1},
    {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            {"type": "Strip", "content": " ", "start": 1, "stop": 0},
        ],
    },
]
PIECES = st.lists(
    st.sampled_from(
        ["▁他", "a", "##b", " x ", "Ġå", "¥½", "好", "<0xE5>", "<0xA5>", "<0xBD>", "<0x41>",
         "the</w>", ".", "do", "not", "'", "n't", "▁", "▁▁"]
    ),
    min_size=1,
    max_size=8,
)  # fmt: skip


@pytest.mark.parametrize("config", DECODERS, ids=name)
def test_decoders_are_those_of_tokenizers(config: dict[str, Any]) -> None:
    library = pytest.importorskip("tokenizers")
    theirs = library.Tokenizer.from_str(json.dumps({**EMPTY, "decoder": config})).decoder
    ours = decode.make(config)
    assert ours.config() == config

    @given(PIECES)
    def check(pieces: list[str]) -> None:
        assert "".join(ours(pieces)) == theirs.decode(pieces)

    check()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xff" * 3000, "\ufffd" * 3000),
        (b"\xed\xa0\x80\xffA", "\ud800\ufffdA"),
        (b"\xe5\xa5\xe5\xa5\xbd", "\ufffd\ufffd好"),
    ],
)
def test_bytes_of_no_character_are_replaced_each(data: bytes, text: str) -> None:
    step = decode.SentencePiece(byte_fallback=True)
    assert "".join(step([f"<0x{byte:02X}>" for byte in data])) == text
