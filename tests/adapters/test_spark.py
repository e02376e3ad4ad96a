"""PySpark for real: a local cluster of two workers, each a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pages import run_page
from places import ROOT

from segmenter import ArgumentError, load

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: extra [spark]")
pytest.importorskip("pandas", reason="pandas is not installed: extra [spark]")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: extra [spark]")
from segmenter.adapters import spark as adapter  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = ["他说的确实在理", None, "", "买了iPhone 15", "我们 🙂\n在理"]
FAST = load("fast")


def java() -> str | None:
    """Why no Spark can start here; None if it can."""
    home = os.environ.get("JAVA_HOME")
    program = f"{home}/bin/java" if home else shutil.which("java")
    if not program:
        return "no Java is installed"
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    return None if version and int(version[1]) >= 17 else "Spark needs Java 17 or newer"


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    why = java()
    if why:
        pytest.skip(why)
    from pyspark.sql import SparkSession

    patch = pytest.MonkeyPatch()
    patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    patch.setenv("PYTHONPATH", path)
    # without it the workers are the python3 of the path, which may be another environment's
    patch.setenv("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # Spark's about new versions of pandas
        spark = (
            SparkSession.builder.master("local-cluster[2,1,1024]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.executorEnv.PYTHONPATH", path)
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        yield spark
    application = spark.sparkContext.applicationId
    spark.stop()
    patch.undo()
    shutil.rmtree(Path(pyspark.__file__).parent / "work" / application, ignore_errors=True)


@pytest.fixture(scope="module")
def frame(session: Any) -> Any:
    rows = [(n, ROWS[n % 5]) for n in range(20)]
    return session.createDataFrame(rows, "n int, text string").repartition(4)


def by_number(rows: list[Any]) -> list[Any]:
    return [row["w"] for row in sorted(rows, key=lambda row: row["n"])]


def test_words_of_a_frame_are_those_of_its_texts(session: Any, frame: Any) -> None:
    mine = FAST.with_words(["iPhone 15"])
    expected = [None if row is None else mine.cut(row) for row in ROWS] * 4
    broadcast = session.sparkContext.broadcast(mine)
    for segmenter in (mine, broadcast):
        column = adapter.words_udf(segmenter)("text").alias("w")
        assert by_number(frame.select("n", column).collect()) == expected
        words = adapter.add_words(frame, "text", segmenter, into="w")
        assert words.schema["w"].dataType.simpleString() == "array<string>"
        assert by_number(words.collect()) == expected

    def loads(rows: Any) -> Any:
        """In a worker: its process, and how many models it has open."""
        from segmenter import loading

        list(rows)
        load("fast")
        return [(os.getpid(), sum(path.endswith("fast.model") for path, *_ in loading._opened))]

    processes = words.rdd.mapPartitions(loads).collect()
    assert len({process for process, _ in processes}) >= 2
    assert {models for _, models in processes} == {1}


def test_before_spark_4_1_a_pandas_udf_gives_the_same(
    frame: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [None if row is None else FAST.cut(row) for row in ROWS] * 4
    monkeypatch.delattr(adapter.functions, "arrow_udf", raising=False)
    column = adapter.words_udf(FAST)("text").alias("w")
    assert by_number(frame.select("n", column).collect()) == expected


def test_unknown_and_existing_columns_are_refused(frame: Any) -> None:
    with pytest.raises(ArgumentError, match="column: 'body' is not one of n, text"):
        adapter.add_words(frame, "body", FAST)
    with pytest.raises(ArgumentError, match="into: the frame has a column 'n'"):
        adapter.add_words(frame, "text", FAST, into="n")
    with pytest.raises(TypeError, match="segmenter must be a Segmenter"):
        adapter.words_udf("fast")


def test_the_examples(session: Any) -> None:
    run_page("spark.md", asserts=4)
