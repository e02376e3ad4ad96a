"""Every block of code of every page of docs/ and of the READMEs runs, in both languages."""

from __future__ import annotations

import ast
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

from segmenter import load
from segmenter.cli.parsers import main_parser
from segmenter.errors import ResourceError

PAGES = [*sorted(ROOT.glob("docs/*/**/*.md")), ROOT / "README.md", ROOT / "README.zh.md"]
PAGES = [page for page in PAGES if "_site" not in page.parts]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

#: Pages that another test runs, because they need a server, a cluster or files that it makes.
ELSEWHERE = {
    "docs/en/atoms.md": "tests/docs/test_engine_pages.py",
    "docs/en/command-line.md": "tests/cli/test_command_line.py",
    "docs/en/from-hanlp.md": "tests/adapters/test_migration_pages.py",
    "docs/en/from-pkuseg.md": "tests/adapters/test_migration_pages.py",
    "docs/en/jieba.md": "tests/adapters/test_migration_pages.py",
    "docs/zh/from-hanlp.md": "tests/adapters/test_migration_pages.py",
    "docs/zh/from-pkuseg.md": "tests/adapters/test_migration_pages.py",
    "docs/zh/jieba.md": "tests/adapters/test_migration_pages.py",
    "docs/en/search.md": "tests/docs/test_engine_pages.py",
    "docs/zh/search.md": "tests/adapters/test_search_page.py",
    "docs/zh/subword.md": "tests/subword/test_subword_page.py",
    "docs/en/subword.md": "tests/subword/test_subword_page.py",
    "docs/en/training.md": "tests/train/test_train.py",
    "docs/en/user-dictionaries.md": "tests/docs/test_engine_pages.py",
    "docs/en/walkthrough.md": "tests/docs/test_walkthrough.py",
    **{
        f"docs/en/integrations/{page}": test.relative_to(ROOT).as_posix()
        for test in sorted((ROOT / "tests" / "adapters").glob("test_*.py"))
        for page in re.findall(r'run_page\("([\w-]+\.md)"', test.read_text("utf-8"))
    },
}

#: Pages whose program is, but for comments, that of the English page, which the test above runs.
TWINS = [
    "docs/zh/walkthrough.md",
    *(name for name in NAMES if name.startswith("docs/zh/integrations/")),
]

#: Pages whose programs run others that need a package.
NEEDS = {
    **dict.fromkeys(("docs/en/service.md", "docs/zh/service.md"), ("uvicorn", "httpx")),
    **dict.fromkeys(("docs/en/reading.md", "docs/zh/reading.md"), ("pypinyin",)),
}

try:
    load()
except ResourceError:
    pytest.skip("models/ is not built here", allow_module_level=True)


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment whose PATH has the command `segmenter`, run from this checkout."""
    folder = tmp_path_factory.mktemp("bin")
    script = folder / "segmenter"
    script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m segmenter "$@"\n', "utf-8")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    # test_installs.py means the wheel, not this checkout
    root = "" if "SEGMENTER_WHEEL" in os.environ else str(ROOT)
    paths = [root, os.environ.get("PYTHONPATH", "")]
    return {
        **os.environ,
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        "PYTHONUTF8": "1",
    }


def has_code(page: Path) -> bool:
    return re.search(r"^```(python|pycon|console)$", page.read_text("utf-8"), re.M) is not None


def runs_here(name: str) -> bool:
    return name not in ELSEWHERE and name not in TWINS and has_code(ROOT / name)


@pytest.mark.parametrize("name", list(filter(runs_here, NAMES)))
def test_the_code_of_the_page(name: str, environment: dict[str, str], tmp_path: Path) -> None:
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package)
    got = subprocess.run(
        [sys.executable, ROOT / "tests" / "run_page.py", ROOT / name],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if got.returncode == 77:
        pytest.skip(f"{got.stdout.splitlines()[-1]} is not installed")
    assert got.returncode == 0, got.stdout + got.stderr


def test_pages_that_run_elsewhere_do() -> None:
    for name, test in ELSEWHERE.items():
        assert (ROOT / name).exists(), name
        assert has_code(ROOT / name), name
        code = (ROOT / test).read_text("utf-8")
        assert Path(name).name in code or Path(name).stem in code, (name, test)


@pytest.mark.parametrize("name", NAMES)
def test_command_lines_are_understood(name: str) -> None:
    for block in re.findall(r"^```sh\n(.*?)^```$", (ROOT / name).read_text("utf-8"), re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            for words in simple_commands(line):
                if words[0] == "segmenter" and words[1:] and "--help" not in words:
                    assert main_parser().parse_args(words[1:]).command == words[1], line


def simple_commands(line: str) -> list[list[str]]:
    """The commands of a line of a shell, without what their files are redirected to."""
    reader = shlex.shlex(line, posix=True, punctuation_chars="|&;<>()")
    reader.whitespace_split = True
    blocks: list[list[str]] = [[]]
    redirected = False
    for word in reader:
        if set(word) <= set("|&;()"):
            blocks.append([])
        elif set(word) <= set("<>"):
            redirected = True
        elif redirected:
            redirected = False
        else:
            blocks[-1].append(word)
    return [words for words in blocks if words]


def program(page: Path) -> str:
    """The page's Python as a syntax tree, so that comments do not count."""
    code = re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S)
    return ast.dump(ast.parse("\n".join(code)))


@pytest.mark.parametrize("name", TWINS)
def test_a_page_of_the_other_language_has_the_same_program(name: str) -> None:
    english = name.replace("docs/zh/", "docs/en/")
    assert english in ELSEWHERE or not has_code(ROOT / name)
    assert program(ROOT / name) == program(ROOT / english)


def test_both_languages_have_the_same_pages() -> None:
    pages = {
        language: {name.partition(f"/{language}/")[2] for name in NAMES if f"/{language}/" in name}
        for language in ("en", "zh")
    }
    assert pages["en"] == pages["zh"]
    assert len(pages["en"]) > 30


def test_common_questions_are_headings() -> None:
    """The site's search ranks headings first: each of these finds a page that answers."""
    questions = {
        "en": ("Install", "Stop words", "splits others", "Mojibake", "Jupyter", "PDF"),
        "zh": ("安装", "停用词", "冲突", "乱码", "Jupyter", "PDF"),
    }
    for language, words in questions.items():
        text = "".join(page.read_text("utf-8") for page in PAGES if f"/{language}/" in str(page))
        headings = re.findall("^#+ (.*)$", text, re.M)
        for word in words:
            assert any(word in heading for heading in headings), (language, word)


def test_figures_of_the_readmes_are_those_of_the_pages() -> None:
    pages = "".join(
        (ROOT / "docs" / "en" / name).read_text("utf-8") for name in ("accuracy.md", "speed.md")
    )
    for readme, heading in (("README.md", "## Figures"), ("README.zh.md", "## 实测结果")):
        part = (ROOT / readme).read_text("utf-8").partition(heading)[2].partition("\n## ")[0]
        figures = re.findall(r"(?<=\| )\d[\d.]*%?(?= \|)", part)
        assert len(figures) >= 7
        for figure in figures:
            assert figure in pages, (readme, figure)
