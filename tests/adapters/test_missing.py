"""Without its package an adapter says which extra installs it; without its use nobody pays."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import capi
from segmenter.adapters import require
from segmenter.errors import MissingExtraError, ResourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

ADAPTERS = {p.stem: p for p in sorted((ROOT / "segmenter" / "adapters").glob("[!_]*.py"))}


def needs(body: Iterable[ast.AST]) -> list[tuple[str, str]]:
    """Packages and extras of the calls of ``require`` in a module, or in its top level alone."""
    calls = [node for node in body if isinstance(node, ast.Call)]
    return [
        (call.args[0].value, call.args[1].value)
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id == "require"
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[1], ast.Constant)
    ]


TREES = {name: ast.parse(path.read_text("utf-8")) for name, path in ADAPTERS.items()}
#: What each adapter needs in order to be imported.
FIRST = {
    name: need[0]
    for name, tree in TREES.items()
    if (need := needs(n.value for n in tree.body if isinstance(n, (ast.Assign, ast.Expr))))
}
WITHOUT = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
import importlib
from segmenter.errors import MissingExtraError, ResourceError
try:
    importlib.import_module("segmenter.adapters." + sys.argv[2])
except MissingExtraError as e:
    print(e.extra, e.package, e, sep="|")
"""


@pytest.mark.parametrize("adapter", FIRST)
def test_the_error_names_the_extra(adapter: str) -> None:
    package, extra = FIRST[adapter]
    got = subprocess.run(
        [sys.executable, "-c", WITHOUT, package.split(".")[0], adapter],
        capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=True,
    ).stdout.strip()  # fmt: skip
    said = f"segmenter.adapters.{adapter} needs the package {package}"
    if got == "":
        pytest.skip(f"another package that {adapter} needs is missing too")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = sorted(f"'{need}'" for need in project["optional-dependencies"][extra])
    start, _, command = got.partition(": pip install ")
    assert start == f"{extra}|{package}|{said}"
    assert sorted(re.findall(r"'[^']+'", command)) == extras


def test_an_extra_brings_the_package_that_it_names() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    members = extras["all"][0].removeprefix("segmenter-zh[").removesuffix("]").split(",")
    installed = packages_distributions()
    for adapter, tree in TREES.items():
        for _, extra in needs(ast.walk(tree)):
            assert extra in members, f"[all] lacks {extra} of {adapter}"
    for package, extra in FIRST.values():
        packages = {re.split(r"[\[<>=!~; ]", need)[0].lower() for need in extras[extra]}
        names = {name.lower() for name in installed.get(package.split(".")[0], ())}
        assert not names or packages & names, f"[{extra}] does not install {package}"
    brought = [need for extra in members[1].split(",") for need in extras[extra]]
    assert not any(need.startswith("torch") for need in brought)


def test_pages_are_linked() -> None:
    folder = ROOT / "docs" / "en" / "integrations"
    pages = {p.name for p in folder.glob("*.md")} - {"index.md"}
    for language in ("en", "zh"):
        text = (ROOT / "docs" / language / "integrations" / "index.md").read_text("utf-8")
        linked = set(re.findall(r"\]\((?:../../en/integrations/)?([\w-]+\.md)\)", text))
        assert linked == pages, language
        for adapter in ADAPTERS:
            assert f"adapters.{adapter}" in text, f"{language}: {adapter}"
    for readme, page in (("README.md", "en"), ("README.zh.md", "zh")):
        text = (ROOT / readme).read_text("utf-8")
        assert f"docs/{page}/integrations/index.md" in text, readme


def test_a_package_that_fails_inside_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "halfthere.py").write_text("import surely_not_there\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="surely_not_there") as got:
        require("halfthere", "x", "y")
    assert not isinstance(got.value, MissingExtraError)


@pytest.mark.parametrize("find", [capi.library, capi.extension])
def test_what_was_not_built_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, find: Callable[[], str]
) -> None:
    monkeypatch.setattr(capi, "HERE", str(tmp_path))
    with pytest.raises(ResourceError, match=r"`pip install -e \.` builds it"):
        find()
