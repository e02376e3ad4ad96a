"""The Segmenter: words or a model, one decoder, immutable and shared by any number of threads.

>>> from segmenter import load
>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']

``cut`` and ``ends`` are compiled: they are methods of the base class, ``Cutter`` in
``kernels/_engine.pyx``, which calls the decoder in ``kernels/worker.hpp``.  A Segmenter
consists of parts: ``options.py`` has its options; ``models.py`` its models and the kernels'
engine.  Other parts are created on first use: ``tokens.py`` for tokens with tags and scores;
``lattice.py`` for all the words of a text; a decompounder of ``segmenter.search`` for each set of
its options.
:func:`segmenter.loading.load` makes a Segmenter from a name or a file.
"""

from __future__ import annotations

import os

from segmenter.choices import MODES, PRESETS, check_whole, checked_threads, one_of
from segmenter.core.models import Models
from segmenter.core.options import Options, user_dictionary
from segmenter.errors import ArgumentError, EncodingError, check_iterable, check_str, wrong_type
from segmenter.kernels import _engine, _models, _opening, _tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import IO, Any, Self, Unpack

    from segmenter.atoms import Atoms
    from segmenter.choices import Decoder, MatcherName, Mode, Oov, Skip, Unit
    from segmenter.core.explanation import Explanation
    from segmenter.core.lattice import WordLattice
    from segmenter.core.oov import OovModel
    from segmenter.core.options import SegmenterOptions, UserWords
    from segmenter.core.tokens import TokenReader
    from segmenter.files.cutting import FileSummary
    from segmenter.lattice.dag import WordDag
    from segmenter.lexicon import Lexicon
    from segmenter.lexicon.learning import Learner
    from segmenter.lexicon.matchers import Matcher
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Items, WordOptions
    from segmenter.search import Decompounder, SearchOptions
    from segmenter.tagging.predictor import NetworkPredictor, Predictor
    from segmenter.types import Token, Tokens

#: Version of the boundary rules: it changes whenever any text could be cut differently by the same
#: lexicon and options, and is part of every fingerprint.
RULES = _opening.RULES

_MAX_NBEST = 8_000_000  # paths times characters; at worst each is a word, a str of 76 bytes
_MAX_DECOMPOUNDERS = 8  # a caller may make new search options for every call

# The kernel of the shipped tagger, kept after the first `tag`: an import statement per call costs
# as much as tagging twenty words.
_pos_tagger: _models.PosTagger | None = None


class Origin:
    """The arguments with which :func:`segmenter.loading.load` can make a Segmenter again.

    Attributes:
        source: the preset, or the path of the file.
        standard: the standard.
        atoms: the setting of each rule of atoms in this standard.
        reload: the function that pickle calls with source, digest and the other arguments of
            ``load``.
    """

    __slots__ = ("atoms", "reload", "source", "standard")

    def __init__(
        self, source: str, standard: str, atoms: bytes, reload: Callable[..., Segmenter]
    ) -> None:
        self.source = source
        self.standard = standard
        self.atoms = atoms
        self.reload = reload


