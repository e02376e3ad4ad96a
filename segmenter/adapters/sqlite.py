"""SQLite's full-text search (FTS5) by our words, through ``apsw`` or Python's own ``sqlite3``.

FTS5 stores tokens in a row, one per position, and reads a quoted part of a query as a phrase.  So
the tokens are characters (a run of letters or digits counts as one), each with a mark that says
whether it ends a word: see :mod:`segmenter.adapters._ends`.  Every substring of a text is a phrase
of tokens, however the text was cut, and whole words rank higher.  ``highlight`` and ``snippet``
mark the characters of the query and no others.

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
from contextlib import contextmanager
from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._columns import columns
from segmenter.adapters._ends import ends_word, forms, marked
from segmenter.adapters._terms import Terms, differs, terms_of
from segmenter.choices import one_of
from segmenter.errors import ArgumentError, EncodingError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.search import SearchOptions
    from segmenter.segmenter import Segmenter

    Row = tuple[Any, ...]  # first and last byte, then the token and others at the same place

MISMATCH = ("refuse", "read-only")
_REBUILD = "rebuild"  # while tables of another Segmenter are cut again

#: The table in which a database keeps who cut it.
KEPT = "segmenter_tokenizers"

# FTS5's flags
_QUERY, _PREFIX, _DOCUMENT = 1, 2, 4
# In a query of `match`: marks are given, between units, between readings of a unit.
_MARKED, _NEXT, _OR = "\x01", "\x02", "\x03"
_SYNTAX = frozenset((_MARKED, _NEXT, _OR))
_UNIT = f"[^{_MARKED}{_NEXT}{_OR}]+"
_CUT = re.compile(f"{_MARKED}{_UNIT}(?:[{_NEXT}{_OR}]{_UNIT})*")
#: What a fingerprint ends in: the version of the tokens in a table.
_ENDING = " fts5=3"


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
        connection: an ``apsw.Connection``, or a ``sqlite3.Connection`` (extra ``[sqlite3]``).
        segmenter: None: the default preset.
        options: what is indexed; None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
        name: the tokenizer's name in ``tokenize=``.
        mismatch: what to do if the tables were filled by another Segmenter or with other options:
            ``"refuse"``, or ``"read-only"``: search them (every string is found, but whole words
            may rank lower) and raise an error when they are written to.

    Raises:
        ArgumentError: there are tables that another Segmenter cut: :func:`rebuild` them.
        MissingExtraError: a ``sqlite3.Connection``, and the package sqlitefts is missing.
        TypeError: an argument of another type.
    """
    one_of("mismatch", mismatch, MISMATCH)
    terms = Terms(segmenter, options, script)
    install = _installer(connection)
    _check_name(name)
    tokenizer = _Tokenizer(terms, name, mismatch)
    for schema in _schemas(connection):
        if not _tables(connection, schema, name) and _kept(connection, schema, name) is not None:
            with _if_writable():
                _forget(connection, schema, name)
    tokenizer.check(connection)
    install(name, tokenizer.make)


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
    install = _installer(connection)
    _check_name(name)
    under_way = getattr(connection, "in_transaction", False)
    found = [(s, *table) for s in _schemas(connection) for table in _tables(connection, s, name)]
    for _, table, sql in found:
        if _CONTENTLESS.search(sql):
            raise ArgumentError(
                f"connection: table {table} is contentless, so SQLite has no texts to segment "
                "again: drop it, register, create it and fill it from its source"
            )
    tokenizer = _Tokenizer(terms, name, _REBUILD)
    install(name, tokenizer.make)
    for schema, table, _ in found:
        one, many = _quoted(schema), _quoted(table)
        connection.execute(f"insert into {one}.{many}({many}) values ('rebuild')")
    for schema in dict.fromkeys(schema for schema, _, _ in found):
        _keep(connection, schema, name, _fingerprint(terms))
        # a change of the schema: other connections open their tables again, and compare
        of = f"{_quoted(schema)}.{KEPT}_changed"
        connection.execute(f"create table {of} (x)")
        connection.execute(f"drop table {of}")
    if found and not under_way and hasattr(connection, "commit"):  # sqlite3 began a transaction
        connection.commit()
    tokenizer.mismatch = "refuse"
    return [table for _, table, _ in found]


