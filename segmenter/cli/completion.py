"""``segmenter completion``: what a shell needs to complete command lines, made from the parser."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from segmenter.cli.exits import DONE
from segmenter.cli.messages import print_line
from segmenter.cli.parsers import every_parser, set_up, suggested

if TYPE_CHECKING:
    from collections.abc import Iterator

SHELLS = ("bash", "zsh", "fish")

# what a value is called where it is neither a file nor one of a few choices
_FREE = {
    "N", "X", "D", "TEXT", "WORDS", "KINDS", "RULES", "KIND=REGEX", "NAMES", "TOKEN", "NAME",
    "K=N,…", "HOST",
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
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[given.shell]
    print_line("\n".join(write(list(commands()))))
    return DONE


class Value(NamedTuple):
    """An option, or what is in a command line by its place.

    Attributes:
        flags: as ``("-o", "--output")``; none for what stands by its place.
        help: one line, without argparse's ``%``.
        takes: ``""`` (a switch), ``"file"``, ``"choice"`` or ``"text"``.
        choices: what it can be, for ``"choice"``; for the others what a shell offers.
        list: several of ``choices`` may stand between commas.
        name: what its value is called.
        repeated: it may be given again.
    """

    flags: tuple[str, ...]
    help: str
    takes: str
    choices: tuple[str, ...]
    name: str
    repeated: bool
    list: bool = False


class Command(NamedTuple):
    """A command as a shell sees it; ``path`` is empty for ``segmenter`` itself."""

    path: tuple[str, ...]
    options: list[Value]
    places: list[Value]
    inner: list[tuple[str, str]]


def commands() -> Iterator[Command]:
    """All commands of the parser, ``segmenter`` itself first."""
    for parser, inner in every_parser():
        values = [
            _value(action)
            for action in parser._actions
            if not isinstance(action, argparse._SubParsersAction)
        ]
        yield Command(
            tuple(parser.prog.split()[1:]),
            [value for value in values if value.flags],
            [value for value in values if not value.flags],
            inner,
        )


def _value(action: argparse.Action) -> Value:
    name = action.metavar if isinstance(action.metavar, str) else action.dest
    choices = tuple(map(str, action.choices or ()))
    takes = "file"
    if action.nargs == 0:
        takes = ""
    elif choices:
        takes = "choice"
    elif action.type in (int, float) or name in _FREE or name in ("sep", "encoding"):
        takes = "text"
    text = " ".join((action.help or "").split())
    repeated = isinstance(action, argparse._AppendAction) or action.nargs in ("*", "+")
    offered = suggested(action)
    if offered is not None:
        choices = offered.values
    return Value(
        tuple(action.option_strings), text, takes, choices, name, repeated,
        offered is not None and offered.list,
    )  # fmt: skip


def _quoted(text: str) -> str:
    """A word for bash and zsh, which know no escapes between single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


# --- bash ----------------------------------------------------------------------------------------


def _bash(found: list[Command]) -> Iterator[str]:
    """For bash 3.2 and later (macOS has that one); files are left to bash (``-o default``)."""
    yield "# bash completion of segmenter; made by `segmenter completion bash`"
    yield "_segmenter() {"
    yield "  local cur=${COMP_WORDS[COMP_CWORD]} prev= at= words= several= before= word i"
    yield "  if ((COMP_CWORD > 0)); then prev=${COMP_WORDS[COMP_CWORD - 1]}; fi"
    # --option=value comes as three words
    yield "  if [[ $cur == '=' ]]; then cur="
    yield "  elif [[ $prev == '=' ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi"
    yield "  COMPREPLY=()"
    yield "  for ((i = 1; i < COMP_CWORD; i++)); do"
    yield "    word=${COMP_WORDS[i]}"
    yield '    case "$at:$word" in'
    yield f'      {" | ".join(_steps(found))}) at="${{at:+$at }}$word" ;;'
    yield "    esac"
    yield "  done"
    yield '  case "$at:$prev" in'
    for command in found:
        for option in command.options:
            names = " | ".join(_quoted(f"{' '.join(command.path)}:{flag}") for flag in option.flags)
            if option.choices:
                before = "several=yes; " if option.list else ""
                yield f"    {names}) {before}words={_quoted(' '.join(option.choices))} ;;"
            elif option.takes:
                yield f"    {names}) return ;;"
    yield "  esac"
    yield '  if [[ -z $words ]]; then case "$at" in'
    for command in found:
        at = _quoted(" ".join(command.path))
        flags = " ".join(flag for option in command.options for flag in option.flags)
        names = " ".join(name for name, _ in command.inner)
        choices = " ".join(c for place in command.places for c in place.choices)
        plain = " ".join(filter(None, (names, choices)))
        yield f"    {at}) if [[ $cur == -* ]]; then words={_quoted(flags)}; "
        yield f"      else words={_quoted(plain)}; fi ;;"
    yield "  esac; fi"
    # what stands before the last comma stays
    yield "  if [[ -n $several && $cur == *,* ]]; then before=${cur%,*},; cur=${cur##*,}; fi"
    yield '  if [[ -n $words ]]; then COMPREPLY=($(compgen -P "$before" -W "$words" -- "$cur")); fi'
    yield "}"
    yield "complete -o default -F _segmenter segmenter"


