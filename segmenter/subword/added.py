"""Added tokens: found in a text before all steps, thousands as fast as one.

>>> finder = Finder([AddedToken("<a>", 7), AddedToken("<a>b", 8, lstrip=True)])
>>> finder.sections("x <a> <a>b")
[(2, 5, 0), (5, 10, 1)]
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError
from segmenter.kernels._subword import TokenFinder
from segmenter.subword import characters, decode
from segmenter.subword.patterns import BLANKS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any, Literal

    from segmenter.subword.aligned import Aligned
    from segmenter.subword.models.model import Model

    Specials = Literal["all"] | Collection[str]


class AddedToken(NamedTuple):
    """A token that is found in the text before all steps, and is not a piece of the model.

    Attributes:
        content: its text.
        id: its id; may be that of a piece of the model with the same text.
        special: controls a model (``<|endoftext|>``) and is recognised in a text only if the caller
            allows it, see :meth:`Tokenizer.encode`.  Other tokens are always recognised.
        single_word: match only where no letter or digit is next to it.
        lstrip: includes the blanks to its left.
        rstrip: includes the blanks to its right.
        normalized: search for it in the normalised text.
    """

    content: str
    id: int
    special: bool = True
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False

    def config(self) -> dict[str, Any]:
        return self._asdict()


@cache
def _is_word(c: str) -> bool:
    return characters.contains(characters.word("fancy"), c)


class Finder:
    """Finds added tokens in texts: the longest of those that begin leftmost, then on from its end.

    An automaton (Aho & Corasick 1975) over the trie of the tokens makes the search independent of
    their number.  A match that ``single_word`` rules out is skipped together with its characters,
    as in ``tokenizers``.

    Args:
        tokens: the tokens to search for.
        normalise: applied to their text beforehand.
    """

    def __init__(
        self, tokens: Iterable[AddedToken], normalise: Callable[[str], str] | None = None
    ) -> None:
        self.tokens = tuple(tokens)
        contents: dict[str, int] = {}
        for index, token in enumerate(self.tokens):
            contents.setdefault(normalise(token.content) if normalise else token.content, index)
        self._index = list(contents.values())
        #: The id of each string that :attr:`kernel` searches for.
        self.ids = [self.tokens[index].id for index in self._index]
        self.kernel = TokenFinder(contents)
        #: Whether no token depends on its neighbouring characters.
        self.alone = not any(t.single_word or t.lstrip or t.rstrip for t in self.tokens)

    def matches(self, text: str) -> list[tuple[int, int, int]]:
        """(start, end, index of the token) of each match, without neighbouring blanks."""
        return [(a, b, self._index[number]) for a, b, number in self.kernel.find(text)]

    def sections(self, text: str) -> list[tuple[int, int, int]]:
        """The same with the blanks that a token includes, and without disallowed matches."""
        matches = self.matches(text)
        if self.alone:
            return matches
        sections: list[tuple[int, int, int]] = []
        last_end = 0
        for start, end, index in matches:
            token = self.tokens[index]
            if token.single_word and (
                (start > 0 and _is_word(text[start - 1]))
                or (end < len(text) and _is_word(text[end]))
            ):
                continue
            if token.lstrip:
                while start > last_end and text[start - 1] in BLANKS:
                    start -= 1
            if token.rstrip:
                while end < len(text) and text[end] in BLANKS:
                    end += 1
            # a match inside the blanks of the one before it counts too, as in tokenizers
            start = max(start, last_end) if token.lstrip else start
            if start < end:
                sections.append((start, end, index))
            last_end = end
        return sections


class AddedTokens:
    """The added tokens of a Tokenizer: their ids and texts, and finding them in a text.

    Args:
        tokens: those of one Tokenizer.
        model: its model, whose pieces keep their ids.
        normalised: normalises a text, for tokens to find in normalised text.
        foreign: decode them like pieces, as ``tokenizers`` does; otherwise they decode to their own
            text.

    Attributes:
        tokens: as given.
        ids: id by content.
        pieces: content by id.
        specials: contents of the special ones.
        texts: by id, the text that they decode to.
        special_ids: ids of the special ones.

    Raises:
        ArgumentError: an empty token; an id shared by two tokens, or with another piece.
    """

    def __init__(
        self,
        tokens: Iterable[AddedToken],
        model: Model,
        normalised: Callable[[str], str],
        *,
        foreign: bool = False,
    ) -> None:
        self.tokens = tuple(tokens)
        self.ids: dict[str, int] = {}
        self.pieces: dict[int, str] = {}
        self.texts: dict[int, str] = {}
        self._normalised = normalised
        self._finders: dict[tuple[frozenset[str], bool], Finder | None] = {}
        for token in self.tokens:
            _check(token, self.pieces, model)
            self.ids[token.content] = token.id
            self.pieces[token.id] = token.content
            text = token.content
            if foreign:
                # there, tokens to find in normalised text are themselves kept normalised
                text = normalised(text) if token.normalized else text
            else:
                text = decode.Added(text)
            self.texts[token.id] = text
        self.specials = frozenset(token.content for token in self.tokens if token.special)
        self.special_ids = frozenset(
            number for number, text in self.texts.items() if text in self.specials
        )

    def chosen(self, argument: str, names: Specials) -> frozenset[str]:
        """The special tokens that an argument names.

        Raises:
            ArgumentError: the argument is a str other than ``"all"``, or a name is unknown.
        """
        if names == "all":
            return self.specials
        if isinstance(names, str):
            raise ArgumentError(f"{argument}: {names!r} is neither 'all' nor a collection of str")
        chosen = frozenset(names)
        if unknown := sorted(chosen - self.specials):
            available = ", ".join(sorted(self.specials)) or "none"
            raise ArgumentError(
                f"{argument}: {unknown[0]!r} is not a special token (there are: {available})"
            )
        return chosen

    def finder(self, allowed: frozenset[str], normalised: bool) -> Finder | None:
        """The finder for the text as given, or for the normalised one; None if no token qualifies.

        Args:
            allowed: special tokens to find; tokens that are not special are always found.
            normalised: whether to find the tokens meant for the normalised text.
        """
        if not self.tokens:
            return None
        key = allowed, normalised
        if key not in self._finders:
            tokens = [
                token
                for token in self.tokens
                if token.normalized is normalised
                and (not token.special or token.content in allowed)
            ]
            finder = None
            if tokens:
                finder = Finder(tokens, self._normalised if normalised else None)
            self._finders[key] = finder
        return self._finders[key]

    def sections(
        self, text: Aligned, allowed: frozenset[str], normalised: bool
    ) -> list[tuple[Aligned, int | None]]:
        """The text in parts, each with the id of its added token, or None."""
        finder = self.finder(allowed, normalised)
        if finder is None or not finder.kernel.find(text.text, finder.alone):
            return [(text, None)]
        parts: list[tuple[Aligned, int | None]] = []
        last_end = 0
        for start, end, index in finder.sections(text.text):
            if last_end < start:
                parts.append((text.part(last_end, start), None))
            parts.append((text.part(start, end), finder.tokens[index].id))
            last_end = end
        if last_end < len(text.text):
            parts.append((text.part(last_end, len(text.text)), None))
        return parts

    def refuse(self, argument: str, text: str, refused: frozenset[str]) -> None:
        """Check that a text contains none of the refused tokens.

        Raises:
            ArgumentError: it does; the message gives the token and its position.
        """
        barred = [token for token in self.tokens if token.content in refused]
        for start, _, index in Finder(barred).matches(text):
            token = barred[index].content
            raise ArgumentError(
                f"{argument}: the special token {token!r} occurs at {start} and is refused: allow "
                "it (allowed=…), or take it as text (refused=())"
            )


def _check(token: AddedToken, pieces: dict[int, str], model: Model) -> None:
    if not token.content:
        raise ArgumentError("added: a token must not be empty")
    if pieces.get(token.id, token.content) != token.content:
        raise ArgumentError(
            f"added: two tokens have the id {token.id}, {pieces[token.id]!r} and {token.content!r}"
        )
    piece = model.at(token.id)
    if piece not in (None, token.content):
        raise ArgumentError(f"added: {token.content!r} has the id of the piece {piece!r}")
