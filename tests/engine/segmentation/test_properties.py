"""The promises of the package, each as a property of every text there is."""

from __future__ import annotations

import copy
import re
from array import array
from typing import Any

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from promises import check_everything, lines_of, utf8

from segmenter import ArgumentError, EncodingError, Segmenter, load
from segmenter.lexicon import Lexicon
from segmenter.text import chars
from segmenter.types import Source

SMALL = worlds.lexicon()
SEGMENTERS = {d: Segmenter(SMALL, decoder=d) for d in worlds.ALL_DECODERS}
UNIGRAM = SEGMENTERS["unigram"]


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
def test_every_entry_point_agrees(decoder: str) -> None:
    @settings(max_examples=60)
    @given(worlds.texts | worlds.any_text)
    def check(text: str) -> None:
        check_everything(SEGMENTERS[decoder], text)

    check()
    check_everything(SEGMENTERS[decoder], "")


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
@pytest.mark.parametrize("name", worlds.long_texts())
def test_every_entry_point_agrees_on_long_texts(decoder: str, name: str) -> None:
    check_everything(SEGMENTERS[decoder], worlds.long_texts()[name])


def test_shipped_lexicons(shipped: Segmenter) -> None:
    for seed in range(30):
        check_everything(shipped, worlds.random_text(seed, 40))
    check_everything(shipped, worlds.random_text(77, 3000))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\x00",
        "\x00在\x00",
        "\ud800",
        "\udfff\ud800的确",
        "👩\u200d👩\u200d👧\u200d👦",
        "🇨🇳",
        "\U0010ffff",
        "\r\r\n\n\r",
        "﻿在",
        "e\u0301" * 3,
        "\u0301",
    ],
)
def test_odd_texts(text: str) -> None:
    for segmenter in SEGMENTERS.values():
        check_everything(segmenter, text)


@pytest.mark.parametrize(
    "c", ["日", "a", " ", "\u0301", "\n", "龘", "1", "十", "\x00", "\ud800", "𠀀"]
)
def test_many_of_one_character(c: str) -> None:
    text = c * (1 << 18)
    for decoder in ("unigram", "bigram", "forward-max", "shortest"):
        words = SEGMENTERS[decoder].cut(text)
        assert sum(map(len, words)) == len(text)
        assert set("".join(words)) == {c}


def test_one_token_by_class() -> None:
    text = "iPhone15 \u3000\t在\r\n3.14%\u0301人\u0301привет\r"
    for segmenter in SEGMENTERS.values():
        tokens = segmenter.tokenize(text)
        assert [(t.text, t.kind) for t in tokens] == [
            ("iPhone15", "latin"),
            (" \u3000\t", "space"),
            ("在", "word"),
            ("\r\n", "newline"),
            ("3.14%\u0301", "number"),
            ("人\u0301", "cluster"),
            ("привет", "script"),
            ("\r", "space"),
        ]
        assert tokens[0].source is Source.RULE
        assert tokens[2].source is Source.LEXICON


def test_fresh_and_used_segmenters_agree() -> None:
    """Scratch memory carries nothing from one call to the next, whatever the lengths."""
    texts = [*worlds.long_texts().values(), *(worlds.random_text(s, 1 + s) for s in range(60))]
    for decoder in worlds.ALL_DECODERS:
        used = SEGMENTERS[decoder]
        for text in [*texts, *reversed(texts)]:
            assert used.cut(text) == Segmenter(SMALL, decoder=decoder).cut(text)


def test_words_are_the_text_s_own() -> None:
    """The shared str of a word is used only where the text spells it the same."""
    for first, second in [("T恤", "t恤"), ("Ｔ恤", "T恤"), ("卡拉ＯＫ", "卡拉ok"), ("，", ",")]:
        segmenter = Segmenter(SMALL)
        for text in (first, second, first):
            assert segmenter.cut(text) == [text]


