"""Polars: words of a column, as an expression or of a Series.

>>> import polars as pl
>>> pl.DataFrame({"text": ["他说的确实在理"]}).select(words=cut("text")).item().to_list()
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from segmenter.adapters import chosen, require
from segmenter.errors import wrong_type

if TYPE_CHECKING:
    from typing import Any

    from segmenter.segmenter import Segmenter

pl = require("polars", "polars", __name__)
require("pyarrow", "polars", __name__)

# after them, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


def cut(column: Any, segmenter: Segmenter | None = None, *, threads: int = 1) -> Any:
    """The words of every row, ``List(String)``, null where the row is.

    No Python object is made a word; see :func:`segmenter.adapters.arrow.cut`.

    Args:
        column: an expression or the name of a column: the result is an expression, for eager and
            lazy frames, of rows each by itself (it streams); or a Series: the result is one.
            Of String, Categorical or Enum.
        segmenter: None: the default preset.
        threads: native threads; Polars has its own for the columns of a query, but calls this once
            at a time.

    Raises:
        TypeError: none of these.  (From an expression when it is run; Polars passes it on.)
    """
    s = chosen(segmenter)
    if isinstance(column, pl.Series):
        return _cut_series(column, segmenter=s, threads=threads)
    if isinstance(column, str):
        column = pl.col(column)
    if not isinstance(column, pl.Expr):
        raise wrong_type("column", column, "a Series, an expression, or the name of a column")
    return column.map_batches(
        partial(_cut_series, segmenter=s, threads=threads),
        return_dtype=pl.List(pl.String),
        is_elementwise=True,
    )


def _cut_series(series: Any, *, segmenter: Segmenter, threads: int) -> Any:
    if series.dtype not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
        raise TypeError(f"column must be of String, not of {series.dtype}")
    words = arrow.cut(series.to_arrow(), segmenter, threads=threads)
    return pl.Series(series.name, words, dtype=pl.List(pl.String))
