"""The service's description in OpenAPI 3.1, as ``GET /openapi.json`` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.choices import MODES
from segmenter.types import UNITS
from segmenter.view import settings, steps
from segmenter.view.running import LONGEST as LONGEST_RUNNING

if TYPE_CHECKING:
    from segmenter.view.limits import Limits

_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_STRINGS = {"type": "array", "items": _STRING}

#: What the operations do, by their ids, in the languages of the page.
SUMMARIES = {
    "cut": ("The words of a text", "文本切成词"),
    "cut_batch": ("The words of many texts, in their order", "多条文本切成词，次序不变"),
    "tokenize": ("Tokens with offsets, kinds, tags and scores", "词及其位置、种类、词性、得分"),
    "search": (
        "The tokens that a search index stores for a text, and a query asks for",
        "索引保存、查询使用的词元",
    ),
    "explain": (
        "What the page draws: word graph, decoders' paths, scores of tags, subword pieces",
        "页面所画的内容：词图、各算法的路径、标记得分、子词",
    ),
    "steps": ("An algorithm on a sentence, step by step", "一个算法在一句话上的逐步过程"),
    "reload": ("Reads the user dictionary again if it changed", "用户词典有改动时重新读取"),
    "health": ("Whether the service answers", "服务是否应答"),
    "metrics": ("Counters in the text format of Prometheus", "Prometheus 文本格式的计数器"),
}
#: What an answer's code says.
CODES = {
    "200": ("done", "完成"),
    "400": ("the request is wrong; the message says how", "请求有误，附原因"),
    "401": ("a token is required", "需要令牌"),
    "403": ("not allowed", "不允许"),
    "413": ("the request is too long", "请求太长"),
    "503": ("too many requests at once: try again", "请求太多，请稍后再试"),
}


def describe(
    limits: Limits, *, page: bool = True, reload: bool = True, language: str = "en"
) -> dict[str, Any]:
    """The description of a service with these limits.

    Args:
        page: whether it serves the page, and what the page asks for.
        reload: whether anybody may reload its dictionary.
        language: of summaries: ``"en"`` or ``"zh"``.
    """
    operations = _operations(limits, page, reload, 1 if language == "zh" else 0)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "segmenter-zh",
            "version": __version__,
            "description": (
                f"中文分词。请求至多 {limits.max_bytes:,} 字节。"
                if language == "zh"
                else f"Chinese word segmentation. Requests of at most {limits.max_bytes:,} bytes."
            ),
        },
        "paths": operations,
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operations(limits: Limits, page: bool, reload: bool, language: int) -> dict[str, Any]:
    mode = {"type": "string", "enum": list(MODES), "default": MODES[0]}
    units = {"type": "string", "enum": list(UNITS), "default": UNITS[0]}
    tokens = {**_STRING, "maxLength": limits.max_tokens}

    def post(name: str, given: dict[str, Any] | None, got: dict[str, Any]) -> dict[str, Any]:
        return _post(name, given, got, language)

    paths = {
        "/v1/cut": post("cut", _object(text=_STRING), _object(words=_STRINGS)),
        "/v1/cut_batch": post(
            "cut_batch",
            _object(texts=_STRINGS),
            _object(words={"type": "array", "items": _STRINGS}),
        ),
        "/v1/tokenize": post(
            "tokenize",
            _object(("text",), text=tokens, mode=mode, units=units),
            _object(tokens=_array("Token")),
        ),
        "/v1/search": post(
            "search",
            _object(("text",), text=tokens, units=units),
            _object(terms=_array("Term"), fingerprint=_STRING),
        ),
    }
    if page:
        what = {"words": _STRING, "settings": _settings()}
        paths["/v1/explain"] = post(
            "explain",
            _object(("text",), text={**_STRING, "maxLength": LONGEST_RUNNING}, **what),
            {"type": "object"},
        )
        player = {"type": "string", "enum": list(steps.PLAYERS)}
        paths["/v1/steps"] = post(
            "steps",
            _object(
                ("text", "player"),
                text={**_STRING, "maxLength": steps.LONGEST},
                player=player,
                **what,
            ),
            {"type": "object"},
        )
    if reload:
        reloaded = _object(reloaded={"type": "boolean"}, fingerprint=_STRING)
        paths["/v1/reload"] = post("reload", None, reloaded)
        operation = paths["/v1/reload"]["post"]
        operation["security"] = [{"token": []}, {}]
        for code in ("401", "403"):
            operation["responses"][code] = _response(code, _ref("Error"), language)
    health = _object(status=_STRING, version=_STRING, fingerprint=_STRING)
    paths["/health"] = _get("health", "application/json", health, language)
    paths["/metrics"] = _get("metrics", "text/plain", _STRING, language)
    return paths


def _settings() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {
            name: {"type": "string", "enum": list(values)}
            for name, values in settings.CHOICES.items()
        },
        "additionalProperties": False,
    }


def _schemas() -> dict[str, Any]:
    place = {"position": _INTEGER, "position_length": _INTEGER}
    return {
        "Token": _object(
            text=_STRING,
            start=_INTEGER,
            end=_INTEGER,
            kind=_STRING,
            source=_STRING,
            tag=_STRING,
            score={"type": ["number", "null"]},
            **place,
            payload={},
        ),
        "Term": _object(term=_STRING, start=_INTEGER, end=_INTEGER, **place),
        "Error": _object(error=_object(code=_INTEGER, message=_STRING)),
    }


def _object(required: tuple[str, ...] | None = None, /, **properties: Any) -> dict[str, Any]:
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names}


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def _array(of: str) -> dict[str, Any]:
    return {"type": "array", "items": _ref(of)}


def _post(
    name: str, given: dict[str, Any] | None, got: dict[str, Any], language: int
) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": name,
        "summary": SUMMARIES[name][language],
        "responses": {
            "200": _response("200", got, language),
            **{code: _response(code, _ref("Error"), language) for code in ("400", "413", "503")},
        },
    }
    if given is not None:
        operation["requestBody"] = {"required": True, **_json(given)}
    return {"post": operation}


def _response(code: str, schema: dict[str, Any], language: int) -> dict[str, Any]:
    return {"description": CODES[code][language], **_json(schema)}


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"content": {"application/json": {"schema": schema}}}


def _get(name: str, kind: str, schema: dict[str, Any], language: int) -> dict[str, Any]:
    content = {"content": {kind: {"schema": schema}}}
    return {
        "get": {
            "operationId": name,
            "summary": SUMMARIES[name][language],
            "responses": {"200": {"description": CODES["200"][language], **content}},
        }
    }
