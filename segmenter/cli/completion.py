"""``segmenter completion``: a completion script for a shell, made from the parser by shtab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.parsers import complete_parser, every_parser, set_up, suggested
from segmenter.errors import MissingExtraError

if TYPE_CHECKING:
    import argparse

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")

#: What values are called that are not the name of a file.
_NO_FILE = {
    "N", "X", "D", "TEXT", "WORDS", "KINDS", "RULES", "KIND=REGEX", "NAMES", "TOKEN", "NAME",
    "K=N,…", "HOST", "TAGS",
}  # fmt: skip


def configure(parser: argparse.ArgumentParser) -> None:
    set_up(
        parser,
        'eval "$(segmenter completion bash)"        (in ~/.bashrc)',
        'eval "$(segmenter completion zsh)"         (in ~/.zshrc, after compinit)',
        "segmenter completion fish | source        (in ~/.config/fish/config.fish)",
        run=run,
    )
    parser.add_argument("shell", choices=SHELLS, help="the shell")


def run(given: argparse.Namespace) -> int:
    print_line(script(given.shell).rstrip("\n"))
    return DONE


def script(shell: str) -> str:
    """The completion script of one of :data:`SHELLS`.

    Raises:
        MissingExtraError: shtab is not installed.
    """
    try:
        import shtab
    except ModuleNotFoundError as e:
        raise MissingExtraError("shell", "shtab", "segmenter completion") from e
    root = complete_parser()
    for parser in every_parser(root):
        for action in parser._actions:
            name = action.metavar if isinstance(action.metavar, str) else action.dest
            if action.nargs == 0 or action.choices is not None:
                continue
            if values := suggested(action):
                action.choices = values  # this parser only writes the script: others pass too
            elif action.type not in (int, float) and name not in _NO_FILE | {"sep", "encoding"}:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
    text: str = shtab.complete(root, shell)
    return text
