"""Segmentation over HTTP: JSON in and out, the page that draws a sentence, health and metrics.

Needs the extra ``[serve]``: Starlette, and uvicorn to run it.  :func:`application` gives the ASGI
application, for any server; ``segmenter serve`` runs it.  The routes stand here; bounds in
``limits``, names and pages of other sites in ``access``, what holds for every request in ``gate``,
the server's connections in ``connections``, bodies in ``bodies``, answers in ``answers``, errors in
``faults``.
"""

from __future__ import annotations

import logging
import threading
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.choices import MODES
from segmenter.errors import ArgumentError, DictionaryError, MissingExtraError, SegmenterError
from segmenter.types import UNITS
from segmenter.view import graph, page
from segmenter.view.access import Access
from segmenter.view.answers import (
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
from segmenter.view.bodies import given, text_of
from segmenter.view.faults import handlers, without_folders
from segmenter.view.gate import Gate
from segmenter.view.limits import Heavy, Limits, Refused, Workers
from segmenter.view.metrics import CONTENT_TYPE, Metrics
from segmenter.view.openapi import describe

try:
    import anyio
    from starlette.applications import Starlette
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as e:
    raise MissingExtraError("serve", e.name or "starlette", "the service") from e

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp

    from segmenter.segmenter import Segmenter
    from segmenter.view.connections import Connections

#: Characters up to which a text is cut where the request is read: that takes less than 0.2 ms,
#: about what handing it to another thread and back costs.  Longer ones never hold up the others.
SHORT = 2048
#: The same of tokens, each of which becomes an object.
SHORT_TOKENS = 128
#: Characters of the user's words for one picture: a dictionary is compiled of them every time.
LONGEST_WORDS = 10_000

# no script or style but our own, nothing from elsewhere: text that became markup could do nothing
_PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


class Service:
    """What the routes share: the Segmenter, which reloading swaps, limits and counters.

    Args:
        segmenter: what cuts.
        gallery: makes what the page compares it with, when the page is first asked for something;
            None: no page.
        limits: what a request may cost.
        access: whose requests are taken, and who may reload.
        threads: native threads of a batch.
        say: gets a line about what the operator should know; None: it goes to the logger
            ``segmenter.view.service``.

    Raises:
        ArgumentError: a limit is no bound.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        gallery: Callable[[], graph.Gallery] | None = None,
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
        self.metrics = Metrics(segmenter.fingerprint)
        self.workers = Workers()
        self.heavy = Heavy(self.limits.heavy)
        self._make_gallery = gallery
        self._gallery: graph.Gallery | None = None
        self._lock = threading.Lock()

    @property
    def has_page(self) -> bool:
        """Whether the page and what it asks for are served."""
        return self._make_gallery is not None

    # --- routes ----------------------------------------------------------------------------------

    async def cut(self, request: Request) -> Response | Computed:
        body = await self._given(request, "text")
        text = text_of(body)
        self.metrics.characters += len(text)
        segmenter = self.segmenter
        if len(text) <= SHORT:
            return answer({"words": segmenter.cut(text)})
        return self._computed(lambda: pieces_of_words(segmenter.cut(text)))

    async def cut_batch(self, request: Request) -> Response | Computed:
        body = await self._given(request, "texts")
        texts = body["texts"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Refused(400, "texts: an array of strings is wanted")
        self.metrics.characters += sum(map(len, texts))
        segmenter = self.segmenter
        return self._computed(lambda: pieces_of_batch(segmenter.cut_batch(texts, self.threads)))

    async def tokenize(self, request: Request) -> Response | Computed:
        body = await self._given(request, "text", "mode", "units")
        text = text_of(body)
        mode, units = body.get("mode", MODES[0]), body.get("units", UNITS[0])
        for name, value, known in (("mode", mode, MODES), ("units", units, UNITS)):
            if value not in known:
                raise Refused(400, f"{name}: {short(value)} is none of {', '.join(known)}")
        self._check_tokens(text)
        self.metrics.characters += len(text)
        work = partial(self.segmenter.tokenize, text, mode=mode, units=units)
        if len(text) <= SHORT_TOKENS:
            return Response(b"".join(pieces_of_tokens(work())), headers=dict(JSON))
        return self._computed(lambda: pieces_of_tokens(work()))

    def _check_tokens(self, text: str) -> None:
        if len(text) > self.limits.max_tokens:
            raise Refused(
                413,
                f"text: it has {len(text):,} characters, and tokens of at most "
                f"{self.limits.max_tokens:,} are written: cut it at line ends",
            )

    async def search(self, request: Request) -> Response | Computed:
        body = await self._given(request, "text", "units")
        text, units = text_of(body), body.get("units", UNITS[0])
        if units not in UNITS:
            raise Refused(400, f"units: {short(units)} is none of {', '.join(UNITS)}")
        self._check_tokens(text)
        self.metrics.characters += len(text)
        work = partial(pieces_of_terms, self.segmenter, text, units)
        if len(text) <= SHORT_TOKENS:
            return Response(b"".join(work()), headers=dict(JSON))
        return self._computed(work)

    async def explain(self, request: Request) -> Computed:
        body = await self._given(request, "text", "words")
        text, words = text_of(body), body.get("words", "")
        if not isinstance(words, str):
            raise Refused(400, "words: a string is wanted, a word a line")
        if len(words) > LONGEST_WORDS:
            raise Refused(400, f"words: at most {LONGEST_WORDS:,} characters are taken")
        self.metrics.characters += len(text)
        return self._computed(lambda: self._picture(text, words))

    async def reload(self, request: Request) -> Response:
        self.access.check_reload(request.headers, request.client and request.client.host)
        try:
            async with self.heavy:
                changed = await self.workers.run(self.reload_if_changed)
        except (SegmenterError, OSError) as e:  # the operator's to mend, not the client's
            self.say(f"user dictionary not reloaded, the old words stay: {e}")
            raise Refused(500, f"not reloaded, the old words stay: {without_folders(e)}") from None
        return answer({"reloaded": changed, "fingerprint": self.segmenter.fingerprint})

    async def health(self, request: Request) -> Response:
        return answer(
            {"status": "ok", "version": __version__, "fingerprint": self.segmenter.fingerprint}
        )

    async def show_metrics(self, request: Request) -> Response:
        return Response(self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})

    async def openapi(self, request: Request) -> Response:
        return answer(describe(self.limits, page=self.has_page, reload=self.access.reloads))

    async def page(self, request: Request) -> Response:
        name = request.path_params.get("name", "page.html")
        if name not in page.ASSETS:
            raise Refused(404, f"no such page: {short(request.url.path)}")
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

    def _given(self, request: Request, *names: str) -> Awaitable[dict[str, Any]]:
        return given(request, self.limits, self.workers, *names)

    def _computed(self, pieces: Callable[[], Iterator[bytes]]) -> Computed:
        return Computed(self.heavy, self.workers, pieces)

    def _picture(self, text: str, words: str) -> Iterator[bytes]:
        assert self._make_gallery is not None
        with self._lock:
            if self._gallery is None:
                self._gallery = self._make_gallery().replace(self.segmenter.user)
            gallery = self._gallery
        try:
            picture = graph.picture(gallery, text, words)
        except (ArgumentError, DictionaryError) as e:  # text or words are not as they should be
            raise Refused(400, str(e)) from None
        yield encode(picture)


def application(
    service: Service,
    background: Callable[[], Coroutine[Any, Any, Any]] | None = None,
    connections: Connections | None = None,
) -> ASGIApp:
    """The ASGI application over ``service``.

    Args:
        background: runs as long as the application does, such as :func:`watch`.
        connections: of the server, where it reports them: they get time limits.

    >>> from segmenter import load
    >>> app = application(Service(load("fast")))
    """
    routes = [
        Route("/health", service.health),
        Route("/metrics", service.show_metrics),
        Route("/openapi.json", service.openapi),
        Route("/v1/cut", service.cut, methods=["POST"]),
        Route("/v1/cut_batch", service.cut_batch, methods=["POST"]),
        Route("/v1/tokenize", service.tokenize, methods=["POST"]),
        Route("/v1/search", service.search, methods=["POST"]),
        Route("/v1/reload", service.reload, methods=["POST"]),
    ]
    paths = {route.path for route in routes}
    if service.has_page:
        explain = Route("/v1/explain", service.explain, methods=["POST"])
        routes += [explain, Route("/", service.page), Route("/{name}", service.page)]
        paths |= {"/", explain.path, *(f"/{name}" for name in page.ASSETS)}

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            if background is not None:
                tasks.start_soon(background)
            yield
            tasks.cancel_scope.cancel()

    app = Starlette(routes=routes, exception_handlers=handlers(service.say), lifespan=lifespan)
    return Gate(
        app,
        limits=service.limits,
        access=service.access,
        metrics=service.metrics,
        paths=paths,
        connections=connections,
        say=service.say,
    )


async def watch(service: Service, seconds: float, say: Callable[[str], object]) -> None:
    """Reloads the user dictionary where its files changed, every ``seconds``; never returns."""
    while True:
        await anyio.sleep(seconds)
        try:
            if await service.workers.run(service.reload_if_changed):
                say(f"user dictionary reloaded: {len(service.segmenter.user):,} words")
        except (SegmenterError, OSError) as e:
            say(f"user dictionary not reloaded, the old words stay: {e}")
