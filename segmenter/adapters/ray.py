"""Ray Data: words of a column, segmented by actors that each load the model once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import or_default, require

if TYPE_CHECKING:
    from typing import Any

    from segmenter.core import Segmenter

require("ray", "ray", __name__)
data = require("ray.data", "ray", __name__)
require("pyarrow", "ray", __name__)

# after these, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


class Words(arrow.AddWords):
    """An actor for ``Dataset.map_batches(Words, …, batch_format="pyarrow")``.

    If you set ``threads``, set ``num_cpus`` to the same number.
    """


def add_words(
    dataset: Any,
    column: str,
    segmenter: Segmenter | None = None,
    *,
    into: str = "words",
    workers: int = 1,
    **options: Any,
) -> Any:
    """Return the dataset with a column of lists of words; lazy, like everything in Ray Data.

    Args:
        dataset: a ``ray.data.Dataset``.
        column: name of its column of strings.
        segmenter: None: the default preset.  Its pickle, which contains names and the user's words,
            is sent once per actor.
        into: name of the new column.
        workers: number of actors.  Each takes one CPU of the cluster (``num_cpus=``).  Reading and
            later stages need CPUs too; without any left, nothing moves.
        options: other options of ``Dataset.map_batches``, such as ``batch_size``.
    """
    return dataset.map_batches(
        Words,
        fn_constructor_args=(column, or_default(segmenter), into),
        batch_format="pyarrow",
        compute=data.ActorPoolStrategy(size=workers),
        **options,
    )
