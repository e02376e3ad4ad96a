"""Reads the word lists of jieba, cutword, THUOCL, jionlp and the project."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import zipfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.errors import DictionaryError
from segmenter.files.reading import read_lines
from segmenter.text.chars import fold_str
from segmenter.train.tagging.model import MAX_WORD

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The project's own words of today.
OWN = Path(__file__).resolve().parent.parent / "dicts" / "own.tsv"
# jieba's list was counted in text that includes a dozen novels, and has 185 entries like 郭靖听 and
# 156 like 杨过心: a name and the next character.  They are recognised by that character: it often
# follows names in novels (听, 笑, 叹, 忙 …) and does not end names or compounds (李国庆, 电子书).
#: Names with 30 to 185 such entries: a character that follows three of them follows names.
NOVEL_NAMES = ("郭靖", "杨过", "黄蓉", "令狐冲", "段誉", "胡斐", "萧峰", "玄德", "孔明", "宋江",
               "郭襄", "赵敏")  # fmt: skip
#: Characters that follow people and end no names.
TELLING = frozenset("笑叹听忙问闻怒惊忽喜见")
FAMILY = 5  # entries of a name, at least
#: Share of following characters in the entries of a name, and number of telling ones.
RULES = ((0.6, 1), (0.4, 3))


@dataclass(frozen=True)
class Listed:
    """A word of somebody's list: its count there (any scale) and its tag or topic."""

    count: int
    tag: str


def installed(package: str, *parts: str) -> str:
    """Path of a file inside an installed package, which is not imported.

    Raises:
        SystemExit: the package is not installed; says what to install.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"the package {package} is not installed: pip install {package}")
    return os.path.join(next(iter(spec.submodule_search_locations)), *parts)


def _gathered(rows: Iterable[tuple[str, int, str]]) -> dict[str, Listed]:
    """Folded words; of several rows of a word the one with the greatest count."""
    entries: dict[str, Listed] = {}
    for word, count, tag in rows:
        word = fold_str(word.strip())
        if word and (word not in entries or count > entries[word].count):
            entries[word] = Listed(count, tag)
    return entries


def _number(text: str) -> int:
    # THUOCL has a few counts like "3?" and a stray blank before or after.
    return int(re.sub(r"[^0-9]", "", text))


def read_jieba(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jieba's ``dict.txt``: ``word count tag``, separated by blanks.

    Without the entries of :func:`names_with_the_next`.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("高铁 3 n\\nＴ恤 4 n\\n")
    >>> read_jieba(p)["t恤"]
    Listed(count=4, tag='n')
    """
    fields = (line.rsplit(" ", 2) for _, line in read_lines(path))
    entries = _gathered((word, _number(count), tag) for word, count, tag in fields)
    for word in names_with_the_next(entries):
        del entries[word]
    return entries


def names_with_the_next(listed: Mapping[str, Listed]) -> set[str]:
    """The entries of jieba's list that are a name and the next character."""
    families: defaultdict[str, set[str]] = defaultdict(set)
    for word in listed:
        if 3 <= len(word) <= 4:
            families[word[:-1]].add(word[-1])
    follow = Counter(c for name in NOVEL_NAMES for c in families.get(name, ()))
    follows = {c for c, n in follow.items() if n >= 3}

    def people(name: str, endings: set[str]) -> bool:
        if len(endings) < FAMILY or (name in listed and not listed[name].tag.startswith("nr")):
            return False
        share = len(endings & follows) / len(endings)
        return any(share >= least and len(endings & TELLING) >= n for least, n in RULES)

    return {
        name + c for name, endings in families.items() if people(name, endings) for c in endings
    }


def read_cutword(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """cutword's ``dict.txt`` or ``unionwords.txt``: ``word<TAB>count<TAB>tag``.

    One line of dict.txt is separated by blanks instead; blank lines are skipped.

    >>> import os, tempfile
    >>> p = os.path.join(tempfile.mkdtemp(), "a.txt")
    >>> _ = open(p, "w", encoding="utf-8").write("高铁\\t3098\\tNN\\n如是说  40  NN\\n")
    >>> sorted(read_cutword(p))
    ['如是说', '高铁']
    """
    lines = (line for _, line in read_lines(path) if line.strip())
    fields = (line.split("\t") if "\t" in line else line.split() for line in lines)
    return _gathered((word, _number(count), tag) for word, count, tag in fields)


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
        for line in path.read_text("utf-8-sig").split("\n"):
            word, _, count = line.partition("\t")
            rows.append((word, _number(count) if count.strip() else 0, path.stem))
    return _gathered(rows)


def read_idioms(jieba: str | os.PathLike[str], thuocl: str | os.PathLike[str]) -> set[str]:
    """The idioms of four characters of THUOCL's list, and of jieba's with the tag ``i``."""
    words = [*read_thuocl(thuocl).items(), *read_jieba(jieba).items()]
    return {w for w, listed in words if len(w) == 4 and listed.tag in ("chengyu", "i")}


def read_jionlp(path: str | os.PathLike[str]) -> dict[str, Listed]:
    """jionlp's ``word_distribution.zip``: a JSON array ``[word, count]`` a line."""
    with zipfile.ZipFile(path) as archive:
        member = next(m for m in archive.namelist() if m.endswith(".json"))
        lines = archive.read(member).decode("utf-8").splitlines()
    return _gathered((word, int(count), "") for word, count in map(json.loads, lines))


def read_own(path: str | os.PathLike[str] = OWN) -> dict[str, str]:
    """The project's own list, ``word<TAB>tag`` a line: folded words with their tags.

    Raises:
        DictionaryError: a line has not two fields.
    """
    tags: dict[str, str] = {}
    for number, line in read_lines(path):
        word, _, tag = line.partition("\t")
        if not word or not tag:
            raise DictionaryError(str(path), number, f"{line!r} is not word and tag")
        tags[fold_str(word)] = tag
    return tags


def read_terms(path: str | os.PathLike[str] = OWN) -> dict[str, str]:
    """The words of 2 to 8 characters of the project's own list, with their tags."""
    return {w: tag for w, tag in read_own(path).items() if 2 <= len(w) <= MAX_WORD}
