"""Every page that needs packages says in its first lines what to install, and that is enough.

The second half runs where ``$SEGMENTER_WHEEL`` names a wheel (``.ci/run --full``): each page's code
in a fresh environment with the wheel and what the page names, and nothing else but pytest.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import ROOT
from test_docs import ELSEWHERE, NAMES, TWINS, runs_here

if TYPE_CHECKING:
    from collections.abc import Iterator

EXTRAS: dict[str, list[str]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))[
    "project"
]["optional-dependencies"]
#: Modules whose distribution has another name.
DISTRIBUTIONS = {
    "sklearn": "scikit-learn", "llama_index": "llama-index-core", "haystack": "haystack-ai",
    "rank_bm25": "rank-bm25", "langchain_text_splitters": "langchain-text-splitters",
    "whoosh": "whoosh-reloaded",
}  # fmt: skip
#: Installed with the package itself; jieba is what shims/jieba installs.
ALWAYS = {"segmenter", "numpy", "marisa_trie", "ahocorasick", "jieba"}
#: Pages with programs that the code of the page does not run.
RUNNERS = {**ELSEWHERE, "docs/en/gallery.md": "examples/gallery/test_gallery.py"}
HEAD = 8  # lines in which the command stands
COMMAND = re.compile(
    r"pip install (?:-e )?'(?:segmenter-zh|\.)\[([\w,]+)\]'([^`\n]*)|'segmenter-zh\[([\w,]+)\]'"
)


def installs(page: str) -> set[str]:
    """The extras and distributions that a page's first lines name."""
    head = "\n".join((ROOT / page).read_text("utf-8").splitlines()[:HEAD])
    named: set[str] = set()
    for first, middle, second in COMMAND.findall(head):
        named.update(f"[{extra}]" for extra in (first or second).split(","))
        named.update(word for word in middle.split() if re.fullmatch(r"[a-z][\w-]+", word))
    named.update(f"[{extra}]" for extra in re.findall(r"`\[(\w+)\]`", head))
    return named


def distributions(named: set[str]) -> set[str]:
    """The distributions that extras bring, and those named beside them."""
    packages_named = {name for name in named if name[0] != "["}
    for extra in named - packages_named:
        for need in EXTRAS[extra[1:-1]]:
            packages_named.add(re.split(r"[\[>=<]", need)[0])
    return packages_named


def imported(page: str) -> Iterator[str]:
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"^```(?:python|pycon)\n(.*?)^```", text, re.M | re.S):
        try:
            tree = ast.parse(block)
        except SyntaxError:  # a session with its prompts
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield node.module.split(".")[0]


@pytest.mark.parametrize("page", NAMES)
def test_the_first_lines_name_what_the_code_imports(page: str) -> None:
    imports = {m for m in imported(page) if m not in sys.stdlib_module_names} - ALWAYS
    packages = distributions(installs(page))
    missing = {m for m in imports if DISTRIBUTIONS.get(m, m) not in packages}
    assert not missing, f"{page}: its first {HEAD} lines do not say how to install {missing}"


@pytest.mark.parametrize("page", TWINS)
def test_a_page_whose_program_runs_in_the_other_language_names_the_same(page: str) -> None:
    assert installs(page) == installs(page.replace("/zh/", "/en/"))


def runner(page: str) -> str | None:
    """The test that runs a page, or the programs that it shows."""
    if page in RUNNERS or not runs_here(page):
        return RUNNERS.get(page)
    return f"tests/docs/test_docs.py::test_the_code_of_the_page[{page}]"


@pytest.mark.parametrize("page", [page for page in NAMES if installs(page) and runner(page)])
def test_what_a_page_names_is_enough(page: str) -> None:
    wheel = os.environ.get("SEGMENTER_WHEEL")
    if not wheel:
        pytest.skip("SEGMENTER_WHEEL names no wheel")
    named = installs(page)
    extras = ",".join(sorted(name[1:-1] for name in named if name[0] == "["))
    names_left = sorted(name for name in named if name[0] != "[")
    needs = [f"segmenter-zh[{extras}] @ file://{Path(wheel).resolve()}", *names_left]
    with tempfile.TemporaryDirectory() as folder:  # not tmp_path, which would keep gigabytes
        venv.create(folder, with_pip=True)
        programs = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin")
        install = [programs / "python", "-m", "pip", "install", "-q"]
        subprocess.run([*install, *needs, "pytest", "hypothesis"], check=True)
        # not `python -m pytest`, which would find the package in this folder
        got = subprocess.run(
            [programs / "pytest", "-rs", str(runner(page))],
            cwd=ROOT, capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
    assert got.returncode == 0, got.stdout
    skipped = re.findall(r"^SKIPPED .*", got.stdout, re.M)
    missing = [line for line in skipped if "not installed" in line]
    assert not missing, f"{page} does not say how to install what its code needs: {missing}"
    if not re.search(r"\d passed", got.stdout):
        pytest.skip("; ".join(skipped))
    for line in skipped:  # a server or a Java that is not here
        warnings.warn(f"{page}: {line}", stacklevel=1)
