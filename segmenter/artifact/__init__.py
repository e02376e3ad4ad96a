"""The container of every compiled file: named sections, mapped read-only and checked on opening.

Layout (all numbers little-endian)::

    offset  bytes  header
         0      8  magic  89 "SEG" 0D 0A 1A 0A  (reveals a copy in text mode or over 7 bits)
         8      4  format version, currently 1
        12      4  CRC-32 of the 80 header bytes, these four taken as zero
        16      8  total length of the file
        24      4  number of sections
        28      4  CRC-32 of the section table
        32     16  kind, ASCII, padded with NUL
        48     32  digest: SHA-256 of kind and of every section's name, length and bytes
        80         section table, 48 bytes per section, names ascending:
                   name (24, ASCII, padded with NUL), offset (8), length (8), CRC-32 (4), zero (4)

Each section begins at the first possible multiple of 64, and at least 64 zero bytes follow it (a
kernel may load a whole vector at the last element).  The file ends at a multiple of 64.  So the
lengths determine every offset, and a reader accepts no other layout.  The section ``.meta``
contains the metadata as JSON (keys sorted, UTF-8).

Checks: header, table and each section against their CRC; every other byte is padding and must be
zero; the file's length against the header.  A CRC-32 detects every flipped bit and every burst of
up to 32 bits, so a file with one flipped bit anywhere, or truncated anywhere, is refused.  The
digest is the *identity* of the content and part of fingerprints; opening a file reads it and does
not compute it.

Equal input gives equal bytes: files contain nothing that depends on time, machine or hash order.

>>> art = from_bytes(pack("demo", {"words": b"abc"}, {"rows": 1}), name="demo.bin")
>>> bytes(art.section("words")), art.meta, art.names()
(b'abc', {'rows': 1}, ('words',))
"""

from __future__ import annotations

import builtins
import os

from segmenter.artifact.packing import (
    ALIGNMENT,
    FORMAT_VERSION,
    GUARD,
    MAGIC,
    META,
    NAME,
    pack,
    path_of,
    reason,
    write,
    write_whole,
)
from segmenter.errors import REBUILD, ArtifactError, wrong_type
from segmenter.kernels import _lexicon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from mmap import mmap
    from typing import Any, ClassVar, Self

    from _typeshed import ReadableBuffer


_NEWER = "upgrade segmenter-zh (`pip install -U segmenter-zh`) or use a file made for this version"


__all__ = [
    "ALIGNMENT",
    "FORMAT_VERSION",
    "GUARD",
    "MAGIC",
    "META",
    "Artifact",
    "OnArtifact",
    "field",
    "from_bytes",
    "open",
    "pack",
    "write",
    "write_whole",
]


