"""As much of the wire format of protocol buffers as SentencePiece's models need: reading.

A message is a row of fields, each a key (number << 3 | wire type) and a value: a varint (0), eight
bytes (1), a length and that many bytes (2) or four bytes (5).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are no message."""


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """(field number, value) in the order of the message.

    Varints are int, not negative (see :func:`signed`); everything else is its bytes.

    Raises:
        WireError: the message is truncated, or of a wire type that nothing writes any more.

    >>> list(fields(b"\\x08\\x96\\x01\\x12\\x02hi"))
    [(1, 150), (2, b'hi')]
    """
    at, n = 0, len(data)
    while at < n:
        key, at = _varint(data, at)
        number, wire = key >> 3, key & 7
        if not number:
            raise WireError(f"a field without a number at byte {at}")
        if wire == VARINT:
            value, at = _varint(data, at)
            yield number, value
            continue
        if wire == BYTES:
            size, at = _varint(data, at)
        elif wire in (FIXED64, FIXED32):
            size = 8 if wire == FIXED64 else 4
        else:
            raise WireError(f"a field of the wire type {wire} at byte {at}")
        if size > n - at:
            raise WireError(f"it is truncated: a field of {size} bytes at byte {at} of {n}")
        yield number, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    out = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        out |= (byte & 0x7F) << shift
        if byte < 0x80:
            return out & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            break
    raise WireError(f"a number without an end at byte {at}")


def signed(value: int) -> int:
    """A varint as the int32 or int64 that it stands for."""
    return value - (1 << 64) if value >> 63 else value


def as_float(value: int | bytes) -> float:
    """A field of four bytes as a float.

    Raises:
        WireError: it is of another wire type.
    """
    if not isinstance(value, bytes) or len(value) != 4:
        raise WireError("a float of another wire type")
    return float(struct.unpack("<f", value)[0])
