"""What a command says: answers on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE

if TYPE_CHECKING:
    from typing import Any


def say(command: str, text: str) -> None:
    """A line on standard error, which names the command."""
    if sys.stderr is not None:
        print(f"segmenter {command}: {text}", file=sys.stderr)


def print_line(text: str) -> None:
    """A line on standard output in UTF-8, whatever the locale."""
    if sys.stdout is not None:
        from segmenter.files import write_all

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
    """What training wrote and how well it does; returns the exit code."""
    for report in made.reports:
        say_report(command, report, errors)
    for path in filter(None, (made.portable, made.compiled, made.card)):
        say_file(command, path)
    if made.before is not None:
        say(command, f"dev F1 {made.before.f1:.4f} before, {made.score.f1:.4f} now")
    elif made.score is not None:
        say(command, f"dev F1 {made.score.f1:.4f}")
    return DONE
