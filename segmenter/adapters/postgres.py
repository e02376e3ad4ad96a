"""PostgreSQL full-text search: ``tsvector`` and ``tsquery`` from our words, for any driver.

Both are made here and sent as text; the server needs no extension.  The lexemes are characters (a
run of letters or digits counts as one), each with a mark for its place in the word: see
:mod:`segmenter.adapters._terms`.  Every substring of a text is a phrase of lexemes.

>>> tsvector("共和国成立")
"'共<':1 '和-':2 '国>':3 '成<':4 '立>':5"
>>> tsquery("国")
"('国.' | '国<' | '国-' | '国>')"
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from segmenter.adapters._terms import MARKS, Terms, stale_index, terms_of
from segmenter.errors import ArgumentError, check_str

if TYPE_CHECKING:
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions

#: PostgreSQL's limits (chapter 12.11 of its manual): bytes of a lexeme, largest position, and
#: positions per lexeme.
MAX_BYTES, MAX_POSITION, MAX_POSITIONS = 2046, 16383, 255
#: The table that stores the fingerprint of each column's Segmenter.
TABLE = "segmenter_columns"


def tsvector(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> str:
    """Return the text of a ``tsvector``, for ``INSERT … VALUES (%s, %s::tsvector)``.

    Runs of more than 2,046 bytes are left out, as by ``to_tsvector``.  PostgreSQL counts positions
    up to 16,383 and keeps 255 per lexeme.  Beyond that, words of the text are still found, but
    other substrings are not, so split long texts into rows (:func:`segmenter.chunks`).

    Args:
        segmenter: None: the default preset.
        options: what is indexed; None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
    """
    terms = terms_of(segmenter, options, script, text)
    positions = _positions(terms, text)
    return " ".join(
        f"{_quoted(word)}:{','.join(map(str, positions[word]))}" for word in sorted(positions)
    )


def _positions(terms: Terms, text: str) -> dict[str, list[int]]:
    """The lexemes and their positions, as many as PostgreSQL keeps."""
    positions: dict[str, list[int]] = {}
    for start, end, _, row in terms.rows(text):
        full = False
        for unit in row:
            for reading in unit.readings:
                if _fits(reading):
                    numbers = positions.setdefault(reading + unit.mark, [])
                    full = full or len(numbers) >= MAX_POSITIONS or unit.position >= MAX_POSITION
                    numbers.append(min(unit.position + 1, MAX_POSITION))
        if full:
            for inner in _inner_words(terms, text[start:end]):
                if _fits(inner):
                    positions.setdefault(inner, []).append(MAX_POSITION)
    for numbers in positions.values():
        del numbers[MAX_POSITIONS:]
    return positions


def tsquery(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    phrase: bool = False,
    any_word: bool = False,
) -> str:
    """Return the text of a ``tsquery`` for typed text: ``WHERE words @@ %s::tsquery``.

    A word is found wherever its characters occur in a row.

    Args:
        text: any text; no character is syntax.
        segmenter, options, script: as in :func:`tsvector`.
        phrase: find the words in this order, next to each other.
        any_word: find rows with any of the words, not all of them.

    Returns:
        the query; "", which finds nothing, if there are no words.
    """
    terms = terms_of(segmenter, options, script, text)
    words = set() if phrase else terms.spans(text)
    strings = []
    for part in _parts(terms, text, phrase):
        string = _phrase(part, marked=False)
        start, end = part[0].start, part[-1].end
        if len(part) > 1 and (start, end) in words:
            string = f"({string} | {_quoted(terms.fold(text[start:end]))})"
        strings.append(string)
    return (" | " if any_word else " & ").join(strings)


def ts_words(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> str:
    """Return a ``tsquery`` of whole words, any of them, for ``ORDER BY ts_rank(words, …)``.

    Args:
        text: the text of the :func:`tsquery`.
        segmenter, options, script: as in :func:`tsvector`.

    >>> ts_words("共和国")
    "('共<' <-> '和-' <-> '国>')"
    """
    parts = _parts(terms_of(segmenter, options, script, text), text, False)
    return " | ".join(_phrase(part, marked=True) for part in parts)


def check(
    connection: Any,
    column: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    new: bool = False,
) -> None:
    """Store the fingerprint of a column's Segmenter in the database, and refuse a different one.

    Call it before you fill or search the column.  The first call writes a row of the table
    ``segmenter_columns``; the caller commits.

    Args:
        connection: from psycopg, or another driver with ``cursor()`` and ``%s``.
        column: a name for the column, such as ``articles.words``.
        segmenter, options, script: as in :func:`tsvector`.
        new: the column has just been refilled: overwrite the fingerprint.

    Raises:
        ArgumentError: the column was filled by another Segmenter or with other options.
    """
    check_str("column", column)
    if not re.fullmatch(r"\w+(\.\w+)*", column):
        raise ArgumentError(f"column: {column!r} is not of the form table.column")
    current = Terms(segmenter, options, script).fingerprint
    with connection.cursor() as cursor:
        cursor.execute(
            f"create table if not exists {TABLE} (name text primary key, fingerprint text not null)"
        )
        cursor.execute(f"select fingerprint from {TABLE} where name = %s", (column,))
        row = cursor.fetchone()
        if row is not None and row[0] != current and not new:
            raise stale_index(
                f"column {column}", row[0], current,
                "fill the column again and call check(…, new=True)",
            )  # fmt: skip
        if row is None or new:
            cursor.execute(
                f"insert into {TABLE} values (%s, %s) "
                "on conflict (name) do update set fingerprint = excluded.fingerprint",
                (column, current),
            )


def _inner_words(terms: Terms, word: str) -> set[str]:
    """A word and the words inside it, folded."""
    return {terms.fold(inner) for inner in terms.segmenter.cut_for_search(word)}


def _parts(terms: Terms, text: str, phrase: bool) -> list[list[Unit]]:
    parts = [[u for u in part if _fits(u.text)] for part in terms.parts(text, phrase=phrase)]
    return [part for part in parts if part]


def _phrase(part: list[Unit], *, marked: bool) -> str:
    query = ""
    for i, unit in enumerate(part):
        if i:
            distance = unit.position - part[i - 1].position
            query += " <-> " if distance == 1 else f" <{distance}> "
        marks = unit.mark if marked else "".join(MARKS)
        forms = [_quoted(reading + mark) for reading in unit.readings for mark in marks]
        query += forms[0] if len(forms) == 1 else "(" + " | ".join(forms) + ")"
    return f"({query})" if len(part) > 1 else query


def _fits(word: str) -> bool:
    return len(word.encode("utf-8", "replace")) < MAX_BYTES


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
