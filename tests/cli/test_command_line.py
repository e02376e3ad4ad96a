"""The command line as a Unix tool: its page, completion in shells by shtab."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter.cli import exits, main
from segmenter.cli.parsers import COMMANDS, complete_parser, every_parser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = ROOT / "docs" / "en" / "command-line.md"
TEXT = "他说的确实在理"

pytestmark = pytest.mark.skipif(
    not (ROOT / "models" / "general.lex").exists(), reason="the shipped models are not built here"
)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose PATH has the command `segmenter`, run from this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "segmenter"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m segmenter "$@"\n', "utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
    }


def shell(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return program


# --- the page ------------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, str]]:
    """(command, what it prints) of every block marked ``console``, in order."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def test_the_examples_of_the_page(environment: dict[str, str], tmp_path: Path) -> None:
    bash = shell("bash")
    lines = list(examples())
    assert len(lines) > 12
    for command, output in lines:
        got = subprocess.run(
            [bash, "-c", f"{{ {command}\n}} 2>&1"],
            cwd=tmp_path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=False,
        )
        assert got.stdout.decode("utf-8") == output, command


def test_the_page_has_every_exit_code_and_command() -> None:
    page = PAGE.read_text("utf-8")
    table = page.split("<!-- exit codes -->")[1].split("\n\n")[0]
    listed = {int(n) for n in re.findall(r"^\| (\d+) \|", table, re.M)}
    assert listed == {n for n in vars(exits).values() if isinstance(n, int)}
    rows = page.split("| command |")[1].split("\n\n")[0]
    named = {row.split("`")[1].split()[0] for row in rows.splitlines() if row.startswith("| `")}
    named |= {name for row in rows.splitlines() for name in re.findall(r", `(\w+)`", row)}
    assert {name for name, _ in COMMANDS} <= named


# --- forms ----------------------------------------------------------------------------------------


def test_json_and_tsv_are_the_same_words(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source = tmp_path / "in.txt"
    source.write_bytes("他说的\r\n\n一\t二\\三\n“引”\u2028在理".encode())

    def run(*options: str) -> list[str]:
        assert main(["cut", *options, str(source)]) == 0
        return capfdbinary.readouterr().out.decode("utf-8").split("\n")

    arrays = [json.loads(row) for row in run("--json")]
    assert ["".join(words) for words in arrays] == ["他说的", "", "一\t二\\三", "“引”\u2028在理"]
    assert run("--json", "-j", "2") == run("--json")
    rows = [row.split("\t") for row in run("--tsv")]
    escaped = [[w.replace("\\", "\\\\").replace("\t", "\\t") for w in words] for words in arrays]
    assert rows == [words or [""] for words in escaped]


# --- completion ----------------------------------------------------------------------------------


class Terminal:
    """A program on a pseudo-terminal."""

    def __init__(self, command: list[str], environment: dict[str, str], cwd: str = ".") -> None:
        import pty

        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def send(self, text: str) -> None:
        os.write(self.fd, text.encode())

    def until(self, part: str, seconds: float = 60) -> str:
        from select import select

        deadline = time.monotonic() + seconds
        while part not in self.seen:
            readable, _, _ = select([self.fd], [], [], max(0, deadline - time.monotonic()))
            assert readable, f"{part!r} never came; what came: {self.seen!r}"
            self.seen += os.read(self.fd, 4096).decode("utf-8", "replace")
        before, _, self.seen = self.seen.partition(part)
        return before

    def rest(self) -> str:
        while True:
            try:
                data = os.read(self.fd, 4096)
            except OSError:  # Linux: the other end has closed
                break
            if not data:
                break
            self.seen += data.decode("utf-8", "replace")
        self.close()
        return self.seen

    def close(self) -> None:
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def script(name: str, environment: dict[str, str], folder: Path) -> str:
    """The path of what shtab makes of the parser, as docs/en/command-line.md says."""
    pytest.importorskip("shtab", reason="shtab is not installed")
    command = [sys.executable, "-m", "shtab", f"--shell={name}", "-u", PARSER]
    path = folder / "completion"
    path.write_bytes(subprocess.run(command, env=environment, stdout=-1, check=True).stdout)
    return shlex.quote(str(path))


PARSER = "segmenter.cli.parsers.complete_parser"
# what is typed, and what one TAB makes of it
COMPLETED = [
    ("segmenter tok", "segmenter tokenize "),
    ("segmenter build lex", "segmenter build lexicon "),
    ("segmenter cut --decoder bidi", "segmenter cut --decoder bidirectional-max "),
    ("segmenter cut --lea", "segmenter cut --learn "),
    ("segmenter cut in2", "segmenter cut in2026.txt "),
    ("segmenter cut -o in2", "segmenter cut -o in2026.txt "),
    ("segmenter train crf --trainer cr", "segmenter train crf --trainer crfsuite "),
]


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_completion_in_a_shell(name: str, environment: dict[str, str], tmp_path: Path) -> None:
    program = shell(name)
    (tmp_path / "in2026.txt").write_text("", "utf-8")
    plain = {
        **environment,
        "TERM": "dumb",
        "HOME": str(tmp_path),
        "PS1": "",
        "INPUTRC": "/dev/null",
    }
    command = [program, "--norc", "--noprofile", "-i"] if name == "bash" else [program, "-f", "-i"]
    terminal = Terminal(command, plain, str(tmp_path))
    if name == "zsh":
        terminal.send("unsetopt zle_bracketed_paste; PS1=; autoload -U compinit; compinit -u -D\n")
    else:
        terminal.send("bind 'set enable-bracketed-paste off'; PS1=\n")
    result = script(name, environment, tmp_path)
    terminal.send(f'. {result}; echo re""ady\n')
    terminal.until("ready")
    for typed, completed in COMPLETED:
        # the completed line is the argument of echo, so that the shell itself says what it holds
        # (Ctrl-A goes to its beginning, Ctrl-E to its end)
        terminal.send(f"{typed}\t\x01echo '<\x05>'\n")
        line = terminal.until(">\r\n")
        assert line.rpartition("<")[2].rstrip() == completed.rstrip()
    terminal.send("exit\n")
    terminal.rest()


def test_completion_in_fish(environment: dict[str, str], tmp_path: Path) -> None:
    program = shell("fish")
    (tmp_path / "in2026.txt").write_text("", "utf-8")
    lines = [typed for typed, _ in COMPLETED]
    result = script("fish", environment, tmp_path)
    commands = f"source {result}\n" + "".join(
        f"complete -C {shlex.quote(line)}; echo =====\n" for line in lines
    )
    got = subprocess.run(
        [program, "--no-config", "-c", commands],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    answers = got.stdout.decode("utf-8").split("=====\n")
    for (typed, completed), answer in zip(COMPLETED, answers, strict=False):
        words = [row.split("\t")[0] for row in answer.splitlines()]
        assert words == [completed.split()[-1]], typed


def test_shtab_and_argparse_manpage_read_every_option() -> None:
    shtab = pytest.importorskip("shtab", reason="shtab is not installed")
    pages = pytest.importorskip("argparse_manpage.manpage", reason="argparse-manpage is missing")
    page = str(pages.Manpage(complete_parser()))
    page = page.replace("\\-", "-").replace("\\/", "").replace("\\,", "")
    texts = [page, *(shtab.complete(complete_parser(), name) for name in shtab.SUPPORTED_SHELLS)]
    for parser in every_parser(complete_parser()):
        for action in parser._actions:
            for flag in action.option_strings:
                names = (flag, flag.lstrip("-"))
                assert all(any(name in text for name in names) for text in texts), flag
