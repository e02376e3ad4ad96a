"""The layout of a compiled file, see :mod:`segmenter.artifact`: sizes, offsets, names."""

from __future__ import annotations

MAGIC = b"\x89SEG\r\n\x1a\n"
FORMAT_VERSION = 1
ALIGNMENT = 64
#: Zero bytes that follow each section at least.
GUARD = 64
#: The section of the metadata.
META = ".meta"
#: Bytes of the header, of a row of the section table, and of the names in them.
HEADER = 80
ENTRY = 48
NAME = 24
KIND = 16
NAME_CHARS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789._-")


def align(number: int) -> int:
    """The next multiple of :data:`ALIGNMENT`."""
    return -(-number // ALIGNMENT) * ALIGNMENT


def first_offset(count: int) -> int:
    """The offset of the first of ``count`` sections."""
    return align(HEADER + count * ENTRY)
