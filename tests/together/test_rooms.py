"""Who may import whom: the engine's rooms in their order, then its wings; no circle anywhere."""

from __future__ import annotations

import ast
import functools
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from places import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = ROOT / "segmenter"

#: The engine's rooms: each imports only from rooms before its own.
ENGINE = (
    "_version", "errors", "kernels", "files", "text", "atoms", "artifact", "choices", "lexicon",
    "notebook", "types", "lattice", "tagging", "search", "core", "loading", "default",
    "columns", "sentence", "effects", "__init__",
)  # fmt: skip
#: The wings, and the other wings that each may import; all may import the engine.
WINGS = {
    "subword": set(),
    "train": set(),
    "keywords": set(),
    "reading": set(),
    "capi": set(),
    "adapters": {"capi", "keywords", "subword"},
    "serve": {"keywords", "subword", "train"},
    "cli": {"subword", "train", "keywords", "adapters", "serve"},
}
#: Folders and files of a wing that do not have its name.
HOMES = {"compat": "adapters", "__main__": "cli"}
MODULES = {
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
    for p in sorted(PACKAGE.rglob("*.py"))
}
#: What a module imports at its top, what it imports in a function, and what only a type checker
#: sees.
TOP, LATER, TYPES = "top", "later", "types"


def room_of(module: str) -> str:
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else "__init__"
    return HOMES.get(room, room)


def imports(tree: ast.AST, when: str = TOP) -> Iterator[tuple[str, str]]:
    """(module of the package that code imports, when), inside functions too."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the room"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            inner = when
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                for part in node.body:
                    yield from imports(ast.Module([part], []), TYPES)
                yield from imports(ast.Module(node.orelse, []), when)
                continue
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and when == TOP:
                inner = LATER
            yield from imports(node, inner)
            continue
        for name in names:
            if name.split(".")[0] == "segmenter":
                yield resolved(name), when


def resolved(name: str) -> str:
    """The module that a dotted name is, or is a name of."""
    while name not in MODULES:
        if name.startswith("segmenter.kernels._"):
            return "segmenter.kernels"
        name = name.rpartition(".")[0]
    return name


@functools.cache
def imports_of(module: str) -> set[tuple[str, str]]:
    return set(imports(ast.parse(MODULES[module].read_text("utf-8"))))


by_module = pytest.mark.parametrize("module", MODULES)


@by_module
def test_a_module_imports_only_what_it_may(module: str) -> None:
    """Types count too: what a reader must open to understand a module is what it names."""
    room = room_of(module)
    assert room in ENGINE or room in WINGS, f"{room} is neither a room of the engine nor a wing"
    rooms = {room_of(name) for name, _ in imports_of(module)} - {room}
    if room in ENGINE:
        assert rooms <= set(ENGINE[: ENGINE.index(room)])
    else:
        assert rooms <= {*ENGINE, *WINGS[room]}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The sets of modules that reach one another (Tarjan 1972)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    circles_found = []

    def visit(node: str) -> None:
        low[node] = number[node] = len(number)
        stack.append(node)
        for neighbour in sorted(graph[node]):
            if neighbour not in number:
                visit(neighbour)
                low[node] = min(low[node], low[neighbour])
            elif neighbour in stack:
                low[node] = min(low[node], number[neighbour])
        if low[node] == number[node]:
            begin = stack.index(node)
            together = stack[begin:]
            del stack[begin:]
            if len(together) > 1 or node in graph[node]:
                circles_found.append(sorted(together))

    for node in graph:
        if node not in number:
            visit(node)
    return circles_found


def test_no_module_imports_itself_by_others() -> None:
    graph = {module: {name for name, _ in imports_of(module)} for module in MODULES}
    assert circles(graph) == []


def test_a_circle_is_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": {"d"}, "e": {"a"}}
    assert circles(graph) == [["d"], ["b", "c"]]


@by_module
def test_the_package_imports_nothing_that_the_wheel_does_not_carry(module: str) -> None:
    imported_names = set()
    for node in ast.walk(ast.parse(MODULES[module].read_text("utf-8"))):
        if isinstance(node, ast.Import):
            imported_names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported_names.add((node.module or "").split(".")[0])
    assert not imported_names & {"recipes", "dicts", "eval", "tests"}


def handed_up(code: str) -> list[str]:
    """Calls at the top of a module whose results nobody takes, of functions of the package: a room
    that hands something of its own to a room above, which then depends on it unseen."""
    tree, ours = ast.parse(code), set()
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and any(imports(ast.Module([node], []))):
            ours |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    calls = [
        n.value for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)
    ]
    written = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    calls_found: list[ast.expr] = [c for c in calls if first_name(c.func) in ours]
    calls_found += [t for t in written if not isinstance(t, ast.Name) and first_name(t) in ours]
    return [ast.unparse(node) for node in calls_found]


def first_name(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@by_module
def test_no_module_hands_itself_to_another(module: str) -> None:
    calls_found = handed_up(MODULES[module].read_text("utf-8"))
    assert [
        c for c in calls_found if not c.startswith("require(")
    ] == []  # an adapter's package is here


def test_the_check_sees_what_is_handed_up() -> None:
    code = "from segmenter.files import resources\nimport os\n{}\n"
    assert handed_up(code.format("resources.use_segmenters(load)"))
    assert handed_up(code.format("resources.load = load"))
    assert not handed_up(code.format("os.umask(0)"))
    assert not handed_up(code.format("places = resources.folders()"))


def test_the_check_sees_imports() -> None:
    code = """
