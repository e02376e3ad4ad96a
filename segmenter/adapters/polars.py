"""Polars: words of a column, as an expression or of a Series.

>>> import polars as pl
>>> pl.DataFrame({"text": ["他说的确实在理"]}).select(words=cut("text")).item().to_list()
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from segmenter.adapters import or_default, require
from segmenter.errors import wrong_type

if TYPE_CHECKING:
    from typing import Any

    from segmenter.core import Segmenter

pl = require("polars", "polars", __name__)
require("pyarrow", "polars", __name__)

# after these, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


def cut(column: Any, segmenter: Segmenter | None = None, *, threads: int = 1) -> Any:
    """Return the words of every row, ``List(String)``; null rows stay null.

    No Python object is created per word; see :func:`segmenter.adapters.arrow.cut`.

    Args:
        column: of String, Categorical or Enum: a Series, for which the result is a Series; or an
            expression or column name, for which it is an elementwise expression, for eager, lazy
            and streaming frames.
        segmenter: None: the default preset.
        threads: native threads.  Polars runs the columns of a query in threads of its own, but
            calls this function one at a time.

    Raises:
        TypeError: ``column`` is not one of these (an expression raises it when it runs).
    """
    segmenter = or_default(segmenter)
    if isinstance(column, pl.Series):
        return _cut_series(column, segmenter=segmenter, threads=threads)
    if isinstance(column, str):
        column = pl.col(column)
    if not isinstance(column, pl.Expr):
        raise wrong_type("column", column, "a Series, an expression, or the name of a column")
    return column.map_batches(
        partial(_cut_series, segmenter=segmenter, threads=threads),
        return_dtype=pl.List(pl.String),
        is_elementwise=True,
    )


def _cut_series(series: Any, *, segmenter: Segmenter, threads: int) -> Any:
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise TypeError(f"column must be of String, not of {series.dtype}")
    words = arrow.cut(series.to_arrow(), segmenter, threads=threads)
    return pl.Series(series.name, words, dtype=pl.List(pl.String))
