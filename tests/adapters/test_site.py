"""The site of docs/ is built without a warning, and its search has our words."""

from __future__ import annotations

import functools
import http.server
import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import load
from segmenter.errors import ResourceError

sys.path.append(str(ROOT / "tests" / "serve"))
import browser

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("mkdocs", reason="mkdocs is not installed")
pytest.importorskip("material", reason="mkdocs-material is not installed")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        load()
    except ResourceError:
        pytest.skip("models/ is not built here")
    folder = tmp_path_factory.mktemp("site")
    got = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", folder],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert got.returncode == 0, got.stdout + got.stderr
    return folder


def test_search_has_the_words_of_this_package(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    (start,) = (e for e in entries if e["location"] == "zh/start/")
    page = "".join(e["text"] for e in entries if e["location"].startswith("zh/start/"))
    assert start["title"] == "上手"
    words = page.split("\u200b")
    assert {"默认", "模型", "线程", "繁体"} <= set(words)
    sentence = "第一次调用会载入默认模型"
    assert "\u200b".join(load().cut(sentence)[2:]) in page


def test_search_leaves_results_and_recipes_out(site: Path) -> None:
    entries = json.loads((site / "search" / "search_index.json").read_text("utf-8"))["docs"]
    places = {entry["location"].partition("#")[0] for entry in entries}
    assert "en/repository/ARCHITECTURE/" in places
    folders = ("en/repository/eval/", "en/repository/recipes/")
    assert [place for place in places if place.startswith(folders)] == []


def test_pages_of_the_repository_and_of_the_other_language_are_linked(site: Path) -> None:
    page = (site / "zh" / "accuracy" / "index.html").read_text("utf-8")
    assert 'href="../../en/repository/eval/results/bakeoff/"' in page
    assert (site / "en" / "repository" / "eval" / "results" / "bakeoff" / "index.html").is_file()
    assert 'hreflang="en"' in page
    assert 'href="../../en/accuracy/"' in page
    assert '<html lang="zh"' in page
    assert '<html lang="en"' in (site / "en" / "accuracy" / "index.html").read_text("utf-8")


def test_no_page_asks_another_host(site: Path) -> None:
    for page in site.rglob("index.html"):
        text = page.read_text("utf-8")
        for start in ('src="http', 'rel="stylesheet" href="http', 'rel="preconnect"'):
            assert start not in text, page


def test_all_options_are_on_a_page(site: Path) -> None:
    page = (site / "en" / "commands" / "index.html").read_text("utf-8")
    assert "--no-variants" in page
    assert "segmenter build lexicon" in page


def test_help_is_on_a_page(site: Path) -> None:
    page = (site / "en" / "python" / "index.html").read_text("utf-8")
    for name in ("segmenter.cut", "segmenter.load", "Segmenter.cut", "Segmenter.explain"):
        assert f"{name}<" in page, name


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def test_search_in_a_browser(site: Path, tmp_path: Path) -> None:
    """Material's page with our worker: 安装 finds the page that says how, 大学 finds 臺灣大學."""
    program = browser.find()
    if program is None:
        pytest.skip("no Chromium is installed")
    if not (site / "assets" / "search" / "search_worker.js").is_file():
        pytest.skip("js/build has not made the npm package")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=site)
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    window = browser.Browser(program, tmp_path)
    field = "document.querySelector('[data-md-component=search-query]')"
    titles = "[...document.querySelectorAll('.md-search-result__item h1')]"

    def find(query: str) -> list[str]:
        """The addresses of what is found; as soon as all of it is about this query."""
        window.evaluate(
            f"{field}.focus(); {field}.value = {json.dumps(query)};"
            f"{field}.dispatchEvent(new KeyboardEvent('keyup', {{bubbles: true}}))"
        )
        window.wait(f"{titles}.length && {titles}.every((title) => decodeURIComponent("
                    f"title.closest('a').search).includes({json.dumps(query)}))")  # fmt: skip
        names: list[str] = window.evaluate(f"{titles}.map((title) => title.closest('a').pathname)")
        return names

    try:
        window.open(f"http://127.0.0.1:{server.server_port}/zh/")
        window.wait(f"{field} !== null && document.readyState === 'complete'")
        assert find("安装")[0] == "/zh/start/"
        assert {"/zh/javascript/", "/zh/integrations/sqlite/"} <= set(find("大学"))
        assert "/zh/free-threading/" in find("線程安全")
    finally:
        window.close()
        server.shutdown()