def match(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    any_word: bool = False,
    phrase: bool = False,
) -> str:
    """Return a query for FTS5's ``MATCH`` for what a person typed: rows that contain all its words.

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
    either = [_either(text, part) for part in parts]
    return (" OR " if any_word else " AND ").join(either) or '""'


def _either(text: str, part: list[Unit]) -> str:
    """A part as it was cut, or as a string."""
    string = text[part[0].start : part[-1].end].replace('"', '""').replace("\0", " ")
    if not _SYNTAX.isdisjoint(string):  # such characters are units too
        return f'"{_MARKED if string.startswith(_MARKED) else ""}{string}"'
    spelt = [_OR.join(unit.readings).replace('"', '""') + ends_word(unit) for unit in part]
    return f'("{_MARKED}{_NEXT.join(spelt)}" OR "{string}")'


class _Tokenizer:
    """The tokenizer of one registration, which FTS5 calls."""

    def __init__(self, terms: Terms, name: str, mismatch: str) -> None:
        self.terms = terms
        self.name = name
        self.mismatch = mismatch
        self.writable = True

    def make(self, connection: Any, arguments: list[str]) -> Callable[..., Iterable[Row]]:
        """FTS5 calls this where a connection creates a table or first uses one."""
        if arguments:
            raise ArgumentError(
                f"tokenize: {self.name!r} takes no arguments, {arguments} were given"
            )
        self.check(connection)
        return self

    def check(self, connection: Any) -> None:
        """Compare the fingerprints of all databases, and store it where there is none yet."""
        name, given = self.name, _fingerprint(self.terms)
        writable = True
        for schema in _schemas(connection):
            tables = _tables(connection, schema, name)
            kept = _kept(connection, schema, name)
            if not tables or kept == given or self.mismatch == _REBUILD:
                continue
            if kept is None and not any(_filled(connection, schema, t) for t, _ in tables):
                with _if_writable():
                    _keep(connection, schema, name, given)
            elif kept and not kept.endswith(_ENDING):
                raise ArgumentError(
                    f"segmenter: table {tables[0][0]} of the database has tokens of another form "
                    f"(it was filled by another version of this package: {kept!r}): "
                    "sqlite.rebuild(connection, segmenter) cuts it again"
                )
            elif self.mismatch == "refuse":
                raise differs(
                    f"table {tables[0][0]} of the database", kept or "no record", given,
                    "sqlite.rebuild(connection, segmenter) cuts it again; register(…, "
                    "mismatch='read-only') searches it as it is",
                )  # fmt: skip
            else:
                writable = False
        self.writable = writable

    def __call__(self, utf8: bytes, flags: int, locale: str | None = None) -> Iterable[Row]:
        try:
            text = utf8.decode("utf-8")
        except UnicodeDecodeError as e:
            raise EncodingError("text of the table is not UTF-8", offset=e.start) from e
        if flags & _QUERY:
            return _query(self.terms, text, bool(flags & _PREFIX))
        if flags & _DOCUMENT and not self.writable:
            raise ArgumentError(
                f"segmenter: the tables of {self.name!r} were filled by another one and are open "
                "for reading only: sqlite.rebuild(connection, segmenter) segments them again"
            )
        return self.document(text)

    def document(self, text: str) -> list[Row]:
        """Return the units of a text with their marks; offsets are in bytes."""
        found = columns(self.terms, text, ends_only=True)
        if found is None:
            return self._one_by_one(text)
        byte = found.widths
        return list(
            zip(byte[found.starts].tolist(), byte[found.ends].tolist(), found.tokens, strict=True)
        )

    def _one_by_one(self, text: str) -> list[Row]:
        at = byte = 0
        out: list[Row] = []
        units = list(self.terms.units(text))
        for unit, tokens in zip(units, marked(units), strict=True):
            start = byte + len(text[at : unit.start].encode())
            at, byte = unit.end, start + len(text[unit.start : unit.end].encode())
            out.append((start, byte, *tokens))
        return out


def _query(terms: Terms, text: str, prefix: bool) -> Iterator[Row]:
    """The units of a phrase, each in all its forms, since colocated tokens are alternatives."""
    if text.startswith(_MARKED * 2):
        text = text[1:]
    elif _CUT.fullmatch(text):
        for spelt in text[1:].split(_NEXT):
            readings, mark = spelt[:-1].split(_OR), spelt[-1:]
            yield 0, 0, *(form for reading in readings for form in forms(reading, mark))
        return
    (units,) = terms.parts(text, phrase=True) or [[]]
    for k, unit in enumerate(units):
        if prefix and k == len(units) - 1:
            yield 0, 0, *unit.readings  # whatever mark comes after
        else:
            yield 0, 0, *(form for reading in unit.readings for form in forms(reading))


# --- databases -----------------------------------------------------------------------------------


def _installer(connection: Any) -> Callable[[str, Any], None]:
    """How this connection, of either package, registers a tokenizer."""
    if hasattr(connection, "register_fts5_tokenizer"):
        return connection.register_fts5_tokenizer  # type: ignore[no-any-return]
    import sqlite3

    if isinstance(connection, sqlite3.Connection):
        require("sqlitefts", "sqlite3", f"{__name__} with Python's own sqlite3")
        from segmenter.adapters._sqlite3 import install

        return lambda name, make: install(connection, name, make)
    raise wrong_type("connection", connection, "an apsw.Connection or a sqlite3.Connection")


_CONTENTLESS = re.compile(r"""\bcontent\s*=\s*(''|"")""", re.I)


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise wrong_type("name", name, "str")
    if not re.fullmatch(r"\w+", name):
        raise ArgumentError(f"name: {name!r} is not one word of letters and digits")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _schemas(connection: Any) -> list[str]:
    rows = list(connection.execute("select name from pragma_database_list"))
    return [name for (name,) in rows if name != "temp"]


def _tables(connection: Any, schema: str, name: str) -> list[tuple[str, str]]:
    """The FTS5 tables that use the tokenizer: their names and SQL."""
    asks = re.compile(
        rf"""\busing\s+fts5\b.*\btokenize\s*=\s*['"\s]*{re.escape(name)}\b""", re.I | re.S
    )
    rows = connection.execute(
        f"select name, sql from {_quoted(schema)}.sqlite_master where type = 'table'"
    )
    return [(table, sql) for table, sql in list(rows) if sql and asks.search(sql)]


