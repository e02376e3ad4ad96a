"""The balanced national corpus: its cleaned sentences, and which of them are held out.

>>> clean_national(["重大", "\\\\", "par", "革命"])
[['重大'], ['革命']]
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.errors import ArgumentError
from segmenter.files.reading import read_lines
from segmenter.text.chars import HAN_NUMERALS, fold_str
from segmenter.train.counts import DATE, NUM, has_digit, token_class

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

HOLD_OUT = 50  # lines 50, 100, … of the national corpus are its dev set: never counted
SAMPLE = 20  # sentences 1, 21, 41, … of the rest are training text of general-fast

# Residue of the national corpus: "\ par" (two tokens), a "[" that opened an annotation and stuck
# to the word, counters like "#4#", boxes for characters that were lost, runs of ASCII hyphens.
_NATIONAL_NOISE = re.compile(r"\\|#[0-9]+#|□+")
_UNITS_OF_TIME = ("年", "月", "月份", "日", "时", "分")


def clean_national(words: Sequence[str]) -> list[list[str]]:
    """The pieces of a line of the national corpus, without what is not language.

    The line, folded tokens, is cut where a token was lost (``\\ par``, ``#4#``, ``□``), so that no
    n-gram is counted over the gap.  A ``[`` before a word is dropped; ``- -`` and ``… …`` are one
    token; numbers written apart from their percent sign, decimal point or unit of time are joined
    as the People's Daily text has them.

    >>> clean_national(["重大", "\\\\", "par", "革命", "[第", "一", "1998", "年", "20", "%"])
    [['重大'], ['革命', '第', '一', '1998年', '20%']]
    """
    pieces: list[list[str]] = [[]]
    for previous, word in pairwise(["", *words]):
        if (previous, word) == ("\\", "par"):
            continue
        if _NATIONAL_NOISE.search(word):
            pieces.append([])
            continue
        if len(word) > 1 and word[0] == "[":
            word = word[1:]
        piece = pieces[-1]
        last = piece[-1] if piece else ""
        if (word in ("-", "…") and last[:1] == word) or (
            last and (has_digit(last) or last[-1] in HAN_NUMERALS) and _joins_number(last, word)
        ):
            piece[-1] = last + word
        else:
            piece.append(word)
    return [p for p in pieces if p]


def _joins_number(last: str, word: str) -> bool:
    if word in _UNITS_OF_TIME:
        # "12 日" is a date; "一 日", "三 年" may be a length of time and stay apart.
        ok = has_digit(last) or (word in ("年", "月") and len(last) > 1)
        return ok and token_class(last + word) == DATE
    if not has_digit(last):
        return False
    if word in ("%", "‰"):
        return token_class(last) == NUM
    if word == ".":
        return last.isdigit()
    return last[-1] == "." and word.isdigit()


def read_national(path: str | os.PathLike[str], part: str = "train") -> Iterator[list[str]]:
    """Cleaned sentences of the national corpus.

    ``part="train"`` leaves out every 50th line; ``"dev"`` gives those lines alone.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("这个 人\\n" * 49 + "那 一 日\\n")
    >>> len(list(read_national(p))), list(read_national(p, "dev"))
    (49, [['那', '一', '日']])
    """
    if part not in ("train", "dev"):
        raise ArgumentError(f"part={part!r} is not known: use 'train' or 'dev'")
    for number, line in read_lines(path):
        if (number % HOLD_OUT == 0) == (part == "dev"):
            yield from clean_national(fold_str(line).split())
