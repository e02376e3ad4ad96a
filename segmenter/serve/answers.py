"""Answers of the service: JSON as a whole, or in pieces that are made and sent in turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from segmenter.serve.limits import in_thread
from segmenter.text import variants
from segmenter.text.chars import fold_str

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence

    from starlette.types import Receive, Scope, Send

    from segmenter.choices import Unit
    from segmenter.core import Segmenter
    from segmenter.serve.limits import Queue
    from segmenter.types import Token, Tokens

#: Words and tokens of a piece: encoding that many holds the interpreter for some milliseconds.
WORDS = 8192
TOKENS = 512

JSON = {"Content-Type": "application/json"}


def encode(data: object) -> bytes:
    """JSON in UTF-8; lone surrogates, which UTF-8 cannot hold, as ``\\uXXXX``."""
    try:
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":")).encode("ascii")


def answer(data: object, code: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(encode(data), code, {**JSON, **(headers or {})})


def encode_error(code: int, message: str) -> bytes:
    return encode({"error": {"code": code, "message": message}})


def error(code: int, message: str, headers: dict[str, str] | None = None) -> Response:
    return Response(encode_error(code, message), code, {**JSON, **(headers or {})})


def short(given: object) -> str:
    """What a client gave, to be shown in a message; never more than a line of it.

    >>> short("x" * 1000) == "'" + "x" * 39 + "…"
    True
    """
    shown = repr(given[:100] if isinstance(given, str) else given)
    return shown if len(shown) <= 40 else shown[:40] + "…"


# --- pieces --------------------------------------------------------------------------------------


def pieces_of_words(words: Sequence[str]) -> Iterator[bytes]:
    """``{"words": […]}``.

    >>> b"".join(pieces_of_words(["他", "说"])).decode()
    '{"words":["他","说"]}'
    """
    yield from _gathered('{"words":[', _rows(words, WORDS), "]}")


def pieces_of_batch(batch: Sequence[Sequence[str]]) -> Iterator[bytes]:
    """``{"words": [[…], …]}``.

    >>> b"".join(pieces_of_batch([["他"], []])).decode()
    '{"words":[["他"],[]]}'
    """
    yield from _gathered('{"words":[', _arrays(batch), "]}")


def pieces_of_tags(pairs: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    """``{"words": […], "tags": […]}``.

    >>> b"".join(pieces_of_tags([("他", "r"), ("说", "v")])).decode()
    '{"words":["他","说"],"tags":["r","v"]}'
    """
    yield from _gathered('{"words":[', _rows([word for word, _ in pairs], WORDS), "],")
    yield from _gathered('"tags":[', _rows([tag for _, tag in pairs], WORDS), "]}")


def pieces_of_tokens(tokens: Tokens) -> Iterator[bytes]:
    """``{"tokens": […]}``; a token's row is made for its piece and not kept."""
    yield from _gathered('{"tokens":[', _rows(tokens, TOKENS, _token), "]}", WORDS // TOKENS)


def pieces_of_terms(segmenter: Segmenter, text: str, units: Unit) -> Iterator[bytes]:
    """``{"terms": […], "fingerprint": …}``: what a search index takes of a text, terms folded."""
    from segmenter.search import SearchOptions

    options = SearchOptions(drop=frozenset(("space", "newline", "punct")))
    tokens = segmenter.tokenize(text, mode="index", options=options, units=units)
    behind = f'],"fingerprint":{json.dumps(segmenter.fingerprint)}}}'
    yield from _gathered('{"terms":[', _rows(tokens, TOKENS, _term), behind, WORDS // TOKENS)


def pieces_of_picture(data: dict[str, Any]) -> Iterator[bytes]:
    """What the page draws: objects in objects, with lists that may be long.

    >>> b"".join(pieces_of_picture({"spans": [[0, 1]], "running": {"pos": []}})).decode()
    '{"spans":[[0,1]],"running":{"pos":[]}}'
    """
    yield from _gathered("", _members(data), "", WORDS // TOKENS)


def _members(data: Any) -> Iterator[tuple[bytes, int]]:
    if isinstance(data, list) and len(data) > TOKENS:
        yield b"[", 1
        yield from _rows(data, TOKENS)
        yield b"]", 1
    elif isinstance(data, dict):
        for i, (name, value) in enumerate(data.items()):
            yield (b"," if i else b"{") + encode(name) + b":", 1
            yield from _members(value)
        yield b"}" if data else b"{}", 1
    else:
        yield encode(data), 1


def _term(token: Token) -> dict[str, object]:
    return {
        "term": variants.fold_str(fold_str(token.text)),
        "start": token.start,
        "end": token.end,
        "position": token.position,
        "position_length": token.position_length,
    }


def _token(token: Token) -> dict[str, object]:
    return {**token._asdict(), "source": token.source.value}


def _arrays(batch: Sequence[Sequence[str]]) -> Iterator[tuple[bytes, int]]:
    for i, words in enumerate(batch):
        comma = b"," if i else b""
        if len(words) <= WORDS:
            yield comma + encode(words), len(words) + 1
        else:
            yield comma + b"[", 1
            yield from _rows(words, WORDS)
            yield b"]", 1


def _rows(
    items: Sequence[Any] | Tokens, most: int, row: Callable[[Any], object] | None = None
) -> Iterator[tuple[bytes, int]]:
    for i in range(0, len(items), most):
        part = items[i : i + most]
        rows = part if row is None else list(map(row, part))
        yield (b"," if i else b"") + encode(rows)[1:-1], len(part)


def _gathered(
    before: str, parts: Iterable[tuple[bytes, int]], behind: str, weight: int = 1
) -> Iterator[bytes]:
    """Parts joined until they hold :data:`WORDS` words."""
    held, size = [before.encode()], 0
    for part, count in parts:
        if size and size + count * weight > WORDS:
            yield b"".join(held)
            held, size = [], 0
        held.append(part)
        size += count * weight
    yield b"".join([*held, behind.encode()])


class Computed:
    """An answer that other threads compute, as one of the few long ones at once.

    Args:
        pieces: does the work and gives the body.  One piece is sent as it is; several are made one
            after another, each when the one before was handed to the client's connection.
    """

    def __init__(self, queue: Queue, pieces: Callable[[], Iterator[bytes]]) -> None:
        self._queue = queue
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._queue:
            if await Request(scope, receive).is_disconnected():
                return  # while it waited for its turn
            first, second, rest = await in_thread(self._begin)
            response: Response
            if second is None:
                response = Response(first, headers=dict(JSON))
            else:
                response = StreamingResponse(self._stream(first, second, rest), headers=dict(JSON))
            await response(scope, receive, send)

    def _begin(self) -> tuple[bytes, bytes | None, Iterator[bytes]]:
        pieces = self._pieces()
        return next(pieces), next(pieces, None), pieces

    async def _stream(
        self, first: bytes, piece: Any, rest: Iterator[bytes]
    ) -> AsyncIterator[bytes]:
        yield first
        while piece is not None:
            yield piece
            piece = await in_thread(next, rest, None)
