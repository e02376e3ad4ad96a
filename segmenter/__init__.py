"""Chinese word segmentation: ``segmenter.cut("他说的确实在理")`` gives 他/说/的/确实/在理."""

from __future__ import annotations

from _thread import allocate_lock

from segmenter._version import __version__
from segmenter.choices import DECODERS, LATTICE, PRESETS
from segmenter.errors import (
    ArgumentError,
    ArtifactError,
    DictionaryError,
    DictionaryWarning,
    EncodingError,
    MissingExtraError,
    ResourceError,
    SegmenterError,
    wrong_type,
)
from segmenter.lexicon import Lexicon
from segmenter.loading import load
from segmenter.segmenter import Segmenter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from os import PathLike
    from typing import IO, Any

    from numpy import int32
    from numpy.typing import NDArray

    from segmenter.explanation import Explanation
    from segmenter.files import FileSummary
    from segmenter.lexicon.user import UserDictionary, UserWord
    from segmenter.lexicon.user.files import TextSource
    from segmenter.search import SearchOptions
    from segmenter.sentence import Sentence
    from segmenter.types import Tokens

_default_segmenter: Segmenter | None = None
_changing = allocate_lock()  # one change of the default after the other


def default() -> Segmenter:
    """The Segmenter behind the functions of this module; loaded by the first call."""
    global _default_segmenter
    if _default_segmenter is None:
        _default_segmenter = load()
    return _default_segmenter


def cut(text: str) -> list[str]:
    """The words of ``text`` by the default Segmenter.

    >>> cut("他说的确实在理")
    ['他', '说', '的', '确实', '在理']
    """
    return (_default_segmenter or default()).cut(text)


def ends(text: str) -> NDArray[int32]:
    """Exclusive ends of the words in code points, int32; see :meth:`Segmenter.ends`."""
    return default().ends(text)


def cut_batch(texts: Iterable[str], threads: int = 1) -> list[list[str]]:
    """``[cut(t) for t in texts]`` by native threads; see :meth:`Segmenter.cut_batch`."""
    return default().cut_batch(texts, threads)


def cut_bytes(utf8: bytes, sep: bytes = b" ", threads: int = 1) -> bytes:
    """UTF-8 in, UTF-8 out; see :meth:`Segmenter.cut_bytes`."""
    return default().cut_bytes(utf8, sep, threads)


def cut_file(
    src: str | PathLike[str] | IO[bytes],
    dst: str | PathLike[str] | IO[bytes],
    *,
    sep: str = " ",
    threads: int = 1,
    progress: bool | Callable[[int, int | None], object] | None = None,
    encoding: str = "utf-8",
    errors: str = "strict",
    learn: bool = False,
) -> FileSummary:
    """One line in, one line out, in bounded memory; see :meth:`Segmenter.cut_file`."""
    return default().cut_file(
        src,
        dst,
        sep=sep,
        threads=threads,
        progress=progress,
        encoding=encoding,
        errors=errors,
        learn=learn,
    )


def cut_all(text: str) -> Tokens:
    """Every lexicon word, overlapping; see :meth:`Segmenter.cut_all`."""
    return default().cut_all(text)


def cut_for_search(text: str, options: SearchOptions | None = None) -> list[str]:
    """The words and the words inside them; see :meth:`Segmenter.cut_for_search`."""
    return default().cut_for_search(text, options)


def tokenize(
    text: str,
    *,
    mode: str = "words",
    options: SearchOptions | None = None,
    units: str = "codepoints",
    pos: bool = False,
) -> Tokens:
    """Tokens with offsets, kinds and tags; see :meth:`Segmenter.tokenize`."""
    return default().tokenize(text, mode=mode, options=options, units=units, pos=pos)


def tag(text: str) -> list[tuple[str, str]]:
    """The words with their parts of speech by context; see :meth:`Segmenter.tag`.

    >>> tag("促进经济的发展")
    [('促进', 'v'), ('经济', 'n'), ('的', 'u'), ('发展', 'vn')]
    """
    return default().tag(text)


def nbest(text: str, n: int) -> list[tuple[list[str], float]]:
    """The ``n`` best segmentations with scores; see :meth:`Segmenter.nbest`."""
    return default().nbest(text, n)


