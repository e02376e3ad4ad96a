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


def inputs(args: argparse.Namespace) -> list[str]:
    """The files to read; raises before any is read if one of them is missing or a folder."""
    files: list[str] = args.files or ["-"]
    for file in files:
        if file == "-":
            continue
        if not os.path.exists(file) and _is_text(file):
            command = " ".join(filter(None, (args.command, getattr(args, "subcommand", None))))
            raise ArgumentError(
                f"{file!r} is not a file; for a text itself: echo {file} | segmenter {command} -"
            )
        os.stat(file)  # FileNotFoundError names the file
        if os.path.isdir(file):
            raise IsADirectoryError(21, "is a folder: give its files", file)
    check_output(getattr(args, "output", "-"), files)
    return files


def check_output(output: str, files: Iterable[str], option: str = "-o") -> None:
    """Raise ArgumentError if the file to write is a folder or one of the files to read."""
    if os.path.isdir(output):
        raise ArgumentError(f"{option}: {output} is a folder: name a file")
    if output == "-" or not os.path.isfile(output):
        return
    for file in files:
        if os.path.exists(file) and os.path.samefile(file, output):
            raise ArgumentError(f"{option}: {output} is also read: write to another file")


def _is_text(name: str) -> bool:
    """Whether a missing file's name looks like a text: Han characters and no extension."""
    return "." not in name and any("\u4e00" <= char <= "\u9fff" for char in name)


_LF = ord("\n")


class Lines:
    """A binary file that knows whether its last line has an end."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self.name = name  # for messages; ``file`` may be a temporary one that replaces it later
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
def output(args: argparse.Namespace) -> Iterator[Lines]:
    """The file of ``-o``, or standard output."""
    from segmenter.files.opening import name_of, open_target

    with open_target(args.output) as file:
        yield Lines(file, name_of(args.output, "dst"))


class Line(NamedTuple):
    """A line of the input without its end, its number from 1, and its file's name in messages."""

    text: str
    number: int
    source: str


def read_inputs(args: argparse.Namespace, files: list[str]) -> Iterator[Line]:
    """Every line of `files`, one file after another."""
    from segmenter.files.opening import name_of
    from segmenter.files.reading import read_lines

    for file in files:
        name = name_of(file, "src")
        for number, text in read_lines(file, args.encoding, args.errors):
            yield Line(text, number, name)


def write_lines(args: argparse.Namespace, files: list[str], answer: Callable[[Line], str]) -> None:
    """Write `answer(line)` for every line; with standard input, flush after each."""
    interactive = "-" in files
    with output(args) as out:
        for line in read_inputs(args, files):
            # a piece of a vocabulary can contain a lone surrogate, for which UTF-8 has no bytes
            out.write(answer(line).encode("utf-8", "replace"))
            if interactive:
                out.flush()


def escape(text: str) -> str:
    r"""A field of a TSV row: tab, line ends and backslash as ``\t``, ``\n``, ``\r``, ``\\``."""
    text = text.replace("\\", "\\\\").replace("\t", "\\t")
    return text.replace("\n", "\\n").replace("\r", "\\r")
