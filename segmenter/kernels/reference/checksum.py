"""The checksum of compiled files (``crc32.hpp``)."""

from __future__ import annotations


def crc32(data: bytes, value: int = 0) -> int:
    """CRC-32 of ISO 3309 and ``zlib.crc32`` (Peterson & Brown 1961), bit by bit.

    >>> hex(crc32(b"123456789"))
    '0xcbf43926'
    """
    rest = value ^ 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0xEDB88320 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF
