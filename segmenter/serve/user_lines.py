"""Words typed by a visitor of the page, one per line, and the invalid lines."""

from __future__ import annotations

import re
from typing import NamedTuple

from segmenter.errors import DictionaryError
from segmenter.lexicon.user import UserDictionary

_LEVEL = re.compile(r"force|prefer|delete|split|[0-9]+(?:\.[0-9]+)?")
# an = with a blank beside it must precede a level: `云计算 = forced` is wrong, `a=b` is a word
_MISREAD = re.compile(r" =|(?<=.)=(?= )")
_LEVELS = "force, prefer, delete, split or a weight"


class Fault(NamedTuple):
    """A line that is left out, and the reason."""

    line: int
    text: str
    reason: str


class UserLines(NamedTuple):
    """The words of the valid lines, and the faults of the others."""

    words: UserDictionary
    faults: list[Fault]


def read(lines: str) -> UserLines:
    """Read words, one per line, with a level, ``split`` or a weight after ``=``.

    A line with a tab is read as a line of a user dictionary, with all its columns.

    >>> found = read("iPhone 15\\n在理 = delete\\n云计算 = forced")
    >>> [(w.word, w.level) for w in found.words], found.faults[0].line
    ([('iPhone 15', 'prefer'), ('在理', 'delete')], 3)
    """
    rows, faults = [], []
    for number, line in enumerate(lines.replace("\r\n", "\n").split("\n"), 1):
        try:
            row = _row(line)
            UserDictionary.load(f"{row}\n".encode("utf-8", "replace"), format="tsv")
        except DictionaryError as e:
            faults.append(Fault(number, line, e.reason))
            row = ""  # keeps the line numbers of the others
        rows.append(row)
    text = "\n".join(rows) + "\n"
    return UserLines(UserDictionary.load(text.encode("utf-8", "replace"), format="tsv"), faults)


def _row(line: str) -> str:
    """A typed line as a line of a user dictionary."""
    if "\t" in line:
        return line
    stripped = line.strip()
    word, _, level = stripped.rpartition("=")
    word, level = word.rstrip(" "), level.lstrip(" ")
    if not (word and _LEVEL.fullmatch(level)):
        if wrong := _MISREAD.search(stripped):
            level = stripped[wrong.end() :].lstrip(" ")
            raise DictionaryError("words", 1, f"{level!r} after = is not one of {_LEVELS}")
        word, level = line.strip(" "), ""
    if level != "split":  # a split keeps backslashes, which escape bars inside the word
        word = word.replace("\\", "\\\\")
    return f"{word}\t{level}" if level else word
