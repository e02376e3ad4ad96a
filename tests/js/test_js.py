"""The npm package, made, installed, and used in Node and Chromium; the page without a server."""

from __future__ import annotations

import functools
import gzip
import http.server
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from option_table import with_default
from places import ROOT

import segmenter as sg
from segmenter.lexicon import Lexicon
from segmenter.lexicon.user import UserDictionary
from segmenter.search import SearchOptions

# behind the tests' own folders: docs/_site has a module reference too
sys.path += [str(ROOT / "tests" / "serve"), str(ROOT / "docs" / "_site"), str(ROOT / "dicts")]
import browser
from compile import compile_small
from try_page import MISSING, try_page

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JS = ROOT / "js"
pytestmark = [
    pytest.mark.skipif(
        not (ROOT / "models" / "general-fast.model").exists(), reason="the models are not built"
    ),
    pytest.mark.skipif(
        not (shutil.which("node") and shutil.which("npm")), reason="Node and npm are not installed"
    ),
    pytest.mark.skipif(
        importlib.util.find_spec("ziglang") is None, reason="the package ziglang is not installed"
    ),
]
needs_chromium = pytest.mark.skipif(browser.find() is None, reason="no Chromium is installed")

SENTENCE = "他说的确实在理"
TEXTS = [
    SENTENCE,
    "",
    " \n\t",
    "臺灣大學的圖書館",
    "😀研究𠮷生命起源👨‍👩‍👧，他说。",
    "在2026年，云计算改变了iPhone 15的制造，见https://example.com/a?b=1。",
    "a" * 300 + "中华人民共和国" * 50,
    "\ud800半个",  # half of a pair
    "乒乓球拍卖完了\r\n南京市长江大桥",
]
WORDS = "云计算\tforce\n在理\tdelete\n生命起\t900\n图书|馆\tsplit\n😀研究\n球拍\t0\niPhone 15\n"

# runs `body` with what was given on stdin, and prints what it returns as JSON
NODE = """
import { load, Segmenter, SegmenterError } from "segmenter-zh";
import { readFileSync } from "node:fs";
const given = JSON.parse(readFileSync(0, "utf8"));
const answer = await (async () => { %s })();
process.stdout.write(JSON.stringify(answer));
"""


@pytest.fixture(scope="session")
def package() -> Path:
    """The package's files; js/build makes them and the .tgz beside them."""
    subprocess.run([sys.executable, str(JS / "build")], check=True, cwd=ROOT)
    return JS / "package"


