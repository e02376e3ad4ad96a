"""The programs of the gallery print what docs/*/gallery.md shows.

``python examples/gallery/test_gallery.py`` writes their output of today into the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PAGES = [ROOT / "docs" / language / "gallery.md" for language in ("en", "zh")]
NAMES = ("cloud", "keywords", "topics", "sqlite_search", "rag", "classify")
NEEDS = {"topics": "sklearn", "classify": "sklearn", "sqlite_search": "apsw", "rag": "bm25s"}
SHOWN = re.compile(r"^\$ python examples/gallery/(\w+)\.py[^\n]*\n(.*?)^```", re.M | re.S)


def output(name: str, folder: Path) -> str:
    # tests/docs/test_installs.py means the wheel, not this checkout
    root = "" if "SEGMENTER_WHEEL" in os.environ else str(ROOT)
    process = subprocess.run(
        [sys.executable, HERE / f"{name}.py", *(["cloud.svg"] if name == "cloud" else [])],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root, "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.parametrize("name", NAMES)
def test_the_program(name: str, tmp_path: Path) -> None:
    from segmenter import load
    from segmenter.errors import ResourceError

    try:
        load("fast")
    except ResourceError:
        pytest.skip("models/ is not built here")
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    printed = output(name, tmp_path)
    for page in PAGES:
        assert dict(SHOWN.findall(page.read_text("utf-8")))[name] == printed, page
    if name == "cloud":
        picture = (tmp_path / "cloud.svg").read_text("utf-8")
        assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"
        assert picture == (ROOT / "docs" / "img" / "cloud.svg").read_text("utf-8")


def test_every_program_is_shown() -> None:
    programs = {p.stem for p in HERE.glob("*.py")} - {"gallery", "test_gallery"}
    assert programs == set(NAMES)
    for page in PAGES:
        assert [name for name, _ in SHOWN.findall(page.read_text("utf-8"))] == list(NAMES)


def write() -> None:
    """Writes the output of today into the pages, and the picture."""
    folder = ROOT / "docs" / "img"
    outputs = {name: output(name, folder) for name in NAMES}
    for page in PAGES:
        text = SHOWN.sub(
            lambda m: f"{m[0].partition(chr(10))[0]}\n{outputs[m[1]]}```",
            page.read_text("utf-8"),
        )
        page.write_text(text, "utf-8")


if __name__ == "__main__":
    write()