def _steps(found: list[Command]) -> list[str]:
    """Every command as ``at:word``: where the word is a command of what stands before it."""
    return [_quoted(f"{' '.join(c.path[:-1])}:{c.path[-1]}") for c in found if c.path]


# --- zsh -----------------------------------------------------------------------------------------


def _zsh(found: list[Command]) -> Iterator[str]:
    yield "#compdef segmenter"
    yield "# zsh completion of segmenter; made by `segmenter completion zsh`"
    for command in found:
        name = "_".join(("_segmenter", *command.path))
        yield f"{name}() {{"
        yield "  local context state state_descr line"
        yield "  typeset -A opt_args"
        specs = [_zsh_option(option) for option in command.options]
        if command.inner:
            specs += ["'1: :->command'", "'*:: :->rest'"]
        else:
            specs += [_zsh_place(place) for place in command.places]
        yield "  _arguments -C -s -S \\"
        yield from (f"    {spec} \\" for spec in specs[:-1])
        yield f"    {specs[-1]}"
        if command.inner:
            yield "  case $state in"
            yield "    command)"
            rows = " ".join(_quoted(f"{n}:{_zsh_text(s)}") for n, s in command.inner)
            yield f"      local -a inner=({rows})"
            yield "      _describe command inner ;;"
            yield "    rest)"
            yield "      case $words[1] in"
            for inner, _ in command.inner:
                yield f"        {inner}) {name}_{inner} ;;"
            yield "      esac ;;"
            yield "  esac"
        yield "}"
    # autoloaded from a folder of $fpath, or read by eval
    yield 'if [[ $funcstack[1] == _segmenter ]]; then _segmenter "$@"'
    yield "else compdef _segmenter segmenter; fi"


def _zsh_text(text: str) -> str:
    for special in "\\:[]":
        text = text.replace(special, "\\" + special)
    return text


def _zsh_option(option: Value) -> str:
    rest = f"[{_zsh_text(option.help)}]{_zsh_takes(option)}"
    before = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    if option.repeated:
        before = "*"
    return " ".join(_quoted(before + flag + rest) for flag in option.flags)


def _zsh_takes(value: Value) -> str:
    if not value.takes:
        return ""
    names = " ".join(value.choices)
    what = {"file": "_files", "choice": f"({names})", "text": f"({names})" if names else " "}[
        value.takes
    ]
    if value.list:
        what = f" _values -s , {_zsh_text(value.name)} {names}"
    elif value.takes == "file" and names:
        what = f"{{_files; compadd -- {names}}}"
    return f":{_zsh_text(value.name)}:{what}"


def _zsh_place(place: Value) -> str:
    return _quoted(("*" if place.repeated else "") + (_zsh_takes(place)))


# --- fish ----------------------------------------------------------------------------------------


def _fish(found: list[Command]) -> Iterator[str]:
    yield "# fish completion of segmenter; made by `segmenter completion fish`"
    yield "function __segmenter_at"
    yield "  set -l at ''"
    yield "  for word in (commandline -opc)[2..-1]"
    yield '    switch "$at:$word"'
    yield f"      case {' '.join(_steps(found))}"
    yield '        set at (string trim -- "$at $word")'
    yield "    end"
    yield "  end"
    yield '  test "$at" = "$argv"'
    yield "end"
    yield "function __segmenter_list"
    yield "  set -l before (string match -r '.*,' -- (commandline -ct))"
    yield "  for name in $argv; echo $before$name; end"
    yield "end"
    yield "complete -c segmenter -f"
    for command in found:
        at = " ".join(command.path)
        line = f"complete -c segmenter -n {_fish_quoted(f'__segmenter_at {at}'.rstrip())}"
        for name, summary in command.inner:
            yield f"{line} -a {name} -d {_fish_quoted(summary)}"
        for option in command.options:
            flags = " ".join(
                f"-l {f[2:]}" if f.startswith("--") else f"-s {f[1:]}" for f in option.flags
            )
            yield f"{line} {flags}{_fish_takes(option)} -d {_fish_quoted(option.help)}"
        for place in command.places:
            if place.choices:
                yield f"{line} -a {_fish_quoted(' '.join(place.choices))}"
            if place.takes == "file":
                yield f"{line} -F"


def _fish_takes(option: Value) -> str:
    names = " ".join(option.choices)
    if option.list:
        return f" -x -a {_fish_quoted(f'(__segmenter_list {names})')}"
    if names:
        return f"{' -x' if option.takes != 'file' else ' -r -F'} -a {_fish_quoted(names)}"
    return {"": "", "file": " -r -F", "text": " -x"}[option.takes]


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