@pytest.fixture(scope="session")
def installed(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where the .tgz is installed."""
    folder = tmp_path_factory.mktemp("npm")
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    packed = JS / f"segmenter-zh-{sg.__version__}.tgz"
    command = ["npm", "install", "--offline", "--silent", "--no-audit", "--no-fund", str(packed)]
    subprocess.run(command, cwd=folder, check=True)
    return folder


@pytest.fixture(scope="session")
def small() -> Lexicon:
    return compile_small()


def node(folder: Path, body: str, given: Any = None) -> Any:
    (folder / "run.js").write_text(NODE % body, "utf-8")
    asked = json.dumps(given)
    done = subprocess.run(
        ["node", "run.js"], cwd=folder, input=asked, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def seen(text: str) -> str:
    """A text as the module sees it: half a pair counts as the replacement character."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_the_package_is_whole(package: Path, installed: Path) -> None:
    there = {p.name for p in (installed / "node_modules" / "segmenter-zh").iterdir()}
    assert there == {p.name for p in package.iterdir()}
    assert {"LICENSE", "NOTICE", "README.md", "index.d.ts", "core.d.ts"} <= there
    described = json.loads((package / "package.json").read_text("utf-8"))
    assert described["version"] == sg.__version__
    assert not described.get("dependencies")
    fetched = ("segmenter.wasm.gz", "small.lex.gz", "core.js", "index.js")
    assert sum((package / name).stat().st_size for name in fetched) <= 1_000_000


def test_the_models_are_those_of_the_tree(package: Path, small: Lexicon) -> None:
    held = Lexicon.from_bytes(gzip.decompress((package / "small.lex.gz").read_bytes()), "small.lex")
    assert held.digest == small.digest
    for name, model in (("full", "general-fast"), ("pos", "pos")):
        data = gzip.decompress((package / f"{name}.model.gz").read_bytes())
        assert data == (ROOT / "models" / f"{model}.model").read_bytes()


def test_words_are_in_the_fingerprint(installed: Path, small: Lexicon) -> None:
    words = "".join(line for line in WORDS.splitlines(True) if "delete" not in line)
    got = node(installed, "return (await load({ words: given })).fingerprint", words)
    ours = sg.Segmenter(small, user=UserDictionary.load(words.encode(), format="tsv"))
    assert got == ours.fingerprint


@pytest.mark.parametrize("model", ["small", "full"])
@pytest.mark.parametrize(
    "options", [{}, {"words": WORDS}, {"oov": "keep"}, {"skip": "space,punct"}, {"variants": False}]
)
def test_words_are_those_of_python(
    installed: Path, package: Path, model: str, options: dict[str, Any]
) -> None:
    if model == "full" and "oov" in options:
        pytest.skip("a tagger leaves nothing unknown")
    given = dict(options)
    if "words" in given:
        given["user"] = UserDictionary.load(given.pop("words").encode(), format="tsv")
    if "skip" in given:
        given["skip"] = tuple(given["skip"].split(","))
    if model == "full":
        ours = sg.load("fast", **given)
    else:
        data = gzip.decompress((package / "small.lex.gz").read_bytes())
        variants = given.pop("variants", True)
        ours = sg.Segmenter(Lexicon.from_bytes(data, "general.lex", variants=variants), **given)
    got = node(
        installed,
        """const seg = await load(given.options);
        const tokens = (text) => seg.tokenize(text).map((t) => [t.text, t.start, t.end, t.kind]);
        const all = (text) => [seg.cut(text), [...seg.ends(text)], tokens(text)];
        return [seg.fingerprint, given.texts.map(all)];""",
        {"texts": TEXTS, "options": {"model": model, **options}},
    )
    if "words" not in options:  # of deleted words Python folds capitals, which is another identity
        assert got[0] == ours.fingerprint
    for text, (words, ends, tokens) in zip(TEXTS, got[1], strict=True):
        wanted = list(ours.tokenize(seen(text)))
        spans = [(units(text[: t.start]), units(text[: t.end])) for t in wanted]
        cut = [seen(text[t.start : t.end]) for t in wanted]
        assert [seen(w) for w in words] == cut
        assert ends == [end for _, end in spans]
        assert [[seen(t[0]), *t[1:]] for t in tokens] == [
            [word, *span, t.kind] for word, span, t in zip(cut, spans, wanted, strict=True)
        ]


@pytest.mark.parametrize("search", ["", "single,runs=split", "min_length=3,ngrams=2"])
def test_tokens_of_an_index_are_those_of_python(
    installed: Path, small: Lexicon, search: str
) -> None:
    texts = [text for text in TEXTS if text == seen(text)]
    got = node(
        installed,
        """const seg = await load({ oov: "keep", search: given.search });
        const row = (t) => [t.text, t.start, t.end, t.position, t.positionLength, t.kind];
        return given.texts.map((text) => ["search", "index", "query"].map((mode) =>
            seg.tokenize(text, mode).map(row)));""",
        {"texts": texts, "search": search},
    )
    asked = dict(part.partition("=")[::2] for part in search.split(",") if part)
    options = SearchOptions(
        min_length=int(asked.get("min_length", 2)),
        ngrams=int(asked.get("ngrams", 0)),
        single="single" in asked,
        runs=asked.get("runs", "whole"),
    )
    ours = sg.Segmenter(small, oov="keep")
    for text, by_mode in zip(texts, got, strict=True):
        for mode, tokens in zip(("search", "index", "query"), by_mode, strict=True):
            wanted = ours.tokenize(text, mode=mode, options=options, units="utf16")
            assert tokens == [
                [t.text, t.start, t.end, t.position, t.position_length, t.kind] for t in wanted
            ]


def test_parts_of_speech_are_those_of_python(installed: Path) -> None:
    texts = [text for text in TEXTS if text == seen(text)]
    got = node(
        installed,
        """const seg = await load({ model: "full", tags: true });
        return [given.map((text) => seg.tag(text)), seg.with({ skip: "space" }).tag("他 说")];""",
        texts,
    )
    fast = sg.load("fast")
    assert got[0] == [[list(pair) for pair in fast.tag(text)] for text in texts]
    assert got[1] == [["他", "r"], ["说", "v"]]


def test_a_query_in_another_script_is_found(installed: Path) -> None:
    got = node(
        installed,
        """const seg = await load(), [text, query] = given.map((t) => seg.fold(t));
        return [text, text.indexOf(query), seg.fold("😀Ａ" + "國".repeat(9000)).length];""",
        ["臺灣大學的圖書館", "大学"],
    )
    assert got == ["台湾大学的图书馆", 2, 9003]


def test_the_word_graph(installed: Path, small: Lexicon) -> None:
    text = "😀他说的确实在理"
    got = node(installed, "return (await load()).lattice(given)", text)
    assert got == [
        {
            "start": units(text[: e.start]),
            "end": units(text[: e.end]),
            "cost": e.cost / 2048,
            "kind": e.kind,
        }
        for e in sg.Segmenter(small).dag(text).edges
    ]


def test_segmenters_share_memory_and_let_go_of_it(installed: Path) -> None:
    got = node(
        installed,
        """const seg = await load();
        const own = seg.with({ words: "的确实\\tforce\\n" });
        const before = [seg.cut(given), own.cut(given), seg.cut(given)];
        for (let i = 0; i < 100; i++) seg.with({ oov: "keep" }).cut(given);
        const long = given.repeat(1_000_000);  // memory grows and moves
        return [before, seg.ends(long).length, seg.cut(given)];""",
        SENTENCE,
    )
    plain = ["他", "说", "的", "确实", "在理"]
    own = sg.load("fast", decoder="unigram", user=UserDictionary([("的确实", "force")]))
    assert got == [[plain, own.cut(SENTENCE), plain], 5_000_000, plain]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("(await load()).cut(3)", "TypeError: text: expected a string, got number"),
        ("(await load()).ends(null)", "TypeError: text: expected a string, got null"),
        ("await load({ model: 'large' })", 'model: "large" is none of small, full'),
        ("await load({ wrds: 'x' })", "wrds: load() takes model, tags, words"),
        ("await load({ tags: 'yes' })", "TypeError: tags: expected a boolean, got string"),
        ("await load({ search: 'x' })", "search: 'x' is none of min_length=N"),
        ("(await load()).tokenize('x', 'all')", 'mode: "all" is none of words, search'),
        ("(await load()).tag('x')", "pos.model is needed and not among them"),
        ("await load({ words: 3 })", "TypeError: words: expected a string, got number"),
        ("await load({ variants: 'no' })", "TypeError: variants: expected a boolean, got string"),
        ("await load({ oov: 'hm' })", "oov: 'hm' is not one of chars, keep"),
        ("await load({ decoder: 'bigram' })", "decoder: 'bigram' needs n-gram counts"),
        ("await load({ model: new Uint8Array(99) })", "is not an artifact of segmenter"),
        ("await load({ model: 'full', oov: 'keep' })", "oov: 'keep' is for lattices"),
        ("(await load({ model: 'full' })).lattice('x')", "lattice: this model tags characters"),
        ("await load({ words: 'x\\n\\ty' })", "words, line 2: the line has no word"),
        ("await load({ words: 'x\\ty' })", "words, line 1: 'y' is neither a level"),
        ("await load({ words: 'x\\tsplit' })", "words, line 1: 'x' marks no parts"),
    ],
)
def test_errors_name_the_argument(installed: Path, body: str, message: str) -> None:
    got = node(installed, f"try {{ {body} }} catch (e) {{ return `${{e.name}}: ${{e.message}}` }}")
    assert message in got


