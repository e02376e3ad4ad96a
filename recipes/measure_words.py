"""The Sinica treebank's text with measure words as words of their own, as in the bakeoff's AS.

The treebank joins a number or a determiner to its measure word (一個, 這種, 第一次).  Academia
Sinica's corpus, from which the bakeoff took its AS text, cuts them apart (一/個, 這/種, 第一/次).
The Chinese Treebank does too: a word of the Sinica treebank is cut where the convention of the
Chinese Treebank has a boundary behind a number or a determiner.  The exceptions below were found
with the bakeoff's list of the words of its AS training text; the text itself was not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recipes import partial

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NUMBERS = "一二三四五六七八九十百千萬億兩幾半數零○多０１２３４５６７８９0123456789"
DETERMINERS = "這那每各某此該同另本第"
#: Words that stay whole, as repeated measure words (一條條) do.
WHOLE = frozenset(("兩岸", "一方面", "一面", "一家人", "每當", "每日", "一度", "一手"))
WHOLE_NOUNS = ("世紀", "年級")  # 二十世紀, 六年級
ALWAYS = "個"  # the Chinese Treebank has 這個 and 那個 as words


def parted(words: Sequence[str], cut: Callable[[str], Sequence[str]]) -> list[str]:
    """A sentence of the treebank with its measure words apart; ``cut`` cuts as the CTB does.

    >>> parted(["這幾天", "第一次", "一樣"], lambda text: ["這", "幾", "天", "第一", "次", "一樣"])
    ['這', '幾', '天', '第一', '次', '一樣']
    """
    theirs = partial.ends_of(cut("".join(words)))
    parts: list[str] = []
    offset = 0
    for word in words:
        measure = word[:-1].lstrip(NUMBERS + DETERMINERS) + word[-1:]
        prefix = len(word) - len(measure)
        start = 0
        repeated = measure[:1] == measure[1:2]
        if word not in WHOLE and not repeated and not measure.startswith(WHOLE_NOUNS):
            for i in range(prefix):
                if theirs[offset + i] or (i == prefix - 1 and measure.startswith(ALWAYS)):
                    parts.append(word[start : i + 1])
                    start = i + 1
        parts.append(word[start:])
        offset += len(word)
    return parts
