"""The page that draws a sentence: the files of ``static/``, one by one for the service, or joined
into one self-contained file.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from segmenter._version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The modules of the page, each after its imports.  A single file joins them in this order in one
#: scope, so their top-level names are unique.
MODULES = (
    "dom.js", "translations.js", "say_errors.js", "say_steps.js", "state.js", "link.js", "ask.js",
    "export.js", "running.js", "graph.js", "boards.js", "player.js", "decoders.js", "tagger.js",
    "tables.js", "main.js",
)  # fmt: skip
_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
}
#: The files that a browser fetches from the service.
NAMES = ("page.html", "page.css", *MODULES)

# the parts of page.html that a single file replaces
_STYLE = '<link rel="stylesheet" href="page.css">'
_SCRIPT = '<script type="module" src="main.js"></script>'
_DATA = '<script type="application/json" id="data">null</script>'

_IMPORT = re.compile(r"^import [^;]*;\n", re.M)
_EXPORT = re.compile(r"^export ", re.M)


def kind_of(name: str) -> str | None:
    """The content type of a file of the page, or None."""
    return _KINDS[name.rpartition(".")[2]] if name in NAMES else None


@cache
def asset(name: str) -> str:
    """A file of ``static/``.

    Raises:
        KeyError: the page has no such file.
    """
    if name not in NAMES:
        raise KeyError(name)
    text = files("segmenter.serve").joinpath("static", name).read_text("utf-8")
    return text.replace("@version@", __version__) if name == "page.html" else text


def single_file(pictures: Sequence[dict[str, Any]]) -> str:
    """The page as one HTML file with its data in it: opens without a service and without a network.

    Args:
        pictures: sentences, each from :func:`segmenter.serve.graph.picture`; those with traces of
            :func:`segmenter.serve.steps.trace` under ``"steps"``, by player, can be played.
    """
    return one_page(list(pictures), [asset(name) for name in MODULES])


def one_page(data: object, modules: Sequence[str]) -> str:
    """The page as one HTML file: data (None: the page requests them) and modules in order."""
    html = asset("page.html")
    for placeholder, content in (
        (_STYLE, f"<style>\n{asset('page.css')}</style>"),
        (_DATA, f'<script type="application/json" id="data">{embedded(data)}</script>'),
        (_SCRIPT, f"<script>\n{one_script(modules)}</script>"),
    ):
        before, marker, after = html.partition(placeholder)
        assert marker, placeholder
        html = before + content + after
    return html


def one_script(modules: Sequence[str]) -> str:
    """Modules joined in one scope, without imports and exports."""
    parts = [_EXPORT.sub("", _IMPORT.sub("", module)) for module in modules]
    return '"use strict";\n(() => {\n' + "\n".join(parts) + "})();\n"


def embedded(data: object) -> str:
    """JSON for a script element: ASCII, without ``<``, which could end it.

    >>> embedded("</script>")
    '"\\\\u003c/script>"'
    """
    return json.dumps(data).replace("<", "\\u003c")
