"""The Segmenter: words or a model, one decoder, immutable and shared by any number of threads.

>>> from segmenter import load
>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']

``cut`` and ``ends`` are compiled: they are methods of the lowest base class, ``Cutter`` in
``kernels/bindings/batch.pxi``, which calls the decoder in ``kernels/worker.hpp``.  Each file has
one job: ``made.py``, the parts of a Segmenter and its identity; ``views.py``, tokens, tags, search
and the lattice; this one, user words, batches, bytes and files.
:func:`segmenter.loading.load` makes a Segmenter from a name or a file.
"""

from __future__ import annotations

from segmenter.choices import checked_threads
from segmenter.errors import ArgumentError, EncodingError, wrong_type
from segmenter.segmenter.made import RULES, Made, Recipe, user_dictionary
from segmenter.segmenter.views import Views

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable
    from typing import IO

    from segmenter.explanation import Explanation
    from segmenter.files.cutting import FileSummary
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Item

__all__ = ["RULES", "Recipe", "Segmenter", "line_cutter"]


class Segmenter(Views):
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
        guesser: the compiled model, for ``oov="hmm"`` and ``oov="tagger"``.
        subwords: the vocabulary, for ``oov="bpe"`` and ``oov="unigram"``.
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

    __slots__ = ()

    # --- the user's words ------------------------------------------------------------------------

    def with_words(
        self,
        items: Iterable[Item],
        *,
        fold: bool = False,
        inside: bool = False,
        script: bool = False,
    ) -> Segmenter:
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
        return self.replace(self.user.with_words(items, fold=fold, inside=inside, script=script))

    def learn(self, texts: Iterable[str]) -> Segmenter:
        """Return a Segmenter that knows the words that recur in these texts; this one is unchanged.

        Names and terms that are not in the lexicon become user words of level ``"prefer"``, or
        with a weight if other words cross them.  Their payload says where they occur, where they
        were whole before, and the mutual information of their parts; see
        :mod:`segmenter.lexicon.learning`.  The texts are read once, in linear time and about 150
        MB of memory.  User words that are already there, deleted ones included, stay as they are.

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
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise wrong_type("texts", texts, "an iterable of str")
        from segmenter.lexicon.learning import Learner

        learner = Learner(self)
        learner.read(texts)
        return self.with_words(learner.words())

    def without(self, words: Iterable[str]) -> Segmenter:
        """Return a Segmenter without these words, be they user words or the lexicon's.

        Raises:
            TypeError: ``words`` is a str, or an item is not a str.

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
        """Return a Segmenter with these user words instead; lexicon and models are shared.

        Args:
            user: the same as the argument of :class:`Segmenter`.

        >>> import segmenter
        >>> mine = segmenter.load("fast").with_words(["C++"])
        >>> [word.word for word in mine.replace(["iPhone 15"]).user]
        ['iPhone 15']
        """
        new = Segmenter.__new__(Segmenter)
        for name in Made.__slots__:
            if name not in ("__weakref__", "_grains", "_lattice", "_user"):
                setattr(new, name, getattr(self, name))
        new._lattice = None
        new._grains = {}
        new._user = None if user is None else user_dictionary(user)
        new._engine = new._make_engine(self._engine)
        return new

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
        return self if user is self._user else self.replace(user)

    # --- boundaries ------------------------------------------------------------------------------

    # cut and ends: see kernels, Cutter

    def cut_batch(self, texts: Iterable[str], threads: int = 1) -> list[list[str]]:
        """Return ``[cut(t) for t in texts]``, in order, decoded by ``threads`` native threads.

        The cyclic garbage collector sees the lists only once all of them are made, since they
        contain nothing that it could collect.

        Raises:
            TypeError: an item is not a str (its index is named); ``texts`` is itself a str.
            ArgumentError: ``threads`` is not from 1 to 256.

        >>> import segmenter
        >>> segmenter.load("fast").cut_batch(["一句", "又一句"], threads=2)
        [['一', '句'], ['又', '一', '句']]
        """
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise wrong_type("texts", texts, "an iterable of str")
        return self._engine.cut_batch(texts, checked_threads(threads))

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
                size = view.nbytes
        except TypeError:
            raise wrong_type("utf8", utf8, "bytes") from None
        if size > 1 << 28:  # the longest line
            from segmenter.files.reading import check_lines

            check_lines(utf8 if isinstance(utf8, (bytes, bytearray)) else bytes(utf8), "utf8")
        if self._engine.external:
            return self._cut_bytes_slowly(utf8, sep)
        out, bad = self._engine.cut_bytes(utf8, sep, threads)
        if out is None:
            raise EncodingError(
                "utf8 is not UTF-8: decode it by its own encoding first", offset=bad
            )
        return out

    def _cut_bytes_slowly(self, utf8: bytes, sep: bytes) -> bytes:
        # matchers outside the kernels read str only; the user asked for one by name
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
        """Return why each token is there, by which edge or rule; print it, or read its ``rows``.

        Raises:
            TypeError: ``text`` is not a str.

        >>> import segmenter
        >>> print(segmenter.load("fast").explain("在2026年"))  # doctest: +ELLIPSIS
              0-1  在...
              1-6  2026年...
        """
        from segmenter.explanation import Explanation

        return Explanation(self, text)


def _lines(text: str) -> Iterable[str]:
    """Lines with their ends, of which \\n is the only one (str.splitlines knows many more)."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


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
    if not isinstance(sep, str):
        raise wrong_type("sep", sep, "str")
    if "\n" in sep or "\r" in sep:
        raise ArgumentError(
            "sep: a line end in it would make several lines of one; for one word per line use "
            "tokenize()"
        )
    try:
        between = sep.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError(f"sep: {sep!r} cannot be written as UTF-8") from None
    threads = checked_threads(threads)
    return lambda utf8: segmenter.cut_bytes(utf8, between, threads)
