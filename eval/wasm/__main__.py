"""``python -m eval.wasm``: the npm package beside Intl.Segmenter, jieba-wasm and @node-rs/jieba.

In Node and in Chromium, all in one sitting: F1 on the PKU test set, agreed items, speed by lines in
turns, time to the first words, and what a page has to fetch.  It needs Node with npm, Chromium, and
``js/segmenter-zh-VERSION.tgz``, which ``js/build`` makes; the others come from npm.
Results: ``eval/results/wasm.md`` and ``.json``.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import http.server
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval import common
from eval.today import read_challenge
from segmenter.loading import load
from segmenter.train import scoring

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

HERE = Path(__file__).resolve().parent
JS = common.ROOT / "js"
OTHERS = ("jieba-wasm@2.4.0", "@node-rs/jieba@2.0.3")
IN_NODE = ("small", "full", "Intl.Segmenter", "jieba-wasm", "@node-rs/jieba")
IN_CHROMIUM = IN_NODE[:-1]
STARTS = 7
#: What a page fetches, or Node reads, besides a few kilobytes of JavaScript.
FILES = {
    "small": ("segmenter-zh/segmenter.wasm.gz", "segmenter-zh/small.lex.gz"),
    "full": tuple(
        f"segmenter-zh/{name}.gz" for name in ("segmenter.wasm", "full.model", "small.lex")
    ),
    "jieba-wasm": ("jieba-wasm/pkg/web/jieba_rs_wasm_bg.wasm",),
    "@node-rs/jieba": (
        "@node-rs/jieba-linux-x64-gnu/jieba.linux-x64-gnu.node",
        "@node-rs/jieba/dict.txt",
    ),
}
MAP = {
    "segmenter-zh": "/node_modules/segmenter-zh/index.js",
    "jieba-wasm": "/node_modules/jieba-wasm/pkg/web/jieba_rs_wasm.js",
}
PAGE = f"""<!DOCTYPE html><meta charset="utf-8">
<script type="importmap">{json.dumps({"imports": MAP})}</script>
<script type="module">import * as all from "/measure.js"; window.all = all;</script>
"""
NODE = """
import { readFileSync, writeFileSync } from "node:fs";
import * as all from "./measure.js";
const [, , what, argument, out] = process.argv;
const answer = what === "start" ? await all.start(argument)
  : await all.measure(...JSON.parse(readFileSync(argument, "utf8")));
