"""The word at a place, the one before it and the one after it: as ``tokenize`` has them."""

from __future__ import annotations

from itertools import accumulate

import pytest
import worlds
from hypothesis import given, settings
from hypothesis import strategies as st
from places import HAS_SUBWORD

from segmenter import ArgumentError, Segmenter, load
from segmenter.atoms import Atoms
from segmenter.kernels import _tokens
from segmenter.lexicon.matchers import make
from segmenter.types import UNITS, Token

SMALL = worlds.lexicon()
SEGMENTERS = {d: Segmenter(SMALL, decoder=d) for d in worlds.ALL_DECODERS}
WIDTHS = {
    "codepoints": lambda c: 1,
    "utf8": lambda c: 1 + (c > "\x7f") + (c > "\u07ff") + (c > "\uffff"),
    "utf16": lambda c: 1 + (c > "\uffff"),
}
BLANK = ("space", "newline")
#: Lines of these texts are short, and most have several.
texts = st.lists(
    st.sampled_from([*worlds.PIECES, *["\n"] * 12, *["\r\n"] * 4]), max_size=24
).map("".join)  # fmt: skip


def expected(tokens: list[Token], offset: int) -> list[Token | None]:
    """The token at an offset, the next and the previous one, of the tokens of the whole text."""
    words = [t for t in tokens if t.kind not in BLANK]
    place = (
        next((t for t in tokens if t.start <= offset < t.end), None),
        next((t for t in words if t.start > offset), None),
        next((t for t in reversed(words) if t.start < offset), None),
    )
    return [t and t._replace(position=0) for t in place]


def check_places(s: Segmenter, text: str) -> None:
    for units, width in WIDTHS.items():
        tokens = list(s.tokenize(text, units=units))
        starts = list(accumulate(map(width, text), initial=0))
        for offset in range(starts[-1] + 1):
            places = [
                f(text, offset, units=units) for f in (s.token_at, s.next_word, s.previous_word)
            ]
            # an offset inside a character stands for that character
            assert places == expected(tokens, max(k for k in starts if k <= offset)), (
                units,
                offset,
            )


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
def test_decoders(decoder: str) -> None:
    @settings(max_examples=25)
    @given(texts | worlds.any_text)
    def check(text: str) -> None:
        check_places(SEGMENTERS[decoder], text)

    check()


def test_shipped(shipped: Segmenter) -> None:
    for seed in range(6):
        text = worlds.random_text(seed, 24, [*worlds.PIECES, *["\n"] * 20])
        check_places(shipped, text)


@pytest.mark.parametrize(
    "options",
    [
        {"skip": ("space",)},
        {"skip": ("space", "punct"), "oov": "keep"},
        {"oov": "hmm"},
        {"atoms": Atoms(url="split", patterns={"serial": r"[A-Z]{2}-\d{4}"})},
        {"user": ["确实在", ("的确", "delete"), ("在理", 50), "人民 共和"]},
        {"user": ["理\n在", "的\r", "在\n"]},
        {"decoder": "perceptron", "user": ["确实在", ("的确", "delete"), ("中华", 3), "理\n在"]},
        {"matcher": "aho-corasick"},
    ],
    ids=lambda options: "-".join(options),
)
def test_options(options: dict[str, object]) -> None:
    options = {"decoder": "unigram", **options}
    s = load("fast", **options)  # type: ignore[arg-type]
    pieces = [
        *worlds.GOLDEN, "的确", "在理", "理\n在", "中华", "人民 共和", "AB-1234", "的\r\n", "在\n",
        "2026-11-", "21", "http://a.b/", "👩\u200d👧", "\u0301", "\n", "\n", "\r\n", " ", "。",
    ]  # fmt: skip
    for seed in range(12):
        check_places(s, worlds.random_text(seed, 16, pieces))


def test_words_with_line_ends_are_found_across_lines() -> None:
    s = load("fast", user=["理\n在"])
    assert s.token_at("在理\n在", 3) == s.tokenize("在理\n在")[-1]._replace(position=0)
    assert s.token_at("在理\n在", 3).text == "理\n在"  # type: ignore[union-attr]


class Reading:
    """A matcher that remembers the texts it was asked about."""

    name = "double-array"

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._find = make("double-array", SMALL).find

    def find(self, text: str) -> object:
        self.texts.append(text)
        return self._find(text)


def test_only_the_lines_around_are_read() -> None:
    reading = Reading()
    s = Segmenter(SMALL, decoder="unigram", matcher=reading)  # type: ignore[arg-type]
    text = "他说的\n\n \n确实在理\n" * 1000
    place = text.index("确", 5000)
    for units in UNITS:
        offset = sum(map(WIDTHS[units], text[:place]))
        for word, lines in (
            (s.token_at, ["确实在理\n"]),
            (s.next_word, ["确实在理\n"]),
            (s.previous_word, [" \n", "\n", "他说的\n"]),
        ):
            reading.texts.clear()
            assert word(text, offset, units=units) is not None  # type: ignore[operator]
            assert reading.texts == lines


