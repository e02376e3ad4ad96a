"""Reads word lists: of jieba, cutword, THUOCL and jionlp, and our own."""

from __future__ import annotations

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from recipes.novels import names_with_the_next
from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.text.chars import fold_str

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable


@dataclass(frozen=True)
class Listed:
    """A word of somebody's list: its count there (any scale) and its tag or topic."""

    count: int
    tag: str


def _gathered(rows: Iterable[tuple[str, int, str]]) -> dict[str, Listed]:
    """Folded words; of several rows of a word the one with the greatest count."""
    out: dict[str, Listed] = {}
    for word, count, tag in rows:
        word = fold_str(word.strip())
        if word and (word not in out or count > out[word].count):
            out[word] = Listed(count, tag)
    return out


def _number(path: str | os.PathLike[str], line: int, text: str) -> int:
    # THUOCL has a few counts like "3?" and a stray blank before or after.
    digits = re.sub(r"[^0-9]", "", text)
    if not digits:
        raise DictionaryError(str(path), line, f"the count {text!r} is not a whole number")
    return int(digits)


def _fields(path: str | os.PathLike[str], number: int, fields: list[str]) -> tuple[str, int, str]:
    if len(fields) != 3:
        raise DictionaryError(str(path), number, f"{' '.join(fields)!r} is not word, count and tag")
    return fields[0], _number(path, number, fields[1]), fields[2]


def read_jieba(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jieba's ``dict.txt``: ``word count tag``, separated by blanks.

    Without its names of novels with the next character, see :mod:`recipes.novels`.

    Raises:
        DictionaryError: a line has not three fields, or its count is not a number.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("高铁 3 n\\nＴ恤 4 n\\n")
    >>> read_jieba(p)["t恤"]
    Listed(count=4, tag='n')
    """
    out = _gathered(_fields(path, n, line.rsplit(" ", 2)) for n, line in read_lines(path))
    for word in names_with_the_next(out):
        del out[word]
    return out


def read_cutword(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """cutword's ``dict.txt`` or ``unionwords.txt``: ``word<TAB>count<TAB>tag``.

    One line of dict.txt is separated by blanks instead; blank lines are skipped.

    Raises:
        DictionaryError: a line has not three fields, or its count is not a number.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("高铁\\t3098\\tNN\\n如是说  40  NN\\n")
    >>> sorted(read_cutword(p))
    ['如是说', '高铁']
    """
    return _gathered(
        _fields(path, number, line.split("\t") if "\t" in line else line.split())
        for number, line in read_lines(path)
        if line.strip()
    )


def read_thuocl(folder: str | os.PathLike[str]) -> dict[str, Listed]:
    """THUOCL's lists of a folder, ``word<TAB>documents``; the tag is the name of the field.

    diming.txt ends its lines with CR alone; words without a count have none (0).

    >>> import os, tempfile
    >>> d = tempfile.mkdtemp()
    >>> _ = open(os.path.join(d, "food.txt"), "w", newline="").write("奶茶 \\t 9\\r拿铁\\t3?\\r")
    >>> read_thuocl(d)["拿铁"]
    Listed(count=3, tag='food')
    """
    rows = []
    for path in sorted(Path(folder).glob("*.txt")):
        for number, line in enumerate(path.read_text("utf-8-sig").split("\n"), 1):
            word, _, count = line.partition("\t")
            if word.strip():
                rows.append((word, _number(path, number, count) if count.strip() else 0, path.stem))
    return _gathered(rows)


def read_jionlp(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jionlp's ``word_distribution.zip``: a JSON array ``[word, count]`` a line.

    Raises:
        DictionaryError: a line is no such array.
    """
    with zipfile.ZipFile(path) as archive:
        member = next(m for m in archive.namelist() if m.endswith(".json"))
        lines = archive.read(member).decode("utf-8").splitlines()
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            word, count = json.loads(line)
            rows.append((word, int(count), ""))
        except (ValueError, TypeError) as e:
            message = f"{line!r} is not [word, count]: {e}"
            raise DictionaryError(str(path), number, message) from None
    return _gathered(rows)


def read_own(path: str | os.PathLike[str]) -> dict[str, str]:
    """The project's own list, ``word<TAB>tag`` a line: folded words with their tags.

    Raises:
        DictionaryError: a line has not two fields.
    """
    out: dict[str, str] = {}
    for number, line in read_lines(path):
        word, _, tag = line.partition("\t")
        if not word or not tag:
            raise DictionaryError(str(path), number, f"{line!r} is not word and tag")
        out[fold_str(word)] = tag
    return out
