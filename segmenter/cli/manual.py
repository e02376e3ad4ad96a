"""``segmenter manual``: the manual page, made from the parser like the help and the completion."""

from __future__ import annotations

import argparse
from itertools import islice
from typing import TYPE_CHECKING

from segmenter.cli import exits
from segmenter.cli.exits import DONE
from segmenter.cli.messages import say
from segmenter.cli.parsers import every_parser, options, set_up
from segmenter.cli.streams import output

if TYPE_CHECKING:
    from collections.abc import Iterator

FORMS = ("man", "markdown")

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
        "segmenter manual --form markdown > commands.md",
        run=run,
    )
    options(
        parser,
        {
            "--form " + "|".join(FORMS): "man (roff, default) or markdown",
            "-o --output OUT=-": "default: stdout",
        },
    )


def run(given: argparse.Namespace) -> int:
    with output(given) as out:
        out.write(manual(given.form).encode("utf-8"))
    if given.output != "-":
        say("manual", f"{given.output}: written")
    return DONE


def manual(form: str = "man") -> str:
    """All commands with their options and examples, in one of :data:`FORMS`."""
    lines = _man() if form == "man" else _markdown()
    return "\n".join(lines) + "\n"


def _commands() -> Iterator[argparse.ArgumentParser]:
    return (parser for parser, _ in islice(every_parser(), 1, None))  # without segmenter itself


def _usage(parser: argparse.ArgumentParser) -> str:
    """Usage without the options, which are listed below it."""
    words = [parser.prog]
    actions = parser._actions
    if any(a.option_strings and a.dest != "help" for a in actions):
        words.append("[OPTIONS]")
    for action in actions:
        if action.option_strings:
            if action.required:
                words.append(f"{action.option_strings[-1]} {_name(action)}")
        else:
            mark = {"*": "[{}...]", "+": "{}...", "?": "[{}]"}.get(str(action.nargs), "{}")
            words.append(mark.format(_name(action)))
    return " ".join(words)


def _name(action: argparse.Action) -> str:
    if isinstance(action.metavar, str):
        return action.metavar
    if action.choices is not None and not isinstance(action, argparse._SubParsersAction):
        return "{" + ",".join(map(str, action.choices)) + "}"
    return action.dest.upper()


def _rows(parser: argparse.ArgumentParser) -> Iterator[tuple[str, str]]:
    """An option or argument as it is typed, and what it does."""
    for action in parser._actions:
        if isinstance(action, (argparse._HelpAction, argparse._SubParsersAction)):
            continue
        typed = ", ".join(action.option_strings)
        if action.nargs != 0:
            typed = " ".join(filter(None, (typed, _name(action))))
        yield typed, (action.help or "").replace("%%", "%")


def _summary(parser: argparse.ArgumentParser) -> str:
    return parser.description or ""


def _examples(parser: argparse.ArgumentParser) -> list[str]:
    return [line.strip() for line in (parser.epilog or "").splitlines()[1:]]


# --- roff ----------------------------------------------------------------------------------------


def _man() -> Iterator[str]:
    from segmenter._version import __version__

    yield f'.TH SEGMENTER 1 "" "segmenter-zh {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"segmenter \- Chinese word segmentation"
    yield ".SH SYNOPSIS"
    yield ".B segmenter\n.I COMMAND\n[OPTIONS]"
    yield ".SH DESCRIPTION"
    yield _roff(
        "Text comes from files or standard input; answers go to standard output or the file of "
        "-o, everything else to standard error. Output is UTF-8 whatever the locale."
    )
    yield ".SH COMMANDS"
    for parser in _commands():
        yield f".SS {_roff(_usage(parser))}"
        yield _roff(_summary(parser))
        for typed, text in _rows(parser):
            yield f".TP\n.B {_roff(typed)}"
            yield _roff(text)
        for line in _examples(parser):
            yield f".PP\n.EX\n  {_roff(line)}\n.EE"
    yield ".SH EXIT STATUS"
    for code, text in CODES:
        yield f".TP\n.B {code}\n{_roff(text)}"
    yield ".SH ENVIRONMENT"
    for name, text in VARIABLES:
        yield f".TP\n.B {name}\n{_roff(text)}"


def _roff(text: str) -> str:
    r"""Text as a line of roff.

    >>> _roff("-o OUT: a\\b 'c'")
    "\\-o OUT: a\\eb 'c'"
    """
    text = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


# --- Markdown ------------------------------------------------------------------------------------


def _markdown() -> Iterator[str]:
    for parser in _commands():
        yield f"## {parser.prog}\n"
        yield f"{_summary(parser)}\n"
        yield f"```text\n{_usage(parser)}\n```\n"
        rows = list(_rows(parser))
        if rows:
            yield "| option | |\n|---|---|"
            for typed, text in rows:
                safe = " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
                yield f"| `{typed.replace('|', chr(92) + '|')}` | {safe} |"
            yield ""
        if examples := _examples(parser):
            yield "```sh"
            yield from examples
            yield "```\n"
