"""Strict UTF-8 (``utf8.hpp``)."""

from __future__ import annotations

# Unicode 15, table 3-7: well-formed byte sequences, lead byte by lead byte.
_WELL_FORMED = (
    (range(0x80), ()),
    (range(0xC2, 0xE0), (range(0x80, 0xC0),)),
    (range(0xE0, 0xE1), (range(0xA0, 0xC0), range(0x80, 0xC0))),
    (range(0xE1, 0xED), (range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xED, 0xEE), (range(0x80, 0xA0), range(0x80, 0xC0))),
    (range(0xEE, 0xF0), (range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xF0, 0xF1), (range(0x90, 0xC0), range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xF1, 0xF4), (range(0x80, 0xC0), range(0x80, 0xC0), range(0x80, 0xC0))),
    (range(0xF4, 0xF5), (range(0x80, 0x90), range(0x80, 0xC0), range(0x80, 0xC0))),
)


def decode_utf8(data: bytes) -> tuple[str, int]:
    """Strict UTF-8: the text, and the offset of the first malformed sequence (-1: none).

    >>> decode_utf8(b"\\xe4\\xbb\\x96"), decode_utf8(b"ab\\xc0\\x80")
    (('他', -1), ('ab', 2))
    """
    out: list[str] = []
    at = 0
    while at < len(data):
        for lead, tail in _WELL_FORMED:
            rest = data[at + 1 : at + 1 + len(tail)]
            if (
                data[at] in lead
                and len(rest) == len(tail)
                and all(byte in allowed for byte, allowed in zip(rest, tail, strict=True))
            ):
                break
        else:
            return "".join(out), at
        # a lead byte of a sequence of n > 1 bytes carries 7 - n bits, every other byte 6
        code = data[at] & (0x3F >> len(tail) if tail else 0x7F)
        for byte in rest:
            code = code << 6 | byte & 0x3F
        out.append(chr(code))
        at += 1 + len(tail)
    return "".join(out), -1
