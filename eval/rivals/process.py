"""A segmenter in a process that runs ``runner.py``, watched for time and memory."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

HERE = Path(__file__).resolve().parent
#: Bytes of memory at which a process is ended.
MOST = 8 << 30


class Failed(Exception):
    """The segmenter raised an error, exited or was stopped; the message says which."""


class Process:
    """A segmenter in a process that answers requests.

    Args:
        command: the program that speaks the protocol.
        system: the entry of ``systems.toml``, sent first.
        folder: where the program runs.
        temporary: its ``TMPDIR``, for those that keep a cache there.
        path: its ``PYTHONPATH``.
        seconds: how long the start may take.

    Raises:
        Failed: it does not start.
    """

    def __init__(
        self,
        command: Sequence[str],
        system: Mapping[str, Any],
        folder: Path,
        temporary: Path,
        path: Path | None = None,
        seconds: float = 120,
    ) -> None:
        quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "GLOG_minloglevel": "3", "PYTHONUTF8": "1"}
        quiet |= {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary)}
        if path:
            quiet["PYTHONPATH"] = str(path)
        names = () if system.get("two") else ("OMP_NUM_THREADS", "MKL_NUM_THREADS")
        variables = dict.fromkeys(names, "1")  # a call of its own for two threads chooses itself
        self.ended = ""
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **quiet, **variables},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        try:
            self.ready = self.ask_raw(system, seconds)
        except Failed:
            self.close()
            raise

    def ask(self, do: str, limit: float = 900, **fields: Any) -> dict[str, Any]:
        """The answer to a request; `limit` is in seconds of processor.

        Raises:
            Failed: an error, a crash, or more seconds than `limit` or bytes than :data:`MOST`.
        """
        return self.ask_raw({"do": do, **fields}, limit)

    def ask_raw(self, request: Mapping[str, Any], limit: float) -> dict[str, Any]:
        assert self.process.stdin
        assert self.process.stdout
        finished = threading.Event()
        watch = threading.Thread(target=self._watch, args=(finished, limit))
        watch.start()
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            finished.set()
            watch.join()
        if not line:
            raise Failed(self.ended or how_it_ended(self.process.wait()))
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise Failed(without_folders(answer["error"]))
        return answer

    def _watch(self, finished: threading.Event, limit: float) -> None:
        before, since = self.seconds(), time.monotonic()
        status = Path(f"/proc/{self.process.pid}/statm")
        while not finished.wait(0.1):
            try:
                size = int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                took = self.seconds() - before
            except (OSError, IndexError):
                return
            if took > limit or time.monotonic() - since > 20 * limit:
                self.ended = f"not in {limit:.0f} s"
            elif size > MOST:
                self.ended = f"over {MOST >> 30} GB of memory"
            else:
                continue
            self.process.kill()
            return

    def seconds(self) -> float:
        """Processor time of the process in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """Ends the process and its children."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def without_folders(said: str) -> str:
    """A message with bare file names, so that it is the same on every machine.

    >>> without_folders("ValueError: /home/a/b/dict.txt: line 3")
    'ValueError: dict.txt: line 3'
    """
    return re.sub(r"(?<![\w.])/[^\s:'\"]*/", "", said)


def how_it_ended(code: int) -> str:
    """The meaning of a process's exit status.

    >>> how_it_ended(-11), how_it_ended(3)
    ('crash: SIGSEGV', 'ended with status 3')
    """
    return f"crash: {signal.Signals(-code).name}" if code < 0 else f"ended with status {code}"
