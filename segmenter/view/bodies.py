"""Bodies of requests: a JSON object of known names, no longer than it may be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segmenter.view.answers import short
from segmenter.view.limits import Refused

if TYPE_CHECKING:
    from starlette.requests import Request

    from segmenter.view.limits import Limits, Workers

#: Bytes of a body up to which its JSON is read by the event loop itself.
SHORT_BODY = 1 << 15


async def given(
    request: Request, limits: Limits, workers: Workers, first: str, *more: str
) -> dict[str, Any]:
    """The object in the body; ``first`` must be in it, nothing but ``more`` beside it."""
    body = await _body(request, limits.max_bytes)
    try:
        if len(body) <= SHORT_BODY:
            found = json.loads(body)
        else:
            found = await workers.run(json.loads, body)
    except (ValueError, RecursionError) as e:
        raise Refused(400, f"the body is not JSON in UTF-8: {e}") from None
    if not isinstance(found, dict) or first not in found:
        raise Refused(400, f'the body is a JSON object with "{first}" in it')
    if unknown := sorted(set(found) - {first, *more}):
        raise Refused(
            400, f"{short(unknown[0])}: not supported; there are {', '.join((first, *more))}"
        )
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


def text_of(given: dict[str, Any]) -> str:
    """The text of a body."""
    text = given["text"]
    if not isinstance(text, str):
        raise Refused(400, "text: expected a string")
    return text
