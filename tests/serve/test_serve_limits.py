"""Bounds of the service, asked of the ASGI application itself; `test_serve_process.py` listens."""

from __future__ import annotations

import gc
import json
import re
import threading
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

import anyio
import uvicorn
import worlds

from segmenter import Segmenter
from segmenter.errors import ArgumentError
from segmenter.serve import answers, server
from segmenter.serve.access import Access
from segmenter.serve.configuration import Configuration
from segmenter.serve.limits import Limits, in_thread
from segmenter.serve.service import Service, application

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = "他说的确实在理"


class Asked:
    """What one request to the application got."""

    def __init__(self) -> None:
        self.code = 0
        self.headers: dict[str, str] = {}
        self.parts: list[bytes] = []

    @property
    def json(self) -> Any:
        return json.loads(b"".join(self.parts))

    @property
    def message(self) -> str:
        return str(self.json["error"]["message"])


async def ask(
    app: Any,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, str] | None = None,
    client: str = "127.0.0.1",
    sending: Callable[[dict[str, Any]], Any] | None = None,
    leaving: anyio.Event | None = None,
) -> Asked:
    raw = b"" if body is None else json.dumps(body).encode()
    fields = {"host": "localhost", "content-length": str(len(raw)), **(headers or {})}
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(k.encode(), v.encode()) for k, v in fields.items()],
        "client": (client, 5),
        "server": ("127.0.0.1", 8000),
        "state": {},
    }
    got = Asked()
    messages = [{"type": "http.request", "body": raw, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if not messages:
            if leaving is None:
                await anyio.sleep_forever()
            else:
                if not leaving.is_set():
                    await leaving.wait()
                return {"type": "http.disconnect"}
        return messages.pop()

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            got.code = message["status"]
            got.headers = {k.decode().lower(): v.decode() for k, v in message["headers"]}
        else:
            got.parts.append(message.get("body", b""))
        if sending is not None:
            await sending(message)

    await app(scope, receive, send)
    return got


def ask_service(service: Service, *arguments: Any, **options: Any) -> Asked:
    async def run() -> Asked:
        return await ask(application(service), *arguments, **options)

    return anyio.run(run)


@pytest.fixture
def segmenter() -> Segmenter:
    return Segmenter(worlds.lexicon())


# --- what one request may cost -------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["words", "search"])
def test_tokens_are_written_in_pieces_by_other_threads(
    segmenter: Segmenter, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TEXT * 1000
    tokens_whole = segmenter.tokenize(text, mode=mode)
    encoded: list[tuple[int, bool]] = []
    encode = answers.encode

    def watched(data: Any) -> bytes:
        on_the_loop = threading.current_thread() is threading.main_thread()
        encoded.append((len(data), on_the_loop))
        return encode(data)

    monkeypatch.setattr(answers, "encode", watched)
    got = ask_service(Service(segmenter), "POST", "/v1/tokenize", {"text": text, "mode": mode})
    assert got.code == 200
    assert got.json == {
        "tokens": [{**t._asdict(), "source": t.source.value} for t in tokens_whole],
    }
    assert sum(count for count, _ in encoded) == len(tokens_whole)
    assert max(count for count, _ in encoded) <= answers.TOKENS
    assert not any(on_the_loop for _, on_the_loop in encoded)
    assert len([part for part in got.parts if part]) >= len(tokens_whole) // answers.TOKENS
    assert max(map(len, got.parts)) < 1 << 18


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("/v1/cut", {"text": TEXT * 8000}),
        ("/v1/cut_batch", {"texts": [TEXT * 8000, "", TEXT, "他"]}),
        ("/v1/cut_batch", {"texts": ["他"] * 30_000}),
    ],
)
def test_words_are_written_in_pieces(
    segmenter: Segmenter, path: str, given: dict[str, Any]
) -> None:
    got = ask_service(Service(segmenter), "POST", path, given)
    if "text" in given:
        assert got.json == {"words": segmenter.cut(given["text"])}
    else:
        assert got.json == {"words": segmenter.cut_batch(given["texts"])}
    assert len(got.parts) > 3
    assert max(map(len, got.parts)) < 1 << 18


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 8, 9])
def test_pieces_join_to_one_json_value(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "WORDS", 4)
    monkeypatch.setattr(answers, "TOKENS", 2)
    words = ["他\ud800"] * count
    assert json.loads(b"".join(answers.pieces_of_words(words))) == {"words": words}
    for batch in ([words], [words, [], words], [[]] * count, [["a"]] * count):
        assert json.loads(b"".join(answers.pieces_of_batch(batch))) == {"words": batch}
    tokens = Segmenter(worlds.lexicon()).tokenize("他" * count)
    tokens_joined = json.loads(b"".join(answers.pieces_of_tokens(tokens)))
    assert [row["text"] for row in tokens_joined["tokens"]] == ["他"] * count


