"""The public names have docstrings with examples, and all examples of the package run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import segmenter
from segmenter.errors import ResourceError

#: Packages whose examples other tests run (they need foreign packages), or that have none.
ELSEWHERE = ("segmenter.adapters.", "segmenter.compat.", "segmenter.cli.", "segmenter.__main__")
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(segmenter.__path__, "segmenter.")
    if not name.startswith(ELSEWHERE)
]

#: Methods of the compiled base class, whose examples are in the class's own docstring.
COMPILED = {"cut", "ends"}


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        segmenter.load("fast")
    except ResourceError:
        pytest.skip("models/ is not built here")
    # words that examples add to the default Segmenter are gone afterwards
    monkeypatch.setattr(importlib.import_module("segmenter.default"), "_default", None)
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"it needs {error.name}")
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def public() -> list[tuple[str, object]]:
    objects = [(name, getattr(segmenter, name)) for name in segmenter.__all__]
    objects = [
        (name, thing) for name, thing in objects if inspect.isroutine(thing) or class_(thing)
    ]
    objects += [
        (f"Segmenter.{name}", getattr(segmenter.Segmenter, name))
        for name in dir(segmenter.Segmenter)
        if not name.startswith("_") and name not in COMPILED
    ]
    return [(name, thing) for name, thing in objects if callable(thing)]


def class_(thing: object) -> bool:
    return inspect.isclass(thing) and not issubclass(thing, BaseException)


@pytest.mark.parametrize(("name", "thing"), public(), ids=[name for name, _ in public()])
def test_a_public_name_has_an_example(name: str, thing: object) -> None:
    assert ">>> " in (inspect.getdoc(thing) or ""), name
