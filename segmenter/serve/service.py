"""Segmentation over HTTP: JSON in and out, the page that draws a sentence, health and metrics.

Needs the extra ``[serve]``: Starlette, and uvicorn to run it.  :func:`application` returns the ASGI
application, for any server; ``segmenter serve`` runs it.  ``operations`` declares the operations
and this module implements them; ``limits`` has the bounds, ``access`` the checks of host names and
origins, ``middleware`` the code for every request, ``bodies`` the request bodies, ``answers`` the
answers, ``error_handlers`` the errors.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from segmenter.errors import ArgumentError, DictionaryError, MissingExtraError, SegmenterError

try:  # before modules of this package that import them
    import anyio
    import prometheus_client  # noqa: F401
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as e:
    raise MissingExtraError("serve", e.name or "starlette", "the service") from e

from segmenter._version import __version__
from segmenter.keywords import METHODS, StopWords
from segmenter.serve import graph, page, steps
from segmenter.serve.access import Access
from segmenter.serve.answers import (
    JSON,
    Computed,
    answer,
    encode,
    pieces_of_batch,
    pieces_of_picture,
    pieces_of_tags,
    pieces_of_terms,
    pieces_of_tokens,
    pieces_of_words,
    short,
)
from segmenter.serve.bodies import read_fields
from segmenter.serve.error_handlers import handlers, without_folders
from segmenter.serve.limits import Limits, Queue, Refused, in_thread
from segmenter.serve.metrics import CONTENT_TYPE, FOLDER, Metrics
from segmenter.serve.middleware import Middleware
from segmenter.serve.openapi import describe
from segmenter.serve.operations import operations
from segmenter.serve.settings import Settings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from segmenter.choices import Unit
    from segmenter.core import Segmenter
    from segmenter.serve.gallery import Galleries, Gallery
    from segmenter.serve.operations import Operation

#: Characters up to which a text is cut in the event loop.  It takes less than 0.2 ms, about as long
#: as passing it to another thread; longer texts would delay other requests.
SHORT = 2048
#: The same for requests whose tokens become objects.
SHORT_TOKENS = 128

# only scripts and styles of the page itself: injected markup would have no effect
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Service:
    """The routes and their state: the Segmenter, which reloading replaces, limits and counters.

    Args:
        galleries: Segmenters that the page compares; None: no page.
        limits: bounds of a request.
        access: which requests are accepted, and which may reload.
        threads: native threads per batch.
        workers: processes of the server, each with a Service of its own.
        say: logs a line for the operator; None: the logger ``segmenter.serve.service``.

    Raises:
        ArgumentError: a limit is too small or not finite.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        galleries: Galleries | None = None,
        *,
        limits: Limits | None = None,
        access: Access | None = None,
        threads: int = 1,
        workers: int = 1,
        say: Callable[[str], object] | None = None,
    ) -> None:
        self.segmenter = segmenter
        self.limits = (limits or Limits()).checked()
        self.access = access or Access()
        self.threads = threads
        self.say = say or logging.getLogger(__name__).warning
        self.metrics = Metrics()
        self.workers = workers
        self.long_requests = Queue(self.limits.long_requests, self.limits.seconds)
        self.galleries = galleries
        self.operations = operations(self.limits, page=self.has_page)
        self._lock = threading.Lock()

    @property
    def has_page(self) -> bool:
        """Whether the page and its operations are served."""
        return self.galleries is not None

    # --- routes ----------------------------------------------------------------------------------

    async def cut(self, request: Request, text: str) -> Response | Computed:
        self.metrics.characters.inc(len(text))
        segmenter = self.segmenter
        if len(text) <= SHORT:
            return answer({"words": segmenter.cut(text)})
        return self._computed(lambda: pieces_of_words(segmenter.cut(text)))

    async def cut_batch(self, request: Request, texts: list[str]) -> Computed:
        segmenter = self.segmenter

        def pieces() -> Iterator[bytes]:
            self.metrics.characters.inc(sum(map(len, texts)))
            yield from pieces_of_batch(segmenter.cut_batch(texts, self.threads))

        return self._computed(pieces)

    async def tokenize(self, request: Request, text: str, **options: Any) -> Response | Computed:
        segmenter = self.segmenter

        def pieces() -> Iterator[bytes]:
            with _client_errors():  # options that exclude each other
                tokens = segmenter.tokenize(text, **options)
            yield from pieces_of_tokens(tokens)

        return self._tokens(text, pieces)

    async def tag(self, request: Request, text: str, stop_words: str) -> Response | Computed:
        segmenter = self.segmenter

        def pieces() -> Iterator[bytes]:
            pairs = segmenter.tag(text)
            if stop_words == "drop":
                pairs = StopWords().drop(pairs)
            yield from pieces_of_tags(pairs)

        return self._tokens(text, pieces)

    async def keywords(
        self, request: Request, text: str, top: int, method: str
    ) -> Response | Computed:
        segmenter = self.segmenter

        def pieces() -> Iterator[bytes]:
            ranked = METHODS[method](segmenter).extract(text, top)
            yield encode({"keywords": [{"word": w, "weight": weight} for w, weight in ranked]})

        return self._tokens(text, pieces)

    async def search(self, request: Request, text: str, units: Unit) -> Response | Computed:
        return self._tokens(text, partial(pieces_of_terms, self.segmenter, text, units))

    def _tokens(self, text: str, pieces: Callable[[], Iterator[bytes]]) -> Response | Computed:
        """An answer with objects of tokens: computed here for a short text."""
        self.metrics.characters.inc(len(text))
        if len(text) <= SHORT_TOKENS:
            return Response(b"".join(pieces()), headers=dict(JSON))
        return self._computed(pieces)

    async def explain(
        self, request: Request, text: str, words: str, settings: dict[str, Any]
    ) -> Computed:
        def compute(chosen: Settings) -> dict[str, Any]:
            assert self.galleries is not None
            data = graph.picture(self._gallery(chosen), text, words, chosen)
            return {**data, "choices": self.galleries.choices(chosen)}

        return self._picture(text, settings, compute)

    async def steps(
        self, request: Request, text: str, player: str, words: str, settings: dict[str, Any]
    ) -> Computed:
        def compute(chosen: Settings) -> dict[str, Any]:
            gallery, _ = self._gallery(chosen).with_lines(words)
            return steps.trace(gallery, text, player)

        return self._picture(text, settings, compute)

    def _picture(
        self, text: str, settings: dict[str, Any], compute: Callable[[Settings], dict[str, Any]]
    ) -> Computed:
        """An answer with data for the page."""
        with _client_errors():
            chosen = Settings.parse(settings)
        self.metrics.characters.inc(len(text))

        def pieces() -> Iterator[bytes]:
            with _client_errors():
                data = compute(chosen)
            yield from pieces_of_picture(data)

        return self._computed(pieces)

    def _gallery(self, settings: Settings) -> Gallery:
        assert self.galleries is not None
        with self._lock:
            return self.galleries.of(settings)

    async def reload(self, request: Request) -> Response:
        self.access.check_reload(request.headers, request.client and request.client.host)
        try:
            async with self.long_requests:
                changed = await in_thread(self.reload_if_changed)
        except (
            SegmenterError,
            OSError,
        ) as e:  # a fault of the operator's files, not of the request
            self.say(f"user dictionary not reloaded, the old words stay: {e}")
            raise Refused(500, f"not reloaded, the old words stay: {without_folders(e)}") from None
        return answer({"reloaded": changed, "fingerprint": self.segmenter.fingerprint})

    async def health(self, request: Request) -> Response:
        return answer(
            {"status": "ok", "version": __version__, "fingerprint": self.segmenter.fingerprint}
        )

    async def metrics_text(self, request: Request) -> Response:
        if self.workers > 1 and FOLDER not in os.environ:
            raise Refused(
                501,
                f"this is one of {self.workers} processes, whose counters are summed only if"
                f" {FOLDER} names an empty folder when the service starts",
            )
        # every process, also an ended one, has files to read, and every reload adds a line
        text = await in_thread(self.metrics.text)
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        listed = [o for o in self.operations if o.name != "reload" or self.access.reloads]
        return answer(describe(listed, self.limits))

    async def page(self, request: Request) -> Response:
        name = request.scope["path"].lstrip("/") or "page.html"
        kind = page.kind_of(name)
        if kind is None:
            raise Refused(404, f"no such page: {short(request.url.path)}")
        return Response(page.asset(name), headers={**_PAGE_HEADERS, "Content-Type": kind})

    # --- reloading -------------------------------------------------------------------------------

    def reload_if_changed(self) -> bool:
        """Reload the files of the user dictionary if they changed; return whether they did.

        Requests under way finish on the old words.

        Raises:
            SegmenterError: there are no files, or they cannot be used: the old words stay.
        """
        with self._lock:
            try:
                new = self.segmenter.reload_if_changed()
            except (SegmenterError, OSError):
                self.metrics.reload_errors.inc()
                raise
            if new is self.segmenter:
                return False
            self.segmenter = new
            if self.galleries is not None:
                self.galleries.replace(new.user)
            self.metrics.segments_with(new.fingerprint)
            self.metrics.reloads.inc()
            return True

    def _computed(self, pieces: Callable[[], Iterator[bytes]]) -> Computed:
        return Computed(self.long_requests, pieces)


