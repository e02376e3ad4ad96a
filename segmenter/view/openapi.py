"""The service's description in OpenAPI 3.1, as ``GET /openapi.json`` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.choices import MODES
from segmenter.types import UNITS
from segmenter.view.graph import LONGEST

if TYPE_CHECKING:
    from segmenter.view.limits import Limits

_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}


def describe(limits: Limits, *, page: bool = True, reload: bool = True) -> dict[str, Any]:
    """The description of a service with these limits.

    Args:
        page: whether it serves the page, and what the page asks for.
        reload: whether anybody may reload its dictionary.
    """
    token = _object(
        text=_STRING,
        start={"type": "integer"},
        end={"type": "integer"},
        kind=_STRING,
        source=_STRING,
        tag=_STRING,
        score={"type": ["number", "null"]},
        position={"type": "integer"},
        position_length={"type": "integer"},
        payload={},
    )
    term = _object(
        term=_STRING,
        start={"type": "integer"},
        end={"type": "integer"},
        position={"type": "integer"},
        position_length={"type": "integer"},
    )
    mode = {"type": "string", "enum": list(MODES), "default": MODES[0]}
    units = {"type": "string", "enum": list(UNITS), "default": UNITS[0]}
    reloaded = _object(reloaded={"type": "boolean"}, fingerprint=_STRING)
    paths = {
        "/v1/cut": _post("The words of a text", _object(text=_STRING), _object(words=_STRINGS)),
        "/v1/cut_batch": _post(
            "The words of many texts, in their order",
            _object(texts=_STRINGS),
            _object(words={"type": "array", "items": _STRINGS}),
        ),
        "/v1/tokenize": _post(
            "Tokens with offsets, kinds, tags and scores",
            _object(
                ("text",),
                text={**_STRING, "maxLength": limits.max_tokens},
                mode=mode,
                units=units,
            ),
            _object(tokens={"type": "array", "items": token}),
        ),
        "/v1/search": _post(
            "What a search index takes of a text, and a query asks for",
            _object(
                ("text",), text={**_STRING, "maxLength": limits.max_tokens}, units=units
            ),
            _object(terms={"type": "array", "items": term}, fingerprint=_STRING),
        ),
    }
    if page:
        paths["/v1/explain"] = _post(
            "What the page draws: word DAG, decoders' paths, scores of tags, subword pieces",
            _object(("text",), text={**_STRING, "maxLength": LONGEST}, words=_STRING),
            {"type": "object"},
        )
    if reload:
        paths["/v1/reload"] = _post("Reads the user dictionary again if it changed", None, reloaded)
    paths["/health"] = _get("Whether the service answers", "application/json")
    paths["/metrics"] = _get("Counters in the text format of Prometheus", "text/plain")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "segmenter-zh",
            "version": __version__,
            "description": "Chinese word segmentation. "
            f"Requests of at most {limits.max_bytes:,} bytes.",
        },
        "paths": paths,
    }


def _object(required: tuple[str, ...] | None = None, /, **properties: Any) -> dict[str, Any]:
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names}


def _post(summary: str, given: dict[str, Any] | None, got: dict[str, Any]) -> dict[str, Any]:
    wrong = _object(error=_object(code={"type": "integer"}, message=_STRING))
    operation: dict[str, Any] = {
        "summary": summary,
        "responses": {
            "200": {"description": "done", **_json(got)},
            "400": {"description": "the request is wrong, and how", **_json(wrong)},
            "413": {"description": "the request is too long", **_json(wrong)},
            "503": {"description": "too many requests at once", **_json(wrong)},
        },
    }
    if given is not None:
        operation["requestBody"] = {"required": True, **_json(given)}
    return {"post": operation}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _get(summary: str, kind: str) -> dict[str, Any]:
    return {
        "get": {
            "summary": summary,
            "responses": {"200": {"description": "done", "content": {kind: {}}}},
        }
    }
