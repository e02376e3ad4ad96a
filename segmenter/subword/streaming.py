"""Decode tokens as they come in.

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

#: Tokens to hold back at most: a character has up to four bytes, each of which may be a token.
_MAX_HELD = 8
#: Preceding tokens that affect how those are decoded (a blank at the beginning, a clean-up).
_CONTEXT = 4
_BROKEN = "\ufffd"


class Stream:
    """Decodes tokens one after another, never returning half a character.

    The concatenated results of :meth:`step` and :meth:`finish` equal the decoded text of all ids,
    unless the decoder would change text that has already been returned (WordPiece's clean-up).

    Args:
        decode: :meth:`Tokenizer.decode <segmenter.subword.Tokenizer.decode>`.
        skip_special: leave special tokens out.
    """

    def __init__(self, decode: Callable[..., str], skip_special: bool = False) -> None:
        self._decode = partial(decode, skip_special=skip_special)
        self._ids: list[int] = []  # context, followed by the tokens that are held back
        self._n_context = 0  # length of the context
        self._text = ""  # text of the context

    def step(self, number: int) -> str:
        """The text that a token completes, possibly empty.

        Raises:
            ArgumentError: no token has this id.
        """
        ids = [*self._ids, number]
        text = self._decode(ids)
        self._ids = ids
        if text.endswith(_BROKEN) and len(ids) - self._n_context < _MAX_HELD:
            return ""
        return self._emit(text)

    def finish(self) -> str:
        """The text of the tokens held back; the next step starts a new text."""
        text = self._emit(self._decode(self._ids))
        self._ids, self._n_context, self._text = [], 0, ""
        return text

    def _emit(self, text: str) -> str:
        new_text = text[len(self._text) :]
        self._ids = self._ids[-_CONTEXT:]
        # context begins at the start of a character
        while self._ids and self._decode(self._ids).startswith(_BROKEN):
            self._ids = self._ids[1:]
        self._n_context = len(self._ids)
        self._text = self._decode(self._ids)
        return new_text
