"""Files that documents, docstrings and comments name exist."""

from __future__ import annotations

import re
import subprocess

import pytest
from places import ROOT

READ = (".md", ".py", ".hpp", ".pyx", ".pxd", ".pyi", ".cpp", ".toml", ".yml")
#: Files of other projects, and files that an example or a build makes.
ELSEWHERE = frozenset(
    (
        "CARD.md", "NAME.md", "NAME.py", "test_NAME.py", "PATH.md", "demo.py",
        "encoder.py", "setup.py", "test_case_01.py", "test_userdict.py", "tokenization_chatglm.py",
    )
)  # fmt: skip
_NAMED = re.compile(r"(?<![\w/.*}{$-])(?:[\w.-]+/)*[\w-]+\.(?:hpp|pxd|pyx)\b")
_TESTS = re.compile(r"(?<![\w/.-])tests/(?:[\w-]+/)*[\w-]+(?:\.\w+)?")
_QUOTED = re.compile(
    r"`{1,2}((?:[\w.-]+/)*[\w-]+\.(?:py|md))`{1,2}|\]\(((?:[\w.-]+/)*[\w-]+\.md)[)#]"
)


def tracked() -> list[str]:
    try:
        got = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a checkout: the list of files is git's")
    return [name for name in got.stdout.splitlines() if (ROOT / name).exists()]


def mentions(path: str, text: str) -> set[str]:
    """Files that a text names: sources of the kernels anywhere, others between backticks."""
    names = set(_NAMED.findall(text))
    if path.endswith((".md", ".py")):
        names |= {a or b for a, b in _QUOTED.findall(text)}
    return names


def missing(files: list[str], path: str, text: str) -> list[str]:
    """Mentions that are no end of the path of any file: ``user.py`` and ``lexicon/user.py`` both
    name ``segmenter/lexicon/user.py``."""
    ends = {"/" + name for name in files}
    return sorted(
        name
        for name in mentions(path, text)
        if name.split("/")[-1] not in ELSEWHERE
        and not any(end.endswith("/" + name.replace("../", "")) for end in ends)
    )


def test_named_files_exist() -> None:
    files = tracked()
    wrong = [
        f"{path}: {name}"
        for path in files
        if path.endswith(READ) and path not in ("CHANGELOG.md", "tests/docs/test_references.py")
        for name in missing(files, path, (ROOT / path).read_text("utf-8"))
    ]
    assert wrong == []


def test_named_tests_exist() -> None:
    """Scripts and pages name tests by their paths from the root."""
    wrong = []
    for path in tracked():
        if path.startswith("eval/results/") or path == "CHANGELOG.md":
            continue  # what was run then
        try:
            text = (ROOT / path).read_text("utf-8")
        except UnicodeDecodeError:
            continue
        named = sorted(set(_TESTS.findall(text)))
        named = [name for name in named if name.split("/")[-1] not in ELSEWHERE]
        wrong += [f"{path}: {name}" for name in named if not (ROOT / name).exists()]
    assert wrong == []


def test_the_check_sees_what_is_missing() -> None:
    text = "see ``kernels/gone.hpp``, `lost.py`, [page](docs/none.md) and `types.py`"
    assert missing(["segmenter/types.py"], "a.md", text) == [
        "docs/none.md", "kernels/gone.hpp", "lost.py",
    ]  # fmt: skip
