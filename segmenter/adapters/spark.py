"""PySpark: words of a column, as an expression or for whole frames, segmented by the workers.

Each Python worker loads the model once, from the package installed there.  Only the Segmenter's
pickle is sent, which contains names and the user's words.  To send a large user dictionary once per
executor, pass ``spark.sparkContext.broadcast(segmenter)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from segmenter.adapters import or_default, require
from segmenter.choices import one_of
from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from typing import Any

    from segmenter.core import Segmenter

require("pyspark", "spark", __name__)
functions = require("pyspark.sql.functions", "spark", __name__)
types = require("pyspark.sql.types", "spark", __name__)
pa = require("pyarrow", "spark", __name__)

# after these, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


def words_udf(segmenter: Segmenter | Any | None = None) -> Any:
    """Return a function from a column of strings to one of arrays of strings; nulls stay null.

    ``frame.select(words_udf(s)("text"))``; ``spark.udf.register("words", words_udf(s))`` for SQL.
    It is an ``arrow_udf``, which creates no Python strings; before Spark 4.1, a ``pandas_udf``.

    Args:
        segmenter: a Segmenter, a broadcast of one, or None: the default preset.
    """
    handle = _handle(segmenter)
    words = types.ArrayType(types.StringType())
    if hasattr(functions, "arrow_udf"):

        def cut(arrays: Any) -> Any:
            return _arrays(arrays, _value(handle))

        # tells Spark that the function takes an iterator of batches; must be objects, not strings
        array: Any = pa.Array
        cut.__annotations__ = dict.fromkeys(("arrays", "return"), Iterator[array])
        return functions.arrow_udf(cut, returnType=words)

    import pandas as pd

    def cut_series(batches: Any) -> Any:
        return _series(batches, _value(handle))

    cut_series.__annotations__ = dict.fromkeys(("batches", "return"), Iterator[pd.Series])
    return functions.pandas_udf(cut_series, returnType=words)


def add_words(
    frame: Any, column: str, segmenter: Segmenter | Any | None = None, *, into: str = "words"
) -> Any:
    """Return the frame with a column of words, by ``mapInArrow``: without Python strings.

    Args:
        frame: a ``pyspark.sql.DataFrame``.
        column: name of its column of strings.
        segmenter: a Segmenter, a broadcast of one, or None: the default preset.
        into: name of the new column.

    Raises:
        ArgumentError: the frame has no ``column``, or already has ``into``.
    """
    names = frame.columns
    one_of("column", column, names)
    if into in names:
        raise ArgumentError(f"into: the frame has a column {into!r} already: choose another name")
    handle = _handle(segmenter)

    def cut(batches: Iterator[Any]) -> Iterator[Any]:
        return _batches(batches, arrow.AddWords(column, _value(handle), into=into))

    words = types.StructField(into, types.ArrayType(types.StringType()))
    return frame.mapInArrow(cut, types.StructType([*frame.schema.fields, words]))


def _batches(batches: Iterator[Any], add_words: arrow.AddWords) -> Iterator[Any]:
    for batch in batches:
        yield from add_words(pa.Table.from_batches([batch])).to_batches()


def _arrays(arrays: Iterator[Any], segmenter: Segmenter) -> Iterator[Any]:
    for array in arrays:
        yield arrow.cut(array, segmenter)


def _series(batches: Iterator[Any], segmenter: Segmenter) -> Iterator[Any]:
    import pandas as pd

    for batch in batches:
        present = batch.notna()
        lists = iter(segmenter.cut_batch(batch[present].tolist()))
        yield pd.Series([next(lists) if valid else None for valid in present], dtype=object)


def _handle(segmenter: Any) -> Any:
    """A Segmenter, or the broadcast of one, after a check of its type."""
    if hasattr(segmenter, "value") and hasattr(segmenter, "unpersist"):
        or_default(segmenter.value)
        return segmenter
    return or_default(segmenter)


def _value(handle: Any) -> Segmenter:
    value: Segmenter = handle.value if hasattr(handle, "value") else handle
    return value
