"""Measure words apart from their numbers: the Sinica treebank's text as the bakeoff's AS has it.

The treebank joins a number or a determiner and its measure word (一個, 這種, 第一次), since its
trees have no inside of them; Academia Sinica's corpus, which the bakeoff took its AS text from,
and its taggers part them (一/個, 這/種, 第一/次).  The Chinese Treebank parts them too: where its
convention puts a boundary behind numbers and determiners, the word is parted.  The exceptions below
were found by the bakeoff's list of the words of its AS training text; no text of it was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recipes import partial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NUMBERS = frozenset("一二三四五六七八九十百千萬億兩幾半數零○多０１２３４５６７８９0123456789")
DETERMINERS = frozenset("這那每各某此該同另本第")
#: Words all the same; repeated measure words (一條條) are too.
WHOLE = frozenset(("兩岸", "一方面", "一面", "一家人", "每當", "每日", "一度", "一手"))
WHOLE_NOUNS = ("世紀", "年級")  # 二十世紀, 六年級
ALWAYS = "個"  # the Chinese Treebank has 這個 and 那個 as words


def parted(words: Sequence[str], cut: Callable[[str], Sequence[str]]) -> list[str]:
    """A sentence of the treebank with its measure words apart.

    Args:
        words: the sentence.
        cut: cuts by the convention of the Chinese Treebank.

    >>> parted(["這幾天", "第一次", "一樣"], lambda text: ["這", "幾", "天", "第一", "次", "一樣"])
    ['這', '幾', '天', '第一', '次', '一樣']
    """
    theirs = partial.ends_of(cut("".join(words)))
    found: list[str] = []
    at = 0
    for word in words:
        before = 0
        while before < len(word) - 1 and word[before] in NUMBERS | DETERMINERS:
            before += 1
        measure = word[before:]
        repeated = len(measure) > 1 and measure[0] == measure[1]
        start = 0
        if word not in WHOLE and not repeated and not measure.startswith(WHOLE_NOUNS):
            for i in range(before):
                if theirs[at + i] or (i == before - 1 and measure.startswith(ALWAYS)):
                    found.append(word[start : i + 1])
                    start = i + 1
        found.append(word[start:])
        at += len(word)
    return found
