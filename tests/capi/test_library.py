"""The C library: what C programs see, and that it is the same as Python's."""

from __future__ import annotations

import ctypes as c
import itertools
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from binding import Engine, Options, Refused, library

from eval.digests import odd_lines
from segmenter import artifact, capi, load
from segmenter.adapters._terms import Terms
from segmenter.errors import DictionaryError, ResourceError
from segmenter.files import resources
from segmenter.lexicon.user import UserDictionary
from segmenter.search import SearchOptions

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODELS = str(Path(resources.find("general.lex")).parent)
GOLDEN = "他说的确实在理"
STRICT = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror")

try:
    LIBRARY = capi.library()
except ResourceError as error:
    pytest.skip(str(error), allow_module_level=True)


def output(*command: str) -> str:
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert result.returncode == 0, result.stderr + result.stdout
    return result.stdout.strip()


def tool(name: str) -> str:
    program = shutil.which(name)
    if program is None:
        pytest.skip(f"{name} is not installed")
    return program


def flags() -> list[str]:
    return output(sys.executable, "-m", "segmenter.capi", "--cflags", "--libs").split()


# --- as C sees it --------------------------------------------------------------------------------


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_what_the_header_promises(compiler: str, tmp_path: Path) -> None:
    program = str(tmp_path / "promises")
    output(tool(compiler), *STRICT, str(HERE / "promises.c"), *flags(), "-o", program)
    assert output(program, MODELS) == "promises kept"


def test_a_struct_size_that_ends_inside_a_member() -> None:
    """Half a pointer is none: what follows the last whole member does not count."""
    lib = library()
    room = (c.c_char * 512)()
    names = [name for name, _ in Options._fields_]
    values = {"preset": b"fast", "standard": b"general", "decoder": b"perceptron"}
    options = Options(folder=MODELS.encode(), trust_files=1, **values)
    c.memmove(room, c.byref(options), c.sizeof(options))
    fingerprints = {}
    for size in range(401):
        c.c_size_t.from_buffer(room).value = size
        engine, why = c.c_void_p(), c.create_string_buffer(512)
        read_options = c.cast(room, c.POINTER(Options))
        status = lib.segmenter_open(read_options, c.byref(engine), why, len(why))
        if size < Options.preset.offset:
            assert status == 1, size
            assert f"struct_size is {size}".encode() in why.value
            continue
        assert status == 0, (size, why.value)
        complete = [
            n for n in names if getattr(Options, n).offset + getattr(Options, n).size <= size
        ]
        fingerprints[size] = complete[-1], lib.segmenter_fingerprint(engine)
        lib.segmenter_free(engine)
    by_last: dict[str, set[bytes]] = {}
    for last, fingerprint in fingerprints.values():
        by_last.setdefault(last, set()).add(fingerprint)
    assert list(by_last) == names[1:]
    assert all(len(found) == 1 for found in by_last.values())
    assert by_last["folder"] != by_last["preset"]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_header_is_cpp_too(compiler: str, tmp_path: Path) -> None:
    program = str(tmp_path / "threads")
    source = str(HERE / "threads.cpp")
    output(tool(compiler), "-std=c++17", "-Wall", "-pthread", source, *flags(), "-o", program)
    assert output(program, MODELS) == "threads agree"


def test_only_the_interface_is_exported() -> None:
    listed = output(tool("nm"), "-D", "--defined-only", LIBRARY).splitlines()
    names = {line.split()[-1] for line in listed} - {"SEGMENTER_0"}
    header = (ROOT / "segmenter/capi/segmenter.h").read_text("utf-8")
    declared = {
        line.split("(")[0].split()[-1].lstrip("*")
        for line in header.replace("\n    ", " ").splitlines()
        if line.startswith("SEGMENTER_API")
    }
    assert names == {f"{name}@@SEGMENTER_0" for name in declared}


