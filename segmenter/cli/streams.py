"""Input and output of commands: files, standard input and output."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO


def inputs(given: argparse.Namespace) -> list[str]:
    """The files to read, all known to be there before the first is read."""
    files: list[str] = given.files or ["-"]
    for file in files:
        if file == "-":
            continue
        if not os.path.exists(file) and _is_text(file):
            command = " ".join(filter(None, (given.command, getattr(given, "what", None))))
            raise ArgumentError(
                f"{file!r} is not a file; for a text itself: echo {file} | segmenter {command} -"
            )
        os.stat(file)  # FileNotFoundError names the file
        if os.path.isdir(file):
            raise IsADirectoryError(21, "is a folder: give its files", file)
    keep_inputs(getattr(given, "output", "-"), files)
    return files


def keep_inputs(output: str, files: Iterable[str], option: str = "-o") -> None:
    """Raise ArgumentError if the file to write is one of those that are read."""
    if output == "-" or not os.path.isfile(output):
        return
    for file in files:
        if os.path.exists(file) and os.path.samefile(file, output):
            raise ArgumentError(f"{option}: {output} is also read: write to another file")


def _is_text(name: str) -> bool:
    """Whether the name of a missing file is rather a text: Han characters, and no extension."""
    return "." not in name and any("\u4e00" <= char <= "\u9fff" for char in name)


_LF = ord("\n")


class Lines:
    """A binary file that knows whether a line is open at its end."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self.name = name  # in messages; the file itself may be one that takes its place later
        self.flush = file.flush
        self.fileno = file.fileno
        self.isatty = file.isatty
        self.open_line = False

    def write(self, data: bytes | memoryview) -> int:
        from segmenter.files.opening import write_all

        if data:
            self.open_line = data[-1] != _LF
        write_all(self._file, data)
        return len(data)

    def end_line(self) -> None:
        if self.open_line:
            self.write(b"\n")


@contextmanager
def output(given: argparse.Namespace) -> Iterator[Lines]:
    """The file of ``-o``, or standard output."""
    from segmenter.files.opening import name_of, open_target

    with open_target(given.output) as file:
        yield Lines(file, name_of(given.output, "dst"))


class Line(NamedTuple):
    """A line of the input without its end, its number from 1, and what messages call its file."""

    text: str
    number: int
    source: str


def read_inputs(given: argparse.Namespace, files: list[str]) -> Iterator[Line]:
    """Every line of `files`, one file after another."""
    from segmenter.files.opening import name_of
    from segmenter.files.reading import read_lines

    for file in files:
        name = name_of(file, "src")
        for number, text in read_lines(file, given.encoding, given.errors):
            yield Line(text, number, name)


def write_lines(given: argparse.Namespace, files: list[str], answer: Callable[[Line], str]) -> None:
    """Writes what `answer` gives for every line; lines typed or piped in are answered at once."""
    live = "-" in files
    with output(given) as out:
        for line in read_inputs(given, files):
            # a vocabulary's piece can hold a lone surrogate, for which UTF-8 has no bytes
            out.write(answer(line).encode("utf-8", "replace"))
            if live:
                out.flush()


def escape(text: str) -> str:
    r"""A field of a TSV row: tab, line ends and backslash as ``\t``, ``\n``, ``\r``, ``\\``."""
    text = text.replace("\\", "\\\\").replace("\t", "\\t")
    return text.replace("\n", "\\n").replace("\r", "\\r")
