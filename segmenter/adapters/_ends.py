"""Marks for SQLite's index: whether a unit ends a word.

FTS5 keeps a list of documents per token, so every mark that a character has in a document costs an
entry in another list.  Two marks rank whole words nearly as well as one mark per place in a word:
the MRR is 0.904 instead of 0.906, and the index has 0.695 instead of 0.753 times the size of a
bigram index (commit 0667c6d).  A
common character (``COMMON`` of ``text/tables.py``) that both ends a word and does not end one in
the same text gets a third mark, ``~``, instead of the two (``capi/fts5.cpp``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmenter.adapters._terms import Unit

#: The unit is the last of its word, or is not.
ENDS_WORD, GOES_ON = ".", "-"


def ends_word(unit: Unit) -> str:
    """Return the mark of a single unit."""
    return ENDS_WORD if unit.mark in ".>" else GOES_ON
