"""The words inside one word, with their tags, scores and sources, and a cache by word.

The kernels find them (``kernels/search/inner.hpp``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from segmenter.kernels import _tokens
from segmenter.search.builder import RULE, Described
from segmenter.search.options import WORD, is_dropped, is_stop
from segmenter.types import USER

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.lexicon.user import UserWord
    from segmenter.search.options import SearchOptions
    from segmenter.types import Source

    # of a word: the positions that it spans; and start, end, position, length, kind, number of each
    # word inside it, and whether it is no edge of the lattice
    Inside = Callable[
        [str, SearchOptions, bool], tuple[int, list[tuple[int, int, int, int, int, int, bool]]]
    ]
    Describe = Callable[[str, int, int], Described]  # text, kind and number


_Value = TypeVar("_Value")

#: Words whose insides are kept at hand; longer ones are not kept beyond their text.
REMEMBERED = _tokens.REMEMBERED_WORDS
_LONG = _tokens.REMEMBERED_CHARACTERS


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
        inside: the words inside a word.
        describe: their tags, scores and sources.
        whole: no word begins or ends inside a unit; see :func:`segmenter.search.cuts_runs`.
    """

    __slots__ = ("_describe", "_inside", "_rows", "_words", "of_user", "options", "whole")

    def __init__(
        self, options: SearchOptions, inside: Inside, describe: Describe, *, whole: bool = True
    ) -> None:
        self.options = options
        self._inside = inside
        self._describe = describe
        self.whole = whole
        self._words: dict[str, tuple[str, ...]] = {}
        self._rows: dict[str, _Rows] = {}
        self.of_user = False  # whether a word of the user's stands inside one of those met

    @property
    def plain(self) -> bool:
        """Whether :meth:`words` gives all tokens: nothing has to be dropped."""
        return not self.options.stop and not self.options.drop

    def words(self, cut: list[str]) -> list[str]:
        """The words of a text, each followed by what is inside it.

        The same texts as those of :func:`index_tokens`, without the making of any columns.
        """
        least = 1 if self.options.single else self.options.min_length
        known = self._words
        long: dict[str, tuple[str, ...]] = {}

        def look_up(word: str) -> tuple[str, ...]:
            texts = long.get(word)
            if texts is None:
                texts = (word, *(word[t.start : t.end] for t in self.graph(word).inner))
                _remember(known, long, word, texts)
            return texts

        return _tokens.words_replaced(cut, least, known, look_up)

    def graph(self, word: str) -> Graph:
        """What is inside a word."""
        positions, found = self._inside(word, self.options, self.whole)
        inner = tuple(
            Inner(
                start, end, position, length, WORD if kind >= USER else kind,
                RULE if added else self._describe(word[start:end], kind, number),
            )
            for start, end, position, length, kind, number, added in found
        )  # fmt: skip
        return Graph(positions, inner)

    def rows(self, word: str, long: dict[str, _Rows]) -> _Rows:
        """What is inside a word as columns, without what the options drop.

        Args:
            long: remembers it if the word is long; of one text.
        """
        rows = _rows_of(word, self.graph(word), self.options)
        self.of_user |= bool(rows.entries)
        _remember(self._rows, long, word, rows)
        return rows


def _remember(known: dict[str, _Value], long: dict[str, _Value], word: str, value: _Value) -> None:
    if len(word) > _LONG:
        long[word] = value
        return
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
