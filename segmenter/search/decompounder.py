"""The words inside one word: the best path of its own lattice without the word itself, again and
again, and what the options add."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from segmenter.lattice.dag import Edge, WordDag
from segmenter.search.builder import RULE, Described
from segmenter.search.options import UNKNOWN, WORD, is_dropped, is_stop
from segmenter.search.units import units
from segmenter.text.kinds import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from segmenter.lexicon.user import UserDictionary, UserWord
    from segmenter.search.options import SearchOptions
    from segmenter.types import Source

    Lattice = Callable[[str], list[Edge]]
    Describe = Callable[[str, Edge], Described]


_Value = TypeVar("_Value")

#: Words whose insides are kept at hand; at some 300 bytes each under 10 MB.
REMEMBERED = 1 << 15

#: Words longer than this are not kept, and no longer words of the user are sought inside others.
_LONG = 64

#: What a character outside inner words costs a path: more than the dearest word a character, over
#: a thousand characters (a word costs up to 65,535).
_OUTSIDE = 1 << 26

_INNER = frozenset(("user", *KINDS)) - {"unknown", "space", "newline", "cluster"}


class Inner(NamedTuple):
    """A token of a word: its span within the word, its place in the word's graph, what it is."""

    start: int
    end: int
    position: int
    length: int
    kind: int
    described: Described


class Graph(NamedTuple):
    """The tokens inside one word, the word itself left out, by start and then longest first."""

    positions: int  # that the word spans
    inner: tuple[Inner, ...]


class Decompounder:
    """Finds the words inside words, for one set of options; remembers those it met.

    Shared by threads: all that changes are two dictionaries whose values depend on their keys
    alone.

    Args:
        options: see :class:`SearchOptions`.
        lattice: a word's own lattice.
        describe: tag, score and source of an edge of such a lattice, over its text.
        whole: no word begins or ends inside a unit; see :func:`segmenter.search.cuts_runs`.
    """

    __slots__ = ("_describe", "_lattice", "_rows", "_words", "of_user", "options", "whole")

    def __init__(
        self, options: SearchOptions, lattice: Lattice, describe: Describe, *, whole: bool = True
    ) -> None:
        self.options = options
        self._lattice = lattice
        self._describe = describe
        self.whole = whole
        self._words: dict[str, tuple[str, ...]] = {}
        self._rows: dict[str, _Rows] = {}
        self.of_user = False  # whether a word of the user's stands inside one of those met

    @property
    def plain(self) -> bool:
        """Whether :meth:`words` gives all tokens: nothing has to be dropped."""
        return not self.options.stop and not self.options.drop

    def words(self, cut: Iterable[str]) -> list[str]:
        """The words of a text, each followed by what is inside it.

        The same texts as those of :func:`index_tokens`, without the making of any columns.
        """
        least = 1 if self.options.single else self.options.min_length
        known = self._words
        out: list[str] = []
        append, extend = out.append, out.extend
        for word in cut:
            if len(word) <= least:
                append(word)
                continue
            texts = known.get(word)
            if texts is None:
                inner = self.graph(word).inner
                texts = (word, *(word[t.start : t.end] for t in inner))
                _remember(known, word, texts)
            extend(texts)
        return out

    def graph(self, word: str) -> Graph:
        """What is inside a word."""
        options = self.options
        if len(word) <= (1 if options.single else options.min_length):
            return Graph(1, ())
        lattice, describe = self._lattice, self._describe
        edges = lattice(word)
        found: dict[tuple[int, int], tuple[int, Described]] = {}

        def add(start: int, end: int, edge: Edge) -> None:
            kind = WORD if edge.kind == "user" else KINDS.index(edge.kind)
            found[start, end] = kind, describe(word[start:end], edge)

        todo = [(0, word, edges)]
        while todo:
            at, part, its_edges = todo.pop()
            for edge in best_path(part, its_edges, options.min_length):
                text = part[edge.start : edge.end]
                if not _is_inner(edge, options.min_length):
                    continue
                start = at + edge.start
                add(start, start + len(text), edge)
                if len(text) > options.min_length:
                    # from the word alone again, so that it has inside it here what it has when it
                    # is a word of the text
                    todo.append((start, text, lattice(text)))
        if options.single or options.ngrams:
            for start, end, unit in self._characters(word, edges):
                if (start, end) in found:
                    continue
                if unit is None:
                    found[start, end] = UNKNOWN, RULE
                else:
                    add(start, end, unit)
        found.pop((0, len(word)), None)
        nodes = sorted({0, len(word)}.union(*found))
        position = {node: k for k, node in enumerate(nodes)}
        inner = [
            Inner(a, b, position[a], position[b] - position[a], kind, described)
            for (a, b), (kind, described) in found.items()
        ]
        inner.sort(key=lambda t: (t.start, -t.end))
        return Graph(len(nodes) - 1, tuple(inner))

    def rows(self, word: str) -> _Rows:
        """What is inside a word as columns, without what the options drop."""
        rows = self._rows.get(word)
        if rows is None:
            rows = _rows_of(word, self.graph(word), self.options)
            self.of_user |= bool(rows.entries)
            _remember(self._rows, word, rows)
        return rows

    def _characters(self, word: str, edges: list[Edge]) -> Iterator[tuple[int, int, Edge | None]]:
        """Single characters and n-grams, as the options want them, with their edges if any."""
        if self.whole:
            split = self.options.runs == "split"
            starts = {u.start for u in units(word, split=split)}
            places = sorted(starts.union((len(word),), *((e.start, e.end) for e in edges)))
        else:
            places = list(range(len(word) + 1))
        spans = list(pairwise(places)) if self.options.single else []
        n = self.options.ngrams
        by_span = {(e.start, e.end): e for e in edges}
        whole = by_span.get((0, len(word)))
        if n and (whole is None or whole.kind == "unknown"):
            spans += zip(places, places[n:], strict=False)
        for start, end in spans:
            yield start, end, by_span.get((start, end))