def test_a_lexicon_of_ones_own(installed: Path, tmp_path: Path) -> None:
    lexicon = Lexicon.build([("研究", 5.0, ""), ("究生", 9.0, "")], name="own.lex")
    path = tmp_path / "own.lex"
    lexicon.save(path)
    got = node(
        installed,
        """const { readFile } = await import("node:fs/promises");
        return (await load({ model: new Uint8Array(await readFile(given)) })).cut("研究生");""",
        str(path),
    )
    assert got == sg.Segmenter(lexicon).cut("研究生")


def test_types_name_what_there_is(installed: Path) -> None:
    declared = (JS / "core.d.ts").read_text("utf-8")
    body = declared[declared.index("export class Segmenter {") :]
    names = re.findall(r"^  (?:readonly )?(\w+)(?:\(|:)", body[: body.index("\n}")], re.M)
    there = node(installed, "return Object.getOwnPropertyNames(Segmenter.prototype)")
    assert set(names) - {"constructor"} == set(there) - {"constructor"}


# --- in a browser --------------------------------------------------------------------------------


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Browser]:
    program = browser.find()
    assert program is not None
    window = browser.Browser(program, tmp_path_factory.mktemp("profile"))
    yield window
    window.close()


@needs_chromium
def test_a_page_imports_it(window: browser.Browser, installed: Path) -> None:
    (installed / "page.html").write_text(
        """<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,">
        <script type="module">
        import { load } from "./node_modules/segmenter-zh/index.js";
        const [small, full] = await Promise.all([load(), load({ model: "full" })]);
        window.answer = [small.cut("他说的确实在理"), full.cut("他说的确实在理"),
          small.fold("臺灣大學的圖書館").indexOf(small.fold("大学"))];
        </script>""",
        "utf-8",
    )
    handler = functools.partial(Quiet, directory=installed)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        window.open(f"http://127.0.0.1:{server.server_port}/page.html")
        window.wait("'answer' in window")
        small, full, place = json.loads(window.evaluate("JSON.stringify(window.answer)"))
    finally:
        server.shutdown()
    assert small == full == ["他", "说", "的", "确实", "在理"]
    assert place == 2
    # it asks for files of the package and for nothing else
    asked = [u for u in window.requested() if u.startswith("http")]
    own = f"http://127.0.0.1:{server.server_port}/"
    assert {u.removeprefix(f"{own}node_modules/segmenter-zh/") for u in asked} == {
        f"{own}page.html", "index.js", "core.js", "segmenter.wasm.gz", "small.lex.gz",
        "full.model.gz",
    }  # fmt: skip


