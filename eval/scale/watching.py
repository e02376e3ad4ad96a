"""A job under watch: the memory and time of its processes, killing one, its output's digest."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import threading
import time
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: Rows of a batch that is read.
ROWS = 20_000
#: What stands in the command line of the processes that work, by engine.
PROCESSES = {
    "cut": ("segmenter", "cut"),
    "Spark's Python": ("pyspark.daemon",),
    "Spark's Java": ("CoarseGrainedExecutorBackend",),
    "Ray": ("ray::", "Words"),
    "datatrove": ("multiprocess.forkserver",),
}


class Digest(NamedTuple):
    """What an output is, whatever the order of its lines: each line has a number of its own."""

    lines: int = 0
    size: int = 0
    sums: int = 0  # CRC-32 of every line

    def and_of(self, lines: Sequence[bytes]) -> Digest:
        """This and more lines."""
        return Digest(
            self.lines + len(lines),
            self.size + sum(map(len, lines)),
            self.sums + sum(map(zlib.crc32, lines)),
        )


def rows_of(folder: Path, name: str) -> Iterator[list[bytes]]:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    for path in sorted(folder.rglob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(ROWS, columns=[name]):
            column = batch.column(0)
            if name == "words":
                column = pc.binary_join(column, " ")
            texts = column.cast(pa.binary()).to_pylist()
            yield [line for text in texts for line in text.split(b" \n ")]  # of documents


def digest(output: Path) -> Digest:
    """The digest of a text file or of a folder of Parquet files."""
    got = Digest()
    if output.is_dir():
        for lines in rows_of(output, "words"):
            got = got.and_of(lines)
        return got
    with output.open("rb") as file:
        while lines := file.readlines(1 << 22):
            got = got.and_of([line.rstrip(b"\n") for line in lines])
    return got


def processes(words: Sequence[str]) -> list[int]:
    """Processes of ours whose command line has all of these words."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                command = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
                if entry.stat().st_uid == os.getuid() and all(word in command for word in words):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended meanwhile
    return found


def memory(pid: int) -> tuple[int, int]:
    """Megabytes of a process: all that is in memory, and what no other process shares."""
    values = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]:
        name, kilobytes = line.split()[:2]
        values[name] = int(kilobytes)
    own = values["Private_Clean:"] + values["Private_Dirty:"]
    return values["Rss:"] // 1000, own // 1000


def processor_times() -> dict[int, float]:
    """Processor seconds that this process and each that descends from it have had."""
    parents, seconds = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                # the name stands in brackets and may hold blanks
                fields = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            ticks = int(fields[11]) + int(fields[12])
            seconds[int(entry.name)] = ticks / os.sysconf("SC_CLK_TCK")
    found, old = {os.getpid()}, 0
    while len(found) > old:
        old = len(found)
        found |= {pid for pid, parent in parents.items() if parent in found}
    return {pid: seconds[pid] for pid in found}


class Watch(threading.Thread):
    """Looks at the working processes twice a second; kills one when it is told to."""

    def __init__(self, out: Path, kinds: Sequence[str], kill_after: float | None) -> None:
        super().__init__(daemon=True)
        self.out, self.kinds, self.kill_after = out, kinds, kill_after
        self.peak: dict[str, list[int]] = {}
        self.before = processor_times()
        self.times = dict(self.before)
        self.killed = 0
        self.ended = threading.Event()

    def run(self) -> None:
        begun = time.perf_counter()
        while not self.ended.wait(0.5):
            self.times.update(processor_times())
            for kind in self.kinds:
                alive = processes(PROCESSES[kind])
                for pid in alive:
                    try:
                        sizes = memory(pid)
                    except (OSError, KeyError):
                        continue
                    peak = self.peak.setdefault(kind, [0, 0])
                    peak[:] = map(max, peak, sizes)
            late = self.kill_after is not None and time.perf_counter() - begun > self.kill_after
            if late and not self.killed and alive and any(self.out.rglob("*.parquet")):
                self.killed = max(alive)  # of the last kind; the first may start the others
                os.kill(self.killed, signal.SIGKILL)


def run(
    work: Callable[[Path], None], out: Path, kinds: Sequence[str], kill_after: float | None = None
) -> dict[str, Any]:
    """Seconds, processor seconds, peaks of memory and digest of one job; its output is removed."""
    watch = Watch(out, kinds, kill_after)
    watch.start()
    children, before = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    work(out)
    seconds = time.perf_counter() - before
    watch.ended.set()
    watch.join()
    watch.times.update(processor_times())
    processor = sum(watch.times.values()) - sum(watch.before.values())
    # what ended between two looks is in the count of those that were waited for
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended_for = ended.ru_utime + ended.ru_stime - children.ru_utime - children.ru_stime
    processor = max(processor, ended_for)
    got = {"seconds": seconds, "processor": processor, "peak": watch.peak}
    got["digest"] = digest(out)._asdict()
    got["killed"] = bool(watch.killed)
    shutil.rmtree(out) if out.is_dir() else out.unlink()
    print(out.name, got, file=sys.stderr, flush=True)
    return got


def with_a_kill(work: Callable[[Path], None], out: Path, kinds: Sequence[str], usual: float) -> Any:
    """A job with a worker killed when it has written something and 0.4 of its usual time is over.

    Raises:
        AssertionError: it ended before, however early the worker was to be killed.
    """
    for share in (0.4, 0.2, 0.0):
        got = run(work, out, kinds, share * usual)
        if got["killed"]:
            return got
    raise AssertionError(f"{out.name}: ended before a worker was killed")
