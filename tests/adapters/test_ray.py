"""Ray Data for real: two actors."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from pages import run_page
from places import ROOT

from segmenter import load

library = pytest.importorskip("ray", reason="ray is not installed: extra [ray]")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: extra [ray]")
from segmenter.adapters import ray as adapter  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

ROWS = ["他说的确实在理", None, "", "买了iPhone 15", "我们 🙂\n在理"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    patch = pytest.MonkeyPatch()
    patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))  # Ray leaves a token there
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    patch.setenv("PYTHONPATH", path)
    library.init(
        num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000,
        logging_level="ERROR",
    )  # fmt: skip
    library.data.DataContext.get_current().enable_progress_bars = False
    yield
    library.shutdown()
    patch.undo()


@pytest.mark.usefixtures("cluster")
def test_words_of_a_dataset_are_those_of_its_texts() -> None:
    mine = load("fast").with_words(["iPhone 15"])
    rows = [{"n": n, "text": ROWS[n % 5]} for n in range(40)]
    data = library.data.from_items(rows, override_num_blocks=8)
    words = adapter.add_words(data, "text", mine, into="w", workers=2, batch_size=5)
    got = sorted(words.take_all(), key=lambda row: row["n"])
    assert [row["w"] for row in got] == [None if r is None else mine.cut(r) for r in ROWS] * 8
    assert [row["text"] for row in got] == ROWS * 8


@pytest.mark.usefixtures("cluster")
def test_each_actor_loads_once() -> None:
    class Counting(adapter.Words):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.made = 0

        def __call__(self, table: Any) -> Any:
            import pyarrow as pa

            self.made += 1
            n = table.num_rows
            result = super().__call__(table)
            assert result["words"].null_count == 0
            return pa.table({"process": [os.getpid()] * n, "call": [self.made] * n})

    data = library.data.from_items([{"text": "他说的确实在理"}] * 400, override_num_blocks=20)
    words = data.map_batches(
        Counting,
        fn_constructor_args=("text", load("fast")),
        batch_format="pyarrow",
        batch_size=10,
        concurrency=2,
    )
    rows = words.take_all()
    assert len(rows) == 400
    processes = {row["process"] for row in rows}
    assert 1 <= len(processes) <= 2
    assert os.getpid() not in processes
    assert max(row["call"] for row in rows) > 1  # the same object goes on


@pytest.mark.usefixtures("cluster")
def test_the_examples() -> None:
    run_page("ray.md", asserts=2)
