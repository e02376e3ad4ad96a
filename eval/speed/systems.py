"""What is timed: our configurations and the peers, each in the forms of output that it has.

A later preset is one more line in :func:`ours`; a peer is one more function that gives a System
or None where the package is not installed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from segmenter.train import scoring

OWN = "our own"
JIEBA = "jieba's"

#: Calls of the one-sentence task that one timing takes together: 0.1 s at a microsecond a call.
SHORT_CALLS = 100_000


class Engine(Protocol):
    """The part of the public face that is timed."""

    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> Any: ...
    def cut_bytes(self, utf8: bytes, sep: bytes = ..., threads: int = ...) -> bytes: ...
    def cut_batch(self, texts: Sequence[str], threads: int = ...) -> list[list[str]]: ...


class Text(NamedTuple):
    """A text in the shapes that the forms take."""

    name: str
    lines: list[str]
    whole: str
    utf8: bytes

    @classmethod
    def of(cls, name: str, lines: list[str]) -> Text:
        whole = "\n".join(lines) + "\n"
        return cls(name, lines, whole, whole.encode())


Form = Callable[[Text], Callable[[], object]]


class System(NamedTuple):
    """One segmenter.

    Attributes:
        name: what tables call it.
        lexicon: whose word list it cuts by.
        cut: its words for a line, for the check of equal output.
        forms: by name of the form, what makes the timed call for a text.
        slow: a peer so slow that it is timed on the small texts only.
        engine: ours only.
    """

    name: str
    lexicon: str
    cut: Callable[[str], Sequence[str]]
    forms: Mapping[str, Form]
    slow: bool = False
    engine: Engine | None = None


def our_system(name: str, lexicon: str, engine: Engine) -> System:
    """A Segmenter of ours in every form of output."""
    cut, ends, cut_bytes, cut_batch = engine.cut, engine.ends, engine.cut_bytes, engine.cut_batch

    def lists(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                cut(line)

        lines = text.lines
        return run

    def every_ends(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                ends(line)

        lines = text.lines
        return run

    def short(text: Text) -> Callable[[], object]:
        def run() -> None:
            for _ in repeat(None, SHORT_CALLS):
                cut(line)

        line = text.lines[0]
        return run

    return System(
        name,
        lexicon,
        cut,
        {
            "lists": lists,
            "kept": lambda text: lambda: [cut(line) for line in text.lines],
            "batch": lambda text: lambda: cut_batch(text.lines, threads=1),
            "batch, 2 threads": lambda text: lambda: cut_batch(text.lines, threads=2),
            "ends": every_ends,
            "ends, whole": lambda text: lambda: ends(text.whole),
            "bytes": lambda text: lambda: cut_bytes(text.utf8, threads=1),
            "bytes, 2 threads": lambda text: lambda: cut_bytes(text.utf8, threads=2),
            "short": short,
        },
        engine=engine,
    )


def rjieba() -> System | None:
    """rjieba (Rust), HMM off."""
    module = _module("rjieba")
    if module is None:
        return None
    cut = module.cut

    def lists(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                cut(line, False)

        lines = text.lines
        return run

    def short(text: Text) -> Callable[[], object]:
        def run() -> None:
            for _ in repeat(None, SHORT_CALLS):
                cut(line, False)

        line = text.lines[0]
        return run

    return System(
        "rjieba",
        JIEBA,
        lambda line: list(cut(line, False)),
        {
            "lists": lists,
            "kept": lambda text: lambda: [cut(line, False) for line in text.lines],
            "bytes": lambda text: (
                lambda: "\n".join(
                    " ".join(cut(line, False)) for line in text.utf8.decode().split("\n")
                ).encode()
            ),
            "short": short,
        },
    )


def jieba(package: str) -> System | None:
    """jieba or jieba_fast, HMM off."""
    module = _module(package)
    if module is None:
        return None
    module.setLogLevel(logging.ERROR)
    module.initialize()
    lcut = module.lcut

    def lists(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                lcut(line, HMM=False)

        lines = text.lines
        return run

    def short(text: Text) -> Callable[[], object]:
        def run() -> None:
            for _ in repeat(None, SHORT_CALLS):
                lcut(line, HMM=False)

        line = text.lines[0]
        return run

    return System(
        package,
        JIEBA,
        lambda line: list(lcut(line, HMM=False)),
        {
            "lists": lists,
            "kept": lambda text: lambda: [lcut(line, HMM=False) for line in text.lines],
            "short": short,
        },
        slow=True,
    )


def peers() -> list[System]:
    """The peers that are installed, HMM off in each."""
    found = [rjieba(), jieba("jieba"), jieba("jieba_fast")]
    return [system for system in found if system is not None]


def jieba_word_list() -> Path | None:
    """The word list inside the installed package jieba, or None."""
    try:
        files = importlib.metadata.files("jieba") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(f.locate())) for f in files if f.name == "dict.txt"), None)


def compile_jieba_list(source: Path, target: Path) -> Path:
    """Compile jieba's word list (``word count tag`` lines) into a lexicon that cuts as jieba does.

    The profile ``jieba`` folds nothing and keeps only runs of ASCII letters and digits whole;
    a character that the list lacks counts as once seen, as in jieba's own code.
    """
    from segmenter import artifact
    from segmenter.lexicon import builder

    entries = []
    total = 0
    for line in scoring.read_lines(source):
        word, count, tag = line.split(" ")
        entries.append(builder.Entry(word, int(count), tag))
        total += int(count)
    compiled = builder.compile_lexicon(entries, total=total, unknown=1.0, profile="jieba")
    artifact.write(str(target), builder.KIND, compiled.sections, compiled.meta)
    return target


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
