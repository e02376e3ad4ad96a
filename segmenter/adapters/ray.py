"""Ray Data: words of a column, cut by actors that load the model once each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from segmenter.adapters import chosen, require

if TYPE_CHECKING:
    from typing import Any

    from segmenter.segmenter import Segmenter

require("ray", "ray", __name__)
data = require("ray.data", "ray", __name__)
require("pyarrow", "ray", __name__)

# after them, so that an error names this adapter's extra
from segmenter.adapters import arrow  # noqa: E402


class Words(arrow.AddWords):
    """What an actor holds; for ``Dataset.map_batches(Words, …, batch_format="pyarrow")``.

    With ``threads`` give the actor as many ``num_cpus``.
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
    """A dataset with a column of lists of words beside it; lazily, as Ray Data does all things.

    Args:
        dataset: a ``ray.data.Dataset``.
        column: name of its column of strings.
        segmenter: None: the default preset.  Its pickle travels: names, and the user's words,
            once an actor.
        into: the column that is added.
        workers: actors.  Each takes a CPU of the cluster (``num_cpus=``); reading and what follows
            need more of them, or nothing moves.
        options: others of ``Dataset.map_batches``, such as ``batch_size``.
    """
    return dataset.map_batches(
        Words,
        fn_constructor_args=(column, chosen(segmenter), into),
        batch_format="pyarrow",
        compute=data.ActorPoolStrategy(size=workers),
        **options,
    )
