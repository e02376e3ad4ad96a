"""The service, as a process that listens on loopback."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="the extra [serve] is not installed")
pytest.importorskip("uvicorn", reason="the extra [serve] is not installed")

from places import ROOT
from served import Served, send

import segmenter as seg
from segmenter.serve import graph, page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [
    pytest.mark.skipif(
        not (ROOT / "models" / "general.lex").exists(), reason="the models are not built here"
    ),
    pytest.mark.skipif(sys.platform == "win32", reason="no SIGTERM to stop it with"),
]

TEXT = "他说的确实在理，研究生命起源"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    service = Served("--max-bytes", "20000", "-j", "2")
    yield service
    code, err = service.stop()
    assert code == 0
    assert "Traceback" not in err


# --- answers -------------------------------------------------------------------------------------


def test_it_cuts_as_the_library_does(served: Served) -> None:
    s = seg.load()
    for text in ("", TEXT, "a\0b 😀\n在2026年", "长" * 3000, "\ud800他说"):
        got = served.post("/v1/cut", text=text)
        assert (got.code, got.headers["content-type"]) == (200, "application/json")
        assert got.json == {"words": s.cut(text)}
    texts = [TEXT, "", "在理\n", "abc"] * 50
    assert served.post("/v1/cut_batch", texts=texts).json["words"] == [s.cut(t) for t in texts]
    assert served.post("/v1/cut_batch", texts=[]).json == {"words": []}


def test_tokens_are_those_of_the_library(served: Served) -> None:
    s = seg.load()
    for mode in seg.choices.MODES:
        for units in ("codepoints", "utf8", "utf16"):
            got = served.post("/v1/tokenize", text="😀中华人民共和国", mode=mode, units=units)
            expected = s.tokenize("😀中华人民共和国", mode=mode, units=units)
            rows = [{**t._asdict(), "source": t.source.value} for t in expected]
            assert got.json == {"tokens": rows}
    tagged = served.post("/v1/tokenize", text=TEXT, pos=True).json["tokens"]
    assert [(t["text"], t["tag"]) for t in tagged] == s.tag(TEXT)
    got = served.post("/v1/tokenize", text=TEXT * 20, pos=True, mode="index")
    assert (got.code, "use mode='words'" in got.json["error"]["message"]) == (400, True)


def test_tags_and_keywords(served: Served) -> None:
    s = seg.load()
    for text in ("", "我们的城市", "😀城市" * 60):
        got = served.post("/v1/tag", text=text).json
        assert list(zip(got["words"], got["tags"], strict=True)) == s.tag(text)
    got = served.post("/v1/tag", text="我們的城市", stop_words="drop")
    assert got.json == {"words": ["城市"], "tags": ["n"]}
    text = "城市的图书馆在河边，图书馆的书很多"
    for method in ("tfidf", "textrank"):
        keywords_found = served.post("/v1/keywords", text=text, top=2, method=method).json[
            "keywords"
        ]
        expected = seg.keywords.extract_tags(text, 2, method=method, weights=True)
        assert [(row["word"], row["weight"]) for row in keywords_found] == expected
    for top in (0, 1001, 2.5, True, "2"):
        assert served.post("/v1/keywords", text=text, top=top).code == 400


def test_search_terms_are_found_by_neighbours(served: Served) -> None:
    """A text has a query where a path through its terms is one of the text's."""
    got = served.post("/v1/search", text="臺灣大學，ＡＢ", units="utf16")
    assert got.json["fingerprint"] == seg.load().fingerprint
    terms = got.json["terms"]
    assert {"台湾", "大学", "台", "学", "ab"} <= {t["term"] for t in terms}
    assert "，" not in {t["term"] for t in terms}
    query_terms = served.post("/v1/search", text="大学").json["terms"]
    have = {(t["term"], t["position"] - 2, t["position_length"]) for t in terms}
    assert {(t["term"], t["position"], t["position_length"]) for t in query_terms} <= have
    assert served.post("/v1/search", text="他", units="miles").code == 400
    assert len(served.post("/v1/search", text="人民" * 300).json["terms"]) > 600


