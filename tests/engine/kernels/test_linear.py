"""Linear time on any text: twice the text, at most 2.2 times the kernel's steps."""

from __future__ import annotations

import pytest
import worlds

from segmenter import Segmenter
from segmenter.lexicon import Lexicon

# Every word over two letters up to eight characters: as many overlapping words as can be.
DENSE = Lexicon.build(
    [(bin(k)[3:].replace("0", "甲").replace("1", "乙"), k, "") for k in range(2, 512)],
    bigrams=[("甲", "乙", 2), ("甲乙", "甲", 3)],
    trigrams=[("甲", "乙", "甲", 2)],
)
# Long words that share long prefixes and never match to the end.
COMBS = Lexicon.build(
    [("日" * k + "月", 3, "") for k in range(1, 33)] + [("日", 9, ""), ("月", 1, "")],
    bigrams=[("日", "日", 2), ("日", "日月", 3)],
    trigrams=[("日", "日", "日", 2)],
)
SMALL = worlds.lexicon()


def repeated(unit: str, n: int) -> str:
    return (unit * (n // len(unit) + 1))[:n]


TEXTS: dict[str, tuple[Lexicon, str]] = {
    "ordinary": (SMALL, worlds.random_text(11, 12000, list(worlds.COUNTS))),
    "unpunctuated": (SMALL, worlds.random_text(12, 9000, [*"的在确实理他说人民国中共和", "一点"])),
    "hostile mixture": (SMALL, worlds.random_text(13, 12000)),
    "lines": (SMALL, worlds.random_text(14, 12000, [*worlds.COUNTS, "\n"])),
    "one character that is a word of every length": (SMALL, repeated("日", 20000)),
    "one unknown character": (SMALL, repeated("龘", 20000)),
    "one digit": (SMALL, repeated("1", 20000)),
    "one letter": (SMALL, repeated("a", 20000)),
    "one numeral": (SMALL, repeated("十", 20000)),
    "one blank": (SMALL, repeated(" ", 20000)),
    "one combining mark": (SMALL, repeated("\u0301", 20000)),
    "one line end": (SMALL, repeated("\n", 20000)),
    "a mark on every character": (SMALL, repeated("人\u0301", 20000)),
    "digits and points": (SMALL, repeated("1.", 20000)),
    "digits and commas": (SMALL, repeated("1,234", 20000)),
    "numerals and joints": (SMALL, repeated("三分之一点", 20000)),
    "dates": (SMALL, repeated("1998年12月31日", 20000)),
    "第 and numerals": (SMALL, repeated("第一", 20000)),
    "minus signs": (SMALL, repeated("-1", 20000)),
    "carriage returns": (SMALL, repeated("\r", 20000)),
    "overlapping words": (SMALL, repeated("中华人民共和国", 20000)),
    "every substring a word": (DENSE, repeated("甲乙", 6000)),
    "every substring a word, at random": (DENSE, worlds.random_text(15, 6000, ["甲", "乙"])),
    "prefixes that lead nowhere": (COMBS, repeated("日", 20000)),
    "prefixes that come true late": (COMBS, repeated("日" * 40 + "月", 20000)),
}
_made: dict[tuple[int, str], Segmenter] = {}


@pytest.mark.parametrize("decoder", worlds.ALL_DECODERS)
@pytest.mark.parametrize("name", TEXTS)
def test_twice_the_text_twice_the_steps(name: str, decoder: str) -> None:
    lexicon, text = TEXTS[name]
    key = (id(lexicon), decoder)
    segmenter = _made.setdefault(key, Segmenter(lexicon, decoder=decoder))
    single, double = segmenter._engine.steps(text), segmenter._engine.steps(text + text)
    assert single >= len(text) // 4, "steps are not counted"
    assert double <= 2.2 * single
    # and not only between these two lengths: no constant hides growth
    small = segmenter._engine.steps(text[: len(text) // 8])
    assert double <= 2.2 * 8 * small + 20_000
