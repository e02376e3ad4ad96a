"""The scripts of jieba's own folder ``test``, as they are, with our module in jieba's place.

``SEGMENTER_JIEBA_SOURCE`` names jieba's unpacked source distribution (``.ci/run`` fetches it).  The
files that scripts ask for and that it does not have (word lists, texts) are made here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

#: Script -> arguments.  All but those of paddle's mode, which is not here.
SCRIPTS = {
    "test.py": (), "test_bug.py": (), "test_change_dictpath.py": (),
    "test_cut_for_search.py": (), "test_cutall.py": (), "test_file.py": ("text.txt",),
    "test_lock.py": (), "test_multithread.py": (), "test_no_hmm.py": (), "test_pos.py": (),
    "test_pos_file.py": ("text.txt",), "test_pos_no_hmm.py": (), "test_tokenize.py": (),
    "test_tokenize_no_hmm.py": (), "test_userdict.py": (), "test_whoosh.py": (),
    "test_whoosh_file.py": ("gbk.txt",), "test_whoosh_file_read.py": (),
}  # fmt: skip
PADDLE = {"test_paddle.py", "test_paddle_postag.py"}
WORDS = "云计算 5\n李小福 2 nr\n创新办 3 i\neasy_install 3 eng\n好用 300\n韩玉赏鉴 3 nz\n"
TEXT = "水果小姐说你好。交换机坏了，咱俩交换一下吧。少林寺的乔峰。\n"


def source() -> Path:
    folder = os.environ.get("SEGMENTER_JIEBA_SOURCE")
    if not folder:
        pytest.skip("SEGMENTER_JIEBA_SOURCE names no unpacked source distribution of jieba")
    return Path(folder).resolve() / "test"


def run(script: str, folder: Path) -> str:
    code = (
        "import sys, runpy, segmenter.compat.jieba as ours; ours.install(); "
        "sys.argv[:1] = []; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    got = subprocess.run(
        [sys.executable, "-c", code, str(source() / script), *SCRIPTS[script]],
        capture_output=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        check=False,
    )
    assert (got.returncode, got.stderr) == (0, b""), got.stderr.decode()
    return got.stdout.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    scripts = tmp_path / "test"
    scripts.mkdir()
    (tmp_path / "extra_dict").mkdir()
    small = "我 10 r\n来到 5 v\n北京 7 ns\n"
    (tmp_path / "extra_dict" / "dict.txt.small").write_text(small, "utf-8")
    (scripts / "foobar.txt").write_text(small, "utf-8")
    (scripts / "userdict.txt").write_text(WORDS, "utf-8")
    (scripts / "text.txt").write_text(TEXT * 20, "utf-8")
    (scripts / "gbk.txt").write_text(TEXT, "gbk")
    return scripts


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script(script: str, folder: Path) -> None:
    source()
    if "whoosh" in script:
        pytest.importorskip("whoosh", reason="whoosh-reloaded is not installed")
    if script == "test_whoosh_file_read.py":  # it reads the index that this one writes
        run("test_whoosh_file.py", folder)
    assert run(script, folder)


def test_no_script_is_left_out() -> None:
    assert {p.name for p in source().glob("*.py")} == SCRIPTS.keys() | PADDLE
