"""PySpark: words of a column, as an expression or for whole frames, cut where the rows are.

Each Python worker loads the model once, from the package that is installed there; what travels is
the Segmenter's pickle: names, and the user's words.  A large user dictionary travels once an
executor when the Segmenter is broadcast: pass ``spark.sparkContext.broadcast(segmenter)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from segmenter.adapters import chosen, require
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from typing import Any

    from segmenter.segmenter import Segmenter

require("pyspark", "spark", __name__)
functions = require("pyspark.sql.functions", "spark", __name__)
types = require("pyspark.sql.types", "spark", __name__)
pa = require("pyarrow", "spark", __name__)

# after them, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


def words_udf(segmenter: Segmenter | Any | None = None) -> Any:
    """A function from a column of strings to one of arrays of strings; null where the row is.

    ``frame.select(words_udf(s)("text"))``; ``spark.udf.register("words", words_udf(s))`` for SQL.
    An ``arrow_udf``, columns in and out without a Python string; a ``pandas_udf`` before Spark 4.1.

    Args:
        segmenter: a Segmenter, a broadcast of one, or None: the default preset.
    """
    held = _held(segmenter)
    words = types.ArrayType(types.StringType())
    if hasattr(functions, "arrow_udf"):

        def cut(arrays: Any) -> Any:
            return _arrays(arrays, _value(held))

        # these tell Spark that it takes batch after batch; as objects, which it asks for
        array: Any = pa.Array
        cut.__annotations__ = dict.fromkeys(("arrays", "return"), Iterator[array])
        return functions.arrow_udf(cut, returnType=words)

    import pandas as pd

    def cut_series(batches: Any) -> Any:
        return _series(batches, _value(held))

    cut_series.__annotations__ = dict.fromkeys(("batches", "return"), Iterator[pd.Series])
    return functions.pandas_udf(cut_series, returnType=words)


def add_words(
    frame: Any,
    column: str,
    segmenter: Segmenter | Any | None = None,
    *,
    into: str = "words",
) -> Any:
    """A frame with the words beside it, by ``mapInArrow``: no Python string is made a word.

    Args:
        frame: a ``pyspark.sql.DataFrame``.
        column: name of its column of strings.
        segmenter: a Segmenter, a broadcast of one, or None: the default preset.
        into: the column that is added; of a name that the frame does not have.

    Raises:
        ArgumentError: ``column`` is not there, ``into`` is.
    """
    names = frame.columns
    if column not in names:
        raise ArgumentError(f"column: {column!r} is not one of {', '.join(names)}")
    if into in names:
        raise ArgumentError(f"into: the frame has a column {into!r}")
    held = _held(segmenter)

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        return _batches(batches, arrow.AddWords(column, _value(held), into=into))

    words = types.StructField(into, types.ArrayType(types.StringType()))
    return frame.mapInArrow(cut, types.StructType([*frame.schema.fields, words]))


def _batches(batches: Iterator[Any], made: arrow.AddWords) -> Iterator[Any]:
    """What ``mapInArrow`` calls in a worker: record batches with the words beside."""
    for batch in batches:
        yield from made(pa.Table.from_batches([batch])).to_batches()


def _arrays(arrays: Iterator[Any], s: Segmenter) -> Iterator[Any]:
    """What an ``arrow_udf`` calls: words of one array of strings after the other."""
    for array in arrays:
        yield arrow.cut(array, s)


def _series(batches: Iterator[Any], s: Segmenter) -> Iterator[Any]:
    """What a ``pandas_udf`` calls: words of one Series after the other."""
    import pandas as pd

    for batch in batches:
        there = batch.notna()
        lists = iter(s.cut_batch(batch[there].tolist()))
        yield pd.Series([next(lists) if is_there else None for is_there in there], dtype=object)


def _held(segmenter: Any) -> Any:
    """A Segmenter, or a broadcast that holds one."""
    if hasattr(segmenter, "value") and hasattr(segmenter, "unpersist"):
        chosen(segmenter.value)
        return segmenter
    return chosen(segmenter)


def _value(held: Any) -> Segmenter:
    value: Segmenter = held.value if hasattr(held, "value") else held
    return value