@needs_chromium
def test_the_page_needs_no_server(
    window: browser.Browser, package: Path, small: Lexicon, tmp_path: Path
) -> None:
    page = tmp_path / "try.html"
    page.write_text(try_page(JS), "utf-8")
    window.open("about:blank")
    window.events.clear()
    window.size(1200, 900)
    window.open(f"{page.as_uri()}#language=zh")
    running = "[...document.querySelectorAll('#running .token')].map((t) => t.textContent)"
    window.wait(f"{running}.length > 0")
    assert window.evaluate(running) == ["他", "说", "的", "确实", "在理"]
    shown = window.evaluate(
        """JSON.stringify([...document.querySelectorAll('#decoders [data-decoder]')]
        .map((b) => [b.dataset.decoder, b.closest('tr').querySelector('.path').textContent]))"""
    )
    for decoder, path in json.loads(shown):
        assert path == "/".join(sg.Segmenter(small, decoder=decoder).cut(SENTENCE))
    arcs = window.evaluate("document.querySelectorAll('#graph .edge').length")
    assert arcs == len(sg.Segmenter(small).dag(SENTENCE))

    def set_to(name: str, value: str, event: str = "input") -> None:
        field = f"document.getElementById('{name}')"
        window.evaluate(
            f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('{event}'))"
        )

    # parts of speech, of the sentence and of every decoder's path
    window.evaluate("document.getElementById('showPos').click()")
    tags = "[...document.querySelectorAll('%s .pos')].map((t) => t.textContent)"
    window.wait(f"{tags % '#running'}.length > 0")
    own = sg.Segmenter(small).tag(SENTENCE)
    assert window.evaluate(tags % "#running") == [tag for _, tag in own]
    shown = window.evaluate(tags % "#decoders tr[data-name=unigram] .path")
    assert shown == [tag for _, tag in own]
    window.evaluate("document.getElementById('showPos').click()")
    # tokens of an index, in both languages
    set_to("mode", "index", "change")
    terms = "[...document.querySelectorAll('#search .term')].map((t) => t.firstChild.data)"
    window.wait(f"{terms}.length > 0")
    wanted = sg.Segmenter(small).tokenize(SENTENCE, mode="index")
    assert window.evaluate(terms) == [token.text for token in wanted]
    for language, title in (("en", "Search tokens"), ("zh", "搜索词元")):
        set_to("language", language, "change")
        assert window.evaluate("document.getElementById('searchTitle').textContent") == title
    set_to("mode", "words", "change")
    # words of the user, and a line that cannot be read
    set_to("words", "的确实\n在理 = delete\n云计算 = forced")
    window.wait(f"{running}.includes('的确实')")
    assert window.evaluate(running) == ["他", "说", "的确实", "在", "理"]
    faults = window.evaluate("document.getElementById('faults').textContent")
    assert "第 3 行" in faults
    assert "不是 force、prefer" in faults
    # a long text
    text = "臺灣大學的圖書館😀。" * 30
    set_to("words", "")
    set_to("text", text)
    window.wait(f"{running}.length > 100")
    assert window.evaluate(running) == sg.Segmenter(small).cut(text)
    # it asks nobody for anything
    assert [u for u in window.requested() if not u.startswith(("file:", "data:"))] == []
    assert window.complaints() == []


def test_a_site_without_the_module_says_how_to_make_it(tmp_path: Path) -> None:
    assert try_page(tmp_path) == MISSING
    assert "js/build" in MISSING


def test_a_default_of_the_table_is_another_one(installed: Path, tmp_path: Path) -> None:
    """As in Python, C and on the command line: tests/together/test_one_table.py."""
    folder = tmp_path / "changed"
    shutil.copytree(installed, folder)
    (module,) = folder.rglob("*.wasm.gz")
    changed = with_default(gzip.decompress(module.read_bytes()), "oov", "chars", "keep")
    module.write_bytes(gzip.compress(changed, mtime=0))
    body = "const s = await load(); return [s.fingerprint, s.cut(given)[0]];"
    text = "鱻麤龘说的"  # three characters that no lexicon has
    before, after = (node(place, body, text) for place in (installed, folder))
    assert "oov=chars" in before[0]
    assert before[1] == "鱻"
    assert "oov=keep" in after[0]
    assert after[1] == "鱻麤龘"
