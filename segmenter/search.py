"""Tokens for a search index: words, and the words inside words, from one lattice.

A text that is indexed as 中华人民共和国 is not found by 共和国; one that is indexed by small tokens
is found too often.  So a word of the text comes with the words inside it, the best path of its own
lattice without the word itself, and so on inside those::

    中华人民共和国 → 中华 人民 共和国 → 共和

What holds for every text and every decoder, and is tested as stated:

* Every word that ``cut`` gives is a token (unless options drop it).
* Tokens nest: of any two, one lies in the other or they have no character in common.  (N-grams,
  which an option adds to words outside the lexicon, overlap by nature.)
* What is inside a word depends on the word alone, not on the text around it.  A text that has the
  words of a query as its own words therefore has all tokens of the query, in the same places
  relative to each other.  Whether a query is cut as the text was is up to the decoder: decoders
  that look across words (bigram, taggers) may cut a piece of a text otherwise than the whole.
* Index and query (the modes ``"index"`` and ``"query"``) have the characters of every word too, a
  run of letters or digits being one.  No decoder cuts inside these, so a text that contains a query
  as whole words has, whatever the query was cut into, at least one path through the query's graph
  as a path of its own: :func:`find` finds it.  No stricter promise can be kept by tokens that
  nest: a tagger may cut any two characters apart in one sentence and not in another.
* Positions are those of a token graph (Lucene's PositionIncrement and PositionLength attributes):
  a token spans ``position_length`` positions from ``position``, and a phrase matches where each
  token begins at the position at which the one before it ends.

The two baselines of every search engine, single characters and character n-grams, are here too.

>>> ngrams("我们相信AI").words
['我们', '们相', '相信', 'AI']
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from segmenter import chars
from segmenter.errors import ArgumentError, wrong_type
from segmenter.kernels import _face
from segmenter.kinds import KINDS, TOKEN_KINDS, kind_of
from segmenter.lattice.dag import Edge, WordDag
from segmenter.lattice.max_match import decode
from segmenter.types import Source, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from segmenter.lexicon.user import UserDictionary, UserWord

    Lattice = Callable[[str], list[Edge]]
    Describe = Callable[[str, Edge], "Described"]

#: Kinds that options can drop.
DROPPABLE = TOKEN_KINDS

#: Words whose insides are kept at hand; at some 300 bytes each under 10 MB.
REMEMBERED = 1 << 15
#: Words longer than this are not kept, and no longer words of the user are sought inside others.
_LONG = 64
#: What a character outside inner words costs a path: more than the dearest word a character, over
#: a thousand characters (a word costs up to 65,535).
_OUTSIDE = 1 << 26

_INNER = frozenset(("user", *KINDS)) - {"unknown", "space", "newline", "cluster"}
_NO_WORDS = frozenset(("space", "newline", "punct"))
_WORD, _UNKNOWN = KINDS.index("word"), KINDS.index("unknown")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """What goes into an index beside the words of the text, and what does not.

    Use the same options for the index and for queries.

    Attributes:
        min_length: words inside words have at least so many characters.
        single: also the characters of every word, one by one (a base character with its marks is
            one; a run of letters or digits is one): the most that a query can find.
        runs: ``"whole"``; ``"split"``: letters and digits are characters like the others, so that
            a part of a run is found too.
        ngrams: n-grams of so many characters inside words that are longer and stand in no lexicon
            (names, unknown words that ``oov="keep"`` or a tagger leaves whole); 0: none.
        stop: words that are not tokens, nor inside words; in any width and case.  Their positions
            stay empty.
        drop: kinds that are not tokens, of :data:`DROPPABLE`, with all that is inside them.  Their
            positions stay empty.  None: the default of who takes the options; nothing here, blanks,
            line ends and punctuation in the adapters.

    Raises:
        TypeError, ArgumentError: a value that is not one of these.
    """

    min_length: int = 2
    single: bool = False
    ngrams: int = 0
    stop: frozenset[str] = frozenset()
    drop: frozenset[str] | None = None
    runs: str = "whole"

    def __post_init__(self) -> None:
        _whole("min_length", self.min_length, 2)
        if not isinstance(self.single, bool):
            raise wrong_type("single", self.single, "bool")
        if self.ngrams != 0 or isinstance(self.ngrams, bool):
            _whole("ngrams", self.ngrams, 2)
        stop = frozenset(chars.fold_str(word) for word in _strings("stop", self.stop))
        object.__setattr__(self, "stop", stop)
        if self.drop is not None:
            object.__setattr__(self, "drop", _kinds(self.drop))
        _runs(self.runs)


class Described(NamedTuple):
    """What lexicon and user say about a word inside a word."""

    tag: str = ""
    score: float | None = None
    source: Source = Source.RULE
    entry: UserWord | None = None


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


class Grains:
    """The words inside words for one set of options; remembers those it met.

    Shared by threads: all that changes are two dictionaries whose values depend on their keys
    alone.  It belongs to one Segmenter and does not hold it: its methods are given ``lattice``, a
    word's own lattice, and ``describe``, tag, score and source of an edge of it.

    Args:
        options: see :class:`SearchOptions`.
    """

    __slots__ = ("_graphs", "_rows", "_words", "of_user", "options")

    def __init__(self, options: SearchOptions) -> None:
        self.options = options
        self._graphs: dict[str, Graph] = {}
        self._words: dict[str, tuple[str, ...]] = {}
        self._rows: dict[str, _Rows] = {}
        self.of_user = False  # whether a word of the user's stands inside one of those met

    @property
    def plain(self) -> bool:
        """Whether :meth:`words` gives all tokens: nothing has to be dropped."""
        return not self.options.stop and not self.options.drop

    def words(self, cut: Iterable[str], lattice: Lattice, describe: Describe) -> list[str]:
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
                inner = self._look_inside(word, lattice, describe).inner
                texts = (word, *(word[t.start : t.end] for t in inner))
                if len(word) <= _LONG:
                    if len(known) >= REMEMBERED:
                        known.clear()
                    known[word] = texts
            extend(texts)
        return out

    def graph(self, word: str, lattice: Lattice, describe: Describe) -> Graph:
        """What is inside a word."""
        least = 1 if self.options.single else self.options.min_length
        if len(word) <= least:
            return _NOTHING
        graph = self._graphs.get(word)
        if graph is None:
            graph = self._look_inside(word, lattice, describe)
            if len(word) <= _LONG:
                if len(self._graphs) >= REMEMBERED:
                    self._graphs.clear()
                self._graphs[word] = graph
        return graph

    def rows(self, word: str, lattice: Lattice, describe: Describe) -> _Rows:
        """What is inside a word as columns, without what the options drop."""
        rows = self._rows.get(word)
        if rows is None:
            graph = self.graph(word, lattice, describe)
            rows = _rows_of(word, graph, self.options)
            self.of_user |= bool(rows.entries)
            if len(word) <= _LONG:
                if len(self._rows) >= REMEMBERED:
                    self._rows.clear()
                self._rows[word] = rows
        return rows

    def _look_inside(self, word: str, lattice: Lattice, describe: Describe) -> Graph:
        options = self.options
        edges = lattice(word)
        found: dict[tuple[int, int], tuple[int, Described]] = {}
        todo = [(0, word, edges)]
        while todo:
            at, part, its_edges = todo.pop()
            for edge in best_path(part, its_edges, options.min_length):
                text = part[edge.start : edge.end]
                if not _is_inner(edge, options.min_length):
                    continue
                start = at + edge.start
                kind = _WORD if edge.kind == "user" else KINDS.index(edge.kind)
                found[start, start + len(text)] = kind, describe(text, edge)
                if len(text) > options.min_length:
                    # from the word alone again, so that it has inside it here what it has when it
                    # is a word of the text
                    todo.append((start, text, lattice(text)))
        if options.single or options.ngrams:
            for start, end, unit in self._characters(word, edges):
                if (start, end) in found:
                    continue
                if unit is None:
                    found[start, end] = _UNKNOWN, _RULE
                else:
                    kind = _WORD if unit.kind == "user" else KINDS.index(unit.kind)
                    found[start, end] = kind, describe(word[start:end], unit)
        found.pop((0, len(word)), None)
        nodes = sorted({0, len(word)}.union(*found))
        position = {node: k for k, node in enumerate(nodes)}
        inner = [
            Inner(a, b, position[a], position[b] - position[a], kind, described)
            for (a, b), (kind, described) in found.items()
        ]
        inner.sort(key=lambda t: (t.start, -t.end))
        return Graph(len(nodes) - 1, tuple(inner))

    def _characters(self, word: str, edges: list[Edge]) -> Iterator[tuple[int, int, Edge | None]]:
        """Single characters and n-grams, as the options want them, with their edges if any."""
        split = self.options.runs == "split"
        places = sorted(
            {0, len(word)}.union(
                *((e.start, e.end) for e in edges), (u.start for u in units(word, split=split))
            )
        )
        spans = list(pairwise(places)) if self.options.single else []
        n = self.options.ngrams
        by_span = {(e.start, e.end): e for e in edges}
        whole = by_span.get((0, len(word)))
        if n and (whole is None or whole.kind == "unknown"):
            spans += zip(places, places[n:], strict=False)
        for start, end in spans:
            yield start, end, by_span.get((start, end))


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
        if not _is_dropped(text, t.kind, drop) and not _is_stop(text, options.stop):
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


def _is_stop(text: str, stop: Collection[str]) -> bool:
    return bool(stop) and chars.fold_str(text) in stop


_NOTHING = Graph(1, ())
_RULE = Described()


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
    for text in decode(WordDag(word, dear), "unigram"):
        path.append(by_span[start, start + len(text)])
        start += len(text)
    return path


def _is_inner(edge: Edge, min_length: int) -> bool:
    return edge.end - edge.start >= min_length and edge.kind in _INNER


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
            0 if _is_dropped(word, kind, drop) else 2 if _is_stop(word, stop) else 1
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
    columns = _Columns(tokens.text, names=tokens.own_kinds)
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
                columns.add(a, b, place, length, _UNKNOWN, _RULE)
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
    columns = _Columns(tokens.text, names=tokens.own_kinds)
    positions, lengths = tokens.positions, tokens.position_lengths
    end = 0
    for k, (a, b) in enumerate(zip(tokens._starts, tokens._ends, strict=True)):
        if a >= end:
            end = b
            columns.take(tokens, k, positions[k], lengths[k])
    return columns.tokens()


class _Columns:
    def __init__(self, text: str, names: tuple[str, ...] = ()) -> None:
        self.text = text
        self.names = names  # of kinds beyond KINDS
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.positions: list[int] = []
        self.lengths: list[int] = []
        self.kinds: list[int] = []
        self.tags: list[str] = []
        self.scores: list[float | None] = []
        self.sources: list[Source] = []
        self.entries: dict[int, UserWord] = {}

    def add(
        self, start: int, end: int, position: int, length: int, kind: int, described: Described
    ) -> None:
        if described.entry is not None:
            self.entries[len(self.starts)] = described.entry
        self.starts.append(start)
        self.ends.append(end)
        self.positions.append(position)
        self.lengths.append(length)
        self.kinds.append(kind)
        self.tags.append(described.tag)
        self.scores.append(described.score)
        self.sources.append(described.source)

    def take(self, tokens: Tokens, k: int, position: int, length: int) -> None:
        """Token `k` of `tokens`, as it is there, at a place of the graph."""
        described = Described(
            tokens._tags[k], tokens._scores[k], tokens._sources[k], tokens.entry(k)
        )
        start, end = tokens._starts[k], tokens._ends[k]
        self.add(start, end, position, length, tokens._kinds[k], described)

    def tokens(self) -> Tokens:
        return Tokens(
            self.text,
            self.starts,
            self.ends,
            self.kinds,
            self.tags,
            self.scores,
            self.sources,
            self.entries,
            self.positions,
            self.lengths,
            self.names,
        )


def _is_dropped(text: str, kind: int, drop: Collection[str]) -> bool:
    if not drop:
        return False
    edge = KINDS[min(kind, len(KINDS) - 1)]  # kinds of the user's own are all "pattern"
    if not _NO_WORDS.issuperset(drop):
        return kind_of(text, edge) in drop
    if edge in drop:
        return True
    # the first character tells of nearly all words
    return "punct" in drop and kind <= _UNKNOWN and _is_punct(text[0]) and all(map(_is_punct, text))


@lru_cache(maxsize=1 << 14)
def _is_punct(character: str) -> bool:
    code = chars.char_class(chars.fold(ord(character)))
    return code == chars.PUNCT or code in chars.JOINERS


# --- the baselines -------------------------------------------------------------------------------

#: Kinds of the runs that stay whole.
_RUNS = {
    chars.DIGIT: "number",
    chars.LATIN: "latin",
    **dict.fromkeys((chars.GREEK, chars.CYRILLIC, chars.LETTER), "script"),
    **dict.fromkeys((chars.BLANK, chars.CR), "space"),
}
_TEXT = frozenset((chars.HAN, chars.HANNUM, chars.KATAKANA, chars.HIRAGANA, chars.HANGUL))


class _Unit(NamedTuple):
    start: int
    end: int
    kind: int
    joins: bool  # can stand in an n-gram beside another


def units(text: str, *, split: bool = False) -> Iterator[_Unit]:
    """The smallest tokens of a text: characters with their marks, runs of letters or digits.

    Args:
        text: any text.
        split: letters and digits are characters like the others.
    """
    n, i = len(text), 0
    codes = [chars.char_class(chars.fold(ord(c))) for c in text]
    while i < n:
        code = codes[i]
        kind, joins, start = "unknown", code in _TEXT, i
        i += 1
        if code == chars.LF:
            kind = "newline"
        elif code in (chars.DIGIT, chars.LATIN):
            kind = _RUNS[code]
            joins = split
            while not split and i < n and codes[i] in (chars.DIGIT, chars.LATIN, chars.EXTEND):
                kind = "latin" if codes[i] == chars.LATIN else kind
                i += 1
        elif code in _RUNS:
            kind = _RUNS[code]
            while i < n and codes[i] in _RUNS and _RUNS[codes[i]] == kind:
                if code in (chars.GREEK, chars.CYRILLIC, chars.LETTER) and codes[i] != code:
                    break
                i += 1
        while i < n and codes[i] == chars.EXTEND:
            i += 1
        yield _Unit(start, i, KINDS.index(kind), joins)


def characters(text: str, *, runs: str = "whole", drop: Collection[str] = ()) -> Tokens:
    """Every character of a text as a token: the first baseline of every search engine.

    Args:
        text: any text.  A character takes its combining marks along.
        runs: ``"whole"``: a run of Latin letters and digits is one token, and so are runs of
            another alphabet and of blanks; ``"split"``: letters and digits are single.
        drop: kinds to leave out, of :data:`DROPPABLE`; their positions stay empty.

    Raises:
        TypeError, ArgumentError: an argument of another type or value.

    >>> characters("我们相信AI").words
    ['我', '们', '相', '信', 'AI']
    """
    return _baseline(text, 1, runs, drop)


def ngrams(text: str, n: int = 2, *, runs: str = "whole", drop: Collection[str] = ()) -> Tokens:
    """Every n characters in a row as a token, overlapping: the second baseline.

    Only Han characters, kana and Hangul stand in n-grams (with ``runs="split"`` letters and digits
    too); everything else is a token of its own and ends the row, and a row of fewer than ``n``
    characters is one token.

    Args:
        text: any text.
        n: characters in a token, from 2 on.
        runs: see :func:`characters`.
        drop: see :func:`characters`.

    Raises:
        TypeError, ArgumentError: an argument of another type or value.

    >>> ngrams("我们相信AI", 3, runs="split").words
    ['我们相', '们相信', '相信A', '信AI']
    """
    _whole("n", n, 2)
    return _baseline(text, n, runs, drop)


def _baseline(text: str, n: int, runs: str, drop: Collection[str]) -> Tokens:
    if not isinstance(text, str):
        raise wrong_type("text", text, "str")
    _runs(runs)
    drop = _kinds(drop)
    columns = _Columns(text)

    def add(first: int, last: int, kind: int) -> None:
        start, end = parts[first].start, parts[last].end
        if not _is_dropped(text[start:end], kind, drop):
            columns.add(start, end, first, last - first + 1, kind, _RULE)

    parts = list(units(text, split=runs == "split"))
    i = 0
    while i < len(parts):
        j = i + 1
        while n > 1 and parts[i].joins and j < len(parts) and parts[j].joins:
            j += 1
        if j - i == 1:
            add(i, i, parts[i].kind)
        else:
            size = min(n, j - i)
            for k in range(i, j - size + 1):
                add(k, k + size - 1, _UNKNOWN)
        i = j
    return columns.tokens()


# --- arguments -----------------------------------------------------------------------------------


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


def unit_edges(text: str) -> list[Edge]:
    """A lattice of single characters: of a word, where there is no lexicon."""
    return [Edge(u.start, u.end, 1, KINDS[u.kind]) for u in units(text)]


def _whole(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong_type(name, value, "int")
    if value < least:
        raise ArgumentError(f"{name}: {value} is less than {least}")


def _runs(value: object) -> None:
    if not isinstance(value, str):
        raise wrong_type("runs", value, "str")
    if value not in ("whole", "split"):
        raise ArgumentError(f"runs: {value!r} is not one of whole, split")


def _strings(name: str, values: object) -> Iterable[str]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise wrong_type(name, values, "a collection of str")
    out = list(values)
    for value in out:
        if not isinstance(value, str):
            raise TypeError(f"{name}: holds a {type(value).__name__}, not str only")
    return out


def _kinds(drop: object) -> frozenset[str]:
    kinds = frozenset(_strings("drop", drop))
    for kind in sorted(kinds):
        if kind not in DROPPABLE:
            raise ArgumentError(f"drop: {kind!r} is not one of {', '.join(DROPPABLE)}")
    return kinds


__all__ = [
    "DROPPABLE",
    "Grains",
    "SearchOptions",
    "best_path",
    "characters",
    "find",
    "index_tokens",
    "leaves",
    "ngrams",
    "outermost",
    "units",
]
