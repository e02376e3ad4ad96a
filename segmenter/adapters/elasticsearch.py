"""Elasticsearch and OpenSearch: fields that are cut already, and queries for them, as JSON.

No plugin is needed: the server's ``whitespace`` tokenizer parts what was joined here.  A text has
two fields beside it: its terms (:class:`segmenter.adapters.bm25.Bag`), which rank, and its
characters (a run of letters or digits is one), of which every string is a phrase.

>>> source("臺灣大學，圖書館", "body")["body_characters"]
'台 湾 大 学 _ 图 书 馆'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter import variants
from segmenter.adapters._terms import terms_of
from segmenter.adapters.bm25 import Bag, joined
from segmenter.errors import wrong_type

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from segmenter.adapters._terms import Terms, Unit
    from segmenter.search import SearchOptions
    from segmenter.segmenter import Segmenter

#: What stands for a blank or a mark of punctuation among the characters: phrases end there.
NOTHING = "_"


def mapping(
    field: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> dict[str, Any]:
    """The settings and mappings of an index: what its creation takes.

    ``_meta`` names who cuts the texts: where it differs from what this gives now, index again.

    Args:
        field: the field of the text; its terms stand in ``FIELD_words``, its characters in
            ``FIELD_characters``.
        segmenter: as in :func:`source`, as are options and script.
    """
    _check_field(field)
    cut = {"type": "text", "analyzer": "segmenter"}
    return {
        "settings": {
            "analysis": {"analyzer": {"segmenter": {"type": "custom", "tokenizer": "whitespace"}}}
        },
        "mappings": {
            "properties": {
                field: {"type": "text", "index": False},
                f"{field}_words": {**cut, "index_options": "freqs"},
                f"{field}_characters": {**cut, "index_options": "positions", "norms": False},
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
    """The fields of one text.

    Args:
        text: any text.
        field: as in :func:`mapping`.
        segmenter: None: the default preset.
        options: None: all but blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters find each other.
    """
    _check_field(field)
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
    """A query from what a person typed: texts that have all its words, best first.

    A word is found wherever its characters stand; what has it as a word ranks higher.

    Args:
        text: any text; nothing in it is syntax.
        field: as in :func:`mapping`.
        segmenter: as in :func:`source`, as are options and script.
        phrase: the words in this order, next to each other.
        any_word: texts that have one of the words.

    Returns:
        what stands after ``"query"`` in a search's body.
    """
    _check_field(field)
    terms = terms_of(segmenter, options, script, text)
    parts = terms.parts(text, phrase=phrase)
    if not parts:
        return {"match_none": {}}
    asked: list[dict[str, Any]] = [
        {"match_phrase": {f"{field}_characters": _row(terms, part, part[0].position)}}
        for part in parts
    ]
    ranked = {"match": {f"{field}_words": joined(Bag(segmenter, options, script=script)(text))}}
    if any_word:
        asked = [{"bool": {"should": asked, "minimum_should_match": 1}}]
    # its characters tell whether a text is found, its words where it stands
    return {"bool": {"filter": asked, "should": [ranked]}}


def _row(terms: Terms, units: Iterable[Unit], first: int) -> str:
    """Units from the position `first` on, with a blank between two."""
    row: list[str] = []
    for unit in units:
        row += [NOTHING] * (unit.position - first - len(row))
        row.append(_spelt(terms, unit))
    return " ".join(row)


def _spelt(terms: Terms, unit: Unit) -> str:
    """A unit in the one form that all its readings have."""
    if not terms.script:
        return joined([unit.text])
    return joined(["".join(chr(variants.same(ord(c))) for c in unit.text)])


def _check_field(field: object) -> None:
    if not isinstance(field, str):
        raise wrong_type("field", field, "str")