@contextmanager
def _client_errors() -> Iterator[None]:
    """Turn errors about a text, words or settings into answers 400."""
    try:
        yield
    except (ArgumentError, DictionaryError) as e:
        raise Refused(400, str(e)) from None


def application(service: Service, *, watches: bool = False, every: float | None = None) -> ASGIApp:
    """The ASGI application over ``service``.

    Args:
        watches: whether it reloads the user dictionary at SIGHUP, see :func:`watch_user_files`.
        every: seconds between checks whether the files of the user dictionary have changed.

    >>> from segmenter import load
    >>> app = application(Service(load("fast")))
    """
    routes = [_route(service, operation) for operation in service.operations]
    routes.append(Route("/openapi.json", service.openapi))
    names = {route.path: route.path for route in routes}
    if service.has_page:
        routes += [Route("/", service.page), Route("/{name}", service.page)]
        names |= dict.fromkeys(["/", *(f"/{name}" for name in page.NAMES)], "page")

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.metrics.segments_with(service.segmenter.fingerprint)
        async with anyio.create_task_group() as tasks:
            if watches:
                tasks.start_soon(watch_user_files, service, every)
            yield
            tasks.cancel_scope.cancel()
        service.metrics.ended()

    app = Starlette(routes=routes, exception_handlers=handlers(service.say), lifespan=lifespan)
    return Middleware(app, service.access, service.metrics, names)


