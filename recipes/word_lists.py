"""Reads the word lists of other projects: jieba, cutword, THUOCL, jionlp."""

from __future__ import annotations

import json
import os
import re
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recipes.novels import names_with_the_next
from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.text.chars import fold_str

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Listed:
    """A word of somebody's list: its count there (any scale) and its tag or topic."""

    count: int
    tag: str


def _take(out: dict[str, Listed], word: str, count: int, tag: str) -> None:
    word = fold_str(word.strip())
    old = out.get(word)
    if word and (old is None or count > old.count):
        out[word] = Listed(count, tag)


def _number(path: str, line: int, text: str) -> int:
    # THUOCL has a few counts like "3?" and a stray blank before or after.
    digits = re.sub(r"[^0-9]", "", text)
    if not digits:
        raise DictionaryError(path, line, f"the count {text!r} is not a whole number")
    return int(digits)


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
    name = os.fspath(path)
    out: dict[str, Listed] = {}
    for number, line in read_lines(name):
        fields = line.rsplit(" ", 2)
        if len(fields) != 3:
            raise DictionaryError(name, number, f"{line!r} is not 'word count tag'")
        _take(out, fields[0], _number(name, number, fields[1]), fields[2])
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
    name = os.fspath(path)
    out: dict[str, Listed] = {}
    for number, line in read_lines(name):
        if not line.strip():
            continue
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) != 3:
            raise DictionaryError(name, number, f"{line!r} is not word, count and tag")
        _take(out, fields[0], _number(name, number, fields[1]), fields[2])
    return out


def read_thuocl(folder: str | os.PathLike[str]) -> dict[str, Listed]:
    """THUOCL's lists of a folder, ``word<TAB>documents``; the tag is the name of the field.

    diming.txt ends its lines with CR alone; words without a count have none (0).

    >>> import os, tempfile
    >>> d = tempfile.mkdtemp()
    >>> _ = open(os.path.join(d, "food.txt"), "w", newline="").write("奶茶 \\t 9\\r拿铁\\t3?\\r")
    >>> read_thuocl(d)["拿铁"]
    Listed(count=3, tag='food')
    """
    out: dict[str, Listed] = {}
    root = os.fspath(folder)
    for entry in sorted(os.listdir(root)):
        if not entry.endswith(".txt"):
            continue
        path = os.path.join(root, entry)
        with open(path, encoding="utf-8-sig", newline=None) as file:
            for number, line in enumerate(file, 1):
                word, tab, count = line.rstrip("\n").partition("\t")
                if word.strip():
                    documents = _number(path, number, count) if tab and count.strip() else 0
                    _take(out, word, documents, entry[:-4])
    return out


def read_jionlp(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jionlp's ``word_distribution``: a JSON array ``[word, count]`` a line, or the zip of it.

    Raises:
        DictionaryError: a line is no such array.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.json")
    >>> _ = open(p, "w", encoding="utf-8").write('["高铁", 5281]\\n')
    >>> read_jionlp(p)
    {'高铁': Listed(count=5281, tag='')}
    """
    name = os.fspath(path)
    out: dict[str, Listed] = {}
    lines: Iterable[tuple[int, str]]
    if name.endswith(".zip"):
        with zipfile.ZipFile(name) as archive:
            member = next(m for m in archive.namelist() if m.endswith(".json"))
            lines = enumerate(archive.read(member).decode("utf-8").splitlines(), 1)
    else:
        lines = read_lines(name)
    for number, line in lines:
        try:
            word, count = json.loads(line)
            _take(out, word, int(count), "")
        except (ValueError, TypeError) as e:
            raise DictionaryError(name, number, f"{line!r} is not [word, count]: {e}") from None
    return out
