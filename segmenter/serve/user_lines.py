"""Words as a visitor of the page types them, one per line, and the lines that are not valid."""

from __future__ import annotations

import re
from typing import NamedTuple

from segmenter.errors import DictionaryError
from segmenter.lexicon.user import UserDictionary

_LEVEL = re.compile(r"force|prefer|delete|split|[0-9]+(?:\.[0-9]+)?")
# what looks like a level and is none: `云计算 = forced`; a word may have = in it where no blank is
_MISREAD = re.compile(r" =|(?<=.)=(?= )")
_LEVELS = "force, prefer, delete, split or a weight"


class Fault(NamedTuple):
    """A line that is left out, and why."""

    line: int
    text: str
    reason: str


class UserLines(NamedTuple):
    """The words of the lines that can be read, and the faults of the others."""

    words: UserDictionary
    faults: list[Fault]


def read(lines: str) -> UserLines:
    """Words as one types them: one per line, with a level, ``split`` or a weight after ``=``.

    A line with a tab in it is one of a user dictionary's file, with all that this can say.

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
            row = ""  # the others keep the numbers of their lines
        rows.append(row)
    text = "\n".join(rows) + "\n"
    return UserLines(UserDictionary.load(text.encode("utf-8", "replace"), format="tsv"), faults)


def _row(line: str) -> str:
    """A line as one types it, as one of a user dictionary's file."""
    if "\t" in line:
        return line
    stripped = line.strip()
    before, _, behind = stripped.rpartition("=")
    word, level = before.rstrip(" "), behind.lstrip(" ")
    if not (word and _LEVEL.fullmatch(level)):
        if wrong := _MISREAD.search(stripped):
            behind = stripped[wrong.end() :].lstrip(" ")
            raise DictionaryError("words", 1, f"{behind!r} after = is not one of {_LEVELS}")
        word, level = line.strip(" "), ""
    if level != "split":  # where a backslash keeps a bar of the word's own
        word = word.replace("\\", "\\\\")
    return f"{word}\t{level}" if level else word