def test_kept_words_are_not_changed_later() -> None:
    segmenter = Segmenter(SMALL)
    results = [segmenter.cut(worlds.random_text(seed, 30)) for seed in range(200)]
    frozen = copy.deepcopy(results)
    for seed in range(200):
        segmenter.cut(worlds.random_text(1000 + seed, 30))
    assert results == frozen


@pytest.mark.parametrize("name", ["unigram", "bigram", "trigram", "fast", "balanced"])
@pytest.mark.parametrize("user", [None, ["的确", "在理", ("确实", 50.0), "Ａ1", "\r"], ["理\n"]])
def test_a_batch_cuts_each_text_as_if_it_were_alone(name: str, user: list[Any] | None) -> None:
    """Short texts are joined, a line each: what ends in a carriage return or holds line ends, long
    and wide ones among them, and none lends another a neighbour."""
    preset = name in ("fast", "balanced")
    s = load(name, user=user) if preset else Segmenter(SMALL, decoder=name, user=user)
    odd = ["", "\r", "\n", "的确\r", "\n在理", "a\r\nb", "𠀀在理", "的确" * 200, "1", "2", "ab"]

    @settings(max_examples=30)
    @given(st.lists(st.one_of(worlds.texts, st.sampled_from(odd)), max_size=40))
    def check(texts: list[str]) -> None:
        alone = [s.cut(text) for text in texts]
        for threads in (1, 2):
            assert s.cut_batch(texts, threads) == alone

    check()


@pytest.mark.parametrize("name", ["unigram", "bigram", "fast", "balanced"])
def test_words_of_the_user_are_spelt_as_the_text_spells_them(name: str) -> None:
    preset = name in ("fast", "balanced")
    user = [("研究", "force"), ("iphone", "prefer"), ("的确", "prefer"), ("理", "force")]
    s = load(name, user=user) if preset else load("fast", decoder=name, user=user)
    for text in (
        "研究iphone的确在理",
        "研究ＩＰＨＯＮＥ的确在理",
        "的确研究生命",
        "理理理研究研究",
    ):
        for _ in range(2):  # the second time strings are shared
            words = s.cut(text)
            assert "".join(words) == text
            assert words == [t.text for t in s.tokenize(text)] == s.cut_batch([text, text])[1]


# --- options -----------------------------------------------------------------------------------


@pytest.mark.parametrize("skip", [("space",), ("punct",), ("space", "punct")])
@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
def test_skip_moves_no_offset(decoder: str, skip: tuple[str, ...]) -> None:
    full = SEGMENTERS[decoder]
    skipping = Segmenter(SMALL, decoder=decoder, skip=skip)

    def dropped(kind: str, text: str) -> bool:
        if kind in ("space", "newline"):
            return "space" in skip
        return "punct" in skip and kind == "punct"

    @settings(max_examples=40)
    @given(worlds.texts)
    def check(text: str) -> None:
        tokens = [t for t in full.tokenize(text) if not dropped(t.kind, t.text)]
        words = [t.text for t in tokens]
        assert skipping.tokenize(text).spans == [(t.start, t.end) for t in tokens]
        assert skipping.cut(text) == words
        assert skipping.ends(text).tolist() == [t.end for t in tokens]
        for threads in (1, 3):
            assert skipping.cut_batch([text, "的 确", text], threads)[::2] == [words, words]
        if utf8(text):  # lines stay lines
            output_bytes = b""
            for line in lines_of(text):
                end = re.search("(\r?\n)?$", line)
                assert end is not None
                output_bytes += b"\x1f".join(w.encode() for w in skipping.cut(line[: end.start()]))
                output_bytes += end[0].encode()
            assert skipping.cut_bytes(text.encode(), b"\x1f") == output_bytes

    check()


def is_punct(text: str) -> bool:
    classes = (chars.PUNCT, chars.POINT, chars.COLON, chars.COMMA, chars.PERCENT, chars.MINUS)
    return all(chars.char_class(chars.fold(ord(c))) in classes for c in text)


