"""The command line as a Unix tool: its page, resuming, signals, colours, completion in shells."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from runs import opened

from segmenter.cli import exits, main
from segmenter.cli.completion import commands
from segmenter.cli.resume import Skipping
from segmenter.errors import ArgumentError, EncodingError

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
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


# --- the page ------------------------------------------------------------------------------------


def examples() -> Iterator[tuple[str, str]]:
    """(command, what it prints) of every block marked ``console``, in order."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def test_the_examples_of_the_page(environment: dict[str, str], tmp_path: Path) -> None:
    bash = shell("bash")
    shown = list(examples())
    assert len(shown) > 12
    for command, output in shown:
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
    assert {command.path[0] for command in commands() if command.path} <= named


# --- forms and colours ---------------------------------------------------------------------------


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


def test_colours_only_where_asked(
    capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*options: str) -> bytes:
        assert main(["explain", TEXT, *options]) == 0
        return capfdbinary.readouterr().out

    assert b"\x1b" not in run()
    coloured = run("--color", "always")
    assert re.sub(rb"\x1b\[\d+m", b"", coloured) == run("--color", "never") == run()
    assert coloured != run()


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals there")
@pytest.mark.parametrize(
    ("more", "expected"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_colours_on_a_terminal(
    environment: dict[str, str], more: dict[str, str], expected: bool
) -> None:
    plain = {k: v for k, v in environment.items() if k != "NO_COLOR"}
    terminal = Terminal(["segmenter", "explain", TEXT], {**plain, "TERM": "xterm-256color", **more})
    assert ("\x1b[" in terminal.rest()) is expected


# --- interruption --------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals to send there")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_job_goes_on_after_an_interruption(
    tmp_path: Path, environment: dict[str, str], number: signal.Signals, code: int
) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("他说的确实在理，在2026年。\n" * 40_000 + "没有换行", "utf-8")
    second.write_text("研究生命起源\n" * 2_000_000, "utf-8")
    target, part = tmp_path / "out.txt", tmp_path / "out.txt.part"
    line = ["cut", "--resume", "-o", str(target), str(first), str(second)]
    with opened(line, environment) as process:
        deadline = time.monotonic() + 120
        while not (part.exists() and part.stat().st_size):
            assert time.monotonic() < deadline, "the first lines never came"
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(number)
        assert process.wait(timeout=60) == code
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert not target.exists()
    with part.open("ab") as file:  # as a crash may leave it
        file.write("研究 生".encode())
    done = part.read_bytes().count(b"\n")
    with opened(line, environment) as process:
        _, said = process.communicate(timeout=120)
    assert process.returncode == 0
    assert said.decode() == f"segmenter cut: going on after {done:,} lines\n"
    assert sorted(os.listdir(tmp_path)) == ["a.txt", "b.txt", "out.txt"]
    whole = tmp_path / "whole.txt"
    assert main(["cut", "-o", str(whole), str(first), str(second)]) == 0
    assert target.read_bytes() == whole.read_bytes()


def half(tmp_path: Path, *options: str) -> tuple[Path, list[str]]:
    """The part of an interrupted run, and the command line that made it."""
    source = tmp_path / "in.txt"
    source.write_bytes((TEXT + "\n").encode("gb18030") * 50)
    line = ["cut", "--resume", "--encoding", "gb18030", *options, str(source)]
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"\xff\n")
    target = tmp_path / "out.txt"
    assert main([*line, str(bad), "-o", str(target)]) == exits.BAD_DATA
    part = tmp_path / "out.txt.part"
    assert part.read_text("utf-8").count("\n") == 50
    return part, [*line, str(bad), "-o", str(target)]


