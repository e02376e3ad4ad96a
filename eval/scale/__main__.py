"""``python -m eval.scale``: 1 GB of raw text by Spark and by Ray, beside ``segmenter cut -j 2``.

The raw text of the corpora, again and again, every line behind its number, so that no line comes
twice; in Parquet files for the engines, in one text file for the command.  Each engine reads the
files, adds the column of words and writes Parquet: with files of one size, and with half of all
text in one file (``eval.clusters`` kills workers and reckons costs).  Every output must have the
same digest.  In their workers the adapters are timed beside ``cut_column`` on the same batches, by
processor time.
Results: ``eval/results/scale.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import lzma
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.scale.watching import ROWS, rows_of, run
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

FILES, WORKERS, PRESET = 16, 2, "balanced"
#: Bytes that the adapters are timed on in the workers.
TIMED = 100e6


def raw_lines(folder: Path) -> Iterator[str]:
    """Lines of the raw text, in the order of the files' names, without end."""
    paths = sorted(folder.glob("*.txt.xz"))
    if not paths:
        raise FileNotFoundError(f"{folder}: no *.txt.xz")
    while True:
        for path in paths:
            with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
                for line in file:
                    if text := line.rstrip("\r\n"):
                        yield text


def make(folder: Path, lines: Iterator[str], total: float, skewed: bool) -> int:
    """Writes `FILES` Parquet files, skewed ones with half of all in the first; the bytes.

    The lines are the same either way.
    """
    folder.mkdir()
    number = written = 0
    for k in range(FILES):
        share = 0.5 + 0.5 * k / (FILES - 1) if skewed else (k + 1) / FILES
        until = total if k + 1 == FILES else total * share
        texts = []
        while written < until:
            number += 1
            texts.append(f"{number}\t{next(lines)}")
            written += len(texts[-1].encode()) + 1
        # one group of rows per file: what an engine does not part is skew
        write(folder / f"{k:02}.parquet", texts, len(texts) if skewed else ROWS)
    return written


