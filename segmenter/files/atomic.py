"""Atomic writing of files: a complete new file replaces the old one, or nothing changes.

The whole package writes files with this module: an error or Ctrl-C leaves the old file unchanged,
a link stays a link, and permissions are kept.  A pipe or a device is written to, never replaced.
"""

from __future__ import annotations

import errno
import os
import stat

from segmenter.errors import check_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import BinaryIO


#: Errors of a full disk: no space left, quota exceeded, file too large.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def name_full_file(error: OSError, name: str) -> None:
    """Add the name of the file to the error of a full disk, which lacks it."""
    if error.filename is None and error.errno in FULL:
        error.filename = name


def _descriptor_of(path: str) -> int | None:
    """Return the file descriptor that a path such as ``/dev/stdout`` or ``/dev/fd/3`` names."""
    if path in ("/dev/stdout", "/dev/stderr"):
        return 1 if path == "/dev/stdout" else 2
    number = path.removeprefix("/dev/fd/")
    return int(number) if number != path and number.isdecimal() and len(number) < 10 else None


class WholeFile:
    """A binary file to write; it replaces ``path`` if the block ends without an error.

    Args:
        path: the file; if it is a link, its target is replaced.  A pipe, a device, or an open file
            such as ``/dev/stdout``, is written to directly.
        sync: wait until the content is on the disk before it replaces ``path``.

    Raises:
        OSError: the folder or the file cannot be written; names ``path``.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "words.txt")
    >>> with WholeFile(path) as file: _ = file.write(b"abc")
    >>> open(path, "rb").read(), os.listdir(os.path.dirname(path))
    (b'abc', ['words.txt'])
    """

    __slots__ = ("_direct", "_file", "_name", "_sync", "_target", "_temporary")

    def __init__(self, path: str | os.PathLike[str], *, sync: bool = False) -> None:
        self._name = os.fspath(path)
        check_path("path", self._name)
        self._target = os.path.realpath(self._name)
        # os.urandom, not a counter: two processes may write the same file at once
        folder, base = os.path.split(self._target)
        # 50 characters, at most 200 bytes: a name has at most 255
        self._temporary = os.path.join(folder, f"{base[:50]}.{os.urandom(6).hex()}.tmp")
        self._sync = sync
        self._direct = False

    def __enter__(self) -> BinaryIO:
        try:
            mode = os.stat(self._name).st_mode
        except OSError:  # a new file, or opening it will say why not
            mode = stat.S_IFREG
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), self._name)
        descriptor = _descriptor_of(self._name) if os.name == "posix" else None
        self._direct = descriptor is not None or not stat.S_ISREG(mode)
        try:
            if descriptor is not None:  # opening the name again would truncate a regular file
                self._file = os.fdopen(os.dup(descriptor), "wb")
                return self._file
            if self._direct:
                self._file = open(self._name, "wb")
                return self._file
            self._file = open(self._temporary, "xb")
        except OSError as e:
            raise type(e)(e.errno, e.strerror, self._name) from None
        return self._file

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            name_full_file(error, self._name)
        try:
            self._finish(complete=kind is None)
        except OSError as e:
            name_full_file(e, self._name)
            raise
        finally:
            if not self._direct:
                try:  # noqa: SIM105 (contextlib is not imported for a first cut)
                    os.remove(self._temporary)
                except OSError:  # it has replaced the target
                    pass

    def _finish(self, *, complete: bool) -> None:
        try:
            if complete and self._sync and not self._direct:
                self._file.flush()
                os.fsync(self._file.fileno())
        finally:
            self._file.close()
        if complete and not self._direct:
            self._keep_mode()
            os.replace(self._temporary, self._target)

    def _keep_mode(self) -> None:
        try:
            mode = os.stat(self._target).st_mode & 0o7777
        except OSError:
            return
        os.chmod(self._temporary, mode)


def write_text(path: str | os.PathLike[str], parts: Iterable[str]) -> None:
    """Write text as UTF-8, whole or not at all; line ends are not converted.

    Raises:
        OSError: the folder or the file cannot be written.
    """
    with WholeFile(path) as file:
        for part in parts:
            file.write(part.encode("utf-8"))
