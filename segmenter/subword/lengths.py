"""Truncation and padding, as stored in ``tokenizer.json`` and done by ``tokenizers``.

>>> Truncation(5, strategy="longest_first").lengths(3, 9)
(2, 3)
>>> Padding(multiple=8).length([3, 9])
16
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from segmenter.choices import check_whole, one_of
from segmenter.errors import ArgumentError
from segmenter.subword.aligned import GROWTH
from segmenter.subword.models import entries

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

STRATEGIES = ("longest_first", "only_first", "only_second")
DIRECTIONS = ("right", "left")
#: The most tokens to which a file may pad every text, and to which windows may repeat a short one.
MOST = 1 << 20


@dataclass(frozen=True)
class Truncation:
    """The maximum number of tokens of a text or a pair.

    Attributes:
        max_length: includes the tokens that a post-processor adds.
        stride: how many tokens each window of ``Encoding.overflowing`` shares with the one before.
        strategy: which text of a pair is shortened: the longer one, only the first, only the
            second.
        direction: the end at which tokens are removed.

    Raises:
        ArgumentError: an unknown name or a negative length.
    """

    max_length: int
    stride: int = 0
    strategy: str = "longest_first"
    direction: str = "right"

    def __post_init__(self) -> None:
        one_of("strategy", self.strategy, STRATEGIES)
        one_of("direction", self.direction, DIRECTIONS)
        check_whole("max_length", self.max_length, 0)
        check_whole("stride", self.stride, 0)

    def windows(self, size: int, length: int) -> list[tuple[int, int]]:
        """(start, end) of the tokens to keep, then of the overflowing windows.

        Args:
            size: how many tokens there are.
            length: how many to keep.

        Raises:
            ArgumentError: the stride is not less than ``length``, or so near to it that the windows
                hold many times the text.

        >>> Truncation(4, 1).windows(8, 4), Truncation(4, 1, direction="left").windows(8, 4)
        ([(0, 4), (3, 7), (6, 8)], [(4, 8), (1, 5), (0, 2)])
        """
        if length >= size:
            return [(0, size)]
        if not length:
            return [(0, 0), (0, size)]
        if self.stride >= length:
            raise ArgumentError(
                f"stride: {self.stride} is not less than the {length} tokens that are kept of a "
                "text: make it smaller, or max_length larger"
            )
        step = length - self.stride
        total = -(-(size - self.stride) // step) * length
        if total > GROWTH * size + MOST:
            raise ArgumentError(
                f"stride: windows of {length:,} tokens that share {self.stride:,} hold "
                f"{total:,} tokens of a text of {size:,}: make it smaller"
            )
        windows: list[tuple[int, int]] = []
        for start in range(0, size, step):
            windows.append((start, min(start + length, size)))
            if windows[-1][1] == size:
                break
        if self.direction == "left":
            return [(size - end, size - start) for start, end in windows]
        return windows

    def lengths(self, first: int, second: int | None, reserved: int = 0) -> tuple[int, int | None]:
        """How many tokens of a text, or of a pair, to keep.

        Args:
            first: number of tokens of the text.
            second: the same for the second text of a pair, or None.
            reserved: number of tokens that a post-processor will add.

        Raises:
            ArgumentError: the text to shorten is too short, or missing.
        """
        room = max(0, self.max_length - reserved)
        excess = first + (second or 0) - room
        if excess <= 0:
            return first, second
        if not room:
            return 0, None if second is None else 0
        if self.strategy == "longest_first":
            return (room, None) if second is None else _shared(first, second, room)
        target = first if self.strategy == "only_first" else second
        if target is None:
            raise ArgumentError(
                f"strategy: {self.strategy!r} needs a pair of texts, and only one is given"
            )
        if target <= excess:
            raise ArgumentError(
                f"max_length: {self.max_length} cannot be reached by shortening "
                f"{self.strategy.removeprefix('only_')} alone, which has {target} tokens"
            )
        if self.strategy == "only_first":
            return first - excess, second
        return first, target - excess

    def config(self) -> dict[str, Any]:
        return {
            "direction": self.direction.capitalize(),
            "max_length": self.max_length,
            "strategy": _camel(self.strategy),
            "stride": self.stride,
        }


def _shared(first: int, second: int, room: int) -> tuple[int, int]:
    short, long = sorted((first, second))
    long = short if short > room else max(short, room - short)
    if short + long > room:
        short = room // 2
        long = short + room % 2
    return (long, short) if first > second else (short, long)


@dataclass(frozen=True)
class Padding:
    """How shorter texts are padded.

    Attributes:
        fixed: pad to this length; None: to that of the longest text of a batch.
        multiple: round the length up to a multiple of this, or None.
        pad_id, pad_type_id, pad_token: the padding.
        direction: the end at which it is added.

    Raises:
        ArgumentError: an unknown direction or a negative number.
    """

    fixed: int | None = None
    multiple: int | None = None
    pad_id: int = 0
    pad_type_id: int = 0
    pad_token: str = "[PAD]"
    direction: str = "right"

    def __post_init__(self) -> None:
        one_of("direction", self.direction, DIRECTIONS)
        check_whole("length", self.fixed or 0, 0)
        check_whole("pad_to_multiple_of", self.multiple or 0, 0)
        check_whole("pad_id", self.pad_id, 0)
        check_whole("pad_type_id", self.pad_type_id, 0)

    def length(self, lengths: Iterable[int]) -> int:
        """The length to which texts of these lengths are padded."""
        length = max(lengths, default=0) if self.fixed is None else self.fixed
        if self.multiple and length % self.multiple:
            length += self.multiple - length % self.multiple
        return length

    def config(self) -> dict[str, Any]:
        return {
            "strategy": "BatchLongest" if self.fixed is None else {"Fixed": self.fixed},
            "direction": self.direction.capitalize(),
            "pad_to_multiple_of": self.multiple,
            "pad_id": self.pad_id,
            "pad_type_id": self.pad_type_id,
            "pad_token": self.pad_token,
        }


def _camel(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


_FROM_CAMEL = {_camel(name): name for name in STRATEGIES}


def truncation(config: dict[str, Any] | None) -> Truncation | None:
    """Read the truncation entry of ``tokenizer.json``.

    Raises:
        ArgumentError: a field is of the wrong form.
    """
    if config is None:
        return None
    entries.check("truncation", config)
    strategy = config.get("strategy", "LongestFirst")
    return Truncation(
        config["max_length"],
        config.get("stride", 0),
        _FROM_CAMEL.get(strategy, strategy) if isinstance(strategy, str) else str(strategy),
        str(config.get("direction", "Right")).lower(),
    )


def padding(config: dict[str, Any] | None) -> Padding | None:
    """Read the padding entry of ``tokenizer.json``.

    Raises:
        ArgumentError: a field is of the wrong form.
    """
    if config is None:
        return None
    entries.check("padding", config)
    strategy = config.get("strategy", "BatchLongest")
    fixed = strategy.get("Fixed") if isinstance(strategy, dict) else None
    if strategy != "BatchLongest" and type(fixed) is not int:
        raise ArgumentError(f"padding: the strategy {str(strategy)[:40]!r} is not supported")
    multiple = config.get("pad_to_multiple_of")
    for name, length in (("Fixed", fixed), ("pad_to_multiple_of", multiple)):
        if length is not None and length > MOST:
            raise ArgumentError(
                f"padding: {name} is {length:,} tokens, and {MOST:,} is the most in a file: "
                "use enable_padding"
            )
    return Padding(
        fixed,
        multiple,
        config.get("pad_id", 0),
        config.get("pad_type_id", 0),
        config.get("pad_token", "[PAD]"),
        str(config.get("direction", "Right")).lower(),
    )
