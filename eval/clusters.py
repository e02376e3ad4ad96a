"""``python -m eval.clusters``: a corpus cut by Spark and by Ray, two workers, beside one process.

The text is lines of the national corpus, drawn again and again by a seed until there are so many
megabytes, in Parquet files in a folder of scratch.  Every system reads the files, adds the column
of words, brings it to where its rows are, and counts the words there; the counts must agree.
Results: ``eval/results/clusters.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SEED, FILES, WORKERS, RUNS = 20261121, 16, 2, 2
MEGABYTES = 220
PRESET = "balanced"


def make(folder: Path, lines: Sequence[str], megabytes: float) -> tuple[int, int]:
    """Writes the corpus; rows and bytes of UTF-8."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pick = random.Random(SEED)
    rows = total = 0
    for number in range(FILES):
        texts, size = [], 0
        while size < megabytes * 1e6 / FILES:
            texts.append(pick.choice(lines))
            size += len(texts[-1].encode())
        pq.write_table(
            pa.table({"text": texts}), folder / f"part-{number:02}.parquet", row_group_size=20_000
        )
        rows += len(texts)
        total += size
    return rows, total


def one_process(folder: Path, threads: int) -> int:
    """Words of the corpus, by pyarrow alone."""
    import pyarrow.parquet as pq

    from segmenter.adapters import arrow

    s = load_by_name(PRESET)
    count = 0
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(20_000):
            count += len(arrow.cut(batch["text"], s, threads=threads).flatten())
    return count


