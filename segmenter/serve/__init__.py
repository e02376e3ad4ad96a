"""The HTTP service, and the page that draws the graph of a sentence.

``app`` is the service as an ASGI application, for any server: ``uvicorn segmenter.serve:app``.  It
is created on first use, with the options in the environment variable ``SEGMENTER_SERVE``
(:mod:`segmenter.serve.configuration`), and needs the extra ``[serve]``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    app: ASGIApp


def __getattr__(name: str) -> object:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from segmenter.serve.configuration import from_environment

    globals()["app"] = application = from_environment()
    return application
