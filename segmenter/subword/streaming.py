"""Text as tokens come in.

>>> table = {0: b"a", 1: "好".encode()[:2], 2: "好".encode()[2:]}
>>> decode = lambda ids, skip_special: b"".join(map(table.get, ids)).decode("utf-8", "replace")
>>> stream = Stream(decode)
>>> [stream.step(number) for number in (0, 1, 2, 1)], stream.finish()
(['a', '', '好', ''], '�')
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: Tokens that may be held: a character is of four bytes at most, and each may be a token.
_HELD = 8
#: Tokens before them that say how they are decoded (a blank at the beginning, a clean-up).
_CONTEXT = 4
_BROKEN = "\ufffd"


class Stream:
    """Tokens one after another to text, never half a character.

    What the steps give joined, and :meth:`finish`, is what all ids decode to together, but for what
    a decoder takes back of text that has been given (the clean-up of WordPiece).

    Args:
        decode: :meth:`Tokenizer.decode <segmenter.subword.Tokenizer.decode>`.
        skip_special: leave special tokens out.
    """

    def __init__(self, decode: Callable[..., str], skip_special: bool = False) -> None:
        self._decode = partial(decode, skip_special=skip_special)
        self._ids: list[int] = []  # context, and behind it what is held
        self._given = 0  # how many of them
        self._text = ""  # that they gave

    def step(self, number: int) -> str:
        """The text that a token completes, perhaps none.

        Raises:
            ArgumentError: nothing has this id.
        """
        ids = [*self._ids, number]
        text = self._decode(ids)
        self._ids = ids
        if text.endswith(_BROKEN) and len(ids) - self._given < _HELD:
            return ""
        return self._give(text)

    def finish(self) -> str:
        """The text of what is held; the next step begins anew."""
        out = self._give(self._decode(self._ids))
        self._ids, self._given, self._text = [], 0, ""
        return out

    def _give(self, text: str) -> str:
        out = text[len(self._text) :]
        self._ids = self._ids[-_CONTEXT:]
        # context begins where a character does
        while self._ids and self._decode(self._ids).startswith(_BROKEN):
            self._ids = self._ids[1:]
        self._given = len(self._ids)
        self._text = self._decode(self._ids)
        return out
