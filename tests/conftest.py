"""Fixtures and the profile of property tests: fixed seeds, so that every run tests the same."""

from __future__ import annotations

import gc
import itertools
import signal
from typing import TYPE_CHECKING

import pytest
import worlds
from hypothesis import HealthCheck, settings

from segmenter import Segmenter, load
from segmenter.choices import PRESETS
from segmenter.errors import ResourceError

if TYPE_CHECKING:
    from segmenter.lexicon import Lexicon

# A shell's background job ignores SIGINT, and so would this process and those that it starts: a
# test that interrupts one would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


# Thousands of items live to the end, and so do modules and what tests cache.  A full collection
# takes half a second among them, and tests ask for hundreds; frozen, they are not looked at again.
def pytest_collection_finish() -> None:
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=150,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("repeatable")


@pytest.fixture(scope="session")
def small() -> Lexicon:
    """The lexicon of :mod:`worlds`, with bigrams and trigrams."""
    return worlds.lexicon()


@pytest.fixture(
    scope="session",
    params=itertools.product(["general", "pku"], [None, *PRESETS]),
    ids=lambda param: "-".join(name or "unigram" for name in param),
)
def shipped(request: pytest.FixtureRequest) -> Segmenter:
    """The shipped Segmenters: each preset, and the lattice, of each standard."""
    standard, preset = request.param
    try:
        if preset is None:
            return load(standard=standard, decoder="unigram")
        return load(preset, standard=standard)
    except ResourceError:
        pytest.skip(f"a file of the standard {standard} is not built here")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Lists of all presets and decoders leave out what another package carries: an encoder takes a
    hundred times as long, and tests/together/test_best.py is about it."""

    def carried(item: pytest.Item) -> bool:
        values = item.callspec.params.values() if hasattr(item, "callspec") else ()
        flat = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
        return any(isinstance(v, str) and v in ("best", "encoder-crf") for v in flat)

    left_out = [item for item in items if item.path.name != "test_best.py" and carried(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
