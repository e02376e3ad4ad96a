"""Lexicons: words with counts and tags, compiled, mapped read-only, shared.

>>> lexicon = Lexicon.build([("北京", 5, "ns"), ("北", 2, "f"), ("京", 1, "j")])
>>> "北京" in lexicon, lexicon.count("北京"), lexicon.tag("北京")
(True, 5.0, 'ns')
"""

from __future__ import annotations

from segmenter import artifact
from segmenter.errors import ArtifactError, check_str
from segmenter.kernels import _lexicon, _models
from segmenter.lexicon.costs import MAX_COST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from segmenter.lexicon.builder import Entry
    from segmenter.lexicon.marisa import MarisaTrie

KIND = "lexicon"


class Lexicon(artifact.OnArtifact):
    """A compiled lexicon.  Immutable; open one with :meth:`open`, make one with :meth:`build`.

    Args:
        art: its artifact.
        variants: read Traditional, Hong Kong and Taiwan forms of a character as the form in the
            lexicon; see :mod:`segmenter.text.variants`.  Ignored for ``profile="jieba"``, which
            folds nothing.

    Attributes:
        trie: the words, if the lexicon was built with ``matcher="marisa"``; None: the words are in
            the kernels' double array.
    """

    __slots__ = ("_items", "_ngrams", "_tags", "native", "trie", "variants")

    KIND = KIND

    def __init__(self, art: artifact.Artifact, *, variants: bool = True) -> None:
        super().__init__(art)
        self.trie: MarisaTrie | None = None
        names: tuple[str, ...] = _SECTIONS
        longest: Callable[[str, int], int] | None = None
        try:
            if "marisa.trie" in art.names():
                from segmenter.lexicon.marisa import MarisaTrie

                names = _MARISA_SECTIONS
                trie = MarisaTrie.over(art.section("marisa.trie"), art.section("marisa.reach"))
                costs = art.section("words.costs").cast("H")
                longest = lambda ids, k: trie.longest(ids, k, costs)  # noqa: E731
                self.trie = trie
            self.variants = variants and bool(art.section("params").cast("I")[_NUMBERS])
            self.native = _lexicon.Lexicon(
                {name: art.section(name) for name in names}, self.variants, longest
            )
            self._tags = art.section("words.tags")
        except (KeyError, IndexError, RuntimeError, ValueError, TypeError, OverflowError) as e:
            raise ArtifactError(art.path, f"its sections are not a lexicon's: {e}") from e
        if len(self._tags) != len(self) or (self.trie is not None and len(self.trie) != len(self)):
            raise ArtifactError(art.path, "its tags and its words differ in number")
        self._items: list[str] | None = None
        self._ngrams: _models.NgramModel | None = None

    @classmethod
    def build(
        cls,
        entries: Iterable[Entry | tuple[str, float, str]],
        *,
        name: str = "<memory>",
        **options: Any,
    ) -> Lexicon:
        """Compile a lexicon in memory; see :func:`segmenter.lexicon.builder.compile_lexicon`."""
        from segmenter.lexicon.builder import checked_entries, compile_lexicon

        compiled = compile_lexicon(checked_entries(entries), **options)
        return cls.from_bytes(artifact.pack(KIND, compiled.sections, compiled.meta), name)

    @property
    def ngrams(self) -> _models.NgramModel | None:
        """The n-gram model compiled with the words, if any."""
        if self._ngrams is None and "ngram.params" in self.artifact.names():
            sections = {n: self.artifact.section(n) for n in _NGRAM_SECTIONS}
            try:
                self._ngrams = _models.NgramModel(sections, self.native)
            except (ValueError, TypeError) as e:
                path = self.artifact.path
                raise ArtifactError(path, f"its n-grams are not a lexicon's: {e}") from e
        return self._ngrams

    def _check_meta(self, meta: Mapping[str, Any]) -> None:
        try:
            _lexicon.check_lexicon_meta(self.artifact.meta_bytes, self._tags)
        except ValueError as e:
            raise ArtifactError(self.artifact.path, str(e)) from None

    def _options(self) -> dict[str, Any]:
        return {"variants": self.variants}

    def __len__(self) -> int:
        return int(self.native.n_words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.number(word) >= 0

    def number(self, word: str) -> int:
        """Return the number of a word in [0, len), or -1; the word is folded first."""
        check_str("word", word)
        if not word:
            return -1
        if self.trie is not None:
            return self.trie.number(self.native.encode(word))
        return int(self.native.find(word))

    def count(self, word: str) -> float:
        """Return the count of a word, 0.0 if it is not in the lexicon.

        It is computed from the word's cost, so it is exact (to one decimal) up to about 200, and to
        one part in 2,000 above.
        """
        cost = self.cost(word)
        return self._count_of(cost) if cost >= 0 else 0.0

    def _count_of(self, cost: int) -> float:
        if cost >= MAX_COST:
            return 0.0
        from math import exp

        count: float = self.meta["mass"] * exp(-cost / self.meta["cost_scale"])
        return round(count, 1) if count < 200 else float(round(count))

    def tag(self, word: str) -> str:
        """Return the part-of-speech tag of a word, "" if it has none or is not a word."""
        number = self.number(word)
        return self.tag_of(number) if number >= 0 else ""

    @property
    def tag_numbers(self) -> memoryview:
        """The tag of each word, by number: an index into ``meta["tags"]``."""
        return self._tags

    def tag_of(self, number: int) -> str:
        """Return the tag of the word with this number."""
        tags: list[str] = self.meta["tags"]
        return tags[self._tags[number]]

    def cost(self, word: str) -> int:
        """Return the integer cost of a word (``-log p`` times ``meta["cost_scale"]``), or -1."""
        number = self.number(word)
        return int(self.native.word_costs()[number]) if number >= 0 else -1

    def words(self) -> list[str]:
        """Yield all words, folded, in the order of their numbers."""
        if self._items is None:
            try:
                if self.trie is not None:
                    self._items = list(map(self.native.decode, self.trie.items()))
                else:
                    self._items = self.native.items()
            except (ValueError, KeyError) as e:
                raise ArtifactError(self.artifact.path, f"its words cannot be read: {e}") from e
        return list(self._items)

    def __iter__(self) -> Iterator[Entry]:
        from segmenter.lexicon.builder import Entry

        costs = self.native.word_costs()
        for number, word in enumerate(self.words()):
            yield Entry(word, self._count_of(costs[number]), self.tag_of(number))

    def __repr__(self) -> str:
        return f"<Lexicon {self.name}: {len(self)} words>"


_NUMBERS = 5  # the index in "params" of the rules for numbers: 0 in the profile "jieba"
_SECTIONS = (
    "params", "charmap.bmp", "charmap.pages", "charmap.blocks", "charmap.classes", "trie.units",
    "trie.filter", "words.terminal", "words.rank",
)  # fmt: skip
_MARISA_SECTIONS = (*(name for name in _SECTIONS if name != "trie.filter"), "words.costs")
_NGRAM_SECTIONS = ("ngram.params", "ngram.weights", "ngram.bigrams", "ngram.trigrams")
