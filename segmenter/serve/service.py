"""Segmentation over HTTP: JSON in and out, the page that draws a sentence, health and metrics.

Needs the extra ``[serve]``: Starlette, and uvicorn to run it.  :func:`application` gives the ASGI
application, for any server; ``segmenter serve`` runs it.  The routes stand here; bounds in
``limits``, names and pages of other sites in ``access``, what holds for every request in
``middleware``, bodies in ``bodies``, answers in ``answers``, errors in ``error_handlers``; the
server is in ``server``, ``connections`` and ``processes``.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.errors import ArgumentError, DictionaryError, MissingExtraError, SegmenterError
from segmenter.serve import graph, openapi_page, page, running, steps
from segmenter.serve.access import Access
from segmenter.serve.answers import (
    JSON,
    Computed,
    answer,
    encode,
    pieces_of_batch,
    pieces_of_terms,
    pieces_of_tokens,
    pieces_of_words,
    short,
)
from segmenter.serve.bodies import given
from segmenter.serve.error_handlers import handlers, without_folders
from segmenter.serve.limits import Limits, Queue, Refused, ThreadPool
from segmenter.serve.metrics import CONTENT_TYPE, Metrics
from segmenter.serve.middleware import Middleware
from segmenter.serve.openapi import describe
from segmenter.serve.settings import Settings

try:
    import anyio
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as e:
    raise MissingExtraError("serve", e.name or "starlette", "the service") from e

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from segmenter.segmenter import Segmenter
    from segmenter.serve.gallery import Galleries, Gallery

#: Characters up to which a text is cut where the request is read: that takes less than 0.2 ms,
#: about what handing it to another thread and back costs.  Longer ones never hold up the others.
SHORT = 2048
#: The same of tokens, each of which becomes an object.
SHORT_TOKENS = 128

# no script or style but our own, nothing from elsewhere: text that became markup could do nothing
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Service:
    """What the routes share: the Segmenter, which reloading swaps, limits and counters.

    Args:
        segmenter: what cuts.
        galleries: what the page compares it with; None: no page.
        limits: what a request may cost.
        access: whose requests are taken, and who may reload.
        threads: native threads of a batch.
        say: gets a line about what the operator should know; None: it goes to the logger
            ``segmenter.serve.service``.

    Raises:
        ArgumentError: a limit is not a bound.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        galleries: Galleries | None = None,
        *,
        limits: Limits | None = None,
        access: Access | None = None,
        threads: int = 1,
        say: Callable[[str], object] | None = None,
    ) -> None:
        self.segmenter = segmenter
        self.limits = (limits or Limits()).checked()
        self.access = access or Access()
        self.threads = threads
        self.say = say or logging.getLogger(__name__).warning
        self.metrics = Metrics()
        #: Called where the user dictionary has changed, for the other processes.
        self.tell_others: Callable[[], None] | None = None
        self.pool = ThreadPool()
        self.long_requests = Queue(self.limits.heavy, self.limits.seconds)
        self.galleries = galleries
        self._lock = threading.Lock()

    @property
    def has_page(self) -> bool:
        """Whether the page and what it asks for are served."""
        return self.galleries is not None

    # --- routes ----------------------------------------------------------------------------------

    async def cut(self, request: Request) -> Response | Computed:
        text = (await given(request, self, "text"))["text"]
        self.metrics.characters.inc(len(text))
        segmenter = self.segmenter
        if len(text) <= SHORT:
            return answer({"words": segmenter.cut(text)})
        return self._computed(lambda: pieces_of_words(segmenter.cut(text)))

    async def cut_batch(self, request: Request) -> Computed:
        texts = (await given(request, self, "texts"))["texts"]
        self.metrics.characters.inc(sum(map(len, texts)))
        segmenter = self.segmenter
        return self._computed(lambda: pieces_of_batch(segmenter.cut_batch(texts, self.threads)))

    async def tokenize(self, request: Request) -> Response | Computed:
        body = await given(request, self, "text", "mode", "units")
        segmenter = self.segmenter
        return self._tokens(body, lambda: pieces_of_tokens(segmenter.tokenize(**body)))

    async def search(self, request: Request) -> Response | Computed:
        body = await given(request, self, "text", "units")
        return self._tokens(body, partial(pieces_of_terms, self.segmenter, **body))

    def _tokens(
        self, body: dict[str, Any], pieces: Callable[[], Iterator[bytes]]
    ) -> Response | Computed:
        """Objects of the tokens of a text: at once where there are few."""
        length = len(body["text"])
        if length > self.limits.max_tokens:
            raise Refused(
                413,
                f"text: it has {length:,} characters, and tokens of at most "
                f"{self.limits.max_tokens:,} are written: cut it at line ends",
            )
        self.metrics.characters.inc(length)
        if length <= SHORT_TOKENS:
            return Response(b"".join(pieces()), headers=dict(JSON))
        return self._computed(pieces)

    async def explain(self, request: Request) -> Computed:
        body = await given(request, self, "text", "words", "settings")

        def find(settings: Settings) -> dict[str, Any]:
            assert self.galleries is not None
            found = graph.picture(self._gallery(settings), body["text"], body["words"], settings)
            return {**found, "choices": self.galleries.choices(settings)}

        return self._shown(body, find)

    async def steps(self, request: Request) -> Computed:
        body = await given(request, self, "text", "player", "words", "settings")

        def find(settings: Settings) -> dict[str, Any]:
            gallery, _ = self._gallery(settings).with_lines(body["words"])
            return steps.trace(gallery, body["text"], body["player"])

        return self._shown(body, find)

    def _shown(self, body: dict[str, Any], find: Callable[[Settings], dict[str, Any]]) -> Computed:
        """What the page draws of a text."""
        with _asked_wrongly():
            running.check(body["text"])
            settings = Settings.parse(body["settings"])
        self.metrics.characters.inc(len(body["text"]))

        def pieces() -> Iterator[bytes]:
            with _asked_wrongly():
                found = find(settings)
            yield encode(found)

        return self._computed(pieces)

    def _gallery(self, settings: Settings) -> Gallery:
        assert self.galleries is not None
        with self._lock:
            return self.galleries.of(settings)

    async def reload(self, request: Request) -> Response:
        self.access.check_reload(request.headers, request.client and request.client.host)
        try:
            async with self.long_requests:
                changed = await self.pool.run(self.reload_if_changed)
        except (SegmenterError, OSError) as e:  # the operator's to mend, not the client's
            self.say(f"user dictionary not reloaded, the old words stay: {e}")
            raise Refused(500, f"not reloaded, the old words stay: {without_folders(e)}") from None
        if changed and self.tell_others is not None:
            self.tell_others()
        return answer({"reloaded": changed, "fingerprint": self.segmenter.fingerprint})

    async def health(self, request: Request) -> Response:
        return answer(
            {"status": "ok", "version": __version__, "fingerprint": self.segmenter.fingerprint}
        )

    async def show_metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        return answer(self._described("en"))

    async def docs(self, request: Request) -> Response:
        accepted = request.headers.get("accept-language", "")
        language = request.query_params.get("language") or accepted[:2].lower()
        language = "zh" if language == "zh" else "en"
        html = openapi_page.render(self._described(language), language, self.has_page)
        headers = {**_PAGE_HEADERS, "Content-Type": "text/html; charset=utf-8"}
        return Response(html, headers=headers)

    def _described(self, language: str) -> dict[str, Any]:
        return describe(
            self.limits, page=self.has_page, reload=self.access.reloads, language=language
        )

    async def page(self, request: Request) -> Response:
        name = request.scope["path"].lstrip("/") or "page.html"
        kind = page.kind_of(name)
        if kind is None:
            raise Refused(404, f"no such page: {short(request.url.path)}")
        return Response(page.asset(name), headers={**_PAGE_HEADERS, "Content-Type": kind})

    # --- what they do ----------------------------------------------------------------------------

    def reload_if_changed(self) -> bool:
        """Reloads the files of the user dictionary if they changed; whether they did.

        Requests under way finish on the old words.

        Raises:
            SegmenterError: there are no such files, or they cannot be used: the old words stay.
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
        return Computed(self.long_requests, self.pool, pieces)


@contextmanager
def _asked_wrongly() -> Iterator[None]:
    """A text, words or settings that are not as they should be are the client's matter."""
    try:
        yield
    except (ArgumentError, DictionaryError) as e:
        raise Refused(400, str(e)) from None


