"""SQLite's full-text search (FTS5) with our words, through ``apsw`` or Python's own ``sqlite3``.

FTS5 stores tokens in a row, one per position, and reads a quoted part of a query as a phrase.  So
the tokens are characters (a run of letters or digits counts as one), each with a mark that says
whether it ends a word: see :mod:`segmenter.adapters._ends`.  Every substring of a text is a phrase
of tokens, however the text was cut, and whole words rank higher.  ``highlight`` and ``snippet``
mark the characters of the query and no others.  The tokenizer is the FTS5 extension
(``segmenter/capi/fts5.cpp``), which programs in other languages load as it is.

>>> import apsw
>>> db = apsw.Connection("")
>>> register(db)
>>> _ = db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
>>> _ = db.execute("insert into docs values ('中华人民共和国成立了')")
>>> db.execute("select highlight(docs, 0, '[', ']') from docs(?)", (match("人民共和国"),)).get
'中华[人民共和国]成立了'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from segmenter.adapters import _fts5
from segmenter.adapters._ends import ends_word
from segmenter.adapters._terms import Terms, terms_of
from segmenter.choices import one_of
from segmenter.errors import ArgumentError, wrong_type

if TYPE_CHECKING:
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions

MISMATCH = ("refuse", "read-only")

# Signs in a query of `match`: before units with marks, between units, between readings of a unit.
_MARKED, _NEXT, _OR = "\x01", "\x02", "\x03"
_SYNTAX = frozenset((_MARKED, _NEXT, _OR))


def register(
    connection: Any,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    name: str = "segmenter",
    mismatch: str = "refuse",
) -> None:
    """Register ``tokenize='segmenter'`` with a connection; required before tables are used.

    The first table of a database that is created stores the Segmenter's fingerprint in the table
    ``segmenter_tokenizers``.  Every connection compares it with its own Segmenter's here, and again
    when it first uses a table, in databases attached later too.

    Args:
        connection: an ``apsw.Connection``, or a ``sqlite3.Connection`` of a Python
            whose ``sqlite3`` loads extensions.
        segmenter: None: the default preset.
        options: what is indexed; None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
        name: the tokenizer's name in ``tokenize=``.
        mismatch: what to do if the tables were filled by another Segmenter or with other options:
            ``"refuse"``, or ``"read-only"``: search them (every string is found, but whole words
            may rank lower) and raise an error when they are written to.

    Raises:
        ArgumentError: there are tables that another Segmenter filled: :func:`rebuild` them.
        ArgumentError: this Python's ``sqlite3`` was built without loadable extensions.
        ResourceError: this package was compiled without SQLite's header.
        TypeError: an argument of another type.
    """
    one_of("mismatch", mismatch, MISMATCH)
    terms = Terms(segmenter, options, script)
    _check_name(name)
    _fts5.use(connection, terms, name, mismatch)


def rebuild(
    connection: Any,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    name: str = "segmenter",
) -> list[str]:
    """Register, and index the texts of all tables of this tokenizer again.

    Use a connection that has not used the tables yet.

    Args:
        connection, segmenter, options, script, name: as in :func:`register`.

    Returns:
        the names of the tables.

    Raises:
        ArgumentError: a contentless table: FTS5 keeps no texts to cut again.
    """
    terms = Terms(segmenter, options, script)
    _check_name(name)
    return _fts5.use(connection, terms, name, "rebuild").splitlines()


def match(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    any_word: bool = False,
    phrase: bool = False,
) -> str:
    """Return a query for FTS5's ``MATCH`` for typed text: rows that contain all its words.

    A word is found wherever its characters occur; with ``ORDER BY rank``, rows that contain it as a
    whole word come first.  (A string passed to ``MATCH`` directly is read as FTS5's own syntax, in
    which a row of Chinese characters is a phrase.)

    Args:
        text: any text; no character is syntax.
        segmenter, options, script: as in :func:`register`.
        any_word: find rows with any of the words, not all of them.
        phrase: find the words in this order, next to each other.

    Raises:
        TypeError: ``text`` is not a str.

    >>> match("研究生院 招生办法").count("OR")
    3
    """
    # FTS5 reads a query up to its first NUL
    terms = terms_of(segmenter, options, script, text)
    parts = terms.parts(text.replace("\0", " "), phrase=phrase)
    clauses = [_clause(text, part) for part in parts]
    return (" OR " if any_word else " AND ").join(clauses) or '""'


def _clause(text: str, part: list[Unit]) -> str:
    """A clause for a part: the units with their marks, or the plain string."""
    string = text[part[0].start : part[-1].end].replace('"', '""').replace("\0", " ")
    if not _SYNTAX.isdisjoint(string):  # such characters are units too
        return f'"{_MARKED if string.startswith(_MARKED) else ""}{string}"'
    tokens = [_OR.join(unit.readings).replace('"', '""') + ends_word(unit) for unit in part]
    return f'("{_MARKED}{_NEXT.join(tokens)}" OR "{string}")'


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise wrong_type("name", name, "str")
    if not re.fullmatch(r"\w+", name):
        raise ArgumentError(f"name: {name!r} is not one word of letters and digits")
