"""The page that draws a sentence: the files of ``static/``, apart as the service sends them, or in
one file that needs nothing else.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The files a browser fetches from the service, and what they are.
ASSETS = {
    "page.html": "text/html; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
}

# the places in page.html that a single file fills
_STYLE = '<link rel="stylesheet" href="page.css">'
_SCRIPT = '<script src="page.js"></script>'
_DATA = '<script type="application/json" id="data">null</script>'


@cache
def asset(name: str) -> str:
    """A file of ``static/``.

    Raises:
        KeyError: the page has no such file.
    """
    if name not in ASSETS:
        raise KeyError(name)
    return files("segmenter.view").joinpath("static", name).read_text("utf-8")


def single_file(pictures: Sequence[dict[str, Any]]) -> str:
    """The page as one HTML file with its data in it: opens without a service and without a network.

    Args:
        pictures: sentences, each as :func:`segmenter.view.graph.picture` gives it.
    """
    html = asset("page.html")
    for place, content in (
        (_STYLE, f"<style>\n{asset('page.css')}</style>"),
        (_DATA, f'<script type="application/json" id="data">{embedded(list(pictures))}</script>'),
        (_SCRIPT, f"<script>\n{asset('page.js')}</script>"),
    ):
        before, found, after = html.partition(place)
        assert found, place
        html = before + content + after
    return html


def embedded(data: object) -> str:
    """JSON that may stand between script tags: no ``<`` that could end them, ASCII only.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    return json.dumps(data).replace("<", "\\u003c")
