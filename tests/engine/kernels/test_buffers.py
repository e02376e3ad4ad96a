"""What bindings say of arguments that are no buffer of the right numbers (bindings/python.hpp)."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest
from places import ROOT

from segmenter.kernels import _models

KEYS = np.arange(4, dtype=np.uint64)


def table(keys: Any) -> tuple[bytes, bytes]:
    return _models.ngram_table(keys, np.zeros(4, np.uint16), bytes(4), 8)


@pytest.mark.parametrize("keys", [KEYS, memoryview(KEYS), array("Q", range(4)), KEYS.astype("<u8")])
def test_every_buffer_of_the_type_will_do(keys: Any) -> None:
    assert table(keys) == table(KEYS)


@pytest.mark.parametrize(
    ("keys", "error", "message"),
    [
        ([0, 0], TypeError, "keys: expected a contiguous buffer, not list"),
        (None, TypeError, "keys: expected a contiguous buffer, not NoneType"),
        (KEYS[::2], ValueError, "keys: expected a contiguous buffer, not numpy.ndarray"),
        (
            KEYS.astype(np.uint32),
            ValueError,
            "keys: expected unsigned integers of 8 bytes, not 'I'",
        ),
        (
            KEYS.astype(np.int64),
            ValueError,
            "keys: expected unsigned integers of 8 bytes, not 'l'",
        ),
        (KEYS.astype(float), ValueError, "keys: expected unsigned integers of 8 bytes, not 'd'"),
        (KEYS.astype(">u8"), ValueError, "keys: expected unsigned integers of 8 bytes, not '>"),
        (bytes(32), ValueError, "keys: expected unsigned integers of 8 bytes, not 'B'"),
    ],
)
def test_others_are_named(keys: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        table(keys)
    assert str(caught.value).startswith(message)


def test_no_binding_has_a_typed_memoryview() -> None:
    """One of them brings 20,000 lines of C into the extension."""
    kernels = ROOT / "segmenter" / "kernels"
    for path in [*kernels.rglob("*.pxd"), *kernels.rglob("*.pyx")]:
        assert "[::1]" not in path.read_text("utf-8"), path
