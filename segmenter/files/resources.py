"""Finds shipped files by name.  Never uses the network.

Places, in order:

1. the argument ``path``, if given: the file itself, or its folder, and no other place, so that a
   requested file is never replaced silently;
2. the folder in the environment variable ``SEGMENTER_DATA``;
3. ``models`` in the installed package;
4. ``models`` of the source checkout that the package is imported from;
5. for a file of another package (:data:`PACKAGES`), this package, and its folder in the checkout.
"""

from __future__ import annotations

import os

from segmenter.errors import ArgumentError, ResourceError, check_str, wrong_type

#: The environment variable that names a folder of compiled files.
ENVIRONMENT = "SEGMENTER_DATA"

#: Files that another package carries: the folder of the package in ``packages/``, and its module.
PACKAGES = {"best.model": ("segmenter-zh-best", "segmenter_zh_best")}

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def folders() -> list[tuple[str, str]]:
    """Return the folders that are searched without a path: (description, absolute path).

    Raises:
        ResourceError: ``SEGMENTER_DATA`` names no folder.
    """
    places: list[tuple[str, str]] = []
    folder = os.environ.get(ENVIRONMENT)
    if folder:
        # "~" in a variable of a container or a service file was not expanded by a shell
        own = os.path.abspath(os.path.expanduser(folder))
        if not os.path.isdir(own):  # the shipped files would take the place of the user's
            raise ResourceError(
                f"{ENVIRONMENT}: {own} is not a folder: correct the variable, or unset it to use "
                "the shipped files"
            )
        places.append((f"${ENVIRONMENT}", own))
    places.append(("the installed package", os.path.join(_PACKAGE, "models")))
    root = os.path.dirname(_PACKAGE)
    if os.path.isfile(os.path.join(root, "pyproject.toml")):
        places.append(("the source checkout", os.path.join(root, "models")))
    return places


def find(name: str, path: str | os.PathLike[str] | None = None) -> str:
    """Return the absolute path of the file ``name``.

    Args:
        name: a bare file name, such as ``"general.lex"``.
        path: the file to use instead, or a folder that contains ``name``.

    Raises:
        ResourceError: there is no such file; the message lists every place searched and the remedy.
        ArgumentError: ``name`` is empty or a path.
        TypeError: an argument has the wrong type.
    """
    check_str("name", name)
    if name in ("", ".", "..") or any(mark in name for mark in "/\\\0"):
        raise ArgumentError(f"name: {name!r} must be a bare file name: give a path as path=")
    if path is not None:
        return _file_at(name, path)
    places = folders()
    package = PACKAGES.get(name)
    if package:
        places += _package_folders(*package)
    for _, folder in places:
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            return file
    listing = "\n".join(f"  {place}: {os.path.join(folder, name)}" for place, folder in places)
    if package:
        raise ResourceError(
            f"no file {name!r}; looked at, in order:\n{listing}\n"
            f"Its weights are not published yet: packages/{package[0]}/README.md of a clone says "
            f"how to make them; or set {ENVIRONMENT} to the folder that holds them"
        )
    available = sorted({file for _, folder in places for file in _files(folder)})
    raise ResourceError(
        f"no file {name!r}; looked at, in order:\n{listing}\n"
        f"these folders hold: {', '.join(available) or 'no compiled file'}.\n"
        f"Reinstall segmenter-zh, build the file with `segmenter build lexicon ...`, or set "
        f"{ENVIRONMENT} to the folder that holds it"
    )


def _package_folders(package: str, module: str) -> list[tuple[str, str]]:
    """Return the folders of a package that carries files: (description, path)."""
    from importlib.util import find_spec

    try:
        spec = find_spec(module)
    except (ImportError, ValueError):
        spec = None
    installed = (spec.submodule_search_locations or ()) if spec is not None else ()
    places = [(f"the package {package}", os.path.abspath(folder)) for folder in installed]
    root = os.path.dirname(_PACKAGE)
    if os.path.isfile(os.path.join(root, "pyproject.toml")):
        places.append(("the source checkout", os.path.join(root, "packages", package, module)))
    return places or [(f"the package {package}", f"{module} (not installed)")]


def _file_at(name: str, path: str | os.PathLike[str]) -> str:
    try:
        given_path = os.path.abspath(os.fsdecode(path))
    except TypeError:
        raise wrong_type("path", path, "str or os.PathLike") from None
    file = os.path.join(given_path, name) if os.path.isdir(given_path) else given_path
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
