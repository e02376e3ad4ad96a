"""The command line: ``segmenter cut|tokenize|search|explain|train|build|eval|bench|serve|…``.

Each command is a module; ``options``, ``streams`` and ``messages`` have the code that several
commands share, and ``exits`` the exit codes.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from segmenter.cli import exits
from segmenter.cli.messages import say
from segmenter.cli.parsers import command_line, main_parser
from segmenter.cli.signals import Terminated, signals_raise
from segmenter.errors import ArgumentError, SegmenterError
from segmenter.files.atomic import name_full_file

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code.

    Args:
        arguments: the command line without the program's name; None takes the process's own.
    """
    command = ""
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        if words[:1] == ["help"]:
            words = [*words[1:], "--help"]
        args = main_parser().parse_args(words)
        args.line = command_line(words)
        command = args.command
        run: Callable[[argparse.Namespace], int] = args.run
        with signals_raise():
            code = run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except Terminated as e:
        return exits.HUNG_UP if e.number == exits.HUNG_UP - 128 else exits.TERMINATED
    except BrokenPipeError:
        # Python flushes once more at exit: to the null device
        with suppress(OSError, AttributeError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.NO_READER
    except ArgumentError as e:
        say(command, _in_options(str(e)))
        return exits.BAD_USAGE
    except SegmenterError as e:
        say(command, _in_options(str(e)))
        return exits.BAD_DATA
    except OSError as e:
        if sys.stdout is not None:
            name_full_file(e, "standard output")
        name = "" if e.filename is None else f"{os.fsdecode(e.filename)}: "
        reason = e.strerror or str(e)
        remedy = "" if ": " in reason else _REMEDIES.get(type(e), "")
        say(command, f"{name}{reason}{remedy}")
        return exits.BAD_DATA


_REMEDIES: dict[type[OSError], str] = {
    FileNotFoundError: ": check the name and the folder",
    FileExistsError: ", but not as a folder: name another",
    IsADirectoryError: ": name a file",
    NotADirectoryError: ": a part of this path is a file",
    PermissionError: ": check who may use the file and its folder",
}
#: Arguments of the library that an option of another name gives.
_OPTIONS = {"dst": "-o", "n": "--best", "src": "FILE"}
#: Arguments of the library that options of the same name give.
_SAME_NAME = (
    "atoms|decoder|encoding|epochs|errors|matcher|max_length|min_count|min_entropy|min_pmi|oov"
    "|standard|threads|vocab_size"
)


def _in_options(message: str) -> str:
    """A message of the library, with the names of arguments written as options."""
    from re import match, sub

    argument, colon, reason = message.partition(": ")
    if colon and argument in _OPTIONS:
        message = f"{_OPTIONS[argument]}: {reason}"
    elif colon and match(f"(?:{_SAME_NAME})$", argument):
        message = f"--{argument.replace('_', '-')}: {reason}"
    return sub(r"\b(encoding|errors|decoder)='([\w-]+)'", r"--\1 \2", message)
