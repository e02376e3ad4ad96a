"""The timed systems, the forms of their output, and jieba's own word list.

With that list as our lexicon, the words must be the same as rjieba's.
"""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

OWN = "our own"
JIEBA = "jieba's"
JIEBA_LIST = "unigram, jieba's list"
#: Calls of the one-sentence task that one timing takes together: 0.1 s at a microsecond a call.
SHORT_CALLS = 100_000


class Engine(Protocol):
    """The public methods that are timed."""

    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> Any: ...
    def tokenize(self, text: str) -> Iterable[Any]: ...
    def cut_for_search(self, text: str) -> list[str]: ...
    def tag(self, text: str) -> list[tuple[str, str]]: ...
    def cut_bytes(self, utf8: bytes, sep: bytes = ..., threads: int = ...) -> bytes: ...
    def cut_batch(self, texts: Sequence[str], threads: int = ...) -> list[list[str]]: ...
    def replace(self, *, user: Any) -> Engine: ...
    def cut_file(self, src: Any, dst: Any, *, threads: int = ...) -> object: ...


class Text(NamedTuple):
    """A text in the shapes that the forms take."""

    name: str
    lines: list[str]
    utf8: bytes

    @classmethod
    def of(cls, name: str, lines: list[str]) -> Text:
        return cls(name, lines, ("\n".join(lines) + "\n").encode())


Form = Callable[[Text], Callable[[], object]]


class System(NamedTuple):
    """One segmenter.

    Attributes:
        name: what tables call it.
        lexicon: whose word list it cuts by.
        cut: its words for a line, for the check of equal output.
        forms: by name of the form, what makes the timed call for a text.
        engine: ours only.
    """

    name: str
    lexicon: str
    cut: Callable[[str], Sequence[str]]
    forms: Mapping[str, Form]
    engine: Engine | None = None


