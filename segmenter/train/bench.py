"""How fast segmenters cut a text: ours in its forms of output, and the peers that are installed.

What ``segmenter bench`` and ``eval/speed`` time by :mod:`segmenter.train.timing`: systems in the
forms of output that they have, and before that whether these forms give the same words.

>>> from segmenter import load
>>> text = Text.of("own", ["他说的确实在理"] * 3)
>>> alike, faults = same_output([our_system("fast", OWN, load("fast"))], [], text)
>>> faults
[]
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from segmenter.train import timing

if TYPE_CHECKING:
    from collections.abc import Iterable

OWN = "our own"
JIEBA = "jieba's"


class Engine(Protocol):
    """The public methods that are timed."""

    def cut(self, text: str) -> list[str]: ...
    def ends(self, text: str) -> Any: ...
    def cut_bytes(self, utf8: bytes, sep: bytes = ..., threads: int = ...) -> bytes: ...
    def cut_batch(self, texts: Sequence[str], threads: int = ...) -> list[list[str]]: ...


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
    """The form that calls for every line, and drops what it is given."""

    def form(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                call(line)

        lines = text.lines
        return run

    return form


def our_system(name: str, lexicon: str, engine: Engine, threads: int = 2) -> System:
    """A Segmenter of ours in every form of output; `threads` for those that take several."""
    cut_bytes = engine.cut_bytes
    return System(
        name,
        lexicon,
        engine.cut,
        {
            "lists": each_line(engine.cut),
            "ends": each_line(engine.ends),
            "bytes": lambda text: lambda: cut_bytes(text.utf8, threads=1),
            f"bytes, {threads} threads": (
                lambda text: lambda: cut_bytes(text.utf8, threads=threads)
            ),
        },
        engine=engine,
    )


def rjieba() -> System | None:
    """rjieba (Rust), HMM off."""
    module = module_of("rjieba")
    if module is None:
        return None
    cut = module.cut

    def lists(text: Text) -> Callable[[], object]:
        def run() -> None:
            for line in lines:
                cut(line, False)

        lines = text.lines
        return run

    return System(
        "rjieba",
        JIEBA,
        lambda line: list(cut(line, False)),
        {
            "lists": lists,
            "bytes": lambda text: (
                lambda: "\n".join(
                    " ".join(cut(line, False)) for line in text.utf8.decode().split("\n")
                ).encode()
            ),
        },
    )


def jieba(package: str = "jieba") -> System | None:
    """jieba, or a package with its functions, HMM off."""
    module = module_of(package)
    if module is None:
        return None
    module.setLogLevel(logging.ERROR)
    module.initialize()
    cut = partial(module.lcut, HMM=False)
    return System(package, JIEBA, cut, {"lists": each_line(cut)})


def peers() -> list[System]:
    return [system for system in (rjieba(), jieba()) if system is not None]


def module_of(name: str) -> Any:
    """A package, None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


# --- the same output first -----------------------------------------------------------------------


class Alike(NamedTuple):
    """How many lines one of ours and a peer cut alike."""

    system: str
    lexicon: str
    peer: str
    peer_lexicon: str
    lines_alike: int
    lines: int


def same_output(
    mine: Sequence[System], others: Sequence[System], text: Text
) -> tuple[list[Alike], list[str]]:
    """How many lines each pair of systems cuts alike, and the faults that forbid timing.

    A fault: two forms of output of one of ours disagree, or a system does not give the text back.
    """
    counts: list[Alike] = []
    faults: list[str] = []
    words = {s.name: [list(s.cut(line)) for line in text.lines] for s in [*mine, *others]}
    for name, answer in words.items():
        lost = sum("".join(a) != line for a, line in zip(answer, text.lines, strict=True))
        if lost:
            faults.append(f"{name}: {lost} lines do not join to the text")
    for system in mine:
        faults += _forms_apart(system, words[system.name], text)
        for other in others:
            pairs = zip(words[system.name], words[other.name], strict=True)
            alike = sum(a == b for a, b in pairs)
            lines = len(text.lines)
            counts.append(
                Alike(system.name, system.lexicon, other.name, other.lexicon, alike, lines)
            )
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


# --- a small report ------------------------------------------------------------------------------


class Figure(NamedTuple):
    """One system in one form of output.

    Attributes:
        system: its name.
        peer: whether it is another package's.
        form: ``"lists"``, ``"ends"``, ``"bytes"`` or ``"bytes, N threads"``.
        seconds: for the text, the minimum of the rounds.
        mb_per_s: megabytes of UTF-8 per second.
        a_against_a: see :class:`segmenter.train.timing.Timing`.
        settled: whether that is within the tolerance.
        rounds: rounds timed.
    """

    system: str
    peer: bool
    form: str
    seconds: float
    mb_per_s: float
    a_against_a: float
    settled: bool
    rounds: int


def measure(
    mine: Sequence[System],
    others: Sequence[System],
    text: Text,
    forms: Sequence[str],
    *,
    cores: int = 1,
    rounds: int = 5,
    most_rounds: int = 12,
    budget: float = 3.0,
) -> list[Figure]:
    """Times systems in turns, each in those of `forms` that it has.

    Args:
        cores: how many the process is bound to meanwhile.
        rounds: see :func:`segmenter.train.timing.compare`, as the next two.
        budget: seconds after which a slow entry sits out.
    """
    timing.pin(cores)
    try:
        what = [
            (system, form) for form in forms for system in [*mine, *others] if form in system.forms
        ]
        timings = timing.compare(
            [timing.Entry(f"{s.name} / {form}", s.forms[form](text)) for s, form in what],
            rounds=rounds,
            most_rounds=most_rounds,
            budget=budget,
        )
    finally:
        timing.pin(timing.processors())
    size = len(text.utf8) - len(text.lines)  # without the line ends
    return [
        Figure(
            system.name,
            system.engine is None,
            form,
            t.seconds,
            size / t.seconds / 1e6,
            t.a_against_a,
            t.settled,
            t.rounds,
        )
        for (system, form), t in zip(what, timings, strict=True)
    ]


def shorten(lines: Iterable[str], size: int) -> tuple[list[str], bool]:
    """The first lines that hold `size` bytes of UTF-8 together, and whether any were left out.

    >>> shorten(["一", "二", "三"], 6), shorten(["一"], 6)
    ((['一', '二'], True), (['一'], False))
    """
    kept: list[str] = []
    left = size
    for line in lines:
        if left <= 0:
            return kept, True
        kept.append(line)
        left -= len(line.encode())
    return kept, False