def test_what_does_not_fit_is_refused(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    part, line = half(tmp_path)
    before = part.read_bytes()

    def refused(*arguments: str) -> str:
        assert main([*arguments]) == exits.BAD_USAGE
        assert part.read_bytes() == before
        return capfdbinary.readouterr().err.decode()

    capfdbinary.readouterr()
    assert "another sep" in refused(*line, "--json")
    assert "another sep" in refused(*line, "--sep", "/")
    assert "another segmenter" in refused(*line, "--preset", "fast")
    words = tmp_path / "words.txt"
    words.write_text("说的\n", "utf-8")
    assert "another segmenter" in refused(*line, "--user", str(words))
    assert "another errors" in refused(*line, "--errors", "replace")
    assert "another inputs" in refused(*line[:5], "-o", line[-1])
    os.utime(tmp_path / "in.txt", ns=(1, 1))
    assert "another inputs" in refused(*line)
    (tmp_path / "out.txt.part.json").write_text("{", "utf-8")
    assert "does not say what" in refused(*line)
    assert "name one with -o" in refused("cut", "--resume", line[4])
    assert "cannot be read again" in refused("cut", "--resume", "-o", line[-1])


@pytest.mark.skipif(sys.platform == "win32", reason="links ask for a right there")
def test_resume_writes_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("他说\n", "utf-8")
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "out.txt", tmp_path / "out.txt"
    real.write_text("old", "utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    assert main(["cut", "--resume", "-o", str(link), str(tmp_path / "in.txt")]) == 0
    assert link.is_symlink()
    assert real.read_text("utf-8") == "他 说\n"
    assert real.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path / "far") == ["out.txt"]


def test_resume_refuses_a_folder_before_the_work(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    source, folder = tmp_path / "in.txt", tmp_path / "out"
    source.write_text("他说\n", "utf-8")
    folder.mkdir()
    assert main(["cut", "--resume", "-o", str(folder), str(source)]) != 0
    assert str(folder).encode() in capfdbinary.readouterr().err
    assert sorted(os.listdir(tmp_path)) == ["in.txt", "out"]
    assert os.listdir(folder) == []


def test_a_mended_input_of_the_same_size_and_time_goes_on(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    part, line = half(tmp_path, "--json")
    bad = tmp_path / "bad.txt"
    then = bad.stat().st_mtime_ns
    bad.write_bytes(b"a\n")
    os.utime(bad, ns=(then, then))
    assert main(line) == 0
    assert "going on after 50 lines" in capfdbinary.readouterr().err.decode()
    rows = (tmp_path / "out.txt").read_text("utf-8").splitlines()
    assert [json.loads(row) for row in rows[49:]] == [["他", "说", "的", "确实", "在理"], ["a"]]
    assert not part.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no such locks there")
def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    from fcntl import LOCK_EX, flock

    from segmenter.cli.resume import resumed_target

    source = tmp_path / "in.txt"
    source.write_text("他\n", "utf-8")
    part = tmp_path / "out.txt.part"
    with part.open("ab") as other:
        flock(other, LOCK_EX)
        (tmp_path / "out.txt.part.json").write_text(
            json.dumps(
                {
                    "format": 1,
                    "inputs": [
                        {
                            "name": str(source),
                            "size": 4,
                            "changed": source.stat().st_mtime_ns,
                        }
                    ],
                }
            )
        )
        target = resumed_target(str(tmp_path / "out.txt"), [str(source)], {})
        with pytest.raises(ArgumentError, match="another run"):
            target.__enter__()


def test_skipping_counts_lines() -> None:
    cut = Skipping(lambda data: b"<" + data + b">", 3)
    assert [cut(b"a\n"), cut(b"b\nc"), cut(b"d\ne\n")] == [b"", b"", b"<d\ne\n>"]
    assert cut.left == 0

    def refuse(data: bytes) -> bytes:
        raise EncodingError("bad", data.index(b"\xff"))

    failing = Skipping(refuse, 1)
    with pytest.raises(EncodingError) as caught:
        failing(b"ab\nc\xff\n")
    assert caught.value.offset == 4
    assert failing.left == 1  # it can be called again with the bytes mended


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
            ready, _, _ = select([self.fd], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"{part!r} never came; what came: {self.seen!r}"
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


# what is typed, and what one TAB makes of it
COMPLETED = [
    ("segmenter tok", "segmenter tokenize "),
    ("segmenter build lex", "segmenter build lexicon "),
    ("segmenter cut --decoder bidi", "segmenter cut --decoder bidirectional-max "),
    ("segmenter cut --resu", "segmenter cut --resume "),
    ("segmenter completion fi", "segmenter completion fish "),
    ("segmenter cut in2", "segmenter cut in2026.txt "),
    ("segmenter cut -o in2", "segmenter cut -o in2026.txt "),
    ("segmenter train crf --trainer cr", "segmenter train crf --trainer crfsuite "),
    ("segmenter cut --standard nat", "segmenter cut --standard national "),
    ("segmenter cut --encoding gb1", "segmenter cut --encoding gb18030 "),
    ("segmenter bench --what fast,trig", "segmenter bench --what fast,trigram "),
    ("segmenter describe general-f", "segmenter describe general-fast "),
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
    terminal.send(f'eval "$(segmenter completion {name})"; echo re""ady\n')
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
    script = "segmenter completion fish | source\n" + "".join(
        f"complete -C {shlex.quote(line)}; echo =====\n" for line in lines
    )
    got = subprocess.run(
        [program, "--no-config", "-c", script],
        cwd=tmp_path,
        env={**environment, "HOME": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    answers = got.stdout.decode("utf-8").split("=====\n")
    for (typed, completed), answer in zip(COMPLETED, answers, strict=False):
        words = [row.split("\t")[0] for row in answer.splitlines()]
        assert words == [completed.split()[-1]], typed


def test_every_option_is_completed() -> None:
    flags = {
        (*command.path, flag)
        for command in commands()
        for option in command.options
        for flag in option.flags
    }
    assert ("cut", "--resume") in flags
    assert ("build", "lexicon", "--bigrams") in flags
    values = {
        (*command.path, option.flags[-1]): option.takes
        for command in commands()
        for option in command.options
    }
    assert values["cut", "--sep"] == "text"
    assert values["cut", "--user"] == "file"
    assert values["cut", "--json"] == ""
    assert values["cut", "--decoder"] == "choice"
