"""Reads the body of a request: a JSON object with the fields of an operation, of limited length."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segmenter.serve.answers import short
from segmenter.serve.limits import Refused, in_thread
from segmenter.serve.operations import check

if TYPE_CHECKING:
    from starlette.requests import Request

    from segmenter.serve.operations import Field

#: Bytes of a body up to which its JSON is read by the event loop itself.
SHORT_BODY = 1 << 15


async def read_fields(request: Request, fields: dict[str, Field], most: int) -> dict[str, Any]:
    """The fields in the body, each of its type; one that is not given has its default.

    Args:
        most: bytes of the body.

    Raises:
        Refused: 400 or 413; says which field is wrong, and how.
    """
    body = await _body(request, most)
    if len(body) > SHORT_BODY:
        return await in_thread(_fields, body, fields)
    return _fields(body, fields)


def _fields(body: bytes, fields: dict[str, Field]) -> dict[str, Any]:
    try:
        found = json.loads(body.decode("utf-8-sig"))  # of bytes, json.loads takes UTF-16 too
    except (ValueError, RecursionError) as e:
        raise Refused(400, f"the body is not JSON in UTF-8: {e}") from None
    if not isinstance(found, dict):
        raise Refused(400, f"the body must be a JSON object with {', '.join(fields)}")
    for name in found.keys() - fields.keys():
        raise Refused(400, f"{short(name)} is not a field of this request: {', '.join(fields)}")
    for name, field in fields.items():
        if name not in found:
            if field.is_required:
                raise Refused(400, f'the body has no field "{name}"')
            found[name] = field.default
        else:
            check(name, found[name], field.schema)
    return found


async def _body(request: Request, most: int) -> bytes:
    too_long = Refused(413, f"the body has more than {most:,} bytes")
    length = request.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) > most:
        raise too_long
    parts, held = [], 0
    async for part in request.stream():
        held += len(part)
        if held > most:
            raise too_long
        parts.append(part)
    return b"".join(parts)
