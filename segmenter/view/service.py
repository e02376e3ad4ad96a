"""Segmentation over HTTP: JSON in and out, the page that draws a sentence, health and metrics.

Needs the extra ``[serve]``: Starlette, and uvicorn to run it.  :func:`application` gives the ASGI
application, for any server; ``segmenter serve`` runs it.  The routes stand here; bounds in
``limits``, names and pages of other sites in ``access``, what holds for every request in ``gate``,
the server's connections in ``connections``, how answers are written in ``answers``.
"""

from __future__ import annotations

import json
import logging
import os.path
import threading
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from segmenter._version import __version__
from segmenter.engine import MODES
from segmenter.errors import ArgumentError, DictionaryError, MissingExtraError, SegmenterError
from segmenter.types import UNITS
from segmenter.view import graph, page
from segmenter.view.access import Access
from segmenter.view.answers import (
    JSON,
    Computed,
    answer,
    encode,
    error,
    pieces_of_batch,
    pieces_of_tokens,
    pieces_of_words,
    short,
)
from segmenter.view.gate import Gate
from segmenter.view.limits import Heavy, Limits, Refused, Workers
from segmenter.view.metrics import CONTENT_TYPE, Metrics
from segmenter.view.openapi import describe

try:
    import anyio
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.routing import Route
except ImportError as e:
    raise MissingExtraError("serve", e.name or "starlette", "the service") from e

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator

    from starlette.types import ASGIApp

    from segmenter.engine import Segmenter
    from segmenter.view.connections import Connections

#: Characters up to which a text is cut where the request is read: that takes less than 0.2 ms,
#: about what handing it to another thread and back costs.  Longer ones never hold up the others.
SHORT = 2048
#: The same of tokens, each of which becomes an object.
SHORT_TOKENS = 128
#: Bytes of a body up to which its JSON is read there too.
SHORT_BODY = 1 << 15
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
        given = await self._given(request, "text")
        text = _text(given)
        self.metrics.characters += len(text)
        segmenter = self.segmenter
        if len(text) <= SHORT:
            return answer({"words": segmenter.cut(text)})
        return self._computed(lambda: pieces_of_words(segmenter.cut(text)))

    async def cut_batch(self, request: Request) -> Response | Computed:
        given = await self._given(request, "texts")
        texts = given["texts"]
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise Refused(400, "texts: an array of strings is wanted")
        self.metrics.characters += sum(map(len, texts))
        segmenter = self.segmenter
        return self._computed(lambda: pieces_of_batch(segmenter.cut_batch(texts, self.threads)))

    async def tokenize(self, request: Request) -> Response | Computed:
        given = await self._given(request, "text", "mode", "units")
        text = _text(given)
        mode, units = given.get("mode", MODES[0]), given.get("units", UNITS[0])
        for name, value, known in (("mode", mode, MODES), ("units", units, UNITS)):
            if value not in known:
                raise Refused(400, f"{name}: {short(value)} is none of {', '.join(known)}")
        if len(text) > self.limits.max_tokens:
            raise Refused(
                413,
                f"text: it has {len(text):,} characters, and tokens of at most "
                f"{self.limits.max_tokens:,} are written: cut it at line ends",
            )
        self.metrics.characters += len(text)
        work = partial(self.segmenter.tokenize, text, mode=mode, units=units)
        if len(text) <= SHORT_TOKENS:
            return Response(b"".join(pieces_of_tokens(work())), headers=dict(JSON))
        return self._computed(lambda: pieces_of_tokens(work()))

    async def explain(self, request: Request) -> Computed:
        given = await self._given(request, "text", "words")
        text, words = _text(given), given.get("words", "")
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

    async def _given(self, request: Request, first: str, *more: str) -> dict[str, Any]:
        """The object in the body; ``first`` must be in it, nothing but ``more`` beside it."""
        body = await self._body(request)
        try:
            if len(body) <= SHORT_BODY:
                given = json.loads(body)
            else:
                given = await self.workers.run(json.loads, body)
        except (ValueError, RecursionError) as e:
            raise Refused(400, f"the body is no JSON in UTF-8: {e}") from None
        if not isinstance(given, dict) or first not in given:
            raise Refused(400, f'the body is a JSON object with "{first}" in it')
        if unknown := sorted(set(given) - {first, *more}):
            raise Refused(
                400, f"{short(unknown[0])}: not known here; there are {', '.join((first, *more))}"
            )
        return given

    async def _body(self, request: Request) -> bytes:
        most = self.limits.max_bytes
        too_long = Refused(413, f"the body has more than {most:,} bytes")
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
            raise too_long
        parts, held = [], 0
        async for part in request.stream():
            held += len(part)
            if held > most:
                raise too_long
            parts.append(part)
        return b"".join(parts)


def _text(given: dict[str, Any]) -> str:
    text = given["text"]
    if not isinstance(text, str):
        raise Refused(400, "text: a string is wanted")
    return text


def without_folders(e: SegmenterError | OSError) -> str:
    """A message about a file for those who ask over the network: they learn its base name alone.

    >>> without_folders(DictionaryError("/home/zhang/words.tsv", 3, "no word"))
    'words.tsv, line 3: no word'
    """
    path = e.filename if isinstance(e, OSError) else getattr(e, "path", None)
    if not isinstance(path, str):
        return "the service's log says why"
    if isinstance(e, OSError):
        return f"{os.path.basename(path)}: {e.strerror or type(e).__name__}"
    return str(e).replace(path, os.path.basename(path))


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

    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {
        Refused: _refused,
        404: _not_found,
        405: _wrong_method,
        SegmenterError: partial(_fault, service),
        OSError: partial(_fault, service),
        ClientDisconnect: _gone,
        Exception: _bug,
    }
    app = Starlette(routes=routes, exception_handlers=handlers, lifespan=lifespan)
    return Gate(
        app,
        limits=service.limits,
        access=service.access,
        metrics=service.metrics,
        paths=paths,
        connections=connections,
        say=service.say,
    )


async def _refused(request: Request, e: Refused) -> Response:
    return error(e.code, e.message, e.headers)


async def _not_found(request: Request, e: Exception) -> Response:
    return error(404, f"no such address: {short(request.url.path)}; /openapi.json lists them")


async def _wrong_method(request: Request, e: Exception) -> Response:
    response = error(405, f"{short(request.method)} is not for {request.url.path}")
    response.headers["Allow"] = "POST" if request.url.path.startswith("/v1/") else "GET, HEAD"
    return response


async def _fault(service: Service, request: Request, e: Exception) -> Response:
    # what clients give wrong is refused where it is read: this is a file of the operator's
    service.say(f"{request.url.path}: {e}")
    return error(500, "a fault of the service: its log says which")


async def _bug(request: Request, e: Exception) -> Response:
    # the traceback goes to the log
    return error(500, "a fault of the service: its log says which")


async def _gone(request: Request, e: Exception) -> Response:
    return error(400, "the client went away")


async def watch(service: Service, seconds: float, say: Callable[[str], object]) -> None:
    """Reloads the user dictionary where its files changed, every ``seconds``; never returns."""
    while True:
        await anyio.sleep(seconds)
        try:
            if await service.workers.run(service.reload_if_changed):
                say(f"user dictionary reloaded: {len(service.segmenter.user):,} words")
        except (SegmenterError, OSError) as e:
            say(f"user dictionary not reloaded, the old words stay: {e}")
