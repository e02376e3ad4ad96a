"""The npm package, made, installed, and used in Node and Chromium; the page without a server."""

from __future__ import annotations

import base64
import functools
import gzip
import http.server
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
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


def node(folder: Path, body: str, argument: Any = None) -> Any:
    (folder / "run.js").write_text(NODE % body, "utf-8")
    code = json.dumps(argument)
    result = subprocess.run(
        ["node", "run.js"], cwd=folder, input=code, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def visible(text: str) -> str:
    """A text as the module sees it: half a pair counts as the replacement character."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_the_package_is_whole(package: Path, installed: Path) -> None:
    files = {p.name for p in (installed / "node_modules" / "segmenter-zh").iterdir()}
    assert files == {p.name for p in package.iterdir()}
    assert {"LICENSE", "NOTICE", "README.md", "index.d.ts", "core.d.ts"} <= files
    described = json.loads((package / "package.json").read_text("utf-8"))
    assert described["version"] == sg.__version__
    assert not described.get("dependencies")
    fetched = ("segmenter.wasm.gz", "small.lex.gz", "core.js", "index.js")
    assert sum((package / name).stat().st_size for name in fetched) <= 1_055_000


def test_the_models_are_those_of_the_tree(package: Path, small: Lexicon) -> None:
    lexicon = Lexicon.from_bytes(
        gzip.decompress((package / "small.lex.gz").read_bytes()), "small.lex"
    )
    assert lexicon.digest == small.digest
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
    load_options = dict(options)
    if "words" in load_options:
        load_options["user"] = UserDictionary.load(load_options.pop("words").encode(), format="tsv")
    if "skip" in load_options:
        load_options["skip"] = tuple(load_options["skip"].split(","))
    if model == "full":
        ours = sg.load("fast", **load_options)
    else:
        data = gzip.decompress((package / "small.lex.gz").read_bytes())
        variants = load_options.pop("variants", True)
        ours = sg.Segmenter(
            Lexicon.from_bytes(data, "general.lex", variants=variants), **load_options
        )
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
        expected = list(ours.tokenize(visible(text)))
        spans = [(units(text[: t.start]), units(text[: t.end])) for t in expected]
        cut = [visible(text[t.start : t.end]) for t in expected]
        assert [visible(w) for w in words] == cut
        assert ends == [end for _, end in spans]
        assert [[visible(t[0]), *t[1:]] for t in tokens] == [
            [word, *span, t.kind] for word, span, t in zip(cut, spans, expected, strict=True)
        ]


@pytest.mark.parametrize("search", ["", "single,runs=split", "min_length=3,ngrams=2"])
def test_tokens_of_an_index_are_those_of_python(
    installed: Path, small: Lexicon, search: str
) -> None:
    texts = [text for text in TEXTS if text == visible(text)]
    got = node(
        installed,
        """const seg = await load({ oov: "keep", search: given.search });
        const row = (t) => [t.text, t.start, t.end, t.position, t.positionLength, t.kind];
        return given.texts.map((text) => ["search", "index", "query"].map((mode) =>
            seg.tokenize(text, mode).map(row)));""",
        {"texts": texts, "search": search},
    )
    search_options = dict(part.partition("=")[::2] for part in search.split(",") if part)
    options = SearchOptions(
        min_length=int(search_options.get("min_length", 2)),
        ngrams=int(search_options.get("ngrams", 0)),
        single="single" in search_options,
        runs=search_options.get("runs", "whole"),
    )
    ours = sg.Segmenter(small, oov="keep")
    for text, by_mode in zip(texts, got, strict=True):
        for mode, tokens in zip(("search", "index", "query"), by_mode, strict=True):
            expected = ours.tokenize(text, mode=mode, options=options, units="utf16")
            assert tokens == [
                [t.text, t.start, t.end, t.position, t.position_length, t.kind] for t in expected
            ]


@pytest.mark.parametrize(
    "options", [{}, {"skip": "space,punct"}, {"words": WORDS}, {"words": "他\\n说\n理，\\u000a\n"}]
)
def test_words_at_places_are_those_of_python(
    installed: Path, small: Lexicon, options: dict[str, Any]
) -> None:
    load_options = dict(options)
    if "words" in load_options:
        load_options["user"] = UserDictionary.load(load_options.pop("words").encode())
    if "skip" in load_options:
        load_options["skip"] = load_options["skip"].split(",")
    s = sg.Segmenter(small, decoder="unigram", **load_options)
    texts = [
        "",
        "\n",
        "".join(f"{text}{'，' * (len(text) % 2)}\n" for text in TEXTS[:6]) + "他\n说",
    ]
    texts[-1] = texts[-1].replace("\ud800", "")
    got = node(
        installed,
        """
        const seg = await load(given.options);
        return given.texts.map((text) => Array.from({ length: text.length + 1 }, (_, offset) =>
          [seg.tokenAt(text, offset), seg.nextWord(text, offset), seg.previousWord(text, offset)]));
        """,
        {"options": options, "texts": texts},
    )
    keys = ("text", "start", "end", "kind")
    for text, places in zip(texts, got, strict=True):
        for offset, place in enumerate(places):
            functions = (s.token_at, s.next_word, s.previous_word)
            expected = [f(text, offset, units="utf16") for f in functions]
            assert place == [t and {key: getattr(t, key) for key in keys} for t in expected]


def test_parts_of_speech_are_those_of_python(installed: Path) -> None:
    texts = [text for text in TEXTS if text == visible(text)]
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
    segmenter = sg.load("fast", decoder="unigram", user=UserDictionary([("的确实", "force")]))
    assert got == [[plain, segmenter.cut(SENTENCE), plain], 5_000_000, plain]


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
        ("(await load()).tokenAt(3, 0)", "TypeError: text: expected a string, got number"),
        ("(await load()).nextWord('x', '0')", "TypeError: offset: expected a whole number, got"),
        ("(await load()).previousWord('x', 2)", "offset: 2 is not from 0 to the text's length, 1"),
        ("(await load()).tag('x')", "pos.model is needed and not among them"),
        ("await load({ words: 3 })", "TypeError: words: expected a string, got number"),
        ("await load({ variants: 'no' })", "TypeError: variants: expected a boolean, got string"),
        ("await load({ oov: 'hm' })", "oov: 'hm' is not one of chars, keep"),
        ("await load({ decoder: 'bigram' })", "decoder: 'bigram' needs n-gram counts"),
        ("await load({ model: new Uint8Array(99) })", "is not an artifact of segmenter"),
        (
            "await load({ model: new Uint8Array([0x1f, 0x8b, 8]) })",
            "model: the gzip file cannot be unpacked",
        ),
        (  # 300 kB that hold 300 MB
            "const { gzipSync } = await import('node:zlib'); "
            "await load({ model: new Uint8Array(gzipSync(new Uint8Array(300 << 20))) })",
            "SegmenterError: model: the gzip file cannot be unpacked: it has more than 256 MB",
        ),
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


def test_hostile_files_and_texts(installed: Path) -> None:
    """Nothing ends otherwise than in an error that names what is wrong, and the rest goes on.

    Tried (hostile.js): every option, mode and text of every other type, objects without a prototype
    and circular ones among them; a million characters for every option, as the name of one, as a
    mode and in a line of words; 200 random sets of options with random texts (halves of pairs, NUL,
    marks without a base, directions); texts of up to a million characters; 80 mutants of a lexicon
    with right checksums; files cut off, empty, of zeros, with every 997th byte changed; gzip cut
    off, twice, of nothing; shared memory, and a buffer that is taken away while it is read; an
    option on ``Object.prototype``.  Not tried: another segmenter.wasm.gz, as who can change that
    can change the code beside it.
    """
    import mutants

    from segmenter import artifact

    subject = mutants.COMPILED["lexicon"]()
    files = [artifact.pack(subject.kind, subject.sections, subject.meta)]
    for number in range(80):
        sections, meta, _ = mutants.mutant(subject, number, "lexicon")
        files.append(artifact.pack(subject.kind, sections, meta))
    body = (Path(__file__).parent / "hostile.js").read_text("utf-8")
    got = node(installed, body, {"mutants": [base64.b64encode(data).decode() for data in files]})
    assert got["wrong"] == []
    assert got["counts"]["opened"] > 10
    assert got["counts"]["refused"] > 30
    assert got["counts"]["used"] > 100


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
    properties = node(installed, "return Object.getOwnPropertyNames(Segmenter.prototype)")
    assert set(names) - {"constructor"} == set(properties) - {"constructor"}


# --- search of static sites ----------------------------------------------------------------------

TERMS = """const { Terms } = await import("segmenter-zh/search");
const seg = await load(), terms = new Terms(seg);
"""


def test_every_string_of_characters_is_found(installed: Path) -> None:
    texts = [
        "臺灣大學的圖書館",
        "中华人民共和国成立了，以後再說",
        "乾淨的頭髮發現於皇后之後",
        "卡拉OK厅用Python",
    ]
    got = node(
        installed,
        TERMS
        + """const lost = [];
        for (const text of given) {
          const there = new Set(terms.index(text)), characters = Array.from(text);
          for (let i = 0; i < characters.length; i++)
            for (let j = i + 1; j <= Math.min(i + 6, characters.length); j++) {
              const asked = characters.slice(i, j).join("");
              if (/[a-z，]/i.test(asked)) continue;
              const spans = terms.spans(text, asked);
              if (!terms.query(asked).every((term) => there.has(term)) ||
                  !spans.some(([start, end]) => start <= i && end >= j)) lost.push([text, asked]);
            }
        }
        return lost;""",
        texts,
    )
    assert got == []


def test_terms_and_spans(installed: Path) -> None:
    got = node(
        installed,
        TERMS
        + """const text = "臺灣大學的 iPhone 15，<圖書館>😀扩大学习";
        return { index: terms.index("大學的iPhone"), query: given.map((q) => terms.query(q)),
          spans: given.map((q) => terms.spans(text, q)), mark: terms.mark(text, "图书"),
          asked: terms.either(terms.ask("大学图书馆")), own: terms.either("大学"),
          none: terms.query("，！ ")};""",
        ["大学", "大学图书馆", "国成", "iPh", "大学的图书馆"],
    )
    # a whole word twice, so that it ranks higher
    assert got["index"] == ["大学", "大学", "学的", "大", "学", "的", "iphone"]
    assert got["query"] == [
        ["大学"], ["大学", "图书", "书馆"], ["国成"], ["iph"], ["大学", "的", "图书", "书馆"],
    ]  # fmt: skip
    assert got["spans"][0] == [[2, 4], [24, 26]]
    assert got["spans"][1] == [[2, 4], [17, 20], [24, 26]]
    assert got["spans"][2] == []
    assert got["spans"][3] == [[6, 9]]
    assert got["mark"] == "臺灣大學的 iPhone 15，&#60;<mark>圖書</mark>館&#62;😀扩大学习"
    assert got["asked"] == ["大学", "图书", "书馆"]
    assert got["own"] == ["大学", "大学", "大", "学"]
    assert got["none"] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_of_static_sites_says_what_is_true(installed: Path, language: str) -> None:
    page = (ROOT / "docs" / language / "integrations" / "static-sites.md").read_text("utf-8")
    rows = re.findall(r"^(terms\.[^;]+); +// (.*)$", page, re.M)
    assert len(rows) == 3
    got = node(installed, f"{TERMS} return [{', '.join(call for call, _ in rows)}];")
    assert got == [json.loads(said) for _, said in rows]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("new Terms('x')", "TypeError: seg: expected a Segmenter of segmenter-zh, got string"),
        ("terms.index(3)", "TypeError: text: expected a string, got number"),
        ("terms.query(null)", "TypeError: text: expected a string, got null"),
    ],
)
def test_errors_of_terms(installed: Path, body: str, message: str) -> None:
    caught = f"{TERMS} try {{ {body} }} catch (e) {{ return `${{e.name}}: ${{e.message}}` }}"
    assert node(installed, caught) == message


def test_types_of_the_search_name_what_there_is(installed: Path) -> None:
    declared = (JS / "search.d.ts").read_text("utf-8")
    names = set(re.findall(r"^export (?:class|function) (\w+)", declared, re.M))
    methods = set(re.findall(r"^  (\w+)\(", declared[: declared.index("\n}")], re.M))
    properties = node(
        installed,
        """const all = await import("segmenter-zh/search");
        return [Object.keys(all), Object.getOwnPropertyNames(all.Terms.prototype)];""",
    )
    assert [names, methods] == [set(properties[0]), set(properties[1])]


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


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder on this machine."""
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def npm_package(name: str) -> Path:
    """Where NODE_PATH has a package."""
    for folder in os.environ.get("NODE_PATH", "").split(os.pathsep):
        if folder and (path := Path(folder) / name).is_dir():
            return path
    pytest.skip(f"the npm package {name} is not in NODE_PATH")


@needs_chromium
@pytest.mark.parametrize(
    ("engine", "name"),
    [
        ("MiniSearch", "minisearch"),
        ("FlexSearch", "flexsearch"),
        ("lunr", "lunr"),
        ("Orama", "@orama/orama"),
        ("Pagefind", "pagefind"),
    ],
)
def test_a_site_is_searched(
    window: browser.Browser, installed: Path, tmp_path: Path, engine: str, name: str
) -> None:
    """examples/site_search, over our own documents and a page of the test's."""
    folder = tmp_path / "example"
    shutil.copytree(ROOT / "examples" / "site_search", folder)
    (folder / "package.json").write_text('{"type": "module", "private": true}')
    shutil.copytree(installed / "node_modules", folder / "node_modules")
    package = npm_package(name)
    for path in package.parents[name.count("/")].iterdir():  # with what it needs itself
        if not (folder / "node_modules" / path.name).exists():
            (folder / "node_modules" / path.name).symlink_to(path)
    docs = tmp_path / "docs"
    shutil.copytree(ROOT / "docs" / "zh", docs)
    (docs / "own.md").write_text("# 校史\n\n臺灣大學的圖書館。\n\n## 扩大\n\n扩大学习。\n", "utf-8")
    command = ["node", "build.js", engine, str(tmp_path / "site"), str(docs)]
    subprocess.run(command, cwd=folder, check=True)
    results_script = """JSON.stringify([...document.querySelectorAll('#found li')].map((li) => [
      li.querySelector('a').getAttribute('href'),
      [...li.querySelectorAll('mark')].map((mark) => mark.textContent)]))"""

    def find(query: str) -> list[tuple[str, list[str]]]:
        field = f"document.getElementById('query').value = {json.dumps(query)}"
        window.evaluate(
            f"{field}; document.getElementById('query').dispatchEvent(new Event('input'))"
        )
        window.wait(f"document.getElementById('found').dataset.query === {json.dumps(query)}")
        rows = json.loads(window.evaluate(results_script))
        return [(page.partition("?")[0].lstrip("/"), marked) for page, marked in rows]

    with served(tmp_path / "site") as address:
        window.open("about:blank")
        window.events.clear()
        window.open(f"{address}/index.html")
        window.wait("'ready' in window")
        results = find("臺大")  # neighbours in no text
        assert results == []
        assert ("own/", ["大學"]) in find("大学")
        assert ("own/", ["圖書館"]) in find("图书馆")
        assert ("own/", ["灣大"]) in find("湾大")  # no word
        assert ("own/", ["學", "館"]) not in find("学馆")
        assert ("own/", ["臺灣大學的圖書館"]) in find("臺灣大學的圖書館")
        pages = [page for page, _ in find("安装")]
        assert "start/" in pages
        assert window.complaints() == []


@needs_chromium
def test_the_worker_of_the_sites_search(
    window: browser.Browser, package: Path, tmp_path: Path
) -> None:
    """Material's messages; docs/_site/search_worker.js."""
    for path in (ROOT / "docs" / "_site" / "search_worker.js", *package.iterdir()):
        shutil.copyfile(path, tmp_path / path.name)
    entries = [
        {"location": "zh/start/", "title": "上手", "text": "<p>随包\u200b安装&lt;1&gt;</p>"},
        {"location": "zh/start/#install", "title": "安装", "text": "<p>pip install</p>"},
        {"location": "zh/c/", "title": "C 语言", "text": "安装以后，臺灣大學的圖書館"},
        {"location": "en/start/", "title": "Start", "text": "安装 安装 安装 install installs"},
    ]
    (tmp_path / "index.html").write_text(
        f"""<!DOCTYPE html><meta charset="utf-8"><link rel="icon" href="data:,"><script>
        const worker = new Worker("search_worker.js?language=zh");
        worker.postMessage({{ type: 0, data: {{ config: {{}}, docs: {json.dumps(entries)} }} }});
        worker.onmessage = ({{ data }}) => {{ window["answer" + data.type] = data; }};
        </script>""",
        "utf-8",
    )

    def find(query: str) -> list[list[dict[str, Any]]]:
        message = f"{{type: 2, data: {json.dumps(query)}}}"
        window.evaluate(f"delete window.answer3; worker.postMessage({message})")
        window.wait("'answer3' in window")
        items: list[list[dict[str, Any]]] = window.evaluate("answer3.data.items")
        return items

    with served(tmp_path) as address:
        window.open(f"{address}/index.html")
        window.wait("'answer1' in window")
        first, *rest = find("安装")
        assert [item["location"] for item in first] == ["zh/start/#install", "zh/start/"]
        assert first[0]["title"] == "<mark>安装</mark>"
        assert first[1]["text"] == "随包<mark>安装</mark>&#60;1&#62;"
        assert [page[0]["location"] for page in rest] == ["zh/c/", "en/start/"]
        (page,) = find("大学图书")
        assert page[0]["text"] == "安装以后，臺灣<mark>大學</mark>的<mark>圖書</mark>館"
        pages = [page[0]["location"] for page in find("instal")]
        assert pages == ["zh/start/#install", "en/start/"]
        assert [page[0]["location"] for page in find("大学没有的词")] == [
            "zh/c/"
        ]  # some of the words
        assert find("，") == []


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
    window.events.clear()
    with served(installed) as address:
        window.open(f"{address}/page.html")
        window.wait("'answer' in window")
        small, full, place = json.loads(window.evaluate("JSON.stringify(window.answer)"))
    assert small == full == ["他", "说", "的", "确实", "在理"]
    assert place == 2
    # it asks for files of the package and for nothing else
    urls = [u for u in window.requested() if u.startswith("http")]
    origin = f"{address}/"
    assert {u.removeprefix(f"{origin}node_modules/segmenter-zh/") for u in urls} == {
        f"{origin}page.html", "index.js", "core.js", "segmenter.wasm.gz", "small.lex.gz",
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
    rendered = window.evaluate(
        """JSON.stringify([...document.querySelectorAll('#decoders [data-decoder]')]
        .map((b) => [b.dataset.decoder, b.closest('tr').querySelector('.path').textContent]))"""
    )
    for decoder, path in json.loads(rendered):
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
    expected_tags = sg.Segmenter(small).tag(SENTENCE)
    assert window.evaluate(tags % "#running") == [tag for _, tag in expected_tags]
    rendered = window.evaluate(tags % "#decoders tr[data-name=unigram] .path")
    assert rendered == [tag for _, tag in expected_tags]
    window.evaluate("document.getElementById('showPos').click()")
    # tokens of an index, in both languages
    set_to("mode", "index", "change")
    terms = "[...document.querySelectorAll('#search .term')].map((t) => t.firstChild.data)"
    window.wait(f"{terms}.length > 0")
    expected = sg.Segmenter(small).tokenize(SENTENCE, mode="index")
    assert window.evaluate(terms) == [token.text for token in expected]
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
