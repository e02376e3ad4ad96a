"""The engine stands without its wings: its tests pass where one of them, or all, were never there.

A copy of the tree without the wings' files is installed with pip into an empty folder, and the
engine's tests run there.  Without all wings it is compiled from source.  Without one, the
extensions that this checkout has are packed into a wheel, since compiling them again would take
minutes, and a selection of the tests runs.

``.ci/run`` sets SEGMENTER_WITHOUT_WINGS=1; without it nothing of this runs.  The engine alone runs
tests of every part then, and beside five wings those of what it imports and of its answers: what it
needs of the sixth it would miss without all.  ``.ci/run --full`` sets it to ``all``: every test of
the engine runs without all wings, and those of every part without each.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from places import ROOT
from test_rooms import HOMES, WINGS

import segmenter

pytestmark = pytest.mark.skipif(
    "SEGMENTER_WITHOUT_WINGS" not in os.environ, reason="SEGMENTER_WITHOUT_WINGS=1 runs it"
)

EVERY = os.environ.get("SEGMENTER_WITHOUT_WINGS") == "all"
EXTENSIONS = ("_engine", "_subword", "_train")
#: What the engine imports, opens and answers.
ANSWERS = (
    "tests/engine/test_imports.py", "tests/engine/test_resources.py",
    "tests/engine/segmentation/test_golden.py", "tests/engine/files/test_files.py",
)  # fmt: skip
#: Tests that ask every part of the engine once, in seconds.
QUICK = (
    "tests/engine/test_imports.py", "tests/engine/test_columns.py", "tests/engine/test_sentence.py",
    "tests/engine/test_errors.py", "tests/engine/segmentation/test_golden.py",
    "tests/engine/lexicon/user/test_user_values.py", "tests/engine/search/test_search_tokens.py",
    "tests/engine/atoms/test_signs.py", "tests/engine/files/test_files.py",
)  # fmt: skip
#: Tests of every part, less those that draw for half a minute or swap words a thousand times: what
#: they find is not a missing wing.
ALONE = (
    *QUICK, "tests/engine/test_learning.py", "tests/engine/test_chars.py",
    "tests/engine/test_resources.py", "tests/engine/artifact/test_artifact.py",
    "tests/engine/lexicon/test_lexicon.py", "tests/engine/lexicon/test_sources.py",
    "tests/engine/lexicon/user/test_user.py", "tests/engine/lexicon/user/test_user_files.py",
    "tests/engine/tagging/test_pos.py",
    "tests/engine/segmentation/test_scores.py", "tests/engine/kernels/test_linear.py",
)  # fmt: skip


def folders(wings: set[str]) -> list[str]:
    """What belongs to wings, as paths in the package: their folders, and those of their kernels."""
    names = wings | {name for name, wing in HOMES.items() if wing in wings}
    return [path for name in names for path in (name, f"{name}.py", f"kernels/{name}")] + [
        f"kernels/_{name}{end}" for name in names for end in (".pyx", ".pyi")
    ]


def copy_of_the_tree(place: Path, wings: set[str], *parts: str) -> None:
    """What a source distribution has, without the files of some wings."""
    gone = {ROOT / "segmenter" / path for path in folders(wings)}

    def ignored(folder: str, names: list[str]) -> set[str]:
        ends = (".so", ".pyd")
        ignored = {name for name in names if name == "__pycache__" or name.endswith(ends)}
        return ignored | {name for name in names if Path(folder, name) in gone}

    for folder in parts or ("segmenter", "models"):
        shutil.copytree(ROOT / folder, place / folder, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, place)


def wheel_of_this_checkout(place: Path, wings: set[str]) -> Path:
    """The package as it is imported here, with its extensions and models, as a wheel."""
    tree = place / "tree"
    copy_of_the_tree(tree, wings)
    name = f"segmenter_zh-{segmenter.__version__}"
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    path = place / f"{name}-{tag}-{tag}-{platform}.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for file in sorted((tree / "segmenter").rglob("*")):
            if file.is_file() and file.suffix not in (".hpp", ".cpp", ".pxd", ".pyx"):
                wheel.write(file, file.relative_to(tree))
        for extension in EXTENSIONS:
            if extension.removeprefix("_") not in wings:
                spec = importlib.util.find_spec(f"segmenter.kernels.{extension}")
                assert spec is not None, f"{extension} is not compiled"
                assert spec.origin is not None
                wheel.write(spec.origin, f"segmenter/kernels/{Path(spec.origin).name}")
        for file in (tree / "models").iterdir():
            if file.suffix in (".lex", ".model"):
                wheel.write(file, f"segmenter/models/{file.name}")
        about = f"{name}.dist-info"
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
        extras = "".join(
            f"Requires-Dist: {need}; extra == '{extra}'\n"
            for extra, needs in project["optional-dependencies"].items()
            for need in needs
            if ";" not in need
        )
        fields = f"Metadata-Version: 2.1\nName: segmenter-zh\nVersion: {segmenter.__version__}\n"
        wheel.writestr(f"{about}/METADATA", fields + extras)
        wheel.writestr(
            f"{about}/WHEEL",
            f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n",
        )
        rows = "".join(f"{name},,\n" for name in [*wheel.namelist(), f"{about}/RECORD"])
        wheel.writestr(f"{about}/RECORD", rows)
    return path


def run(*command: object, cwd: Path) -> None:
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("SEGMENTER_", "PYTHONPATH"))}
    result = subprocess.run(
        [sys.executable, "-m", *map(str, command)],
        cwd=cwd,
        env={**keep, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, (result.stdout + result.stderr)[-6000:]


def install(source: Path, place: Path, *options: str) -> None:
    """With pip, into an empty folder, and the engine's tests beside it."""
    place.mkdir()
    run("pip", "install", "-q", "--no-deps", *options, "--target", place, source, cwd=place)
    tests = place / "tests"
    tests.mkdir()
    for path in (ROOT / "tests").iterdir():
        if path.is_file():
            shutil.copy(path, tests)
    for folder in ("engine", "reference"):
        shutil.copytree(ROOT / "tests" / folder, tests / folder)


