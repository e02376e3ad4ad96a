"""Unicode's normalisation forms as in ``tokenizers``: in its version, and with its alignment.

That library treats characters that only newer versions of Unicode decompose or reorder as ordinary
ones (``UNNORMALISED`` in ``library.tsv``); every version normalises all others alike.

>>> list(parts("NFC", "xe\u0301y")), changes("NFC", "e\u0301")
([('x', 0, 1), ('é', 1, 3), ('y', 3, 4)], [-1])
"""

from __future__ import annotations

import unicodedata
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from segmenter.subword.characters import contains, library

if TYPE_CHECKING:
    from collections.abc import Iterator

    Name = Literal["NFC", "NFD", "NFKC", "NFKD"]


_LONG = 64  # the marks of parts longer than this are sorted beforehand


@cache
def _inert(c: str) -> bool:
    return contains(library("UNNORMALISED"), c)


@cache
def _composes_back() -> frozenset[str]:
    """Characters of combining class 0 that may combine with the preceding character."""
    jamo = {chr(cp) for cp in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for cp in range(0x30000):
        pair = unicodedata.decomposition(chr(cp)).split()
        if len(pair) == 2 and not pair[0].startswith("<"):
            jamo.add(chr(int(pair[1], 16)))
    return frozenset(jamo)


@cache
def begins(form: Name, c: str) -> bool:
    """Whether a character is normalised independently of the preceding ones."""
    if _inert(c):
        return True
    first_char = unicodedata.normalize("NFKD" if "K" in form else "NFD", c)[0]
    if unicodedata.combining(first_char):
        return False
    return form.endswith("D") or (first_char not in _composes_back() and c not in _composes_back())


def _in_order(form: Name, part: str) -> str:
    """Decompose a part, with its marks in canonical order by a stable sort.  Python's own code
    swaps neighbours, which takes quadratic time in the length of a run of marks."""
    apart = "".join([unicodedata.normalize("NFKD" if "K" in form else "NFD", c) for c in part])
    rows = groupby(apart, key=lambda c: unicodedata.combining(c) != 0)
    return "".join([
        c for marks, row in rows for c in (sorted(row, key=unicodedata.combining) if marks else row)
    ])  # fmt: skip


def parts(form: Name, text: str) -> Iterator[tuple[str, int, int]]:
    """(normalised text, start, end) of the parts of a text that are normalised independently.

    Args:
        form: ``"NFC"``, ``"NFD"``, ``"NFKC"`` or ``"NFKD"``.
    """
    start = 0
    for i in range(1, len(text) + 1):
        if i == len(text) or begins(form, text[i]):
            if _inert(text[start]):
                yield text[start], start, start + 1
                start += 1
            if start < i:
                part = text[start:i]
                if i - start > _LONG:
                    part = _in_order(form, part)
                yield unicodedata.normalize(form, part), start, i
            start = i


def changes(form: Name, part: str) -> list[int]:
    """The changes of a part, for :meth:`Aligned.transformed <.aligned.Aligned.transformed>`.

    As ``tokenizers`` counts, a composed character replaces all characters that it is composed of;
    if marks are reordered, positions are counted rather than marks.
    """
    canonical: Name = "NFKD" if "K" in form else "NFD"
    row: list[tuple[str, int]] = []
    marks: list[tuple[int, str, int]] = []
    for c in part:
        for i, d in enumerate(unicodedata.normalize(canonical, c)):
            rank = unicodedata.combining(d)
            if rank:
                marks.append((rank, d, min(i, 1)))
                continue
            row += [(mark, n) for _, mark, n in sorted(marks, key=lambda m: m[0])]
            marks.clear()
            row.append((d, min(i, 1)))
    row += [(mark, n) for _, mark, n in sorted(marks, key=lambda m: m[0])]
    return [n for _, n in row] if form.endswith("D") else _composed(row)


def _composed(row: list[tuple[str, int]]) -> list[int]:
    changes: list[int] = []
    base: tuple[str, int] | None = None
    trailing: list[int] = []  # marks that did not combine with the held character
    rank = 0  # combining class of the last of them
    for c, change in row:
        new = unicodedata.combining(c)
        if base is None:
            if new:
                changes.append(change)
            else:
                base = c, change
            continue
        if not trailing or rank < new:
            composed = unicodedata.normalize("NFC", base[0] + c)
            if len(composed) == 1:
                base = composed, base[1] + change - 1
                continue
        if new:
            trailing.append(change)
            rank = new
            continue
        changes += [base[1], *trailing]
        base, trailing = (c, change), []
    return changes if base is None else [*changes, base[1], *trailing]
