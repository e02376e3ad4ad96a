"""Every decoder in turn."""

from __future__ import annotations

import pytest
import worlds
from cores import CORES, TAGGERS

from segmenter import Segmenter, load
from segmenter.errors import ResourceError


@pytest.fixture(scope="module", params=[*worlds.ALL_DECODERS, *TAGGERS])
def any_decoder(request: pytest.FixtureRequest) -> Segmenter:
    """A Segmenter of every decoder: lattices over the small lexicon, taggers as shipped."""
    name: str = request.param
    if name in TAGGERS and name not in CORES:
        try:
            CORES[name] = load("fast", decoder=name)
        except ResourceError:
            pytest.skip("models/ is not built here")
    return CORES[name]
