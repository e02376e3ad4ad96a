"""Output of commands: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    import argparse
    from typing import Any


def say(command: str, text: str) -> None:
    """Print a line on standard error that names the command."""
    if sys.stderr is not None:
        print(f"segmenter {command}".rstrip() + f": {text}", file=sys.stderr)


def is_live(args: argparse.Namespace) -> bool:
    """Whether progress is shown: on a terminal, without ``--quiet``."""
    return not args.quiet and sys.stderr is not None and sys.stderr.isatty()


def print_line(text: str) -> None:
    """Print a line on standard output in UTF-8, whatever the locale."""
    from segmenter.files.opening import write_all

    if sys.stdout is None:
        raise ArgumentError("there is no standard output: give the command one")
    sys.stdout.flush()
    write_all(sys.stdout.buffer, text.encode("utf-8", "surrogateescape") + b"\n")


def say_report(command: str, report: Any, errors: str) -> None:
    """Print the report on a file that was read line by line."""
    if errors == "warn":
        for fault in report.faults:
            say(command, f"{report.path}, line {fault.line}: {fault.reason}")
    say(command, str(report))


def say_file(command: str, path: str) -> None:
    """Print the name and size of a file that was written."""
    say(command, f"{path}: {os.path.getsize(path):,} bytes")


def say_trained(command: str, trained: Any, errors: str) -> int:
    """Print the files that training wrote, the score and the next command; return the exit code."""
    for report in trained.reports:
        say_report(command, report, errors)
    rows = [
        (path, f"{os.path.getsize(path):,} bytes", purpose)
        for path, purpose in (
            (trained.portable, "text form, to read or compare"),
            (trained.compiled, "compiled, what load() takes"),
            (trained.card, "how it was made"),
        )
        if path
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for path, size, purpose in rows:
        say(command, f"{path.ljust(widths[0])}  {size.rjust(widths[1])}  {purpose}")
    if trained.before is not None:
        say(command, f"dev F1 {trained.before.f1:.4f} before, {trained.score.f1:.4f} now")
    elif trained.score is not None:
        say(command, f"dev F1 {trained.score.f1:.4f}")
    else:
        say(command, "no score: give --dev a file that is not trained on")
    if trained.compiled:
        from shlex import quote

        path = quote(trained.compiled)
        say(
            command,
            f"next: segmenter cut --model {path} FILE, or segmenter bench --model {path} FILE",
        )
    return DONE
