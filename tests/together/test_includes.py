"""Includes of the C++ go downwards only, as imports of the Python do (``test_rooms.py``).

A floor includes files of its own and of the floors above it in the list, which is the way of a
text: characters, spans, decoders, what follows them.  Files on one floor do not include each other
in a circle.
"""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import pytest
from places import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KERNELS = ROOT / "segmenter" / "kernels"
CAPI = ROOT / "segmenter" / "capi"

#: Floors from the ground up: folders end with /, the rest are files without their ending.
FLOORS: dict[str, tuple[str, ...]] = {
    "basics": (
        "compiler", "interrupt", "threads", "probe", "pair_hash", "byte_buffer", "best_paths",
        "capacity", "crc32", "fingerprint", "processor",
    ),
    "text": ("text", "offsets", "utf8", "utf8_text"),
    "call": ("token", "request", "result", "unknown"),
    "files": ("files/",),
    "lexicon": ("lexicon/", "map_text", "numbers", "clauses"),
    "spans": ("spans/edits", "atoms/", "kinds", "user/", "characters", "spans/spans"),
    "lattice": ("lattice/",),
    "network": ("bilstm/", "encoder/"),
    "tagging": ("tagging/",),
    "finish": ("cut_unknown", "post_edit"),
    "worker": ("worker", "parts", "analysis", "places", "batch", "bytes", "column"),
    "search": ("search/",),
    "pos": ("pos/",),
    "opening": ("validate", "opening", "open/"),
    "bindings": ("bindings/",),
    "wings": ("subword/", "train/"),
}  # fmt: skip
#: Nothing but a wing includes what is its own.
OWN = ("subword/", "train/")


def floor_of(name: str) -> int:
    """The number of the floor of a file by its path in ``kernels/``, without its ending."""
    floors = [
        number
        for number, parts in enumerate(FLOORS.values())
        for part in parts
        if name == part or (part.endswith("/") and name.startswith(part))
    ]
    assert floors, f"{name} is on no floor: tests/together/test_includes.py lists them"
    return min(floors)


def includes(path: Path) -> list[str]:
    """The headers of ours that a file includes."""
    return re.findall(r'^\s*#\s*include "([^"]+)"', path.read_text("utf-8"), re.M)


def sources(folder: Path) -> list[Path]:
    return sorted(p for end in ("*.hpp", "*.cpp") for p in folder.rglob(end))


def name_of(path: str | Path) -> str:
    return str(path).removesuffix(".hpp").removesuffix(".cpp")


@pytest.fixture(scope="module")
def graph() -> dict[str, list[str]]:
    """What each source of the kernels includes, by their paths."""
    return {str(p.relative_to(KERNELS)): includes(p) for p in sources(KERNELS)}


def test_every_include_is_there_and_below(graph: dict[str, list[str]]) -> None:
    wrong = []
    for path, includes in graph.items():
        for header in includes:
            assert header in graph, f"{path} includes {header}, which is not in kernels/"
            if floor_of(name_of(header)) > floor_of(name_of(path)):
                wrong.append(f"{path} includes {header}, of a higher floor")
            wing = next((header_own for header_own in OWN if header.startswith(header_own)), None)
            if wing and not path.startswith(wing):
                wrong.append(f"{path} includes {header}, of the wing {wing}")
    assert not wrong, "\n".join(wrong)


def test_no_circle_of_files_and_no_unit_included(graph: dict[str, list[str]]) -> None:
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" includes ".join(circle.args[1]))
    assert not [f"{p}: {h}" for p, found in graph.items() for h in found if h.endswith(".cpp")]


def test_the_library_is_above_the_kernels(graph: dict[str, list[str]]) -> None:
    for path in sources(CAPI):
        for header in includes(path):
            ours = (ROOT / "segmenter" / header).exists() or (path.parent / header).exists()
            assert ours or header in graph, f"{path.name} includes {header}"
            assert not header.startswith((*OWN, "bindings/")), f"{path.name} includes {header}"
    assert not [p for p, found in graph.items() if any(h.startswith("capi/") for h in found)]


def test_the_way_of_a_text_is_short(graph: dict[str, list[str]]) -> None:
    """What ``worker.hpp`` and ``worker.cpp`` include, with all that those include."""
    visited: set[str] = set()
    ahead = ["worker.hpp", "worker.cpp"]
    while ahead:
        path = ahead.pop()
        if path not in visited:
            visited.add(path)
            ahead += graph[path]
    lines = sum(len((KERNELS / path).read_text("utf-8").splitlines()) for path in visited)
    assert len(visited) <= 30, sorted(visited)
    assert lines <= 5500
    architecture = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    said = re.search(r"`worker.cpp` include (\d+) files of ([\d,]+) lines", architecture)
    assert said
    assert int(said[1]) == len(visited)
    assert abs(int(said[2].replace(",", "")) - lines) <= 5 + lines // 20, f"they have {lines}"
    page = (KERNELS / "README.md").read_text("utf-8")
    listed = re.search(r"`worker.cpp` include: (.*?)\. ", page, re.S)
    assert listed
    assert sorted(re.findall(r"`([\w/.]+)`", listed[1])) == sorted(visited)
