"""Fixtures and the profile of property tests: fixed seeds, so that every run tests the same."""

from __future__ import annotations

import pytest
import worlds
from hypothesis import HealthCheck, settings

from segmenter import Lexicon, Segmenter, load
from segmenter.errors import ResourceError

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


@pytest.fixture(scope="session", params=["general", "pku"])
def shipped(request: pytest.FixtureRequest) -> Segmenter:
    """The shipped Segmenter of each standard."""
    try:
        return load("fast", standard=request.param)
    except ResourceError:
        pytest.skip(f"models/{request.param}.lex is not built here")
