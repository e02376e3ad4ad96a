"""``python -m eval.clusters``: what a terabyte costs by Spark, Ray and datatrove, reckoned.

Raw text in Parquet files is read, cut and written as Parquet (snappy), by Spark, by Ray Data and by
datatrove's local executor, with one worker and with two; with two a worker is killed in the middle.
Beside them ``segmenter cut``, and jieba in a process of its own.  Outputs must have one digest.
From the processor seconds come core-hours and euros per terabyte.
Results: ``eval/results/clusters.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.scale import __main__ as scale
from eval.scale.watching import ROWS, run, with_a_kill
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: Of the folder with the text, and workers: what writes its output.
    Job = Callable[[Path, int], Callable[[Path], None]]

FILES, PRESET = scale.FILES, scale.PRESET
#: Lines of a document of datatrove: pages are longer than lines.
LINES = 20
#: Seconds without a finished task after which datatrove's executor is taken to hang.
STALLED = 60
#: Euros of a core-hour: an assumption, ``--euros``.
EUROS = 0.04
#: Times that the part is smaller whose cost is that of starting and little more.
LESS = 10


def documents(folder: Path, out: Path) -> None:
    """The lines of a folder's files, so many to a document."""
    import pyarrow.parquet as pq

    out.mkdir()
    for path in sorted(folder.iterdir()):
        lines = pq.read_table(path)["text"].to_pylist()
        texts = ["\n".join(lines[k : k + LINES]) for k in range(0, len(lines), LINES)]
        scale.write(out / path.name, texts, ROWS // LINES)


def by_command(source: Path, workers: int) -> Callable[[Path], None]:
    return lambda out: scale.by_command(source.with_suffix(".txt"), out, workers)


def by_spark(session: Any) -> Job:
    from segmenter.adapters import spark

    held = session.sparkContext.broadcast(load_by_name(PRESET))

    def job(source: Path, workers: int) -> Callable[[Path], None]:
        made = spark.add_words(session.read.parquet(str(source)), "text", held).select("words")
        return lambda out: made.write.parquet(str(out))

    return job


def by_ray(source: Path, workers: int) -> Callable[[Path], None]:
    import ray

    from segmenter.adapters import ray as adapter

    def work(out: Path) -> None:
        data = ray.data.read_parquet(str(source))
        s = load_by_name(PRESET)
        made = adapter.add_words(data, "text", s, workers=workers, batch_size=ROWS)
        made.select_columns(["words"]).write_parquet(str(out))

    return work


def executor(source: str, out: str, logs: str, workers: int) -> None:
    """Runs datatrove's executor over the tasks that are not done yet; a process of its own."""
    import pyarrow as pa
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import ParquetReader
    from datatrove.pipeline.writers import ParquetWriter
    from datatrove.utils.logging import logger

    os.setsid()
    logger.remove()
    schema = pa.schema([("words", pa.list_(pa.string()))])
    writer = ParquetWriter(out, adapter=words_alone, schema=schema)
    pipeline = [ParquetReader(source), add_words, writer]
    LocalPipelineExecutor(pipeline, tasks=FILES, workers=workers, logging_dir=logs).run()


def add_words(data: Any, rank: int = 0, world_size: int = 1) -> Any:
    """A step of datatrove."""
    s = load_by_name(PRESET)
    for document in data:
        document.metadata["words"] = s.cut(document.text)
        yield document


def words_alone(_: Any, document: Any) -> dict[str, Any]:
    return {"words": document.metadata["words"]}


def by_datatrove(source: Path, workers: int) -> Callable[[Path], None]:
    """Starts the executor again where it hangs, which it does once a worker was killed."""

    def work(out: Path) -> None:
        logs = out.with_suffix(".logs")
        asked = (str(source.with_suffix(".documents")), str(out), str(logs), workers)
        runs = 0
        while True:
            runs += 1
            child = multiprocessing.get_context("spawn").Process(target=executor, args=asked)
            child.start()
            done, since = -1, time.monotonic()
            while child.is_alive() and time.monotonic() - since < STALLED:
                child.join(0.2)
                now = len(list(logs.glob("completions/*")))
                if now != done:
                    done, since = now, time.monotonic()
            if child.exitcode == 0:
                break
            print(f"{out.name}: {done} of {FILES} tasks done, then nothing", file=sys.stderr)
            if child.is_alive():
                assert child.pid is not None
                os.killpg(child.pid, signal.SIGKILL)
            child.join()
            if runs == 3:
                raise AssertionError(f"{out.name}: datatrove did not end in three runs")
        shutil.rmtree(logs)

    return work


def system(name: str, job: Job, kinds: Sequence[str], workers: int, given: Folders) -> Any:
    """What one system does with so many workers."""
    got = {}
    got["all"] = run(job(given.even, workers), given.out(f"{name}-{workers}"), kinds)
    if workers == 2:
        got["part"] = run(job(given.part, workers), given.out(f"{name}-part"), kinds)
        if name != "cut":
            killed, usual = given.out(f"{name}-killed"), got["all"]["seconds"]
            got["killed"] = with_a_kill(job(given.even, workers), killed, kinds, usual)
    return got


def alone(text: Path) -> dict[str, float]:
    """Processor seconds per megabyte of the lists of words of lines, by us and by jieba."""
    import jieba

    jieba.initialize()
    lines = text.read_text("utf-8").split("\n")
    size = sum(len(line.encode()) for line in lines) / 1e6
    got = {}
    for name, cut in (("ours", load_by_name(PRESET).cut), ("jieba", jieba.lcut)):
        before = time.process_time()
        for line in lines:
            cut(line)
        got[name] = (time.process_time() - before) / size
    return got


class Folders:
    """The corpora (Parquet files of lines, the same as text and as documents), and the outputs."""

    def __init__(self, scratch: Path, raw: Path, total: float) -> None:
        self.scratch, self.even, self.part = scratch, scratch / "even", scratch / "part"
        self.size = scale.make(self.even, scale.raw_lines(raw), total, skewed=False)
        self.part_size = scale.make(self.part, scale.raw_lines(raw), total / LESS, skewed=False)
        for folder in (self.part, self.even):
            self.rows = scale.as_text(folder, folder.with_suffix(".txt"))
            documents(folder, folder.with_suffix(".documents"))

    def out(self, name: str) -> Path:
        return self.scratch / (name + ".txt" if name.startswith("cut") else name)


def measure(given: Folders) -> dict[str, Any]:
    """All systems, with one worker and with two; digests must agree.

    Raises:
        AssertionError: a system wrote other words than another.
    """
    got: dict[str, Any] = {"cut": {}, "datatrove": {}, "Ray": {}, "Spark": {}}
    for workers in (1, 2):
        got["cut"][workers] = system("cut", by_command, ["cut"], workers, given)
        got["datatrove"][workers] = system("datatrove", by_datatrove, ["datatrove"], workers, given)
    with scale.ray_cluster(2):
        for workers in (1, 2):
            got["Ray"][workers] = system("Ray", by_ray, ["Ray"], workers, given)
    for workers in (1, 2):
        with scale.spark_session(workers) as session:
            kinds = ["Spark's Python", "Spark's Java"]
            got["Spark"][workers] = system("Spark", by_spark(session), kinds, workers, given)
    for names in (("all", "killed"), ("part",)):
        digests = [
            figures[name]["digest"]
            for by_workers in got.values()
            for figures in by_workers.values()
            for name in names
            if name in figures
        ]
        if any(d != digests[0] for d in digests):
            raise AssertionError(f"{names[0]}: outputs differ: {digests}")
    return got


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.clusters", description="A terabyte by Spark, Ray and datatrove."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--euros", type=float, default=EUROS, help="of a core-hour")
    parser.add_argument("--folder", metavar="DIR", help="where the scratch folder is made")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    about = common.facts(["pyspark", "ray", "datatrove", "pyarrow", "jieba"])
    scratch = Path(tempfile.mkdtemp(prefix="clusters-", dir=given.folder))
    try:
        folders = Folders(scratch, common.data_dir(given.data) / "raw", given.megabytes * 1e6)
        sizes = {"bytes": folders.size, "part": folders.part_size, "rows": folders.rows}
        data = {
            **about, **sizes, "euros": given.euros, "load": os.getloadavg()[0],
            "alone": alone(folders.part.with_suffix(".txt")), "systems": measure(folders),
        }  # fmt: skip
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    report = render(data)
    print(report)
    if not given.dry:
        common.write("clusters", report, data)
    return 0


