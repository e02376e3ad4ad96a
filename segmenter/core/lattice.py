"""The lattice of a text: all lexicon words in it, and the words inside a word."""

from __future__ import annotations

from array import array

from segmenter.errors import check_str
from segmenter.kernels import _engine, _tokens
from segmenter.lattice.dag import WordDag
from segmenter.lexicon.costs import COST_SCALE
from segmenter.text import chars
from segmenter.text.kinds import KINDS
from segmenter.types import USER, Source, Tokens, source_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.core.models import Models
    from segmenter.core.options import Options
    from segmenter.lexicon.user import UserWord
    from segmenter.search import Described, SearchOptions

_WORD = KINDS.index("word")


class WordLattice:
    """The words of lexicon and user in a text, before a decoder chooses among them.

    Args:
        engine: the engine of the Segmenter.  The engine of a tagger finds no words of the lexicon;
            an engine that does is made over the same lexicon on first use.
        models, options: of the engine.
    """

    __slots__ = ("_lexicon_engine", "_models", "_options", "_user")

    def __init__(self, engine: _engine.Engine, models: Models, options: Options) -> None:
        self._models = models
        self._options = options
        self._user = options.user
        self._lexicon_engine = engine if models.tagger is None else None

    def _engine(self) -> _engine.Engine:
        if self._lexicon_engine is None:
            models = type(self._models)(self._models.lexicon)
            options = self._options.replace(decoder="unigram", oov="chars", skip=(), matcher=None)
            opened = options.open(models)
            matcher = models.matcher(options, opened)
            self._lexicon_engine = _engine.Engine(opened, matcher.find if matcher else None)
        return self._lexicon_engine

    def dag(self, text: str, decided: bool = False) -> WordDag:
        """Return the word DAG of ``text``; see :meth:`segmenter.Segmenter.dag`."""
        return WordDag.from_columns(text, *_tokens.dag(self._engine(), text, decided))

    # --- all words -------------------------------------------------------------------------------

    def words(self, text: str) -> Tokens:
        """Return every word in ``text``; see :meth:`segmenter.Segmenter.cut_all`."""
        lexicon = self._models.lexicon
        costs = lexicon.native.word_costs()
        # caches: a long text has few distinct words and costs
        scores: dict[int, float] = {}  # by cost
        tags: dict[int, str] = {}  # by number of the word
        starts, ends = array("i"), array("i")
        word_tags: list[str] = []
        word_scores: list[float | None] = []
        entries: dict[int, UserWord] = {}
        for first, last in self.parts(text):
            part = text if last - first == len(text) else text[first:last]
            columns = [array("I", c) for c in _tokens.dag(self._engine(), part)]
            for start, end, _, word, kind in sorted(zip(*columns, strict=True)):
                if kind == _WORD:
                    if word not in tags:
                        tags[word] = lexicon.tag_of(word)
                    word_tags.append(tags[word])
                    cost = costs[word]
                    word_scores.append(scores.setdefault(cost, -cost / COST_SCALE))
                elif kind >= USER and self._user is not None:
                    entry = self._user[part[start:end]]
                    entries[len(starts)] = entry
                    word_tags.append(entry.tag)
                    word_scores.append(None)
                else:
                    continue
                starts.append(first + start)
                ends.append(first + end)
        sources = [Source.LEXICON] * len(starts)
        for i in entries:
            sources[i] = Source.USER
        kinds = array("B", bytes(len(starts)))
        return Tokens(text, starts, ends, kinds, word_tags, word_scores, sources, entries)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of :meth:`words`; memory does not grow with the text."""
        for first, last in self.parts(text):
            for start, end in self.words(text[first:last]).spans:
                yield first + start, first + end

    def parts(self, text: str) -> Iterator[tuple[int, int]]:
        """Return spans that tile ``text``; no lexicon or user word crosses their ends."""
        from segmenter.lattice.parts import PART, parts

        check_str("text", text)
        if len(text) < 2 * PART:
            return iter(((0, len(text)),))
        longest = max((len(entry.word) for entry in self._user or ()), default=0)
        longest = max(longest, self._models.lexicon.native.max_word)
        return parts(text, self.dag, longest, PART)

    # --- words inside a word ---------------------------------------------------------------------

    def inside(
        self, word: str, options: SearchOptions, whole_units: bool
    ) -> tuple[int, list[tuple[int, int, int, int, int, int, bool]]]:
        """Return the words inside a word; see :class:`segmenter.search.Decompounder`."""
        return _tokens.inner_words(
            self._engine() if self._models.has_lexicon else None, word, chars.classes(word),
            options.min_length, options.single, options.ngrams, options.runs == "split",
            whole_units,
        )  # fmt: skip

    def describe(self, text: str, kind: int, number: int) -> Described:
        """Return tag, score and source of a word inside a word."""
        from segmenter.search import Described

        if kind >= USER and self._user is not None:
            entry = self._user[text]
            return Described(entry.tag, None, Source.USER, entry)
        if kind == _WORD:
            lexicon = self._models.lexicon
            # the cost of the word; that of the edge is 0 if it has no alternative
            score = -lexicon.native.word_costs()[number] / COST_SCALE
            return Described(lexicon.tag_of(number), score, Source.LEXICON)
        return Described(source=source_of(kind))
