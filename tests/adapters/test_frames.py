"""Arrow, Polars and pandas for real: the words of every row are those of ``cut``."""

from __future__ import annotations

import doctest
import pickle
from typing import Any

import pytest
from pages import run_page

from segmenter import ArgumentError, EncodingError, load

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: extra [arrow]")
from segmenter.adapters import arrow  # noqa: E402

ROWS = ["他说的确实在理", None, "", "我们 🙂 在理。\n真的", None, "买了iPhone 15", "在理\r"]
FAST = load("fast")
KINDS = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
]
SEGMENTERS = {
    "balanced": load(),
    "user": FAST.with_words(["iPhone 15", "的确"]),
    "skip": load("fast", skip=("space", "punct")),
    "lattice": load("fast", decoder="bigram"),
    "marisa": load(decoder="unigram", matcher="marisa"),
}


def words(rows: list[str | None], segmenter: Any) -> list[list[str] | None]:
    return [None if row is None else segmenter.cut(row) for row in rows]


@pytest.mark.parametrize("name", SEGMENTERS)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_arrow_columns_are_cut_as_rows_are(kind: Any, name: str) -> None:
    s = SEGMENTERS[name]
    array = pa.array(ROWS).cast(kind)
    for a, b in [(0, 7), (1, 7), (3, 5), (2, 2), (6, 7), (4, 5)]:
        for threads in (1, 3):
            got = arrow.cut(array[a:b], s, threads=threads)
            got.validate(full=True)
            assert got.to_pylist() == words(ROWS[a:b], s)
    column = pa.array(ROWS[1:]).take(pa.array(list(range(6)) * 7)).cast(kind)[5:]
    assert arrow.cut(column, s).to_pylist() == words(ROWS[1:] * 7, s)[5:]
    chunked = pa.chunked_array([array, array[2:5], array[:0]])
    got = arrow.cut(chunked, s)
    got.validate(full=True)
    assert got.to_pylist() == words([*ROWS, *ROWS[2:5]], s)
    assert [len(c) for c in got.chunks] == [7, 3, 0]
    assert arrow.cut(pa.chunked_array([], kind), s).type == got.type


def test_arrow_kinds_and_memory() -> None:
    array = pa.array(ROWS)
    got = arrow.cut(array, FAST)
    assert got.type == pa.list_(pa.string())
    assert got.values.buffers()[2].address == array.buffers()[2].address  # not a byte is copied
    assert arrow.cut(array.cast(pa.large_string()), FAST).type == pa.large_list(pa.large_string())
    assert arrow.cut(pa.nulls(3), FAST).to_pylist() == [None] * 3
    table = pa.table({"words": got})  # and it can be written and read
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    assert pa.ipc.open_file(sink.getvalue()).read_all().equals(table)


def test_arrow_nulls_that_have_bytes() -> None:
    array = pa.array(["他说", "不在", "的确"])
    validity = pa.py_buffer(b"\x05")
    hidden = pa.Array.from_buffers(pa.string(), 3, [validity, *array.buffers()[1:]])
    got = arrow.cut(hidden, FAST)
    got.validate(full=True)
    assert got.to_pylist() == [["他", "说"], None, ["的确"]]
    assert got.flatten().to_pylist() == ["他", "说", "的确"]
    assert arrow.cut(hidden[1:], FAST).to_pylist() == [None, ["的确"]]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_ends_of_an_arrow_column_are_those_of_its_rows(kind: Any) -> None:
    array = pa.array(ROWS).cast(kind)
    for column, rows in [(array, ROWS), (array[2:], ROWS[2:])]:
        got = arrow.ends(column, FAST)
        got.validate(full=True)
        for row, ends in zip(rows, got.to_pylist(), strict=True):
            if row is None:
                assert ends is None
                continue
            data, starts = row.encode(), [0, *ends]
            cut = [data[a:b].decode() for a, b in zip(starts, ends, strict=False)]
            assert cut == FAST.cut(row)
    with pytest.raises(ArgumentError, match="skip="):
        arrow.ends(array, SEGMENTERS["skip"])


def test_arrow_refuses_columns_that_are_no_strings() -> None:
    with pytest.raises(TypeError, match="column must be of strings, not of int64"):
        arrow.cut(pa.array([1]), FAST)
    with pytest.raises(TypeError, match=r"column must be pyarrow\.Array or ChunkedArray, not list"):
        arrow.cut(["他说"], FAST)
    with pytest.raises(TypeError, match="segmenter must be a Segmenter"):
        arrow.cut(pa.array(["他说"]), "fast")  # type: ignore[arg-type]
    bad = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.array([0, 1, 2], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff")]
    )
    with pytest.raises(EncodingError, match="row 1 is not UTF-8"):
        arrow.cut(bad, FAST)


