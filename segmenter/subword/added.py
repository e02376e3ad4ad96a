"""Added tokens: found in a text before all steps, thousands as fast as one.

>>> finder = Finder([AddedToken("<a>", 7), AddedToken("<a>b", 8, lstrip=True)])
>>> finder.sections("x <a> <a>b")
[(2, 5, 0), (5, 10, 1)]
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from segmenter.kernels._face import TokenFinder
from segmenter.subword import characters
from segmenter.subword.patterns import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class AddedToken(NamedTuple):
    """A token that is found in the text before all steps, and is not a piece of the model.

    Attributes:
        content: its text.
        id: its number; may be that of a piece of the model of the same text.
        special: it controls a model (``<|endoftext|>``): found in a text only where the caller
            allows it, see :meth:`Tokenizer.encode`.  Others are always found.
        single_word: only where no letter or digit stands beside it.
        lstrip: it takes the blanks before it.
        rstrip: it takes the blanks after it.
        normalized: it is sought in the normalised text.
    """

    content: str
    id: int
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False

    def config(self) -> dict[str, Any]:
        """Its entry among the ``added_tokens`` of ``tokenizer.json``."""
        return self._asdict()


@cache
def _is_word(c: str) -> bool:
    return characters.contains(characters.word("fancy"), c)


class Finder:
    """Added tokens in texts: of all that begin leftmost the longest, then on after its end.

    An automaton (Aho & Corasick 1975) over the trie of the tokens: how many there are does not
    matter.  One that ``single_word`` forbids is passed over with the characters it stands on, as in
    ``tokenizers``.

    Args:
        tokens: what is sought.
        change: what is done to their text beforehand.
    """

    def __init__(
        self, tokens: Iterable[AddedToken], change: Callable[[str], str] | None = None
    ) -> None:
        self.tokens = tuple(tokens)
        contents: dict[str, int] = {}
        for index, token in enumerate(self.tokens):
            contents.setdefault(change(token.content) if change else token.content, index)
        self._index = list(contents.values())
        #: The id of each string that :attr:`kernel` seeks.
        self.ids = [self.tokens[index].id for index in self._index]
        self.kernel = TokenFinder(contents)
        #: Whether no token looks at what stands beside it.
        self.alone = not any(t.single_word or t.lstrip or t.rstrip for t in self.tokens)

    def stands_in(self, text: str) -> bool:
        """Whether :meth:`sections` finds anything."""
        found = self.kernel.find(text, self.alone)
        return bool(found) and (self.alone or bool(self.sections(text)))

    def matches(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, index among the tokens) of the tokens' own characters."""
        return [(a, b, self._index[number]) for a, b, number in self.kernel.find(text)]

    def sections(self, text: str) -> list[tuple[int, int, int]]:
        """The same with the blanks that a token takes, without those that may not stand there."""
        found = self.matches(text)
        if self.alone:
            return found
        out: list[tuple[int, int, int]] = []
        at = 0
        for start, end, index in found:
            token = self.tokens[index]
            if token.single_word and (
                (start > 0 and _is_word(text[start - 1]))
                or (end < len(text) and _is_word(text[end]))
            ):
                continue
            if token.lstrip:
                while start > at and text[start - 1] in BLANKS:
                    start -= 1
            if token.rstrip:
                while end < len(text) and text[end] in BLANKS:
                    end += 1
            if end > at:
                out.append((max(start, at), end, index))
                at = end
        return out

    def steps(self, text: str) -> int:
        """How many characters finding them looks at."""
        return self.kernel.steps(text)
