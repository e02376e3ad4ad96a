"""Reads the lines of a text file; a bad line is an error that names it, or is skipped."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from segmenter.artifact import MAGIC
from segmenter.choices import one_of
from segmenter.errors import ArtifactError, DictionaryError, wrong_type
from segmenter.files.reading import codec_of, read_whole
from segmenter.kernels import _lexicon

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ERRORS = ("raise", "warn", "skip")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffd]")


class BadLine(Exception):
    """A line that cannot be used, with the kind of fault and the reason."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


class Fault(NamedTuple):
    """A line that was left out, and the reason."""

    line: int
    kind: str
    reason: str


class Report(NamedTuple):
    """A report on a file that was read.

    Attributes:
        path: the file.
        format: the format of the file.
        lines: number of lines, including empty ones.
        rows: number of rows used.
        faults: lines left out.
        notes: harmless facts about the whole file, such as a byte order mark.
    """

    path: str
    format: str
    lines: int
    rows: int
    faults: tuple[Fault, ...]
    notes: tuple[str, ...]

    def counts(self) -> dict[str, int]:
        """Faults by kind."""
        counts: dict[str, int] = {}
        for fault in self.faults:
            counts[fault.kind] = counts.get(fault.kind, 0) + 1
        return counts

    def __str__(self) -> str:
        text = f"{self.path}: {self.lines:,} lines read as {self.format}, {self.rows:,} rows taken"
        if self.faults:
            counts = ", ".join(f"{kind} {n:,}" for kind, n in sorted(self.counts().items()))
            text += f", {len(self.faults):,} lines left out ({counts})"
        return "".join([text, *(f"; {note}" for note in self.notes)])


class LineReader:
    """Reads the lines of a file one by one, so that errors name the line; collects faults.

    Args:
        path: the file, or the name of ``data`` in messages.
        errors: one of :data:`ERRORS`.
        encoding: the encoding of the text.
        data: bytes to read instead of the file.
        skippable: errors mention that ``errors="skip"`` leaves such lines out.
        compiled: what to do about a compiled file.

    Attributes:
        text: the file as UTF-8.
        total: number of lines read, including empty ones.

    Raises:
        DictionaryError: a line is not in the encoding, with ``errors="raise"``.
        ArtifactError: the file is compiled.
        ArgumentError: an unknown ``errors`` or ``encoding``.
        OSError: the file cannot be read.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        errors: str,
        encoding: str = "utf-8",
        data: bytes | None = None,
        *,
        skippable: bool = False,
        compiled: str = "give its text, which `segmenter export` writes",
    ) -> None:
        if not isinstance(path, (str, os.PathLike)):
            raise wrong_type("path", path, "str or a path")
        one_of("errors", errors, ERRORS)
        self.path = os.fspath(path)
        self.strict = errors == "raise"
        self._hint = ", or leave such lines out with errors='skip'" if skippable else ""
        self.faults: list[Fault] = []
        self.notes: list[str] = []
        self.total = 0
        self._lines: list[tuple[int, str]] | None = None
        self._encoding = codec_of(encoding).name
        if data is None:
            data = read_whole(self.path)
        if data.startswith(MAGIC):
            raise ArtifactError(self.path, "it is a compiled file, not a text", compiled)
        self.text = data if self._encoding == "utf-8" else self._recoded(data)

    @property
    def lines(self) -> list[tuple[int, str]]:
        """Number and text, without the line end, of every line that is not blank."""
        if self._lines is None:
            with self.reading():
                self._lines, total, crlf, mark, faults = _lexicon.text_lines(self.text)
            self.record(total, crlf, mark, faults)
        return self._lines

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Add the name of the file to the kernels' errors about the whole file."""
        try:
            yield
        except ValueError as e:
            raise DictionaryError(self.path, 1, str(e)) from None

    def record(
        self, total: int, crlf: int, bom: bool, faults: list[tuple[int, str, str, bytes]]
    ) -> None:
        """Record the kernels' findings: the number of lines, of line ends with CR LF, whether there
        is a byte order mark, and faults."""
        self.total = total
        if bom:
            self.notes.append("a byte order mark at the start was ignored")
        if crlf:
            self.notes.append(f"lines that end with CR LF: {crlf:,} (read like LF)")
        for line, kind, reason, raw in faults:
            self.fault(line, kind, reason + _advice(raw) if kind == "encoding" else reason)

    def fault(self, line: int, kind: str, reason: str) -> None:
        """Record a line that is left out; with ``errors="raise"``, raise."""
        if self.strict:
            raise DictionaryError(self.path, line, reason + self._hint)
        self.faults.append(Fault(line, kind, reason))

    def each(self, use: Callable[[int, str], None]) -> None:
        """Call ``use(number, line)`` for every line; a BadLine from the call is a fault."""
        for number, line in self.lines:
            try:
                use(number, line)
            except BadLine as e:
                self.fault(number, e.kind, e.reason)

    def _recoded(self, data: bytes) -> bytes:
        try:
            by_lines = "\n".encode(self._encoding) == b"\n"
        except UnicodeError:
            by_lines = False
        if by_lines:
            rows = enumerate(data.split(b"\n"), 1)
            return b"\n".join(self._row(number, raw) for number, raw in rows)
        try:
            text = data.decode(self._encoding)
        except UnicodeDecodeError as e:
            raise DictionaryError(
                self.path, None, f"byte {e.start} is not {self._encoding}: {e.reason}"
            ) from e
        except UnicodeError as e:  # codecs that name no offset
            raise DictionaryError(self.path, 1, f"the file is not {self._encoding}: {e}") from e
        return text.encode("utf-8", "surrogatepass")

    def _row(self, number: int, raw: bytes) -> bytes:
        try:
            return raw.decode(self._encoding).encode("utf-8", "surrogatepass")
        except UnicodeDecodeError as e:
            byte = f"byte 0x{raw[e.start]:02x} (byte {e.start + 1} of the line)"
            reason = f"{byte} is not {self._encoding}: give the encoding of the file"
            self.fault(number, "encoding", reason)
            return b""

    def report(self, format: str, rows: int) -> Report:
        """Return the report, with the number of rows used."""
        faults = tuple(sorted(self.faults))
        return Report(self.path, format, self.total, rows, faults, tuple(self.notes))


def _advice(raw: bytes) -> str:
    """The remedy for a line that is not UTF-8."""
    from segmenter.files.guessing import advice

    remedy = advice(raw, "convert the file with iconv -f {} -t utf-8")
    return f"; {remedy}" if remedy else ": save the file as UTF-8"


def count_of(text: str) -> float | None:
    """Return the non-negative number in a field, or None.

    >>> count_of("1.5"), count_of("1_000"), count_of("-1")
    (1.5, None, None)
    """
    return _lexicon.read_count(text)
