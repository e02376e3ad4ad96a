"""Finds the corpus or word list in installed packages, without importing them."""

from __future__ import annotations

import importlib.util
import os


def installed(package: str, *parts: str) -> str:
    """Path of a file inside an installed package, which is not imported.

    Raises:
        SystemExit: the package is not installed; says what to install.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"the package {package} is not installed: pip install {package}")
    return os.path.join(next(iter(spec.submodule_search_locations)), *parts)
