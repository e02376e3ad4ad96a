"""Programs of eval/ that compare outputs and draw: what they count, not how fast anything is."""

from __future__ import annotations

import sys
from itertools import cycle
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from places import ROOT

# at the end: an installed package must win over the checkout's folder of the same name
sys.path.append(str(ROOT))

from eval import clusters, curve
from eval.scale import __main__ as scale
from eval.scale import watching
from segmenter.loading import load_by_name

if TYPE_CHECKING:
    from pathlib import Path

LINES = ["他说的确实在理", "买了iPhone 15", "我们 在理"]


@pytest.mark.parametrize("skewed", [False, True])
def test_outputs_in_any_order_have_one_digest(tmp_path: Path, skewed: bool) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: extra [arrow]")
    import pyarrow.parquet as pq

    from segmenter.adapters import arrow

    folder, text, cut, made = (tmp_path / name for name in ("in", "t.txt", "c.txt", "out"))
    size = scale.make(folder, cycle(LINES), 20_000, skewed)
    sizes = [pq.ParquetFile(path).metadata.num_rows for path in sorted(folder.iterdir())]
    assert len(sizes) == scale.FILES
    assert (sizes[0] > sum(sizes) * 0.45) is skewed
    assert scale.as_text(folder, text) == sum(sizes)
    assert text.stat().st_size == size >= 20_000
    scale.by_command(text, cut)
    words = arrow.AddWords("text", load_by_name(scale.PRESET))
    made.mkdir()
    tables = [words(pq.read_table(path)).select(["words"]) for path in sorted(folder.iterdir())]
    for k, table in enumerate(reversed(tables)):
        pq.write_table(table, made / f"{k:02}.parquet")
    assert watching.digest(made) == watching.digest(cut)
    assert watching.digest(made).lines == sum(sizes)
    # as documents of several lines
    documents, again = tmp_path / "documents", tmp_path / "again"
    clusters.documents(folder, documents)
    again.mkdir()
    for path in sorted(documents.iterdir()):
        pq.write_table(words(pq.read_table(path)).select(["words"]), again / path.name)
    assert watching.digest(again) == watching.digest(cut)
    pq.write_table(pa.table({"words": [["1", "他"]]}), made / "more.parquet")
    assert watching.digest(made) != watching.digest(cut)


def test_the_picture_names_every_system_once() -> None:
    rows: list[dict[str, Any]] = [
        {"system": name, "peer": name.islower(), "f1": f1, "mb_per_s": speed}
        for name, f1, speed in [("A", 0.97, 5), ("B", 0.96, 60), ("C", 0.95, 30), ("p<q", 0.8, 0.3)]
    ]
    ours = sorted(rows[:3], key=lambda row: row["mb_per_s"])
    assert [row["system"] for row in curve.best_of(ours)] == ["A", "B"]
    for language in curve.WORDS:
        root = ElementTree.fromstring(curve.draw(rows, language))
        texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
        assert all(texts.count(row["system"]) == 1 for row in rows)
