"""The bindings: what C++ declares stands in ``.pxd`` files and is cimported by name.

A ``.pxi`` says at its top what it uses of those above it, with which it shares a name space.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = ROOT / "segmenter" / "kernels"
#: By extension its files, in the order in which they are included.
INCLUDED = {
    pyx.stem: [KERNELS / name for name in re.findall(r'^include "(.+)"', pyx.read_text(), re.M)]
    for pyx in sorted(KERNELS.glob("_*.pyx"))
}
PXI = sorted({file for files in INCLUDED.values() for file in files})
DEFINITION = re.compile(
    r"^(?:cdef class (\w+)|def (\w+)|cdef [\w \[\],*&]*?[ *&](\w+)(?:\(| =)|([A-Z]\w+) = )", re.M
)


def code(file: Path) -> str:
    """The text of a file without comments, strings and cimports."""
    text = re.sub(r'"""[\s\S]*?"""', '""', file.read_text("utf-8"))
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text)
    text = re.sub(r"^from [\w.]+ cimport (?:\([^)]*\)|.*)$", "", text, flags=re.M)
    return re.sub(r"#.*", "", text)


def defined(file: Path) -> set[str]:
    """What a file defines at its top level."""
    text = code(file)
    names = {name for found in DEFINITION.findall(text) for name in found if name}
    for enum in re.findall(r"^cdef enum:\n((?: +.+\n)+)", text, re.M):
        names |= set(re.findall(r"^ +(\w+)", enum, re.M))
    return names


def named(text: str, names: set[str]) -> set[str]:
    """Which of these names stand in a text, other than as an attribute."""
    return {name for name in names if re.search(rf"(?<![\w.]){name}\b", text)}


def used(text: str, names: set[str]) -> set[str]:
    """The same without those that are variables of its own."""
    return {
        name
        for name in named(text, names)
        if not re.search(rf"^ +cdef .*[ *&]{name}(?= *(?:,|=|$|\[\d))", text, re.M)
    }


def said(file: Path) -> dict[str, set[str]]:
    """What a file says that it uses of the others."""
    head = re.match(r"(?:#.*\n)*", file.read_text("utf-8"))
    assert head is not None
    match = re.search(r"Uses (.*)\.$", head[0].replace("\n#", "").strip())
    parts = match[1].split("; ") if match else []
    return {
        name: set(names.split(", ")) for name, names in (part.split(".pxi: ") for part in parts)
    }


def cimported(file: Path) -> set[str]:
    """The names that a file cimports from our .pxd files."""
    text = file.read_text("utf-8")
    lists = re.findall(r"^from segmenter\.[\w.]+ cimport (\([^)]*\)|.*)$", text, re.M)
    return {name for names in lists for name in re.findall(r"\w+", names)}


def test_every_file_is_included() -> None:
    assert len(INCLUDED) == 3
    assert set(KERNELS.rglob("*.pxi")) == set(PXI)


@pytest.mark.parametrize("file", PXI, ids=lambda file: str(file.relative_to(KERNELS)))
def test_what_cpp_declares_is_cimported_by_name(file: Path) -> None:
    text = code(file)
    assert "cdef extern" not in text
    names = cimported(file)
    assert named(text, names) == names, "cimported but not used"
    for files in INCLUDED.values():
        if file in files:  # a name that another file cimports is cimported here too
            rest_names = {name for other in files for name in cimported(other)} - names
            assert not used(text, rest_names - defined(file))


@pytest.mark.parametrize("extension", INCLUDED)
def test_each_says_what_it_uses_of_those_above(extension: str) -> None:
    files = INCLUDED[extension]
    for number, file in enumerate(files):
        text, definitions = code(file), defined(file)
        uses = {
            other_file.stem: names_used
            for other_file in files[:number]
            if (names_used := used(text, defined(other_file) - definitions))
        }
        assert said(file) == uses, file.name