def application(
    service: Service,
    background: Callable[[], Coroutine[Any, Any, Any]] | None = None,
) -> ASGIApp:
    """The ASGI application over ``service``.

    Args:
        background: runs as long as the application does, such as :func:`reload_when_asked`.

    >>> from segmenter import load
    >>> app = application(Service(load("fast")))
    """
    posts = [service.cut, service.cut_batch, service.tokenize, service.search, service.reload]
    gets = {
        "/health": service.health,
        "/metrics": service.show_metrics,
        "/openapi.json": service.openapi,
        "/docs": service.docs,
    }
    files = {"/api.css": service.page}
    if service.has_page:
        posts += [service.explain, service.steps]
        files |= {"/": service.page, "/{name}": service.page}
    routes = [Route(f"/v1/{post.__name__}", post, methods=["POST"]) for post in posts]
    routes += [Route(path, get) for path, get in (gets | files).items()]
    names = {route.path: route.path for route in routes} | dict.fromkeys(files, "page")
    if service.has_page:
        names |= {f"/{name}": "page" for name in page.NAMES}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        service.metrics.segments_with(service.segmenter.fingerprint)
        async with anyio.create_task_group() as tasks:
            if background is not None:
                tasks.start_soon(background)
            yield
            tasks.cancel_scope.cancel()

    app = Starlette(routes=routes, exception_handlers=handlers(service.say), lifespan=lifespan)
    return Middleware(app, service, names)


async def reload_when_asked(service: Service, seconds: float | None, now: bool = False) -> None:
    """Reloads the user dictionary at SIGHUP; never returns.

    Args:
        seconds: how often its files are looked at besides; None: never.
        now: whether to begin with it.
    """
    asked = anyio.Event()

    def ask() -> None:
        asked.set()

    if sys.platform != "win32":
        import asyncio

        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, ask)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGHUP,))  # a worker's is blocked
    while True:
        if not now:
            with anyio.move_on_after(seconds):
                await asked.wait()
        now = False
        asked = anyio.Event()
        try:
            if await service.pool.run(service.reload_if_changed):
                service.say(f"user dictionary reloaded: {len(service.segmenter.user):,} words")
        except (SegmenterError, OSError) as e:
            service.say(f"user dictionary not reloaded, the old words stay: {e}")
