"""Steps as entries of ``tokenizer.json``: the one look-up by type that all four steps share."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from segmenter.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Config = dict[str, Any]

Step = TypeVar("Step")


def read(step: str, config: Config, readers: Mapping[str, Callable[[Config], Step]]) -> Step:
    """What an entry describes.

    Args:
        step: the entry's key in ``tokenizer.json``, for the message.
        config: the entry.
        readers: what reads an entry, by its type.

    Raises:
        ArgumentError: a type that has no reader; lists those that have one.

    >>> read("decoder", {"type": "Fuse"}, {"Fuse": lambda entry: "fused"})
    'fused'
    """
    reader = readers.get(config.get("type", ""))
    if reader is None:
        known = ", ".join(sorted(readers))
        raise ArgumentError(f"{step}: the type {config.get('type')!r} is none of {known}")
    return reader(config)
