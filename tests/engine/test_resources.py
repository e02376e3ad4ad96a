"""Where files are looked for, in which order, and what is said when they are nowhere."""

from __future__ import annotations

import gc
import os
from typing import TYPE_CHECKING

import pytest

from segmenter.errors import ArgumentError, ResourceError
from segmenter.files import resources

if TYPE_CHECKING:
    from pathlib import Path

NAME = "general.lex"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a package in it, and no file anywhere."""
    for folder in ("segmenter/models", "models", "data"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(resources, "_PACKAGE", str(tmp_path / "segmenter"))
    monkeypatch.delenv(resources.ENVIRONMENT, raising=False)
    return tmp_path


def write_file(path: Path) -> str:
    path.write_bytes(b"x")
    return str(path)


def test_order_is_argument_environment_package_checkout(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEGMENTER_DATA", str(tree / "data"))
    # From the last place to the first: each new file hides the ones before.
    for folder in ("models", "segmenter/models", "data"):
        path = write_file(tree / folder / NAME)
        assert resources.find(NAME) == path
    argument_path = write_file(tree / "own.bin")
    assert resources.find(NAME, argument_path) == argument_path
    assert resources.find(NAME, tree / "own.bin") == argument_path


def test_the_environment_may_hold_only_some_files(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEGMENTER_DATA", str(tree / "data"))
    shipped = write_file(tree / "segmenter/models" / NAME)
    data_path = write_file(tree / "data" / "pku.lex")
    assert (resources.find(NAME), resources.find("pku.lex")) == (shipped, data_path)


def test_the_environment_may_be_relative_or_of_the_home(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_file(tree / "data" / NAME)
    monkeypatch.chdir(tree)
    monkeypatch.setenv("SEGMENTER_DATA", "data")
    assert resources.find(NAME) == path
    monkeypatch.setenv("HOME", str(tree))
    monkeypatch.setenv("USERPROFILE", str(tree))
    monkeypatch.setenv("SEGMENTER_DATA", os.path.join("~", "data"))
    assert resources.find(NAME) == path


def test_an_empty_environment_variable_is_none(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tree / NAME)
    monkeypatch.chdir(tree)
    monkeypatch.setenv("SEGMENTER_DATA", "")
    with pytest.raises(ResourceError):
        resources.find(NAME)


def test_an_environment_without_its_folder_is_refused(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_file(tree / "segmenter/models" / NAME)
    for folder in (str(tree / "dta"), write_file(tree / "file")):
        monkeypatch.setenv("SEGMENTER_DATA", folder)
        with pytest.raises(ResourceError, match=r"SEGMENTER_DATA: .* is not a folder") as caught:
            resources.find(NAME)
        assert folder in str(caught.value)


def test_the_models_beside_the_package_count_only_in_a_checkout(tree: Path) -> None:
    path = write_file(tree / "models" / NAME)
    assert resources.find(NAME) == path
    (tree / "pyproject.toml").unlink()
    with pytest.raises(ResourceError) as caught:
        resources.find(NAME)
    assert path not in str(caught.value)


def test_a_folder_given_as_path_holds_the_name(tree: Path) -> None:
    path = write_file(tree / "data" / NAME)
    assert resources.find(NAME, tree / "data") == path


def test_a_given_path_is_never_replaced(tree: Path) -> None:
    write_file(tree / "segmenter/models" / NAME)
    for missing in (tree / "none.lex", tree / "data"):
        with pytest.raises(ResourceError, match="the only place searched") as caught:
            resources.find(NAME, missing)
        assert str(missing) in str(caught.value)


def test_a_missing_file_lists_every_place_and_the_remedy(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEGMENTER_DATA", str(tree / "data"))
    write_file(tree / "models" / "pku.lex")
    write_file(tree / "models" / "CARD.md")
    with pytest.raises(ResourceError) as caught:
        resources.find(NAME)
    text = str(caught.value)
    places = [str(tree / folder / NAME) for folder in ("data", "segmenter/models", "models")]
    positions = [text.index(place) for place in places]
    assert positions == sorted(positions)
    assert "these folders hold: pku.lex." in text
    assert "segmenter build lexicon" in text
    assert "SEGMENTER_DATA" in text


def test_folders_of_that_name_are_no_files(tree: Path) -> None:
    (tree / "segmenter/models" / NAME).mkdir()
    path = write_file(tree / "models" / NAME)
    assert resources.find(NAME) == path


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x.lex", "a\\b", "a\0b", "/etc/hosts"])
def test_a_name_is_no_path(name: str) -> None:
    with pytest.raises(ArgumentError, match="must be a bare file name"):
        resources.find(name)


def test_files_that_are_gone_are_forgotten(tmp_path: Path) -> None:
    """Each opened file holds a mapping and a descriptor."""
    import worlds

    from segmenter import load, loading

    data = worlds.lexicon().to_bytes()
    gc.collect()
    before = len(loading._in_use)  # what other tests hold
    path_kept = None
    for number in range(3 * loading._MAX_OPENED):
        path = tmp_path / f"{number}.lex"
        path.write_bytes(data)
        segmenter = load(str(path))
        path_kept = path_kept or segmenter
        assert load(str(path)).lexicon is segmenter.lexicon
        path.unlink()
    assert len(loading._opened) <= loading._MAX_OPENED
    del segmenter
    gc.collect()
    assert len(loading._in_use) <= before + loading._MAX_OPENED + 1
    assert path_kept is not None
    assert path_kept.cut("的确")  # in use, though forgotten


def test_a_file_in_use_is_opened_once_though_many_came_after_it(tmp_path: Path) -> None:
    import worlds

    from segmenter import load, loading

    data = worlds.lexicon().to_bytes()
    paths = [tmp_path / f"{number}.lex" for number in range(2 * loading._MAX_OPENED)]
    for path in paths:
        path.write_bytes(data)
    segmenters = [load(str(path)) for path in paths]
    for path, segmenter in zip(paths, segmenters, strict=True):
        assert load(str(path)).lexicon is segmenter.lexicon


def test_wrong_types_name_the_argument() -> None:
    with pytest.raises(TypeError, match="name must be str, not bytes"):
        resources.find(b"general.lex")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"path must be str or os\.PathLike, not int"):
        resources.find(NAME, 3)  # type: ignore[arg-type]
