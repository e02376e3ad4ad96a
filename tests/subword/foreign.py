"""Texts to train small foreign models on, and random strings to compare them on."""

from __future__ import annotations

import random
import unicodedata
from typing import TYPE_CHECKING

from segmenter.subword.models.unigram import Unigram

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Our own sentences; with numbers, names, blanks, other scripts.
SENTENCES = (
    "他说的确实在理，我们明天再去看看。",
    "清晨的阳光照进小屋，桌上放着一杯热茶。",
    "我们明天上午十点开会，讨论新的计划。",
    "她买了三斤苹果、两斤梨，一共花了45.5元。",
    "这个模型有32000个词，训练了3个小时。",
    "北京和上海之间的高速列车每天有几十班。",
    "Hello world, this is a small test of tokenizers.",
    "We split words into pieces; pieces make words.",
    "The newest models are lower and wider than the lowest ones.",
    "iPhone 15 的价格是 5999 元。",
    "研究生命的起源是科学家们的工作。",
    "中国人民银行今天宣布下调利率0.25个百分点。",
    "天气很好，我们去公园散步，看见许多花。",
    "他在图书馆里读了一整天的书，很晚才回家。",
    "Привет, мир! Это проверка.",
    "これはテストです。カタカナもあります。",
    "한국어 문장도 있습니다.",
    "naïve café, résumé, Ünïcödé, ﬁne ½ ① Ａ",
    "don't can't I'll we've they're he's",
    "def f(x):\n    return x + 1\n",
    "https://example.com/a?b=1&c=2  foo@bar.org",
    "😀😁👍 好的 👨‍👩‍👧 ok",
    "孩子们在操场上踢足球，笑声传得很远。",
    "新的一年，新的开始，祝大家身体健康。",
)

_ALPHABETS = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可"
    "她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三",
    "abcdefghijklmnopqrstuvwxyz ABCDEFG 0123456789 ,.!?'-",
    " \t\n\r\u00a0\u3000\u2003\u200b",
    "，。！？；：、“”‘’（）《》【】…—·～",
    "éèüñçøåßœﬁ½①②ⅣＡｂ１％ｱｶﾞがパ각힣",
    "😀😁👍🏽👨‍👩‍👧🇨🇳\u200d\ufe0f",
    "́̈̃̂",
    "АБВгде αβγδ שלום مرحبا हिन्दी ไทย",
    "𠀀𠮷𪚥丂㐀龘",
    "\0\x01\x1f\x7f\x85\ufeff\ufffd\u2028",
    '▁<>|/\\[]{}#@$%^&*_+=~`"',
)
_WORDS = (
    "newest",
    "lower",
    "Hello",
    "tokenizers",
    " the",
    " is",
    "n't",
    "'s",
    "I'LL",
    "研究",
    "研究生",
    "生命",
    "明天",
    "我们",
    "的确",
    "确实",
    "  ",
    "\n\n",
    "12345",
    "3.14",
    "<unk>",
    "<s>",
    "</s>",
    "[UNK]",
    "[CLS]",
    "<0x41>",
    "##s",
    "</w>",
    "@@",
    "a" * 30,
    "的" * 30,
    "ab" * 20,
    "e\u0301",
    "\r\n",
    "<sep>",
    "<|endoftext|>",
    "好的 ok",
)


def strings(n: int, seed: int = 20261121) -> list[str]:
    """Random strings: sentences, one alphabet, several, any assigned code points."""
    rng = random.Random(seed)
    candidates = ["", " ", "a", "好", "\n"]
    while len(candidates) < n:
        kind = rng.randrange(6)
        if kind == 0:
            text = rng.choice(SENTENCES)
            a = rng.randrange(len(text))
            text = text[a : a + rng.randrange(1, 40)]
        elif kind == 1:
            alphabet = rng.choice(_ALPHABETS)
            text = "".join(rng.choices(alphabet, k=rng.randrange(1, 30)))
        elif kind == 2:
            text = "".join(rng.choice(rng.choice(_ALPHABETS)) for _ in range(rng.randrange(1, 30)))
        elif kind == 3:
            text = "".join(
                rng.choice(_WORDS) if rng.random() < 0.5 else rng.choice(rng.choice(_ALPHABETS))
                for _ in range(rng.randrange(1, 12))
            )
        elif kind == 4:
            text = "".join(_any(rng) for _ in range(rng.randrange(1, 12)))
        else:
            text = " ".join(rng.choice(SENTENCES) for _ in range(rng.randrange(1, 4)))
        candidates.append(text)
    return candidates


def _any(rng: random.Random) -> str:
    """A code point of a category that has not changed since Unicode 3.2, no surrogate: the
    libraries have tables of several versions (BERT's normaliser in ``tokenizers``: 8.0)."""
    while True:
        c = chr(rng.randrange(0x30000 if rng.random() < 0.5 else 0x3000))
        kind = unicodedata.category(c)
        if kind not in ("Cn", "Cs", "Co") and kind == unicodedata.ucd_3_2_0.category(c):
            return c


def corpus(copies: int = 3, seed: int = 7) -> list[str]:
    """Lines to train on: the sentences, shuffled clauses of them."""
    rng = random.Random(seed)
    lines = list(SENTENCES) * copies
    clauses = [c for s in SENTENCES for c in s.replace("。", "，").split("，") if c]
    lines += ["，".join(rng.sample(clauses, 3)) for _ in range(200)]
    return lines


def exact_losses(words: Iterable[tuple[str, int]], scores: Mapping[str, float]) -> dict[str, float]:
    """By how much the best segmentations' log likelihood falls without each piece of two and more
    characters, by segmenting all words again: exact, and slow; small corpora only."""
    rows = list(words)

    def cost(costs: Mapping[str, float]) -> float:
        model = Unigram(costs.items())
        return -sum(w * sum(model.scores[p.id] for p in model.encode(word)) for word, w in rows)

    cost_before = cost(scores)
    return {
        piece: cost({p: s for p, s in scores.items() if p != piece}) - cost_before
        for piece in scores
        if len(piece) > 1
    }
