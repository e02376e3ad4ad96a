"""One table of options: a default that is changed in it is another one everywhere.

``tests/js/test_js.py`` does the same with the module of WebAssembly.
"""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from option_table import with_default
from places import ROOT

from segmenter import capi, choices, load
from segmenter.core.options import Options
from segmenter.errors import ResourceError
from segmenter.kernels import _engine

TEXT = "鱻麤龘说的,臺灣王小明把手放在把手上"  # three characters that no lexicon has
MODELS = ROOT / "models"
#: For each option what to ask for besides, its default, and another value.
CHANGES = {
    "name": ({}, "balanced", "fast"),
    "standard": ({}, "general", "pku"),
    "decoder": ({}, "", "unigram"),
    "oov": ({"decoder": "unigram"}, "chars", "keep"),
    "skip": ({}, "", "punct"),
    "matcher": ({"decoder": "unigram"}, "", "aho-corasick"),
    "variants": ({}, "on", "off"),
}
#: Runs with another compiled engine in place of the installed one.
RUN = """
import sys
from importlib.machinery import ExtensionFileLoader
from importlib.util import spec_from_loader

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "segmenter.kernels._engine":
            return spec_from_loader(name, ExtensionFileLoader(name, sys.argv[1]))

sys.meta_path.insert(0, Finder())
"""


def _run(engine: Path, code: str, *more: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", RUN + code, str(engine), *more],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(params=CHANGES)
def change(request: pytest.FixtureRequest) -> tuple[str, dict[str, str], str, str]:
    """An option, what to ask for besides, its default, and another one."""
    option: str = request.param
    return option, *CHANGES[option]


def _changed(change: tuple[str, dict[str, str], str, str], compiled: Path, folder: Path) -> Path:
    option, _, before, after = change
    made = folder / compiled.name
    made.write_bytes(with_default(compiled.read_bytes(), option, before, after))
    return made


def _asked(change: tuple[str, dict[str, str], str, str]) -> dict[str, Any]:
    """The arguments that ask for what the changed table has as default."""
    option, besides, _, after = change
    return {**besides, option: after == "on" if after in ("on", "off") else after}


def test_a_default_is_another_one_in_python(
    change: tuple[str, dict[str, str], str, str], tmp_path: Path
) -> None:
    engine = _changed(change, Path(_engine.__file__), tmp_path)
    code = f"""
import segmenter
s = segmenter.load(**{change[1]!r})
print(s.fingerprint, getattr(s.matcher, "name", s.matcher), s.cut({TEXT!r}))
"""
    there = load(**_asked(change))
    matcher = getattr(there.matcher, "name", there.matcher)
    assert _run(engine, code).rstrip("\n") == f"{there.fingerprint} {matcher} {there.cut(TEXT)}"
    here = load(**change[1])
    cut = here.cut(TEXT), here.fingerprint, here.matcher
    assert cut != (there.cut(TEXT), there.fingerprint, matcher)


def test_a_default_is_another_one_on_the_command_line(
    change: tuple[str, dict[str, str], str, str], tmp_path: Path
) -> None:
    engine = _changed(change, Path(_engine.__file__), tmp_path)
    (text := tmp_path / "text").write_text(TEXT, "utf-8")
    switches = [word for name, value in change[1].items() for word in (f"--{name}", value)]
    code = f"""
from segmenter.cli import main
main(["cut", "--help"]) if len(sys.argv) > 2 else main({["cut", *switches, str(text)]!r})
"""
    assert _run(engine, code).split(" ") == load(**_asked(change)).cut(TEXT)
    if change[0] in ("name", "standard", "oov"):
        assert f"default {change[3]}" in " ".join(_run(engine, code, "help").split())


def test_a_default_is_another_one_in_c(
    change: tuple[str, dict[str, str], str, str], tmp_path: Path
) -> None:
    sys.path.insert(0, str(ROOT / "tests" / "capi"))
    from binding import Engine, library

    if change[0] in ("variants", "matcher"):
        pytest.skip("C has one matcher, and the member no_variants, which a test below compares")
    try:
        shipped = Path(capi.library())
    except ResourceError as missing:
        pytest.skip(str(missing))
    changed = _changed(change, shipped, tmp_path)
    for path, asked in ((shipped, change[1]), (changed, _asked(change))):
        made = Engine(library(str(path)), folder=str(MODELS), **change[1])
        assert made.fingerprint == load(**asked).fingerprint


def _typed_names(file: str, *names: str) -> set[str]:
    """The members of TypedDicts, as a type checker reads them."""
    tree = ast.parse((ROOT / "segmenter" / file).read_text("utf-8"))
    return {
        member.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.name in names
        for member in node.body
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name)
    }


def test_signature_and_types_have_the_table() -> None:
    parameters = inspect.signature(load).parameters
    assert parameters["name"].default == choices.DEFAULTS["name"]
    assert parameters["standard"].default == choices.DEFAULTS["standard"]
    for name in ("variants", "verify"):
        assert parameters[name].default is (choices.DEFAULTS[name] == "on")
    objects = {"user", "atoms"}  # of Python: not values of the table
    options = _typed_names("core/options.py", "SegmenterOptions", "LoadOptions")
    assert options | {"name", "standard"} == set(choices.DEFAULTS) | objects
    assert set(Options.__slots__) == options - {"variants", "verify"}
    documented = inspect.getdoc(load)
    assert documented
    named = set(re.findall(r"^    (\w+):", documented[: documented.index("Raises:")], re.M))
    assert named == options | {"name", "standard"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_has_the_table(language: str) -> None:
    page = (ROOT / "docs" / language / "start.md").read_text("utf-8")
    default = {"en": "default", "zh": "默认"}[language]
    for option, value in choices.DEFAULTS.items():
        if option == "verify":  # for tests and files that were checked before
            continue
        mark = f"`{option}=`" if option != "name" else '`"balanced"`'
        (row,) = [line for line in page.splitlines() if line.startswith("|") and mark in line]
        values = [v for v in choices.VALUES[option] if v not in ("on", "off")]
        assert [v for v in values if not re.search(rf"[`\"]{v}[`\"]", row)] == []
        if value and value != "on":
            assert re.search(rf"[`\"]{value}\"?`? ?[(（]{default}", row), row


def test_the_header_has_the_table() -> None:
    header = (ROOT / "segmenter" / "capi" / "segmenter.h").read_text("utf-8")
    members = header[header.index("typedef struct segmenter_options") :]
    for member, option in (("preset", "name"), ("standard", "standard"), ("oov", "oov")):
        comment = re.search(rf"\b{member}; +/\*(.*?)\*/", members, re.S)
        assert comment
        quoted = re.findall(r'"([\w-]+)"(?: \((the default)\))?', comment[1])
        defaults = [value for value, default in quoted if default]
        assert defaults == [choices.DEFAULTS[option]], member
        named = {value for value, _ in quoted}
        assert named >= set(choices.VALUES[option]) - set(choices.SUBWORDS), member
    for member, option in (("no_variants", "variants"), ("trust_files", "verify")):
        assert f" {member}; " in members
        assert choices.DEFAULTS[option] == "on", f"{member}: zero is the default"
