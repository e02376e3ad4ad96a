"""What ``import segmenter`` and the first cut do not do: nothing is seen, nothing is heavy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import worlds
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path


def run(code: str, *args: str, cwd: Path | None = None) -> str:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    result = subprocess.run(
        [sys.executable, "-W", "error", "-c", code, *args],
        capture_output=True,
        encoding="utf-8",
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    return result.stdout


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    lexicon_path = tmp_path_factory.mktemp("lexicon") / "small.lex"
    worlds.lexicon().save(lexicon_path)
    return str(lexicon_path)


HEAVY = ("numpy", "torch", "marisa_trie", "ahocorasick", "tqdm", "pycrfsuite", "unicodedata")


def test_import_prints_nothing_and_loads_nothing_heavy() -> None:
    code = "import segmenter, sys; names = set(sys.modules); print(*sorted(names))"
    modules = run(code).split()
    assert "segmenter.core" in modules
    assert not set(HEAVY) & set(modules)
    # heavier than they look: several milliseconds each
    assert not {"dataclasses", "inspect", "asyncio", "logging", "urllib.request"} & set(modules)


@pytest.mark.parametrize("decoder", ["unigram", "bigram", "forward-max"])
def test_first_cut_loads_nothing_heavy(path: str, decoder: str) -> None:
    code = (
        "import sys, segmenter\n"
        "s = segmenter.load(sys.argv[1], decoder=sys.argv[2])\n"
        "words = s.cut('他说的确实在理1998年')\n"
        "s.cut_batch(['在理'] * 3, 2), s.cut_bytes('在理'.encode(), b' ', 2)\n"
        "names = set(sys.modules)\n"
        "print('/'.join(words)); print(*sorted(names))"
    )
    words, names = run(code, path, decoder).splitlines()
    assert words.replace("/", "") == "他说的确实在理1998年"
    assert not set(HEAVY) & set(names.split())


def test_only_the_standard_library_and_the_package(path: str) -> None:
    code = (
        "import sys\n"
        "before = set(sys.modules)\n"
        "import segmenter; segmenter.load(sys.argv[1]).cut('在理')\n"
        "print(*sorted({n.split('.')[0] for n in set(sys.modules) - before}))"
    )
    foreign = {
        name
        for name in run(code, path).split()
        if name not in sys.stdlib_module_names and name != "segmenter"
    }
    assert foreign <= {"cython_runtime"} | {n for n in foreign if n.startswith("_cython_")}


def test_no_file_is_written(path: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import os, sys\n"
        "opened = []\n"
        "def hook(event, args):\n"
        "    if event == 'open' and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR"
        " | os.O_CREAT):\n"
        "        opened.append(args[0])\n"
        "    if event.startswith(('os.mkdir', 'os.rename', 'os.remove', 'socket.', 'tempfile.')):\n"
        "        opened.append(event)\n"
        "sys.addaudithook(hook)\n"
        "import segmenter\n"
        "s = segmenter.load(sys.argv[1]); s.cut('他说的确实在理'); s.cut_bytes(b'a')\n"
        "print(opened)"
    )
    assert run(code, path, cwd=home).strip() == "[]"
    assert list(home.iterdir()) == []


def test_numpy_comes_with_ends_only(path: str) -> None:
    code = (
        "import sys, segmenter\n"
        "s = segmenter.load(sys.argv[1]); s.cut('在理'); s.tokenize('在理'); s.cut_all('在理')\n"
        "s.cut_for_search('在理'); s.tokenize('在理', mode='search', units='utf8')\n"
        "s.nbest('在理', 2); str(s.explain('在理')); s.fingerprint\n"
        "print('numpy' in sys.modules); s.ends('在理'); print('numpy' in sys.modules)"
    )
    assert run(code, path).split() == ["False", "True"]


def test_shipped_first_cut(shipped: object) -> None:
    code = (
        "import sys, segmenter; print('/'.join(segmenter.cut('他说的确实在理')));"
        "names = set(sys.modules); print(*sorted(names))"
    )
    words, names = run(code).splitlines()
    assert words == "他/说/的/确实/在理"
    assert not set(HEAVY) & set(names.split())


def test_a_missing_extension_says_what_to_do(tmp_path: Path) -> None:
    """As in a clone where nothing has been compiled."""
    shutil.copytree(
        ROOT / "segmenter", tmp_path / "segmenter", ignore=shutil.ignore_patterns("*.so", "*.pyd")
    )
    got = subprocess.run(
        [sys.executable, "-c", "import segmenter"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert got.returncode == 1
    assert f"{tmp_path / 'segmenter'} has no compiled extension" in got.stderr
    assert "pip install -e ." in got.stderr
