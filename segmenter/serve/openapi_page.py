"""The service's description as a page to read, ``GET /docs``: no script, nothing from elsewhere."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Schema = dict[str, Any]

_SAY = {
    "en": {
        "title": "Requests of the service", "given": "request", "got": "answer",
        "needed": "required", "other": "中文", "lang": "en", "page": "the page",
        "field": "field", "type": "type", "code": "code",
    },
    "zh": {
        "title": "服务接口", "given": "请求", "got": "响应",
        "needed": "必填", "other": "English", "lang": "zh-Hans", "page": "页面",
        "field": "字段", "type": "类型", "code": "状态码",
    },
}  # fmt: skip


def render(description: dict[str, Any], language: str, page: bool) -> str:
    """The page.

    Args:
        description: of :func:`segmenter.serve.openapi.describe`, in the same language.
        language: ``"en"`` or ``"zh"``.
        page: whether there is a page of sentences to link to.
    """
    say, info = _SAY[language], description["info"]
    other = "en" if language == "zh" else "zh"
    links = [f'<a href="docs?language={other}" lang="{other}">{say["other"]}</a>']
    links += ['<a href="openapi.json">openapi.json</a>']
    if page:
        links += [f'<a href="./">{say["page"]}</a>']
    schemas = description["components"]["schemas"]
    sections = (
        "".join(_operation(method, path, operation, schemas, say))
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    )
    about = " ".join(info[name] for name in ("description", "title", "version"))
    return (
        f'<!DOCTYPE html>\n<html lang="{say["lang"]}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{say['title']}</title>\n"
        '<link rel="icon" href="data:,">\n<link rel="stylesheet" href="api.css">\n</head>\n'
        f"<body>\n<header><h1>{say['title']}</h1><nav>{' · '.join(links)}</nav></header>\n<main>\n"
        f"<p>{escape(about)}</p>\n" + "\n".join(sections) + "\n</main>\n</body>\n</html>\n"
    )


def _operation(
    method: str, path: str, operation: Schema, schemas: Schema, say: dict[str, str]
) -> Iterator[str]:
    name = operation["operationId"]
    yield f'<section id="{name}"><h2><code>{method.upper()} {escape(path)}</code></h2>'
    yield f"<p>{escape(operation['summary'])} <code>{name}</code></p>"
    if given := operation.get("requestBody"):
        schema = given["content"]["application/json"]["schema"]
        yield f"<h3>{say['given']}</h3>" + _fields(schema, schemas, say)
        example = json.dumps(_example(schema), ensure_ascii=False)
        yield f"<pre tabindex=0>curl -d '{escape(example)}' http://127.0.0.1:8000{path}</pre>"
    yield f"<h3>{say['got']}</h3>"
    answers = dict(operation["responses"])
    for kind, value in answers.pop("200")["content"].items():
        yield f"<p><code>{kind}</code></p>" + _fields(value["schema"], schemas, say)
    yield _table(
        [say["code"]], [[code, escape(row["description"])] for code, row in answers.items()]
    )
    yield "</section>"


def _fields(schema: Schema, schemas: Schema, say: dict[str, str]) -> str:
    required = schema.get("required", ())
    rows = [
        [f"<code>{escape(name)}</code>", escape(_type(of, schemas)),
         say["needed"] if name in required else ""]
        for name, of in schema.get("properties", {}).items()
    ]  # fmt: skip
    return _table([say["field"], say["type"]], rows)


def _table(names: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    cells = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><tr>{head}<td></td></tr>{body}</table>"


def _type(schema: Schema, schemas: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"{name} {{{', '.join(schemas[name]['properties'])}}}"
    if "enum" in schema:
        return " | ".join(map(str, schema["enum"]))
    kind = schema.get("type", "any")
    if kind == "array":
        return f"[{_type(schema['items'], schemas)}]"
    if kind == "object" and "properties" in schema:
        inside = (f"{n}: {_type(s, schemas)}" for n, s in schema["properties"].items())
        return f"{{{'; '.join(inside)}}}"
    shown = " | ".join(kind) if isinstance(kind, list) else str(kind)
    return f"{shown} ≤ {schema['maxLength']:,}" if "maxLength" in schema else shown


def _example(schema: Schema) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in schema.get("required", ()):
        of = schema["properties"][name]
        value: Any = of["enum"][0] if "enum" in of else "他说的确实在理"
        found[name] = [value] if of.get("type") == "array" else value
    return found