def counted(service: Service) -> bytes:
    (line,) = re.findall(rb"^segmenter_characters_total .*$", service.metrics.text(), re.M)
    return line


def test_a_text_of_too_many_tokens_is_refused_before_it_is_cut(segmenter: Segmenter) -> None:
    service = Service(segmenter, limits=Limits(max_tokens=100))
    assert ask_service(service, "POST", "/v1/tokenize", {"text": "他" * 100}).code == 200
    before = counted(service)
    got = ask_service(service, "POST", "/v1/tokenize", {"text": "他" * 101})
    assert got.code == 413
    assert "at most 100" in got.message
    assert counted(service) == before
    # words are small: cut is bounded by the bytes alone
    assert ask_service(service, "POST", "/v1/cut", {"text": "他" * 101}).code == 200


def test_few_long_requests_are_under_way_at_once(segmenter: Segmenter) -> None:
    """Those whose answers are not taken keep their place, the others wait, in the end for a 503."""
    service = Service(segmenter, limits=Limits(long_requests=2))
    requests = 34
    working: set[int] = set()
    peak = 0

    async def run() -> list[Asked]:
        app = application(service)
        entered = anyio.Event()

        def sending(number: int) -> Any:
            async def send(message: dict[str, Any]) -> None:
                nonlocal peak
                working.add(number)
                peak = max(peak, len(working))
                await entered.wait()
                if not message.get("more_body", message["type"] == "http.response.start"):
                    working.discard(number)

            return send

        got: list[Asked] = []

        async def send_one(number: int) -> None:
            body = {"texts": ["他说"]}
            path = "/v1/cut_batch"
            got.append(await ask(app, "POST", path, body, sending=sending(number)))

        async with anyio.create_task_group() as tasks:
            for number in range(requests):
                tasks.start_soon(send_one, number)
            while service.long_requests.pending < requests or len(working) < 2:
                await anyio.sleep(0)
            service.long_requests.seconds = 0.001
            refused = await ask(app, "POST", "/v1/cut_batch", {"texts": ["他说"]})
            quick = await ask(app, "POST", "/v1/cut", {"text": "他说"})
            entered.set()
        return [refused, quick, *got]

    refused, quick, *got = anyio.run(run)
    assert (refused.code, refused.headers["retry-after"]) == (503, "1")
    assert refused.message == f"{requests} long requests are waiting: try again"
    assert quick.code == 200
    assert [one.code for one in got] == [200] * requests
    assert peak == 2
    assert service.long_requests.pending == 0


def test_nothing_is_computed_for_a_client_that_left_while_it_waited(segmenter: Segmenter) -> None:
    service = Service(segmenter, limits=Limits(long_requests=1))
    path = "/v1/cut_batch"

    async def run() -> Asked:
        app = application(service)
        async with anyio.create_task_group() as tasks, service.long_requests:
            gone = anyio.Event()
            got = Asked()

            async def leave() -> None:
                answer = await ask(app, "POST", path, {"texts": ["他说"]}, leaving=gone)
                got.parts = answer.parts

            tasks.start_soon(leave)
            while service.long_requests.pending < 2:
                await anyio.sleep(0)
            gone.set()
        return got

    assert anyio.run(run).parts == []
    assert service.long_requests.pending == 0
    assert ask_service(service, "POST", path, {"texts": ["他说"]}).code == 200


def test_what_a_client_gave_is_not_sent_back_at_length(segmenter: Segmenter) -> None:
    service = Service(segmenter)
    for body in ({"text": "", "mode": "x" * 9999}, {"text": "", "y" * 9999: 1}):
        got = ask_service(service, "POST", "/v1/tokenize", body)
        assert got.code == 400
        assert len(got.message) < 200
    got = ask_service(service, "GET", "/" + "z" * 9999)
    assert (got.code, len(got.message) < 200) == (404, True)


def test_limits_that_cannot_be() -> None:
    for limits in (Limits(max_bytes=0), Limits(seconds=float("nan")), Limits(long_requests=0)):
        with pytest.raises(ArgumentError, match="is not"):
            limits.checked()


