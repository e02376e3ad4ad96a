"""The Segmenter: words or a model, one decoder, immutable and shared by any number of threads.

>>> from segmenter import load
>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']

``cut`` and ``ends`` are compiled: they are methods of the base class, ``Cutter`` in
``kernels/face/engine.pxi``, and the decoder behind them is ``kernels/worker.hpp``.  This file holds
what Python adds: words of the user, tokens with kinds and tags, search, the lattice, identity.
:func:`segmenter.loading.load` makes a Segmenter from a name or a file.

Over 500 lines, since it is one class with its documentation: a third of them are docstrings.
"""

from __future__ import annotations

import os

from segmenter.atoms import Atoms
from segmenter.choices import (
    DECODERS,
    LATTICE,
    MATCHERS,
    MODES,
    OOV,
    PRESETS,
    SKIP,
    SUBWORDS,
    TAGGERS,
    checked_threads,
    one_of,
)
from segmenter.errors import ArgumentError, EncodingError, wrong_type
from segmenter.kernels import _face
from segmenter.lexicon import Lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from typing import IO, Any

    from segmenter.choices import Decoder, MatcherName, Mode, Oov, Skip, Unit
    from segmenter.explanation import Explanation
    from segmenter.files import FileSummary
    from segmenter.lattice.dag import Edge, WordDag
    from segmenter.lexicon.matchers import Matcher
    from segmenter.lexicon.user import UserDictionary, UserWord
    from segmenter.lexicon.user.entry import Item
    from segmenter.search import Described, Grains, SearchOptions
    from segmenter.subword import Tokenizer
    from segmenter.tagging.predictor import BilstmPredictor, Predictor
    from segmenter.types import Source, Tokens

#: Version of the boundary rules: it changes whenever any text could be cut differently by the same
#: lexicon and options, and is part of every fingerprint.
RULES = 5

_SCALE = 2048.0  # kernel cost units a nat; builder.COST_SCALE
_MOST_NBEST = 8_000_000  # paths times characters: a word of each is a str of 76 bytes at worst

# The shipped tagger's kernel after the first `tag`: an import statement a call costs as much as the
# tags of twenty words.
_pos_tagger: _face.PosTagger | None = None


class Recipe:
    """How :func:`segmenter.loading.load` made a Segmenter, to make it again elsewhere.

    Attributes:
        source: the preset, or the path of the file.
        options: other arguments of ``load``.
        reload: what pickle calls with source, digest and options.
    """

    __slots__ = ("options", "reload", "source")

    def __init__(
        self, source: str, options: dict[str, Any], reload: Callable[..., Segmenter]
    ) -> None:
        self.source = source
        self.options = options
        self.reload = reload


