"""Long jobs that go on where they were interrupted: ``segmenter cut --resume -o OUT``.

While the work is under way ``OUT.part`` holds the lines that are done and ``OUT.part.json`` says
from what and how: identity of the Segmenter, form of the output, and every input's size and time of
change.  A run that finds both, and finds them to fit, cuts off what follows the last complete line
and goes on after it.  At the end ``OUT.part`` becomes ``OUT``, which so is whole or not there.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import contextmanager
from typing import TYPE_CHECKING

from segmenter.atomic import write_text
from segmenter.errors import ArgumentError, EncodingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import IO

# of OUT.part.json: raise it when what the lines of OUT.part mean changes
FORMAT = 1
_BLOCK = 1 << 20


@contextmanager
def resumed_target(
    output: str, files: list[str], about: dict[str, object]
) -> Iterator[tuple[IO[bytes], int]]:
    """The file to write on with, and how many lines are in it already.

    Args:
        output: the file to write in the end.
        files: regular files, read one after another.
        about: what else the lines depend on, as JSON has it.

    Raises:
        ArgumentError: an input cannot be read twice; or what is there was made of other files or
            with other options.
    """
    import json

    if output == "-":
        raise ArgumentError("--resume: it needs an output file: name one with -o")
    # as plain cut writes: a link keeps pointing at the file, and what cannot be replaced is said
    # before the work, not after it
    target = os.path.realpath(output)
    mode = os.stat(target).st_mode if os.path.exists(target) else None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), output)
    if mode is not None and not stat.S_ISREG(mode):
        raise ArgumentError(f"--resume: {output} is not a regular file: name one with -o")
    part = target + ".part"
    note = part + ".json"
    want: dict[str, object] = {"format": FORMAT, **about, "inputs": [_identity(f) for f in files]}
    if os.path.exists(part):
        try:
            with open(note, encoding="utf-8") as file:
                there = json.load(file)
        except (OSError, ValueError):
            there = None
        if not isinstance(there, dict):
            raise ArgumentError(f"--resume: {note} does not say what {part} is: remove {part}")
        if there != want:
            other = [key for key in want if there.get(key) != want[key]] or ["format"]
            raise ArgumentError(
                f"--resume: {part} was made with another {' and '.join(other)}: give what it was "
                f"made with ({note} has it), or remove {part} to start again"
            )
    else:
        write_text(note, [json.dumps(want, ensure_ascii=False, indent=1)])
    with open(part, "ab+") as out:
        _lock(out, part)
        done, size = _complete_lines(out)
        out.truncate(size)
        yield out, done
    if mode is not None:
        os.chmod(part, stat.S_IMODE(mode))
    os.replace(part, target)
    os.remove(note)


def _identity(path: str) -> dict[str, object]:
    if path == "-" or not os.path.isfile(path):
        raise ArgumentError(f"--resume: {path} cannot be read again from its start: give files")
    status = os.stat(path)
    return {"name": os.path.abspath(path), "size": status.st_size, "changed": status.st_mtime_ns}


def _lock(file: IO[bytes], name: str) -> None:
    """Two runs must not write to one file; the lock goes with the process, however it ends."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # Windows: a file open for writing cannot be replaced there
        return
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        raise ArgumentError(f"--resume: another run is writing {name}: wait for it") from None


def _complete_lines(file: IO[bytes]) -> tuple[int, int]:
    """How many line ends ``file`` has, and the offset after the last one."""
    file.seek(0)
    lines = size = offset = 0
    while block := file.read(_BLOCK):
        lines += block.count(b"\n")
        last = block.rfind(b"\n") + 1
        if last:
            size = offset + last
        offset += len(block)
    return lines, size


class Skipping:
    """A function that cuts whole lines, without the first ``lines`` ones, which are done.

    >>> cut = Skipping(bytes.upper, 1)
    >>> cut(b"a\\nb\\n"), cut(b"c\\n"), cut.left
    (b'B\\n', b'C\\n', 0)
    """

    def __init__(self, cut: Callable[[bytes], bytes], lines: int) -> None:
        self._cut = cut
        self.left = lines

    def __call__(self, data: bytes) -> bytes:
        left, start = self.left, 0
        while left and (end := data.find(b"\n", start) + 1):
            start = end
            left -= 1
        if left and start < len(data):  # the last line of a file, without an end
            left -= 1
            start = len(data)
        try:
            out = self._cut(data[start:]) if start < len(data) else b""
        except EncodingError as e:
            raise EncodingError(e.reason, (e.offset or 0) + start) from None
        self.left = left  # not before: what fails may be tried again with bad bytes replaced
        return out