def each_line(call: Callable[[str], object]) -> Form:
    """The form that calls for every line and drops the result."""

    def form(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                call(line)

        lines = text.lines
        return run

    return form


def short(call: Callable[[str], object]) -> Form:
    """The form that calls for the first line, :data:`SHORT_CALLS` times."""

    def form(text: Text) -> Callable[[], object]:
        def run() -> None:
            for _ in repeat(None, SHORT_CALLS):
                call(line)

        line = text.lines[0]
        return run

    return form


def read_tokens(tokenize: Callable[[str], Iterable[tuple[Any, ...]]]) -> Form:
    """The form that reads text, start and end of every token, and its kind where it has one."""

    def form(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                for token in tokenize(line):
                    _ = token.text, token.start, token.end, token.kind  # type: ignore[attr-defined]

        def run_tuples() -> None:
            for line in lines:
                for _, _, _ in tokenize(line):
                    pass

        lines = text.lines
        return run if hasattr(next(iter(tokenize("初"))), "kind") else run_tuples

    return form


def in_two_threads(call: Callable[[str], object]) -> Form:
    """The form that calls for every line, half of them in each of two threads of Python."""

    def form(text: Text) -> Callable[[], object]:
        def each(lines: Sequence[str]) -> None:
            for line in lines:
                call(line)

        def run() -> None:
            threads = [Thread(target=each, args=(text.lines[k::2],)) for k in (0, 1)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        return run

    return form


def with_words(engine: Engine, words: Callable[[Text], list[str]]) -> Form:
    """The form that calls for every line, with words of the user; their compiling is not timed."""

    def form(text: Text) -> Callable[[], object]:
        return each_line(engine.replace(user=words(text)).cut)(text)

    return form


def to_file(engine: Engine, threads: int) -> Form:
    """The form that cuts a file into another."""

    def form(text: Text) -> Callable[[], object]:
        def run() -> None:
            engine.cut_file(source, f"{folder.name}/cut.txt", threads=threads)

        folder = TemporaryDirectory()  # there as long as `run` is
        source = f"{folder.name}/text.txt"
        Path(source).write_bytes(text.utf8)
        return run

    return form


def common_words(count: int | None) -> Callable[[Text], list[str]]:
    """The most frequent words of several characters in jieba's list, or all of its words."""

    def words(_: Text) -> list[str]:
        path = jieba_word_list()
        assert path is not None, "the task needs the package jieba"
        rows = [line.split(" ") for line in scoring.read_lines(path)]
        rows.sort(key=lambda row: -int(row[1]))
        return [row[0] for row in rows if count is None or len(row[0]) > 1][:count]

    return words


def substrings(count: int) -> Callable[[Text], list[str]]:
    """The first `count` different substrings of two to six characters."""

    def words(text: Text) -> list[str]:
        substring_ids = dict.fromkeys(
            line[k : k + n]
            for n in range(2, 7)
            for line in text.lines
            for k in range(len(line) - n + 1)
        )
        return list(substring_ids)[:count]

    return words


def ours(name: str, lexicon: str, engine: Engine) -> System:
    """A Segmenter of ours in every form of output."""
    cut, ends, cut_bytes, batch = engine.cut, engine.ends, engine.cut_bytes, engine.cut_batch

    def long_text(text: Text) -> Callable[[], object]:
        joined = text.utf8.decode()
        return lambda: ends(joined)

    forms: dict[str, Form] = {
        "lists": each_line(cut),
        "kept": lambda text: lambda: [cut(line) for line in text.lines],
        "batch": lambda text: lambda: batch(text.lines, threads=1),
        "batch, 2 threads": lambda text: lambda: batch(text.lines, threads=2),
        "tokens": read_tokens(engine.tokenize),
        "tokenize": each_line(engine.tokenize),
        "search": each_line(engine.cut_for_search),
        "tag": each_line(engine.tag),
        "ends": each_line(ends),
        **{
            f"{form}, 2 threads of Python": in_two_threads(call)
            for form, call in (
                ("lists", cut),
                ("ends", ends),
                ("tag", engine.tag),
                ("tokenize", engine.tokenize),
                ("search", engine.cut_for_search),
            )
        },
        "ends, whole": long_text,
        "bytes": lambda text: lambda: cut_bytes(text.utf8, threads=1),
        "bytes, 2 threads": lambda text: lambda: cut_bytes(text.utf8, threads=2),
        "file": to_file(engine, 1),
        "file, 2 threads": to_file(engine, 2),
        "short": short(cut),
        "10,000 common words": with_words(engine, common_words(10_000)),
        "jieba's whole list": with_words(engine, common_words(None)),
        "a million substrings": with_words(engine, substrings(1_000_000)),
    }
    return System(name, lexicon, cut, forms, engine)


def peers() -> Iterator[System]:
    """rjieba (Rust) and jieba, if installed, with the HMM off."""
    for name, call, off in (("rjieba", "cut", (False,)), ("jieba", "lcut", (False, False))):
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        logging.getLogger(name).setLevel(logging.ERROR)
        yield peer(name, module, call, off)
    compat = importlib.import_module("segmenter.compat.jieba")
    ours_as_jieba = peer("compat.jieba", compat, "lcut", (False, False))
    forms = {form: ours_as_jieba.forms[form] for form in ("tokens", "search", "tag")}
    yield ours_as_jieba._replace(lexicon=OWN, forms=forms)


def peer(name: str, module: Any, call: str, off: tuple[bool, ...]) -> System:
    """A module with jieba's functions; the arguments `off` turn the HMM of `call` off."""

    def cut(line: str) -> Sequence[str]:
        words: Sequence[str] = cut_words(line, *off)
        return words

    def tag(line: str) -> object:
        return list(tagged(line, HMM=False)) if name != "rjieba" else tagged(line, False)

    cut_words = getattr(module, call)
    tagged = (
        module.tag if name == "rjieba" else importlib.import_module(f"{module.__name__}.posseg").cut
    )

    cut("初")  # opens its word list
    forms: dict[str, Form] = {
        "lists": each_line(cut),
        "kept": lambda text: lambda: [cut(line) for line in text.lines],
        "bytes": lambda text: (
            lambda: "\n".join(" ".join(cut(x)) for x in text.utf8.decode().split("\n")).encode()
        ),
        "tokens": read_tokens(lambda line: module.tokenize(line, "default", False)),
        "search": each_line(lambda line: list(module.cut_for_search(line, False))),
        "tag": each_line(tag),
        "short": short(cut),
    }
    return System(name, JIEBA, lambda line: list(cut(line)), forms)


# --- the same output first -----------------------------------------------------------------------


class Alike(NamedTuple):
    """Lines that one of ours and a peer cut alike."""

    system: str
    lexicon: str
    peer: str
    peer_lexicon: str
    lines_alike: int
    lines: int


def same_output(
    mine: Sequence[System], peers: Sequence[System], text: Text
) -> tuple[list[Alike], list[str]]:
    """Lines that each pair of systems cuts alike, and the faults that forbid timing.

    A fault: two forms of output of one of ours disagree, a system does not give the text back, or
    ours with jieba's list gives other words than rjieba.
    """
    counts: list[Alike] = []
    faults: list[str] = []
    words = {s.name: [list(s.cut(line)) for line in text.lines] for s in [*mine, *peers]}
    for name, answer in words.items():
        lost = sum("".join(a) != line for a, line in zip(answer, text.lines, strict=True))
        if lost:
            faults.append(f"{name}: {lost} lines do not join to the text")
    for system in mine:
        faults += _forms_apart(system, words[system.name], text)
        for peer in peers:
            pairs = zip(words[system.name], words[peer.name], strict=True)
            alike = sum(a == b for a, b in pairs)
            lines = len(text.lines)
            counts.append(Alike(system.name, system.lexicon, peer.name, peer.lexicon, alike, lines))
            if (system.name, peer.name) == (JIEBA_LIST, "rjieba") and alike < lines:
                faults.append(f"{system.name}: {lines - alike} lines part from rjieba's")
    return counts, faults


def _forms_apart(system: System, words: Sequence[list[str]], text: Text) -> list[str]:
    engine = system.engine
    assert engine is not None
    faults = []
    if [list(a) for a in engine.cut_batch(text.lines, threads=2)] != list(words):
        faults.append(f"{system.name}: cut_batch parts from cut")
    for answer, line in zip(words, text.lines, strict=True):
        ends, end = [], 0
        for word in answer:
            end += len(word)
            ends.append(end)
        if engine.ends(line).tolist() != ends:
            faults.append(f"{system.name}: ends parts from cut on {line[:20]!r}…")
            break
    joined = ("\n".join(" ".join(a) for a in words) + "\n").encode()
    faults.extend(
        f"{system.name}: cut_bytes(threads={threads}) parts from cut"
        for threads in (1, 2)
        if engine.cut_bytes(text.utf8, threads=threads) != joined
    )
    return faults


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