def _route(service: Service, operation: Operation) -> Route:
    """The route of an operation, which passes checked fields as arguments to its method."""
    method = "metrics_text" if operation.name == "metrics" else operation.name
    handler, fields = getattr(service, method), operation.fields

    async def endpoint(request: Request) -> Any:
        if fields is None:
            return await handler(request)
        arguments = await read_fields(request, fields, service.limits.max_bytes)
        return await handler(request, **arguments)

    return Route(operation.path, endpoint, methods=[operation.method.upper()])


async def watch_user_files(service: Service, every: float | None) -> None:
    """Reload the user dictionary at SIGHUP, if the event loop can handle signals; never returns.

    Args:
        every: seconds between checks of its files; None: no checks.
    """
    requested = anyio.Event()

    def request_reload() -> None:
        requested.set()

    if sys.platform != "win32" and threading.current_thread() is threading.main_thread():
        import asyncio

        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, request_reload)
    while True:
        with anyio.move_on_after(every):
            await requested.wait()
        requested = anyio.Event()
        try:
            if await in_thread(service.reload_if_changed):
                service.say(f"user dictionary reloaded: {len(service.segmenter.user):,} words")
        except (SegmenterError, OSError) as e:
            service.say(f"user dictionary not reloaded, the old words stay: {e}")
