"""Lexicons of eleven words as presets, and command lines over them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from runs import Run

from segmenter.lexicon import Lexicon

if TYPE_CHECKING:
    from pathlib import Path


WORDS = ["他", "说", "的", "的确", "确实", "实在", "在理", "理", "实", "在", "确"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two lexicons that presets look for, of eleven words each."""
    folder = tmp_path_factory.mktemp("data")
    entries = [(w, 10.0 if len(w) > 1 else 3.0, "x") for w in WORDS]
    bigrams = [("的", "确实", 5.0), ("<s>", "他", 3.0), ("确实", "在理", 2.0)]
    general = Lexicon.build(entries, bigrams=bigrams)
    general.save(folder / "general.lex")
    Lexicon.build([*entries, ("他说", 50.0, "")], bigrams=bigrams).save(folder / "pku.lex")
    return folder


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
    data: Path,
    tmp_path: Path,
) -> Run:
    monkeypatch.setenv("SEGMENTER_DATA", str(data))
    monkeypatch.chdir(tmp_path)
    return Run(monkeypatch, capsysbinary)
