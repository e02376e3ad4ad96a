"""Nested tokens: matches of query and index tokens, the innermost tokens, the outermost tokens."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.kernels import _tokens
from segmenter.search.builder import RULE, TokensBuilder
from segmenter.search.options import UNKNOWN, is_dropped, is_stop

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord
    from segmenter.search.decompounder import Decompounder, _Rows
    from segmenter.types import Tokens


def index_tokens(coarse: Tokens, decompounder: Decompounder) -> Tokens:
    """The tokens of an index, from the words of the text.

    Args:
        coarse: the words of the text, in order.
        decompounder: finds the words inside them.

    Returns:
        the words and the words inside them, with positions; by start, then longest first.
    """
    options = decompounder.options
    drop, stop = options.drop or frozenset(), options.stop
    words, known = coarse.words, decompounder._rows
    long: dict[str, _Rows] = {}
    rows = [known.get(word) or long.get(word) or decompounder.rows(word, long) for word in words]
    kept: list[int] | None = None
    if drop or stop:
        kept = [
            0 if is_dropped(word, kind, drop) else 2 if is_stop(word, stop) else 1
            for word, kind in zip(words, coarse.edge_kinds, strict=True)
        ]
    entries: dict[int, UserWord] = {}
    if coarse.of_user or decompounder.of_user:
        at = 0
        for k, row in enumerate(rows):
            how = 1 if kept is None else kept[k]
            entry = coarse.entry(k)
            if how == 1 and entry is not None:
                entries[at] = entry
            if how:
                at += how == 1
                entries.update((at + i, entry) for i, entry in row.entries)
                at += len(row.starts)
    return _tokens.nested(rows, coarse, kept, entries)


def find(text: Tokens, query: Tokens) -> list[tuple[int, int]]:
    """Return the spans of a text that match a query.

    A query matches if some path through its graph is also a path through the text's graph: in both,
    each token begins at the position where the previous one ends.  (Search engines that store
    position lengths match in this way.)  Positions left empty by options match empty ones.

    Args:
        text: the text's tokens, of the mode ``"index"`` or ``"search"``.
        query: the query's tokens, of the mode ``"query"`` or ``"search"``.

    Returns:
        spans of the text, ascending; none if the query has no tokens.

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
    """Return the smallest tokens, which tile the words, one position each.

    For engines whose tokens must not overlap: a word, or a word inside it, is found as the phrase
    of its leaves, since the words inside a word depend on that word alone.

    Args:
        tokens: tokens of the mode ``"search"``.

    Returns:
        The leaves in their order; none lies where a token was dropped.

    >>> from segmenter import load
    >>> leaves(load("fast").tokenize("中华人民共和国", mode="search")).words
    ['中华', '人民', '共和', '国']
    """
    out = TokensBuilder(tokens.text, names=tokens.own_kinds)
    spans = tokens.in_units("codepoints").spans
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
                out.add(a, b, place, length, UNKNOWN, RULE)
            else:
                out.take(tokens, k, place, length)
    return out.tokens()


def outermost(tokens: Tokens) -> Tokens:
    """Return the words without the words inside them, at their positions in the graph.

    These are the tokens of a query that is cut as the texts were: asking for the words inside words
    too would find more than was asked for.

    Args:
        tokens: tokens of the mode ``"search"``.

    >>> from segmenter import load
    >>> tokens = outermost(load("fast").tokenize("共和国成立", mode="search"))
    >>> tokens.words, tokens.positions
    (['共和国', '成立'], [0, 2])
    """
    out = TokensBuilder(tokens.text, names=tokens.own_kinds)
    positions, lengths = tokens.positions, tokens.position_lengths
    end = 0
    for k, (a, b) in enumerate(tokens.in_units("codepoints").spans):
        if a >= end:
            end = b
            out.take(tokens, k, positions[k], lengths[k])
    return out.tokens()
