"""Answers of the service: JSON as a whole, or in pieces that are encoded and sent in turn."""

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

#: Words and tokens of a piece, whose encoding holds the interpreter for some milliseconds.
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


def short(value: object) -> str:
    """A client's value as shown in a message: at most 41 characters.

    >>> short("x" * 1000) == "'" + "x" * 39 + "…"
    True
    """
    text = repr(value[:100] if isinstance(value, str) else value)
    return text if len(text) <= 40 else text[:40] + "…"


# --- pieces --------------------------------------------------------------------------------------


def pieces_of_words(words: Sequence[str]) -> Iterator[bytes]:
    """``{"words": […]}``.

    >>> b"".join(pieces_of_words(["他", "说"])).decode()
    '{"words":["他","说"]}'
    """
    yield from _joined('{"words":[', _rows(words, WORDS), "]}")


def pieces_of_batch(batch: Sequence[Sequence[str]]) -> Iterator[bytes]:
    """``{"words": [[…], …]}``.

    >>> b"".join(pieces_of_batch([["他"], []])).decode()
    '{"words":[["他"],[]]}'
    """
    yield from _joined('{"words":[', _arrays(batch), "]}")


def pieces_of_tags(pairs: Sequence[tuple[str, str]]) -> Iterator[bytes]:
    """``{"words": […], "tags": […]}``.

    >>> b"".join(pieces_of_tags([("他", "r"), ("说", "v")])).decode()
    '{"words":["他","说"],"tags":["r","v"]}'
    """
    yield from _joined('{"words":[', _rows([word for word, _ in pairs], WORDS), "],")
    yield from _joined('"tags":[', _rows([tag for _, tag in pairs], WORDS), "]}")


def pieces_of_tokens(tokens: Tokens) -> Iterator[bytes]:
    """``{"tokens": […]}``; the rows of a piece are freed with it."""
    yield from _joined('{"tokens":[', _rows(tokens, TOKENS, _token), "]}", WORDS // TOKENS)


def pieces_of_terms(segmenter: Segmenter, text: str, units: Unit) -> Iterator[bytes]:
    """``{"terms": […], "fingerprint": …}``: the folded terms of a text for a search index."""
    from segmenter.search import SearchOptions

    options = SearchOptions(drop=frozenset(("space", "newline", "punct")))
    tokens = segmenter.tokenize(text, mode="index", options=options, units=units)
    suffix = f'],"fingerprint":{json.dumps(segmenter.fingerprint)}}}'
    yield from _joined('{"terms":[', _rows(tokens, TOKENS, _term), suffix, WORDS // TOKENS)


def pieces_of_picture(data: dict[str, Any]) -> Iterator[bytes]:
    """The data of the page: nested objects with lists that may be long.

    >>> b"".join(pieces_of_picture({"spans": [[0, 1]], "running": {"pos": []}})).decode()
    '{"spans":[[0,1]],"running":{"pos":[]}}'
    """
    yield from _joined("", _members(data), "", WORDS // TOKENS)


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
    items: Sequence[Any] | Tokens, size: int, row: Callable[[Any], object] | None = None
) -> Iterator[tuple[bytes, int]]:
    for i in range(0, len(items), size):
        part = items[i : i + size]
        rows = part if row is None else list(map(row, part))
        yield (b"," if i else b"") + encode(rows)[1:-1], len(part)


def _joined(
    prefix: str, parts: Iterable[tuple[bytes, int]], suffix: str, weight: int = 1
) -> Iterator[bytes]:
    """Join parts into pieces of at most :data:`WORDS` words."""
    buffer, size = [prefix.encode()], 0
    for part, count in parts:
        if size and size + count * weight > WORDS:
            yield b"".join(buffer)
            buffer, size = [], 0
        buffer.append(part)
        size += count * weight
    yield b"".join([*buffer, suffix.encode()])


class Computed:
    """An answer that other threads compute, a few at the same time (:class:`Queue`).

    Args:
        pieces: computes the answer and yields its body.  A single piece is sent with its length;
            of several, each is computed after the previous one went to the connection.
    """

    def __init__(self, queue: Queue, pieces: Callable[[], Iterator[bytes]]) -> None:
        self._queue = queue
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._queue:
            if await Request(scope, receive).is_disconnected():
                return  # the client left while the request waited
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
