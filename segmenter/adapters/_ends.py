"""Marks in SQLite's index: whether a unit ends a word.

FTS5 keeps a list of documents per token, so each mark of a character in a document costs an
entry in one more list.  Two marks rank whole words nearly as well as one mark per place in a word:
the MRR is 0.904 instead of 0.906, and the index has 0.695 instead of 0.753 times the size of a
bigram index (commit 0667c6d).  A
common character (``COMMON`` of ``text/tables.py``) that both ends a word and does not end one in
the same text gets a third mark, ``~``, instead of the two (``capi/fts5.cpp``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmenter.adapters._terms import Unit

#: Marks of the last unit of a word, and of any other unit.
ENDS_WORD, INSIDE_WORD = ".", "-"


def ends_word(unit: Unit) -> str:
    """Return the mark of a single unit."""
    return ENDS_WORD if unit.mark in ".>" else INSIDE_WORD
