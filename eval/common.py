"""What every measurement of this folder shares: data, commit, machine, pinning, result files."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import lzma
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from segmenter.choices import PRESETS
from segmenter.errors import ResourceError
from segmenter.loading import load_by_name
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).resolve().parent / "results"

# Taken once: pinning narrows what sched_getaffinity answers later.
_ALLOWED: frozenset[int] = (
    frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()
)


def arguments(script: str, description: str) -> argparse.ArgumentParser:
    """The parser of ``python -m eval.SCRIPT``, with the options that most scripts have."""
    parser = argparse.ArgumentParser(prog=f"python -m eval.{script}", description=description)
    parser.add_argument("--data", metavar="DIR", help="corpora (or SEGMENTER_CORPORA)")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    return parser


def data_dir(folder: str | None = None) -> Path:
    """The folder of the corpora: `folder`, else ``$SEGMENTER_CORPORA``, else ``../shared/data``.

    Raises:
        ResourceError: it is not there.
    """
    path = Path(folder or os.environ.get("SEGMENTER_CORPORA") or ROOT.parent / "shared" / "data")
    if not path.is_dir():
        raise ResourceError(
            f"{path}: no such folder; name the folder of the corpora with --data or in "
            "SEGMENTER_CORPORA"
        )
    return path


def presets() -> tuple[str, ...]:
    """The presets whose files are present; a missing ``best`` is reported."""
    names = []
    for name in PRESETS:
        try:
            load_by_name(name)
        except ResourceError as error:
            print(f"{name}: left out, {str(error).splitlines()[-1]}", file=sys.stderr)
        else:
            names.append(name)
    return tuple(names)


def bakeoff_lines(data: Path) -> list[str]:
    """The lines of the PKU and MSR test sets: gold text without its blanks, 5,930 lines."""
    lines: list[str] = []
    for corpus in ("pku", "msr"):
        path = data / "sighan2005" / f"{corpus}_test_gold.utf8"
        lines.extend(map(scoring.join_words, scoring.read_lines(path)))
    return lines


def national_lines(data: Path) -> list[str]:
    """The lines of the national corpus without their blanks: 209,279 lines, 27 MB of UTF-8."""
    return [
        scoring.join_words(line) for line in scoring.read_lines(data / "national" / "segmented.txt")
    ]


def short_texts(data: Path, count: int) -> dict[str, list[str]]:
    """Different texts as people type them, by kind: at most `count` of each kind."""
    kinds = {
        "queries of shops": "ecom-queries",
        "microblogs": "weibo-hot",
        "subtitles": "subtitles",
        "questions": "zhihu-hot",
    }
    texts: dict[str, list[str]] = {}
    for kind, name in kinds.items():
        with lzma.open(data / "raw" / f"{name}.txt.xz", "rt", encoding="utf-8") as file:
            lines = dict.fromkeys(line.rstrip("\n") for line in file)
        texts[kind] = [line for line in lines if line][:count]
    return texts


def pin(count: int = 1) -> list[int]:
    """Binds the process to its last `count` cores; returns them, or [] if that is impossible.

    The last ones, because interrupts and other people's work gather on the first.
    """
    if not hasattr(os, "sched_setaffinity"):
        return []
    cores = sorted(_ALLOWED)[-count:]
    os.sched_setaffinity(0, cores)
    return cores


def machine() -> dict[str, object]:
    """The machine of the figures: processor, architecture, cores, system, Python."""
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    return {
        "processor": model,
        "architecture": platform.machine(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def commit() -> str:
    """Short hash of the checkout's commit; followed by ``+`` when tracked files differ from it."""
    try:
        head = _git("rev-parse", "--short=10", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "no repository"


def facts(packages: Iterable[str] = ()) -> dict[str, object]:
    """Commit, date, machine and the versions of the installed `packages`."""
    versions: dict[str, str] = {}
    for name in packages:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "commit": commit(),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": machine(),
        "packages": versions,
    }


def heading(title: str, about: Mapping[str, object], command: str) -> str:
    """Markdown head of a result file: title, commit, machine, and the command."""
    about_machine = about["machine"]
    assert isinstance(about_machine, dict)
    packages = about.get("packages")
    lines = [
        f"# {title}",
        "",
        f"Commit {about['commit']}, {about['date']}; {about_machine['processor']} "
        f"({about_machine['cores']} cores, {about_machine['architecture']}), "
        f"{about_machine['system']}, {about_machine['python']}."
        + (
            " Installed: " + ", ".join(f"{k} {v}" for k, v in packages.items()) + "."
            if isinstance(packages, dict) and packages
            else ""
        ),
        f"Made by `{command}`.",
        "",
    ]
    return "\n".join(lines)


def publish(
    name: str,
    title: str,
    about: Mapping[str, object],
    parts: Iterable[str],
    data: Mapping[str, object],
    *,
    command: str = "",
    dry: bool = False,
) -> None:
    """Print a report and, unless `dry`, write it with its figures.

    Args:
        name: of the files in ``results/``; of the script too, where `command` is empty.
        title: of the page.
        about: what :func:`facts` gave before the measurement.
        parts: of the page, below its head.
        data: unrounded figures.
        command: what makes the page.
    """
    report = "\n".join([heading(title, about, command or f"python -m eval.{name}"), *parts])
    print(report)
    if not dry:
        write(name, report, {**about, **data})


def write(name: str, markdown: str, data: Mapping[str, object], folder: Path = RESULTS) -> None:
    """Write ``results/NAME.md`` and ``results/NAME.json`` and say so on stderr."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(markdown.rstrip("\n") + "\n", encoding="utf-8")
    (folder / f"{name}.json").write_text(
        json.dumps(data, ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )
    print(f"written: {name}.md and {name}.json in {folder}", file=sys.stderr)


def table(header: Iterable[str], rows: Iterable[Iterable[object]], left: int = 1) -> str:
    """A Markdown table whose first `left` columns are text and the others figures."""
    titles = list(header)
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * left + "---:|" * (len(titles) - left)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()
