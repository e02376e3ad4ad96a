"""pandas: words of a Series of strings.

>>> import pandas as pd
>>> cut(pd.Series(["他说的确实在理"])).list.flatten().tolist()
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import require
from segmenter.errors import EncodingError, shortened, wrong_type

if TYPE_CHECKING:
    from typing import Any

    from segmenter.core import Segmenter

pd = require("pandas", "pandas", __name__)
pa = require("pyarrow", "pandas", __name__)

# after these, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


def cut(series: Any, segmenter: Segmenter | None = None, *, threads: int = 1) -> Any:
    """Return the words of every row: a Series of ``list<string>[pyarrow]`` with the same index.

    No Python object is created per word.  ``.list`` counts, picks and flattens the words,
    ``explode`` makes one row per word, and an element is a ``list`` or array of ``str``.

    Args:
        series: strings of any dtype (``str``, ``object``, ``string[pyarrow]``, ``category``, …);
            missing values stay missing.
        segmenter: None: the default preset.
        threads: native threads.

    Raises:
        TypeError: not a Series of strings.
        EncodingError: a text with a lone surrogate, for which Arrow has no bytes.
    """
    if not isinstance(series, pd.Series):
        raise wrong_type("series", series, "a pandas Series")
    try:
        column = pa.array(series, from_pandas=True)
        if pa.types.is_null(column.type) or len(series) == 0:
            column = column.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as e:
        raise TypeError(f"series must be of strings: {e}") from e
    except UnicodeEncodeError as e:
        text = shortened(f"{e.object!r}")
        raise EncodingError(f"series: {text} has a lone surrogate: replace it") from e
    words = arrow.cut(column, segmenter, threads=threads)
    array = pd.arrays.ArrowExtensionArray(words)
    return pd.Series(array, index=series.index, name=series.name)
