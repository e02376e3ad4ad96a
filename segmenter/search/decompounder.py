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

    # the number of positions that a word spans, and for each word inside it: start, end, position,
    # length, kind, number, and whether the options added it (it is no edge of the lattice)
    Inside = Callable[
        [str, SearchOptions, bool], tuple[int, list[tuple[int, int, int, int, int, int, bool]]]
    ]
    Describe = Callable[[str, int, int], Described]  # text, kind and number


_Value = TypeVar("_Value")

#: The number of words whose inner words are cached; longer words are cached only for one text.
REMEMBERED = _tokens.REMEMBERED_WORDS
_MAX_CACHED_LENGTH = _tokens.REMEMBERED_CHARACTERS


class Inner(NamedTuple):
    """A token inside a word: its span and position there, kind, tag, score and source."""

    start: int
    end: int
    position: int
    length: int
    kind: int
    described: Described


class Graph(NamedTuple):
    """The tokens inside one word, without the word itself; by start, then longest first."""

    positions: int  # the number of positions that the word spans
    inner: tuple[Inner, ...]


class Decompounder:
    """Finds the words inside words, for one set of options, and caches them.

    Shared by threads: only two dictionaries change, and their values depend on the keys alone.

    Args:
        options: see :class:`SearchOptions`.
        inside: returns the words inside a word.
        describe: returns tag, score and source of a word.
        whole_units: no word begins or ends inside a unit; see
            :func:`segmenter.search.cuts_runs`.
    """

    __slots__ = ("_describe", "_inside", "_rows", "_words", "of_user", "options", "whole_units")

    def __init__(
        self, options: SearchOptions, inside: Inside, describe: Describe, *, whole_units: bool
    ) -> None:
        self.options = options
        self._inside = inside
        self._describe = describe
        self.whole_units = whole_units
        self._words: dict[str, tuple[str, ...]] = {}
        self._rows: dict[str, _Rows] = {}
        self.of_user = False  # whether a cached word contains a word of the user

    @property
    def plain(self) -> bool:
        """Whether :meth:`words` returns all tokens: the options drop none."""
        return not self.options.stop and not self.options.drop

    def words(self, text_words: list[str]) -> list[str]:
        """Return the words of a text, each followed by the words inside it.

        These are the texts of :func:`index_tokens`, without the cost of its columns.
        """
        min_length = 1 if self.options.single else self.options.min_length
        cache = self._words
        long_words: dict[str, tuple[str, ...]] = {}

        def look_up(word: str) -> tuple[str, ...]:
            texts = long_words.get(word)
            if texts is None:
                texts = (word, *(word[t.start : t.end] for t in self.graph(word).inner))
                _cache(cache, long_words, word, texts)
            return texts

        return _tokens.words_replaced(text_words, min_length, cache, look_up)

    def graph(self, word: str) -> Graph:
        """Return the words inside a word."""
        positions, rows = self._inside(word, self.options, self.whole_units)
        inner = tuple(
            Inner(
                start, end, position, length, WORD if kind >= USER else kind,
                RULE if added else self._describe(word[start:end], kind, number),
            )
            for start, end, position, length, kind, number, added in rows
        )  # fmt: skip
        return Graph(positions, inner)

    def rows(self, word: str, long_words: dict[str, _Rows]) -> _Rows:
        """Return the words inside a word as columns, without those that the options drop.

        Args:
            long_words: the cache for long words, of one text.
        """
        rows = _rows_of(word, self.graph(word), self.options)
        self.of_user |= bool(rows.entries)
        _cache(self._rows, long_words, word, rows)
        return rows


def _cache(
    cache: dict[str, _Value], long_words: dict[str, _Value], word: str, value: _Value
) -> None:
    if len(word) > _MAX_CACHED_LENGTH:
        long_words[word] = value
        return
    if len(cache) >= REMEMBERED:
        cache.clear()
    cache[word] = value


class _Rows(NamedTuple):
    """A :class:`Graph` as columns for the kernels' ``nested``; and entries of the user."""

    positions: int
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    inner_positions: tuple[int, ...]
    lengths: tuple[int, ...]
    kinds: tuple[int, ...]
    tags: tuple[str, ...]
    scores: tuple[float | None, ...]
    sources: tuple[Source, ...]
    entries: tuple[tuple[int, UserWord], ...]


def _rows_of(word: str, graph: Graph, options: SearchOptions) -> _Rows:
    drop = options.drop or frozenset()
    tokens = []
    for token in graph.inner:
        text = word[token.start : token.end]
        if not is_dropped(text, token.kind, drop) and not is_stop(text, options.stop):
            tokens.append(token)
    described = [token.described for token in tokens]
    return _Rows(
        graph.positions,
        tuple(token.start for token in tokens),
        tuple(token.end for token in tokens),
        tuple(token.position for token in tokens),
        tuple(token.length for token in tokens),
        tuple(token.kind for token in tokens),
        tuple(d.tag for d in described),
        tuple(d.score for d in described),
        tuple(d.source for d in described),
        tuple((i, d.entry) for i, d in enumerate(described) if d.entry is not None),
    )
