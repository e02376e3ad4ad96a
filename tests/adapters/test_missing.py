"""Without its package an adapter says which extra installs it; without its use nobody pays."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter.adapters import require
from segmenter.errors import MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

#: Adapter: the package it needs first, its extra.
NEEDS: dict[str, tuple[str | None, str]] = {
    "arrow": ("pyarrow", "arrow"),
    "bm25": (None, "bm25"),  # a function
    "elasticsearch": (None, "bm25"),  # plain JSON for any client
    "gensim": (None, "gensim"),  # iterables of lists
    "haystack": ("haystack", "haystack"),
    "huggingface": (None, "huggingface"),  # two packages, each where it is needed
    "langchain": ("langchain_text_splitters", "langchain"),
    "llamaindex": ("llama_index.core.node_parser", "llamaindex"),
    "pandas": ("pandas", "pandas"),
    "polars": ("polars", "polars"),
    "postgres": (None, "postgres"),  # plain text for any driver
    "ray": ("ray", "ray"),
    "sklearn": (None, "sklearn"),  # a function that pickles
    "spacy": ("spacy", "spacy"),
    "spark": ("pyspark", "spark"),
    "sqlite": (None, "sqlite"),  # apsw, or sqlitefts for Python's own sqlite3
    "tantivy": ("tantivy", "tantivy"),
    "whoosh": ("whoosh.analysis", "whoosh"),
}
#: Packages whose distribution is called otherwise.
DISTRIBUTION = {
    "whoosh.analysis": "whoosh-reloaded",
    "langchain_text_splitters": "langchain-text-splitters",
    "llama_index.core.node_parser": "llama-index-core",
    "haystack": "haystack-ai",
}
WITHOUT = """
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Blocker())
import importlib
from segmenter.errors import MissingExtraError
try:
    importlib.import_module("segmenter.adapters." + sys.argv[2])
except MissingExtraError as e:
    print(e.extra, e.package, e, sep="|")
"""


def test_every_adapter_is_here() -> None:
    there = {p.stem for p in (ROOT / "segmenter" / "adapters").glob("[!_]*.py")}
    assert there == set(NEEDS)


@pytest.mark.parametrize("adapter", [name for name, (package, _) in NEEDS.items() if package])
def test_the_error_names_the_extra(adapter: str) -> None:
    package, extra = NEEDS[adapter]
    assert package is not None
    got = subprocess.run(
        [sys.executable, "-c", WITHOUT, package.split(".")[0], adapter],
        capture_output=True, text=True, encoding="utf-8", cwd=ROOT, check=True,
    ).stdout.strip()  # fmt: skip
    said = f"segmenter.adapters.{adapter} needs the package {package}"
    if got == "":
        pytest.skip(f"another package that {adapter} needs is missing too")
    assert got == f"{extra}|{package}|{said}: pip install 'segmenter-zh[{extra}]'"


def test_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    every = extras["all"][0].removeprefix("segmenter-zh[").removesuffix("]").split(",")
    for package, extra in NEEDS.values():
        names = [re.split(r"[\[<>=!~; ]", need)[0] for need in extras[extra]]
        assert package is None or DISTRIBUTION.get(package, package) in names, extra
        assert extra in every, f"[all] lacks {extra}"
    needs = [need for extra in every[1].split(",") for need in extras[extra]]
    assert not any(need.startswith("torch") for need in needs)


def test_pages_are_linked() -> None:
    folder = ROOT / "docs" / "en" / "integrations"
    pages = {p.name for p in folder.glob("*.md")} - {"index.md"}
    for language in ("en", "zh"):
        text = (ROOT / "docs" / language / "integrations" / "index.md").read_text("utf-8")
        linked = set(re.findall(r"\]\((?:../../en/integrations/)?([\w-]+\.md)\)", text))
        assert linked == pages, language
        for adapter in NEEDS:
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
