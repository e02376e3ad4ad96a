"""The Segmenter: words or a model, one decoder, immutable and shared by any number of threads.

>>> from segmenter import load
>>> load("fast").cut("他说的确实在理")
['他', '说', '的', '确实', '在理']

``cut`` and ``ends`` are compiled: they are methods of the lowest base class, ``Cutter`` in
``kernels/face/engine.pxi``, and the decoder below them is ``kernels/worker.hpp``.  A file per job:
``made.py``, what a Segmenter consists of, and its identity; ``views.py``, tokens, tags, search, the
lattice; here, words of the user, batches, bytes and files.
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
    from segmenter.files import FileSummary
    from segmenter.lexicon.user import UserDictionary
    from segmenter.lexicon.user.entry import Item

__all__ = ["RULES", "Recipe", "Segmenter", "line_cutter"]


class Segmenter(Views):
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
        """This Segmenter, or a new one if the files of its dictionary have changed.

        Raises:
            ArgumentError: its dictionary was not read from a file or a folder.
            DictionaryError, ArtifactError, OSError: the files cannot be used as they are now.

        >>> import segmenter
        >>> segmenter.load("fast", user="words.tsv").reload_if_changed()  # doctest: +SKIP
        <Segmenter fast, general, perceptron, 12 words of the user>
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

        >>> import segmenter
        >>> segmenter.load("fast").cut_batch(["一句", "又一句"], threads=2)
        [['一', '句'], ['又', '一', '句']]
        """
        if isinstance(texts, (str, bytes)) or not hasattr(texts, "__iter__"):
            raise wrong_type("texts", texts, "an iterable of str")
        return self._engine.cut_batch(texts, checked_threads(threads))

    def cut_bytes(self, utf8: bytes, sep: bytes = b" ", threads: int = 1) -> bytes:
        """UTF-8 in, UTF-8 out: the words of each line joined by ``sep``, line ends as they are.

        No Python object is created per word.  The boundaries are those of :meth:`cut` on each line.

        Args:
            utf8: bytes or any buffer of them.
            sep: what goes between two words of a line.
            threads: native threads; the text is shared out by lines.

        Raises:
            EncodingError: not UTF-8; the offset of the first bad byte is named.

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

    def explain(self, text: str) -> Explanation:
        """Which edge or rule made each token; print it, or walk its ``rows``.

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
            "sep: a line end in it would make several lines of one; for one word per line use "
            "tokenize()"
        )
    try:
        between = sep.encode("utf-8")
    except UnicodeEncodeError:
        raise ArgumentError(f"sep: {sep!r} cannot be written as UTF-8") from None
    threads = checked_threads(threads)
    return lambda utf8: segmenter.cut_bytes(utf8, between, threads)
