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
from segmenter.adapters._terms import MARKS, Terms, differs, terms_of

if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.core import Segmenter
    from segmenter.search import SearchOptions

tantivy = require("tantivy", "tantivy", __name__)

#: The file in an index's folder that stores the fingerprint of its Segmenter.
KEPT = "segmenter.fingerprint"
_ANY = "[" + "".join(sorted(MARKS, reverse=True)) + "]"  # the hyphen last, where it is no range


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
    """Return a query for what a person typed: documents that contain all its words.

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
        return tantivy.Query.empty_query()
    occurs = tantivy.Occur.Should if any_word else tantivy.Occur.Must
    return tantivy.Query.boolean_query([(occurs, _part(schema, field, part)) for part in parts])


def _part(schema: Any, field: str, part: list[Unit]) -> Any:
    """Finds the characters of a part; scores higher if they are the words of the query."""
    made = tantivy.Query
    first = part[0].position
    places = [unit.position - first for unit in part]
    cut: list[Any] = []
    for k in range(1 + any(unit.other for unit in part)):  # all in one reading, or in the other
        words = [unit.readings[-1] if k else unit.text for unit in part]
        marked = [word + unit.mark for word, unit in zip(words, part, strict=True)]
        if len(part) == 1:
            cut.append(made.term_query(schema, field, marked[0]))
        else:
            cut.append(made.phrase_query(schema, field, list(zip(places, marked, strict=True))))
    if len(part) == 1:
        terms = [r + mark for r in part[0].readings for mark in MARKS]
        either = [(tantivy.Occur.Should, made.term_query(schema, field, term)) for term in terms]
        string = made.boolean_query(either)
    else:
        forms = ["(" + "|".join(map(_escaped, unit.readings)) + ")" + _ANY for unit in part]
        string = made.regex_phrase_query(schema, field, list(zip(places, forms, strict=True)))
    return made.boolean_query(
        [
            (tantivy.Occur.Must, string),
            *((tantivy.Occur.Should, one) for one in cut),
        ]
    )


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
    path = Path(folder) / KEPT
    given = Terms(segmenter, options, script).fingerprint
    if new or not path.exists():
        path.write_text(given + "\n", encoding="utf-8")
        return
    kept = path.read_text("utf-8").strip()
    if kept != given:
        raise differs(
            f"the index in {folder}", kept, given,
            "delete all documents and add them again, then check(…, new=True)",
        )  # fmt: skip
