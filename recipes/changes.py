"""The code that a stage runs, so that a changed recipe runs again.

From a function on, every definition of ``recipes/`` and ``dicts/`` that it names is followed:
functions, classes and constants, in other modules too.  Of :class:`recipes.work.Work` it is the
methods that are called on ``work``.  Comments and docstrings are left out.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING

from recipes.work import ROOT

if TYPE_CHECKING:
    from pathlib import Path

FOLDERS = (ROOT / "recipes", ROOT / "dicts")
WORK = ROOT / "recipes" / "work.py"

#: A module's definitions by name, and what it imports: a module and a name in it, or "".
Parsed = tuple[dict[str, ast.stmt], dict[str, tuple["Path", str]]]


def code_of(path: Path, function: str) -> str:
    """The source of all definitions that a function of a file reaches, in the order of names."""
    sources: dict[tuple[Path, str], str] = {}
    waiting = [(path, function)]
    while waiting:
        key = path, name = waiting.pop()
        names, imported = _parsed(path)
        if key in sources or name not in names:
            continue
        sources[key] = ast.unparse(names[name])
        for x in ast.walk(names[name]):
            if isinstance(x, ast.Attribute) and isinstance(x.value, ast.Name):
                target = imported.get(x.value.id, (path, x.value.id))
                if x.value.id in ("work", "self"):
                    waiting.append((WORK, f"Work.{x.attr}"))
                elif not target[1]:
                    waiting.append((target[0], x.attr))
            elif isinstance(x, ast.Name):
                waiting.append(imported.get(x.id, (path, x.id)))
            elif isinstance(x, ast.Constant) and str(x.value).endswith(".py"):  # a command
                command = _file(str(x.value).removesuffix(".py"))
                waiting += [(command, each) for each in _parsed(command)[0]] if command else []
    return "\n".join(sources[key] for key in sorted(sources))


def _file(module: str) -> Path | None:
    paths = (folder / f"{module.removeprefix('recipes.')}.py" for folder in FOLDERS)
    return next((path for path in paths if path.exists()), None)


@functools.cache
def _parsed(path: Path) -> Parsed:
    names: dict[str, ast.stmt] = {}
    imported = {}
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body[:1] = [ast.Pass()]
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names[statement.name] = statement
            methods = statement.body if isinstance(statement, ast.ClassDef) else []
            names |= {
                f"{statement.name}.{x.name}": x for x in methods if isinstance(x, ast.FunctionDef)
            }
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names |= {
                x.id: statement for t in targets for x in ast.walk(t) if isinstance(x, ast.Name)
            }
        elif isinstance(statement, ast.ImportFrom) and statement.module:
            for alias in statement.names:
                is_module = statement.module == "recipes"
                file = _file(alias.name if is_module else statement.module)
                if file:
                    imported[alias.asname or alias.name] = file, "" if is_module else alias.name
    return names, imported
