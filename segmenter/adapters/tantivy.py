"""tantivy: documents already cut into our tokens, with positions and offsets, and queries for them.

tantivy's Python package runs no tokenizer written in Python; it takes text that is tokenised
already.  The tokens are characters (a run of letters or digits is one) with a mark of their place
in a word, see :mod:`segmenter.adapters._terms`: every string of a text is a phrase of them, and one
that consists of whole words ranks higher.

>>> [(t.text, t.position) for t in pretokenized("共和国，成立").tokens]
[('共<', 0), ('和-', 1), ('国>', 2), ('成<', 4), ('立>', 5)]
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._columns import columns
from segmenter.adapters._terms import MARKS, Terms, differs, terms_of

if TYPE_CHECKING:
    from os import PathLike
    from typing import Any

    from segmenter.adapters._terms import Unit
    from segmenter.search import SearchOptions
    from segmenter.segmenter import Segmenter

tantivy = require("tantivy", "tantivy", __name__)

#: The file in an index's folder that says who cut its texts.
KEPT = "segmenter.fingerprint"
_ANY = "[" + "".join(sorted(MARKS, reverse=True)) + "]"  # a hyphen last is one


def pretokenized(
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    script: bool = True,
) -> Any:
    """For ``Document.add_pre_tokenized_text``.

    Args:
        text: any text without lone surrogates.
        segmenter: None: the default preset.
        options: what goes into the index; None: all but blanks, line ends and punctuation.
        script: Traditional, Hong Kong and Taiwan forms of characters find each other.

    Returns:
        ``tantivy.PreTokenizedString``.
    """
    terms = terms_of(segmenter, options, script, text)
    found = columns(terms, text)
    if found is not None:
        places = (found.positions.tolist(), found.starts.tolist(), found.ends.tolist())
        return tantivy.PreTokenizedString(text, list(map(tantivy.Token, found.tokens, *places)))
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
    """A query from what a person typed: documents that have all its words.

    A word is found wherever its characters stand; documents where they are whole words come first.
    ``Index.parse_query`` cuts by tantivy's own tokenizers, which know no Chinese words.

    Args:
        schema: of the index.
        field: a text field with positions.
        text: any text; nothing in it is syntax.
        segmenter: as in :func:`pretokenized`.
        options: as in :func:`pretokenized`.
        script: as in :func:`pretokenized`.
        phrase: the words in this order, next to each other.
        any_word: documents that have one of the words.

    Returns:
        ``tantivy.Query``.
    """
    parts = terms_of(segmenter, options, script, text).parts(text, phrase=phrase)
    if not parts:
        return tantivy.Query.empty_query()
    occurs = tantivy.Occur.Should if any_word else tantivy.Occur.Must
    return tantivy.Query.boolean_query([(occurs, _part(schema, field, part)) for part in parts])


def _part(schema: Any, field: str, part: list[Unit]) -> Any:
    """The string of a part, and more where it stands as the words that the query was cut into."""
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
    """Keeps in an index's folder who cuts its texts, and refuses another one.

    Call it where the index is made or opened; tantivy itself keeps nothing of ours.

    Args:
        folder: of the index; the first call writes the file ``segmenter.fingerprint`` there.
        segmenter: as in :func:`pretokenized`, as are options and script.
        new: the index was just emptied or made again: write, whatever was there.

    Raises:
        ArgumentError: another Segmenter cut its texts, or other options.
        OSError: the folder cannot be read or written.
    """
    path = Path(folder) / KEPT
    given = Terms(segmenter, options, script).fingerprint
    if not new and path.exists():
        kept = path.read_text("utf-8").strip()
        if kept != given:
            raise differs(
                f"the index in {folder}", kept, given,
                "delete all documents and add them again, then check(…, new=True)",
            )  # fmt: skip
        return
    path.write_text(given + "\n", encoding="utf-8")