def test_the_static_library_and_pkg_config(tmp_path: Path) -> None:
    """Installed by CMake, without the extensions: what a packager does."""
    cmake, ninja, pkg_config = tool("cmake"), tool("ninja"), tool("pkg-config")
    build, prefix = str(tmp_path / "build"), str(tmp_path / "prefix")
    output(
        cmake, "-S", str(ROOT), "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}",
        "-DSEGMENTER_C_LIBRARY=ON", f"-DCMAKE_INSTALL_PREFIX={prefix}",
        "-DCMAKE_INSTALL_LIBDIR=lib",
    )  # fmt: skip
    subprocess.run([cmake, "--build", build], check=True, capture_output=True, timeout=900)
    output(cmake, "--install", build)
    command = [pkg_config, "--with-path", f"{prefix}/lib/pkgconfig", "segmenter"]
    flags = output(*command, "--cflags", "--libs").split()
    models = output(*command, "--variable=models")
    source = str(ROOT / "examples/c/words.c")
    shared, static = str(tmp_path / "shared"), str(tmp_path / "static")
    output(tool("gcc"), "-std=c99", source, *flags, f"-Wl,-rpath,{prefix}/lib", "-o", shared)
    output(
        tool("gcc"), "-std=c99", source, flags[0], f"{prefix}/lib/libsegmenter.a",
        "-lstdc++", "-lm", "-lpthread", "-o", static,
    )  # fmt: skip
    for program in (shared, static):
        assert output(program, models, GOLDEN) == "他/说/的/确实/在理"
    output(tool("cpack"), "--config", f"{build}/CPackConfig.cmake", "-B", str(tmp_path))
    (archive,) = tmp_path.glob("segmenter-c-*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert names > {
        "include/segmenter.h", "lib/libsegmenter.so", "lib/libsegmenter.a",
        "lib/pkgconfig/segmenter.pc", "share/segmenter/general.lex", "share/segmenter/pos.model",
        "share/segmenter/accurate.model", "share/doc/segmenter/LICENSE",
    }  # fmt: skip
    assert ("lib/segmenter_fts5.so" in names) == Path(prefix, "lib/segmenter_fts5.so").exists()


# --- examples ------------------------------------------------------------------------------------