def test_explain_gives_everything_that_the_page_draws(served: Served) -> None:
    got = served.post("/v1/explain", text=TEXT, words="说的\n在理 = delete").json
    assert got["characters"] == list(TEXT)
    mine = seg.load().with_words(["说的", ("在理", "delete")])
    chosen = next(d for d in got["decoders"] if d["name"] == got["chosen"])
    assert [TEXT[a:b] for a, b in chosen["spans"]] == mine.cut(TEXT)
    assert [TEXT[a:b] for a, b in chosen["before"]] == seg.cut(TEXT)
    assert {d["name"] for d in got["decoders"]} >= {"unigram", "forward-max", "crf", "perceptron"}
    marked = served.post("/v1/explain", text=TEXT, words="坏\tno such level").json
    assert marked["faults"][0]["line"] == 1
    set_ = served.post("/v1/explain", text=TEXT, settings={"preset": "fast", "mode": "index"}).json
    assert (set_["chosen"], set_["running"]["mode"]) == ("perceptron", "index")
    assert set_["choices"]["preset"][:4] == ["", "fast", "balanced", "accurate"]


def test_steps_end_with_the_path(served: Served) -> None:
    got = served.post("/v1/steps", text=TEXT, player="unigram", words="说的").json
    assert got["steps"][-1]["do"] == "done"
    assert [1, 3] in got["steps"][-1]["path"]


@pytest.mark.parametrize(
    ("path", "body", "part"),
    [
        ("/v1/cut", b"{", "not JSON"),
        ("/v1/cut", b"\xff", "not JSON"),
        ("/v1/cut", '{"text": "他"}'.encode("utf-16"), "not JSON in UTF-8"),
        ("/v1/cut", '{"text": "他"}'.encode("utf-32-le"), "not JSON"),
        ("/v1/cut", b'{"text": "\xed\xa0\x80"}', "not JSON in UTF-8"),
        ("/v1/cut", b"[" * 9000, "not JSON"),
        ("/v1/cut", [], "JSON object with text"),
        ("/v1/cut", {}, '"text"'),
        ("/v1/cut", {"text": 3}, "string"),
        ("/v1/cut", {"text": "a", "txet": "b"}, "'txet' is not a field of this request: text"),
        ("/v1/cut_batch", {"texts": "他"}, "array of strings"),
        ("/v1/cut_batch", {"texts": ["他", None]}, "array of strings"),
        ("/v1/tokenize", {"text": "他", "mode": "klingon"}, "words, search"),
        ("/v1/tokenize", {"text": "他", "units": ["utf8"]}, "utf8"),
        ("/v1/tokenize", {"text": "他", "pos": 1}, "pos: expected true or false"),
        ("/v1/explain", {"text": "他", "settings": []}, "an object"),
        ("/v1/explain", {"text": "他", "settings": {"preset": "worst"}}, "fast, balanced"),
        ("/v1/explain", {"text": "他", "settings": {"preset": ["fast"]}}, "fast, balanced"),
        ("/v1/explain", {"text": "他", "settings": {"standard": "msr"}}, "general, pku"),
        ("/v1/steps", {"text": "他", "player": "magic"}, "unigram"),
        ("/v1/steps", {"text": "他"}, 'no field "player"'),
        ("/v1/explain", {"text": "他", "words": 1}, "words"),
    ],
)
def test_wrong_requests_are_refused_by_name(
    served: Served, path: str, body: object, part: str
) -> None:
    got = served.ask("POST", path, body)
    assert got.code == 400
    assert got.json["error"]["code"] == 400
    assert part in got.json["error"]["message"]


def test_a_body_may_begin_with_a_byte_order_mark(served: Served) -> None:
    got = served.ask("POST", "/v1/cut", '{"text": "他说"}'.encode("utf-8-sig"))
    assert got.json == {"words": ["他", "说"]}


def test_words_that_overlap_too_much_are_not_drawn(served: Served) -> None:
    words = "\n".join("人" * k for k in range(1, 40))
    got = served.post("/v1/explain", text="人" * graph.LONGEST, words=words)
    assert got.code == 400
    assert re.fullmatch(
        r"text: too many words overlap \([0-9,]+ pairs of neighbours, 20,000 can be drawn\): "
        "give a part of it, or fewer words",
        got.json["error"]["message"],
    )
    assert served.post("/v1/explain", text="人" * 20, words=words).code == 200