def spark_session() -> Any:
    """A local cluster: a master, and two workers with a process each."""
    from pyspark.sql import SparkSession

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    path = os.pathsep.join([str(common.ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ["PYTHONPATH"] = path
    os.environ["PYSPARK_PYTHON"] = sys.executable  # and not the path's python3
    session = (
        SparkSession.builder.master(f"local-cluster[{WORKERS},1,2048]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", path)
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


def by_spark(session: Any, folder: Path, way: str) -> int:
    """Words of the corpus; ``way`` is mapInArrow or pandas_udf."""
    from pyspark.sql import functions

    from segmenter.adapters import spark

    s = session.sparkContext.broadcast(load_by_name(PRESET))
    frame = session.read.parquet(str(folder))
    if way == "mapInArrow":
        made = spark.add_words(frame, "text", s)
    else:
        made = frame.select(spark.words_udf(s)("text").alias("words"))
    return int(made.select(functions.sum(functions.size("words"))).first()[0])


def by_ray(folder: Path) -> int:
    """Words of the corpus."""
    import ray

    from segmenter.adapters import ray as adapter

    def counted(table: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        return pa.table({"n": [pc.sum(pc.list_value_length(table["words"])).as_py() or 0]})

    data = ray.data.read_parquet(str(folder))
    made = adapter.add_words(data, "text", load_by_name(PRESET), workers=WORKERS, batch_size=20_000)
    return int(made.map_batches(counted, batch_format="pyarrow", num_cpus=0).sum("n"))


def timed(runs: int, count: Callable[[], int]) -> tuple[list[float], int]:
    """Seconds of each run, and the words."""
    out, words = [], 0
    for _ in range(runs):
        before = time.perf_counter()
        words = count()
        out.append(time.perf_counter() - before)
    return out, words


def measure(folder: Path) -> dict[str, dict[str, Any]]:
    """Seconds to start and of each run, by system."""
    got: dict[str, dict[str, Any]] = {}

    def add(name: str, start: float, count: Callable[[], int], runs: int = RUNS) -> None:
        seconds, words = timed(runs, count)
        got[name] = {"start": start, "seconds": seconds, "words": words}
        print(name, got[name], file=sys.stderr, flush=True)

    add("one process, 1 thread", 0.0, partial(one_process, folder, 1))
    add("one process, 2 threads", 0.0, partial(one_process, folder, 2))
    before = time.perf_counter()
    session = spark_session()
    start = time.perf_counter() - before
    for way in ("mapInArrow", "pandas_udf"):
        add(f"Spark, {WORKERS} workers, {way}", start, partial(by_spark, session, folder, way))
    application = session.sparkContext.applicationId
    session.stop()
    import pyspark

    shutil.rmtree(Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)
    before = time.perf_counter()
    import ray

    # CPUs are what Ray counts, not cores: its actors would leave none for reading
    ray.init(
        num_cpus=2 * WORKERS, include_dashboard=False, log_to_driver=False, logging_level="ERROR"
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    start = time.perf_counter() - before
    add(f"Ray Data, {WORKERS} actors", start, partial(by_ray, folder))
    ray.shutdown()
    return got


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(
        prog="python -m eval.clusters", description="Spark and Ray Data on two workers."
    )
    parser.add_argument("--data", metavar="DIR", help="folder of the corpora")
    parser.add_argument("--megabytes", type=float, default=MEGABYTES)
    parser.add_argument("--folder", metavar="DIR", help="scratch; kept, and used again if filled")
    parser.add_argument("--dry", action="store_true", help="print only, write no file")
    given = parser.parse_args(arguments)
    about = common.facts(["pyspark", "ray", "pyarrow", "pandas"])
    folder = Path(given.folder or tempfile.mkdtemp(prefix="clusters-"))
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    try:
        sizes = folder / "sizes.txt"
        if not sizes.exists():
            lines = common.national_lines(common.data_dir(given.data))
            made = make(corpus, [line for line in lines if line], given.megabytes)
            sizes.write_text(f"{made[0]} {made[1]}", "utf-8")
        rows, size = map(int, sizes.read_text("utf-8").split())
        got = measure(corpus)
    finally:
        if not given.folder:
            shutil.rmtree(folder, ignore_errors=True)
    words = {figures["words"] for figures in got.values()}
    if len(words) != 1:
        raise AssertionError(f"the systems count different words: {got}")
    data = {**about, "bytes": size, "rows": rows, "systems": got}
    report = render(data)
    print(report)
    if not given.dry:
        common.write("clusters", report, data)
    return 0


def render(data: Any) -> str:
    """The report of the figures."""
    size, got = data["bytes"] / 1e6, data["systems"]
    one = got["one process, 1 thread"]["seconds"][-1]
    table = [
        [
            name,
            f"{f['start']:.0f}" if f["start"] else "–",
            f"{f['seconds'][0]:.1f}",
            f"{f['seconds'][-1]:.1f}",
            f"{size / f['seconds'][-1]:.0f}",
            f"{one / f['seconds'][-1]:.2f}",
        ]
        for name, f in got.items()
    ]
    spark = got[f"Spark, {WORKERS} workers, mapInArrow"]["seconds"]
    core = size / spark[-1] / WORKERS
    return "\n".join(
        [
            common.heading("Spark and Ray Data on two workers", data, "python -m eval.clusters"),
            f"{data['rows']:,} lines drawn from the national corpus (seed {SEED}), {size:.0f} MB "
            f"of UTF-8 in {FILES} Parquet files, preset `{PRESET}`: read, cut, the column of words "
            f"brought back, {got['one process, 1 thread']['words']:,} words counted; every system "
            "counts the same. All of it on one machine: two workers share its two cores with the "
            "driver, the Java processes and the store.\n",
            common.table(
                (
                    "system",
                    "to start, s",
                    "first run, s",
                    "second run, s",
                    "MB/s",
                    "times one process",
                ),
                table,
            ),
            "- The first run has the start of the workers' Python processes and the mapping of the "
            "model in it (each once per worker), the second has not.",
            "- `mapInArrow` and Ray hand over Arrow columns; `pandas_udf` makes Python strings of "
            "rows and words, and is for expressions and SQL.",
            "- On one machine a process of one's own is the fastest by far: no copy between Java "
            "and Python, no store. A cluster pays where the text lies on one, or where one machine "
            "is too slow.\n",
            "## What to expect at a hundred machines\n",
            "Not measured; this is what follows from the figures above and from how it works.\n",
            "- Nothing is shared and nothing is shuffled: rows are cut where they lie, so the rate "
            f"grows with the cores. Spark's second run did {core:.0f} MB/s a core, on cores that "
            "Java and the driver used as well; a hundred machines of 16 cores would come to "
            f"{core * 1600 / 1000:.0f} GB/s, more than most storage delivers. Expect to wait for "
            "reading and for writing the words, which are larger than the text by an offset of 4 "
            "bytes each.",
            f"- The fixed cost was {spark[0] - spark[-1]:.0f} s for the first job (Python's start, "
            "imports, code of Spark's own, the model). It is paid on all workers at the same time, "
            "so jobs of less than some minutes gain little.",
            "- The model is a file of the installed package, mapped read-only: the workers of a "
            "machine share its pages. Install the same version everywhere; a Segmenter that is "
            "unpickled where the models differ says so instead of cutting otherwise.",
            "- A user dictionary travels with the Segmenter's pickle; broadcast it where it is "
            "large.",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
