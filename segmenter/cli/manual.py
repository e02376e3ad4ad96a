"""``segmenter manual``: the manual page, made from the parser by argparse-manpage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli import exits
from segmenter.cli.exits import DONE
from segmenter.cli.messages import say
from segmenter.cli.parsers import complete_parser, options, set_up
from segmenter.cli.streams import output
from segmenter.errors import MissingExtraError

if TYPE_CHECKING:
    import argparse

#: What each exit code means; docs/en/command-line.md says more.
CODES = (
    (exits.DONE, "done"),
    (exits.BAD_DATA, "a file is missing, damaged or in another encoding; a package is missing"),
    (exits.BAD_USAGE, "the command line is wrong"),
    (exits.INTERRUPTED, "Ctrl-C"),
    (exits.NO_READER, "whoever read standard output has gone"),
    (exits.TERMINATED, "SIGTERM"),
)
#: Environment variables.
VARIABLES = (
    ("SEGMENTER_DATA", "folder of compiled lexicons and models, searched before the shipped ones"),
    ("NO_COLOR", "if set and not empty: no colours"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        "segmenter manual | man -l -",
        "segmenter manual -o ~/.local/share/man/man1/segmenter.1     (then: man segmenter)",
        run=run,
    )
    options(parser, {"-o --output OUT=-": "default: stdout"})


def run(given: argparse.Namespace) -> int:
    with output(given) as out:
        out.write(manual().encode("utf-8"))
    if given.output != "-":
        say("manual", f"{given.output}: written")
    return DONE


def manual() -> str:
    """All commands with their options and examples, as roff.

    Raises:
        MissingExtraError: argparse-manpage is not installed.
    """
    try:
        from argparse_manpage.manpage import Manpage
    except ModuleNotFoundError as e:
        raise MissingExtraError("shell", "argparse_manpage", "segmenter manual") from e
    from segmenter._version import __version__

    page = Manpage(complete_parser())
    page.description = "Chinese word segmentation"
    page.source = f"segmenter-zh {__version__}"
    page.manual = "User Commands"
    for heading, rows in (("EXIT STATUS", CODES), ("ENVIRONMENT", VARIABLES)):
        page.add_section(heading, "=", "\n".join(f".TP\n.B {name}\n{text}" for name, text in rows))
    return str(page)
