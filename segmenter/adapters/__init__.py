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
    """A foreign package, imported.

    Args:
        package: name of the module, dots allowed.
        extra: the extra of ours that installs it.
        feature: what needs it.

    Raises:
        MissingExtraError: it is not installed.  A package that is there and fails to import
            something else raises what it raises.
    """
    try:
        return import_module(package)
    except ModuleNotFoundError as e:
        if e.name is None or e.name.split(".")[0] != package.split(".")[0]:
            raise
        raise MissingExtraError(extra, package, feature) from e


@cache
def _default() -> Segmenter:
    return load()  # one, because it remembers what is inside words


def chosen(segmenter: Segmenter | None) -> Segmenter:
    """The Segmenter given, or the default preset's.

    Raises:
        TypeError: it is not a Segmenter.
    """
    if segmenter is None:
        return _default()
    if not isinstance(segmenter, Segmenter):
        raise wrong_type("segmenter", segmenter, "a Segmenter, made by segmenter.load")
    return segmenter
