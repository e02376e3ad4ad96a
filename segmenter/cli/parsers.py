"""The parser of the command line: a command's module is imported when that command runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

# name and summary; the module is segmenter.cli.NAME, and its configure(parser) adds the options
COMMANDS = (
    ("cut", "cut text into words: one line in is one line out"),
    ("tokenize", "list the tokens of every line with offsets, kinds and tags"),
    ("search", "list what an index takes of every line, or what a query asks for"),
    ("tag", "tag the words of every line with their parts of speech"),
    ("explain", "say which word or rule made each token of a text"),
    ("serve", "answer over HTTP, with a page that draws a sentence's words as a graph"),
    ("discover", "propose words of raw text that the lexicon does not have, as a user dictionary"),
    ("subword", "train subword vocabularies, encode text to ids and decode ids to text"),
    ("train", "train a tagger on segmented text of your own"),
    ("adapt", "train a finished tagger further on a few hundred sentences of another field"),
    ("build", "compile a lexicon or a model from text"),
    ("export", "write a compiled file as text"),
    ("describe", "check a compiled file and say what is in it"),
    ("eval", "score segmentations by the rules of the SIGHAN bakeoff"),
    ("bench", "time how fast your text is cut on this machine, beside rjieba and jieba"),
    ("completion", "write what a shell needs to complete these command lines"),
)


class CommandParser(argparse.ArgumentParser):
    """A parser that gets its options when it is first used.

    Args:
        module: the module whose ``configure(parser)`` adds them; None: they are added by whoever
            made the parser.
    """

    def __init__(self, *, module: str | None = None, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )
        self._module = module

    def configure(self) -> None:
        """Adds the options now."""
        if self._module is not None:
            from importlib import import_module

            module, self._module = self._module, None
            import_module(module).configure(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.configure()
        return super().parse_known_args(args, namespace)


def main_parser() -> CommandParser:
    """The parser of ``segmenter``, with every command's name and no command's options yet."""
    from segmenter._version import __version__

    parser = CommandParser(prog="segmenter", description="Chinese word segmentation.")
    set_examples(
        parser,
        "echo 他说的确实在理 | segmenter cut --sep /",
        "segmenter cut book.txt -o book.cut.txt -j 4",
        "segmenter COMMAND --help     (options and examples of a command)",
    )
    parser.add_argument("--version", action="version", version=f"segmenter-zh {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, title="commands"
    )
    for name, summary in COMMANDS:
        commands.add_parser(
            name,
            help=summary,
            description=_sentence(summary),
            module=f"segmenter.cli.{name}",
        )
    return parser


def subcommand(
    commands: Subcommands,
    name: str,
    summary: str,
    *examples: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """A command of a command, as ``lexicon`` in ``segmenter build lexicon``."""
    parser = commands.add_parser(name, help=summary, description=_sentence(summary))
    set_examples(parser, *examples)
    parser.set_defaults(run=run)
    return parser


def set_examples(parser: argparse.ArgumentParser, *lines: str) -> None:
    """Command lines that end the help of a command."""
    parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in lines)


def command_line(arguments: Sequence[str]) -> str:
    """The command line as one would type it, for cards."""
    from shlex import join

    return join(["segmenter", *arguments])


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."
