"""PostgreSQL full-text search: ``tsvector`` and ``tsquery`` by our words, for any driver.

Both are made here and travel as text; the server needs no extension.  Positions are those of the
token graph, so that phrases match by PostgreSQL's own operators.

>>> tsvector("共和国成立")
"'共和':1 '共和国':1 '成立':3"
>>> tsquery("共和国成立")
"'共和国' & '成立'"
>>> tsquery("共和国成立", phrase=True)
"'共和国' <2> '成立'"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters._terms import Terms

if TYPE_CHECKING:
    from segmenter.engine import Segmenter
    from segmenter.search import SearchOptions

#: PostgreSQL's limits (chapter 12.11 of its manual): bytes of a lexeme, and the last position.
LONGEST, LAST = 2046, 16383


def tsvector(
    text: str, segmenter: Segmenter | None = None, *, options: SearchOptions | None = None
) -> str:
    """What to cast: ``INSERT … VALUES (%s, %s::tsvector)``.

    Words of more than 2,046 bytes are left out, as ``to_tsvector`` does; PostgreSQL counts
    positions to 16,383 and then no further, so that phrases beyond the 16,383th word are not told
    apart.

    Args:
        text: any text.
        segmenter: None: the default preset.  For an index ``load(decoder="unigram")`` cuts queries
            as it cut the texts; ``segmenter.fingerprint`` tells when the column must be filled
            again.
        options: what goes into the index; None: all but blanks, line ends and punctuation.
    """
    places: dict[str, list[int]] = {}
    for term in Terms(segmenter, options).nested(text):
        if len(term.text.encode("utf-8", "replace")) <= LONGEST:
            places.setdefault(term.text, []).append(min(term.position + 1, LAST))
    return " ".join(
        f"{_quoted(word)}:{','.join(map(str, places[word]))}" for word in sorted(places)
    )


def tsquery(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    phrase: bool = False,
    any_word: bool = False,
) -> str:
    """A query from what a person typed: ``WHERE words @@ %s::tsquery``.

    Args:
        text: any text; nothing in it is syntax.
        segmenter: as in :func:`tsvector`.
        options: as in :func:`tsvector`.
        phrase: the words in this order, next to each other.
        any_word: rows that have one of the words.

    Returns:
        "" where there are no words: such a query finds nothing.
    """
    words = [
        word
        for word in Terms(segmenter, options).words(text)
        if len(word.text.encode("utf-8", "replace")) <= LONGEST
    ]
    out = ""
    for i, word in enumerate(words):
        if i:
            distance = word.position - words[i - 1].position
            out += f" <{distance}> " if phrase else " | " if any_word else " & "
        out += _quoted(word.text)
    return out


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