class Segmenter(_face.Cutter):
    """Cuts text into words.

    Made by :func:`load`; or directly from a :class:`~segmenter.lexicon.Lexicon` or a
    :class:`~segmenter.tagging.predictor.Predictor`.  Nothing about a Segmenter changes after it
    is made.

    Args:
        lexicon: the words; may be None for a tagger, which then has no tags and no lattice to
            show; or a function that opens it when it is first needed.
        decoder: one of :data:`DECODERS`.
        oov: what becomes of characters outside the lexicon of a lattice: ``"chars"``, one token
            each; ``"keep"``, neighbouring unknown Han characters stay one token; ``"hmm"`` or
            ``"tagger"``, runs of single characters are cut again by that model; ``"bpe"`` or
            ``"unigram"``, into learnt subwords.  A tagger leaves no such characters: it takes
            ``"chars"``, or ``"bpe"`` or ``"unigram"``, which cut the words that its lexicon does
            not know.
        skip: kinds of tokens to leave out, of ``"space"`` and ``"punct"``; offsets never move.
        matcher: what finds the words: one of :data:`MATCHERS`; all give the same words.  None: what
            the lexicon holds them in, the double array, or marisa where it was built so.
        tagger: the compiled model of the decoders of :data:`TAGGERS`.
        guesser: the compiled model of ``oov="hmm"`` and ``oov="tagger"``.
        subwords: the vocabulary of ``oov="bpe"`` and ``oov="unigram"``.
        user: words that take effect before the lexicon's and the model's: a
            :class:`~segmenter.lexicon.user.UserDictionary`, the path of one, or what
            ``UserDictionary(...)`` takes.
        atoms: URL, e-mail, number and other things found by rule: which are kept whole, which are
            split, which are left to the decoder; a mapping of rules, or
            :class:`~segmenter.atoms.Atoms`; None: the defaults.  A lexicon of the profile
            ``"jieba"`` has none, as jieba has not.

    Raises:
        ArgumentError: an unknown name, or a decoder whose model is not there.
    """

    __slots__ = (
        "__weakref__", "_found", "_grains", "_lattice", "_lexicon", "_ngrams",
        "_recipe", "_rules", "_user", "atoms", "decoder", "guesser", "matcher", "oov", "skip",
        "subwords", "tagger",
    )  # fmt: skip

    def __init__(
        self,
        lexicon: Lexicon | Callable[[], Lexicon] | None,
        *,
        decoder: Decoder = "unigram",
        oov: Oov = "chars",
        skip: Skip | Collection[Skip] = (),
        matcher: MatcherName | Matcher | None = None,
        tagger: Predictor | BilstmPredictor | None = None,
        guesser: Predictor | None = None,
        subwords: Tokenizer | None = None,
        user: UserDictionary | str | os.PathLike[str] | Iterable[Item] | None = None,
        atoms: Atoms | Mapping[str, str] | None = None,
        _recipe: Recipe | None = None,
    ) -> None:
        one_of("decoder", decoder, DECODERS)
        one_of("oov", oov, OOV)
        if isinstance(skip, str):
            skip = (skip,)
        for name in skip:
            one_of("skip", name, tuple(SKIP))
        tagged = decoder in TAGGERS
        if not tagged and callable(lexicon):
            lexicon = lexicon()
        if not isinstance(lexicon, Lexicon) and not (
            tagged and (lexicon is None or callable(lexicon))
        ):
            raise wrong_type("lexicon", lexicon, "Lexicon")
        if tagged != (tagger is not None):
            raise ArgumentError(
                f"tagger: the decoder {decoder!r} "
                + ("needs a compiled model" if tagged else "runs no tagger")
            )
        if tagged and oov not in ("chars", *SUBWORDS):
            raise ArgumentError(
                f"oov: {oov!r} is for lattices, as a tagger leaves no characters unknown: choose "
                "decoder='unigram' too"
            )
        if (oov in ("hmm", "tagger")) != (guesser is not None):
            raise ArgumentError(f"guesser: oov={oov!r} and this model do not go together")
        if (oov in SUBWORDS) != (subwords is not None):
            raise ArgumentError(f"subwords: oov={oov!r} and this vocabulary do not go together")
        if subwords is not None and subwords.model.kernel is None:
            raise ArgumentError(f"subwords: {subwords!r} has more characters than can be compiled")
        ngrams = found = None
        if decoder in ("bigram", "trigram") and isinstance(lexicon, Lexicon):
            ngrams = lexicon.ngrams
            if ngrams is None:
                raise ArgumentError(
                    f"decoder: {decoder!r} needs n-gram counts and {lexicon.name} has none: build "
                    "it with --bigrams, or choose decoder='unigram'"
                )
        of_marisa = not tagged and isinstance(lexicon, Lexicon) and lexicon.trie is not None
        if matcher is None:
            matcher = "marisa" if of_marisa else "double-array"
        if matcher != "double-array" or of_marisa:
            if not isinstance(lexicon, Lexicon) or tagged:
                raise ArgumentError(
                    f"matcher: {matcher!r} is for lattices, and {decoder!r} is a tagger: choose "
                    "decoder='unigram' too"
                )
            from segmenter.lexicon.matchers import make

            if isinstance(matcher, str):
                one_of("matcher", matcher, MATCHERS)
                matcher = make(matcher, lexicon)
            found = matcher.find
        self._lexicon = lexicon
        self._lattice: _face.Engine | None = None
        self.decoder = decoder
        self.oov = oov
        self.skip = frozenset(skip)
        self.matcher = matcher
        self.tagger = tagger
        self.guesser = guesser
        self.subwords = subwords
        self.atoms = atoms if isinstance(atoms, Atoms) else Atoms(atoms)
        self._rules = _face.AtomRules(self.atoms.codes, self.atoms.automaton)
        self._recipe = _recipe
        self._ngrams = ngrams
        self._found = found
        self._user = None if user is None else _user_dictionary(user)
        self._engine = self._make_engine()
        self._grains: dict[SearchOptions | None, Grains] = {}

    def _make_engine(self, like: _face.Engine | None = None) -> _face.Engine:
        """The kernels' side; ``like`` is one over the same words, to share working memory with."""
        lexicon, tagger, guesser = self._lexicon, self.tagger, self.guesser
        user = self._user.native if self._user is not None else None
        return _face.Engine(
            lexicon.native if isinstance(lexicon, Lexicon) and tagger is None else None,
            _face.TAGGED if tagger is not None else LATTICE.index(self.decoder),
            self._ngrams,
            self.oov == "keep",
            sum(SKIP[name] for name in self.skip),
            self._found,
            tagger.native if tagger is not None else None,
            guesser.native if guesser is not None else None,
            subwords=self.subwords.model.kernel if self.subwords is not None else None,
            user=user,
            log_mass=0 if user is None or tagger is not None else self._log_mass(),
            like=like,
            atoms=self._rules,
        )

    def _log_mass(self) -> int:
        """Logarithm of the sum of the lexicon's counts, in the kernels' units."""
        from math import log

        return round(log(self.lexicon.meta["mass"]) * _SCALE)

    @property
    def lexicon(self) -> Lexicon:
        """The words of this Segmenter: what a lattice decodes over, where a tagger's tags are from.

        Raises:
            ArgumentError: a tagger that was made without a lexicon.
        """
        if not isinstance(self._lexicon, Lexicon):
            if self._lexicon is None:
                raise ArgumentError("lexicon: this Segmenter is a tagger without one")
            self._lexicon = self._lexicon()
        return self._lexicon

    @property
    def variants(self) -> bool:
        """Whether Traditional, Hong Kong and Taiwan forms count as the forms of the lexicon."""
        return (self.tagger or self.lexicon).variants

    # --- the user's words ------------------------------------------------------------------------

    @property
    def user(self) -> UserDictionary:
        """The words of the user: an empty dictionary where there are none."""
        return _user_dictionary(()) if self._user is None else self._user

    def with_words(
        self,
        items: Iterable[Item],
        *,
        fold: bool = False,
        inside: bool = False,
        script: bool = False,
    ) -> Segmenter:
        """A Segmenter that knows more words; this one goes on unchanged.

        Args:
            items: words, each a str (it becomes one token wherever it stands: level ``"prefer"``)
                or ``(word, level or weight, tag, payload)``; see
                :func:`segmenter.lexicon.user.user_word`.
            fold: width and case do not matter.
            inside: words may begin or end inside a longer run of letters or digits.
            script: Traditional, Hong Kong and Taiwan forms of a character count as equal.

        Raises:
            TypeError, ArgumentError: an item that is not a word.

        >>> from segmenter import load
        >>> load("fast").with_words(["iPhone 15"]).cut("买了iPhone 15吗")
        ['买', '了', 'iPhone 15', '吗']
        """
        return self.replace(self.user.with_words(items, fold=fold, inside=inside, script=script))

    def learn(self, texts: Iterable[str]) -> Segmenter:
        """A Segmenter that knows what recurs in these texts; this one goes on unchanged.

        Names and terms that the lexicon does not have become words of the user, of the level
        ``"prefer"``, or with a weight where other words cross them.  Their payload holds their
        places, those where they were whole before, and the mutual information of their parts; see
        :mod:`segmenter.learning`.  Texts are read once, in time that grows with their length and
        in bounded memory, about 150 MB.
        Words of the user's own, deleted ones too, stay what they are.

        Args:
            texts: of one book, one subject, one author: the words of one text are not those of
                another.

        Raises:
            TypeError: ``texts`` is a str, or an item is none (its index is named).
            ArgumentError: this Segmenter is a tagger without a lexicon.

        >>> from segmenter import load
        >>> before = ("的", "会有", "产生", "避免")
        >>> after = ("，需要加锁。", "时会出错。", "很难重现。")
        >>> text = [f"{a}竞态{b}" for a in before for b in after]
        >>> load().learn(text).cut("竞态很难避免")[0]
        '竞态'
        """
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise wrong_type("texts", texts, "an iterable of str")
        from segmenter.learning import Learner

        learner = Learner(self)
        learner.read(texts)
        return self.with_words(learner.words())

    def without(self, words: Iterable[str]) -> Segmenter:
        """A Segmenter for which these are not words, neither the user's nor the lexicon's.

        Raises:
            TypeError: ``words`` is a str, or holds something else than str.

        >>> from segmenter import load
        >>> load("fast").without(["在理"]).cut("他说的确实在理")
        ['他', '说', '的', '确实', '在', '理']
        """
        if isinstance(words, (str, bytes)) or not hasattr(words, "__iter__"):
            raise wrong_type("words", words, "an iterable of str")
        words = list(words)
        rest = self.user.without(words)
        return self.replace(rest.with_words([(word, "delete") for word in words]))

    def replace(
        self, user: UserDictionary | str | os.PathLike[str] | Iterable[Item] | None
    ) -> Segmenter:
        """A Segmenter with these words of the user instead; lexicon and models are shared.

        Args:
            user: as the argument of :class:`Segmenter`.
        """
        new = Segmenter.__new__(Segmenter)
        for name in Segmenter.__slots__:
            if name not in ("__weakref__", "_grains", "_lattice", "_user"):
                setattr(new, name, getattr(self, name))
        new._lattice = None
        new._grains = {}
        new._user = None if user is None else _user_dictionary(user)
        new._engine = new._make_engine(self._engine)
        return new

    def reload_if_changed(self) -> Segmenter:
        """This Segmenter, or a new one where the files of its dictionary are not what they were.

        Raises:
            ArgumentError: its dictionary was not read from a file or a folder.
            DictionaryError, ArtifactError, OSError: the files cannot be used as they are now.
        """
        user = self.user.reload_if_changed()
        return self if user is self._user else self.replace(user)

    # --- boundaries ------------------------------------------------------------------------------

    # cut and ends: see kernels, Cutter

    def cut_batch(self, texts: Iterable[str], threads: int = 1) -> list[list[str]]:
        """``[cut(t) for t in texts]``, decoded by ``threads`` native threads, order kept.

        Python's cyclic garbage collector is left as it is, but sees the lists only when all are
        there: they hold nothing that it could collect.

        Raises:
            TypeError: an item is not a str (its index is named); ``texts`` is itself a str.
            ArgumentError: ``threads`` is not a number from 1 to 256.
        """
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise wrong_type("texts", texts, "an iterable of str")
        return self._engine.cut_batch(texts, checked_threads(threads))

    def cut_bytes(self, utf8: bytes, sep: bytes = b" ", threads: int = 1) -> bytes:
        """UTF-8 in, UTF-8 out: the words of each line joined by ``sep``, line ends as they are.

        No Python object is made a word.  The boundaries are those of :meth:`cut` on each line.

        Args:
            utf8: bytes or any buffer of them.
            sep: what goes between two words of a line.
            threads: native threads; the text is shared out by lines.

        Raises:
            EncodingError: not UTF-8; the offset of the first bad byte is named.
        """
        if isinstance(utf8, str):
            raise wrong_type("utf8", utf8, "bytes")
        if not isinstance(sep, bytes):
            raise wrong_type("sep", sep, "bytes")
        threads = checked_threads(threads)
        try:
            memoryview(utf8).release()
        except TypeError:
            raise wrong_type("utf8", utf8, "bytes") from None
        if self._engine.external:
            return self._cut_bytes_slowly(utf8, sep)
        out, bad = self._engine.cut_bytes(utf8, sep, threads)
        if out is None:
            raise EncodingError(
                "utf8 is not UTF-8: decode it by its own encoding first", offset=bad
            )
        return out

    def _cut_bytes_slowly(self, utf8: bytes, sep: bytes) -> bytes:
        # matchers outside the kernels see str only; whoever has one named it, here or in the build
        try:
            text = bytes(utf8).decode("utf-8")
        except UnicodeDecodeError as e:
            raise EncodingError(
                "utf8 is not UTF-8: decode it by its own encoding first", offset=e.start
            ) from e
        out: list[bytes] = []
        for line in _lines(text):
            body = line.rstrip("\n")
            body = body[:-1] if body != line and body.endswith("\r") else body
            out.append(sep.join(w.encode() for w in self.cut(body)) + line[len(body) :].encode())
        return b"".join(out)

    def cut_file(
        self,
        src: str | os.PathLike[str] | IO[bytes],
        dst: str | os.PathLike[str] | IO[bytes],
        *,
        sep: str = " ",
        threads: int = 1,
        progress: bool | Callable[[int, int | None], object] | None = None,
        encoding: str = "utf-8",
        errors: str = "strict",
        learn: bool = False,
    ) -> FileSummary:
        """Cuts a file: one line in is one line out, its words joined by ``sep``.

        Memory is bounded: whole lines are read, about 4 MB of them at a time.  Line ends stay
        byte for byte, and so does a last line without one; a byte order mark is dropped.  A new
        file takes the place of ``dst`` when all is written: an error or Ctrl-C leaves ``dst`` as
        it was.  From a pipe or a terminal lines are cut as they come.

        Args:
            src: a path, a binary file, or ``"-"`` for standard input.
            dst: a path, a binary file, or ``"-"`` for standard output.  Always UTF-8.
            sep: what goes between two words of a line; no line end in it.
            threads: native threads.
            progress: True shows a bar (by the package tqdm, or a plain counter) on standard
                error, False none; None shows it where standard error is a terminal.  Or a
                function, called with the bytes read so far and the size of ``src`` or None.
            encoding: of ``src``; any encoding of text that Python knows.
            errors: ``"strict"``, or ``"replace"``: bytes that are not in ``encoding`` become
                U+FFFD.
            learn: read ``src`` twice: first what recurs in it is learned, see :meth:`learn`.

        Raises:
            EncodingError: ``src`` is not in ``encoding``; names file, line and byte offset.
            ArgumentError: ``dst`` is ``src``; an unknown encoding; a line end in ``sep``; a line
                of more than 256 MB; ``learn`` of a ``src`` that can be read only once.
            OSError: a file cannot be read or written.

        >>> import io
        >>> from segmenter import load
        >>> out = io.BytesIO()
        >>> summary = load("fast").cut_file(io.BytesIO("他说的\\n确实在理".encode()), out, sep="/")
        >>> out.getvalue().decode(), summary.lines
        ('他/说/的\\n确实/在理', 2)
        """
        from segmenter.files import cut_file, lines_again

        cut = line_cutter(self, sep, threads)
        if learn:
            learned = self.learn(lines_again(src, encoding, errors))
            cut = line_cutter(learned, sep, threads)
        return cut_file(cut, src, dst, progress=progress, encoding=encoding, errors=errors)

    def tokenize(
        self,
        text: str,
        *,
        mode: Mode = "words",
        options: SearchOptions | None = None,
        units: Unit = "codepoints",
        pos: bool = False,
    ) -> Tokens:
        """The tokens of ``text`` with offsets, kinds, sources, tags and scores.

        The score of a lattice's word is its log probability, None where it is not a lexicon word; a
        tagger's is its margin: by how much the best path that lacks one of the word's boundaries
        or has one inside it is worse (in units of the model's score; the larger, the surer), None
        where there is no such path.  Words of the user have their own tags and payloads, and no
        score.

        Args:
            text: any text.
            mode: ``"words"``, what :meth:`cut` gives; ``"search"``, these and the words inside
                them, with positions: see :mod:`segmenter.search`; ``"index"`` and ``"query"``,
                their characters too, so that an index has whatever a query is cut into.
            options: of the modes but ``"words"``.
            units: what offsets count: ``"codepoints"``, ``"utf8"`` (bytes) or ``"utf16"`` (code
                units).
            pos: tags are those of :meth:`tag`, by context, instead of the lexicon's one tag a
                word; for the mode ``"words"``.

        Raises:
            TypeError, ArgumentError: an argument of another type or value.

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
            raise ArgumentError("options: they are for mode='search', 'index' and 'query'")
        else:
            tokens = self._word_tokens(text)
            if pos:
                tokens = tokens.with_tags(self._pos_tags(tokens))
        return tokens if units == "codepoints" else tokens.in_units(units)

    def tag(self, text: str) -> list[tuple[str, str]]:
        """The words of :meth:`cut`, each with its part of speech by context.

        A word of the user's that has a tag keeps it.  The tags are listed in
        :data:`segmenter.pos.MEANING`.

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
            from segmenter.pos import load as load_pos

            _pos_tagger = load_pos().native
        return _pos_tagger.pairs(self.cut(text))

    def _pos_tags(self, tokens: Tokens) -> list[str]:
        """Tags by context; those of the user's words as the user has them."""
        from segmenter.pos import load as load_pos

        given: list[str | None] | None = None
        if self._user is not None and self._user.tagged:
            entries = map(tokens.entry, range(len(tokens)))
            given = [e.tag or None if e is not None and not e.parts else None for e in entries]
        return load_pos().tags(tokens.words, given)

    def _word_tokens(self, text: str) -> Tokens:
        from segmenter.kinds import KINDS
        from segmenter.types import USER, Source, Tokens

        starts, ends, kinds, words, margins = self._engine.pieces(text)
        of_user: dict[int, UserWord] = {}
        if self._user is not None:
            for i, kind in enumerate(kinds):
                if kind >= USER:
                    of_user[i] = self._user.entry(kind - USER, words[i])
                    kinds[i], words[i] = 0, -1
        if self.atoms.patterns:
            pattern = KINDS.index("pattern")
            for i, kind in enumerate(kinds):
                if kind == pattern:
                    kinds[i], words[i] = len(KINDS) + words[i], -1
        tags, scores, sources = self._columns(text, starts, ends, kinds, words, margins)
        for i, entry in of_user.items():
            tags[i] = "" if entry.parts else entry.tag
            scores[i] = None
            sources[i] = Source.USER
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
        )

    def _columns(
        self,
        text: str,
        starts: list[int],
        ends: list[int],
        kinds: list[int],
        words: list[int],
        margins: list[float | None],
    ) -> tuple[list[str], list[float | None], list[Source]]:
        """Tags, scores and sources of the tokens as lexicon and model have them."""
        from segmenter.types import Source, source_of

        tags: list[str] = []
        scores: list[float | None] = []
        if self.tagger is not None:
            lexicon = self.lexicon if self._lexicon is not None else None
            for start, end in zip(starts, ends, strict=True):
                tags.append(lexicon.tag(text[start:end]) if lexicon is not None else "")
            scores.extend(margins)
            sources = [Source.MODEL if kind <= 1 else source_of(kind) for kind in kinds]
            return tags, scores, sources
        costs = None
        for number in words:
            if number < 0:
                tags.append("")
                scores.append(None)
            else:
                if costs is None:
                    costs = self.lexicon.native.word_costs()
                tags.append(self.lexicon.tag_of(number))
                scores.append(-costs[number] / _SCALE)
        sources = [source_of(kind) for kind in kinds]
        if self.guesser is not None or self.subwords is not None:
            for i, kind in enumerate(kinds):
                if kind == 1 and ends[i] - starts[i] > 1:
                    sources[i] = Source.MODEL
        return tags, scores, sources

    # --- search ----------------------------------------------------------------------------------

    def cut_for_search(self, text: str, options: SearchOptions | None = None) -> list[str]:
        """The words of ``text``, each followed by the words inside it, longest first.

        The texts of ``tokenize(text, mode="search", options=options)``, in the same order.

        Args:
            text: any text.
            options: which words inside words, what to drop; see
                :class:`segmenter.search.SearchOptions`.

        Raises:
            TypeError: ``text`` is not a str, ``options`` are of another type.

        >>> from segmenter import load
        >>> load("fast").cut_for_search("中华人民共和国成立")
        ['中华人民共和国', '中华', '人民', '共和国', '共和', '成立']
        """
        grains = self._grains.get(options) or self._grains_of(options)
        if grains.plain:
            return grains.words(self.cut(text), self._edges_of, self._describe)
        return self.tokenize(text, mode="search", options=options).words

    def _grains_of(self, options: SearchOptions | None) -> Grains:
        from segmenter.search import Grains, SearchOptions

        if options is not None and not isinstance(options, SearchOptions):
            raise wrong_type("options", options, "SearchOptions")
        grains = self._grains.get(options)
        if grains is None:
            grains = Grains(options or SearchOptions())
            if len(self._grains) >= 8:  # options made again for every call must not pile up
                self._grains.clear()
            self._grains[options] = grains
        return grains

    def _edges_of(self, word: str) -> list[Edge]:
        """A word's own lattice; without what the user wants cut."""
        if self.tagger is not None and self._lexicon is None:
            from segmenter.search import unit_edges

            return unit_edges(word)
        edges = self.dag(word).edges
        if self._user is None:
            return edges
        by_span = {(edge.start, edge.end): edge for edge in edges}
        whole = by_span.get((0, len(word)))
        if whole is not None and whole.kind == "user":
            # the kernels show no others of the user's words inside one that nothing may cut
            from segmenter.search import user_edges

            by_span.update(user_edges(word, edges, self._user))
        return [
            edge
            for span, edge in sorted(by_span.items())
            if edge.kind != "user" or not self.user[word[slice(*span)]].parts
        ]

    def _describe(self, text: str, edge: Edge) -> Described:
        """What is known of an edge over ``text``."""
        from segmenter.kinds import KINDS
        from segmenter.search import Described
        from segmenter.types import Source, source_of

        if edge.kind == "user":
            entry = self.user[text]
            return Described(entry.tag, None, Source.USER, entry)
        if edge.kind == "word":
            return Described(self.lexicon.tag_of(edge.word), self._score(edge), Source.LEXICON)
        return Described(source=source_of(KINDS.index(edge.kind)))

    def _score(self, edge: Edge) -> float:
        """Log probability of a lexicon word (its edge costs nothing where there is no choice)."""
        cost: int = self.lexicon.native.word_costs()[edge.word]
        return -cost / _SCALE

    # --- the lattice -----------------------------------------------------------------------------

    def dag(self, text: str, *, decided: bool = False) -> WordDag:
        """The word DAG of ``text`` in adjacency lists.

        Args:
            text: any text.
            decided: only what a decoder chooses from: what forced and preferred words of the user
                and atoms rule out is not there, and they cost nothing.  Else every word is there
                that occurs in the text, these among them.

        >>> from segmenter import load
        >>> s = load("fast", decoder="unigram", user=["的确实"])
        >>> len(s.dag("他说的确实在理")), len(s.dag("他说的确实在理", decided=True))
        (12, 6)
        """
        from segmenter.lattice.dag import WordDag

        return WordDag.from_columns(text, *self._over_lexicon().dag(text, decided))

    def _over_lexicon(self) -> _face.Engine:
        """The engine that sees the lexicon's words: this one, or one made for a tagger."""
        if self.tagger is None:
            return self._engine
        if self._lattice is None:
            user = self._user.native if self._user is not None else None
            found = None
            if self.lexicon.trie is not None:
                from segmenter.lexicon.matchers import make

                found = make("marisa", self.lexicon).find
            self._lattice = _face.Engine(
                self.lexicon.native,
                matcher=found,
                user=user,
                log_mass=0 if user is None else self._log_mass(),
                atoms=self._rules,
            )
        return self._lattice

    def cut_all(self, text: str) -> Tokens:
        """Every word of the lexicon and of the user in ``text``, overlapping, by start and end.

        >>> from segmenter import load
        >>> load("fast").cut_all("的确实在").spans[:3]
        [(0, 1), (0, 2), (1, 2)]
        """
        from array import array

        from segmenter.kinds import KINDS
        from segmenter.types import USER, Source, Tokens

        costs = self.lexicon.native.word_costs()
        scores: dict[int, float] = {}  # by cost, tags by word: a long text has few of both
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
                    score_of.append(scores.setdefault(cost, -cost / _SCALE))
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

    def spans_of_all(self, text: str) -> Iterator[tuple[int, int]]:
        """The spans of :meth:`cut_all`, as they are found: memory does not grow with the text.

        >>> from segmenter import load
        >>> next(load("fast").spans_of_all("的确实在"))
        (0, 1)
        """
        for first, last in self._parts(text):
            for start, end in self.cut_all(text[first:last]).spans:
                yield first + start, first + end

    def _parts(self, text: str) -> Iterator[tuple[int, int]]:
        """Spans of ``text`` that no word of the lexicon or of the user crosses."""
        from segmenter.lattice.parts import PART, parts

        if len(text) < 2 * PART:
            return iter(((0, len(text)),))
        longest = max((len(entry.word) for entry in self.user), default=0)
        longest = max(longest, self.lexicon.native.max_word)
        return parts(text, self.dag, longest, PART)

    def nbest(self, text: str, n: int) -> list[tuple[list[str], float]]:
        """At most ``n`` best segmentations with their scores, best first.

        The first is what :meth:`cut` gives.  The score is a natural logarithm of probability; for
        ``shortest`` it is minus the number of words, for taggers the sum of the model's weights.
        A unigram path's is minus the sum of its edges' costs in :meth:`dag`: forced and preferred
        words of the user and atoms cost nothing, as nothing else is possible there.  Equal scores
        follow the tie rule.  ``n-shortest`` ranks the paths of few words by their probability (8 a
        stretch that no word crosses).  What ``oov`` and ``skip`` make of a path is done to each, so
        that fewer may be left.

        Raises:
            ArgumentError: ``n`` is not from 1 to 10,000, or the decoder scores no paths; ``n``
                times the characters of ``text`` are more than 8 million: 1 GB and more of memory.
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
        unit = 1.0 if self.tagger is not None or self.decoder == "shortest" else _SCALE
        try:
            found = self._engine.nbest(text, n)
        except ValueError:  # of very many words one upon another
            raise too_many from None
        return [
            ([text[a:b] for a, b in zip(starts, ends, strict=True)], -cost / unit)
            for starts, ends, cost in found
        ]

    def explain(self, text: str) -> Explanation:
        """Which edge or rule made each token; print it, or walk its ``rows``."""
        from segmenter.explanation import Explanation

        return Explanation(self, text)

    # --- identity --------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """What a search index stores to know when to rebuild.

        Two Segmenters of equal fingerprint give the same boundaries on every text: it names the
        version of the rules, the lexicon's content, the user's words and the options that move
        boundaries.
        """
        skip = "+".join(sorted(self.skip)) or "none"
        words = self._user.digest if self._user is not None else ""
        return (
            f"segmenter-zh/rules-{RULES} model={self._digest()} "
            f"decoder={self.decoder} oov={self.oov} skip={skip}"
            + ("" if self.variants else " variants=off")
            + (f" user={words}" if words else "")
            + (f" atoms={self.atoms}" if self.atoms.changed else "")
        )

    def _digest(self) -> str:
        """Identities of what boundaries depend on."""
        parts = (self.tagger or self.lexicon, self.guesser, self.subwords)
        return "+".join(part.digest[:32] for part in parts if part is not None)

    @property
    def recipe(self) -> dict[str, Any] | None:
        """Arguments with which :func:`load` makes this Segmenter again; None where it was not
        made by :func:`load`, or has words of a user."""
        if self._recipe is None or (self._user is not None and len(self._user)):
            return None
        made = self._recipe
        return {"name": made.source, **self._options(), **self._folding(), **made.options}

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {
            "decoder": self.decoder,
            "oov": self.oov,
            "skip": sorted(self.skip),
        }
        if self.tagger is None:
            name = self.matcher if isinstance(self.matcher, str) else self.matcher.name
            options["matcher"] = name
        if self.atoms.changed:
            options["atoms"] = self.atoms.changed
        return options

    def _folding(self) -> dict[str, Any]:
        return {} if self.variants else {"variants": False}

    def __reduce__(self) -> tuple[Callable[..., Segmenter], tuple[Any, ...]]:
        options = self._options()
        if self._user is not None:
            options["user"] = self._user
        if self._recipe is not None:
            made = self._recipe
            options = {**options, **self._folding(), **made.options}
            return made.reload, (made.source, self._digest(), options)
        lexicon, guesser, subwords = (
            (model.to_bytes(), model.name) if model is not None else None
            for model in (
                self.lexicon if self._lexicon else None,
                self.guesser,
                self.subwords,
            )
        )
        options = {**options, **self._folding()}
        return _rebuild, (lexicon, self.tagger, guesser, subwords, options)

    def __copy__(self) -> Segmenter:
        return self

    def __deepcopy__(self, memo: object) -> Segmenter:
        return self  # immutable

    def __repr__(self) -> str:
        made = self._recipe
        if made is not None:
            name = made.source if made.source in PRESETS else os.path.basename(made.source)
            what = f"{name}, {made.options['standard']}, {self.decoder}"
        else:
            what = f"{self.decoder} over {self.tagger or self.lexicon!r}"
        count = len(self.user)
        words = f", {count:,} word{'s' * (count != 1)} of the user" if count else ""
        return f"<Segmenter {what}{words}>"


def _user_dictionary(
    user: UserDictionary | str | os.PathLike[str] | Iterable[Item],
) -> UserDictionary:
    from segmenter.lexicon.user import UserDictionary

    if isinstance(user, UserDictionary):
        return user
    if isinstance(user, (str, os.PathLike)):
        return UserDictionary.load(user)
    if not hasattr(user, "__iter__") or isinstance(user, (bytes, bytearray)):
        raise wrong_type("user", user, "UserDictionary, a path, or an iterable of words")
    return UserDictionary(user)


def _rebuild(
    lexicon: tuple[bytes, str] | None,
    tagger: Predictor | BilstmPredictor | None,
    guesser: tuple[bytes, str] | None,
    subwords: tuple[bytes, str] | None,
    options: dict[str, Any],
) -> Segmenter:
    from segmenter.subword import Tokenizer
    from segmenter.tagging.predictor import Predictor

    options = dict(options)
    folding = {"variants": options.pop("variants", True)}
    return Segmenter(
        Lexicon.from_bytes(*lexicon, **folding) if lexicon else None,
        tagger=tagger,
        guesser=Predictor.from_bytes(*guesser, **folding) if guesser else None,
        subwords=Tokenizer.from_bytes(*subwords) if subwords else None,
        **options,
    )


def _with_characters(options: SearchOptions | None) -> SearchOptions:
    """The options of a search with the characters of every word added."""
    from dataclasses import replace

    from segmenter.search import SearchOptions

    if options is not None and not isinstance(options, SearchOptions):
        raise wrong_type("options", options, "SearchOptions")
    return replace(options or SearchOptions(), single=True)


def _lines(text: str) -> Iterable[str]:
    """Lines with their ends, \\n alone ending one (str.splitlines knows many more)."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def line_cutter(segmenter: Segmenter, sep: str = " ", threads: int = 1) -> Callable[[bytes], bytes]:
    """A function that cuts UTF-8 bytes of whole lines, by :meth:`Segmenter.cut_bytes`.

    Args:
        sep: what goes between two words of a line; no line end in it.
        threads: native threads.

    Raises:
        ArgumentError: a line end in ``sep``; ``threads`` is not from 1 to 256.

    >>> from segmenter import load
    >>> line_cutter(load("fast"), "/")("他说的\\n".encode()).decode()
    '他/说/的\\n'
    """
    if not isinstance(sep, str):
        raise wrong_type("sep", sep, "str")
    if "\n" in sep or "\r" in sep:
        raise ArgumentError(
            "sep: a line end in it would make many lines of one; for one word per line use "
            "tokenize()"
        )
    try:
        between = sep.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError(f"sep: {sep!r} cannot be written as UTF-8") from None
    threads = checked_threads(threads)
    return lambda utf8: segmenter.cut_bytes(utf8, between, threads)
