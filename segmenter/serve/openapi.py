"""The service's description in OpenAPI 3.1, as ``GET /openapi.json`` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.choices import MODES
from segmenter.serve import settings, steps
from segmenter.serve.running import LONGEST as LONGEST_RUNNING
from segmenter.types import UNITS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from segmenter.serve.limits import Limits

_STRING = {"type": "string"}
_INTEGER = {"type": "integer"}
_JSON = "application/json"
#: Codes of errors that every POST may answer.
_ERRORS = ("400", "413", "503")

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
    said = 1 if language == "zh" else 0
    about = (
        f"Chinese word segmentation. Requests of at most {limits.max_bytes:,} bytes.",
        f"中文分词。请求至多 {limits.max_bytes:,} 字节。",
    )[said]
    return {
        "openapi": "3.1.0",
        "info": {"title": "segmenter-zh", "version": __version__, "description": about},
        "paths": _paths(limits, page, reload, said),
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _paths(limits: Limits, page: bool, reload: bool, said: int) -> dict[str, Any]:
    tokens = {**_STRING, "maxLength": limits.max_tokens}
    mode, units = ({**_enum(known), "default": known[0]} for known in (MODES, UNITS))
    strings = _array(_STRING)
    posts = {  # what is given, and what is got
        "/v1/cut": (_object(text=_STRING), _object(words=strings)),
        "/v1/cut_batch": (_object(texts=strings), _object(words=_array(strings))),
        "/v1/tokenize": (
            _object(("text",), text=tokens, mode=mode, units=units),
            _object(tokens=_array(_ref("Token"))),
        ),
        "/v1/search": (
            _object(("text",), text=tokens, units=units),
            _object(terms=_array(_ref("Term")), fingerprint=_STRING),
        ),
    }
    if page:
        values = {name: _enum(values) for name, values in settings.CHOICES.items()}
        chosen = {"type": "object", "properties": values, "additionalProperties": False}
        what = {"words": _STRING, "settings": chosen}
        text = {**_STRING, "maxLength": LONGEST_RUNNING}
        posts["/v1/explain"] = (_object(("text",), text=text, **what), {"type": "object"})
        text = {**_STRING, "maxLength": steps.LONGEST}
        posts["/v1/steps"] = (
            _object(("text", "player"), text=text, player=_enum(steps.PLAYERS), **what),
            {"type": "object"},
        )
    paths = {
        path: {
            "post": {
                **_operation(path, said, got, _ERRORS),
                "requestBody": {"required": True, **_content(given)},
            }
        }
        for path, (given, got) in posts.items()
    }
    if reload:
        path, got = "/v1/reload", _object(reloaded={"type": "boolean"}, fingerprint=_STRING)
        operation = _operation(path, said, got, (*_ERRORS, "401", "403"))
        paths[path] = {"post": {**operation, "security": [{"token": []}, {}]}}
    health = _object(status=_STRING, version=_STRING, fingerprint=_STRING)
    paths["/health"] = {"get": _operation("/health", said, health)}
    paths["/metrics"] = {"get": _operation("/metrics", said, _STRING, kind="text/plain")}
    return paths


def _operation(
    path: str, said: int, got: dict[str, Any], errors: tuple[str, ...] = (), kind: str = _JSON
) -> dict[str, Any]:
    name = path.rpartition("/")[2]
    answers = {"200": _content(got, kind)} | dict.fromkeys(errors, _content(_ref("Error")))
    return {
        "operationId": name,
        "summary": SUMMARIES[name][said],
        "responses": {
            code: {"description": CODES[code][said], **content} for code, content in answers.items()
        },
    }


def _content(schema: dict[str, Any], kind: str = _JSON) -> dict[str, Any]:
    return {"content": {kind: {"schema": schema}}}


def _object(required: tuple[str, ...] | None = None, /, **properties: Any) -> dict[str, Any]:
    names = list(properties) if required is None else list(required)
    return {"type": "object", "properties": properties, "required": names}


def _array(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _enum(values: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(values)}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


_PLACE = {"position": _INTEGER, "position_length": _INTEGER}
_SCHEMAS = {
    "Token": _object(
        text=_STRING,
        start=_INTEGER,
        end=_INTEGER,
        kind=_STRING,
        source=_STRING,
        tag=_STRING,
        score={"type": ["number", "null"]},
        **_PLACE,
        payload={},
    ),
    "Term": _object(term=_STRING, start=_INTEGER, end=_INTEGER, **_PLACE),
    "Error": _object(error=_object(code=_INTEGER, message=_STRING)),
}