class Segmenter(_engine.Cutter):
    """Cuts text into words.  Immutable.

    Usually made by :func:`load`, or directly from a :class:`~segmenter.lexicon.Lexicon` or a
    :class:`~segmenter.tagging.predictor.Predictor`.

    Args:
        lexicon: the words, or a function that opens them on first use.  A tagger may have None;
            it then has no tags and no lattice to show.
        decoder: one of :data:`DECODERS`.
        oov: how a lattice cuts characters outside its lexicon: ``"chars"``, one token each;
            ``"keep"``, adjacent unknown Han characters form one token; ``"hmm"`` or ``"tagger"``,
            runs of single characters are cut again by that model; ``"bpe"`` or ``"unigram"``, into
            learned subwords.  A tagger accepts ``"chars"``, or ``"bpe"`` or ``"unigram"``, which
            cut the words that its lexicon does not know.
        skip: kinds of tokens to leave out: ``"space"``, ``"punct"``; offsets do not change.
        matcher: how words are found: one of :data:`MATCHERS`; all find the same words.  None: by
            the structure that the lexicon is stored in, a double array or a marisa-trie.
        tagger: the compiled model, for a decoder of :data:`TAGGERS`.
        unknown_tagger: the compiled model, for ``oov="hmm"`` and ``oov="tagger"``.
        subwords: the vocabulary, for ``oov="bpe"`` and ``oov="unigram"``; see
            :mod:`segmenter.core.oov`.
        user: user words, which take precedence over lexicon and model: a
            :class:`~segmenter.lexicon.user.UserDictionary`, the path of one, or an argument of
            ``UserDictionary(...)``.
        atoms: URLs, e-mail addresses, numbers and the like, found by rule: which rules keep, which
            split and which are off, as a mapping or :class:`~segmenter.atoms.Atoms`; None: the
            defaults.  A lexicon of the profile ``"jieba"`` has no atoms, because jieba has none.

    Raises:
        ArgumentError: an unknown name, or a decoder without its model.

    >>> import segmenter
    >>> s = segmenter.load("fast")
    >>> s.cut("他说的确实在理")
    ['他', '说', '的', '确实', '在理']
    >>> s.ends("他说的确实在理").tolist()
    [1, 2, 3, 5, 7]
    >>> s.with_words(["iPhone 15"]).cut("买iPhone 15")
    ['买', 'iPhone 15']
    """

    __slots__ = (
        "__weakref__", "_decompounders", "_lattice", "_models", "_options", "_origin", "_tokens",
    )  # fmt: skip
    _models: Models
    _options: Options
    _origin: Origin | None
    _tokens: TokenReader | None
    _lattice: WordLattice | None
    _decompounders: dict[SearchOptions | None, Decompounder]

    def __init__(
        self,
        lexicon: Lexicon | Callable[[], Lexicon] | None,
        *,
        tagger: Predictor | NetworkPredictor | None = None,
        unknown_tagger: Predictor | None = None,
        subwords: OovModel | None = None,
        **options: Unpack[SegmenterOptions],
    ) -> None:
        models, requested = Models(lexicon, tagger, unknown_tagger, subwords), Options(**options)
        opened = requested.open(models)
        models.check(opened)
        self._set(models, requested, opened)

    @classmethod
    def _of(
        cls, models: Models, options: Options, opened: _opening.Opened, origin: Origin | None = None
    ) -> Self:
        """Return a Segmenter over opened models; ``origin`` if :func:`load` makes it."""
        return cls.__new__(cls)._set(models, options, opened, origin)

    def _set(
        self,
        models: Models,
        options: Options,
        opened: _opening.Opened,
        origin: Origin | None = None,
        like: _engine.Engine | None = None,
    ) -> Self:
        matcher = models.matcher(options, opened)
        self._models = models
        self._options = options.resolved(opened, matcher)
        self._origin = origin
        self._engine = _engine.Engine(opened, matcher.find if matcher else None, like)
        self._tokens = self._lattice = None
        self._decompounders = {}
        return self

    # --- parts -----------------------------------------------------------------------------------

    @property
    def lexicon(self) -> Lexicon:
        """The words of this Segmenter: a lattice decodes over them, a tagger takes tags from them.

        Raises:
            ArgumentError: a tagger that was made without a lexicon.
        """
        return self._models.lexicon

    @property
    def tagger(self) -> Predictor | NetworkPredictor | None:
        """The model that decodes; None if a lattice decodes."""
        return self._models.tagger

    @property
    def unknown_tagger(self) -> Predictor | None:
        """The model of ``oov="hmm"`` and ``oov="tagger"``."""
        return self._models.unknown_tagger

    @property
    def subwords(self) -> OovModel | None:
        """The vocabulary of ``oov="bpe"`` and ``oov="unigram"``."""
        return self._models.subwords

    @property
    def variants(self) -> bool:
        """Whether Traditional, Hong Kong and Taiwan forms count as the forms of the lexicon."""
        return self._models.variants

    @property
    def decoder(self) -> Decoder:
        """The name of the decoder, one of :data:`segmenter.choices.DECODERS`."""
        decoder: Decoder = self._options.decoder
        return decoder

    @property
    def oov(self) -> Oov:
        """How unknown words are cut."""
        oov: Oov = self._options.oov
        return oov

    @property
    def skip(self) -> frozenset[Skip]:
        """The kinds of tokens that are left out."""
        skip: frozenset[Skip] = self._options.skip
        return skip

    @property
    def matcher(self) -> MatcherName | Matcher | None:
        """The matcher, which finds the words of the lexicon."""
        matcher: MatcherName | Matcher | None = self._options.matcher
        return matcher

    @property
    def atoms(self) -> Atoms:
        """The settings of the rules for URLs, numbers and others."""
        atoms: Atoms = self._options.atoms
        return atoms

    @property
    def user(self) -> UserDictionary:
        """The user words; an empty dictionary if there are none."""
        user = self._options.user
        return user_dictionary(()) if user is None else user

    @property
    def _reader(self) -> TokenReader:
        if self._tokens is None:
            from segmenter.core.tokens import TokenReader

            self._tokens = TokenReader(self._engine, self._models, self._options)
        return self._tokens

    @property
    def _words(self) -> WordLattice:
        if self._lattice is None:
            from segmenter.core.lattice import WordLattice

            self._lattice = WordLattice(self._engine, self._models, self._options)
        return self._lattice

    # --- identity --------------------------------------------------------------------------------

    @property
    def fingerprint(self) -> str:
        """The identity of this Segmenter; an index stores it to know when to rebuild.

        Two Segmenters of equal fingerprint give the same boundaries on every text: it contains the
        version of the rules, the lexicon's content, the user words and the options that move
        boundaries.
        """
        return self._engine.opened.fingerprint

    @property
    def recipe(self) -> dict[str, Any] | None:
        """Arguments with which :func:`load` makes this Segmenter again; None if it was not
        made by :func:`load`, or has user words."""
        if self._origin is None or len(self.user):
            return None
        return {"name": self._origin.source, **self._load_options(self._origin)}

    def _load_options(self, origin: Origin) -> dict[str, Any]:
        variants = {} if self.variants else {"variants": False}
        options = self._options.portable(origin.atoms)
        return {**options, **variants, "standard": origin.standard}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        user = {} if self._options.user is None else {"user": self._options.user}
        origin, models = self._origin, self._models
        if origin is not None:
            options = {**self._load_options(origin), **user}
            return origin.reload, (origin.source, self._engine.opened.models, options)
        from functools import partial

        options = {
            "tagger": models.tagger, "unknown_tagger": models.unknown_tagger,
            "subwords": models.subwords, **self._options.portable(_opening.atom_codes(())), **user,
        }  # fmt: skip
        lexicon = models.lexicon if models.has_lexicon else None
        return partial(type(self), lexicon, **options), ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # immutable

    def __repr__(self) -> str:
        origin = self._origin
        if origin is not None:
            name = origin.source if origin.source in PRESETS else os.path.basename(origin.source)
            description = f"{name}, {origin.standard}, {self.decoder}"
        else:
            description = f"{self.decoder} over {self.tagger or self.lexicon!r}"
        count = len(self.user)
        words = f", {count:,} word{'s' * (count != 1)} of the user" if count else ""
        return f"<Segmenter {description}{words}>"

    # --- the user's words ------------------------------------------------------------------------

    def with_words(self, items: Items, **options: Unpack[WordOptions]) -> Segmenter:
        """Return a Segmenter with more user words; this one does not change.

        Args:
            items: words, each a str (one token wherever it occurs: level ``"prefer"``) or
                ``(word, level or weight, tag, payload)``; see
                :func:`segmenter.lexicon.user.user_word`.
            fold: ignore width and case.
            inside: words may begin or end inside a longer run of letters or digits.
            script: treat Traditional, Hong Kong and Taiwan forms of a character as equal.

        Raises:
            TypeError, ArgumentError: an item is not a word.

        >>> from segmenter import load
        >>> load("fast").with_words(["iPhone 15"]).cut("买了iPhone 15吗")
        ['买', '了', 'iPhone 15', '吗']
        """
        return self.replace(self.user.with_words(items, **options))

    def learn(self, texts: Iterable[str]) -> Segmenter:
        """Return a Segmenter that knows the words that recur in these texts; this one is unchanged.

        Names and terms that are not in the lexicon become user words of level ``"prefer"``, or
        with a weight if other words overlap their edges.  Their payload has the number of places,
        the number of places where they were whole before, and the mutual information of their
        parts; see :mod:`segmenter.lexicon.learning`.  The texts are read once, in linear time and
        about 150 MB of memory.  Existing user words, including deleted ones, do not change.

        Args:
            texts: texts of one book, subject or author, since words differ from one to the next.

        Raises:
            TypeError: ``texts`` is a str, or an item is not a str (its index is named).
            ArgumentError: this Segmenter is a tagger without a lexicon.

        >>> from segmenter import load
        >>> before = ("的", "会有", "产生", "避免")
        >>> after = ("，需要加锁。", "时会出错。", "很难重现。")
        >>> text = [f"{a}竞态{b}" for a in before for b in after]
        >>> load().learn(text).cut("竞态很难避免")[0]
        '竞态'
        """
        check_iterable("texts", texts)
        learner = self._learner()
        learner.read(texts)
        return self.with_words(learner.words())

    def _learner(self) -> Learner:
        from segmenter.lexicon.learning import Learner

        return Learner(self._engine, self.lexicon, self.user, self.tagger is not None)

    def without(self, words: Iterable[str]) -> Segmenter:
        """Return a Segmenter without these words, whether they are user words or lexicon words.

        Raises:
            TypeError: ``words`` is a str, or an item is not a str.

        >>> from segmenter import load
        >>> load("fast").without(["在理"]).cut("他说的确实在理")
        ['他', '说', '的', '确实', '在', '理']
        """
        check_iterable("words", words)
        words = list(words)
        remaining = self.user.without(words)
        return self.replace(remaining.with_words([(word, "delete") for word in words]))

    def replace(self, user: UserWords) -> Segmenter:
        """Return a Segmenter with these user words instead; lexicon and models are shared.

        Args:
            user: the same as the argument of :class:`Segmenter`.

        >>> import segmenter
        >>> mine = segmenter.load("fast").with_words(["C++"])
        >>> [word.word for word in mine.replace(["iPhone 15"]).user]
        ['iPhone 15']
        """
        options, models = self._options.replace(user=user), self._models
        opened = options.open(models)
        segmenter = Segmenter.__new__(Segmenter)
        return segmenter._set(models, options, opened, self._origin, self._engine)

    def reload_if_changed(self) -> Segmenter:
        """Return this Segmenter, or a new one if the files of its user dictionary have changed.

        Raises:
            ArgumentError: the dictionary was not read from a file or a folder.
            DictionaryError, ArtifactError, OSError: a changed file cannot be used.

        >>> import segmenter
        >>> segmenter.load("fast", user="words.tsv").reload_if_changed()  # doctest: +SKIP
        <Segmenter fast, general, perceptron, 12 words of the user>
        """
        user = self.user.reload_if_changed()
        return self if user is self._options.user else self.replace(user)

    # --- boundaries ------------------------------------------------------------------------------

    # cut and ends: see the base class

    def cut_batch(self, texts: Iterable[str], threads: int = 1) -> list[list[str]]:
        """Return ``[cut(t) for t in texts]``, in order, decoded by ``threads`` native threads.

        The cyclic garbage collector does not track the lists until all of them are made.

        Raises:
            TypeError: an item is not a str (its index is named); ``texts`` is itself a str.
            ArgumentError: ``threads`` is not from 1 to 256.

        >>> import segmenter
        >>> segmenter.load("fast").cut_batch(["一句", "又一句"], threads=2)
        [['一', '句'], ['又', '一', '句']]
        """
        check_iterable("texts", texts)
        return _engine.cut_batch(self._engine, texts, checked_threads(threads))

    def cut_bytes(self, utf8: bytes, sep: bytes = b" ", threads: int = 1) -> bytes:
        """Cut UTF-8 into UTF-8: the words of each line joined by ``sep``, line ends unchanged.

        No Python object is created per word.  Each line is cut as :meth:`cut` would cut it.

        Args:
            utf8: bytes or any buffer of bytes.
            sep: separator between the words of a line.
            threads: native threads, which share the lines.

        Raises:
            EncodingError: not UTF-8; names the offset of the first bad byte.
            ArgumentError: a line of more than 256 MB.

        >>> import segmenter
        >>> segmenter.load("fast").cut_bytes("他说的".encode(), sep=b"/").decode()
        '他/说/的'
        """
        if isinstance(utf8, str):
            raise wrong_type("utf8", utf8, "bytes")
        if not isinstance(sep, bytes):
            raise wrong_type("sep", sep, "bytes")
        threads = checked_threads(threads)
        try:
            with memoryview(utf8) as view:
                size, are_bytes = view.nbytes, view.itemsize == 1 and view.c_contiguous
        except TypeError:
            raise wrong_type("utf8", utf8, "bytes") from None
        if not are_bytes:  # floats, or every second byte
            raise wrong_type("utf8", utf8, "bytes that are contiguous")
        if size > 1 << 28:  # the longest line
            from segmenter.files.reading import check_lines

            check_lines(utf8 if isinstance(utf8, (bytes, bytearray)) else bytes(utf8), "utf8")
        out, bad_offset = _engine.cut_bytes(self._engine, utf8, sep, threads)
        if out is None:
            raise EncodingError(
                "utf8 is not UTF-8: decode it by its own encoding first", offset=bad_offset
            )
        return out

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
        """Cut a file line by line, the words of each line joined by ``sep``.

        Memory is bounded: about 4 MB of whole lines are read at a time.  Line ends are kept byte
        for byte, as is a last line without one; a byte order mark is dropped.  ``dst`` is replaced
        once everything is written, so an error or Ctrl-C leaves it as it was.  From a pipe or a
        terminal, lines are cut as they arrive.

        Args:
            src: a path, a binary file, or ``"-"`` for standard input.
            dst: a path, a binary file, or ``"-"`` for standard output.  Always UTF-8.
            sep: separator between the words of a line; must not contain a line end.
            threads: native threads.
            progress: True shows a bar on standard error (by the package tqdm, or a plain counter),
                False none, None a bar if standard error is a terminal.  Or a function that is
                called with the bytes read so far and the size of ``src`` or None.
            encoding: of ``src``; any text encoding that Python knows.
            errors: ``"strict"``, or ``"replace"``: bytes that are not in ``encoding`` become
                U+FFFD.
            learn: read ``src`` twice, first to learn the words that recur in it; see
                :meth:`learn`.

        Returns:
            lines, bytes and seconds.

        Raises:
            EncodingError: ``src`` is not in ``encoding``; names file, line and byte offset.
            ArgumentError: ``dst`` is ``src``; an unknown encoding; a line end in ``sep``; a line
                of more than 256 MB; ``learn`` with a ``src`` that can be read only once.
            OSError: a file cannot be read or written.

        >>> import io
        >>> from segmenter import load
        >>> out = io.BytesIO()
        >>> summary = load("fast").cut_file(io.BytesIO("他说的\\n确实在理".encode()), out, sep="/")
        >>> out.getvalue().decode(), summary.lines
        ('他/说/的\\n确实/在理', 2)
        """
        from segmenter.files.cutting import cut_file
        from segmenter.files.reading import lines_again

        cut = line_cutter(self, sep, threads)
        if learn:
            learned = self.learn(lines_again(src, encoding, errors))
            cut = line_cutter(learned, sep, threads)
        return cut_file(cut, src, dst, progress=progress, encoding=encoding, errors=errors)

    def explain(self, text: str) -> Explanation:
        """Return the reason of each token, an edge or a rule, to print or as ``rows``.

        Raises:
            TypeError: ``text`` is not a str.

        >>> import segmenter
        >>> print(segmenter.load("fast").explain("在2026年"))  # doctest: +ELLIPSIS
              0-1  在...
              1-6  2026年...
        """
        from segmenter.core.explanation import Explanation

        reader, lattice = self._reader, self._words
        return Explanation(text, reader, lattice, self._engine, self._models, self._options)

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
        such path.  User words have the tags and payloads of their entries, and no score.

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
        if mode != "words":
            one_of("mode", mode, MODES)
            if pos:
                raise ArgumentError(
                    f"pos: mode={mode!r} has words inside words, which have no context to tell "
                    "their part of speech: use mode='words'"
                )
            from segmenter.search import index_tokens, with_characters

            if mode != "search":
                options = with_characters(options)
            tokens = index_tokens(self._reader.tokens(text), self._decompounder(options))
        elif options is not None:
            raise ArgumentError(
                "options: mode='words' takes none; choose mode='search', 'index' or 'query'"
            )
        else:
            tokens = (self._tokens or self._reader).tokens(text)
            if pos:
                tokens = tokens.with_tags(self._reader.tags(tokens))
        return tokens if units == "codepoints" else tokens.in_units(units)

    def token_at(self, text: str, offset: int, *, units: Unit = "codepoints") -> Token | None:
        """Return the token that contains the character at ``offset``, as in :meth:`tokenize`.

        Only the line around the offset is read, because no decoder, tagger or rule looks across a
        line feed.  So the time depends on the length of the line, not of the text: with the preset
        ``fast``, microseconds.  If the line begins or ends more than 1,000 characters away,
        ``perceptron`` and ``crf`` without user words read only the sentences around the offset, if
        the marks at their ends are words in any context.  With user words that contain a line end
        the whole text is read.

        Args:
            text: any text.
            offset: from 0 to the length of the text, in ``units``; an offset inside a character of
                several units denotes this character.
            units: unit of ``offset`` and of the token's offsets, as for :meth:`tokenize`.  Bytes
                and UTF-16 units are counted from the beginning of the text.

        Returns:
            the token; its ``position`` is 0, since the tokens before it are not counted.  None at
            the end of the text, and if ``skip`` leaves the token out.

        Raises:
            TypeError, ArgumentError: an argument has the wrong type or value.

        >>> from segmenter import load
        >>> s, text = load("fast"), "他来了。\\n他说的确实在理"
        >>> token = s.token_at(text, 9)
        >>> token.text, token.start, token.end
        ('确实', 8, 10)
        >>> s.next_word(text, 9).text, s.previous_word(text, 5).text
        ('在理', '。')
        """
        return self._token_at(text, offset, units, 0)

    def next_word(self, text: str, offset: int, *, units: Unit = "codepoints") -> Token | None:
        """Return the first token that begins after ``offset``, except blanks and line ends.

        Arguments and errors are those of :meth:`token_at`.  Lines are read until one has such a
        token; None if there is none.

        >>> from segmenter import load
        >>> load("fast").next_word("他说的\\n 确实在理", 2).start
        5
        """
        return self._token_at(text, offset, units, 1)

    def previous_word(self, text: str, offset: int, *, units: Unit = "codepoints") -> Token | None:
        """Return the last token that begins before ``offset``, except blanks and line ends.

        Inside a word this is the word itself.  Otherwise like :meth:`next_word`.

        >>> from segmenter import load
        >>> load("fast").previous_word("他说的\\n 确实在理", 5).text
        '的'
        """
        return self._token_at(text, offset, units, 2)

    def _token_at(self, text: str, offset: int, units: Unit, place: int) -> Token | None:
        from numbers import Integral

        from segmenter.types import UNITS

        check_str("text", text)
        if isinstance(offset, Integral) and not isinstance(offset, bool):
            offset = int(offset)  # `ends` returns NumPy integers
        check_whole("offset", offset, 0)
        one_of("units", units, UNITS)
        return self._reader.token_at(text, offset, units, place)

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
        user = self._options.user
        if user is not None and user.tagged:
            tokens = self._reader.tokens(text)
            return list(zip(tokens.words, self._reader.tags(tokens), strict=True))
        global _pos_tagger
        if _pos_tagger is None:
            from segmenter.tagging.pos import load as load_pos

            _pos_tagger = load_pos().native
        return self._engine.tag(text, _pos_tagger)

    def cut_for_search(self, text: str, options: SearchOptions | None = None) -> list[str]:
        """Return the words of ``text``, each followed by the words inside it, longest first.

        These are the texts of ``tokenize(text, mode="search", options=options)``, in order.

        Args:
            text: any text.
            options: the words inside words to include, and the tokens to drop; see
                :class:`segmenter.search.SearchOptions`.

        Raises:
            TypeError: ``text`` is not a str, or ``options`` are not SearchOptions.

        >>> from segmenter import load
        >>> load("fast").cut_for_search("中华人民共和国成立")
        ['中华人民共和国', '中华', '人民', '共和国', '共和', '成立']
        """
        try:
            decompounder = self._decompounders.get(options) or self._decompounder(options)
        except TypeError:  # of another type, which has no hash
            decompounder = self._decompounder(options)
        if decompounder.plain:
            return decompounder.words(self.cut(text))
        return self.tokenize(text, mode="search", options=options).words

    def _decompounder(self, options: SearchOptions | None) -> Decompounder:
        from segmenter.search import Decompounder, SearchOptions, cuts_runs

        if options is not None and not isinstance(options, SearchOptions):
            raise wrong_type("options", options, "SearchOptions")
        decompounder = self._decompounders.get(options)
        if decompounder is None:
            words = self._words
            decompounder = Decompounder(
                options or SearchOptions(),
                words.inside,
                words.describe,
                whole_units=not cuts_runs(self),
            )
            if len(self._decompounders) >= _MAX_DECOMPOUNDERS:
                self._decompounders.clear()
            self._decompounders[options] = decompounder
        return decompounder

    # --- the lattice -----------------------------------------------------------------------------

    def dag(self, text: str, *, decided: bool = False) -> WordDag:
        """Return the word DAG of ``text`` in adjacency lists.

        Args:
            text: any text.
            decided: only the edges among which the decoder chooses, without those that forced and
                preferred user words and atoms rule out; such words and atoms cost nothing.
                Otherwise every word in the text is an edge.

        >>> from segmenter import load
        >>> s = load("fast", decoder="unigram", user=["的确实"])
        >>> len(s.dag("他说的确实在理")), len(s.dag("他说的确实在理", decided=True))
        (12, 6)
        """
        return self._words.dag(text, decided)

    def cut_all(self, text: str) -> Tokens:
        """Return every lexicon and user word in ``text``, overlapping ones included, by position.

        >>> from segmenter import load
        >>> load("fast").cut_all("的确实在").spans[:3]
        [(0, 1), (0, 2), (1, 2)]
        """
        return self._words.words(text)

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
        check_whole("n", n, 1, 10_000)
        if self.decoder.endswith("-max"):
            raise ArgumentError(
                f"decoder: {self.decoder!r} scores no paths; load with decoder='unigram', "
                "'shortest', 'bigram' or 'trigram'"
            )
        if text == "":
            return [([], 0.0)]
        check_str("text", text)
        too_many = ArgumentError(
            f"n: the {n:,} best paths of {len(text):,} characters would take 1 GB and more (n "
            f"times the characters may be {_MAX_NBEST:,}): ask for fewer, or cut the text by lines"
        )
        if n > 1 and n * len(text) > _MAX_NBEST:
            raise too_many
        try:
            cuts = _tokens.nbest(self._engine, text, n)
        except ValueError:  # very many overlapping words
            raise too_many from None
        return [
            ([text[a:b] for a, b in zip(starts, ends, strict=True)], score)
            for starts, ends, score in cuts
        ]


def line_cutter(segmenter: Segmenter, sep: str = " ", threads: int = 1) -> Callable[[bytes], bytes]:
    """Return a function that cuts UTF-8 bytes of whole lines by :meth:`Segmenter.cut_bytes`.

    Args:
        sep: separator between the words of a line; must not contain a line end.
        threads: native threads.

    Raises:
        ArgumentError: a line end in ``sep``; ``threads`` is not from 1 to 256.

    >>> from segmenter import load
    >>> line_cutter(load("fast"), "/")("他说的\\n".encode()).decode()
    '他/说/的\\n'
    """
    check_str("sep", sep)
    if "\n" in sep or "\r" in sep:
        raise ArgumentError(
            "sep: a line end in it would make several lines of one; for one word per line use "
            "tokenize()"
        )
    try:
        separator = sep.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError(
            f"sep: {sep!r} has a lone surrogate, which UTF-8 cannot express: choose another"
        ) from None
    threads = checked_threads(threads)
    return lambda utf8: segmenter.cut_bytes(utf8, separator, threads)
