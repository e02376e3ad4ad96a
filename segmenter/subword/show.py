r"""Tokens as text: pieces with their ids, partial characters as bytes.

>>> from segmenter.subword import BPE, Tokenizer
>>> from segmenter.subword.models.model import BYTE_TO_CHAR
>>> byte_level = BPE({c: b for b, c in BYTE_TO_CHAR.items()}, [], byte_level=True)
>>> print(show(Tokenizer(byte_level), "a好"))
a·97 \xe5·229 \xa5·165 \xbd·189
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from segmenter.subword.added import Specials
    from segmenter.subword.tokenizer import Tokenizer


def shown(data: bytes) -> str:
    r"""The bytes of a piece as printable text: whole characters as they are, other bytes as
    ``\xe5``, control characters escaped.

    >>> shown("好\n".encode()), shown(b"\xe5\xa5")
    ('好\\n', '\\xe5\\xa5')
    """
    text = data.decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def show(tokenizer: Tokenizer, text: str, *, allowed: Specials | None = None) -> str:
    """One line with every token and its id, ``token·id``, separated by blanks.

    Args:
        allowed: special tokens, as in :meth:`Tokenizer.encode`.
    """
    ids = tokenizer.encode(text, allowed=allowed).ids
    return " ".join(f"{shown(tokenizer.bytes_of(number))}·{number}" for number in ids)
