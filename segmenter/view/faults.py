"""Errors of the service: what a client is told, and what the operator's log gets."""

from __future__ import annotations

import os.path
from functools import partial
from typing import TYPE_CHECKING, Any

from segmenter.errors import MissingExtraError, SegmenterError
from segmenter.view.answers import error, short
from segmenter.view.limits import Refused

try:
    from starlette.requests import ClientDisconnect, Request
except ImportError as e:
    raise MissingExtraError("serve", e.name or "starlette", "the service") from e

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response


def handlers(
    say: Callable[[str], object],
) -> dict[Any, Callable[[Request, Any], Awaitable[Response]]]:
    """Starlette's handlers of exceptions; ``say`` gets a line about faults of the operator's."""
    return {
        Refused: _refused,
        404: _not_found,
        405: _wrong_method,
        SegmenterError: partial(_fault, say),
        OSError: partial(_fault, say),
        ClientDisconnect: _gone,
        Exception: _bug,
    }


def without_folders(e: SegmenterError | OSError) -> str:
    """A message about a file for those who ask over the network: they learn its base name alone.

    >>> from segmenter.errors import DictionaryError
    >>> without_folders(DictionaryError("/home/zhang/words.tsv", 3, "no word"))
    'words.tsv, line 3: no word'
    """
    path = e.filename if isinstance(e, OSError) else getattr(e, "path", None)
    if not isinstance(path, str):
        return "the service's log says why"
    if isinstance(e, OSError):
        return f"{os.path.basename(path)}: {e.strerror or type(e).__name__}"
    return str(e).replace(path, os.path.basename(path))


async def _refused(request: Request, e: Refused) -> Response:
    return error(e.code, e.message, e.headers)


async def _not_found(request: Request, e: Exception) -> Response:
    return error(404, f"no such address: {short(request.url.path)}; /openapi.json lists them")


async def _wrong_method(request: Request, e: Exception) -> Response:
    response = error(405, f"{short(request.method)} is not for {request.url.path}")
    response.headers["Allow"] = "POST" if request.url.path.startswith("/v1/") else "GET, HEAD"
    return response


async def _fault(say: Callable[[str], object], request: Request, e: Exception) -> Response:
    # what clients give wrong is refused where it is read: this is a file of the operator's
    say(f"{request.url.path}: {e}")
    return error(500, "internal error: the log of the service has the details")


async def _bug(request: Request, e: Exception) -> Response:
    # the traceback goes to the log
    return error(500, "internal error: the log of the service has the details")


async def _gone(request: Request, e: Exception) -> Response:
    return error(400, "the client went away")