def test_the_answer_of_a_long_text_comes_in_pieces(served: Served) -> None:
    got = served.post("/v1/explain", text="他说的\ud800" * 700, settings={"mode": "index"})
    assert "content-length" not in got.headers
    assert len(got.json["running"]["spans"]) == 2800
    assert got.json["text"] == "他说的\ud800" * 700


def test_no_such_address_and_method(served: Served) -> None:
    for path in ("/nothing", "/v1/nothing", "/../etc/passwd", "/page.py"):
        assert served.ask("GET", path).json["error"]["code"] == 404
    got = served.ask("GET", "/v1/cut")
    assert (got.code, got.headers["allow"]) == (405, "POST")
    assert got.json["error"]["message"] == "'/v1/cut' takes POST, not GET"
    assert served.ask("POST", "/health").code == 405


def test_long_requests_are_refused(served: Served) -> None:
    fits = {"text": "a" * 19_900}
    assert served.ask("POST", "/v1/cut", fits).code == 200
    got = served.ask("POST", "/v1/cut", {"text": "a" * 20_000})
    assert got.code == 413
    assert "20,000" in got.json["error"]["message"]
    got = served.post("/v1/steps", text="他" * 41, player="crf")
    assert got.code == 413
    assert got.json["error"]["message"] == "text: 41 characters: at most 40 are taken"
    # without a length that says so beforehand
    connection = served.connect()
    parts = (b"a" * 1000 for _ in range(1000))
    send(connection, "POST", "/v1/cut", parts, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()
    assert served.post("/v1/cut", text="他说").json == {"words": ["他", "说"]}


def test_health_and_description(served: Served) -> None:
    got = served.ask("GET", "/health").json
    assert got == {
        "status": "ok",
        "version": seg.__version__,
        "fingerprint": seg.load().fingerprint,
    }
    described = served.ask("GET", "/openapi.json").json
    assert described["openapi"] == "3.1.0"
    assert len(described["paths"]) == 10
    for path, methods in described["paths"].items():
        for method in methods:
            assert served.ask(method.upper(), path, b"{}" if method == "post" else None).code < 404
    operations = {
        operation["operationId"]
        for methods in described["paths"].values()
        for operation in methods.values()
    }
    assert operations == {
        "cut", "cut_batch", "tokenize", "tag", "keywords", "search", "explain", "steps", "health",
        "metrics",
    }  # fmt: skip


def counters(served: Served) -> dict[str, float]:
    got = served.ask("GET", "/metrics")
    assert got.headers["content-type"].startswith("text/plain; version=0.0.4")
    rows = [row for row in got.body.decode().splitlines() if not row.startswith("#")]
    assert all(
        re.fullmatch(r'[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+', r) for r in rows
    )
    return {row.rpartition(" ")[0]: float(row.rpartition(" ")[2]) for row in rows}


def test_metrics_count_requests(served: Served) -> None:
    before = counters(served)
    served.post("/v1/cut", text="他说")
    served.post("/v1/cut", txet="他说")
    served.post("/v1/steps", text="他说", player=1)  # nothing of a refused text is counted
    served.ask("GET", "/no/such/path")
    after = counters(served)

    def metric(name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    assert metric('segmenter_requests_total{code="200",path="/v1/cut"}') == 1
    assert metric('segmenter_requests_total{code="400",path="/v1/cut"}') == 1
    assert metric('segmenter_requests_total{code="404",path="other"}') == 1
    assert metric('segmenter_request_seconds_count{path="/v1/cut"}') == 2
    assert metric('segmenter_request_seconds_bucket{le="+Inf",path="/v1/cut"}') == 2
    assert metric("segmenter_characters_total") == 2
    assert after["segmenter_in_flight"] == 0  # this one leaves itself out


def test_the_page_is_sent(served: Served) -> None:
    files = [("/", "html"), ("/page.css", "css")]
    files += [(f"/{module}", "javascript") for module in page.MODULES]
    for path, kind in files:
        got = served.ask("GET", path)
        assert got.code == 200
        assert kind in got.headers["content-type"]
        assert "default-src 'none'" in got.headers["content-security-policy"]
        assert not re.search(rb"""(src|href|import|url\()[=\s('"]*(https?:)?//""", got.body)


# --- dictionaries --------------------------------------------------------------------------------


def test_the_dictionary_is_reloaded(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("说的\n", "utf-8")
    service = Served("--user", str(words), "--reload-local")
    try:
        assert service.post("/v1/cut", text="他说的").json == {"words": ["他", "说的"]}
        assert service.post("/v1/explain", text="他说的").code == 200
        assert service.ask("POST", "/v1/reload").json["reloaded"] is False
        words.write_text("他说的\n", "utf-8")
        got = service.ask("POST", "/v1/reload").json
        assert got["reloaded"] is True
        assert got["fingerprint"] == seg.load(user=words).fingerprint
        assert service.post("/v1/cut", text="他说的").json == {"words": ["他说的"]}
        drawn = service.post("/v1/explain", text="他说的").json
        assert all(d["spans"] == [[0, 3]] for d in drawn["decoders"])
        words.write_text("坏\tno such level\n", "utf-8")
        got = service.ask("POST", "/v1/reload")
        assert got.code == 500
        assert "words.tsv, line 1" in got.json["error"]["message"]
        assert str(tmp_path) not in got.json["error"]["message"]
        words.unlink()
        got = service.ask("POST", "/v1/reload")
        assert got.code == 500
        assert "words.tsv: No such file" in got.json["error"]["message"]
        assert str(tmp_path) not in got.json["error"]["message"]
        assert service.post("/v1/cut", text="他说的").json == {"words": ["他说的"]}
        counts = counters(service)
        assert counts["segmenter_reloads_total"] == 1
        assert counts["segmenter_reload_faults_total"] == 2
    finally:
        code, err = service.stop()
    assert code == 0
    lines = [line for line in err.splitlines() if "not reloaded, the old words stay" in line]
    assert len(lines) == 2
    assert all(str(words) in line for line in lines)


def test_the_dictionary_is_watched(tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("说的\n", "utf-8")
    service = Served("--user", str(words), "--reload", "0.05")
    words.write_text("他说的\n", "utf-8")
    deadline = time.monotonic() + 60
    while service.post("/v1/cut", text="他说的").json != {"words": ["他说的"]}:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    code, err = service.stop()
    assert code == 0
    assert "user dictionary reloaded: 1 words" in err


# --- the process ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_finished(number: signal.Signals) -> None:
    service = Served()
    body = json.dumps({"text": TEXT}).encode()
    with socket.create_connection(("127.0.0.1", service.port), timeout=60) as half:
        head = f"POST /v1/cut HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        half.sendall(head.encode() + body[:10])
        deadline = time.monotonic() + 60
        while counters(service)["segmenter_in_flight"] < 1:
            assert time.monotonic() < deadline
        service.process.send_signal(number)
        deadline = time.monotonic() + 60
        while True:  # no new ones are taken
            try:
                service.ask("GET", "/health")
            except OSError:
                break
            assert time.monotonic() < deadline
        assert service.process.poll() is None
        half.sendall(body[10:])
        got = b""
        while part := half.recv(1 << 16):
            got += part
    assert got.startswith(b"HTTP/1.1 200")
    assert json.loads(got.partition(b"\r\n\r\n")[2]) == {"words": seg.cut(TEXT)}
    _, err = service.process.communicate(timeout=60)
    assert service.process.returncode == 0
    assert b"Finished server process" in err


def test_options_that_cannot_be(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from segmenter.cli import main

    words = tmp_path / "words.tsv"
    words.write_text("云计算\n", "utf-8")
    for line, part in (
        ("serve --port 70000", "--port"),
        ("serve --max-bytes 0", "--max-bytes"),
        ("serve --reload 0", "--reload"),
        ("serve --timeout nan", "--timeout"),
        ("serve --grace -1", "--grace"),
        ("serve --heavy 0", "--heavy"),
        ("serve --reload-local", "no words to reload"),
        (f"serve --reload-token {os.devnull}", "--reload-token"),
        ("serve --reload 1", "no words to reload"),
        (f"serve --workers 2 --reload-local --user {words}", "--reload SECONDS"),
        ("serve -j 1000", "threads"),
    ):
        assert main(line.split()) == 2
        assert part in capfd.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert main(["serve", "--port", str(port)]) == 1
        assert "address already in use" in capfd.readouterr().err
