"""Calls that return more than words and ends: tokens, parts of speech, search, the lattice."""

from __future__ import annotations

from segmenter.choices import MODES, one_of
from segmenter.errors import ArgumentError, wrong_type
from segmenter.kernels import _engine
from segmenter.lexicon.costs import COST_SCALE
from segmenter.segmenter.made import Made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from segmenter.choices import Mode, Unit
    from segmenter.lattice.dag import Edge, WordDag
    from segmenter.lexicon.user import UserWord
    from segmenter.search import Described, Grains, SearchOptions
    from segmenter.types import Tokens

_MOST_NBEST = 8_000_000  # paths times characters; at worst each is a word, a str of 76 bytes

# The shipped tagger's kernel, kept after the first `tag`: an import statement per call costs as
# much as tagging twenty words.
_pos_tagger: _engine.PosTagger | None = None


class Views(Made):
    """Tokens, parts of speech, search and the lattice of a text."""

    __slots__ = ()

    # --- tokens ----------------------------------------------------------------------------------

    def tokenize(
        self,
        text: str,
        *,
        mode: Mode = "words",
        options: SearchOptions | None = None,
        units: Unit = "codepoints",
        pos: bool = False,
    ) -> Tokens:
        """Return the tokens of ``text`` with offsets, kinds, sources, tags and scores.

        With a lattice, the score of a lexicon word is its log probability; other tokens have None.
        With a tagger, it is the token's margin: how much worse (in units of the model's score) the
        best path is that lacks one of its boundaries or has one inside it; None if there is no
        such path.  User words have their own tags and payloads, and no score.

        Args:
            text: any text.
            mode: ``"words"``, the words of :meth:`cut`; ``"search"``, also the words inside them,
                with positions (see :mod:`segmenter.search`); ``"index"`` and ``"query"``, also
                their characters, so that an index matches a query however it is cut.
            options: for every mode except ``"words"``.
            units: unit of the offsets: ``"codepoints"``, ``"utf8"`` (bytes) or ``"utf16"`` (code
                units).
            pos: take tags from :meth:`tag`, by context, instead of the lexicon's one tag per word;
                for the mode ``"words"``.

        Raises:
            TypeError, ArgumentError: an argument has the wrong type or value.

        >>> from segmenter import load
        >>> [(t.text, t.start, t.kind) for t in load("fast").tokenize("在2026年")]
        [('在', 0, 'word'), ('2026年', 1, 'date')]
        >>> tokens = load("fast").tokenize("共和国成立", mode="search")
        >>> [(t.text, t.position, t.position_length) for t in tokens]
        [('共和国', 0, 2), ('共和', 0, 1), ('成立', 2, 1)]
        """
        one_of("mode", mode, MODES)
        if mode != "words":
            if pos:
                raise ArgumentError("pos: words inside words have no context: use mode='words'")
            from segmenter.search import index_tokens

            if mode != "search":
                options = _with_characters(options)

            tokens = index_tokens(
                self._word_tokens(text), self._grains_of(options), self._edges_of, self._describe
            )
        elif options is not None:
            raise ArgumentError("options: only for mode='search', 'index' and 'query'")
        else:
            tokens = self._word_tokens(text)
            if pos:
                tokens = tokens.with_tags(self._pos_tags(tokens))
        return tokens if units == "codepoints" else tokens.in_units(units)

    def tag(self, text: str) -> list[tuple[str, str]]:
        """Return the words of :meth:`cut`, each with its part of speech in this context.

        User words with a tag keep it.  :data:`segmenter.tagging.pos.MEANING` lists the tags.

        Raises:
            TypeError: ``text`` is not a str.
            ResourceError: the tagger's model is not installed.

        >>> from segmenter import load
        >>> load("fast").tag("促进经济的发展")
        [('促进', 'v'), ('经济', 'n'), ('的', 'u'), ('发展', 'vn')]
        """
        if self._user is not None and self._user.tagged:
            tokens = self._word_tokens(text)
            return list(zip(tokens.words, self._pos_tags(tokens), strict=True))
        global _pos_tagger
        if _pos_tagger is None:
            from segmenter.tagging.pos import load as load_pos

            _pos_tagger = load_pos().native
        return self._engine.tag(text, _pos_tagger)

    def _pos_tags(self, tokens: Tokens) -> list[str]:
        """Tags by context; user words keep theirs."""
        from segmenter.tagging.pos import load as load_pos

        given: list[str | None] | None = None
        if self._user is not None and self._user.tagged:
            entries = map(tokens.entry, range(len(tokens)))
            given = [e.tag or None if e is not None and not e.parts else None for e in entries]
        return load_pos().tags(tokens.words, given)

    def _word_tokens(self, text: str) -> Tokens:
        from segmenter.text.kinds import KINDS
        from segmenter.types import SOURCES, SOURCES_OF_MODEL, USER, Source, Tokens

        tagged = self.tagger is not None
        lexicon = self.lexicon if self._lexicon is not None else None
        words, starts, ends, kinds, numbers, tags, scores, sources = self._engine.tokens(
            text,
            lexicon.meta["tags"] if lexicon is not None else [],
            lexicon.tag_numbers if lexicon is not None and not tagged else None,
            lexicon.known_tags if lexicon is not None else {},
            lexicon.tag if lexicon is not None else lambda word: "",
            SOURCES_OF_MODEL if tagged else SOURCES,
        )
        if self.guesser is not None or self.subwords is not None:
            for i, kind in enumerate(kinds):
                if kind == 1 and ends[i] - starts[i] > 1:
                    sources[i] = Source.MODEL
        of_user: dict[int, UserWord] = {}
        if self._user is not None:
            for i, kind in enumerate(kinds):
                if kind >= USER:
                    of_user[i] = entry = self._user.entry(kind - USER, numbers[i])
                    kinds[i] = 0
                    tags[i] = "" if entry.parts else entry.tag
                    scores[i] = None
                    sources[i] = Source.USER
        if self.atoms.patterns:
            pattern = KINDS.index("pattern")
            for i, kind in enumerate(kinds):
                if kind == pattern:
                    kinds[i] = len(KINDS) + numbers[i]
        return Tokens(
            text,
            starts,
            ends,
            kinds,
            tags,
            scores,
            sources,
            of_user,
            names=tuple(self.atoms.patterns),
            words=words,
        )

    # --- search ----------------------------------------------------------------------------------

    def cut_for_search(self, text: str, options: SearchOptions | None = None) -> list[str]:
        """Return the words of ``text``, each followed by the words inside it, longest first.

        These are the texts of ``tokenize(text, mode="search", options=options)``, in order.

        Args:
            text: any text.
            options: which words inside words to include, and what to drop; see
                :class:`segmenter.search.SearchOptions`.

        Raises:
            TypeError: ``text`` is not a str, or ``options`` are not SearchOptions.

        >>> from segmenter import load
        >>> load("fast").cut_for_search("中华人民共和国成立")
        ['中华人民共和国', '中华', '人民', '共和国', '共和', '成立']
        """
        grains = self._grains.get(options) or self._grains_of(options)
        if grains.plain:
            return grains.words(self.cut(text), self._edges_of, self._describe)
        return self.tokenize(text, mode="search", options=options).words

    def _grains_of(self, options: SearchOptions | None) -> Grains:
        from segmenter.search import Grains, SearchOptions, cuts_runs

        if options is not None and not isinstance(options, SearchOptions):
            raise wrong_type("options", options, "SearchOptions")
        grains = self._grains.get(options)
        if grains is None:
            grains = Grains(options or SearchOptions(), whole=not cuts_runs(self))
            if len(self._grains) >= 8:  # options made again for every call must not pile up
                self._grains.clear()
            self._grains[options] = grains
        return grains

    def _edges_of(self, word: str) -> list[Edge]:
        """A word's own lattice, without the words that the user splits."""
        if self.tagger is not None and self._lexicon is None:
            from segmenter.search import unit_edges

            return unit_edges(word)
        edges = self.dag(word).edges
        if self._user is None:
            return edges
        by_span = {(edge.start, edge.end): edge for edge in edges}
        whole = by_span.get((0, len(word)))
        if whole is not None and whole.kind == "user":
            # inside a user word that nothing may cut, the kernels show no other user words
            from segmenter.search import user_edges

            by_span.update(user_edges(word, edges, self._user))
        return [
            edge
            for span, edge in sorted(by_span.items())
            if edge.kind != "user" or not self.user[word[slice(*span)]].parts
        ]

    def _describe(self, text: str, edge: Edge) -> Described:
        """Describe an edge over ``text``."""
        from segmenter.search import Described
        from segmenter.text.kinds import KINDS
        from segmenter.types import Source, source_of

        if edge.kind == "user":
            entry = self.user[text]
            return Described(entry.tag, None, Source.USER, entry)
        if edge.kind == "word":
            return Described(self.lexicon.tag_of(edge.word), self._score(edge), Source.LEXICON)
        return Described(source=source_of(KINDS.index(edge.kind)))

    def _score(self, edge: Edge) -> float:
        """Log probability of a lexicon word (not the edge's cost: without a choice that is 0)."""
        cost: int = self.lexicon.native.word_costs()[edge.word]
        return -cost / COST_SCALE

    # --- the lattice -----------------------------------------------------------------------------

    def dag(self, text: str, *, decided: bool = False) -> WordDag:
        """Return the word DAG of ``text`` in adjacency lists.

        Args:
            text: any text.
            decided: only the edges that the decoder chooses from: without those that forced and
                preferred user words and atoms rule out; these cost nothing.  Otherwise every word
                that occurs in the text is an edge.

        >>> from segmenter import load
        >>> s = load("fast", decoder="unigram", user=["的确实"])
        >>> len(s.dag("他说的确实在理")), len(s.dag("他说的确实在理", decided=True))
        (12, 6)
        """
        from segmenter.lattice.dag import WordDag

        return WordDag.from_columns(text, *self._over_lexicon().dag(text, decided))

    def _over_lexicon(self) -> _engine.Engine:
        """The engine over the lexicon's words: this one, or for a tagger one made on first use."""
        if self.tagger is None:
            return self._engine
        if self._lattice is None:
            user = self._user.native if self._user is not None else None
            found = None
            if self.lexicon.trie is not None:
                from segmenter.lexicon.matchers import make

                found = make("marisa", self.lexicon).find
            self._lattice = _engine.Engine(
                self.lexicon.native,
                matcher=found,
                user=user,
                log_mass=0 if user is None else self._log_mass(),
                atoms=self._rules,
            )
        return self._lattice

    def cut_all(self, text: str) -> Tokens:
        """Return every lexicon and user word in ``text``, overlapping ones included, by position.

        >>> from segmenter import load
        >>> load("fast").cut_all("的确实在").spans[:3]
        [(0, 1), (0, 2), (1, 2)]
        """
        from array import array

        from segmenter.text.kinds import KINDS
        from segmenter.types import USER, Source, Tokens

        costs = self.lexicon.native.word_costs()
        scores: dict[int, float] = {}  # by cost; tags by word: a long text has few of both
        tags: dict[int, str] = {}
        starts, ends = array("i"), array("i")
        tag_of: list[str] = []
        score_of: list[float | None] = []
        of_user: dict[int, UserWord] = {}
        word_kind = KINDS.index("word")
        for first, last in self._parts(text):
            part = text if last - first == len(text) else text[first:last]
            columns = [array("I", c) for c in self._over_lexicon().dag(part)]
            for start, end, _, word, kind in sorted(zip(*columns, strict=True)):
                if kind == word_kind:
                    if word not in tags:
                        tags[word] = self.lexicon.tag_of(word)
                    tag_of.append(tags[word])
                    cost = costs[word]
                    score_of.append(scores.setdefault(cost, -cost / COST_SCALE))
                elif kind >= USER:
                    entry = self.user[part[start:end]]
                    of_user[len(starts)] = entry
                    tag_of.append(entry.tag)
                    score_of.append(None)
                else:
                    continue
                starts.append(first + start)
                ends.append(first + end)
        sources = [Source.LEXICON] * len(starts)
        for i in of_user:
            sources[i] = Source.USER
        kinds = array("B", bytes(len(starts)))
        return Tokens(text, starts, ends, kinds, tag_of, score_of, sources, of_user)

    def _spans_of_all(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of :meth:`cut_all`; memory does not grow with the text.

        >>> from segmenter import load
        >>> next(load("fast")._spans_of_all("的确实在"))
        (0, 1)
        """
        for first, last in self._parts(text):
            for start, end in self.cut_all(text[first:last]).spans:
                yield first + start, first + end

    def _parts(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans that tile ``text``, between which no lexicon or user word reaches."""
        from segmenter.lattice.parts import PART, parts

        if not isinstance(text, str):
            raise wrong_type("text", text, "str")
        if len(text) < 2 * PART:
            return iter(((0, len(text)),))
        longest = max((len(entry.word) for entry in self.user), default=0)
        longest = max(longest, self.lexicon.native.max_word)
        return parts(text, self.dag, longest, PART)

    def nbest(self, text: str, n: int) -> list[tuple[list[str], float]]:
        """Return the ``n`` best segmentations, or fewer, with their scores, best first.

        The first is that of :meth:`cut`.  The score is the natural logarithm of the probability;
        with ``shortest`` it is minus the number of words, with taggers the sum of the model's
        weights.  With ``unigram`` it is minus the sum of the edges' costs in :meth:`dag`, where
        forced and preferred user words and atoms cost nothing, as there is no alternative.  Ties
        follow the tie rule.  ``n-shortest`` ranks, by probability, the 8 paths with the fewest
        words per stretch that no word crosses.  ``oov`` and ``skip`` apply to every path, after
        which some may be equal and are left out.

        Raises:
            ArgumentError: ``n`` is not from 1 to 10,000, or the decoder scores no paths, or ``n``
                times the characters of ``text`` exceeds 8 million, which would take over 1 GB.

        >>> import segmenter
        >>> s = segmenter.load("fast", decoder="unigram")
        >>> [words for words, score in s.nbest("研究生命", 2)]
        [['研究', '生命'], ['研究生', '命']]
        """
        if not isinstance(n, int) or isinstance(n, bool) or not 1 <= n <= 10_000:
            raise ArgumentError(f"n: {n!r} is not a whole number from 1 to 10,000")
        if self.decoder.endswith("-max"):
            raise ArgumentError(
                f"decoder: {self.decoder!r} scores no paths; load with decoder='unigram', "
                "'shortest', 'bigram' or 'trigram'"
            )
        if text == "":
            return [([], 0.0)]
        if not isinstance(text, str):
            raise wrong_type("text", text, "str")
        too_many = ArgumentError(
            f"n: the {n:,} best paths of {len(text):,} characters would take 1 GB and more (n "
            f"times the characters may be {_MOST_NBEST:,}): ask for fewer, or cut the text by lines"
        )
        if n > 1 and n * len(text) > _MOST_NBEST:
            raise too_many
        unit = 1.0 if self.tagger is not None or self.decoder == "shortest" else COST_SCALE
        try:
            found = self._engine.nbest(text, n)
        except ValueError:  # very many overlapping words
            raise too_many from None
        return [
            ([text[a:b] for a, b in zip(starts, ends, strict=True)], -cost / unit)
            for starts, ends, cost in found
        ]


# Making options checks them, which costs as much as the tokens of a short text.
_single: dict[SearchOptions | None, SearchOptions] = {}


def _with_characters(options: SearchOptions | None) -> SearchOptions:
    """The options of a search with the characters of every word added."""
    try:
        return _single[options]
    except (KeyError, TypeError):
        pass
    from dataclasses import replace

    from segmenter.search import SearchOptions

    if options is not None and not isinstance(options, SearchOptions):
        raise wrong_type("options", options, "SearchOptions")
    if len(_single) >= 8:  # options made again for every call must not pile up
        _single.clear()
    made = _single[options] = replace(options or SearchOptions(), single=True)
    return made
