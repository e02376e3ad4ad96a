"""Segmentation over HTTP: JSON in and out, the page that draws a sentence, health and metrics.

Needs the extra ``[serve]``: Starlette, and uvicorn to run it.  :func:`application` gives the ASGI
application, for any server; ``segmenter serve`` runs it.
"""

from __future__ import annotations

import json
import threading
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.engine import MODES
from segmenter.errors import ArgumentError, MissingExtraError, SegmenterError
from segmenter.types import UNITS
from segmenter.view import graph, page
from segmenter.view.metrics import CONTENT_TYPE, Metrics
from segmenter.view.openapi import describe

try:
    import anyio
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as e:
    raise MissingExtraError("serve", e.name or "starlette", "the service") from e

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from starlette.types import ASGIApp, Receive, Scope, Send

    from segmenter.engine import Segmenter

#: Bytes of the largest request, unless told otherwise.
MAX_BYTES = 1 << 20
#: Characters up to which a text is cut where the request is read: that takes less than 0.2 ms,
#: about what handing it to another thread and back costs.  Longer ones never hold up the others.
SHORT = 2048
#: The same of tokens, each of which becomes an object.
SHORT_TOKENS = 128

# no script or style but our own, nothing from elsewhere: text that became markup could do nothing
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Refused(Exception):
    """A request that gets an error: its status and message."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


class Service:
    """What the routes share: the Segmenter, which reloading swaps, limits and counters.

    Args:
        segmenter: what cuts.
        gallery: makes what the page compares it with, when the page is first asked for something;
            None: no page.
        max_bytes: of a request's body.
        threads: native threads of a batch.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        gallery: Callable[[], graph.Gallery] | None = None,
        *,
        max_bytes: int = MAX_BYTES,
        threads: int = 1,
    ) -> None:
        self.segmenter = segmenter
        self.max_bytes = max_bytes
        self.threads = threads
        self.metrics = Metrics(segmenter.fingerprint)
        self._make_gallery = gallery
        self._gallery: graph.Gallery | None = None
        self._lock = threading.Lock()

    # --- routes ----------------------------------------------------------------------------------

    async def cut(self, request: Request) -> Response:
        given = await self._given(request, "text")
        text = _text(given)
        if len(text) <= SHORT:
            words = self.segmenter.cut(text)
        else:
            words = await run_in_threadpool(self.segmenter.cut, text)
        self.metrics.characters += len(text)
        return answer({"words": words})

    async def cut_batch(self, request: Request) -> Response:
        given = await self._given(request, "texts")
        texts = given["texts"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Refused(400, "texts: an array of strings is wanted")
        words = await run_in_threadpool(self.segmenter.cut_batch, texts, self.threads)
        self.metrics.characters += sum(map(len, texts))
        return await run_in_threadpool(answer, {"words": words})

    async def tokenize(self, request: Request) -> Response:
        given = await self._given(request, "text", "mode", "units")
        text = _text(given)
        mode, units = given.get("mode", MODES[0]), given.get("units", UNITS[0])
        for name, value, known in (("mode", mode, MODES), ("units", units, UNITS)):
            if value not in known:
                raise Refused(400, f"{name}: {value!r} is none of {', '.join(known)}")
        self.metrics.characters += len(text)
        if len(text) <= SHORT_TOKENS:
            return _tokens(self.segmenter, text, mode, units)
        return await run_in_threadpool(_tokens, self.segmenter, text, mode, units)

    async def explain(self, request: Request) -> Response:
        given = await self._given(request, "text", "words")
        text, words = _text(given), given.get("words", "")
        if not isinstance(words, str):
            raise Refused(400, "words: a string is wanted, a word a line")
        body = await run_in_threadpool(self._picture, text, words)
        self.metrics.characters += len(text)
        return body

    async def reload(self, request: Request) -> Response:
        changed = await run_in_threadpool(self.reload_if_changed)
        return answer({"reloaded": changed, "fingerprint": self.segmenter.fingerprint})

    async def health(self, request: Request) -> Response:
        return answer(
            {"status": "ok", "version": __version__, "fingerprint": self.segmenter.fingerprint}
        )

    async def show_metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        return answer(describe(self.max_bytes))

    async def page(self, request: Request) -> Response:
        name = request.path_params.get("name", "page.html")
        if name not in page.ASSETS:
            raise Refused(404, f"no such page: {request.url.path}")
        headers = {**_PAGE_HEADERS, "Content-Type": page.ASSETS[name]}
        return Response(page.asset(name), headers=headers)

    # --- what they do ----------------------------------------------------------------------------

    def reload_if_changed(self) -> bool:
        """Takes the files of the user dictionary anew where they changed; whether they did.

        Requests under way finish on the old words.

        Raises:
            SegmenterError: there are no such files, or they cannot be used: the old words stay.
        """
        with self._lock:
            try:
                new = self.segmenter.reload_if_changed()
            except (SegmenterError, OSError):
                self.metrics.reload_faults += 1
                raise
            if new is self.segmenter:
                return False
            self.segmenter = new
            if self._gallery is not None:
                self._gallery = self._gallery.replace(new.user)
            self.metrics.fingerprint = new.fingerprint
            self.metrics.reloads += 1
            return True

    def _picture(self, text: str, words: str) -> Response:
        if self._make_gallery is None:
            raise Refused(404, "this service was started without the page")
        with self._lock:
            if self._gallery is None:
                self._gallery = self._make_gallery().replace(self.segmenter.user)
            gallery = self._gallery
        return answer(graph.picture(gallery, text, words))

    async def _given(self, request: Request, first: str, *more: str) -> dict[str, Any]:
        """The object in the body; ``first`` must be in it, nothing but ``more`` beside it."""
        body = await self._body(request)
        try:
            given = json.loads(body)
        except (ValueError, RecursionError) as e:
            raise Refused(400, f"the body is no JSON in UTF-8: {e}") from None
        if not isinstance(given, dict) or first not in given:
            raise Refused(400, f'the body is a JSON object with "{first}" in it')
        if unknown := sorted(set(given) - {first, *more}):
            raise Refused(
                400, f"{unknown[0]}: not known here; there are {', '.join((first, *more))}"
            )
        return given

    async def _body(self, request: Request) -> bytes:
        too_long = Refused(413, f"the body has more than {self.max_bytes:,} bytes")
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > self.max_bytes:
            raise too_long
        parts, held = [], 0
        async for part in request.stream():
            held += len(part)
            if held > self.max_bytes:
                raise too_long
            parts.append(part)
        return b"".join(parts)


def _text(given: dict[str, Any]) -> str:
    text = given["text"]
    if not isinstance(text, str):
        raise Refused(400, "text: a string is wanted")
    return text


def _tokens(segmenter: Segmenter, text: str, mode: str, units: str) -> Response:
    rows = [
        {**token._asdict(), "source": token.source.value}
        for token in segmenter.tokenize(text, mode=mode, units=units)
    ]
    return answer({"tokens": rows})


def answer(data: object, code: int = 200) -> Response:
    """JSON in UTF-8; lone surrogates, which UTF-8 cannot hold, as ``\\uXXXX``."""
    try:
        body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        body = json.dumps(data, separators=(",", ":")).encode("ascii")
    return Response(body, code, {"Content-Type": "application/json"})


def application(
    service: Service, background: Callable[[], Coroutine[Any, Any, Any]] | None = None
) -> ASGIApp:
    """The ASGI application over ``service``.

    Args:
        background: runs as long as the application does, such as :func:`watch`.

    >>> from segmenter import load
    >>> app = application(Service(load("fast")))
    """
    routes = [
        Route("/", service.page),
        Route("/health", service.health),
        Route("/metrics", service.show_metrics),
        Route("/openapi.json", service.openapi),
        Route("/v1/cut", service.cut, methods=["POST"]),
        Route("/v1/cut_batch", service.cut_batch, methods=["POST"]),
        Route("/v1/tokenize", service.tokenize, methods=["POST"]),
        Route("/v1/explain", service.explain, methods=["POST"]),
        Route("/v1/reload", service.reload, methods=["POST"]),
        Route("/{name}", service.page),
    ]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            if background is not None:
                tasks.start_soon(background)
            yield
            tasks.cancel_scope.cancel()

    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {
        Refused: _refused,
        404: _not_found,
        405: _wrong_method,
        SegmenterError: _fault,
        OSError: _fault,
        ClientDisconnect: _gone,
        Exception: _bug,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    return _Counted(app, service.metrics, routes)


def error(code: int, message: str) -> Response:
    return answer({"error": {"code": code, "message": message}}, code)


async def _refused(request: Request, e: Refused) -> Response:
    response = error(e.code, e.message)
    if e.code == 413:  # what is still to come is not read
        response.headers["Connection"] = "close"
    return response


async def _not_found(request: Request, e: Exception) -> Response:
    return error(404, f"no such address: {request.url.path}; /openapi.json lists them")


async def _wrong_method(request: Request, e: Exception) -> Response:
    response = error(405, f"{request.method} is not for {request.url.path}")
    response.headers["Allow"] = "POST" if request.url.path.startswith("/v1/") else "GET, HEAD"
    return response


async def _fault(request: Request, e: Exception) -> Response:
    # a dictionary's fault is the operator's, an argument's the client's
    return error(400 if isinstance(e, (ArgumentError, SegmenterError)) else 500, str(e))


async def _bug(request: Request, e: Exception) -> Response:
    # the traceback goes to the log
    return error(500, "a fault of the service: its log says which")


async def _gone(request: Request, e: Exception) -> Response:
    return error(400, "the client went away")


class _Counted:
    """The application with every request counted and timed."""

    def __init__(self, app: ASGIApp, metrics: Metrics, routes: list[Route]) -> None:
        self._app = app
        self._metrics = metrics
        # paths of routes only: what clients make up would be counters without end
        self._paths = {route.path for route in routes} | {f"/{name}" for name in page.ASSETS}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        metrics = self._metrics
        code = 500
        started = time.perf_counter()
        metrics.in_flight += 1

        async def sending(message: Any) -> None:
            nonlocal code
            if message["type"] == "http.response.start":
                code = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        finally:
            metrics.in_flight -= 1
            path = scope["path"] if scope["path"] in self._paths else "other"
            metrics.request(path, code, time.perf_counter() - started)


async def watch(service: Service, seconds: float, say: Callable[[str], object]) -> None:
    """Reloads the user dictionary where its files changed, every ``seconds``; never returns."""
    while True:
        await anyio.sleep(seconds)
        try:
            if await run_in_threadpool(service.reload_if_changed):
                say(f"user dictionary reloaded: {len(service.segmenter.user):,} words")
        except (SegmenterError, OSError) as e:
            say(f"user dictionary not reloaded, the old words stay: {e}")
