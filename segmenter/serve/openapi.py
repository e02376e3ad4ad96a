"""The service's description in OpenAPI 3.1, as ``GET /openapi.json`` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.serve.operations import SCHEMAS, ref

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.serve.limits import Limits
    from segmenter.serve.operations import Operation

#: What an answer's code says.
CODES = {
    "200": "done",
    "400": "the request is wrong; the message says how",
    "401": "a token is required",
    "403": "not allowed",
    "413": "the request or one of its fields is too long",
    "500": "the dictionary cannot be used; the old words stay",
    "501": "this process cannot answer; the message says why",
    "503": "too many requests at once: try again",
}


def describe(operations: Iterable[Operation], limits: Limits) -> dict[str, Any]:
    """The description of a service with these operations."""
    about = f"Chinese word segmentation. A request has at most {limits.max_bytes:,} bytes."
    return {
        "openapi": "3.1.0",
        "info": {"title": "segmenter-zh", "version": __version__, "description": about},
        "paths": {one.path: {one.method: _operation(one)} for one in operations},
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Operation) -> dict[str, Any]:
    answers = {"200": _content(one.answer, one.kind)}
    answers |= dict.fromkeys(one.errors, _content(ref("Error")))
    found: dict[str, Any] = {
        "operationId": one.name,
        "summary": one.summary,
        "responses": {
            code: {"description": CODES[code], **content} for code, content in answers.items()
        },
    }
    if one.fields is not None:
        found["requestBody"] = {"required": True, **_content(_body(one))}
    if "401" in one.errors:
        found["security"] = [{"token": []}, {}]
    return found


def _body(one: Operation) -> dict[str, Any]:
    fields = one.fields or {}
    return {
        "type": "object",
        "properties": {
            name: field.schema if field.is_required else {**field.schema, "default": field.default}
            for name, field in fields.items()
        },
        "required": [name for name, field in fields.items() if field.is_required],
        "additionalProperties": False,
    }


def _content(schema: dict[str, Any], kind: str = "application/json") -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}
