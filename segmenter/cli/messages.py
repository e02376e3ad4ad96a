"""Output of commands: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE

if TYPE_CHECKING:
    import argparse
    from typing import Any


def say(command: str, text: str) -> None:
    """A line on standard error, which names the command."""
    if sys.stderr is not None:
        print(f"segmenter {command}".rstrip() + f": {text}", file=sys.stderr)


def is_live(given: argparse.Namespace) -> bool:
    """Whether progress is shown: on a terminal, without ``--quiet``."""
    return not given.quiet and sys.stderr is not None and sys.stderr.isatty()


def print_line(text: str) -> None:
    """A line on standard output in UTF-8, whatever the locale."""
    if sys.stdout is not None:
        from segmenter.files.opening import write_all

        sys.stdout.flush()
        write_all(sys.stdout.buffer, text.encode("utf-8", "surrogateescape") + b"\n")


def say_report(command: str, report: Any, errors: str) -> None:
    """What was found in a file of text that was read line by line."""
    if errors == "warn":
        for fault in report.faults:
            say(command, f"{report.path}, line {fault.line}: {fault.reason}")
    say(command, str(report))


def say_file(command: str, path: str) -> None:
    """A file that was written, and its size."""
    say(command, f"{path}: {os.path.getsize(path):,} bytes")


def say_made(command: str, made: Any, errors: str) -> int:
    """What training wrote, how well it does and what to do with it; returns the exit code."""
    for report in made.reports:
        say_report(command, report, errors)
    rows = [
        (path, f"{os.path.getsize(path):,} bytes", what)
        for path, what in (
            (made.portable, "text form, to read or compare"),
            (made.compiled, "compiled, what load() takes"),
            (made.card, "how it was made"),
        )
        if path
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for path, size, what in rows:
        say(command, f"{path.ljust(widths[0])}  {size.rjust(widths[1])}  {what}")
    if made.before is not None:
        say(command, f"dev F1 {made.before.f1:.4f} before, {made.score.f1:.4f} now")
    elif made.score is not None:
        say(command, f"dev F1 {made.score.f1:.4f}")
    else:
        say(command, "no score: give --dev a file that is not trained on")
    if made.compiled:
        from shlex import quote

        path = quote(made.compiled)
        say(
            command,
            f"next: segmenter cut --model {path} FILE, or segmenter bench --model {path} FILE",
        )
    return DONE
