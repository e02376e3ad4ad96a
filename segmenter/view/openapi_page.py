"""The service's description as a page to read, ``GET /docs``: no script, nothing from elsewhere."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_SAY = {
    "en": {
        "title": "The service's requests", "given": "request", "got": "answer",
        "needed": "required", "other": "中文", "lang": "en", "page": "the page",
        "field": "field", "type": "type", "code": "code",
    },
    "zh": {
        "title": "服务的接口", "given": "请求", "got": "应答",
        "needed": "必填", "other": "English", "lang": "zh-Hans", "page": "页面",
        "field": "字段", "type": "类型", "code": "状态码",
    },
}  # fmt: skip


def render(description: dict[str, Any], language: str, page: bool) -> str:
    """The page.

    Args:
        description: of :func:`segmenter.view.openapi.describe`, in the same language.
        language: ``"en"`` or ``"zh"``.
        page: whether there is a page of sentences to link to.
    """
    say = _SAY[language]
    other = "en" if language == "zh" else "zh"
    links = [f'<a href="docs?language={other}" lang="{other}">{say["other"]}</a>']
    links += ['<a href="openapi.json">openapi.json</a>']
    if page:
        links += [f'<a href="./">{say["page"]}</a>']
    return (
        f'<!DOCTYPE html>\n<html lang="{say["lang"]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{say['title']}</title>\n"
        '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="api.css">\n</head>\n'
        f"<body>\n<header><h1>{say['title']}</h1><nav>{' · '.join(links)}</nav></header>\n<main>\n"
        f"<p>{escape(description['info']['description'])} "
        f"{escape(description['info']['title'])} {escape(description['info']['version'])}</p>\n"
        + "\n".join(
            "".join(_operation(method, path, operation, description, say))
            for path, methods in description["paths"].items()
            for method, operation in methods.items()
        )
        + "\n</main>\n</body>\n</html>\n"
    )


def _operation(
    method: str,
    path: str,
    operation: dict[str, Any],
    description: dict[str, Any],
    say: dict[str, str],
) -> Iterator[str]:
    name = operation["operationId"]
    yield f'<section id="{name}"><h2><code>{method.upper()} {escape(path)}</code></h2>'
    yield f"<p>{escape(operation['summary'])} <code>{name}</code></p>"
    given = operation.get("requestBody")
    if given is not None:
        schema = given["content"]["application/json"]["schema"]
        yield f"<h3>{say['given']}</h3>" + _fields(schema, description, say)
        example = json.dumps(_example(schema), ensure_ascii=False)
        yield f"<pre tabindex=0>curl -d '{escape(example)}' http://127.0.0.1:8000{path}</pre>"
    yield f"<h3>{say['got']}</h3>"
    content = operation["responses"]["200"].get("content", {})
    for kind, value in content.items():
        yield f"<p><code>{kind}</code></p>" + _fields(value["schema"], description, say)
    rows = "".join(
        f"<tr><td>{code}</td><td>{escape(response['description'])}</td></tr>"
        for code, response in operation["responses"].items()
        if code != "200"
    )
    if rows:
        yield f'<table><tr><th scope="col">{say["code"]}</th><td></td></tr>'
        yield f"{rows}</table>"
    yield "</section>"


def _fields(schema: dict[str, Any], description: dict[str, Any], say: dict[str, str]) -> str:
    rows = [
        f"<tr><td><code>{escape(name)}</code></td><td>{escape(_type(of, description))}</td>"
        f"<td>{say['needed'] if name in schema.get('required', ()) else ''}</td></tr>"
        for name, of in schema.get("properties", {}).items()
    ]
    if not rows:
        return ""
    names = "".join(f'<th scope="col">{say[name]}</th>' for name in ("field", "type"))
    head = f"<tr>{names}<td></td></tr>"
    return f"<table>{head}{''.join(rows)}</table>"


def _type(schema: dict[str, Any], description: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        of = description["components"]["schemas"][name]
        return f"{name} {{{', '.join(of['properties'])}}}"
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{_type(schema['items'], description)}]"
    if kind == "object" and "properties" in schema:
        inside = (f"{n}: {_type(s, description)}" for n, s in schema["properties"].items())
        return f"{{{'; '.join(inside)}}}"
    shown = " | ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{shown} ≤ {schema['maxLength']:,}" if "maxLength" in schema else shown


def _example(schema: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in schema.get("required", ()):
        of = schema["properties"][name]
        value: Any = of["enum"][0] if "enum" in of else "他说的确实在理"
        found[name] = [value] if of.get("type") == "array" else value
    return found
