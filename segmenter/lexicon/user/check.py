r"""Faults of user dictionaries that are not errors when the dictionary is read.

In a file with tabs, ``云计算 100 n`` is a word with blanks, and of two rows for one word the last
is used; neither is an error.  This module finds such rows, with file and line:

===============  ===================================================================================
duplicate        the same row twice
contradiction    rows for one word that differ: ``force`` and ``delete``, two splits, two tags
blank            a blank at either end, or two inside
invisible        an invisible character: zero-width, control, direction
spelling         characters with another form in text: radicals, decomposed letters, entities
form             a line in another format than its neighbours, a comment, several words in a line
single           one Han character that is a token wherever it occurs, inside words too
useless          a word that can never be a token, or a deletion without effect
overlap          a word that always loses to an overlapping word of the dictionary
encoding, level  and others: a line that cannot be read
===============  ===================================================================================

>>> from segmenter.lexicon.user import UserDictionary
>>> words = UserDictionary.load("大数据 \n的\n".encode())
>>> for fault in words.check():
...     print(fault)
<bytes>, line 1: '大数据 ' ends with a blank, which text must have too: remove it
<bytes>, line 2: '的' is a token wherever it occurs: give it a weight, or remove it
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from segmenter.kernels import _lexicon
from segmenter.text import chars, variants

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from segmenter.lexicon.lines import Report
    from segmenter.lexicon.user.entry import UserWord

#: The fault of an entry that a later entry of the program replaced.
REPLACED = "{!r} is given again later: only the last one counts; keep one"


class Finding(NamedTuple):
    """A fault of a user dictionary.

    Attributes:
        source: the file, or "" for a word added in the program.
        line: the line there, 0 if unknown.
        kind: the kind of fault, of the list in :mod:`segmenter.lexicon.user.check`.
        word: the word, "" for a line that could not be read.
        reason: what is wrong and what to do.
    """

    source: str
    line: int
    kind: str
    word: str
    reason: str

    def __str__(self) -> str:
        if not self.source:
            return self.reason
        place = f"{self.source}, line {self.line}" if self.line else self.source
        return f"{place}: {self.reason}"


def unreadable(report: Report) -> Iterator[Finding]:
    """Yield the lines that a reader left out."""
    for fault in report.faults:
        yield Finding(report.path, fault.line, fault.kind, "", fault.reason)


def check_rows(rows: Iterable[UserWord], forms: dict[str, str]) -> list[Finding]:
    """Return the faults of rows, in their order.

    Args:
        rows: every row read, also those that later rows replace.
        forms: the format of each text file.
    """
    rows = list(rows)
    findings: list[tuple[int, Finding]] = []

    def report(number: int, kind: str, reason: str) -> None:
        row = rows[number]
        findings.append((number, Finding(row.source, row.line, kind, row.word, reason)))

    for number, row in enumerate(rows):
        for kind, reason in _check_row(row, forms.get(row.source, "")):
            report(number, kind, reason)
    _check_repeats(rows, report)
    malformed = {number for number, finding in findings if finding.kind == "form"}
    last_row = {_key(row): number for number, row in enumerate(rows)}
    _check_overlaps(rows, sorted({*last_row.values()} - malformed), report)
    return [finding for _, finding in sorted(findings, key=lambda pair: pair[0])]


# --- one row -------------------------------------------------------------------------------------

_SUSPECT = re.compile(r"[^\w]|[\u2e80-\u2fdf\u3164\uf900-\ufaff]|[À-ÿ]")
_LATIN1 = re.compile(r"[\x80-\xff]")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|[a-z]{2,8});")
_HAN = "\u3400-\u9fff\U00020000-\U000323af"
_BETWEEN = re.compile(f"[{_HAN}]([ \u00a0\u2000-\u200a\u3000、；;,|]+)[{_HAN}]")
_CSV = re.compile(r"[^,\s]+,\s*(?:[0-9.]+|[a-z]{1,4})(?:,.*)?|\"[^\"]*\"")
_COMMENT = re.compile(r"(?:#|//|--|;)\s+\S|/\*")
_COMMA_END = re.compile(r"[，。、；,;]$|^[，。、；,;]")
_SENTENCE = re.compile(r"[。！？!?…].*\w", re.S)
_MAX_WORD = 40  # characters; a longer entry is a sentence


def _check_row(row: UserWord, form: str) -> Iterator[tuple[str, str]]:
    word = row.word
    if len(word) == 1:
        if row.level == "delete":
            yield "useless", f"{word!r}: a single character cannot be deleted: give it a low weight"
        elif row.level != "weight" and chars.char_class(ord(word)) in (chars.HAN, chars.HANNUM):
            yield (
                "single",
                f"{word!r} is a token wherever it occurs: give it a weight, or remove it",
            )
        return
    if len(word) > _MAX_WORD or (_SENTENCE.search(word) and len(word) > 6):
        yield "form", f"{word[:12]!r}… is a sentence rather than a word: give the words in it"
        return
    if not row.parts and form:
        reason = _form_fault(row, form)
        if reason:
            yield "form", reason
            return
    if _SUSPECT.search(word):
        yield from _check_characters(word)


def _form_fault(row: UserWord, form: str) -> str:
    """The fault in the form of a line, or ""."""
    word, tag = row.word, row.tag
    if _COMMENT.match(word):
        return f"{word!r} is read as a word: there are no comments, remove the line"
    if form == "tsv" and " " in word.strip():
        name, weight, row_tag, has_fields = _lexicon.jieba_row(word)
        if has_fields and (weight or row_tag):
            fields = "\t".join(filter(None, (name, weight or "prefer", row_tag)))
            return f"{word!r} is one word with blanks: here tabs separate fields, as in {fields!r}"
    if form == "jieba" and "\t" in word:
        return f"{word!r} has a tab in a file of blanks: write a blank between the fields"
    if _CSV.fullmatch(word):
        return f"{word!r} is one word with its commas or quotation marks: separate fields by tabs"
    separator = _BETWEEN.search(word)
    if separator is not None:
        if separator[1] == "|" and form != "jieba":
            return f"{word!r} is one word with its bar: to split it, its level is split"
        return f"{word!r} is one word with {separator[1]!r} in it: give each word a line of its own"
    if tag and tag[0].isdigit():
        return f"the tag {tag!r} of {word!r} is a number: the second field is the weight"
    return ""


def _check_characters(word: str) -> Iterator[tuple[str, str]]:
    if "\ufffd" in word or _mojibake(word):
        yield "spelling", f"{word!r} was read in a wrong encoding: write the word again"
        return
    hidden = [c for c in word if _invisible(c)]
    if hidden:
        code_point = f"U+{ord(hidden[0]):04X}"
        yield "invisible", f"{word!r} has the invisible character {code_point}: remove it"
        return
    inner = word.strip()
    if inner != word:
        verb = "begins" if word[:1] != inner[:1] or not inner else "ends"
        yield "blank", f"{word!r} {verb} with a blank, which text must have too: remove it"
    elif any(a.isspace() and b.isspace() for a, b in pairwise(word)):
        yield "blank", f"{word!r} has two blanks in a row: text rarely has both"
    elif _COMMA_END.search(word):
        yield "form", f"{word!r} has a comma or a stop at its end: remove it"
    if (entity := _ENTITY.search(word)) is not None:
        yield "spelling", f"{word!r} has the entity {entity[0]}: write the character itself"
    characters = "".join(map(_character_of_radical, word))
    if characters != word:
        yield "spelling", f"{word!r} has radicals for characters, as PDFs do: write {characters!r}"
    elif unicodedata.normalize("NFC", word) != word:
        yield "spelling", f"{word!r} is not in the Unicode form NFC, as text is: save it as NFC"


def _invisible(c: str) -> bool:
    # joiners of emoji and variation selectors are part of a visible character
    if c in "\u200d\n\t":
        return False
    return unicodedata.category(c) in ("Cf", "Cc") or c in "\u3164\u115f"


def _character_of_radical(c: str) -> str:
    """The character that looks like a Kangxi or CJK radical, which some PDFs have instead."""
    return unicodedata.normalize("NFKC", c) if "\u2e80" <= c <= "\u2fdf" else c


def _mojibake(word: str) -> bool:
    """Whether a word is UTF-8 that was read as Latin-1 or Windows-1252."""
    if not _LATIN1.search(word):
        return False
    for codec in ("cp1252", "latin-1"):
        try:
            return word.encode(codec).decode("utf-8") != word
        except UnicodeError:
            continue
    return False


# --- rows of one word ----------------------------------------------------------------------------


def _key(row: UserWord) -> str:
    """The same key for rows of one word; deletions ignore width and case."""
    return _folded(row.word, row.fold or row.level == "delete", row.script)


def _folded(word: str, fold: bool, script: bool) -> str:
    word = chars.fold_str(word) if fold else word
    return variants.same_str(word) if script else word


def _check_repeats(rows: list[UserWord], report: Callable[[int, str, str], None]) -> None:
    row_of: dict[str, int] = {}
    for number, row in enumerate(rows):
        for key in {_key(row), row.word}:
            if key not in row_of:
                continue
            old = rows[row_of[key]]
            kind, reason = _repeat_fault(old, row)
            report(number, kind, reason)
            break
        row_of[row.word] = row_of[_key(row)] = number


def _repeat_fault(old: UserWord, row: UserWord) -> tuple[str, str]:
    place = f"in line {old.line}" if old.line else "before"
    if old.source != row.source and old.source:
        place = f"in {old.source}, line {old.line}"
    level, old_level = _level_text(row), _level_text(old)
    if level != old_level:
        return "contradiction", (
            f"{row.word!r} is {level} here and {old_level} {place}: only the last row counts; "
            "keep one"
        )
    if old.payload != row.payload:
        return "contradiction", (
            f"{row.word!r} has another payload {place}: only the last row counts; keep one"
        )
    return "duplicate", f"{row.word!r} was also given {place}: remove one"


def _level_text(row: UserWord) -> str:
    text = f"weight {row.weight:g}" if row.level == "weight" else row.level
    if row.parts:
        text = f"split {'|'.join(row.parts)}"
    return f"{text}, tag {row.tag}" if row.tag else text


# --- words beside others -------------------------------------------------------------------------

_RANK = {"force": 2, "prefer": 1, "weight": 0}


def _check_overlaps(
    rows: list[UserWord], live: list[int], report: Callable[[int, str, str], None]
) -> None:
    """Report words that contain a word of a higher level, or overlap a word that wins."""
    preferred: dict[str, int] = {}  # words of the levels force and prefer
    heads: dict[str, int] = {}  # beginnings of splits and words of force
    tails: dict[str, int] = {}  # their ends
    for number in live:
        row = rows[number]
        if row.level not in ("force", "prefer"):
            continue
        preferred[row.word] = number
        if row.parts or row.level == "force":
            for length in range(1 if row.parts else 2, len(row.word)):
                heads.setdefault(row.word[:length], number)
                tails.setdefault(row.word[-length:], number)
    forced = {word: number for word, number in preferred.items() if rows[number].level == "force"}
    lengths = [sorted({len(word) for word in words}) for words in (preferred, forced)]
    for number in live:
        row = rows[number]
        rank = _RANK.get(row.level)
        if rank is None or len(row.word) > _MAX_WORD:
            continue
        winner = None
        if rank < 2:
            winner = _winner_inside(row.word, (preferred, forced)[rank], lengths[rank], rows)
        if winner is not None:
            rival = rows[winner]
            report(
                number,
                "useless",
                f"{row.word!r} can never be a token: {_row_text(rival)} is part of it and takes "
                f"precedence; give it the level {rival.level}",
            )
            continue
        if row.parts or not (heads or tails):
            continue
        for length in range(len(row.word) - 1, 0, -1):
            left, right = tails.get(row.word[:length]), heads.get(row.word[-length:])
            for neighbour in (left, right):
                if neighbour is None or not _wins(rows[neighbour], row, neighbour is left):
                    continue
                rival = rows[neighbour]
                first, last = (rival, row) if neighbour is left else (row, rival)
                joined = first.word + last.word[length:]
                report(
                    number,
                    "overlap",
                    f"{row.word!r} loses to {_row_text(rival)} in {joined!r}: remove one, or make "
                    "a word of both",
                )
                break
            else:
                continue
            break


def _winner_inside(
    word: str, higher: dict[str, int], lengths: list[int], rows: list[UserWord]
) -> int | None:
    """Return the number of a row of a higher level inside a word, or None."""
    for n in lengths:
        if n >= len(word):
            break
        for start in range(len(word) - n + 1):
            number = higher.get(word[start : start + n])
            if number is None:
                continue
            if rows[number].inside or (_may_end_at(word, start) and _may_end_at(word, start + n)):
                return number
    return None


def _may_end_at(word: str, offset: int) -> bool:
    """Whether a word of the user may begin or end at an offset: not inside a run of letters."""
    if offset in (0, len(word)):
        return True
    left, right = (chars.char_class(ord(c)) in _RUNS for c in (word[offset - 1], word[offset]))
    return not (left and right)


_RUNS = frozenset((chars.LATIN, chars.DIGIT, chars.GREEK, chars.CYRILLIC, chars.LETTER))


def _wins(other: UserWord, row: UserWord, leftmost: bool) -> bool:
    """Whether ``other`` wins if both overlap: the higher level, then the longer, then the left."""
    rank = (_RANK[row.level], len(row.word), not leftmost)
    return (_RANK[other.level], len(other.word), leftmost) > rank


def _row_text(row: UserWord) -> str:
    line = f", line {row.line}" if row.line else ""
    text = f"the split {'|'.join(row.parts)!r}" if row.parts else f"{row.word!r}"
    return f"{text} ({row.level}{line})"
