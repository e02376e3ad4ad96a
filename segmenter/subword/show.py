r"""Tokens on a terminal: coloured pieces with their ids, partial characters as bytes.

>>> from segmenter.subword import BPE, Tokenizer
>>> from segmenter.subword.models.model import BYTE_TO_CHAR
>>> byte_level = BPE({c: b for b, c in BYTE_TO_CHAR.items()}, [], byte_level=True)
>>> print(show(Tokenizer(byte_level), "a好", colour=False))
a·97 \xe5·229 \xa5·165 \xbd·189
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmenter.subword.added import Specials
    from segmenter.subword.tokenizer import Tokenizer

# backgrounds of 256-colour terminals, light enough for black
_COLOURS = (153, 229, 157, 217, 189, 223)
_RESET = "\x1b[0m"


def shown(data: bytes) -> str:
    r"""The bytes of a piece as printable text: whole characters as they are, other bytes as
    ``\xe5``, control characters escaped.

    >>> shown("好\n".encode()), shown(b"\xe5\xa5")
    ('好\\n', '\\xe5\\xa5')
    """
    text = data.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def show(
    tokenizer: Tokenizer, text: str, *, colour: bool = True, allowed: Specials | None = None
) -> str:
    """One line with every token and its id.

    Args:
        colour: tokens on a coloured background, followed by dim ids; False: ``token·id``, separated
            by blanks.
        allowed: special tokens, as in :meth:`Tokenizer.encode`.
    """
    parts = []
    for i, number in enumerate(tokenizer.encode(text, allowed=allowed)):
        piece = shown(tokenizer.bytes_of(number))
        if colour:
            ground = _COLOURS[i % len(_COLOURS)]
            parts.append(f"\x1b[38;5;16;48;5;{ground}m{piece}{_RESET}\x1b[2m{number}{_RESET}")
        else:
            parts.append(f"{piece}·{number}")
    return ("" if colour else " ").join(parts)
