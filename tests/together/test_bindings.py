"""The bindings are modules that cimport by name what they use of C++ and of each other."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from places import ROOT

from segmenter import kernels

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = ROOT / "segmenter" / "kernels"
MODULES = sorted(KERNELS.glob("_*.pyx"))
CIMPORT = re.compile(r"^from (segmenter\.[\w.]+) cimport (\([^)]*\)|.*)$", re.M)


def code(file: Path) -> str:
    """The text of a file without comments, strings and cimports."""
    text = re.sub(r'"""[\s\S]*?"""', '""', file.read_text("utf-8"))
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    return re.sub(r"#.*", "", CIMPORT.sub("", text))


def cimported(file: Path) -> dict[str, set[str]]:
    """By module the names that a file cimports from ours."""
    found = CIMPORT.findall(file.read_text("utf-8"))
    return {module: set(re.findall(r"\w+", names)) for module, names in found}


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.name)
def test_what_cpp_declares_is_cimported_by_name(file: Path) -> None:
    text = code(file)
    assert "cdef extern" not in text
    assert not re.search(r"^ *include ", text, re.M)
    names = set[str]().union(*cimported(file).values())
    unused = {name for name in names if not re.search(rf"(?<![\w.]){name}\b", text)}
    assert not unused, "cimported but not used"


@pytest.mark.parametrize("file", sorted(KERNELS.rglob("*.pxd")), ids=lambda file: file.name)
def test_declarations_cimport_what_they_use(file: Path) -> None:
    text = code(file)
    unused = {
        name
        for names in cimported(file).values()
        for name in names
        if not re.search(rf"(?<![\w.]){name}\b", text)
    }
    assert not unused, "cimported but not used"


def test_each_module_of_the_engine_is_loaded_after_those_that_it_uses() -> None:
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    found = re.search(r"^extension\(engine COLD ([\w ]+) MODULES ([\w ]+)", text, re.M)
    assert found
    in_file = [*found[1].split(), *found[2].split()]
    loaded = [name for name in vars(kernels) if name in in_file]
    assert loaded == in_file
    for module in in_file:
        uses = cimported(KERNELS / f"{module}.pyx").keys() & {
            f"segmenter.kernels.{name}" for name in in_file
        }
        before = {f"segmenter.kernels.{name}" for name in in_file[: in_file.index(module)]}
        assert uses <= before, module
