"""A client of ``segmenter serve`` that needs nothing but Python's own library.

>>> client = Client("http://127.0.0.1:8000")
>>> client.cut("他说的确实在理")  # doctest: +SKIP
['他', '说', '的', '确实', '在理']
"""

from __future__ import annotations

import http.client
import json
import socket
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from segmenter.errors import ArgumentError, SegmenterError
from segmenter.types import Source, Token

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Client", "Health", "ServiceError", "Term", "Terms"]


class ServiceError(SegmenterError):
    """The service refused a request, or does not answer as it should.

    Attributes:
        code: the HTTP status.
        message: what the service says.
        retry_after: seconds after which to try again, where it says so.
    """

    def __init__(self, code: int, message: str, retry_after: float | None = None) -> None:
        super().__init__(code, message, retry_after)
        self.code = code
        self.message = message
        self.retry_after = retry_after

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Term(NamedTuple):
    """What a search index takes of a text: a folded term and where it stands."""

    term: str
    start: int
    end: int
    position: int
    position_length: int


class Terms(NamedTuple):
    """The terms of a text, and the fingerprint to keep beside the index."""

    terms: list[Term]
    fingerprint: str


class Health(NamedTuple):
    """That the service answers, and with what."""

    status: str
    version: str
    fingerprint: str


class Client:
    """Asks one service; several threads may share it.

    Connections stay open between calls.  Its methods are named as the operations of the service's
    ``/openapi.json``.

    Args:
        address: ``http://HOST:PORT``, with a path where a proxy has it under one, or ``unix:PATH``
            for a Unix socket.  https works too, with the certificates that Python trusts.
        timeout: seconds for connecting and for each read.

    Raises:
        ArgumentError: the address is not one of these.

    >>> with Client("unix:/run/segmenter/http.sock") as client:
    ...     client.health().status  # doctest: +SKIP
    'ok'
    """

    def __init__(self, address: str = "http://127.0.0.1:8000", *, timeout: float = 30.0) -> None:
        self.address = address
        self.timeout = timeout
        self._open: deque[http.client.HTTPConnection] = deque()
        self._unix = address[5:] if address.startswith("unix:") else None
        self._parts = urlsplit(address if self._unix is None else "")
        if self._unix is None and (
            self._parts.scheme not in ("http", "https") or not self._parts.hostname
        ):
            raise ArgumentError(
                f"address: {address!r} is neither http://HOST:PORT, https://HOST nor unix:PATH"
            )

    def cut(self, text: str) -> list[str]:
        """The words of a text."""
        words: list[str] = self._post("/v1/cut", text=text)["words"]
        return words

    def cut_batch(self, texts: Iterable[str]) -> list[list[str]]:
        """The words of many texts, in their order."""
        words: list[list[str]] = self._post("/v1/cut_batch", texts=list(texts))["words"]
        return words

    def tokenize(self, text: str, *, mode: str = "words", units: str = "codepoints") -> list[Token]:
        """Tokens with offsets, as :meth:`segmenter.Segmenter.tokenize` gives them."""
        rows = self._post("/v1/tokenize", text=text, mode=mode, units=units)["tokens"]
        return [Token(**{**row, "source": Source(row["source"])}) for row in rows]

    def search(self, text: str, *, units: str = "codepoints") -> Terms:
        """What a search index takes of a text, and a query asks for."""
        got = self._post("/v1/search", text=text, units=units)
        return Terms([Term(**row) for row in got["terms"]], got["fingerprint"])

    def reload(self, token: str | None = None) -> bool:
        """Has the service read its user dictionary again; whether it had changed.

        Args:
            token: of ``segmenter serve --reload-token``.
        """
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        changed: bool = self._ask("POST", "/v1/reload", b"", headers)["reloaded"]
        return changed

    def health(self) -> Health:
        """Whether the service answers, and with what."""
        return Health(**self._ask("GET", "/health"))

    def close(self) -> None:
        """Closes connections; the client can be used again."""
        while self._open:
            self._open.pop().close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    # ---------------------------------------------------------------------------------------------

    def _post(self, path: str, **fields: object) -> Any:
        try:
            body = json.dumps(fields, ensure_ascii=False).encode()
        except UnicodeEncodeError:  # lone surrogates, which UTF-8 cannot hold
            body = json.dumps(fields).encode()
        return self._ask("POST", path, body)

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        sent = {**({} if body is None else {"Content-Type": "application/json"}), **(headers or {})}
        while True:
            try:
                connection, used = self._open.pop(), True
            except IndexError:
                connection, used = self._connection(), False
            try:
                connection.request(method, self._parts.path.rstrip("/") + path, body, sent)
                got = connection.getresponse()
                raw = got.read()
                break
            except (http.client.RemoteDisconnected, ConnectionError):
                connection.close()
                if not used:  # one that was kept open may have been closed meanwhile
                    raise
            except BaseException:
                connection.close()
                raise
        if got.will_close:
            connection.close()
        else:
            self._open.append(connection)
        return _answer(got, raw)

    def _connection(self) -> http.client.HTTPConnection:
        if self._unix is not None:
            return _UnixConnection(self._unix, self.timeout)
        secure = self._parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        return kind(self._parts.hostname or "", self._parts.port, timeout=self.timeout)


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self._path)
        except OSError as e:  # it does not say which file
            self.sock.close()
            if e.errno is None:
                raise
            raise type(e)(e.errno, e.strerror, self._path) from None


def _answer(got: http.client.HTTPResponse, raw: bytes) -> Any:
    try:
        found = json.loads(raw)
    except ValueError:
        raise ServiceError(got.status, "the answer is not JSON: is this the service?") from None
    if got.status == 200:
        return found
    error = found.get("error") if isinstance(found, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    after = got.headers.get("Retry-After", "")
    raise ServiceError(
        got.status, str(message or got.reason), float(after) if after.isdigit() else None
    )
