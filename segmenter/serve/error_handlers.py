"""Errors of the service: the answer to the client, and the entry in the operator's log."""

from __future__ import annotations

import os.path
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from segmenter.errors import SegmenterError
from segmenter.serve.answers import error, short
from segmenter.serve.limits import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from starlette.responses import Response


def handlers(
    say: Callable[[str], object],
) -> dict[Any, Callable[[Request, Any], Awaitable[Response]]]:
    """Starlette's handlers of exceptions; ``say`` logs faults that the operator must mend."""

    async def handle(request: Request, e: Any) -> Response:
        if isinstance(e, Refused):
            return error(e.code, e.message, e.headers)
        if isinstance(e, ClientDisconnect):
            return error(400, "the client went away")
        path = request.url.path
        if isinstance(e, HTTPException):
            if e.status_code == 404:
                return error(404, f"there is no {short(path)}: /openapi.json lists what there is")
            allow = "POST" if path.startswith("/v1/") else "GET, HEAD"
            return error(
                405, f"{short(path)} takes {allow}, not {request.method[:40]}", {"Allow": allow}
            )
        # a client's mistakes are Refused: these errors are about the operator's files, and the
        # traceback of any other goes to the log
        if isinstance(e, (SegmenterError, OSError)):
            say(f"{path}: {e}")
        return error(500, "internal error: the log of the service has the details")

    kinds = (Refused, 404, 405, SegmenterError, OSError, ClientDisconnect, Exception)
    return dict.fromkeys(kinds, handle)


def without_folders(e: SegmenterError | OSError) -> str:
    """A message about a file for clients, which shows only its base name.

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
