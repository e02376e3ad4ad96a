"""tantivy: pre-tokenised documents, with positions and offsets, and queries for them.

tantivy's Python package cannot call a tokenizer written in Python, but accepts tokenised text.  The
tokens are characters (a run of letters or digits counts as one), each with a mark for its place in
the word: see :mod:`segmenter.adapters._terms`.  Every substring of a text is a phrase of tokens,
and whole words rank higher.

>>> [(t.text, t.position) for t in pretokenized("共和国，成立").tokens]
[('共<', 0), ('和-', 1), ('国>', 2), ('成<', 4), ('立>', 5)]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._terms import MARKS, Terms, stale_index, terms_of

if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions

tantivy = require("tantivy", "tantivy", __name__)
_Query, _Occur = tantivy.Query, tantivy.Occur

#: The file in an index's folder that stores the fingerprint of its Segmenter.
FINGERPRINT_FILE = "segmenter.fingerprint"
_ANY_MARK = "[" + "".join(sorted(MARKS, reverse=True)) + "]"  # the hyphen last: not a range


def pretokenized(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> Any:
    """Return the tokens of a text for ``Document.add_pre_tokenized_text``.

    Args:
        text: any text without lone surrogates.
        segmenter: None: the default preset.
        options: what is indexed; None: everything except blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters match each other.

    Returns:
        ``tantivy.PreTokenizedString``.
    """
    terms = terms_of(segmenter, options, script, text)
    return tantivy.PreTokenizedString(
        text,
        [
            tantivy.Token(reading + unit.mark, unit.position, unit.start, unit.end)
            for unit in terms.units(text)
            for reading in unit.readings
        ],
    )


def query(
    schema: Any,
    field: str,
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    phrase: bool = False,
    any_word: bool = False,
) -> Any:
    """Return a query for typed text: documents that contain all its words.

    A word is found wherever its characters occur; documents that contain it as a whole word rank
    higher.  (``Index.parse_query`` uses tantivy's own tokenizers, which know no Chinese words.)

    Args:
        schema: the index's schema.
        field: a text field with positions.
        text: any text; no character is syntax.
        segmenter, options, script: as in :func:`pretokenized`.
        phrase: find the words in this order, next to each other.
        any_word: find documents with any of the words, not all of them.

    Returns:
        ``tantivy.Query``.
    """
    parts = terms_of(segmenter, options, script, text).parts(text, phrase=phrase)
    if not parts:
        return _Query.empty_query()
    occurs = _Occur.Should if any_word else _Occur.Must
    return _Query.boolean_query([(occurs, _part(schema, field, part)) for part in parts])


def _part(schema: Any, field: str, part: list[Unit]) -> Any:
    """A query that finds the characters of a part, and ranks the query's own words higher."""
    start = part[0].position
    offsets = [unit.position - start for unit in part]
    words: list[Any] = []  # all units in their first reading, or all in their last
    for reading in (0, -1) if any(unit.other for unit in part) else (0,):
        texts = [unit.readings[reading] for unit in part]
        marked = [text + unit.mark for text, unit in zip(texts, part, strict=True)]
        if len(part) == 1:
            words.append(_Query.term_query(schema, field, marked[0]))
        else:
            words.append(
                _Query.phrase_query(schema, field, list(zip(offsets, marked, strict=True)))
            )
    if len(part) == 1:
        terms = [r + mark for r in part[0].readings for mark in MARKS]
        clauses = [(_Occur.Should, _Query.term_query(schema, field, term)) for term in terms]
        string = _Query.boolean_query(clauses)
    else:
        forms = ["(" + "|".join(map(_escaped, unit.readings)) + ")" + _ANY_MARK for unit in part]
        string = _Query.regex_phrase_query(schema, field, list(zip(offsets, forms, strict=True)))
    return _Query.boolean_query([(_Occur.Must, string), *((_Occur.Should, word) for word in words)])


def _escaped(text: str) -> str:
    return "".join("\\" + c if c in r"\.+*?()|[]{}^$#&-~" else c for c in text)


def check(
    folder: str | PathLike[str],
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
    new: bool = False,
) -> None:
    """Store the fingerprint of the Segmenter in the index's folder, and refuse a different one.

    Call it when you create or open the index.

    Args:
        folder: the index's folder; the first call writes the file ``segmenter.fingerprint``.
        segmenter, options, script: as in :func:`pretokenized`.
        new: the index has just been emptied or created: overwrite the fingerprint.

    Raises:
        ArgumentError: the index was filled by another Segmenter or with other options.
        OSError: the folder cannot be read or written.
    """
    path = Path(folder) / FINGERPRINT_FILE
    current = Terms(segmenter, options, script).fingerprint
    if new or not path.exists():
        path.write_text(current + "\n", encoding="utf-8")
        return
    stored = path.read_text("utf-8").strip()
    if stored != current:
        raise stale_index(
            f"the index in {folder}", stored, current,
            "delete all documents and add them again, then check(…, new=True)",
        )  # fmt: skip
