"""Adapters for other systems: one small module each, imported only when it is used.

Only ``import segmenter.adapters.polars`` needs polars, for example; if the package is missing, the
error names the extra that installs it.  Every module has its page in docs/en/integrations.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from segmenter.core import Segmenter
from segmenter.errors import MissingExtraError, wrong_type
from segmenter.loading import load

if TYPE_CHECKING:
    from typing import Any


def require(package: str, extra: str, feature: str) -> Any:
    """Import a foreign package and return it.

    Args:
        package: name of the module, dots allowed.
        extra: the extra of ours that installs it.
        feature: the module or function that needs it.

    Raises:
        MissingExtraError: the package is not installed.  Errors from inside an installed package
            pass unchanged.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as e:
        if e.name is None or e.name.split(".")[0] != package.split(".")[0]:
            raise
        raise MissingExtraError(extra, package, feature) from e


@cache
def _default() -> Segmenter:
    return load()  # shared, because it caches the words inside words


def or_default(segmenter: Segmenter | None) -> Segmenter:
    """The argument, or the default Segmenter if it is None.

    Raises:
        TypeError: the argument is not a Segmenter.
    """
    if segmenter is None:
        return _default()
    if not isinstance(segmenter, Segmenter):
        raise wrong_type("segmenter", segmenter, "a Segmenter, made by segmenter.load")
    return segmenter
