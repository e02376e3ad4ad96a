"""What is timed here besides what ``segmenter bench`` times, and jieba's own word list.

That list as a lexicon of ours is the configuration that must give rjieba's words.
"""

from __future__ import annotations

import importlib.metadata
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.train import bench, scoring

if TYPE_CHECKING:
    from collections.abc import Callable

    from segmenter.train.bench import Form, System, Text

#: Calls of the one-sentence task that one timing takes together: 0.1 s at a microsecond a call.
SHORT_CALLS = 100_000
#: Peers so slow that they are timed on the small texts only.
SLOW = frozenset(("jieba", "jieba_fast"))


def ours(name: str, lexicon: str, engine: bench.Engine) -> System:
    """A Segmenter of ours in every form."""
    cut, ends, cut_batch = engine.cut, engine.ends, engine.cut_batch
    more: dict[str, Form] = {
        "kept": lambda text: lambda: [cut(line) for line in text.lines],
        "batch": lambda text: lambda: cut_batch(text.lines, threads=1),
        "batch, 2 threads": lambda text: lambda: cut_batch(text.lines, threads=2),
        "ends, whole": _whole(ends),
        "short": _short(cut),
    }
    return _with(bench.our_system(name, lexicon, engine), more)


def peers() -> list[System]:
    """The peers that are installed, HMM off in each."""
    found = []
    if (system := bench.rjieba()) is not None:
        cut = bench.module_of("rjieba").cut

        def short(text: Text) -> Callable[[], object]:
            def run() -> None:
                for _ in repeat(None, SHORT_CALLS):
                    cut(line, False)

            line = text.lines[0]
            return run

        more: dict[str, Form] = {
            "kept": lambda text: lambda: [cut(line, False) for line in text.lines],
            "short": short,
        }
        found.append(_with(system, more))
    found += [
        _with(system, {"kept": _kept(system), "short": _short(system.cut)})
        for system in (bench.jieba("jieba"), bench.jieba("jieba_fast"))
        if system is not None
    ]
    return found


def _with(system: System, more: dict[str, Form]) -> System:
    return system._replace(forms={**system.forms, **more})


def _kept(system: System) -> Form:
    cut = system.cut
    return lambda text: lambda: [cut(line) for line in text.lines]


def _whole(call: Callable[[str], object]) -> Form:
    def form(text: Text) -> Callable[[], object]:
        whole = text.utf8.decode()
        return lambda: call(whole)

    return form


def _short(call: Callable[[str], object]) -> Form:
    """The form that calls for the first line, :data:`SHORT_CALLS` times."""

    def form(text: Text) -> Callable[[], object]:
        def run() -> None:
            for _ in repeat(None, SHORT_CALLS):
                call(line)

        line = text.lines[0]
        return run

    return form


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
