"""What the repository says of itself: README commands, package metadata, what is shipped."""

from __future__ import annotations

import re
import tomllib
from pathlib import PurePath
from typing import TYPE_CHECKING

from places import ROOT

import segmenter

if TYPE_CHECKING:
    from pathlib import Path


def commands(readme: str) -> list[str]:
    """Shell commands of a README that install something."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / readme).read_text("utf-8"), re.S | re.M)
    return [block.strip() for block in blocks if "pip install" in block]


def test_both_readmes_have_the_same_two_commands() -> None:
    english = commands("README.md")
    assert len(english) == 2
    assert all("\n" not in command for command in english)
    assert commands("README.zh.md") == english


def test_the_readme_marks_its_commands_for_ci() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    marked = re.findall(r"^<!-- ci: command -->\n```sh\n(.*?)^```$", text, re.S | re.M)
    assert [block.strip() for block in marked] == commands("README.md")


def test_links_of_the_documents_lead_somewhere() -> None:
    documents = [*ROOT.glob("*.md"), *ROOT.glob("docs/[a-z]*/**/*.md"), *ROOT.glob("*/README.md")]
    assert len(documents) > 7
    missing = []
    for document in documents:
        for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")):
            name, _, anchor = target.partition("#")
            file = document.parent / name if name else document
            if "://" in target:
                continue
            if not file.exists() or (anchor and anchor not in anchors(file)):
                missing.append(f"{document.name}: {target}")
    assert missing == []


def anchors(document: Path) -> set[str]:
    """Anchors of a document's headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", document.read_text("utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_metadata_agree_with_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == "segmenter-zh"
    assert project["scripts"] == {"segmenter": "segmenter.cli:main"}
    assert project["license-files"] == ["LICENSE", "NOTICE"]
    assert all((ROOT / name).is_file() for name in project["license-files"])
    assert f"## {segmenter.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_build_requirements_have_both_bounds() -> None:
    files = [ROOT / "pyproject.toml", ROOT / "shims" / "jieba" / "pyproject.toml"]
    for file in [*files, ROOT / "examples" / "headlines" / "pyproject.toml"]:
        for requirement in tomllib.loads(file.read_text("utf-8"))["build-system"]["requires"]:
            assert re.search(r">=[0-9.]+,<[0-9.]+", requirement), (file, requirement)


def test_the_wheel_carries_the_package_alone() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert tools["setuptools"]["packages"]["find"] == {"include": ["segmenter", "segmenter.*"]}
    pruned = re.findall(r"^prune (\w+)$", (ROOT / "MANIFEST.in").read_text("utf-8"), re.M)
    assert {"dicts", "eval", "recipes", "tests"} <= set(pruned)
    assert {"dicts", "eval", "recipes"} <= set(tools["mypy"]["files"])


#: What a build reads and the package does not.
FOR_BUILDS = {".pyx", ".pxd", ".hpp", ".cpp", ".in", ".map", ".txt"}


def files_beside_modules() -> list[PurePath]:
    """What lies in the package and is neither a module, nor compiled, nor a page."""
    paths = (path for path in (ROOT / "segmenter").rglob("*") if path.is_file())
    suffixes = {".py", ".pyc", ".so", ".pyd", ".dylib", ".dll", ".md"}
    return sorted(path.relative_to(ROOT) for path in paths if not suffixes & {*path.suffixes})


def test_every_file_that_the_package_reads_is_in_the_wheel() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    patterns = [
        f"{package.replace('.', '/')}/{pattern}"
        for package, patterns in tools["setuptools"]["package-data"].items()
        for pattern in patterns
    ]
    data = [path for path in files_beside_modules() if path.suffix not in FOR_BUILDS]
    assert PurePath("segmenter/subword/unicode.tsv") in data
    for path in data:
        assert any(path.match(pattern) for pattern in patterns), f"package-data lacks {path}"


def test_every_file_that_a_build_reads_is_in_the_source_distribution() -> None:
    lines = (ROOT / "MANIFEST.in").read_text("utf-8").splitlines()
    included = [line.split()[1:] for line in lines if line.startswith("recursive-include ")]
    sources = [path for path in files_beside_modules() if path.suffix in FOR_BUILDS]
    assert PurePath("segmenter/kernels/worker.cpp") in sources
    for path in sources:
        assert any(
            path.is_relative_to(folder) and any(map(path.match, patterns))
            for folder, *patterns in included
        ), f"MANIFEST.in lacks {path}"


def test_every_source_of_the_lexicons_is_in_the_notice() -> None:
    notice = (ROOT / "NOTICE").read_text("utf-8")
    sources = sorted((ROOT / "dicts" / "sources").glob("*/SOURCE.toml"))
    assert sources
    for path in sources:
        source = tomllib.loads(path.read_text("utf-8"))
        name = source["name"].split(",")[0].split(":")[0]
        assert name.lower() in notice.lower(), f"{path.parent.name}: {name}"
        for owner in source["copyright"].split(";"):
            holder = re.sub(r"^\d{4} ", "", owner.strip())
            if holder != "its compilers":
                assert holder in re.sub(r"\s+", " ", notice), f"{path.parent.name}: {holder}"
        if source["licence"] in ("MIT", "Apache-2.0"):
            assert source["licence"] in notice
