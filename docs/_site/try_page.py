"""The page "try it": that of the service, over the WebAssembly module, in one file."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from segmenter.serve import page
from segmenter.serve.steps import ABOUT
from segmenter.tagging.pos import MEANING

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("segmenter.wasm.gz", "small.lex.gz", "pos.model.gz")
MISSING = """<!DOCTYPE html><meta charset="utf-8"><title>segmenter</title>
<p>This copy of the site was made without the WebAssembly module:
<code>python js/build --no-pack</code>, then <code>mkdocs build</code>.
本站生成时没有 WebAssembly 模块：先运行上面的命令，再生成一次。</p>
"""


def try_page(js: Path) -> str:
    """The page, or what to do where ``js/build`` has not made the module.

    Args:
        js: the folder js/ of the repository.
    """
    files = {name: js / "package" / name for name in FILES}
    if not all(path.is_file() for path in files.values()):
        return MISSING
    held = {name: base64.b64encode(path.read_bytes()).decode() for name, path in files.items()}
    core = (js / "core.js").read_text("utf-8")
    # names of its own: both have a LONGEST, a MODES
    taken = "{ SegmenterError, loader, short }"
    library = f"const {taken} = (() => {{\n{core}\nreturn {taken};\n}})();\n"
    own = (js / "page.js").read_text("utf-8")
    given = f"const PAGE = {page.embedded({'files': held, 'about': ABOUT, 'meanings': MEANING})};\n"
    *modules, main = map(page.asset, page.MODULES)
    return page.one_page(None, [*modules, library, given, own, main])
