"""Tokens that nest: an index's of a text's words, a query's place among them, and their parts."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.kernels import _face
from segmenter.search.options import UNKNOWN, is_dropped, is_stop
from segmenter.search.table import RULE, Columns
from segmenter.types import Tokens

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord
    from segmenter.search.inside import Describe, Grains, Lattice


def index_tokens(coarse: Tokens, grains: Grains, lattice: Lattice, describe: Describe) -> Tokens:
    """The tokens of an index, from the words of the text.

    Args:
        coarse: the words, in their order, no two overlapping.
        grains: what is inside them.
        lattice: see :class:`Grains`.
        describe: see :class:`Grains`.

    Returns:
        Words and what is inside them, by start and then longest first, with positions.
    """
    options = grains.options
    drop, stop = options.drop or frozenset(), options.stop
    words, known = coarse.words, grains._rows
    rows = [known.get(word) or grains.rows(word, lattice, describe) for word in words]
    kept: list[int] | None = None
    if drop or stop:
        kept = [
            0 if is_dropped(word, kind, drop) else 2 if is_stop(word, stop) else 1
            for word, kind in zip(words, coarse._kinds, strict=True)
        ]
    columns = _face.nested(
        rows,
        list(coarse._starts),
        list(coarse._ends),
        list(coarse._kinds),
        coarse._tags,
        coarse._scores,
        coarse._sources,
        kept,
    )
    starts, ends, positions, lengths, kinds, tags, scores, sources = columns
    entries: dict[int, UserWord] = {}
    if coarse._entries or grains.of_user:
        at = 0
        for k, row in enumerate(rows):
            how = 1 if kept is None else kept[k]
            if how == 1 and k in coarse._entries:
                entries[at] = coarse._entries[k]
            if how:
                at += how == 1
                entries.update((at + i, entry) for i, entry in row.entries)
                at += len(row.starts)
    return Tokens(
        coarse.text,
        starts,
        ends,
        kinds,
        tags,
        scores,
        sources,
        entries,
        positions,
        lengths,
        coarse.own_kinds,
    )


def find(text: Tokens, query: Tokens) -> list[tuple[int, int]]:
    """Where a text has a query: a path through the query's graph that is one of the text's too.

    What an engine does that keeps position lengths, and what a query is tested by here: each token
    of the path begins at the position at which the one before it ends, in both graphs.  Positions
    that options left empty match empty ones.

    Args:
        text: a text's tokens of the mode ``"index"``, or ``"search"``.
        query: a query's tokens of the mode ``"query"``, or ``"search"`` as well.

    Returns:
        spans of the text, ascending; none where the query has no tokens.

    >>> from segmenter import load
    >>> s = load("balanced")
    >>> text, query = "中华人民共和国成立", "人民共和国"
    >>> find(s.tokenize(text, mode="index"), s.tokenize(query, mode="query"))
    [(2, 7)]
    """
    there: dict[str, dict[int, list[int]]] = {}
    start_of: dict[int, int] = {}
    end_of: dict[int, int] = {}
    for word, (start, end), at, length in zip(
        text.words, text.spans, text.positions, text.position_lengths, strict=True
    ):
        there.setdefault(word, {}).setdefault(at, []).append(at + length)
        start_of.setdefault(at, start)
        end_of[at + length] = end
    asked: dict[int, list[tuple[str, int]]] = {}
    for word, at, length in zip(query.words, query.positions, query.position_lengths, strict=True):
        asked.setdefault(at, []).append((word, at + length))
    if not asked:
        return []
    first, last = min(asked), max(end for tokens in asked.values() for _, end in tokens)
    found: list[tuple[int, int]] = []
    for begin in sorted({at for word, _ in asked[first] for at in there.get(word, ())}):
        reached: dict[int, set[int]] = {first: {begin}}
        for node in range(first, last):
            for at in reached.pop(node, ()):
                for word, end in asked.get(node, ()):
                    reached.setdefault(end, set()).update(there.get(word, {}).get(at, ()))
                if node not in asked and at not in start_of:
                    reached.setdefault(node + 1, set()).add(at + 1)
        ends = sorted(end_of[at] for at in reached.get(last, ()) if at in end_of)
        found.extend((start_of[begin], end) for end in ends)
    return found


def leaves(tokens: Tokens) -> Tokens:
    """The parts that nested tokens cut their words into: what tiles the words, each a position.

    For engines whose tokens follow one another without overlap: a word is found as the phrase of
    its leaves, and so is every word inside it, since what is inside a word depends on it alone.

    Args:
        tokens: of the mode ``"search"``: words, each followed by what is inside it.

    Returns:
        The leaves in their order; none lies where a token was dropped.

    >>> from segmenter import load
    >>> leaves(load("fast").tokenize("中华人民共和国", mode="search")).words
    ['中华', '人民', '共和', '国']
    """
    columns = Columns(tokens.text, names=tokens.own_kinds)
    spans = list(zip(tokens._starts, tokens._ends, strict=True))
    positions, lengths = tokens.positions, tokens.position_lengths
    i = 0
    while i < len(spans):
        end = spans[i][1]
        places: dict[int, int] = {}
        of_span: dict[tuple[int, int], int] = {}
        while i < len(spans) and spans[i][0] < end:
            places[spans[i][0]] = positions[i]
            places[spans[i][1]] = positions[i] + lengths[i]
            of_span[spans[i]] = i
            i += 1
        for a, b in pairwise(sorted(places)):
            k = of_span.get((a, b))
            place, length = places[a], places[b] - places[a]
            if k is None:
                columns.add(a, b, place, length, UNKNOWN, RULE)
            else:
                columns.take(tokens, k, place, length)
    return columns.tokens()


def outermost(tokens: Tokens) -> Tokens:
    """The words alone, at the positions of the graph: what a query asks for.

    A query cut as the texts were needs no words inside words: the index has them in its words, and
    asking for them as well finds more than was asked for.

    Args:
        tokens: of the mode ``"search"``: words, each followed by what is inside it.

    >>> from segmenter import load
    >>> tokens = outermost(load("fast").tokenize("共和国成立", mode="search"))
    >>> tokens.words, tokens.positions
    (['共和国', '成立'], [0, 2])
    """
    columns = Columns(tokens.text, names=tokens.own_kinds)
    positions, lengths = tokens.positions, tokens.position_lengths
    end = 0
    for k, (a, b) in enumerate(zip(tokens._starts, tokens._ends, strict=True)):
        if a >= end:
            end = b
            columns.take(tokens, k, positions[k], lengths[k])
    return columns.tokens()