def write(path: Path, texts: list[str], rows: int) -> None:
    """One Parquet file with so many rows to a group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": texts}), path, row_group_size=rows)


def as_text(folder: Path, file: Path) -> int:
    """The rows of a folder as lines of one file; how many."""
    count = 0
    with file.open("wb") as out:
        for texts in rows_of(folder, "text"):
            out.writelines(line + b"\n" for line in texts)
            count += len(texts)
    return count


def by_command(text: Path, out: Path, workers: int = WORKERS) -> None:
    """``segmenter cut -j 2``."""
    command = [sys.executable, "-m", "segmenter", "cut", "--quiet", "--preset", PRESET]
    path = os.pathsep.join([str(common.ROOT), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [*command, "-j", str(workers), str(text), "-o", str(out)],
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def side_by_side(batch: Any, number: int) -> dict[str, float]:
    """Processor seconds of ``cut_column`` and of every adapter on one batch, in turns."""
    import numpy as np
    import pyarrow as pa

    from segmenter.adapters import arrow
    from segmenter.columns import cut_column

    s = load_by_name(PRESET)
    column = batch.column("text")
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    _, offsets, data = column.buffers()
    kind = np.int64 if pa.types.is_large_string(column.type) else np.int32
    places = np.frombuffer(offsets, kind, len(column) + 1, column.offset * np.dtype(kind).itemsize)
    ways: dict[str, Callable[[], Any]] = {"cut_column": lambda: cut_column(s, data, places)}
    if isinstance(batch, pa.Table):
        from segmenter.adapters import ray

        words = ray.Words("text", s)
        ways["ray.add_words"] = lambda: words(batch)
    else:
        from segmenter.adapters import spark

        made = arrow.AddWords("text", s)
        series = column.to_pandas()
        ways["spark.add_words"] = lambda: list(spark._batches(iter([batch]), made))
        ways["spark.words_udf"] = lambda: list(spark._arrays(iter([column]), s))
        ways["spark.words_udf, before Spark 4.1"] = lambda: [
            pa.array(lists) for lists in spark._series(iter([series]), s)
        ]
    names = list(ways)
    got = {}
    for k in range(len(names)):
        name = names[(k + number) % len(names)]
        before = time.thread_time()
        ways[name]()
        got[name] = time.thread_time() - before
    return got


def timed(batches: Iterator[Any]) -> Iterator[Any]:
    """Batches of text to one row each per way and seconds; runs in workers."""
    import pyarrow as pa

    for number, batch in enumerate(batches):
        for name, seconds in side_by_side(batch, number).items():
            yield pa.RecordBatch.from_pydict({"way": [name], "seconds": [seconds]})


@contextmanager
def spark_session(workers: int) -> Iterator[Any]:
    """A local cluster: a master, and workers with a process each."""
    import pyspark

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    path = os.pathsep.join([str(common.ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ["PYTHONPATH"] = path
    os.environ["PYSPARK_PYTHON"] = sys.executable  # and not the path's python3
    session = (
        pyspark.sql.SparkSession.builder.master(f"local-cluster[{workers},1,2048]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", path)
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", str(ROWS))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    application = session.sparkContext.applicationId
    try:
        yield session
    finally:
        session.stop()
        shutil.rmtree(Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)


@contextmanager
def ray_cluster(workers: int) -> Iterator[None]:
    """Ray on this machine."""
    import ray

    # CPUs are what Ray counts, not cores: its actors would leave none for reading
    path = os.pathsep.join([str(common.ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ.setdefault("RAY_worker_niceness", "0")  # Ray's 15 would give way to everything
    ray.init(
        num_cpus=2 * workers, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
        object_store_memory=2_000_000_000, runtime_env={"env_vars": {"PYTHONPATH": path}},
    )  # fmt: skip
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield
    finally:
        ray.shutdown()


def by_spark(session: Any, folder: Path, skewed: Path, scratch: Path, part: Path) -> dict[str, Any]:
    """All that Spark does."""
    from segmenter.adapters import spark

    held = session.sparkContext.broadcast(load_by_name(PRESET))

    def job(source: Path, parted: bool = False) -> Callable[[Path], None]:
        def work(out: Path) -> None:
            frame = session.read.parquet(str(source))
            if parted:
                frame = frame.repartition(FILES)
            spark.add_words(frame, "text", held).select("words").write.parquet(str(out))

        return work

    kinds = ["Spark's Python", "Spark's Java"]
    rows = session.read.parquet(str(part)).mapInArrow(timed, "way string, seconds double")
    sums = {r["way"]: r["sum(seconds)"] for r in rows.groupBy("way").sum("seconds").collect()}
    got = {"even": run(job(folder), scratch / "spark-even", kinds)}
    got["skewed"] = run(job(skewed), scratch / "spark-skewed", kinds)
    got["skewed, then repartition"] = run(job(skewed, True), scratch / "spark-parted", kinds)
    return {"jobs": got, "in a worker": sums}


def by_ray(folder: Path, skewed: Path, scratch: Path, part: Path) -> dict[str, Any]:
    """All that Ray does."""
    import pyarrow as pa
    import ray

    from segmenter.adapters import ray as adapter

    def job(source: Path) -> Callable[[Path], None]:
        def work(out: Path) -> None:
            data = ray.data.read_parquet(str(source))
            made = adapter.add_words(
                data, "text", load_by_name(PRESET), workers=WORKERS, batch_size=ROWS
            )
            made.select_columns(["words"]).write_parquet(str(out))

        return work

    def count(table: Any) -> Any:
        return pa.Table.from_batches(list(timed(iter([table]))))

    rows = ray.data.read_parquet(str(part)).map_batches(
        count, batch_format="pyarrow", batch_size=ROWS, concurrency=WORKERS
    )
    sums: dict[str, float] = {}
    for row in rows.take_all():
        sums[row["way"]] = sums.get(row["way"], 0.0) + row["seconds"]
    got = {"even": run(job(folder), scratch / "ray-even", ["Ray"])}
    got["skewed"] = run(job(skewed), scratch / "ray-skewed", ["Ray"])
    return {"jobs": got, "in a worker": sums}


def measure(scratch: Path, raw: Path, total: float) -> dict[str, Any]:
    """Makes the corpora and runs everything; digests must agree.

    Raises:
        AssertionError: an engine wrote other words than another.
    """
    even, skewed, part, text = (scratch / n for n in ("even", "skewed", "part", "text.txt"))
    size = make(even, raw_lines(raw), total, skewed=False)
    make(skewed, raw_lines(raw), total, skewed=True)
    make(part, raw_lines(raw), min(total, TIMED), skewed=False)
    rows = as_text(even, text)
    got: dict[str, Any] = {"bytes": size, "rows": rows}
    got["cut"] = run(lambda out: by_command(text, out), scratch / "cut.txt", ["cut"])
    with spark_session(WORKERS) as session:
        got["Spark"] = by_spark(session, even, skewed, scratch, part)
    with ray_cluster(WORKERS):
        got["Ray"] = by_ray(even, skewed, scratch, part)
    got["cut again"] = run(lambda out: by_command(text, out), scratch / "cut.txt", ["cut"])
    expected = got["cut"]["digest"]
    for engine in ("Spark", "Ray"):
        for name, job in got[engine]["jobs"].items():
            if job["digest"] != expected:
                raise AssertionError(f"{engine}, {name}: {job['digest']}, not {expected}")
    return got


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.scale", description="Raw text by Spark and Ray on two workers."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--megabytes", type=float, default=1000)
    parser.add_argument("--folder", metavar="DIR", help="where the scratch folder is made")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    about = common.facts(["pyspark", "ray", "pyarrow"])
    scratch = Path(tempfile.mkdtemp(prefix="scale-", dir=given.folder))
    try:
        raw = common.data_dir(given.data) / "raw"
        data = {**about, **measure(scratch, raw, given.megabytes * 1e6)}
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    report = render(data)
    print(report)
    if not given.dry:
        common.write("scale", report, data)
    return 0


def render(data: Any) -> str:
    """The report of the figures."""
    size = data["bytes"] / 1e6
    cut = min(data["cut"]["processor"], data["cut again"]["processor"])

    def row(name: str, job: Any) -> list[str]:
        peaks = [f"{kind} {a:,} ({b:,})" for kind, (a, b) in job["peak"].items()]
        seconds, processor = job["seconds"], job["processor"]
        return [
            name,
            ", ".join(peaks),
            f"{seconds:.0f}",
            f"{size / seconds:.1f}",
            f"{processor:.0f}",
            f"{size / processor:.1f}",
            f"{processor / cut:.1f}",
        ]

    rows = [row(f"`segmenter cut -j {WORKERS}`", data["cut"])]
    rows.append(row("the same, after all others", data["cut again"]))
    workers = []
    for engine in ("Spark", "Ray"):
        rows += [row(f"{engine}, {name}", job) for name, job in data[engine]["jobs"].items()]
        sums = data[engine]["in a worker"]
        workers += [
            [f"`{name}`", f"{seconds / sums['cut_column']:.2f}"]
            for name, seconds in sorted(sums.items())
            if name != "cut_column"
        ]
    return "\n".join(
        [
            common.heading("Raw text through Spark and Ray", data, "python -m eval.scale"),
            f"{data['rows']:,} lines of raw text, each behind its number, {size:,.0f} MB of UTF-8; "
            f"preset `{PRESET}`, {WORKERS} workers, all on one machine. The engines read {FILES} "
            "Parquet files, add the column of words and write it as Parquet; the command reads "
            "and writes text. *Skewed*: half of all text is one file with one group of rows.\n",
            "Every job wrote the same words (lines, bytes and the sum of all lines' CRC-32).\n",
            common.table(
                (
                    "job",
                    "peak per worker, MB (its own)",
                    "s",
                    "MB/s",
                    "processor s",
                    "MB per processor s",
                    "times `cut`",
                ),
                rows,
                2,
            ),
            "- Processor seconds are those of all processes of a job together; the last column is "
            "their ratio: they depend less on what else the machine does than seconds.",
            "- Memory: the most that one process held; in brackets without what it shares (Ray: "
            "the store's pages; the mapped model).",
            "- Engines are slower for reading and writing Parquet, copies between Java and "
            "Python or by way of the store, and their own processes on the same two cores.\n",
            "## In a worker\n",
            f"Processor time of the adapter divided by that of `cut_column`, on the same batches "
            f"of {ROWS:,} rows in the same process in turns ({min(size, TIMED / 1e6):.0f} MB):\n",
            common.table(("adapter", "times `cut_column`"), workers),
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