# --- who may ask ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "code"),
    [
        ("localhost", 200),
        ("LOCALHOST:8000", 200),
        ("127.0.0.1:8000", 200),
        ("[::1]:8000", 200),
        ("10.1.2.3", 200),
        ("cut.example.org", 200),
        ("attacker.example", 421),
        ("localhost.attacker.example", 421),
        ("127.0.0.1.attacker.example", 421),
        ("localhost@attacker.example", 421),
        ("", 421),
    ],
)
def test_a_foreign_host_is_refused(segmenter: Segmenter, host: str, code: int) -> None:
    service = Service(segmenter, access=Access(["Cut.Example.org"]))
    got = ask_service(service, "GET", "/health", headers={"host": host})
    assert got.code == code
    anywhere = Service(segmenter, access=Access(["*"]))
    assert ask_service(anywhere, "GET", "/health", headers={"host": host}).code == 200


@pytest.mark.parametrize("path", ["/v1/cut", "/v1/reload"])
@pytest.mark.parametrize(
    ("origin", "taken"),
    [
        ("http://localhost:8000", True),
        ("https://cut.example.org", True),
        ("http://localhost:3000", False),
        ("http://attacker.example", False),
        ("https://cut.example.org.attacker.example", False),
        ("file://localhost:8000", False),
        ("null", False),
        ("", False),
    ],
)
def test_a_foreign_origin_is_refused(
    segmenter: Segmenter, path: str, origin: str, taken: bool
) -> None:
    for hosts in (["cut.example.org"], ["cut.example.org", "*"]):
        service = Service(segmenter, access=Access(hosts, local_reload=True))
        headers = {"host": "localhost:8000", "origin": origin}
        got = ask_service(service, "POST", path, {"text": "他"}, headers)
        assert (got.code != 403) == taken
        assert taken or "another site" in got.message


def test_reloading_is_off_unless_it_is_allowed(segmenter: Segmenter) -> None:
    token = "0123456789abcdef"

    def code(access: Access, client: str = "127.0.0.1", **headers: str) -> int:
        service = Service(segmenter, access=access, say=said.append)
        return ask_service(service, "POST", "/v1/reload", headers=headers, client=client).code

    said: list[str] = []
    may = 500  # it is tried, and there is no file
    assert code(Access()) == 403
    assert code(Access(local_reload=True)) == may
    assert code(Access(local_reload=True), "::1") == may
    assert code(Access(local_reload=True), "10.0.0.9") == 403
    assert code(Access(local_reload=True), **{"x-forwarded-for": "10.0.0.9"}) == 403
    assert code(Access(token=token)) == 401
    assert code(Access(token=token), authorization="Bearer 0123456789abcdeF") == 401
    assert code(Access(token=token), "10.0.0.9", authorization=f"Bearer {token}") == may
    assert code(Access(token=token, local_reload=True)) == may
    assert len(said) == 4
    assert ask_service(Service(segmenter), "GET", "/openapi.json").json["paths"].keys() == {
        "/v1/cut", "/v1/cut_batch", "/v1/tokenize", "/v1/search", "/v1/tag", "/v1/keywords",
        "/health", "/metrics",
    }  # fmt: skip
    with pytest.raises(ArgumentError, match="16"):
        Access(token="short")


def test_counters_are_added_up_by_another_thread(segmenter: Segmenter) -> None:
    service, threads = Service(segmenter), []

    def text() -> bytes:
        threads.append(threading.current_thread())
        return b"x 1\n"

    service.metrics.text = text  # type: ignore[method-assign]
    assert b"".join(ask_service(service, "GET", "/metrics").parts) == b"x 1\n"
    assert threads != [threading.main_thread()]


def test_what_is_loaded_is_not_gone_through_by_the_collector(
    segmenter: Segmenter, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen: list[int] = []
    stub = lambda app, **options: frozen.append(gc.get_freeze_count())  # noqa: E731
    monkeypatch.setattr(uvicorn, "run", stub)
    monkeypatch.setattr(Configuration, "service", lambda self: Service(segmenter))
    try:
        server.run(Configuration())
    finally:
        gc.unfreeze()
    assert frozen[0] > 10_000


def test_without_the_page_there_is_no_page(segmenter: Segmenter) -> None:
    service = Service(segmenter)
    for method, path in (
        ("GET", "/"), ("GET", "/page.html"), ("GET", "/main.js"), ("POST", "/v1/explain"),
    ):  # fmt: skip
        assert ask_service(service, method, path, {"text": "他"}).code == 404


def test_work_that_is_cancelled_is_not_waited_for() -> None:
    began, go = threading.Event(), threading.Event()

    def work() -> None:
        began.set()
        go.wait()

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(in_thread, work)
            while not began.is_set():
                await anyio.sleep(0)
            tasks.cancel_scope.cancel()
        go.set()  # we are here, and it has not ended

    anyio.run(run)
