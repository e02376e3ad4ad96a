"""Finds shipped files by name.  Never uses the network.

Places, in order:

1. the argument ``path``, if given: the file itself, or its folder (and then no other place: a file
   that was requested is never replaced silently);
2. the folder in the environment variable ``SEGMENTER_DATA``;
3. ``models`` in the installed package;
4. ``models`` of the source checkout that the package is imported from;
5. for a file of another package (:data:`PACKAGES`), that package, and its folder in the checkout.
"""

from __future__ import annotations

import os

from segmenter.errors import ArgumentError, ResourceError, check_str, wrong_type

#: The environment variable that names a folder of compiled files.
ENVIRONMENT = "SEGMENTER_DATA"

#: Files that a package of their own carries: its folder in ``packages/``, and its module.
PACKAGES = {"best.model": ("segmenter-zh-best", "segmenter_zh_best")}

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folders() -> list[tuple[str, str]]:
    """Return the folders that are searched without a path: (description, absolute path)."""
    found: list[tuple[str, str]] = []
    chosen = os.environ.get(ENVIRONMENT)
    if chosen:
        # no shell has expanded "~" in a variable set in a container or a service file
        found.append((f"${ENVIRONMENT}", os.path.abspath(os.path.expanduser(chosen))))
    found.append(("the installed package", os.path.join(_PACKAGE, "models")))
    root = os.path.dirname(_PACKAGE)
    if os.path.isfile(os.path.join(root, "pyproject.toml")):
        found.append(("the source checkout", os.path.join(root, "models")))
    return found


def find(name: str, path: str | os.PathLike[str] | None = None) -> str:
    """Return the absolute path of the file ``name``.

    Args:
        name: a bare file name, such as ``"general.lex"``.
        path: the file to use instead, or a folder that contains ``name``.

    Raises:
        ResourceError: it was not found; the message lists every place searched and the remedy.
        ArgumentError: ``name`` is empty or a path.
        TypeError: an argument has the wrong type.
    """
    check_str("name", name)
    if name in ("", ".", "..") or any(mark in name for mark in "/\\\0"):
        raise ArgumentError(f"name: {name!r} must be a bare file name: give a path as path=")
    if path is not None:
        return _given(name, path)
    places = folders()
    carried = PACKAGES.get(name)
    if carried:
        places += _carrying(*carried)
    for _, folder in places:
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            return file
    looked = "\n".join(f"  {what}: {os.path.join(folder, name)}" for what, folder in places)
    if carried:
        raise ResourceError(
            f"no file {name!r}; looked at, in order:\n{looked}\n"
            f"Its weights are not published yet: packages/{carried[0]}/README.md of a clone says "
            f"how to make them; or set {ENVIRONMENT} to the folder that holds them"
        )
    there = sorted({file for _, folder in places for file in _files(folder)})
    raise ResourceError(
        f"no file {name!r}; looked at, in order:\n{looked}\n"
        f"these folders hold: {', '.join(there) or 'no compiled file'}.\n"
        f"Reinstall segmenter-zh, build the file with `segmenter build lexicon ...`, or set "
        f"{ENVIRONMENT} to the folder that holds it"
    )


def _carrying(package: str, module: str) -> list[tuple[str, str]]:
    """The folders of a package that carries files."""
    from importlib.util import find_spec

    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    installed = (spec.submodule_search_locations or ()) if spec is not None else ()
    found = [(f"the package {package}", os.path.abspath(folder)) for folder in installed]
    root = os.path.dirname(_PACKAGE)
    if os.path.isfile(os.path.join(root, "pyproject.toml")):
        found.append(("the source checkout", os.path.join(root, "packages", package, module)))
    return found or [(f"the package {package}", f"{module} (not installed)")]


def _given(name: str, path: str | os.PathLike[str]) -> str:
    try:
        chosen = os.path.abspath(os.fsdecode(path))
    except TypeError:
        raise wrong_type("path", path, "str or os.PathLike") from None
    file = os.path.join(chosen, name) if os.path.isdir(chosen) else chosen
    if os.path.isfile(file):
        return file
    raise ResourceError(
        f"path: there is no file {file}; a given path is the only place searched: correct it, or "
        f"leave it out to use the shipped {name}"
    )


def _files(folder: str) -> list[str]:
    """Compiled files in a folder, for the error message; other files are left out."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [name for name in names if not name.startswith(".") and not name.endswith(".md")]
