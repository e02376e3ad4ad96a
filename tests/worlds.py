"""What the tests share: one small lexicon with n-grams, and texts that are hard on it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from reference import ngrams
from reference.words import Dictionary

from segmenter.choices import LATTICE
from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from segmenter.lattice.ngram import Ngrams

GOLDEN = "他说的确实在理"
GOLDEN_WORDS = ["他", "说", "的", "的确", "确实", "实在", "在理", "理", "实", "在", "确"]

# Counts are small and many are equal, so that ties are common.
COUNTS: dict[str, int] = {
    "他": 40, "说": 40, "的": 90, "的确": 4, "确实": 8, "实在": 8, "在理": 2, "理": 4, "实": 2,
    "在": 60, "确": 2, "一": 30, "二": 8, "三": 8, "十": 8, "千": 2, "年": 20, "月": 12, "日": 12,
    "分": 8, "点": 8, "第": 4, "一点": 8, "十分": 8, "三月": 2, "十月": 2, "一日千里": 2, "里": 4,
    "中": 20, "华": 4, "人": 30, "民": 4, "共": 4, "和": 30, "国": 20, "人民": 16, "中华": 8,
    "共和国": 8, "中华人民共和国": 8, "华人": 4, "民共": 1, "和国": 1, "共和": 2, "国中": 1,
    "a": 4, "ab": 2, "卡拉ok": 2, "t恤": 2, "3d": 1, "c++": 2, "new york": 2, "、": 20, "，": 60,
    "。": 50, "！": 4, "时分": 2, "分之": 2, "日日": 2, "日日日": 2, "日日日日": 2, "日日日日日": 2,
    "日日日日日日日": 1, "𠀀": 1, "𠀀人": 2, "人𠀀": 1, "之": 10, "份": 2, "万一": 2, "二三": 1,
    "月份": 4, "理在": 1, "确实在": 1, "说的": 4, "的在": 1,
}  # fmt: skip

KINDS = {"<num>": 30, "<date>": 20, "<latin>": 10}
_TOKENS = [*COUNTS, *KINDS, "<unk>", "<s>"]


def _ngrams() -> tuple[list[tuple[str, str, float]], list[tuple[str, str, str, float]]]:
    pick = random.Random(20261121)
    pairs = {(pick.choice(_TOKENS), pick.choice(_TOKENS)): pick.randint(1, 4) for _ in range(700)}
    for a, b in [("的", "确实"), ("确实", "在理"), ("<s>", "他"), ("他", "说"), ("理", "<s>")]:
        pairs[a, b] = 3
    bigrams: list[tuple[str, str, float]] = [(a, b, n) for (a, b), n in pairs.items()]
    bigrams += [(v, "<any>", 20) for v in ("的", "在", "<s>", "<num>")]
    pairs_sorted = sorted(pairs)
    trigrams: list[tuple[str, str, str, float]] = []
    for a, b, c in sorted({(*pick.choice(pairs_sorted), pick.choice(_TOKENS)) for _ in range(500)}):
        trigrams.append((a, b, c, pick.randint(1, 3)))
    trigrams += [("的", "人民", "不在", 2.0), ("他", "说", "的", 2)]
    return bigrams, trigrams


BIGRAMS, TRIGRAMS = _ngrams()
UNKNOWN = 0.5


def lexicon() -> Lexicon:
    return Lexicon.build(
        [(w, n, "x") for w, n in COUNTS.items()],
        kinds=KINDS,
        bigrams=BIGRAMS,
        trigrams=TRIGRAMS,
        unknown=UNKNOWN,
    )


def dictionary() -> Dictionary:
    """The same from counts, by the reference alone."""
    return Dictionary.from_counts(COUNTS.items(), KINDS, UNKNOWN)


def model() -> Ngrams[str]:
    return ngrams.from_counts(dictionary(), BIGRAMS, TRIGRAMS)


# Pieces of hard text: every class, every rule and what may break it.
PIECES = [
    *COUNTS, *"的在人日日日中华民共和国", *"十百千万亿零○〇两一二三年月日时分第点之份", "分之",
    *"0123456789", "12", "31", "1998", "24", "60", "3.14", "1,000", ",", "，", ".", "·", ":", "∶",
    "/", "%", "％", "‰", "-", "−", "Ａ", "３", "a", "B", "OK", "é", "я", "Б", "α", "カ", "ー",
    "ひ", "한", "ا", "ก", " ", "\u3000", "\t", "\xa0", "\u2028", "\r", "\n", "\r\n", "\x00",
    "\x85", "\x0b", "\u0301", "\u200d", "\ufe0f", "\u3099", "\U0001f3fd", "👍", "👩\u200d👧", "𠀀",
    "𝒳", "\U000e0100", "\ud800", "\udc00", "\U0010ffff", "字", "堃", "龘", "！",
    "!", "（", "「", "。", "①", "½", "$", "￥", "\ue000",
]  # fmt: skip

texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
any_text = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("的确实在 \n\r12a"), max_size=60
)


def random_text(seed: int, pieces: int, alphabet: list[str] | None = None) -> str:
    pick = random.Random(seed)
    return "".join(pick.choices(alphabet or PIECES, k=pieces))


def long_texts() -> dict[str, str]:
    """Texts beyond the kernels' windows (512 starts), some without any place to cut."""
    words = list(COUNTS)
    han = [w for w in words if all("\u4e00" <= c <= "\u9fff" for c in w)]
    return {
        "mixed": random_text(1, 1500),
        "words": random_text(2, 1500, words),
        "han": random_text(3, 2000, han),
        "one word of all lengths": "日" * 1500,
        "crossing": "中华人民共和国" * 250,
        "no cut for bigrams": "日日月月份" * 300,
        "latin": "ab1" * 500,
        "digits and points": "12.5:3/" * 250,
        "numerals": random_text(4, 1500, list("一二三十百千年月日点第")),
        "marks": "人" + "\u0301" * 1000 + "人\u0301" * 350,
        "blanks": " \u3000" * 750,
        "lines": random_text(5, 1200, [*words, "\n", "\r\n"]),
        "astral": random_text(6, 1200, ["𠀀", "人", "𠀀人", "👍", "的"]),
        "unknown": "龘堃字" * 500,
    }


ALL_DECODERS = tuple(LATTICE)
