"""Four ways to find every lexicon word in a text, behind one protocol.

All find the same words, hence the same word DAG and the same boundaries, at different costs:

``double-array``   the trie of the lexicon (Aoe 1989), walked from every position.  The default: the
                   fastest for words of ordinary length; nothing to build; mapped in place.
``aho-corasick``   an automaton over that trie with failure and output links (Aho & Corasick 1975):
                   one pass, whose time does not grow with the length of the words.
``marisa``         a recursively compressed trie of the package marisa-trie (Yata 2011): the
                   smallest, and the only matcher of a lexicon that was built with it.
``pyahocorasick``  the automaton of the package pyahocorasick, linked nodes on the heap: the
                   largest, but it can be changed: see :class:`PyAhoCorasickMatcher`.

Texts and words are matched as the lexicon's character ids (``lexicon.native.encode``), which
include folding; characters outside all words have ids that match nothing, as in the double array.

>>> from segmenter.lexicon import Lexicon
>>> words = Lexicon.build([("he", 3, ""), ("she", 1, ""), ("his", 2, ""), ("hers", 1, "")])
>>> matches(make("aho-corasick", words), "ushers")
[(1, 4, 'she'), (2, 4, 'he'), (2, 6, 'hers')]
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol

from segmenter.choices import one_of
from segmenter.errors import ArgumentError, ArtifactError
from segmenter.kernels import _lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from _typeshed import ReadableBuffer

    from segmenter.lexicon import Lexicon


class Matcher(Protocol):
    """The protocol of matchers; see the argument ``matcher`` of a Segmenter."""

    @property
    def name(self) -> str:
        """The name for :func:`make`, with which a Segmenter pickles its matcher."""
        ...

    def find(self, text: str) -> ReadableBuffer:
        """Return every lexicon word in ``text``, including overlapping ones.

        Returns:
            native uint32 triples (start, end, word number) in code points of ``text``, end
            exclusive, sorted by start, then by end.
        """
        ...


class DoubleArrayMatcher:
    """The trie of the lexicon as a matcher: the words that the kernels find."""

    name = "double-array"

    def __init__(self, lexicon: Lexicon) -> None:
        self._native = lexicon.native

    def find(self, text: str) -> bytes:
        """See :meth:`Matcher.find`."""
        triples: bytes = self._native.find_words(text)
        return triples


class AhoCorasickMatcher:
    """One automaton over all words, one pass over the text (Aho & Corasick 1975).

    The links need 8 bytes per slot of the double array and are computed by the constructor, in time
    linear in the size of the lexicon.
    """

    name = "aho-corasick"

    def __init__(self, lexicon: Lexicon) -> None:
        self._automaton = _read_trie(lexicon, lambda: _lexicon.AhoCorasick(lexicon.native))

    def find(self, text: str) -> bytes:
        """See :meth:`Matcher.find`."""
        triples: bytes = self._automaton.find(text)
        return triples


def _read_trie(lexicon: Lexicon, read: Callable[[], Any]) -> Any:
    """Return the result of a call that reads the trie of the lexicon.

    Raises:
        ArtifactError: the file's units do not form a tree.
    """
    try:
        return read()
    except ValueError as e:
        raise ArtifactError(lexicon.name, f"its words cannot be read: {e}") from e


class MarisaMatcher:
    """A compressed trie of the words (package marisa-trie), queried at every position.

    Args:
        lexicon: the words; matches have its numbers.
    """

    name = "marisa"

    def __init__(self, lexicon: Lexicon) -> None:
        self._encode: Callable[[str], str] = lexicon.native.encode
        self._numbers: Sequence[int] = range(len(lexicon))  # by the numbers of the trie
        if lexicon.trie is not None:
            self._trie = lexicon.trie
            return
        from segmenter.lexicon.marisa import MarisaTrie

        words: list[str] = _read_trie(lexicon, lexicon.native.encoded_items)
        self._trie = MarisaTrie.build(words)
        self._numbers = numbers = array("I", bytes(4 * len(words)))
        for number, word in enumerate(words):
            numbers[self._trie.number(word)] = number

    def find(self, text: str) -> bytes:
        """See :meth:`Matcher.find`."""
        return self._trie.find(self._encode(text), self._numbers)


class PyAhoCorasickMatcher:
    """The automaton of the package pyahocorasick.

    Words of the lexicon can be removed and added again without rebuilding the trie:
    ``automaton.remove_word(key)`` or ``add_word(key, number)``, then ``make_automaton()``, which
    updates the failure links.  A Segmenter over it sees the change at once.  If threads share the
    Segmenter, change a second matcher and make a second Segmenter instead.

    Attributes:
        automaton: the ``ahocorasick.Automaton``; keys are words as character ids
            (``lexicon.native.encode(word)``), values their numbers in the lexicon.
    """

    name = "pyahocorasick"

    def __init__(self, lexicon: Lexicon) -> None:
        import ahocorasick
        import numpy as np

        words: list[str] = _read_trie(lexicon, lexicon.native.encoded_items)
        automaton = ahocorasick.Automaton(ahocorasick.STORE_INTS)
        for number, word in enumerate(words):
            automaton.add_word(word, number)
        automaton.make_automaton()
        self._encode: Callable[[str], str] = lexicon.native.encode
        self._lengths = np.fromiter(map(len, words), np.int64, len(words))
        self.automaton = automaton

    def find(self, text: str) -> bytes:
        """See :meth:`Matcher.find`."""
        from itertools import chain

        import numpy as np

        ends_and_numbers = chain.from_iterable(self.automaton.iter(self._encode(text)))
        pairs = np.fromiter(ends_and_numbers, np.int64).reshape(-1, 2)
        number = pairs[:, 1]
        end = pairs[:, 0] + 1
        start = end - self._lengths[number]
        # the matches ascend by end, so a stable sort by start also sorts by end
        order = np.argsort(start, kind="stable")
        return np.stack((start, end, number), axis=1)[order].astype(np.uint32).tobytes()


_MAKERS: dict[str, Callable[[Lexicon], Matcher]] = {
    "double-array": DoubleArrayMatcher,
    "aho-corasick": AhoCorasickMatcher,
    "marisa": MarisaMatcher,
    "pyahocorasick": PyAhoCorasickMatcher,
}


def make(name: str, lexicon: Lexicon) -> Matcher:
    """Return the matcher with this name over a lexicon.

    Raises:
        ArgumentError: an unknown name; the message lists the names.

    >>> from segmenter.lexicon import Lexicon
    >>> make("marisa", Lexicon.build([("在理", 2, "")])).name
    'marisa'
    """
    one_of("name", name, _MAKERS)
    if lexicon.trie is not None and name != "marisa":
        raise ArgumentError(
            f"matcher: {name!r} needs a double array, and {lexicon.name} was built with "
            "--matcher marisa: leave the matcher out, or build the lexicon without this option"
        )
    return _MAKERS[name](lexicon)


def matches(matcher: Matcher, text: str) -> list[tuple[int, int, str]]:
    """Return a matcher's matches as (start, end, word), for inspection and tests."""
    flat = memoryview(matcher.find(text)).cast("B").cast("I").tolist()
    return [(start, end, text[start:end]) for start, end in zip(flat[::3], flat[1::3], strict=True)]
