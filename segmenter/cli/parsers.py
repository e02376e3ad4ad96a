"""The parser of the command line: a command's module is imported when that command runs."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from segmenter.cli.exits import BAD_USAGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    Subcommands = argparse._SubParsersAction[argparse.ArgumentParser]

# name and summary; the module is segmenter.cli.NAME, and its configure(parser) adds the options
COMMANDS = (
    ("cut", "cut text into words: one line in is one line out"),
    ("tokenize", "list the tokens of every line with offsets, kinds and tags"),
    ("search", "list the search tokens of every line, for an index or a query"),
    ("tag", "tag the words of every line with their parts of speech"),
    ("freq", "count the words of a text"),
    ("keywords", "list the keywords of texts"),
    ("words", "check a user dictionary, alone and against a text"),
    ("explain", "say which word or rule made each token of a text"),
    ("serve", "answer over HTTP, with a page that draws the word graph"),
    ("discover", "propose words in raw text that the lexicon lacks"),
    ("subword", "train subword vocabularies, encode and decode"),
    ("train", "train a tagger on your own segmented text"),
    ("adapt", "adapt a tagger with a few hundred sentences"),
    ("build", "compile a lexicon or a model from text"),
    ("export", "write a compiled file as text"),
    ("describe", "check a compiled file and say what is in it"),
    ("eval", "score segmentations by the rules of the SIGHAN bakeoff, and compare them"),
    ("bench", "measure the speed on your text, next to rjieba and jieba"),
)


class CommandParser(argparse.ArgumentParser):
    """A parser that gets its options when it is first used.

    Args:
        module: the module whose ``configure(parser)`` adds them; None: the caller adds them.
    """

    def __init__(self, *, module: str | None = None, **options: Any) -> None:
        super().__init__(
            formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **options
        )
        self._module = module
        self._words: list[str] = []

    def configure(self) -> None:
        if self._module is not None:
            from importlib import import_module

            module, self._module = self._module, None
            import_module(module).configure(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        self.configure()
        args = sys.argv[1:] if args is None else list(args)
        if not args and any(isinstance(a, argparse._SubParsersAction) for a in self._actions):
            self.print_help(sys.stderr)
            self.exit(BAD_USAGE)
        self._words = args
        parsed, extras = super().parse_known_args(args, namespace)
        unknown = [word for word in extras if word.startswith("-")]
        if not unknown and extras:
            # argparse stops at an option: files after it belong to the same argument
            for action in self._actions:
                if action.nargs in ("*", "+") and not action.option_strings:
                    getattr(parsed, action.dest).extend(extras)
                    return parsed, []
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(extras)}{self._suggestion(unknown[0])}")
        return parsed, extras

    def _suggestion(self, word: str) -> str:
        flags = [flag for action in self._actions for flag in action.option_strings]
        return did_you_mean(word.partition("=")[0], flags)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        raise argparse.ArgumentError(
            action, f"{value!r} is not one of {', '.join(names)}{did_you_mean(str(value), names)}"
        )

    def _print_message(self, message: str, file: Any = None) -> None:
        # argparse's own method ignores a full disk
        file = file or sys.stderr
        if message and file is not None:
            file.write(message)
            file.flush()

    def error(self, message: str) -> Any:
        """Exit with one line about the error and one about ``--help``."""
        if not message.startswith("unrecognized"):
            # argparse reports a missing argument before an option that it does not know
            for word in self._words:
                if word == "--" or not word.startswith("-"):
                    break  # the words that follow may be values
                name = word.partition("=")[0]
                if word.startswith("--") and name not in self._option_string_actions:
                    message = f"unrecognized arguments: {word}{self._suggestion(word)}"
                    break
        self.exit(BAD_USAGE, f"{self.prog}: {message}\nOptions: {self.prog} --help\n")


def did_you_mean(typed: str, candidates: Iterable[str]) -> str:
    """The end of a message: the candidates that are spelled most like the typed name.

    >>> did_you_mean("--encodig", ["--encoding", "--errors"])
    ': did you mean --encoding?'
    >>> did_you_mean("fly", ["cut", "tag"])
    ''
    """
    from difflib import SequenceMatcher, get_close_matches

    names = list(candidates)
    near = get_close_matches(typed, names, 2, 0.6)
    if len(near) == 2:
        first, second = (SequenceMatcher(None, name, typed).ratio() for name in near)
        near = near if first - second < 0.05 else near[:1]
    if not near and typed.startswith("--") and len(typed) > 3:
        near = [name for name in names if name.startswith(typed)][:2]
    return f": did you mean {' or '.join(near)}?" if near else ""


def main_parser() -> CommandParser:
    """The parser of ``segmenter``, with every command's name and no command's options yet."""
    from segmenter._version import __version__

    parser = CommandParser(prog="segmenter", description="Chinese word segmentation.")
    set_up(
        parser,
        "echo 他说的确实在理 | segmenter cut --sep /",
        "segmenter cut book.txt -o book.cut.txt -j 4",
        "segmenter COMMAND --help     (options and examples; or: segmenter help COMMAND)",
    )
    parser.add_argument("--version", action="version", version=f"segmenter-zh {__version__}")
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, title="commands"
    )
    for name, summary in COMMANDS:
        commands.add_parser(
            name, help=summary, description=_sentence(summary), module=f"segmenter.cli.{name}"
        )
    return parser


def complete_parser() -> CommandParser:
    """The parser of ``segmenter`` with the options of every command."""
    root = main_parser()
    for parser in every_parser(root):
        if isinstance(parser, CommandParser):
            parser.configure()
    return root


def every_parser(root: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser and the parsers of its commands, in the order of the help."""
    pending = [root]
    while pending:
        parser = pending.pop(0)
        yield parser
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                pending[:0] = action.choices.values()


