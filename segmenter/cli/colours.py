"""Colours of what goes to a terminal: never into a file or a pipe, nor where NO_COLOR is set."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from segmenter.cli.parsers import options

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    Paint = Callable[[str, str], str]

WHEN = ("auto", "always", "never")

# SGR codes of the sixteen colours that every terminal has, which its user chose to be legible
STYLES = {
    "token": "1",
    "cost": "36",
    "note": "2",
    "word": "",
    "unknown": "33",
    "number": "36",
    "date": "36",
    "latin": "34",
    "script": "34",
    "cluster": "34",
    "user": "32",
    "model": "35",
    "space": "2",
    "newline": "2",
}
_RESET = "\x1b[0m"


def colour_option(parser: argparse.ArgumentParser) -> None:
    options(
        parser,
        {
            "--color " + "|".join(WHEN): "auto (default): on a terminal, and not where the "
            "environment variable NO_COLOR is set; always; never",
        },
    )


def coloured(given: argparse.Namespace) -> bool:
    """Whether what a command writes gets colours (https://no-color.org)."""
    if given.color != "auto":
        return bool(given.color == "always")
    to_terminal = (
        getattr(given, "output", "-") == "-" and sys.stdout is not None and sys.stdout.isatty()
    )
    environment = os.environ
    return to_terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def painter(given: argparse.Namespace) -> Paint:
    """A function of a text and the name of its style (one of :data:`STYLES`)."""
    return paint if coloured(given) else plain


def paint(text: str, style: str) -> str:
    """``text`` in the colours of ``style``; unknown styles and empty texts are left as they are."""
    code = STYLES.get(style, "")
    return f"\x1b[{code}m{text}{_RESET}" if code and text else text


def plain(text: str, style: str) -> str:
    return text
