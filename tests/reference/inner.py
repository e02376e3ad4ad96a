"""Units by regular expressions, and the words inside a word by dictionaries: the references of
``kernels/search/``."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from segmenter.lattice.dag import Edge, WordDag
from segmenter.search import units
from segmenter.text import chars
from segmenter.text.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter import Segmenter
    from segmenter.lexicon.user import UserDictionary
    from segmenter.search import SearchOptions

_KEYCAP = 0x20E3
# A letter for each class of characters that matters here; "x" for all others.
_LETTERS = {
    chars.DIGIT: "d", chars.LATIN: "l", chars.BLANK: "b", chars.CR: "r", chars.LF: "n",
    chars.GREEK: "g", chars.CYRILLIC: "c", chars.LETTER: "o", chars.EXTEND: "e",
}  # fmt: skip

# 1️⃣ stands alone, as in every decoder; line ends take no marks
_FIRST = "de*k[ek]*|n|r|(?:b+|g+|c+|o+|x)[ek]*|[ek]+"
_WHOLE = re.compile(_FIRST + "|(?:(?!de*k)[dl][ek]*)+")
_SPLIT = re.compile(_FIRST + "|[dl][ek]*")

_KIND_OF = {
    letter: kind
    for letters, kind in (
        ("d", "number"), ("l", "latin"), ("gco", "script"), ("br", "space"), ("n", "newline"),
        ("xek", "unknown"),
    )
    for letter in letters
}  # fmt: skip

_INNER = frozenset(("user", *KINDS)) - {"unknown", "space", "newline", "cluster"}
_LONG = 64
# more than the dearest word a character, over a thousand characters
_OUTSIDE = 1 << 26


def unit_spans(text: str, split: bool) -> Iterator[tuple[int, int, str]]:
    """Start, end and kind of the units of a text."""
    classes = "".join(
        "k" if ord(c) == _KEYCAP else _LETTERS.get(chars.char_class(chars.fold(ord(c))), "x")
        for c in text
    )
    for match in (_SPLIT if split else _WHOLE).finditer(classes):
        start, end = match.span()
        kind = _KIND_OF[classes[start]]
        if kind == "number" and "l" in match.group():
            kind = "latin"
        yield start, end, kind


def edges_of(segmenter: Segmenter, word: str) -> list[Edge]:
    """A word's own lattice, without the words that the user splits."""
    user = segmenter.user
    edges = segmenter.dag(word).edges
    by_span = {(edge.start, edge.end): edge for edge in edges}
    whole_edge = by_span.get((0, len(word)))
    if whole_edge is not None and whole_edge.kind == "user":
        # inside a user word that nothing may cut, the kernels show no other user words
        by_span.update(_user_edges(word, edges, user))
    return [
        edge
        for span, edge in sorted(by_span.items())
        if edge.kind != "user" or not user[word[slice(*span)]].parts
    ]


def _user_edges(word: str, edges: list[Edge], user: UserDictionary) -> dict[tuple[int, int], Edge]:
    places = sorted({place for edge in edges for place in (edge.start, edge.end)})
    user_edges: dict[tuple[int, int], Edge] = {}
    for k, a in enumerate(places):
        for b in places[k + 1 :]:
            if 2 <= b - a < len(word) and b - a <= _LONG:
                entry = user.get(word[a:b])
                if entry is not None and entry.level != "delete":
                    user_edges[a, b] = Edge(a, b, 0, "user")
    return user_edges


class Inner(NamedTuple):
    """A word inside a word; `edge` None: an n-gram, or a unit that is no edge."""

    start: int
    end: int
    position: int
    length: int
    edge: Edge | None


def inner_words(
    segmenter: Segmenter, word: str, options: SearchOptions, whole: bool
) -> tuple[int, list[Inner]]:
    """The positions that a word spans, and the words inside it, by start and then longest first."""
    if len(word) <= (1 if options.single else options.min_length):
        return 1, []
    edges = edges_of(segmenter, word)
    words_found: dict[tuple[int, int], Edge | None] = {}
    todo = [(0, word, edges)]
    while todo:
        begin, part, its_edges = todo.pop()
        for edge in best_path(part, its_edges, options.min_length):
            text = part[edge.start : edge.end]
            if not _is_inner(edge, options.min_length):
                continue
            start = begin + edge.start
            words_found[start, start + len(text)] = edge
            if len(text) > options.min_length:
                todo.append((start, text, edges_of(segmenter, text)))
    for start, end, unit in _characters(word, edges, options, whole):
        words_found.setdefault((start, end), unit)
    words_found.pop((0, len(word)), None)
    nodes = sorted({0, len(word)}.union(*words_found))
    position = {node: k for k, node in enumerate(nodes)}
    inner = [
        Inner(a, b, position[a], position[b] - position[a], e) for (a, b), e in words_found.items()
    ]
    inner.sort(key=lambda t: (t.start, -t.end))
    return len(nodes) - 1, inner


def _characters(
    word: str, edges: list[Edge], options: SearchOptions, whole: bool
) -> Iterator[tuple[int, int, Edge | None]]:
    """Single characters and n-grams, as the options want them, with their edges if any."""
    places = list(range(len(word) + 1))
    if whole:
        starts = {u.start for u in units(word, split=options.runs == "split")}
        places = sorted(starts.union((len(word),), *((e.start, e.end) for e in edges)))
    spans = list(pairwise(places)) if options.single else []
    by_span = {(e.start, e.end): e for e in edges}
    all_of_it = by_span.get((0, len(word)))
    if options.ngrams and (all_of_it is None or all_of_it.kind == "unknown"):
        spans += zip(places, places[options.ngrams :], strict=False)
    for start, end in spans:
        yield start, end, by_span.get((start, end))


def best_path(word: str, edges: list[Edge], min_length: int) -> list[Edge]:
    """The best path through a word's lattice that is not the word itself: the fewest characters
    outside words of ``min_length`` and more, then the cheapest, then the tie rule."""
    n = len(word)
    rest = [edge for edge in edges if edge.end - edge.start < n]
    reached = {0}
    for edge in rest:  # by start: what leads to an edge comes before it
        if edge.start in reached:
            reached.add(edge.end)
    if n not in reached:
        return []
    by_span = {(edge.start, edge.end): edge for edge in rest}
    dear = [
        edge
        if _is_inner(edge, min_length)
        else edge._replace(cost=edge.cost + _OUTSIDE * (edge.end - edge.start))
        for edge in rest
    ]
    path, start = [], 0
    for text in WordDag(word, dear).decode("unigram"):
        path.append(by_span[start, start + len(text)])
        start += len(text)
    return path


def _is_inner(edge: Edge, min_length: int) -> bool:
    return edge.end - edge.start >= min_length and edge.kind in _INNER
