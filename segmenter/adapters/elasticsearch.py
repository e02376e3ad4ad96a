"""Elasticsearch and OpenSearch: fields of segmented text, and queries for them, as JSON.

No plugin is needed: terms are joined by spaces, and the server's ``whitespace`` tokenizer splits
them.  A text gets two more fields: its terms (:class:`segmenter.adapters.bm25.Bag`), for ranking,
and its characters (a run of letters or digits counts as one), in which every substring is a phrase.

>>> source("臺灣大學，圖書館", "body")["body_characters"]
'台 湾 大 学 _ 图 书 馆'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters._terms import terms_of
from segmenter.adapters.bm25 import Bag, joined
from segmenter.errors import check_str
from segmenter.text import variants

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from segmenter.adapters._terms import Terms, Unit
    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions

#: Stands for blanks and punctuation among the characters, so that phrases end there.
GAP = "_"


def mapping(
    field: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> dict[str, Any]:
    """Return the settings and mappings for creating an index.

    ``_meta`` contains the Segmenter's fingerprint: if it differs from the current one, reindex.

    Args:
        field: the field of the text; its terms are in ``FIELD_words``, its characters in
            ``FIELD_characters``.
        segmenter, options, script: as in :func:`source`.
    """
    check_str("field", field)
    analyzed = {"type": "text", "analyzer": "segmenter"}
    return {
        "settings": {
            "analysis": {"analyzer": {"segmenter": {"type": "custom", "tokenizer": "whitespace"}}}
        },
        "mappings": {
            "properties": {
                field: {"type": "text", "index": False},
                f"{field}_words": {**analyzed, "index_options": "freqs"},
                f"{field}_characters": {**analyzed, "index_options": "positions", "norms": False},
            },
            "_meta": {"segmenter": Bag(segmenter, options, script=script).fingerprint},
        },
    }


def source(
    text: str,
    field: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> dict[str, str]:
    """Return the fields of one text.

    Args:
        field: as in :func:`mapping`.
        segmenter: None: the default preset.
        options: None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.
    """
    check_str("field", field)
    terms = terms_of(segmenter, options, script, text)
    return {
        field: text,
        f"{field}_words": joined(Bag(segmenter, options, script=script)(text)),
        f"{field}_characters": _row(terms, terms.units(text), 0),
    }


def query(
    text: str,
    field: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    phrase: bool = False,
    any_word: bool = False,
) -> dict[str, Any]:
    """Return a query for typed text: texts that contain all its words, best first.

    A word is found wherever its characters occur; texts that contain it as a word rank higher.

    Args:
        text: any text; no character is syntax.
        field: as in :func:`mapping`.
        segmenter, options, script: as in :func:`source`.
        phrase: find the words in this order, next to each other.
        any_word: find texts with any of the words, not all of them.

    Returns:
        the value of ``"query"`` in a search request.
    """
    check_str("field", field)
    terms = terms_of(segmenter, options, script, text)
    parts = terms.parts(text, phrase=phrase)
    if not parts:
        return {"match_none": {}}
    filters: list[dict[str, Any]] = [
        {"match_phrase": {f"{field}_characters": _row(terms, part, part[0].position)}}
        for part in parts
    ]
    ranking = {"match": {f"{field}_words": joined(Bag(segmenter, options, script=script)(text))}}
    if any_word:
        filters = [{"bool": {"should": filters, "minimum_should_match": 1}}]
    # the characters decide whether a text is found, the words only its rank
    return {"bool": {"filter": filters, "should": [ranking]}}


def _row(terms: Terms, units: Iterable[Unit], start: int) -> str:
    """Units from the position `start` on, joined by blanks."""
    row: list[str] = []
    for unit in units:
        row += [GAP] * (unit.position - start - len(row))
        row.append(_term(terms, unit))
    return " ".join(row)


def _term(terms: Terms, unit: Unit) -> str:
    """A unit in the form that all its readings share."""
    if not terms.script:
        return joined([unit.text])
    return joined(["".join(chr(variants.same(ord(c))) for c in unit.text)])