def subcommand(
    commands: Subcommands,
    name: str,
    summary: str,
    *examples: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    """Add a command of a command, such as ``lexicon`` in ``segmenter build lexicon``."""
    parser = commands.add_parser(name, help=summary, description=_sentence(summary))
    set_up(parser, *examples, run=run)
    return parser


def set_up(
    parser: argparse.ArgumentParser,
    *examples: str,
    run: Callable[[argparse.Namespace], int] | None = None,
) -> None:
    """Set the examples that end the help of a command, and the function that it runs."""
    parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in examples)
    if run is not None:
        parser.set_defaults(run=run)


_NUMBERS = {"N": int, "X": float, "D": float}
#: shtab's completion of file names, by shell.
_FILES = {
    "bash": "_shtab_compgen_files",
    "zsh": "_files",
    "tcsh": "f",
    "fish": "(__fish_complete_path (commandline -ct))",
    "powershell": "_shtab_powershell_compgen_files",
}


def options(
    parser: argparse._ActionsContainer,
    table: dict[str, str],
    *,
    title: str | None = None,
    one_of: bool = False,
) -> None:
    """Add options and arguments, each given by its syntax and its help.

    ========================  ===============================================================
    ``-f --fold``             a switch
    ``--model PATH``          a text; a number if its name is N (int), X or D (float)
    ``--port N=8000``         the same with a default, which is added to the help of a number
    ``--sep=/``               the same without a name for the value
    ``--out FILE!``           a required option
    ``--user PATH...``        a repeatable option
    ``--format tsv|jsonl``    one of these, the first by default
    ``--level |force|prefer`` one of these, none by default
    ``words WORDS``           a positional argument and its name in the help
    ``words WORDS+``          one or more values; ``*``: any number; also of an option
    ========================  ===============================================================

    Args:
        parser: the parser of a command, or a group of its options.
        table: help by syntax.
        title: title of a group for these options.
        one_of: the options exclude each other.
    """
    group = parser if title is None else parser.add_argument_group(title)
    group = group.add_mutually_exclusive_group() if one_of else group
    for typed, text in table.items():
        words, default = typed, None
        if "=" in typed and not typed.endswith("..."):
            words, _, default = typed.rpartition("=")
        *names, value = words.split()
        if value.startswith("-"):
            names, value = [*names, value], ""
        settings: dict[str, Any] = {}
        if not value and default is None:
            settings["action"] = "store_true"
        elif "|" in value:
            settings["choices"] = [choice for choice in value.split("|") if choice]
            settings["default"] = value.split("|")[0] or None
        elif value.endswith("..."):
            settings = {"action": "append", "default": [], "metavar": value[:-3]}
        else:
            settings["metavar"] = value.rstrip("!+*") or None
            if value.endswith("!"):
                settings["required"] = True
            elif value.endswith("+") and names[0].startswith("-"):
                settings["default"] = []
            if (repeat := value.rstrip("!")[-1:]) in ("+", "*"):
                settings["nargs"] = repeat
            kind = _NUMBERS.get(value, str)
            if kind is not str:
                settings["type"] = kind
            if default is not None:
                settings["default"] = kind(default)
                if kind is not str and "default" not in text:
                    text += f" (default {default})"
        action = group.add_argument(*names, help=text, **settings)
        if value.startswith(("FILE", "PATH", "OUT", "DIR")):
            action.complete = _FILES  # type: ignore[attr-defined]


def command_line(arguments: Sequence[str]) -> str:
    """The command line as typed, for model cards."""
    from shlex import join

    return join(["segmenter", *arguments])


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."