class Artifact:
    """An opened artifact: read-only views of its sections, and its header.

    Returned by :func:`open` and :func:`from_bytes`.  Immutable, and safe to share among threads.
    The mapping lives as long as the artifact or any view of it; there is nothing to close.

    Attributes:
        path: the file, or the name given with a buffer.
        kind: the kind of file (``"lexicon"``).
        version: format version of the file.
        digest: SHA-256 of the content, 64 hexadecimal digits.
        size: length of the file in bytes.
    """

    __slots__ = ("_table", "_view", "digest", "kind", "path", "size", "version")

    def __init__(self, path: str, view: memoryview, kind: str | None, verify: bool) -> None:
        self.path = path
        self._view = view
        self.size = view.nbytes
        try:
            header = _lexicon.read_container(view, kind, verify)
        except ValueError as error:
            reason, newer = error.args
            raise self._error(reason, _NEWER if newer else REBUILD) from None
        self.version, self.kind, self.digest, self._table = header

    def _error(self, reason: str, remedy: str = REBUILD) -> ArtifactError:
        return ArtifactError(self.path, reason, remedy)

    def verify(self) -> None:
        """Check every byte against the CRCs (padding: zero); :func:`open` does it by default.

        Raises:
            ArtifactError: names the first damaged section or offset.
        """
        Artifact(self.path, self._view, self.kind, verify=True)

    @property
    def meta_bytes(self) -> bytes:
        """The metadata as bytes of the file."""
        return bytes(self._section(META))

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata, a new dict on each access."""
        import json

        try:
            raw = str(self.meta_bytes, "utf-8")
            meta = json.loads(raw, parse_constant=_no_constant)
            if "\\u" in raw:  # never written by pack(): it may be a lone surrogate
                json.dumps(meta, ensure_ascii=False).encode("utf-8")
        except (ValueError, RecursionError) as error:
            raise self._error(f"its metadata is not JSON ({error})") from None
        if not isinstance(meta, dict):
            raise self._error("its metadata is not a JSON object")
        return meta

    def names(self) -> tuple[str, ...]:
        """Names of the sections, ascending, without the metadata's."""
        return tuple(name for name in self._table if name != META)

    def _section(self, name: str) -> memoryview:
        offset, length = self._table[name]
        return self._view[offset : offset + length]

    def section(self, name: str) -> memoryview:
        """The bytes of a section: a read-only view, its start aligned to 64 bytes in memory.

        At least 64 readable zero bytes follow it.

        Raises:
            ArtifactError: there is no section of this name; the message lists the names.
        """
        if name not in self._table or name == META:
            raise self._error(f"has no section {name!r} (it has: {', '.join(self.names()) or '-'})")
        return self._section(name)

    def facts(self) -> dict[str, Any]:
        """Return :meth:`describe` as JSON data; sections are offset and bytes by name."""
        return {
            "path": self.path,
            "kind": self.kind,
            "format": self.version,
            "bytes": self.size,
            "digest": self.digest,
            "sections": {
                name: {"offset": offset, "bytes": length}
                for name, (offset, length) in self._table.items()
            },
            "meta": self.meta,
        }

    def describe(self) -> str:
        """Return a readable description: kind, version, digest, sections with sizes, metadata."""
        import json

        lines = [
            f"{self.path}: {self.kind}, format {self.version}, {self.size:,} bytes",
            f"digest {self.digest}",
            f"{'section':<{NAME}} {'offset':>13} {'bytes':>13}",
        ]
        for name, (offset, length) in self._table.items():
            lines.append(f"{name:<{NAME}} {offset:>13,} {length:>13,}")
        for key, value in self.meta.items():
            lines.append(f"{key} = {json.dumps(value, ensure_ascii=False, sort_keys=True)}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Artifact {self.path!r} {self.kind} {self.digest[:12]}>"


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number")


def field(path: str, meta: Mapping[str, Any], name: str, kind: type, most: float = 1e308) -> Any:
    """Return a field of the metadata, checked.

    Args:
        path: the file's name in messages.
        meta: the metadata, or an object in it.
        name: name of the field.
        kind: ``int`` or ``float`` (non-negative, not a bool), ``str``, ``dict``, or ``list`` (of
            strings).
        most: the largest valid number.

    Raises:
        ArtifactError: the field is missing or has another type or value; names the field.

    >>> field("a.lex", {"words": 3}, "words", int)
    3
    """
    value: Any = meta.get(name)
    if kind is float and isinstance(value, int):
        value = float(value) if abs(value) < 1 << 1000 else -1.0
    is_valid = isinstance(value, kind) and not isinstance(value, bool)
    if is_valid and kind is list:
        is_valid = all(isinstance(item, str) for item in value)
    if not is_valid or (kind in (int, float) and not 0 <= value <= most):
        descriptions = {int: "a whole number", float: "a number", list: "a list of strings"}
        expected = descriptions.get(kind, "an object" if kind is dict else "a string")
        limit = f" from 0 to {most:g}" if most < 1e308 else ""
        raise ArtifactError(path, f"{name!r} of its metadata is not {expected}{limit}")
    return value


class OnArtifact:
    """The base of lexicons and taggers: an immutable object over one artifact.

    A subclass sets :attr:`KIND` and accepts an :class:`Artifact` of that kind.
    """

    __slots__ = ("__weakref__", "_meta", "artifact")

    KIND: ClassVar[str]

    def __init__(self, art: Artifact) -> None:
        self.artifact = art
        self._meta: dict[str, Any] | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True, **options: Any) -> Self:
        """Map a compiled file.

        Args:
            path: the file.
            verify: check every byte.
            options: the options of the class.

        Raises:
            ArtifactError: the file is missing, damaged, foreign or newer than this package.
        """
        return cls(open(path, cls.KIND, verify), **options)

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "<bytes>", **options: Any) -> Self:
        """Return an object from the bytes of :meth:`to_bytes`."""
        return cls(from_bytes(data, name, cls.KIND), **options)

    def _options(self) -> dict[str, Any]:
        """The options of the class, for opening a pickle."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (type(self), self.to_bytes(), self.name, self._options())

    def _sections(self) -> dict[str, memoryview]:
        return {name: self.artifact.section(name) for name in self.artifact.names()}

    def to_bytes(self) -> bytes:
        """Return the compiled form: the bytes of its file."""
        return pack(self.KIND, self._sections(), self.artifact.meta)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the compiled form to a file."""
        write(path, self.KIND, self._sections(), self.artifact.meta)

    @property
    def name(self) -> str:
        """The file, or the name given with the bytes."""
        return self.artifact.path

    @property
    def digest(self) -> str:
        """Identity of the content, hexadecimal."""
        return self.artifact.digest

    @property
    def meta(self) -> Mapping[str, Any]:
        """The builder's or trainer's metadata: sources, options, scores."""
        if self._meta is None:
            meta = self.artifact.meta
            self._check_meta(meta)
            self._meta = meta
        return self._meta

    def _check_meta(self, meta: Mapping[str, Any]) -> None:
        """Raise ArtifactError if the metadata are not those of this class."""


