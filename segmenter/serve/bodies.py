"""Bodies of requests: a JSON object of known names, no longer than it may be."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from segmenter.choices import MODES
from segmenter.serve.answers import short
from segmenter.serve.limits import Refused
from segmenter.types import UNITS

if TYPE_CHECKING:
    from starlette.requests import Request

    from segmenter.serve.service import Service

#: Bytes of a body up to which its JSON is read by the event loop itself.
SHORT_BODY = 1 << 15
#: Characters of the user's words for one picture: a dictionary is compiled of them every time.
LONGEST_WORDS = 10_000


#: Of each field the type, what a client that gives another is told, and the usual value.
_FIELDS: dict[str, tuple[Any, str, Any]] = {
    "text": (str, "a string", None),
    "texts": (list, "an array of strings", None),
    "player": (str, "a string", None),
    "words": (str, "a string, a word per line", ""),
    "settings": (dict, "an object", {}),
}
#: Fields with one of a few values, the first by default.
_CHOICES = {"mode": MODES, "units": UNITS}


async def given(request: Request, service: Service, first: str, *more: str) -> dict[str, Any]:
    """The object in the body; ``first`` must be in it, nothing but ``more`` beside it.

    Every field is of its type; one of ``more`` that is not there has its usual value.
    """
    body = await _body(request, service.limits.max_bytes)
    try:
        if len(body) <= SHORT_BODY:
            found = json.loads(body)
        else:
            found = await service.pool.run(json.loads, body)
    except (ValueError, RecursionError) as e:
        raise Refused(400, f"the body is not JSON in UTF-8: {e}") from None
    if not isinstance(found, dict) or first not in found:
        raise Refused(400, f'the body is a JSON object with "{first}" in it')
    names = (first, *more)
    if unknown := sorted(set(found) - set(names)):
        raise Refused(400, f"{short(unknown[0])}: not supported; there are {', '.join(names)}")
    return {name: _checked(name, found) for name in names}


def _checked(name: str, found: dict[str, Any]) -> Any:
    if known := _CHOICES.get(name):
        value = found.get(name, known[0])
        if value not in known:
            raise Refused(400, f"{name}: {short(value)} is not one of {', '.join(known)}")
        return value
    kind, expected, usual = _FIELDS[name]
    value = found.get(name, usual)
    if not isinstance(value, kind) or (
        kind is list and not all(isinstance(item, str) for item in value)
    ):
        raise Refused(400, f"{name}: expected {expected}")
    if name == "words" and (length := len(value)) > LONGEST_WORDS:
        raise Refused(400, f"words: {length:,} characters: at most {LONGEST_WORDS:,} are taken")
    return value


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