writeFileSync(out, JSON.stringify(answer));
"""


def install(folder: Path, package: Path) -> None:
    """Installs the packages and what measures them into a folder."""
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--no-fund", str(package), *OTHERS],
        cwd=folder,
        check=True,
    )
    shutil.copy(HERE / "measure.js", folder)
    (folder / "node.js").write_text(NODE)
    (folder / "index.html").write_text(PAGE)


def node(folder: Path, what: str, argument: str) -> Any:
    out = folder / "answer.json"
    subprocess.run(["node", "node.js", what, argument, str(out)], cwd=folder, check=True)
    return json.loads(out.read_text("utf-8"))


def in_node(folder: Path, lines: Sequence[str], rounds: int) -> dict[str, Any]:
    asked = folder / "asked.json"
    asked.write_text(json.dumps([IN_NODE, lines, rounds]), "utf-8")
    starts = {name: [node(folder, "start", name) for _ in range(STARTS)] for name in IN_NODE}
    return {**node(folder, "measure", str(asked)), "starts": starts}


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


def in_chromium(folder: Path, lines: Sequence[str], rounds: int) -> dict[str, Any]:
    sys.path.append(str(common.ROOT / "tests" / "serve"))
    browser = import_module("browser")
    program = browser.find()
    if program is None:
        raise SystemExit("no Chromium is installed")
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    window = browser.Browser(program, folder / "profile")

    def ask(call: str) -> Any:
        window.open("about:blank")
        window.open(f"http://127.0.0.1:{server.server_port}/index.html")
        window.wait("'all' in window")
        window.evaluate(f"void {call}.then((a) => {{ window.answer = JSON.stringify(a); }})")
        window.wait("'answer' in window", 600)
        return json.loads(window.evaluate("window.answer"))

    try:
        starts = {
            name: [ask(f"all.start({json.dumps(name)})") for _ in range(STARTS)]
            for name in IN_CHROMIUM
        }
        told = f"all.measure({json.dumps(IN_CHROMIUM)}, {json.dumps(lines)}, {rounds})"
        version = window.call("Browser.getVersion")["product"]
        return {**ask(told), "starts": starts, "version": version}
    finally:
        window.close()
        server.shutdown()


def size_of(folder: Path, name: str) -> int:
    """Bytes of the files of a segmenter, compressed by gzip."""
    total = 0
    for file in FILES.get(name, ()):
        data = (folder / "node_modules" / file).read_bytes()
        total += len(data) if file.endswith(".gz") else len(gzip.compress(data, 9))
    return total


def report(
    folder: Path,
    where: str,
    names: Sequence[str],
    made: dict[str, Any],
    score: Callable[[str], dict[str, Any]],
) -> tuple[str, dict[str, Any]]:
    """A table, and its figures."""
    reference = made["seconds"]["jieba-wasm"]
    rows, figures = [], {}
    for name in names:
        seconds = made["seconds"][name]
        ratio = statistics.median(r / s for r, s in zip(reference, seconds, strict=True))
        fact = {
            **score(name),
            "MB/s": made["megabytes"] / statistics.median(seconds),
            "ratio": ratio,
            "start_ms": statistics.median(made["starts"][name]),
            "bytes": size_of(folder, name),
        }
        figures[name] = fact
        rows.append(
            (
                name,
                f"{fact['f1']:.4f}",
                f"{fact['right']} of {fact['items']}",
                f"{fact['MB/s']:.1f}",
                f"{ratio:.1f}",
                f"{fact['start_ms']:.0f}",
                f"{fact['bytes'] / 1e6:.2f}" if fact["bytes"] else "—",
            )
        )
    header = (
        where,
        "F1, PKU test",
        "agreed items",
        "MB/s",
        "× jieba-wasm",
        "start, ms",
        "MB, gzip",
    )
    return common.table(header, rows), figures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m eval.wasm")
    parser.add_argument("--data", help="folder of the corpora")
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args(arguments)
    packages = sorted(JS.glob("segmenter-zh-*.tgz"))
    if not packages:
        print(f"{JS}: no segmenter-zh-*.tgz: make it by python js/build", file=sys.stderr)
        return 1
    data = common.data_dir(given.data)
    challenge, items = read_challenge(data.parent)
    gold = [g for g in scoring.read_lines(data / "sighan2005" / "pku_test_gold.utf8") if g.strip()]
    texts = list(map(scoring.join_words, gold))
    sentences = [item["sentence"] for item in items]
    tables, figures = [], {}
    about: dict[str, Any] = common.facts()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        install(folder, packages[-1])
        for where, names, run in (
            ("Node", IN_NODE, in_node),
            ("Chromium", IN_CHROMIUM, in_chromium),
        ):
            answer = run(folder, [*texts, *sentences], given.rounds)
            answer["megabytes"] = sum(len(t.encode()) for t in [*texts, *sentences]) / 1e6

            def score(name: str, words: dict[str, Any] = answer["words"]) -> dict[str, Any]:
                cut = words[name]
                answers = dict(zip(sentences, cut[len(gold) :], strict=True))
                rows = challenge.score(answers.__getitem__, items).values()
                right = sum(row["ok"] for row in rows)
                f1 = scoring.score(gold, cut[: len(gold)]).f1
                return {"f1": f1, "right": right, "items": len(rows)}

            table, figures[where] = report(folder, where, names, answer, score)
            if "version" in answer:
                figures["version"] = answer["version"]
            tables.append(table)
    lattice = load("fast", decoder="unigram").cut
    whole = scoring.score(gold, list(map(lattice, texts))).f1
    kept = sum(row["ok"] for row in challenge.score(lattice, items).values())
    versions = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    text = common.heading("WebAssembly", about, "python -m eval.wasm")
    text += (
        f"\nNode {versions.stdout.strip()}, {figures['version']}; {', '.join(OTHERS)}. "
        "Words as lists of strings, line by line: the PKU test set and the agreed items, one text "
        f"in both tables. Speed: median of {given.rounds} rounds in turns, the ratio of each round "
        "to jieba-wasm's of the same round. Start: loading and the first sentence, median of "
        f"{STARTS} fresh processes or pages. MB: the files, by gzip. @node-rs/jieba is native code "
        "and runs in Node alone; Intl.Segmenter is a part of both. The lattice of `small` over the "
        f"whole lexicon, in Python: {whole:.4f}, {kept} of {len(items)}.\n\n"
    )
    common.write("wasm", text + "\n".join(tables), {**about, **figures})
    return 0


if __name__ == "__main__":
    sys.exit(main())