def _reopened(
    kind: type[OnArtifact], data: bytes, name: str, options: dict[str, Any]
) -> OnArtifact:
    return kind.from_bytes(data, name, **options)


def open(path: str | os.PathLike[str], kind: str | None = None, verify: bool = True) -> Artifact:
    """Map an artifact read-only and check it.

    Args:
        path: the file.
        kind: the required kind; None accepts any.
        verify: check every byte.  False checks only header, table and length, which is enough to
            read within bounds, for a file that has been verified before.

    Raises:
        ArtifactError: the file cannot be read, is damaged, truncated, foreign, of another kind or
            made by a newer version; the message names the file, what is wrong and the remedy.
        TypeError: ``path`` is neither str nor os.PathLike.

    Replace a file in use, as :func:`write` does; never change or truncate it in place: the system
    kills a process that reads a mapped page that no longer exists.
    """
    name = path_of(path)
    if "\0" in name:
        raise ArtifactError(
            name, "cannot be read: no path can contain a NUL", "give a path without"
        )
    return Artifact(name, memoryview(_map(name)), kind, verify)


def _map(name: str) -> mmap | bytes:
    import stat
    from mmap import ACCESS_READ, mmap

    try:
        # Before opening: a named pipe would block, and a device has no length.
        mode = os.stat(name).st_mode
        if not stat.S_ISREG(mode):
            description = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
            raise ArtifactError(name, f"is {description}", "give the path of a compiled file")
        with builtins.open(name, "rb") as file:
            if not os.fstat(file.fileno()).st_size:
                return b""  # cannot be mapped; reported as an empty file
            return mmap(file.fileno(), 0, access=ACCESS_READ)
    except FileNotFoundError:
        raise ArtifactError(name, "there is no such file") from None
    except (OSError, ValueError) as error:
        raise ArtifactError(name, f"cannot be read: {reason(error)}") from error


def from_bytes(
    data: ReadableBuffer, name: str = "<bytes>", kind: str | None = None, verify: bool = True
) -> Artifact:
    """Return an artifact from a buffer, checked as by :func:`open`.

    The bytes are copied, so that sections are aligned as in a mapped file and later changes of
    ``data`` do not affect them.

    Args:
        data: the whole artifact.
        name: its name in error messages.
        kind: the required kind; None accepts any.
        verify: as in :func:`open`.

    Raises:
        ArtifactError: as :func:`open`.
        TypeError: ``data`` is not a buffer.
    """
    from mmap import mmap

    try:
        source = memoryview(data)
    except TypeError:
        raise wrong_type("data", data, "a bytes-like object") from None
    if not source.nbytes:
        return Artifact(name, memoryview(b""), kind, verify)
    copy = mmap(-1, source.nbytes)  # an anonymous mapping begins at a page
    copy[:] = source.tobytes()
    return Artifact(name, memoryview(copy).toreadonly(), kind, verify)
