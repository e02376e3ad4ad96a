"""SQLite's full-text search (FTS5) by our words, through ``apsw``.

FTS5 knows tokens that follow one another, each at a place of its own, and takes what stands in
quotes in a query for a phrase of them.  So the tokens are the leaves of words (see
:func:`segmenter.search.leaves`): a word, and every word inside it, is the phrase of its leaves.
``highlight`` and ``snippet`` then mark the characters of the query and no others.

>>> import apsw
>>> db = apsw.Connection("")
>>> register(db)
>>> _ = db.execute("create virtual table docs using fts5(body, tokenize='segmenter')")
>>> _ = db.execute("insert into docs values ('中华人民共和国成立了')")
>>> db.execute("select highlight(docs, 0, '[', ']') from docs(?)", (match("人民共和国"),)).get
'中华[人民共和国]成立了'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._terms import Terms
from segmenter.errors import ArgumentError, EncodingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from segmenter.engine import Segmenter
    from segmenter.search import SearchOptions

require("apsw", "sqlite", __name__)


def register(
    connection: Any,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    name: str = "segmenter",
) -> None:
    """Makes ``tokenize='segmenter'`` known to a connection; tables need it whenever they are used.

    Args:
        connection: an ``apsw.Connection``.
        segmenter: None: the default preset.  For an index ``load(decoder="unigram")`` cuts queries
            as it cut the texts; ``segmenter.fingerprint`` tells when a table must be built again.
        options: what goes into the index; None: all but blanks, line ends and punctuation.
        name: by which tables ask for it.
    """
    terms = Terms(segmenter, options)

    def factory(_: Any, arguments: list[str]) -> Callable[..., Iterator[tuple[int, int, str]]]:
        if arguments:
            raise ArgumentError(f"tokenize: {name!r} takes no arguments, {arguments} were given")
        return lambda utf8, flags, locale: _tokens(terms, utf8)

    connection.register_fts5_tokenizer(name, factory)


def _tokens(terms: Terms, utf8: bytes) -> Iterator[tuple[int, int, str]]:
    try:
        text = utf8.decode("utf-8")
    except UnicodeDecodeError as e:
        raise EncodingError("text of the table is not UTF-8", offset=e.start) from e
    at, byte = 0, 0
    for term in terms.leaves(text):
        start = byte + len(text[at : term.start].encode())
        at, byte = term.end, start + len(text[term.start : term.end].encode())
        yield start, byte, term.text


def match(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    any_word: bool = False,
) -> str:
    """A query for FTS5's ``MATCH`` from what a person typed: rows that have all its words.

    What is passed to ``MATCH`` as it is, is FTS5's own syntax, and a row of Chinese characters
    in it a phrase.

    Args:
        text: any text; nothing in it is syntax.
        segmenter: as in :func:`register`.
        options: as in :func:`register`.
        any_word: rows that have one of the words; ``ORDER BY rank`` puts the best first.

    >>> match("研究生院 招生办法")
    '"研究生院" "招生" "办法"'
    """
    # FTS5 reads a query up to its first NUL
    words = Terms(segmenter, options).words(text.replace("\0", " "))
    quoted = ['"' + word.text.replace('"', '""') + '"' for word in words]
    return (" OR " if any_word else " ").join(quoted) or '""'
