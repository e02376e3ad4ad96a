"""``python -m eval.site_search``: what search engines of static sites find in Chinese text by
themselves, and with the terms of the npm package; how large their indexes are.

The documents and queries of ``eval.retrieval``; MiniSearch, FlexSearch, lunr and Orama in Node,
Pagefind in Chromium.  It needs both, npm, and ``js/segmenter-zh-VERSION.tgz``, which ``js/build``
makes; the engines come from npm.  Results: ``eval/results/site_search.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.retrieval.documents import SEED, documents, queries

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eval.retrieval.documents import Query

HERE = Path(__file__).resolve().parent
JS = common.ROOT / "js"
ENGINES = (
    "minisearch@7.2.0", "flexsearch@0.8.212", "lunr@2.3.9", "@orama/orama@3.1.18",
    "@orama/tokenizers@3.1.18", "pagefind@1.6.0",
)  # fmt: skip
#: Answers with the numbers of the documents that Pagefind finds.
PAGE = """<!DOCTYPE html><html lang="zh"><meta charset="utf-8"><script type="module">
import * as pagefind from "./%s/pagefind.js";
await pagefind.init();
window.ask = async (query) => {
  const { results } = await pagefind.search(query);
  const pages = await Promise.all(results.map((hit) => hit.data()));
  window.answer = pages.map(({ url }) => Number(url.replace(/\\D/g, "")));
};
</script></html>"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def in_chromium(folder: Path, name: str, asked: Sequence[str]) -> dict[str, Any]:
    """What an index of Pagefind in a folder of this name finds."""
    sys.path.append(str(common.ROOT / "tests" / "serve"))
    browser = import_module("browser")
    program = browser.find()
    if program is None:
        raise SystemExit("no Chromium is installed")
    files = [*(folder / name).rglob("*.pf_index"), *(folder / name).rglob("*.pf_meta")]
    size = sum(path.stat().st_size for path in files)  # compressed
    (folder / "index.html").write_text(PAGE % name, "utf-8")
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        window = browser.Browser(program, Path(profile))
        found = []
        try:
            window.open(f"http://127.0.0.1:{server.server_port}/index.html")
            window.wait("'ask' in window")
            for query in asked:
                window.evaluate(f"delete window.answer; void ask({json.dumps(query)})")
                deadline = time.monotonic() + 60
                while (got := window.evaluate("window.answer")) is None:
                    assert time.monotonic() < deadline, (query, window.complaints())
                found.append(got)
        finally:
            window.close()
            server.shutdown()
    return {"bytes": None, "gzip": size, "build": None, "each": None, "found": found}


def scored(found: Sequence[Sequence[int]], asked: Sequence[Query]) -> tuple[float, float]:
    """Recall and precision: documents with the query as a string."""
    hit = wanted = got = 0
    for ids, query in zip(found, asked, strict=True):
        hit += len(query.string & set(ids))
        wanted += len(query.string)
        got += len(set(ids))
    return hit / wanted, hit / got if got else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.site_search")
    parser.add_argument("--data", help="folder of the corpora")
    parser.add_argument("--documents", type=int, default=400, metavar="N")
    parser.add_argument("--queries", type=int, default=50, metavar="N", help="of each kind")
    given = parser.parse_args(arguments)
    packages = sorted(JS.glob("segmenter-zh-*.tgz"))
    if not packages:
        print(f"{JS}: no segmenter-zh-*.tgz: make it by python js/build", file=sys.stderr)
        return 1
    docs, gold = documents(common.data_dir(given.data), given.documents)
    asked = {kind: queries(kind, docs, gold, given.queries) for kind in ("words", "strings")}
    every = [query for of in asked.values() for query in of]
    about: dict[str, Any] = common.facts()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "package.json").write_text('{"type": "module", "private": true}')
        install = ["npm", "install", "--silent", "--no-audit", "--no-fund", str(packages[-1])]
        subprocess.run([*install, *ENGINES], cwd=folder, check=True)
        shutil.copy(HERE / "measure.js", folder)
        shutil.copy(common.ROOT / "examples" / "site_search" / "engines.js", folder)
        told = {"texts": [doc.text for doc in docs], "queries": [query.text for query in every]}
        (folder / "asked.json").write_text(json.dumps(told), "utf-8")
        subprocess.run(["node", "measure.js", "asked.json", "."], cwd=folder, check=True)
        answers = json.loads((folder / "found.json").read_text("utf-8"))
        ours = answers.pop("asked")
        answers["Pagefind"] = in_chromium(folder, "own", told["queries"])
        answers["Pagefind, ours"] = in_chromium(folder, "ours", ours)
    rows, figures = [], {}
    for name, fact in answers.items():
        found, cells, at = fact.pop("found"), [], 0
        for kind, of in asked.items():
            fact[kind] = scored(found[at : at + len(of)], of)
            at += len(of)
            cells += [f"{value:.3f}" for value in fact[kind]]
        figures[name] = fact
        size = f"{fact['bytes'] / 1e6:.2f}" if fact["bytes"] else "—"
        each = f"{fact['each']:.2f}" if fact["each"] else "—"
        rows.append((name, *cells, size, f"{fact['gzip'] / 1e6:.2f}", each))
    head = (
        "engine", "words: recall", "precision", "strings: recall", "precision", "index, MB",
        "MB, gzip", "query, ms",
    )  # fmt: skip
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    text = common.heading("Search of static sites", about, "python -m eval.site_search")
    text += (
        f"\nNode {node.stdout.strip()}; {', '.join(ENGINES)}. {len(docs):,} paragraphs of the "
        f"People's Daily, {given.queries} gold words and {given.queries} strings of two to five "
        f"characters, seed {SEED}. Recall and precision refer to the documents that have the "
        "query's characters in a row. Each engine runs with its defaults, with its own support of "
        "Chinese, and with our terms. A document must have all of our terms: a query of more than "
        "three characters asks for all of its words, and MiniSearch and lunr find a part of a "
        "number if the number begins with it. The index does not include the texts; Pagefind's is "
        "compressed, and a page loads parts of it. Pagefind shortens unknown terms; pages can "
        "undo this with `terms.has`, which is not done here.\n\n"
    )
    text += common.table(head, rows)
    print(text)
    common.write("site_search", text, {**about, **figures})
    return 0


if __name__ == "__main__":
    sys.exit(main())
