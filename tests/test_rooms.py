"""A module imports only rooms above its own: the order stands here and in ARCHITECTURE.md."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PACKAGE = ROOT / "segmenter"

ROOMS = (
    "_version", "errors", "files", "text", "types", "kernels", "atoms", "artifact", "choices",
    "lexicon", "lattice", "tagging", "search", "explanation", "subword", "segmenter", "loading",
    "default", "columns", "keywords", "sentence",
    "adapters", "train", "serve", "__init__", "compat", "cli", "__main__",
)  # fmt: skip
MODULES = sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)


def imports(nodes: list[ast.stmt]) -> Iterator[str]:
    """Rooms that code imports, inside functions too; what only a type checker sees is left out."""
    for node in nodes:
        if is_type_checking(node):
            continue
        for child in [node] if not hasattr(node, "body") else []:
            yield from rooms_named(child)
        for field in ("body", "orelse", "finalbody"):
            yield from imports(getattr(node, field, []))
        for handler in getattr(node, "handlers", []):
            yield from imports(handler.body)


def rooms_named(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "relative imports hide the room"
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return
    for name in names:
        parts = name.split(".")
        if parts[0] == "segmenter":
            known = len(parts) > 1 and parts[1] in ROOMS
            yield parts[1] if known else "__init__"


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(PACKAGE)) for p in MODULES])
def test_a_room_imports_only_rooms_above_it(path: Path) -> None:
    room = room_of(path)
    assert room in ROOMS, f"{room} has no place in the order: give it one, here and in the document"
    found = set(imports(ast.parse(path.read_text("utf-8")).body))
    below = sorted(r for r in found if ROOMS.index(r) > ROOMS.index(room))
    assert below == []
    if room == "errors":
        assert found == set()


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(PACKAGE)) for p in MODULES])
def test_the_package_imports_nothing_that_the_wheel_does_not_carry(path: Path) -> None:
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
    assert not found & {"recipes", "dicts", "eval", "tests"}


def handed_up(code: str) -> list[str]:
    """Calls at the top of a module whose results nobody takes, of functions of the package: a room
    that hands something of its own to a room above, which then depends on it unseen."""
    tree, ours = ast.parse(code), set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and any(rooms_named(node)):
            ours |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    calls = [
        n.value for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)
    ]
    written = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    found: list[ast.expr] = [c for c in calls if first_name(c.func) in ours]
    found += [t for t in written if not isinstance(t, ast.Name) and first_name(t) in ours]
    return [ast.unparse(node) for node in found]


def first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize("path", MODULES, ids=[str(p.relative_to(PACKAGE)) for p in MODULES])
def test_no_room_hands_itself_to_one_above(path: Path) -> None:
    found = handed_up(path.read_text("utf-8"))
    assert [c for c in found if not c.startswith("require(")] == []  # an adapter's package is here


def test_the_check_sees_what_is_handed_up() -> None:
    code = "from segmenter import resources\nimport os\n{}\n"
    assert handed_up(code.format("resources.use_segmenters(load)"))
    assert handed_up(code.format("resources.load = load"))
    assert not handed_up(code.format("os.umask(0)"))
    assert not handed_up(code.format("places = resources.folders()"))


def test_the_check_sees_imports() -> None:
    code = """
import segmenter.cli
if TYPE_CHECKING:
    from segmenter.serve import page
def f():
    try:
        from segmenter.loading import load
    except ImportError:
        from segmenter import artifact
    else:
        from segmenter import cut
    with open("x"):
        import segmenter
"""
    found = sorted(imports(ast.parse(code).body))
    assert found == ["__init__", "__init__", "artifact", "cli", "loading"]


def test_the_document_has_the_same_order() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    rows = [row for row in re.findall(r"^\| (`.*?) \|", text, re.M) if "`" in row]
    named = [
        name.rstrip("/").removesuffix(".py")
        for row in rows
        for name in re.findall(r"`([\w/]+(?:\.py)?)`", row)
    ]
    named = [name for name in named if name in ROOMS]
    assert len(named) > 12
    assert named == sorted(named, key=ROOMS.index)
    there = {room_of(p) for p in MODULES} - {"_version", "__main__"}
    assert there == set(named)


def test_import_is_light_and_silent() -> None:
    """Nothing heavier than the standard library and the extension, and little of the former."""
    code = (
        "import sys; before = set(sys.modules); import segmenter; "
        "new = {m.split('.')[0] for m in set(sys.modules) - before}; "
        "heavy = {'numpy', 'torch', 'json', 're', 'typing', 'dataclasses', 'inspect', 'pathlib', "
        "'marisa_trie', 'ahocorasick', 'tqdm', 'argparse', 'logging', 'socket'}; "
        "sys.exit(','.join(sorted(new & heavy)) or 0)"
    )
    # -I -S: a site that imports much (for editable installs, say) would hide what we import
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); {code}"
    got = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code],
        capture_output=True,
        env={k: v for k, v in os.environ.items() if k != "SEGMENTER_DATA"},
        check=False,
    )
    assert (got.returncode, got.stdout, got.stderr) == (0, b"", b"")
