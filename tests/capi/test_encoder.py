"""Encoders by the C library: a file of random weights, and the preset `best`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from binding import Engine, Refused, library
from encoder_text import compiled, network

from segmenter import artifact, capi
from segmenter.errors import ResourceError
from segmenter.files import resources
from segmenter.loading import load_by_name

try:
    LIB = library(capi.library())
except ResourceError as error:
    pytest.skip(str(error), allow_module_level=True)

TEXT = "天地你们日月水火山石。”他们的了一二，https://a.cn 大小上下\n中国人，他说的确实在理"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An encoder and its linear tagger."""
    folder = tmp_path_factory.mktemp("best")
    linear = Path(shutil.copy(resources.find("general-balanced.model"), folder))
    compiled(network(layers=1), linear, folder / "best.model")
    return folder


def test_ends_are_those_of_python(folder: Path) -> None:
    for standard in ("one", "two"):
        engine = Engine(LIB, folder=str(folder), preset="best.model", standard=standard)
        mine = load_by_name(str(folder / "best.model"), standard=standard)
        assert engine.ends(TEXT) == mine.ends(TEXT).tolist()
        assert engine.fingerprint == mine.fingerprint


def test_the_only_standard_of_a_file_needs_no_name(folder: Path, tmp_path: Path) -> None:
    art = artifact.open(folder / "best.model")
    meta = {**art.meta, "standards": {"one": art.meta["standards"]["one"]}}
    sections = {name: art.section(name) for name in art.names()}
    artifact.write(tmp_path / "best.model", art.kind, sections, meta)
    shutil.copy(folder / "general-balanced.model", tmp_path)
    engine = Engine(LIB, folder=str(tmp_path), preset="best.model")
    mine = load_by_name(str(tmp_path / "best.model"))
    assert engine.ends(TEXT) == mine.ends(TEXT).tolist()
    assert engine.fingerprint == mine.fingerprint
    with pytest.raises(Refused, match=r"'pku' is not in .*, which has one"):
        Engine(LIB, folder=str(tmp_path), preset="best.model", standard="pku")


def test_the_preset_is_that_of_python(tmp_path: Path) -> None:
    try:
        best = Path(resources.find("best.model"))
    except ResourceError as error:
        pytest.skip(str(error))
    shipped = ("accurate", "general-balanced", "pku-balanced")
    for file in (*best.parent.glob("*.model"), *(resources.find(f"{x}.model") for x in shipped)):
        (tmp_path / Path(file).name).symlink_to(file)
    for standard in ("general", "pku", "msr"):
        engine = Engine(LIB, folder=str(tmp_path), preset="best", standard=standard)
        mine = load_by_name("best", standard=standard)
        assert engine.ends(TEXT) == mine.ends(TEXT).tolist()
        assert engine.fingerprint == mine.fingerprint
    (tmp_path / "accurate.model").unlink()
    with pytest.raises(Refused, match=r"accurate\.model: there is no such file"):
        Engine(LIB, folder=str(tmp_path), preset="best", standard="msr")
    Engine(LIB, folder=str(tmp_path), preset="best")


def test_what_is_wrong_is_said(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(Refused, match="one, two"):
        Engine(LIB, folder=str(folder), preset="best.model", standard="three")
    with pytest.raises(Refused, match=r"best\.model"):
        Engine(LIB, folder=str(Path(resources.find("general.lex")).parent), preset="best")
    art = artifact.open(folder / "best.model")
    sections = {name: bytes(art.section(name)) for name in art.names()}
    sections["encoder.places"] = sections["encoder.places"][:-2]
    shutil.copy(folder / "general-balanced.model", tmp_path)
    artifact.write(tmp_path / "best.model", art.kind, sections, art.meta)
    with pytest.raises(Refused, match="do not fit"):
        Engine(LIB, folder=str(tmp_path), preset="best.model", standard="one")
