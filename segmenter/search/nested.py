"""Nested tokens: matches of query and index tokens, the innermost tokens, the outermost tokens."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from segmenter.errors import wrong_type
from segmenter.kernels import _tokens
from segmenter.search.builder import RULE, TokensBuilder
from segmenter.search.decompounder import Decompounder
from segmenter.search.options import UNKNOWN, is_dropped, is_stop
from segmenter.types import Tokens

if TYPE_CHECKING:
    from segmenter.lexicon.user import UserWord
    from segmenter.search.decompounder import _Rows


def _check_tokens(name: str, value: object) -> None:
    if not isinstance(value, Tokens):
        raise wrong_type(name, value, "Tokens")


def index_tokens(coarse: Tokens, decompounder: Decompounder) -> Tokens:
    """Return the tokens of an index from the words of a text.

    Args:
        coarse: the words of the text, in order.
        decompounder: finds the words inside these words.

    Returns:
        the words and the words inside them, with positions; by start, then longest first.
    """
    _check_tokens("coarse", coarse)
    if not isinstance(decompounder, Decompounder):
        raise wrong_type("decompounder", decompounder, "Decompounder")
    options = decompounder.options
    drop, stop = options.drop or frozenset(), options.stop
    words, cache = coarse.words, decompounder._rows
    long_words: dict[str, _Rows] = {}
    rows = [
        cache.get(word) or long_words.get(word) or decompounder.rows(word, long_words)
        for word in words
    ]
    modes: list[int] | None = None  # argument ``kept`` of the kernels' ``nested``
    if drop or stop:
        modes = [
            0 if is_dropped(word, kind, drop) else 2 if is_stop(word, stop) else 1
            for word, kind in zip(words, coarse.edge_kinds, strict=True)
        ]
    entries: dict[int, UserWord] = {}
    if coarse.of_user or decompounder.of_user:
        n_tokens = 0
        for k, row in enumerate(rows):
            mode = 1 if modes is None else modes[k]
            entry = coarse.entry(k)
            if mode == 1 and entry is not None:
                entries[n_tokens] = entry
            if mode:
                n_tokens += mode == 1
                entries.update((n_tokens + i, entry) for i, entry in row.entries)
                n_tokens += len(row.starts)
    return _tokens.nested(rows, coarse, modes, entries)


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
    _check_tokens("text", text)
    _check_tokens("query", query)
    arcs: dict[str, dict[int, list[int]]] = {}  # word -> position -> positions where it ends
    starts: dict[int, int] = {}  # position -> offset in the text
    ends: dict[int, int] = {}
    for word, (start, end), position, length in zip(
        text.words, text.spans, text.positions, text.position_lengths, strict=True
    ):
        arcs.setdefault(word, {}).setdefault(position, []).append(position + length)
        starts.setdefault(position, start)
        ends[position + length] = end
    query_arcs: dict[int, list[tuple[str, int]]] = {}  # position -> words and where they end
    for word, position, length in zip(
        query.words, query.positions, query.position_lengths, strict=True
    ):
        query_arcs.setdefault(position, []).append((word, position + length))
    if not query_arcs:
        return []
    first, last = min(query_arcs), max(end for row in query_arcs.values() for _, end in row)
    matches: list[tuple[int, int]] = []
    for begin in sorted({p for word, _ in query_arcs[first] for p in arcs.get(word, ())}):
        # query position -> text positions that the same words reach from ``begin``
        reached: dict[int, set[int]] = {first: {begin}}
        for node in range(first, last):
            for position in reached.pop(node, ()):
                for word, end in query_arcs.get(node, ()):
                    reached.setdefault(end, set()).update(arcs.get(word, {}).get(position, ()))
                if node not in query_arcs and position not in starts:
                    reached.setdefault(node + 1, set()).add(position + 1)
        match_ends = sorted(ends[p] for p in reached.get(last, ()) if p in ends)
        matches.extend((starts[begin], end) for end in match_ends)
    return matches


def leaves(tokens: Tokens) -> Tokens:
    """Return the smallest tokens, which tile the words, one position each.

    For engines whose tokens must not overlap: a phrase query for the leaves of a word finds the
    word, since the words inside a word depend on that word alone.

    Args:
        tokens: tokens of the mode ``"search"``.

    Returns:
        the leaves in order, without those of dropped tokens.

    >>> from segmenter import load
    >>> leaves(load("fast").tokenize("中华人民共和国", mode="search")).words
    ['中华', '人民', '共和', '国']
    """
    _check_tokens("tokens", tokens)
    builder = TokensBuilder(tokens.text, names=tokens.own_kinds)
    spans = tokens.in_units("codepoints").spans
    positions, lengths = tokens.positions, tokens.position_lengths
    i = 0
    while i < len(spans):
        end = spans[i][1]
        positions_at: dict[int, int] = {}
        numbers: dict[tuple[int, int], int] = {}
        while i < len(spans) and spans[i][0] < end:
            positions_at[spans[i][0]] = positions[i]
            positions_at[spans[i][1]] = positions[i] + lengths[i]
            numbers[spans[i]] = i
            i += 1
        for a, b in pairwise(sorted(positions_at)):
            number = numbers.get((a, b))
            position, length = positions_at[a], positions_at[b] - positions_at[a]
            if number is None:
                builder.add(a, b, position, length, UNKNOWN, RULE)
            else:
                builder.add_copy(tokens, number, position, length)
    return builder.tokens()


def outermost(tokens: Tokens) -> Tokens:
    """Return the words without the words inside them, at their positions in the graph.

    These are the tokens for a query against texts cut the same way: the words inside its words
    would match too much.

    Args:
        tokens: tokens of the mode ``"search"``.

    >>> from segmenter import load
    >>> tokens = outermost(load("fast").tokenize("共和国成立", mode="search"))
    >>> tokens.words, tokens.positions
    (['共和国', '成立'], [0, 2])
    """
    _check_tokens("tokens", tokens)
    builder = TokensBuilder(tokens.text, names=tokens.own_kinds)
    positions, lengths = tokens.positions, tokens.position_lengths
    end = 0
    for number, (a, b) in enumerate(tokens.in_units("codepoints").spans):
        if a >= end:
            end = b
            builder.add_copy(tokens, number, positions[number], lengths[number])
    return builder.tokens()
