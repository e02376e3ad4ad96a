"""tantivy: documents already cut into our words, with positions and offsets, and queries for them.

tantivy's Python package runs no tokenizer written in Python; it takes text that is tokenised
already, and queries of terms at given distances, which is all that the token graph needs.

>>> [(t.text, t.position) for t in pretokenized("共和国成立").tokens]
[('共和国', 0), ('共和', 0), ('成立', 2)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.adapters._terms import Terms

if TYPE_CHECKING:
    from typing import Any

    from segmenter.engine import Segmenter
    from segmenter.search import SearchOptions

tantivy = require("tantivy", "tantivy", __name__)


def pretokenized(
    text: str, segmenter: Segmenter | None = None, *, options: SearchOptions | None = None
) -> Any:
    """For ``Document.add_pre_tokenized_text``: words and the words inside them.

    Args:
        text: any text without lone surrogates.
        segmenter: None: the default preset.  For an index ``load(decoder="unigram")`` cuts queries
            as it cut the texts; ``segmenter.fingerprint`` tells when the index must be built again.
        options: what goes into the index; None: all but blanks, line ends and punctuation.

    Returns:
        ``tantivy.PreTokenizedString``.
    """
    return tantivy.PreTokenizedString(
        text,
        [
            tantivy.Token(term.text, term.position, term.start, term.end)
            for term in Terms(segmenter, options).nested(text)
        ],
    )


def query(
    schema: Any,
    field: str,
    text: str,
    segmenter: Segmenter | None = None,
    *,
    options: SearchOptions | None = None,
    phrase: bool = False,
    any_word: bool = False,
) -> Any:
    """A query from what a person typed: documents that have all its words.

    ``Index.parse_query`` cuts by tantivy's own tokenizers, which know no Chinese words.

    Args:
        schema: of the index.
        field: a text field with positions.
        text: any text; nothing in it is syntax.
        segmenter: as in :func:`pretokenized`.
        options: as in :func:`pretokenized`.
        phrase: the words in this order, next to each other.
        any_word: documents that have one of the words.

    Returns:
        ``tantivy.Query``.
    """
    words = Terms(segmenter, options).words(text)
    if not words:
        return tantivy.Query.empty_query()
    if phrase and len(words) > 1:
        first = words[0].position
        return tantivy.Query.phrase_query(
            schema, field, [(word.position - first, word.text) for word in words]
        )
    occurs = tantivy.Occur.Should if any_word else tantivy.Occur.Must
    return tantivy.Query.boolean_query(
        [(occurs, tantivy.Query.term_query(schema, field, word.text)) for word in words]
    )