def _fingerprint(terms: Terms) -> str:
    return terms.fingerprint + _ENDING


def _kept(connection: Any, schema: str, name: str) -> str | None:
    of = _quoted(schema)
    if not list(connection.execute(f"select 1 from {of}.sqlite_master where name = ?", (KEPT,))):
        return None
    rows = connection.execute(f"select fingerprint from {of}.{KEPT} where name = ?", (name,))
    return next((kept for (kept,) in list(rows)), None)


def _filled(connection: Any, schema: str, table: str) -> bool:
    """Whether an FTS5 table has ever held tokens: its numbers up to 10 are FTS5's own records."""
    of, data = _quoted(schema), f"{table}_data"
    if not list(connection.execute(f"select 1 from {of}.sqlite_master where name = ?", (data,))):
        return False  # it is being created
    rows = connection.execute(f"select 1 from {of}.{_quoted(data)} where id > 10 limit 1")
    return bool(list(rows))


def _keep(connection: Any, schema: str, name: str, fingerprint: str) -> None:
    """Store a fingerprint, as part of the statement that FTS5 runs, if it runs one."""
    of = f"{_quoted(schema)}.{KEPT}"
    connection.execute(
        f"create table if not exists {of} (name text primary key, fingerprint text not null)"
    )
    # sqlite3 begins a transaction before "insert", which it cannot while a statement runs
    connection.execute(
        f"with given as (select ?, ?) insert or replace into {of} select * from given",
        (name, fingerprint),
    )


def _forget(connection: Any, schema: str, name: str) -> None:
    """Remove the fingerprint of tables that are gone."""
    connection.execute(
        f"with gone as (select ?) delete from {_quoted(schema)}.{KEPT} where name in gone", (name,)
    )


@contextmanager
def _if_writable() -> Iterator[None]:
    """Leave out what a database refuses that is only read, or that another connection writes to."""
    try:
        yield
    except Exception as e:
        if type(e).__name__ not in ("ReadOnlyError", "OperationalError", "BusyError"):
            raise