def _remember(known: dict[str, _Value], word: str, value: _Value) -> None:
    if len(word) <= _LONG:
        if len(known) >= REMEMBERED:
            known.clear()
        known[word] = value


class _Rows(NamedTuple):
    """A :class:`Graph` in columns, as the kernels' ``nested`` takes them; entries of the user."""

    positions: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    at: tuple[int, ...]
    lengths: tuple[int, ...]
    kinds: tuple[int, ...]
    tags: tuple[str, ...]
    scores: tuple[float | None, ...]
    sources: tuple[Source, ...]
    entries: tuple[tuple[int, UserWord], ...]


def _rows_of(word: str, graph: Graph, options: SearchOptions) -> _Rows:
    drop = options.drop or frozenset()
    kept = []
    for t in graph.inner:
        text = word[t.start : t.end]
        if not is_dropped(text, t.kind, drop) and not is_stop(text, options.stop):
            kept.append(t)
    described = [t.described for t in kept]
    return _Rows(
        graph.positions,
        tuple(t.start for t in kept),
        tuple(t.end for t in kept),
        tuple(t.position for t in kept),
        tuple(t.length for t in kept),
        tuple(t.kind for t in kept),
        tuple(d.tag for d in described),
        tuple(d.score for d in described),
        tuple(d.source for d in described),
        tuple((i, d.entry) for i, d in enumerate(described) if d.entry is not None),
    )


def best_path(word: str, edges: list[Edge], min_length: int = 2) -> list[Edge]:
    """The best path through a word's lattice that is not the word itself.

    That is the one with the fewest characters outside words of ``min_length`` and more, and of
    these the cheapest: what is in no such word cannot be found.  Equal costs follow the tie rule of
    the package.  Empty where there is no path.

    >>> edges = [Edge(0, 1, 1), Edge(0, 2, 9), Edge(0, 3, 1), Edge(1, 2, 1), Edge(2, 3, 1)]
    >>> [(e.start, e.end) for e in best_path("共和国", edges)]
    [(0, 2), (2, 3)]
    """
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


def user_edges(word: str, edges: list[Edge], user: UserDictionary) -> dict[tuple[int, int], Edge]:
    """The user's words inside a word, by span; between places where its own lattice has some."""
    places = sorted({place for edge in edges for place in (edge.start, edge.end)})
    found: dict[tuple[int, int], Edge] = {}
    for k, a in enumerate(places):
        for b in places[k + 1 :]:
            if b - a > _LONG:
                break
            if 2 <= b - a < len(word):
                entry = user.get(word[a:b])
                if entry is not None and entry.level != "delete":
                    found[a, b] = Edge(a, b, 0, "user")
    return found