import segmenter.cli
if TYPE_CHECKING:
    from segmenter.serve import page
else:
    from segmenter import columns
def f():
    try:
        from segmenter.loading import load
    except ImportError:
        from segmenter import artifact
    else:
        from segmenter import cut
    with open("x"):
        from segmenter.kernels import _engine
"""
    assert sorted(imports(ast.parse(code))) == [
        ("segmenter", LATER),
        ("segmenter.artifact", LATER),
        ("segmenter.cli", TOP),
        ("segmenter.columns", TOP),
        ("segmenter.kernels", LATER),
        ("segmenter.loading", LATER),
        ("segmenter.serve.page", TYPES),
    ]


def test_the_document_has_the_same_order() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    rows = re.findall(r"^\| \[?(`.*?) \|", text, re.M)
    named = [
        name.rstrip("/").removesuffix(".py")
        for row in rows
        for name in re.findall(r"`([\w/]+(?:\.py)?)`", row)
    ]
    rooms = [name for name in named if name in ENGINE]
    assert rooms == [name for name in ENGINE if name != "_version"]
    assert {name for name in named if name in WINGS} == set(WINGS)


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "segmenter/kernels/README.md"])
def test_the_documents_name_files_that_are_there(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for name in re.findall(r"[`(]([\w./-]+(?:\.(?:py|pyx|pxd|hpp|cpp|md)|/))[`)#]", text):
        paths = (ROOT / name, (ROOT / page).parent / name)
        assert any(p.exists() for p in paths) or any(PACKAGE.rglob(name)), f"there is no {name}"


def test_the_document_says_nearly_how_long_the_way_of_a_sentence_is() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(text.split()) <= 1850
    rows = re.findall(r"^\| ([a-z ]+) \| (`[\w./]+` \d+.*) \|$", text, re.M)
    files = {part: dict(re.findall(r"`([\w./]+)` (\d+)", row)) for part, row in rows}
    for name, lines in [item for part in files.values() for item in part.items()]:
        path = next(f / name for f in (PACKAGE, PACKAGE / "kernels") if (f / name).exists())
        count = len(path.read_text("utf-8").splitlines())
        assert abs(count - int(lines)) <= 5 + count // 10, f"{name} has {count} lines"
    way = re.search(r"tagger these are (\d+) files of ([\d,]+) lines, .* (\d+) of ([\d,]+)\.", text)
    assert way is not None
    passed = [
        [n for p in files if p != other_language for n in files[p].values()]
        for other_language in files
    ]
    said = [int(n.replace(",", "")) for n in way.groups()]
    for (count, lines), other_language in zip(
        (said[:2], said[2:]), ("or lattice", "tagger"), strict=True
    ):
        lines_there = passed[list(files).index(other_language)]
        assert (len(lines_there), sum(map(int, lines_there))) == (count, lines), other_language


@pytest.mark.parametrize("wing", WINGS)
def test_a_wing_has_a_page(wing: str) -> None:
    """And every file that it names is there."""
    page = PACKAGE / wing / "README.md"
    for name in re.findall(r"`([\w/]+(?:\.py|\.hpp|\.tsv|/))`", page.read_text("utf-8")):
        paths = [ROOT / name, *PACKAGE.rglob(name.rstrip("/"))]
        assert any(path.exists() for path in paths), f"{page}: there is no {name}"


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