def render(data: Any) -> str:
    """The report of the figures."""
    size, part, systems = data["bytes"] / 1e6, data["part"] / 1e6, data["systems"]
    more = data["alone"]["jieba"] - data["alone"]["ours"]
    measured, killed, costs = [], [], []
    for name, by_workers in systems.items():
        one, two = by_workers[1]["all"], by_workers[2]["all"]
        for workers, job in ((1, one), (2, two)):
            measured.append(
                [
                    name, workers, f"{job['seconds']:.0f}", f"{size / job['seconds']:.1f}",
                    f"{one['seconds'] / job['seconds']:.2f}", f"{job['processor']:.1f}",
                    f"{size / job['processor']:.1f}",
                ]
            )  # fmt: skip
        fewer = by_workers[2]["part"]["processor"]
        own = (two["processor"] - fewer) / (size - part)
        costs.append(
            [
                name,
                f"{own:.3f}",
                *reckoned(own, data["euros"]),
                *reckoned(own + more, data["euros"]),
            ]
        )
        if name == "cut":
            continue
        lost = by_workers[2]["killed"]
        again = lost["processor"] / two["processor"] - 1
        killed.append(
            [
                name, f"{two['seconds']:.0f}", f"{lost['seconds']:.0f}", f"{two['processor']:.1f}",
                f"{lost['processor']:.1f}", f"{100 * again:.0f}%",
            ]
        )  # fmt: skip
    return "\n".join(
        [
            common.heading("A terabyte by Spark, Ray, datatrove", data, "python -m eval.clusters"),
            f"{data['rows']:,} lines of raw text, {size:,.0f} MB of UTF-8; preset `{PRESET}`, all "
            "on one machine of two cores, whose load was "
            f"{data['load']:.1f} before; processor seconds depend on that less than seconds. The "
            f"engines read {FILES} Parquet files, cut, and write the words as Parquet (snappy); "
            f"datatrove's local executor a document of {LINES} lines at a time, the others columns "
            "of lines; the command reads and writes text. Processor seconds are those of all "
            "processes of a job.\n",
            "Every job wrote the same words (lines, bytes and the sum of all lines' CRC-32), those "
            "with a killed worker too.\n",
            common.table(
                (
                    "system", "workers", "s", "MB/s", "times one worker", "processor s",
                    "MB per processor s",
                ),
                measured,
            ),
            "",
            "## What a lost worker costs\n",
            "SIGKILL to one of two workers, 0.4 of the usual time into the job (Spark: an "
            "executor's Java process with its Python; Ray: an actor; datatrove: a process of its "
            "pool).\n",
            common.table(
                ("system", "s", "with a kill", "processor s", "with a kill", "more"), killed
            ),
            "",
            "datatrove does not end by itself: its pool waits for the lost task for ever. After "
            f"{STALLED} s without a finished task the job was ended and started again, which by "
            "datatrove's own record of finished tasks does the unfinished ones alone; the wait is "
            "in the seconds.\n",
            "## Core-hours and euros of a terabyte (reckoned)\n",
            f"Processor seconds of two workers on {size:.0f} MB less those on {part:.0f} MB, for "
            f"the {size - part:.0f} MB between: what starting takes falls out; reading, writing "
            "and compression are in it, waiting for storage and network is not. Times 10^6 MB, "
            f"divided by 3,600; {data['euros']:.2f} euros a core-hour are an assumption "
            "(`--euros` takes "
            "yours). With jieba: what it takes longer than we in a process of its own, "
            f"{data['alone']['jieba']:.2f} against {data['alone']['ours']:.3f} processor seconds a "
            "MB, added.\n",
            common.table(
                (
                    "system", "processor s per MB", "core-hours per TB", "euros",
                    "with jieba: core-hours", "euros",
                ),
                costs,
            ),
        ]
    )  # fmt: skip


def reckoned(seconds: float, euros: float) -> list[str]:
    """Core-hours and euros per terabyte, from processor seconds per megabyte."""
    hours = seconds * 1e6 / 3600
    return [f"{hours:,.0f}", f"{hours * euros:.2f}"]


if __name__ == "__main__":
    sys.exit(main())