#: Sentences, and what may stand beside the marks at their ends.
PROSE = [
    "他说的确实在理", "我们都同意这个看法", "会议就这样结束了", "在2026年云计算改变了一切",
    "市长江大桥", "三千五百元", "臺灣大學的圖書館", "iPhone 15", "，", "、", "”", "“", "的", "日",
    "十", "龘", "理", "。", "。", "。", "。", "！", "？", "；", "。”", "。\u0301", " ", "\u3000",
    "！！", "http://a.b/？c",
]  # fmt: skip


@pytest.mark.parametrize(("preset", "standard"), [("fast", "general"), ("balanced", "pku")])
def test_sentences_of_a_long_line(preset: str, standard: str) -> None:
    """Tokens are those of the whole line; ``tests/capi`` tests how little of it is read."""
    s = load(preset, standard=standard)
    for seed in range(4):
        texts = [PROSE, PROSE, [*PROSE, *worlds.PIECES], [*"的理日在人国", "。", "。"]][seed]
        text = worlds.random_text(seed, 1200, texts).replace("\n", "")
        text = f"在\n{text}\n在"
        tokens = list(s.tokenize(text))
        offsets = [*range(0, len(text), 53), *range(1, 20), *range(len(text) - 20, len(text))]
        for offset in offsets:
            places = [f(text, offset) for f in (s.token_at, s.next_word, s.previous_word)]
            assert places == expected(tokens, offset), (seed, offset)


def test_a_place_where_the_engine_starts_anew_is_one_in_any_text() -> None:
    """Whatever is put around a part of a text, its places part the tokens, margins included."""
    for preset in ("fast", "balanced"):
        s = load(preset)
        reach = _tokens.anew_reach(s._engine)
        part = worlds.random_text(7, 60, [*PROSE[:8], *"。。。"])
        places = _tokens.anew_places(s._engine, part)
        assert len(places) >= 3
        assert all(reach < place <= len(part) - reach for place in places)
        inner = s.tokenize(part)
        for seed in range(40):
            before, after = (worlds.random_text(2 * seed + k, 12) for k in (0, 1))
            shift = len(before)
            tokens = [
                t._replace(start=t.start - shift, end=t.end - shift, position=0)
                for t in s.tokenize(before + part + after)
            ]
            for a, b in ((places[1], places[-2]), (places[0], places[-1])):
                want = [t._replace(position=0) for t in inner if a <= t.start < b]
                got = [t for t in tokens if a <= t.start < b]
                if (a, b) == (places[0], places[-1]):  # scores at the edges look further
                    want, got = ([t._replace(score=None) for t in ts] for ts in (want, got))
                assert got == want, (preset, seed)


def test_plans_that_have_no_such_places() -> None:
    for options in (
        {"user": ["在理"]},
        {"decoder": "unigram"},
        {"atoms": Atoms(patterns={"serial": "A+"})},
        *([{"oov": "bpe"}] * HAS_SUBWORD),
    ):
        assert _tokens.anew_reach(load("fast", **options)._engine) == 0  # type: ignore[arg-type]


def test_of_a_long_text() -> None:
    s = SEGMENTERS["unigram"]
    text = "他说的确实在理。\n" * 20_000
    end = len(text)
    assert s.token_at(text, end) is None
    assert s.next_word(text, end) is None
    assert s.previous_word(text, end) == s.token_at(text, end - 2)
    assert s.token_at(text, end - 2).text == "。"  # type: ignore[union-attr]
    assert s.previous_word(text, 0) is None


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ((b"abc", 0), TypeError, "text must be str, not bytes"),
        (("他说", "1"), TypeError, "offset must be int, not str"),
        (("他说", True), TypeError, "offset must be int, not bool"),
        (("他说", -1), ArgumentError, "offset: -1 is less than 0"),
        (("他说", 3), ArgumentError, "offset: 3 is beyond the text's end, 2"),
        (("他说", 0, "bytes"), ArgumentError, "units: 'bytes' is not one of codepoints"),
    ],
)
def test_refusals(arguments: tuple[object, ...], error: type[Exception], says: str) -> None:
    s, (text, offset, *units) = SEGMENTERS["unigram"], arguments
    for f in (s.token_at, s.next_word, s.previous_word):
        with pytest.raises(error, match=says):
            f(text, offset, **({"units": units[0]} if units else {}))  # type: ignore[arg-type]
    for units in ("utf8", "utf16"):
        with pytest.raises(ArgumentError, match="offset: 9 is beyond the text's end, "):
            s.token_at("他说", 9, units=units)  # type: ignore[arg-type]
        with pytest.raises(ArgumentError, match="is beyond the text's end, "):
            s.token_at("他说", 1 << 70, units=units)  # type: ignore[arg-type]


def test_an_offset_may_be_one_of_ends() -> None:
    segmenter = load("fast")
    text = "他说的确实在理"
    for end in segmenter.ends(text):
        assert segmenter.token_at(text, end) == segmenter.token_at(text, int(end))