def test_unknown_characters() -> None:
    text = "堃龘的鑫鑫"
    assert Segmenter(SMALL).cut(text) == ["堃", "龘", "的", "鑫", "鑫"]
    assert Segmenter(SMALL, oov="keep").cut(text) == ["堃龘", "的", "鑫鑫"]
    # only Han characters: what is not text stays one token per character
    assert Segmenter(SMALL, oov="keep").cut("👍👍堃") == ["👍", "👍", "堃"]


@given(worlds.texts)
def test_keep_only_joins(text: str) -> None:
    apart, keep = Segmenter(SMALL), Segmenter(SMALL, oov="keep")
    assert set(keep.ends(text).tolist()) <= set(apart.ends(text).tolist())
    assert "".join(keep.cut(text)) == text


# --- wrong arguments ---------------------------------------------------------------------------


class Text(str):
    """A subclass of str, as numpy.str_ and markupsafe.Markup are."""


@pytest.mark.parametrize("bad", [b"x", None, ["a"], 5, bytearray(b"a")])
@pytest.mark.parametrize("name", ["cut", "ends", "tokenize", "cut_all", "dag", "explain"])
def test_wrong_types_name_the_argument(name: str, bad: object) -> None:
    with pytest.raises(TypeError, match="text.*" + type(bad).__name__):
        getattr(UNIGRAM, name)(bad)


def test_more_wrong_types() -> None:
    with pytest.raises(TypeError, match="text"):
        UNIGRAM.nbest(None, 1)  # type: ignore[arg-type]
    for bad in ("在", None, ["a"], 5):
        with pytest.raises(TypeError, match="utf8 must be bytes"):
            UNIGRAM.cut_bytes(bad)  # type: ignore[arg-type]
    for buffer in (memoryview(b"abcd")[::2], array("d", [1.0])):
        with pytest.raises(TypeError, match="utf8 must be bytes that are contiguous"):
            UNIGRAM.cut_bytes(buffer)  # type: ignore[arg-type]
    for threads in (1, 2):
        with pytest.raises(TypeError, match="texts: item 2 is bytes"):
            UNIGRAM.cut_batch(["在", "理", b"x"], threads)  # type: ignore[list-item]
    for bad in ("在理", b"x", None, 5):
        with pytest.raises(TypeError, match="texts must be"):
            UNIGRAM.cut_batch(bad)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="sep must be bytes"):
        UNIGRAM.cut_bytes(b"a", " ")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="lexicon must be Lexicon"):
        Segmenter({"a": 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="threads must be int"):
        UNIGRAM.cut_batch([], "2")  # type: ignore[arg-type]


def test_a_failed_batch_leaves_collection_on() -> None:
    import gc

    assert gc.isenabled()
    with pytest.raises(TypeError):
        UNIGRAM.cut_batch(["在", None])  # type: ignore[list-item]
    assert gc.isenabled()
    gc.disable()
    try:
        UNIGRAM.cut_batch(["在"] * 3, 2)
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"decoder": "viterbi"}, "decoder: 'viterbi' is not one of unigram"),
        ({"oov": "drop"}, "oov: 'drop'"),
        ({"skip": ["spaces"]}, "skip: 'spaces'"),
        ({"matcher": "trie"}, "matcher: 'trie'"),
    ],
)
def test_wrong_names_are_listed(options: dict[str, str], named: str) -> None:
    with pytest.raises(ArgumentError, match=named):
        Segmenter(SMALL, **options)  # type: ignore[arg-type]


def test_a_decoder_without_its_model() -> None:
    bare = Lexicon.build([("在", 1, "")], name="bare.lex")
    for decoder in ("bigram", "trigram"):
        with pytest.raises(ArgumentError, match=r"bare\.lex has none"):
            Segmenter(bare, decoder=decoder)


@pytest.mark.parametrize("n", [0, -1, 10_001, True, 2.0, "3"])
def test_nbest_n(n: int) -> None:
    with pytest.raises((ArgumentError, TypeError), match=r"^n(:| must be int)"):
        UNIGRAM.nbest("在", n)
    with pytest.raises(ArgumentError, match="scores no paths"):
        SEGMENTERS["forward-max"].nbest("在", 1)


