"""The default Segmenter, and the package's functions that use it.

``segmenter.cut`` is the function ``cut`` of this module.  The first call loads the preset
``balanced``.  Adding or removing words replaces the Segmenter by a new one; calls in progress
finish with the old one.
"""

from __future__ import annotations

from _thread import allocate_lock

from segmenter.errors import check_str
from segmenter.loading import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Any, Unpack

    from numpy import int32
    from numpy.typing import NDArray

    from segmenter.choices import Mode, Unit
    from segmenter.core import Segmenter
    from segmenter.lexicon.user.entry import WordOptions
    from segmenter.lexicon.user.files import TextSource
    from segmenter.search import SearchOptions
    from segmenter.types import Tokens

_default: Segmenter | None = None
_default_lock = allocate_lock()  # serialises changes of the default


def default_segmenter() -> Segmenter:
    """Return the Segmenter that the functions of this module use; the first call loads it."""
    global _default
    if _default is None:
        _default = load()
    return _default


def cut(text: str) -> list[str]:
    """Return the words of ``text``, cut by the preset ``"balanced"``.

    For another preset, standard or decoder, or with words of your own, make a Segmenter with
    :func:`segmenter.load` and call its ``cut``: ``load("accurate").cut(text)``.  ``help(load)``
    lists presets and options; ``segmenter.add_word`` adds words to the default one.

    Args:
        text: any text.

    Returns:
        the words, in order; joined, they are ``text`` again.

    Raises:
        TypeError: ``text`` is not a str.
        ResourceError: the preset's files are not installed.

    >>> cut("他说的确实在理")
    ['他', '说', '的', '确实', '在理']
    """
    return (_default or default_segmenter()).cut(text)


def ends(text: str) -> NDArray[int32]:
    """Return the exclusive ends of the words in code points, int32; see :meth:`Segmenter.ends`.

    >>> ends("他说的确实在理").tolist()
    [1, 2, 3, 5, 7]
    """
    return default_segmenter().ends(text)


def cut_batch(texts: Iterable[str], threads: int = 1) -> list[list[str]]:
    """Return ``[cut(t) for t in texts]``, by native threads; see :meth:`Segmenter.cut_batch`.

    >>> cut_batch(["他说的确实在理", "我们说"], threads=2)
    [['他', '说', '的', '确实', '在理'], ['我们', '说']]
    """
    return default_segmenter().cut_batch(texts, threads)


def cut_for_search(text: str, options: SearchOptions | None = None) -> list[str]:
    """Return the words and the words inside them; see :meth:`Segmenter.cut_for_search`.

    >>> cut_for_search("共和国成立")
    ['共和国', '共和', '成立']
    """
    return default_segmenter().cut_for_search(text, options)


def tokenize(
    text: str,
    *,
    mode: Mode = "words",
    options: SearchOptions | None = None,
    units: Unit = "codepoints",
    pos: bool = False,
) -> Tokens:
    """Return tokens with offsets, kinds and tags; see :meth:`Segmenter.tokenize`.

    >>> [(t.text, t.start, t.end, t.kind) for t in tokenize("在2026年")]
    [('在', 0, 1, 'word'), ('2026年', 1, 6, 'date')]
    """
    return default_segmenter().tokenize(text, mode=mode, options=options, units=units, pos=pos)


def tag(text: str) -> list[tuple[str, str]]:
    """Return the words with their parts of speech in context; see :meth:`Segmenter.tag`.

    >>> tag("促进经济的发展")
    [('促进', 'v'), ('经济', 'n'), ('的', 'u'), ('发展', 'vn')]
    """
    return default_segmenter().tag(text)


def add_word(
    word: str,
    level: str | float = "prefer",
    tag: str = "",
    payload: object = None,
    **options: Unpack[WordOptions],
) -> None:
    """Add a word to the default Segmenter, which a new one replaces.

    Calls in progress and references to the old Segmenter are not affected.  For many words, one
    :func:`load_userdict`, or ``with_words`` on a Segmenter of your own, is cheaper.

    Args:
        word: the word; it may contain any characters.
        level: ``"prefer"``, ``"force"``, ``"split"``, ``"delete"``, or a number, the word's weight;
            see :func:`segmenter.lexicon.user.user_word`.
        tag: part of speech.
        payload: attached to its tokens; any value that JSON can express.
        fold: ignore width and case.
        inside: the word may begin or end inside a longer run of letters or digits.
        script: treat Traditional, Hong Kong and Taiwan forms of a character as equal.

    Raises:
        TypeError, ArgumentError: ``word`` or ``level`` cannot be used.

    >>> add_word("云南白药")
    >>> cut("买云南白药")
    ['买', '云南白药']
    >>> del_word("云南白药")
    """
    check_str("word", word)
    global _default
    with _default_lock:
        _default = default_segmenter().with_words([(word, level, tag, payload)], **options)


def del_word(word: str) -> None:
    """Remove a word, the user's or the lexicon's, from the default Segmenter; see :func:`add_word`.

    Raises:
        TypeError: ``word`` is not a str.

    >>> del_word("在理")
    >>> cut("确实在理")
    ['确实', '在', '理']
    >>> add_word("在理")
    """
    check_str("word", word)
    global _default
    with _default_lock:
        _default = default_segmenter().without([word])


def load_userdict(source: TextSource | Iterable[str | PathLike[str]], **options: Any) -> None:
    r"""Add the words of a file, a folder, bytes or a file object to the default Segmenter.

    Args:
        source, options: see :meth:`segmenter.lexicon.user.UserDictionary.load`.

    >>> load_userdict("iPhone 15\nC++\tforce\n".encode())
    >>> cut("买iPhone 15学C++")
    ['买', 'iPhone 15', '学', 'C++']
    """
    from segmenter.lexicon.user import UserDictionary

    words = UserDictionary.load(source, **options)
    global _default
    with _default_lock:
        _default = default_segmenter().with_words(words)


def reload_if_changed() -> bool:
    """Reread the files of :func:`load_userdict` if they have changed; return whether they had.

    Raises:
        ArgumentError: no file was loaded.
    """
    global _default
    with _default_lock:
        old = default_segmenter()
        new = old.reload_if_changed()
        _default = new
    return new is not old