def wings_in(place: Path) -> set[str]:
    package = place / "segmenter"
    return {wing for wing in WINGS if any((package / path).exists() for path in folders({wing}))}


def has_what_a_build_needs() -> bool:
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"]["requires"]
    try:
        for need in map(Requirement, needs):
            if need.marker is None or need.marker.evaluate():
                version(need.name)
    except PackageNotFoundError:
        return False
    return any(map(shutil.which, ("c++", "g++", "clang++", "cl")))


@pytest.mark.parametrize("wing", WINGS)
def test_the_engine_without(wing: str, tmp_path: Path) -> None:
    wheel = wheel_of_this_checkout(tmp_path, {wing})
    install(wheel, tmp_path / "place")
    assert wings_in(tmp_path / "place") == set(WINGS) - {wing}
    tests = QUICK if EVERY else ANSWERS
    run("pytest", "-q", "-x", "-p", "no:cacheprovider", *tests, cwd=tmp_path / "place")


def test_the_engine_alone(tmp_path: Path) -> None:
    if not has_what_a_build_needs():
        pytest.skip("no compiler, or not what pyproject.toml needs for a build")
    copy_of_the_tree(tmp_path / "tree", set(WINGS))
    install(tmp_path / "tree", tmp_path / "place", "--no-build-isolation")
    assert wings_in(tmp_path / "place") == set()
    tests = ("tests/engine",) if EVERY else ALONE
    run("pytest", "-q", "-x", "-p", "no:cacheprovider", *tests, cwd=tmp_path / "place")


def test_a_build_from_source_without_each_wing(tmp_path: Path) -> None:
    """Every unit that is left finds its sources; what is written for them needs no other wing."""
    if not has_what_a_build_needs() or not (shutil.which("cmake") and shutil.which("ninja")):
        pytest.skip("no compiler, CMake or ninja, or not what pyproject.toml needs for a build")
    tree, build, away = (tmp_path / name for name in ("tree", "build", "away"))
    copy_of_the_tree(tree, set(), "segmenter")
    configure = ["cmake", "-G", "Ninja", "-S", tree, "-B", build]
    configure.append(f"-DPython_EXECUTABLE={sys.executable}")
    package = tree / "segmenter"
    for wing in WINGS:
        gone = [package / path for path in folders({wing}) if (package / path).exists()]
        for path in gone:
            (away / path.relative_to(package)).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, away / path.relative_to(package))
        (build / "tables.cpp").unlink(missing_ok=True)
        steps = [configure, ["ninja", "-C", build, "-n"], ["ninja", "-C", build, "tables.cpp"]]
        for step in steps:
            result = subprocess.run(
                list(map(str, step)), capture_output=True, encoding="utf-8", check=False
            )
            assert result.returncode == 0, (wing, (result.stdout + result.stderr)[-6000:])
        for path in gone:
            shutil.move(away / path.relative_to(package), path)