@pytest.mark.parametrize("threads", [0, -1, 257])
def test_threads_range(threads: int) -> None:
    with pytest.raises(ArgumentError, match="threads: "):
        UNIGRAM.cut_batch(["在"], threads)
    with pytest.raises(ArgumentError, match="threads: "):
        UNIGRAM.cut_bytes(b"", threads=threads)


def test_subclasses_of_str() -> None:
    text = Text("的确在理")
    for threads in (1, 2):
        assert UNIGRAM.cut_batch([text, "在"], threads) == [UNIGRAM.cut("的确在理"), ["在"]]
    words = UNIGRAM.cut(text)
    assert words == UNIGRAM.cut("的确在理")
    assert all(type(w) is str for w in words)
    check_everything(UNIGRAM, text)


@given(st.lists(worlds.any_text, max_size=4), st.integers(1, 4))
def test_bad_utf8_is_named_by_its_offset(texts: list[str], threads: int) -> None:
    good = "\n".join(t for t in texts if utf8(t)).encode()
    for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"):
        with pytest.raises(EncodingError) as caught:
            UNIGRAM.cut_bytes(good + bad + b"\nx", threads=threads)
        assert caught.value.offset == len(good)
        assert str(len(good)) in str(caught.value)
    # cut short at the end
    with pytest.raises(EncodingError) as caught:
        UNIGRAM.cut_bytes(good + "在".encode()[:2], threads=threads)
    assert caught.value.offset == len(good)


def test_first_bad_byte_of_many_in_threads() -> None:
    data = "的确在理\n".encode() * 5000
    for offset in (0, len(data) // 2, len(data)):
        broken = data[:offset] + b"\xff\n" + data[offset:] + b"\xfe"
        for threads in (1, 2, 4):
            with pytest.raises(EncodingError) as caught:
                UNIGRAM.cut_bytes(broken, threads=threads)
            assert caught.value.offset == offset


def test_buffers() -> None:
    data = "的确在理".encode()
    expected = UNIGRAM.cut_bytes(data)
    assert UNIGRAM.cut_bytes(bytearray(data)) == expected
    assert UNIGRAM.cut_bytes(memoryview(data)) == expected
    assert UNIGRAM.cut_bytes(b"") == b""
    assert UNIGRAM.cut_bytes(data, b"") == data
    assert UNIGRAM.cut_bytes(data, "，和，".encode() * 20).split("，和，".encode() * 20) == [
        w.encode() for w in UNIGRAM.cut("的确在理")
    ]


# --- identity ----------------------------------------------------------------------------------


def test_fingerprint_tells_what_moves_boundaries() -> None:
    lexicon = Lexicon.build([("在", 1, ""), ("理", 1, "")])
    all_of = [
        Segmenter(SMALL),
        Segmenter(SMALL, decoder="bigram"),
        Segmenter(SMALL, oov="keep"),
        Segmenter(SMALL, skip=["space"]),
        Segmenter(SMALL, skip=["punct"]),
        Segmenter(SMALL, skip=["space", "punct"]),
        Segmenter(lexicon),
    ]
    assert len({s.fingerprint for s in all_of}) == len(all_of)
    assert Segmenter(worlds.lexicon()).fingerprint == Segmenter(SMALL).fingerprint
    assert Segmenter(SMALL, skip=["punct", "space"]).fingerprint == all_of[5].fingerprint


def test_explain_accounts_for_every_token() -> None:
    for decoder, segmenter in SEGMENTERS.items():
        text = "他说的确实在理，1998年iPhone\n龘"
        explanation = segmenter.explain(text)
        assert [row["text"] for row in explanation.rows] == segmenter.cut(text)
        assert all(row["decoder"] == decoder for row in explanation.rows)
        assert len(str(explanation).splitlines()) >= len(explanation.rows)