def add_word(
    word: str,
    level: str | float = "prefer",
    tag: str = "",
    payload: object = None,
    *,
    fold: bool = False,
    inside: bool = False,
    script: bool = False,
) -> None:
    """Adds a word to the default Segmenter: a new one takes its place.

    Calls that are under way finish on the old one, and so does everybody who holds it.  For many
    words one :func:`load_userdict`, or ``with_words`` on a Segmenter of one's own, is cheaper.

    Args:
        word: the word, whatever is in it.
        level: ``"prefer"``, ``"force"``, ``"split"``, ``"delete"``, or a number, the word's weight;
            see :func:`segmenter.lexicon.user.user_word`.
        tag: part of speech.
        payload: what its tokens carry; anything that JSON can hold.
        fold: width and case do not matter.
        inside: may begin or end inside a longer run of letters or digits.
        script: Traditional, Hong Kong and Taiwan forms of its characters count as equal.

    Raises:
        TypeError, ArgumentError: it is no word, or no level.

    >>> add_word("云南白药")
    >>> cut("买云南白药")
    ['买', '云南白药']
    >>> del_word("云南白药")
    """
    if not isinstance(word, str):
        raise wrong_type("word", word, "str")
    global _default_segmenter
    with _changing:
        _default_segmenter = default().with_words(
            [(word, level, tag, payload)], fold=fold, inside=inside, script=script
        )


def del_word(word: str) -> None:
    """Takes a word out of the default Segmenter, the user's or the lexicon's; as :func:`add_word`.

    Raises:
        TypeError: ``word`` is no str.
    """
    if not isinstance(word, str):
        raise wrong_type("word", word, "str")
    global _default_segmenter
    with _changing:
        _default_segmenter = default().without([word])


def load_userdict(source: TextSource, **options: Any) -> None:
    """Adds the words of a file, a folder, bytes or a file object to the default Segmenter.

    Args:
        source: see :meth:`UserDictionary.load`.
        options: see there.
    """
    from segmenter.lexicon.user import UserDictionary

    words = UserDictionary.load(source, **options)
    global _default_segmenter
    with _changing:
        _default_segmenter = default().with_words(words)


def reload_if_changed() -> bool:
    """Reads the files of :func:`load_userdict` again if they are not what they were.

    Returns:
        whether they had changed.

    Raises:
        ArgumentError: no file was loaded.
    """
    global _default_segmenter
    with _changing:
        old = default()
        new = old.reload_if_changed()
        _default_segmenter = new
    return new is not old


def extract_tags(
    text: str,
    top: int | None = 20,
    *,
    method: str = "tfidf",
    weights: bool = False,
    allow: Collection[str] | None = None,
) -> list[str] | list[tuple[str, float]]:
    """The keywords of a text, best first; see :func:`segmenter.keywords.extract_tags`.

    >>> extract_tags("老虎怕狮子，狮子怕大象，大象怕老鼠，老虎吃狮子", 2)
    ['狮子', '老虎']
    """
    from segmenter.keywords import extract_tags as extract

    return extract(text, top, method=method, weights=weights, allow=allow, segmenter=default())


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text, which tile it; see :func:`segmenter.sentence.sentences`.

    >>> [s.text for s in sentences("他说：“好。”3.5元？我走了……")]
    ['他说：“好。”', '3.5元？', '我走了……']
    """
    from segmenter.sentence import sentences as of

    return of(text)


def chunks(
    text: str,
    size: int,
    unit: str = "chars",
    overlap: int = 0,
    *,
    segmenter: Segmenter | None = None,
    tokenizer: Any = None,
) -> list[Sentence]:
    """Stretches of a text of at most ``size``; see :func:`segmenter.sentence.chunks`.

    >>> [c.text for c in chunks("他来了。我走了，因为下雨。好吧。", 9)]
    ['他来了。', '我走了，因为下雨。', '好吧。']
    """
    from segmenter.sentence import chunks as of

    return of(
        text, size, unit, overlap, segmenter=segmenter or default(), tokenizer=tokenizer
    )


def explain(text: str) -> Explanation:
    """Which edge or rule made each token; see :meth:`Segmenter.explain`."""
    return default().explain(text)


def __getattr__(name: str) -> object:
    # what few programs need is imported when it is asked for
    if name in ("UserDictionary", "UserWord"):
        from segmenter.lexicon import user

        return getattr(user, name)
    if name == "SearchOptions":
        from segmenter.search import SearchOptions

        return SearchOptions
    raise AttributeError(f"module 'segmenter' has no attribute {name!r}")


__all__ = [
    "DECODERS",
    "LATTICE",
    "PRESETS",
    "ArgumentError",
    "ArtifactError",
    "DictionaryError",
    "DictionaryWarning",
    "EncodingError",
    "Lexicon",
    "MissingExtraError",
    "ResourceError",
    "SearchOptions",
    "Segmenter",
    "SegmenterError",
    "UserDictionary",
    "UserWord",
    "__version__",
    "add_word",
    "chunks",
    "cut",
    "cut_all",
    "cut_batch",
    "cut_bytes",
    "cut_file",
    "cut_for_search",
    "default",
    "del_word",
    "ends",
    "explain",
    "extract_tags",
    "load",
    "load_userdict",
    "nbest",
    "reload_if_changed",
    "sentences",
    "tag",
    "tokenize",
]