def test_the_example_in_c(tmp_path: Path) -> None:
    program = str(tmp_path / "words")
    output(tool("gcc"), "-std=c99", str(ROOT / "examples/c/words.c"), *flags(), "-o", program)
    assert output(program, MODELS, GOLDEN) == "他/说/的/确实/在理"
    failed = subprocess.run([program, "/none", "x"], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "/none/general-balanced.model: there is no such file" in failed.stderr


def test_the_example_in_rust(tmp_path: Path) -> None:
    program = str(tmp_path / "words")
    link = [word for flag in flags()[1:] for word in ("-C", f"link-arg={flag}")]
    output(tool("rustc"), "-O", str(ROOT / "examples/c/words.rs"), *link, "-o", program)
    assert output(program, MODELS, GOLDEN) == "他/说/的/确实/在理"


def test_the_example_in_go(tmp_path: Path) -> None:
    go, cflags, libs = tool("go"), *(flags()[:1], flags()[1:])
    program = str(tmp_path / "words")
    built = subprocess.run(
        [go, "build", "-o", program, str(ROOT / "examples/c/words.go")],
        env={
            **os.environ, "GOCACHE": str(tmp_path), "CGO_CFLAGS": " ".join(cflags),
            "CGO_LDFLAGS": " ".join(libs), "CGO_LDFLAGS_ALLOW": ".*",
        },
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert output(program, MODELS, GOLDEN) == " ".join(map("/".join, load().tag(GOLDEN)))
    failed = subprocess.run([program, "/none", "x"], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "/none/general-balanced.model: there is no such file" in failed.stderr


def test_the_example_in_node(tmp_path: Path) -> None:
    npm, node = tool("npm"), tool("node")
    got = subprocess.run(
        [npm, "install", "--silent", "koffi"],
        cwd=tmp_path, capture_output=True, timeout=300, check=False,
    )  # fmt: skip
    if got.returncode:
        pytest.skip("koffi does not install here")
    program = shutil.copy(ROOT / "examples/c/words.mjs", tmp_path)
    assert output(node, str(program), LIBRARY, MODELS, GOLDEN) == "他/说/的/确实/在理"


# --- the same as Python's ------------------------------------------------------------------------

SETTINGS: list[dict[str, Any]] = [
    *(
        {"preset": preset, "standard": standard}
        for preset, standard in itertools.product(
            ("fast", "balanced", "accurate"), ("general", "pku")
        )
    ),
    {"preset": "accurate", "standard": "ud"},
    {"preset": "accurate", "standard": "weibo", "atoms": "url=split"},
    *(
        {"decoder": decoder}
        for decoder in (
            "unigram",
            "forward-max",
            "backward-max",
            "bidirectional-max",
            "shortest",
            "n-shortest",
            "bigram",
            "trigram",
            "hmm",
        )
    ),
    *({"decoder": "unigram", "oov": oov} for oov in ("keep", "hmm", "tagger")),
    {"decoder": "unigram", "standard": "pku", "skip": "space,punct"},
    {"preset": "fast", "atoms": "none"},
    {"preset": "fast", "atoms": "split", "skip": "punct"},
    {"decoder": "unigram", "atoms": "number=keep,quantity=split,emoji=model"},
]

#: Every level, option and form of a line.
WORDS = (
    "确实在\tforce\nC++\n的|确\tsplit:prefer\n研究|生命\tsplit\n人民\t9.5\tn\n民共\t1e7\n"
    "在理\tdelete\nｉｐｈｏｎｅ\t\t\t\\j[1]\tfold\n國際\tforce\tn\ttext\tscript\n"
    "15\t\t\t\tinside\nＡ臺\t\t\t\tfold,script,inside\n\\u4e2d\\n华\tforce\nA b\tweight\n"
    "好\t0\n" + "很长的词" * 12 + "\n的确\tforce\n人民\tprefer\n的确\tdelete\n"
)
#: Words that keep runs of letters whole, and words that do not.
WORDS_OF_INDEX = (
    "中华人民\t5\n的|确实\tsplit\n在理\tdelete\n大学的图书\tforce\n国際\t\t\t\tscript\n",
    "15\t\t\t\tinside\ni|Phone\tsplit\n研究生命\t1e9\n",
)
IN_TEXTS = (
    "的确实在理，研究生命在在理C++15中华人民共和国iPhone15ＩＰＨＯＮＥ",
    "国际國際a台ａ臺150中\n华A b好好" + "很长的词" * 13,
)


@pytest.mark.parametrize("options", SETTINGS, ids=lambda o: " ".join(map(str, o.values())))
@pytest.mark.parametrize("variants", [True, False], ids=["", "no variants"])
@pytest.mark.parametrize("words", [None, WORDS], ids=["", "words"])
def test_ends_and_fingerprints_are_those_of_python(
    options: dict[str, Any], variants: bool, words: str | None
) -> None:
    from segmenter.atoms import Atoms

    engine = Engine(library(), folder=MODELS, no_variants=not variants, user=words, **options)
    load_options = dict(options)
    if words is not None:
        load_options["user"] = UserDictionary.load(words.encode())
    if "skip" in load_options:
        load_options["skip"] = load_options["skip"].split(",")
    if "atoms" in load_options:
        load_options["atoms"] = Atoms.parse(load_options["atoms"]).changed
    python = load(load_options.pop("preset", "balanced"), variants=variants, **load_options)
    assert engine.fingerprint == python.fingerprint
    for text in (*IN_TEXTS, *odd_lines(60)):
        text = text.replace("\ud800", "")  # not UTF-8
        points = python.ends(text).tolist()
        assert engine.ends(text) == points
        assert engine.ends(text, 1) == [len(text[:end].encode()) for end in points]
        assert engine.ends(text, 2) == [len(text[:end].encode("utf-16-le")) // 2 for end in points]
        for unit, name in enumerate(("codepoints", "utf8", "utf16")):
            tokens = python.tokenize(text).in_units(name)
            expected = [(t.start, t.end, t.kind) for t in tokens]
            assert engine.tokens(text, unit) == expected


def _real_lines() -> list[str]:
    """Lines of the repository's own Chinese pages, and odd ones."""
    pages = sorted((ROOT / "docs/zh").glob("*.md"))
    lines = [line for page in pages for line in page.read_text("utf-8").splitlines() if line]
    return [*lines[::7], *(text.replace("\ud800", "") for text in odd_lines(60)), "", GOLDEN * 99]


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "fast"},
        {"preset": "accurate", "standard": "ud"},
        {"decoder": "unigram", "skip": "space,punct"},
        {"decoder": "bigram", "oov": "keep"},
    ],
    ids=lambda o: " ".join(o.values()),
)
@pytest.mark.parametrize("words", [None, "中国\tprefer\tnz\n的|人\tsplit\tn\n说\t\tmy-own\n"])
def test_parts_of_speech_are_those_of_python(options: dict[str, Any], words: str | None) -> None:
    engine = Engine(library(), folder=MODELS, user=words, **options)
    load_options = dict(options)
    if words is not None:
        load_options["user"] = UserDictionary.load(words.encode())
    if "skip" in load_options:
        load_options["skip"] = load_options["skip"].split(",")
    python = load(load_options.pop("preset", "balanced"), **load_options)
    tags_seen = set()
    for text in _real_lines():
        expected = python.tag(text)
        tags = engine.tags(text)
        assert [(text[start:end], tag) for start, end, tag in tags] == expected
        assert [row[:2] for row in engine.tags(text, 2)] == [
            row[:2] for row in engine.tokens(text, 2)
        ]
        tags_seen.update(tag for _, tag in expected)
    assert len(tags_seen) > 20  # of 39: the lines say most of what there is to say


@pytest.mark.parametrize("memory", [1, 1 << 16])
def test_words_that_are_forgotten_change_nothing(memory: int) -> None:
    forgets, remembers = (Engine(library(), folder=MODELS, word_memory=n) for n in (memory, 0))
    for text in _real_lines()[:300]:
        assert forgets.tags(text) == remembers.tags(text)
        assert forgets.tokens(text, 2) == remembers.tokens(text, 2)


SEARCHES: list[dict[str, Any]] = [
    {"preset": "fast"},
    {"preset": "balanced", "standard": "pku", "search": "single,runs=split"},
    {"preset": "accurate", "search": "min_length=3"},
    {"decoder": "unigram", "oov": "keep", "search": "ngrams=2"},
    {"decoder": "bigram", "skip": "space,punct", "search": "ngrams=3,runs=split,min_length=2"},
    {"preset": "fast", "atoms": "split"},
    {"decoder": "unigram", "atoms": "version=split,number=keep"},
    {"preset": "fast", "atoms": "none", "no_variants": 1},
]


@pytest.mark.parametrize("options", SEARCHES, ids=lambda o: " ".join(map(str, o.values())))
@pytest.mark.parametrize("third", range(3), ids=["", "words", "words inside runs"])
def test_tokens_of_an_index_are_those_of_python(options: dict[str, Any], third: int) -> None:
    """Without words of the user and with either list; each on a third of the real lines."""
    from segmenter.atoms import Atoms
    from segmenter.search import SearchOptions

    words = (None, *WORDS_OF_INDEX)[third]
    engine = Engine(library(), folder=MODELS, user=words, **options)
    load_options = dict(options)
    if words is not None:
        load_options["user"] = UserDictionary.load(words.encode())
    search_options = dict(
        part.partition("=")[::2] for part in load_options.pop("search", "").split(",") if part
    )
    search = SearchOptions(
        min_length=int(search_options.get("min_length", 2)),
        ngrams=int(search_options.get("ngrams", 0)),
        single="single" in search_options,
        runs=search_options.get("runs", "whole"),
    )
    if "skip" in load_options:
        load_options["skip"] = load_options["skip"].split(",")
    if "atoms" in load_options:
        load_options["atoms"] = Atoms.parse(load_options["atoms"]).changed
    variants = not load_options.pop("no_variants", 0)
    python = load(load_options.pop("preset", "balanced"), variants=variants, **load_options)
    inner = 0
    for text in (*IN_TEXTS, *_real_lines()[third::3]):
        for mode, name in enumerate(("words", "search", "index", "query")):
            tokens = python.tokenize(text, mode=name, options=search if mode else None)
            expected = [(t.start, t.end, t.position, t.position_length, t.kind) for t in tokens]
            assert engine.nested(text, mode) == expected
            for unit, encoding in ((1, "utf8"), (2, "utf16")):
                spans = [(t.start, t.end) for t in tokens.in_units(encoding)]
                assert [row[:2] for row in engine.nested(text, mode, unit)] == spans
            inner += len(tokens)
        inner -= 4 * len(python.tokenize(text))
    assert inner > 1000


MILLION = {"letters": "a" * 1_000_000, "quotes": "'" * 1_000_000, "Han": "人" * 1_000_000}


@pytest.mark.parametrize("long", MILLION.values(), ids=MILLION)
@pytest.mark.parametrize(
    "option",
    [name for name, kind in Options._fields_ if kind is c.c_char_p],
)
def test_a_message_repeats_200_characters_of_a_value(option: str, long: str) -> None:
    options = {"folder": MODELS, option: f"词\t{long}" if option == "user" else long}
    options_struct = Options(
        struct_size=c.sizeof(Options), **{k: v.encode() for k, v in options.items()}
    )
    options_struct.user_size = len(options_struct.user or b"")
    engine, why = c.c_void_p(), c.create_string_buffer(1 << 22)
    assert library().segmenter_open(c.byref(options_struct), c.byref(engine), why, len(why))
    said = why.value.decode()
    assert said.count(long[0]) <= 200 + 20  # some are the sentence's own
    assert re.search(r"…['\"]? \(1,000,0\d\d characters\)", said)
    assert len(said) < 500


def test_what_search_options_are_refused() -> None:
    for search, why in (
        ("min_length=1", "search: min_length='1' is not a number from 2 to 9999"),
        ("ngrams=x", "search: ngrams='x' is not"),
        ("runs=cut", "search: 'runs=cut' is none of min_length=N, ngrams=N, runs=split, single"),
        ("single=1", "search: 'single=1' is none of"),
    ):
        with pytest.raises(Refused, match=f"1: {why}"):
            Engine(library(), folder=MODELS, preset="fast", search=search)


def test_files_that_tags_and_search_tokens_miss(tmp_path: Path) -> None:
    """Opened when they are first asked for; without them the worker goes on."""
    data = Path(resources.find("general-fast.model")).read_bytes()
    engine = Engine(library(), {"general-fast.model": data}, preset="fast")
    with pytest.raises(Refused, match=r"2: files: pos.model is needed"):
        engine.tags(GOLDEN)
    with pytest.raises(Refused, match=r"2: files: general.lex is needed"):
        engine.nested(GOLDEN, 2)
    assert len(engine.ends(GOLDEN)) == 5
    for name in ("general-fast.model", "pos.model"):
        shutil.copy(resources.find(name), tmp_path)
    model_data = (tmp_path / "pos.model").read_bytes()
    (tmp_path / "pos.model").write_bytes(model_data[:-64])
    engine = Engine(library(), folder=str(tmp_path), preset="fast")
    with pytest.raises(Refused, match=r"3: .*pos.model: is truncated"):
        engine.tags(GOLDEN)
    (tmp_path / "pos.model").write_bytes(model_data)
    assert [tag for _, _, tag in engine.tags(GOLDEN)] == [
        tag for _, tag in load("fast").tag(GOLDEN)
    ]


ODD_TERMS = (
    "以後在後臺乾淨的乾坤", "AT&T 3.14 I/O 50% C# 1,000，5，6", "e\u0301a 1️⃣2 ＡＢＣabc１２",
    "a\r\nb\n\n c", "中\0国", "😀👨‍👩‍👧国", "云端计算AB c", "“国”家。" * 30, "x" * 5000,
    "русский ελληνικά한국어ไทย",
)  # fmt: skip


@pytest.mark.parametrize("form", range(4))
@pytest.mark.parametrize("options", [{}, {"decoder": "unigram", "user": "AB c\n云端计算\n"}])
def test_terms_are_those_of_the_adapters(form: int, options: dict[str, Any]) -> None:
    engine = Engine(library(), folder=MODELS, **options)
    load_options = dict(options)
    if "user" in load_options:
        load_options["user"] = UserDictionary.load(load_options["user"].encode())
    seg = load(**load_options)
    terms = Terms(seg, SearchOptions(runs="split" if form & 2 else "whole"), not form & 1)
    name = library().segmenter_form_name(form).decode()
    assert terms.fingerprint == seg.fingerprint + name
    ours: list[tuple[Any, ...]]
    for text in (*_real_lines(), *ODD_TERMS):
        ours, offset = [], 0
        bounds = [0, *itertools.accumulate(len(word) for word, _ in terms.words(text))]
        for unit in terms.units(text):
            while bounds[offset + 1] <= unit.start:
                offset += 1
            word = (bounds[offset], bounds[offset + 1])
            ours.append((*unit[1:3], word, unit.position, unit.text, unit.other))
        got = engine.terms(text, form)
        assert got == ours, text
        assert engine.spelt(text, form) == terms.fold(text)
        utf8 = [len(text[:k].encode()) for k in range(len(text) + 1)]
        assert [row[:2] for row in engine.terms(text, form, 1)] == [
            (utf8[a], utf8[b]) for a, b, *_ in ours
        ]


def test_terms_that_cannot_be_asked_for() -> None:
    engine = Engine(library(), folder=MODELS)
    with pytest.raises(Refused, match="form: 4 is not a sum of segmenter_form") as refused:
        engine.terms("中", 4)
    with pytest.raises(Refused, match="form: -1 is not a sum"):
        engine.spelt("中", -1)
    assert refused.value.status == 1
    assert engine.terms("") == []


def test_a_long_call_asks_whether_to_end() -> None:
    engine = Engine(library(), folder=MODELS)
    text, calls = GOLDEN * 800_000, []
    engine.ask(lambda: calls.append(1) or 1)
    for call in (engine.ends, engine.terms, engine.tokens):
        with pytest.raises(Refused, match="the call was ended") as refused:
            call(text)
        assert refused.value.status == 7
    assert len(calls) == 3
    assert engine.terms(GOLDEN)  # too short to be asked
    engine.ask(None)
    assert len(engine.ends(text)) == len(load().ends(text))
    assert len(calls) == 3


def test_tokens_that_cannot_be_asked_for() -> None:
    engine = Engine(library(), folder=MODELS, preset="fast")
    assert engine.tokens("") == []
    with pytest.raises(Refused, match="1: mode: 4"):
        engine.tokens("x", mode=4)
    assert library().segmenter_kind_name(-1) is None
    assert library().segmenter_kind_name(99) is None


# --- words of the user ---------------------------------------------------------------------------


# --- the word at a place -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"decoder": "unigram", "skip": "space,punct"},
        {"preset": "fast", "user": "云端计算\n在\\n理\tforce\n"},
    ],
    ids=["balanced", "unigram", "words with line ends"],
)
def test_words_at_places_are_those_of_python(options: dict[str, Any]) -> None:
    ours = Engine(library(), folder=MODELS, trust_files=1, **options)
    load_options = dict(options)
    if "user" in load_options:
        load_options["user"] = UserDictionary.load(load_options["user"].encode())
    if "skip" in load_options:
        load_options["skip"] = load_options["skip"].split(",")
    python = load(load_options.pop("preset", "balanced"), **load_options)
    functions = python.token_at, python.next_word, python.previous_word
    text = "他说👍的\n\n \u3000\r\n云端计算在\n理，2026年。\n𠀀é\t"
    utf8 = text.encode()
    for unit, units in enumerate(("codepoints", "utf8", "utf16")):
        size = (len(text), len(utf8), len(text.encode("utf-16-le")) // 2)[unit]
        for offset in range(size + 1):
            for place, f in enumerate(functions):
                token = f(text, offset, units=units)  # type: ignore[operator]
                expected = token and (token.start, token.end, token.kind)
                assert ours.token_at(utf8, offset, place, unit) == expected, (units, offset, place)


def test_only_the_lines_around_a_place_are_read() -> None:
    ours = Engine(library(), folder=MODELS, trust_files=1)
    utf8 = b"\xff\n" + GOLDEN.encode() + b"\n\xff"
    assert ours.token_at(utf8, 2, 0, 1) == (2, 5, "word")
    assert ours.token_at(utf8, 2, 1, 1) == (5, 8, "word")
    for place, offset in ((1, len(utf8) - 2), (2, 2)):
        with pytest.raises(
            Refused, match=f"is not UTF-8 at byte {len(utf8) - 1 if place == 1 else 0}"
        ):
            ours.token_at(utf8, offset, place, 1)


@pytest.mark.parametrize("preset", ["fast", "balanced"])
def test_of_a_long_line_only_the_sentences_around_a_place_are_read(preset: str) -> None:
    ours, python = Engine(library(), folder=MODELS, preset=preset, trust_files=1), load(preset)
    text = "他说的确实在理👍。我们都同意这个看法；在2026年云计算改变了一切！" * 200
    before, after = (b"\xff" + text[: 20 * 200].encode() for _ in range(2))
    utf8 = before + text.encode() + after[1:] + b"\xff"
    start = len(before)
    for character in range(3000, 3000 + 40):
        offset = len(text[:character].encode())
        functions = (python.token_at, python.next_word, python.previous_word)
        for place, word in enumerate(functions):
            token = word(text, offset, units="utf8")
            assert token is not None
            expected = (token.start + start, token.end + start, token.kind)
            assert ours.token_at(utf8, start + offset, place, 1) == expected
    with pytest.raises(Refused, match="is not UTF-8 at byte 0"):
        ours.token_at(utf8, 1, 0, 1)


def test_places_that_cannot_be_asked_for() -> None:
    ours = Engine(library(), folder=MODELS, trust_files=1)
    utf8 = GOLDEN.encode()
    for unit, end in ((0, 7), (1, 21), (2, 7)):
        with pytest.raises(Refused, match=f"1: offset: 22 is beyond the text's end, {end}"):
            ours.token_at(utf8, 22, 0, unit)
    with pytest.raises(Refused, match="1: place: 3 is not a segmenter_place, from 0 to 2"):
        ours.token_at(utf8, 0, 3, 0)
    with pytest.raises(Refused, match="1: unit: -1 is not a segmenter_unit, from 0 to 2"):
        ours.token_at(utf8, 0, 0, -1)
    assert ours.token_at(b"", 0, 0, 0) is None


def test_words_come_from_text_files_and_compiled_files(tmp_path: Path) -> None:
    words = UserDictionary.load(WORDS.encode())
    python = load("fast", user=words)
    plain, compiled = tmp_path / "words.tsv", tmp_path / "words.user"
    plain.write_bytes(b"\xef\xbb\xbf" + WORDS.replace("\n", "\r\n").encode())
    words.save(compiled)
    ways: list[dict[str, Any]] = [
        {"user": WORDS},
        {"user_file": str(plain)},
        {"user_file": str(compiled)},
        {"user": b"x" + compiled.read_bytes()},
    ]
    for way in ways:
        if way.get("user", b"")[:1] == b"x":  # at an odd address
            data = c.create_string_buffer(way["user"])
            way = {"user": c.cast(c.addressof(data) + 1, c.c_char_p), "user_size": len(data) - 2}
        engine = Engine(library(), folder=MODELS, preset="fast", **way)
        assert engine.fingerprint == python.fingerprint
        for text in IN_TEXTS:
            assert engine.ends(text) == python.ends(text).tolist()
    jieba = "云计算 5\n李小福 2 nr\n台中\n"
    engine = Engine(library(), folder=MODELS, preset="fast", user=jieba)
    assert engine.fingerprint == load("fast", user=UserDictionary.load(jieba.encode())).fingerprint
    none = Engine(library(), folder=MODELS, preset="fast", user="\n\n")
    assert none.fingerprint == load("fast").fingerprint


BAD_LINES = (
    b"a\tb\tc\td\t\tf", b"\tforce", "词\toften".encode(), b"a\t-3", b"a\tnan", b"a\t1e999",
    b"a\tsplit", b"|a\tsplit", b"a|\tsplit", b"a||b\tsplit", b"a|b\tsplit:weight", b"a\\x",
    b"a\\", "a\\中".encode(), b"a\\u12", b"\\UFFFFFFFF", b"a\tforce\t\\q", b"a\t\t\t\\j{",
    b"a\t\t\t\\j1e999", b"a\t\t\t\\j" + b"[" * 100_000, b"a\t\t\t\\q", b"a\t\t\t\tfolding",
    "它是'\x01\u202e\t坏".encode(), b"x" * 50 + b"\t" * 5 + b"y", b"a\xff", b"\xe4\xb8",
    b"\xed\xa0\x80",
)  # fmt: skip


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_is_named_in_the_words_of_python(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_bytes("好\tforce\n\n".encode() + line + "\n坏\tforce\n".encode())
    with pytest.raises(DictionaryError) as python:
        UserDictionary.load(path, format="tsv")
    assert python.value.line == 3
    with pytest.raises(Refused) as refusal:
        Engine(library(), folder=MODELS, preset="fast", user_file=str(path))
    assert refusal.value.status == 4
    said = refusal.value.text
    if "is not UTF-8" in said:  # Python reads GB18030 too, and shows the line by it
        assert said.endswith(": save the file as UTF-8")
        said = said.removesuffix(": save the file as UTF-8")
        assert str(python.value).startswith(said)
    else:
        assert said == str(python.value)
    with pytest.raises(Refused) as refusal:
        Engine(library(), folder=MODELS, preset="fast", user=path.read_bytes())
    assert refusal.value.text == "user" + (
        said if "is not UTF-8" not in said else said + ": save the file as UTF-8"
    ).removeprefix(str(path))


def test_words_that_cannot_be_opened(tmp_path: Path) -> None:
    missing, folder = str(tmp_path / "none.tsv"), str(tmp_path)
    (tmp_path / "a.jsonl").write_text('"词"\n', "utf-8")
    (tmp_path / "wide.tsv").write_bytes("词\n".encode("utf-16"))
    (tmp_path / "nothing.tsv").write_bytes(b"")
    for options, status, why in (
        ({"user_file": missing}, 2, "there is no such file"),
        ({"user_file": folder}, 2, "is a folder"),
        ({"user_file": str(tmp_path / "a.jsonl")}, 4, "segmenter build user"),
        ({"user_file": str(tmp_path / "wide.tsv")}, 4, "line 1: the file is UTF-16"),
        ({"user_file": missing, "user": "x"}, 1, "user_file: give either"),
        ({"user_size": 3}, 1, "user: a null pointer"),
    ):
        with pytest.raises(Refused, match=why) as refusal:
            Engine(library(), folder=MODELS, preset="fast", **options)
        assert refusal.value.status == status
    empty = Engine(library(), folder=MODELS, preset="fast", user_file=str(tmp_path / "nothing.tsv"))
    assert empty.fingerprint == load("fast").fingerprint


def test_mutants_of_words_are_read_as_python_reads_them(tmp_path: Path) -> None:
    import random

    lib = library()
    pieces = [line.encode() + b"\n" for line in WORDS.split("\n")] + [
        line + b"\n" for line in BAD_LINES if len(line) < 1000
    ]
    pieces += [b"\0", b"\t", b"\r\n", b"\\", b"|", b"\xef\xbb\xbf", "　".encode(), b"1e400"]
    accepted = refused = 0
    for seed in range(300):
        pick = random.Random(seed)
        data = bytearray(b"".join(pick.choices(pieces[: len(WORDS.split("\n"))], k=12)))
        for _ in range(pick.randint(0, 3)):
            offset = pick.randrange(len(data) + 1)
            data[offset : offset + pick.choice([0, 0, 1, 4])] = pick.choice(pieces)
        line, words = None, None
        try:
            words = UserDictionary.load(bytes(data))
        except DictionaryError as e:
            line = e.line
        if words is None:
            with pytest.raises(Refused) as refusal:
                Engine(lib, folder=MODELS, preset="fast", user=bytes(data))
            assert refusal.value.text.startswith(f"user, line {line}: "), data
            refused += 1
            continue
        engine = Engine(lib, folder=MODELS, preset="fast", user=bytes(data))
        python = load("fast", user=words)
        assert engine.fingerprint == python.fingerprint, data
        assert engine.ends(IN_TEXTS[0]) == python.ends(IN_TEXTS[0]).tolist(), data
        accepted += 1
    assert accepted > 50
    assert refused > 50


def test_a_million_words_and_a_line_of_a_megabyte() -> None:
    lines = "".join(f"词{number}号\n" for number in range(1_000_000))
    engine = Engine(library(), folder=MODELS, preset="fast", user=lines)
    assert engine.ends("有词999999号的") == [1, 9, 10]
    long = "长" * (1 << 20)
    engine = Engine(library(), folder=MODELS, preset="fast", user=f"{long}\n")
    assert engine.ends(f"，{long}，") == [1, len(long) + 1, len(long) + 2]


def test_mutants_of_compiled_words() -> None:
    import mutants

    subject = mutants.COMPILED["user"]()
    lib = library()
    opened = 0
    reasons = []
    for number in range(150):
        sections, meta, note = mutants.mutant(subject, number, "user")
        data = artifact.pack(subject.kind, sections, meta)
        try:
            engine = Engine(lib, folder=MODELS, preset="fast", user=data)
        except Refused as refusal:
            reasons.append((refusal.status, note))
            continue
        engine.tokens("中华人民共和国的确实在理iPhone 15ａｂｃ国际" + "一" * 50)
        opened += 1
    assert [reason for reason in reasons if reason[0] != 3] == []
    assert len(reasons) > 30
    assert opened > 10


# --- files that are not what they say ------------------------------------------------------------


@pytest.mark.parametrize("kind", ["lexicon", "tagger", "alone", "hmm"])
def test_mutants_that_python_refuses_are_refused(kind: str) -> None:
    import mutants
    from mutations import changed_container

    from segmenter import Segmenter
    from segmenter.errors import ArtifactError
    from segmenter.lexicon import Lexicon
    from segmenter.tagging.predictor import Predictor

    subject = mutants.COMPILED[kind]()
    lexicon = kind == "lexicon"
    name = "general.lex" if lexicon else "general-fast.model"
    options = {"decoder": "unigram"} if lexicon else {"preset": "fast"}
    lib = library()
    refused = opened = 0
    reasons = []
    for number in range(120):
        sections, meta, note = mutants.mutant(subject, number, kind)
        data = artifact.pack(subject.kind, sections, meta)
        if number % 8 == 5:
            import random

            data = changed_container(random.Random(f"container {number}"), data)
        try:
            mutant = (Lexicon if lexicon else Predictor).from_bytes(data)
        except ArtifactError:
            with pytest.raises(Refused) as refusal:
                Engine(lib, {name: data}, **options)
            assert refusal.value.status == 3, note
            refused += 1
            continue
        try:
            engine = Engine(lib, {name: data}, **options)
        except Refused as refusal:
            reasons.append(refusal.text)
            continue
        opened += 1
        python = (
            Segmenter(mutant, decoder="unigram")
            if isinstance(mutant, Lexicon)
            else Segmenter(None, tagger=mutant, decoder="perceptron")
        )
        text = "他说的确实在理，中华人民共和国1998年iPhone"
        assert engine.ends(text) == python.ends(text).tolist(), note
    # Python reads the metadata when it needs them
    assert [text for text in reasons if "metadata" not in text] == []
    assert refused > 20
    assert opened > 10


def test_mutants_of_tags_that_python_refuses_are_refused() -> None:
    import mutants

    from segmenter.errors import ArtifactError
    from segmenter.tagging.pos import PosTagger

    subject = mutants.COMPILED["pos"]()
    fast = Path(resources.find("general-fast.model")).read_bytes()
    text = "他说的确实在理，中华人民共和国1998年iPhone 发展\n"
    words = load("fast").cut(text)
    lib = library()
    refused = opened = 0
    reasons = []
    for number in range(60):
        sections, meta, note = mutants.mutant(subject, number, "pos")
        data = artifact.pack(subject.kind, sections, meta)
        engine = Engine(lib, {"general-fast.model": fast, "pos.model": data}, preset="fast")
        try:
            python = PosTagger.from_bytes(data)
        except ArtifactError:
            with pytest.raises(Refused) as refusal:
                engine.tags(text)
            assert refusal.value.status == 3, note
            refused += 1
            continue
        try:
            tags = engine.tags(text)
        except Refused as refusal:
            reasons.append(refusal.text)
            continue
        assert [tag for _, _, tag in tags] == python.tags(words), note
        opened += 1
    # Python reads tags that are no strings too
    assert [reason for reason in reasons if "metadata" not in reason] == []
    assert refused > 10
    assert opened > 5


# --- python -m segmenter.capi --------------------------------------------------------------------


def test_where_things_are() -> None:
    command = [sys.executable, "-m", "segmenter.capi"]
    assert output(*command, "--library") == LIBRARY
    assert output(*command, "--models") == MODELS
    assert output(*command, "--cflags") == f"-I{Path(LIBRARY).parent}"
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "--libs" in result.stdout


def test_the_version_is_pythons() -> None:
    from segmenter import __version__

    assert library().segmenter_version().decode() == __version__
