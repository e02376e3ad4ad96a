"""Bodies of requests: JSON objects of limited length with the fields of an operation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segmenter.serve.answers import short
from segmenter.serve.limits import Refused, in_thread
from segmenter.serve.operations import check

if TYPE_CHECKING:
    from starlette.requests import Request

    from segmenter.serve.operations import Field

#: Bytes of a body up to which the event loop itself parses the JSON.
SHORT_BODY = 1 << 15


async def read_fields(request: Request, fields: dict[str, Field], max_bytes: int) -> dict[str, Any]:
    """The checked fields of the body, with defaults for absent ones.

    Args:
        max_bytes: largest size of the body.

    Raises:
        Refused: 400 or 413; the message names the field.
    """
    body = await _body(request, max_bytes)
    if len(body) > SHORT_BODY:
        return await in_thread(_fields, body, fields)
    return _fields(body, fields)


def _fields(body: bytes, fields: dict[str, Field]) -> dict[str, Any]:
    try:
        values = json.loads(body.decode("utf-8-sig"))  # json.loads would decode UTF-16 too
    except (ValueError, RecursionError) as e:
        raise Refused(400, f"the body is not JSON in UTF-8: {e}") from None
    if not isinstance(values, dict):
        raise Refused(400, f"the body must be a JSON object with {', '.join(fields)}")
    for name in values.keys() - fields.keys():
        raise Refused(400, f"{short(name)} is not a field of this request: {', '.join(fields)}")
    for name, field in fields.items():
        if name not in values:
            if field.is_required:
                raise Refused(400, f'the body has no field "{name}"')
            values[name] = field.default
        else:
            check(name, values[name], field.schema)
    return values


async def _body(request: Request, max_bytes: int) -> bytes:
    too_long = Refused(413, f"the body has more than {max_bytes:,} bytes")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) > max_bytes:
        raise too_long
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > max_bytes:
            raise too_long
        parts.append(part)
    return b"".join(parts)
