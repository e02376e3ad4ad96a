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
    """A ``pandas_udf`` from a column of strings to one of arrays of strings; null where it is.

    ``frame.select(words_udf(s)("text"))``; ``spark.udf.register("words", words_udf(s))`` for SQL.

    Args:
        segmenter: a Segmenter, a broadcast of one, or None: the default preset.
    """
    import pandas as pd

    held = _held(segmenter)

    def cut(batches: Any) -> Any:
        s = _value(held)
        for batch in batches:
            there = batch.notna()
            lists = iter(s.cut_batch(batch[there].tolist()))
            yield pd.Series([next(lists) if is_there else None for is_there in there], dtype=object)

    # these tell Spark that it takes batch after batch; as objects, since pd is not a global here
    cut.__annotations__ = dict.fromkeys(("batches", "return"), Iterator[pd.Series])
    return functions.pandas_udf(cut, returnType=types.ArrayType(types.StringType()))


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
        made = arrow.AddWords(column, _value(held), into=into)
        for batch in batches:
            yield from made(pa.Table.from_batches([batch])).to_batches()

    words = types.StructField(into, types.ArrayType(types.StringType()))
    return frame.mapInArrow(cut, types.StructType([*frame.schema.fields, words]))


def _held(segmenter: Any) -> Any:
    """A Segmenter, or a broadcast that holds one."""
    if hasattr(segmenter, "value") and hasattr(segmenter, "unpersist"):
        chosen(segmenter.value)
        return segmenter
    return chosen(segmenter)


def _value(held: Any) -> Segmenter:
    value: Segmenter = held.value if hasattr(held, "value") else held
    return value