def test_polars_columns_are_cut_as_rows_are() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed: extra [polars]")
    from segmenter.adapters import polars

    s = SEGMENTERS["user"]
    expected = words(ROWS, s)
    frame = pl.DataFrame({"text": ROWS, "n": range(len(ROWS))})
    assert polars.cut(frame["text"], s).to_list() == expected
    got = frame.with_columns(words=polars.cut("text", s, threads=2))
    assert got.schema["words"] == pl.List(pl.String)
    assert got["words"].to_list() == expected
    lazy = frame.lazy().select(polars.cut(pl.col("text"), s).list.len()).collect(engine="streaming")
    assert lazy["text"].to_list() == [None if w is None else len(w) for w in expected]
    assert (
        frame.filter(pl.col("n") > 2).select(polars.cut("text", s))["text"].to_list()
        == expected[3:]
    )
    for kind in (pl.Categorical, pl.Enum(sorted({r for r in ROWS if r is not None}))):
        assert polars.cut(frame["text"].cast(kind), s).to_list() == expected
    assert polars.cut(frame["text"].head(0), s).dtype == pl.List(pl.String)
    assert polars.cut(pl.concat([frame, frame], rechunk=False)["text"], s).to_list() == expected * 2
    with pytest.raises(TypeError, match="column must be of String, not of Int64"):
        polars.cut(frame["n"], s)
    with pytest.raises(TypeError, match="column must be a Series, an expression"):
        polars.cut(3, s)
    with pytest.raises(Exception, match="column must be of String, not of Int64"):
        frame.select(polars.cut("n", s))


def test_a_query_goes_to_other_processes_with_its_segmenter() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed: extra [polars]")
    pytest.importorskip("cloudpickle", reason="polars pickles Python functions with cloudpickle")
    from segmenter.adapters import polars

    s = SEGMENTERS["user"]
    query = pickle.loads(pickle.dumps(polars.cut("text", s)))
    assert pl.DataFrame({"text": ROWS}).select(query)["text"].to_list() == words(ROWS, s)


def test_pandas_columns_are_cut_as_rows_are() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed: extra [pandas]")
    from segmenter.adapters import pandas

    s = SEGMENTERS["user"]
    expected = words(ROWS, s)
    for dtype in ("object", "string", "string[pyarrow]", "category"):
        series = pd.Series(ROWS, index=range(10, 17), name="text").astype(dtype)
        got = pandas.cut(series, s, threads=2)
        assert got.index.tolist() == series.index.tolist()
        assert got.name == "text"
        assert [None if w is pd.NA else list(w) for w in got] == expected
        assert got.isna().tolist() == [w is None for w in expected]
        assert got.list.len().dropna().tolist() == [len(w) for w in expected if w is not None]
        assert got.list.flatten().tolist() == [x for w in expected if w for x in w]
    part = pd.Series(ROWS)[::2]
    assert pandas.cut(part, s).index.tolist() == [0, 2, 4, 6]
    exploded = pandas.cut(pd.Series(["他说", "的确"]), FAST).explode()
    assert exploded.tolist() == ["他", "说", "的确"]
    assert exploded.index.tolist() == [0, 0, 1]
    assert len(pandas.cut(pd.Series([], dtype=object), s)) == 0
    assert pandas.cut(pd.Series([None, None]), s).isna().all()
    with pytest.raises(TypeError, match="series must be a pandas Series, not list"):
        pandas.cut(["他说"], s)
    for bad in ([1, 2], ["a", 1], [b"a"], [["他说"]]):
        with pytest.raises(TypeError, match="must be of strings"):
            pandas.cut(pd.Series(bad), s)
    with pytest.raises(EncodingError, match=r"series: '他\\ud800' has a lone surrogate"):
        pandas.cut(pd.Series(["说", "他\ud800"], dtype=object), s)
    assert [entry.word for entry in s.replace(pd.Series(["云计算", "提出"])).user] == [
        "云计算",
        "提出",
    ]


def test_the_examples() -> None:
    pytest.importorskip("polars", reason="polars is not installed: extra [polars]")
    pytest.importorskip("pandas", reason="pandas is not installed: extra [pandas]")
    from segmenter.adapters import pandas, polars

    for module in (arrow, polars, pandas):
        result = doctest.testmod(module)
        assert result.failed == 0
        assert result.attempted > 0
    run_page("data-frames.md", asserts=8)
