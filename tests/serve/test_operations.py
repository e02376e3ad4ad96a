"""What the service can be asked is said once, and everything that repeats it agrees."""

from __future__ import annotations

import inspect
import re

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("prometheus_client", reason="the extra [serve] is not installed")

from places import ROOT

from segmenter.serve.limits import Limits, Refused
from segmenter.serve.openapi import CODES, describe
from segmenter.serve.operations import Operation, check, operations
from segmenter.serve.service import Service

OPERATIONS = operations(Limits())


@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.name)
def test_the_service_takes_every_field(one: Operation) -> None:
    """Each operation has a method of its name, whose parameters are its fields."""
    method = "metrics_text" if one.name == "metrics" else one.name
    body = dict.fromkeys(one.fields or {})
    inspect.signature(getattr(Service, method)).bind("self", "request", **body)


@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.name)
def test_the_page_about_the_service_names_every_field(one: Operation) -> None:
    """The Chinese page has a row for each request; for fields it refers to ``/openapi.json``."""
    for language in ("en", "zh"):
        page = (ROOT / "docs" / language / "service.md").read_text("utf-8")
        row = re.search(rf"^\| `{one.method.upper()} {one.path}`.*$", page, re.M)
        assert row, f"docs/{language}/service.md: the table of requests has no row for it"
        for name in (one.fields or {}) if language == "en" else ():
            assert f'"{name}"' in row[0], f"the row does not name {name}"


@pytest.mark.parametrize("one", OPERATIONS, ids=lambda one: one.name)
def test_every_field_refuses_what_it_is_not(one: Operation) -> None:
    for name, field in (one.fields or {}).items():
        with pytest.raises(Refused, match=rf"{name}: ") as e:
            check(name, None, field.schema)
        assert e.value.code == 400
        if not field.is_required:
            check(name, field.default, field.schema)
        if limit := field.schema.get("maxLength"):
            check(name, "他" * limit, field.schema)
            with pytest.raises(Refused, match="at most") as e:
                check(name, "他" * (limit + 1), field.schema)
            assert e.value.code == 413


def test_the_description_says_what_each_code_means() -> None:
    described = describe(OPERATIONS, Limits())
    assert list(described["paths"]) == [one.path for one in OPERATIONS]
    assert {code for one in OPERATIONS for code in one.errors} <= CODES.keys()
