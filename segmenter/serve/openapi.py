"""The service's description in OpenAPI 3.1, for ``GET /openapi.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.serve.operations import SCHEMAS, ref

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.serve.limits import Limits
    from segmenter.serve.operations import Operation

#: Descriptions of status codes.
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
    summary = f"Chinese word segmentation. A request has at most {limits.max_bytes:,} bytes."
    return {
        "openapi": "3.1.0",
        "info": {"title": "segmenter-zh", "version": __version__, "description": summary},
        "paths": {o.path: {o.method: _operation(o)} for o in operations},
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    answers = {"200": _content(operation.answer, operation.kind)}
    answers |= dict.fromkeys(operation.errors, _content(ref("Error")))
    description: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": {
            code: {"description": CODES[code], **content} for code, content in answers.items()
        },
    }
    if operation.fields is not None:
        description["requestBody"] = {"required": True, **_content(_body(operation))}
    if "401" in operation.errors:
        description["security"] = [{"token": []}, {}]
    return description


def _body(operation: Operation) -> dict[str, Any]:
    fields = operation.fields or {}
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
