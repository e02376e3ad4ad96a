"""Writes compiled files: sections and metadata to bytes, and bytes to a file.

The layout: :mod:`segmenter.artifact`.
"""

from __future__ import annotations

import os

from segmenter.errors import ArgumentError, ArtifactError, check_path, check_str, wrong_type
from segmenter.kernels import _lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import ReadableBuffer

MAGIC = b"\x89SEG\r\n\x1a\n"
FORMAT_VERSION = 1
ALIGNMENT = 64
#: The least number of zero bytes after each section.
GUARD = 64
#: The section of the metadata.
META = ".meta"
#: Bytes of the header, of a row of the section table, of a section name, and of the kind.
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


def _field(argument: str, value: str, size: int) -> bytes:
    check_str(argument, value)
    raw = value.encode("utf-8", "replace")
    if not raw or len(raw) > size or not NAME_CHARS.issuperset(raw):
        raise ArgumentError(
            f"{argument} {value!r} must be 1 to {size} of the characters a-z 0-9 . _ -"
        )
    return raw


def _flat_view(name: str, data: ReadableBuffer) -> memoryview:
    try:
        view = memoryview(data)
    except TypeError:
        raise wrong_type(f"section {name!r}", data, "a bytes-like object") from None
    if not view.nbytes:
        return memoryview(b"")
    if not view.c_contiguous:
        raise ArgumentError(f"section {name!r} must be contiguous: pass a contiguous copy")
    return view.cast("B")


def _meta_bytes(meta: Mapping[str, object]) -> bytes:
    import json

    try:
        plain = dict(meta)
    except (TypeError, ValueError):
        raise wrong_type("meta", meta, "a mapping") from None
    for key in plain:
        check_str(f"key {key!r} of meta", key)
    try:
        text = json.dumps(
            plain, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
        )
        return text.encode("utf-8", "surrogatepass")  # as json.loads() reads it
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentError(f"meta cannot be written as JSON: {error}") from None


def pack(kind: str, sections: Mapping[str, ReadableBuffer], meta: Mapping[str, object]) -> bytes:
    """Return the bytes of an artifact; equal input gives equal bytes.

    Args:
        kind: the kind of file, 1 to 16 of ``a-z 0-9 . _ -`` (``"lexicon"``).
        sections: name (1 to 24 of the same characters, not beginning with a dot) to its bytes: any
            C-contiguous buffer.  Numbers in them are little-endian by convention of the writers.
        meta: JSON data, without times or machine names, so that equal content has equal digests.

    Raises:
        ArgumentError: a name, the metadata or a buffer cannot be written.
        TypeError: an argument has the wrong type.

    >>> pack("demo", {}, {}) == pack("demo", {}, {}), len(pack("demo", {}, {}))
    (True, 256)
    """
    from hashlib import sha256

    kind_raw = _field("kind", kind, KIND).ljust(KIND, b"\0")
    parts: list[tuple[bytes, memoryview]] = []
    for name, data in sections.items():
        raw = _field("section name", name, NAME)
        if raw.startswith(b"."):
            raise ArgumentError(f"section name {name!r}: names with a leading dot are reserved")
        parts.append((raw, _flat_view(name, data)))
    parts.append((META.encode(), memoryview(_meta_bytes(meta))))
    parts.sort(key=lambda part: part[0])

    digest = sha256(kind_raw)
    table = bytearray()
    offset = first = first_offset(len(parts))
    for raw, view in parts:
        padded = raw.ljust(NAME, b"\0")
        size = view.nbytes.to_bytes(8, "little")
        digest.update(padded + size)
        digest.update(view)
        table += padded + offset.to_bytes(8, "little") + size
        table += _lexicon.crc32(view).to_bytes(4, "little") + bytes(4)
        offset = align(offset + view.nbytes + GUARD)

    out = bytearray(offset)
    out[0:8] = MAGIC
    out[8:12] = FORMAT_VERSION.to_bytes(4, "little")
    out[16:24] = offset.to_bytes(8, "little")
    out[24:28] = len(parts).to_bytes(4, "little")
    out[28:32] = _lexicon.crc32(bytes(table)).to_bytes(4, "little")
    out[32:48] = kind_raw
    out[48:80] = digest.digest()
    out[12:16] = _lexicon.crc32(bytes(out[:HEADER])).to_bytes(4, "little")
    out[HEADER : HEADER + len(table)] = table
    position = first
    for _, view in parts:
        out[position : position + view.nbytes] = view
        position = align(position + view.nbytes + GUARD)
    return bytes(out)


def write(
    path: str | os.PathLike[str],
    kind: str,
    sections: Mapping[str, ReadableBuffer],
    meta: Mapping[str, object],
) -> None:
    """Write an artifact to ``path``: whole or not at all.

    The bytes go to a new file in the same folder, which then replaces ``path``.  Readers that have
    the old file mapped keep the old content (POSIX; on Windows a mapped file cannot be replaced,
    and the error says so).

    Raises:
        ArtifactError: the folder or the file cannot be written.
        ArgumentError, TypeError: see :func:`pack`.
    """
    write_whole(path, pack(kind, sections, meta))


def write_whole(path: str | os.PathLike[str], data: ReadableBuffer) -> None:
    """Write a file whole or not at all: a new file replaces the old one.

    Raises:
        ArtifactError: the folder or the file cannot be written.
    """
    from segmenter.files.atomic import WholeFile  # not needed to read files

    name = path_of(path)
    check_path("path", name)
    try:
        with WholeFile(name, sync=True) as file:
            file.write(data)
    except (OSError, ValueError) as error:
        raise ArtifactError(
            os.path.realpath(name),
            f"cannot be written: {reason(error)}",
            "choose a writable folder with enough space; on Windows close all users of the file",
        ) from error


def reason(error: Exception) -> str:
    """The message of an operating system error."""
    return getattr(error, "strerror", None) or str(error)


def path_of(path: str | os.PathLike[str]) -> str:
    """Return a path as str; raise TypeError for anything else."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise wrong_type("path", path, "str or os.PathLike") from None
