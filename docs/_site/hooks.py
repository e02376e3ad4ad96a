"""Additions to MkDocs for the site: our segmenter for search, the references of commands and
names, and pages of the repository that the documents link to (results, recipes, ARCHITECTURE.md).

MkDocs reads a copy of docs/ in a temporary folder, in which links that leave docs/ lead to copies
of those pages.
"""

from __future__ import annotations

import atexit
import posixpath
import re
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from material.plugins.search import plugin as material_search
from mkdocs.plugins import event_priority

import segmenter.compat.jieba as jieba
from segmenter.cli.parsers import complete_parser, every_parser

if TYPE_CHECKING:
    from typing import Any

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.nav import Navigation
    from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
from reference import python_page
from try_page import try_page

# Material's search cuts Chinese with a module of jieba's names: ours has them
material_search.jieba = jieba

ROOT = Path(__file__).resolve().parents[2]
#: The folder of the site that holds pages from outside docs/.
OUTSIDE = "en/repository"
LANGUAGES = {"zh": "中文", "en": "English"}
#: Of these, what the search of the site leaves out: figures, and how shipped files are made.
UNSEARCHED = ("eval/", "recipes/")
HOME = """---
hide: [navigation, toc]
---

# segmenter-zh

Chinese word segmentation for Python, the shell, JavaScript and C: fast, accurate, small
and offline.
中文分词，Python、命令行、JavaScript、C 都能用：快、准、小、完全离线。

![他说的确实在理](img/graph.svg)

```python
import segmenter as seg

seg.cut("他说的确实在理")  # ['他', '说', '的', '确实', '在理']
```

| English | 中文 |
|---|---|
| [Try it in this browser](en/try.md) | [就在浏览器里试一试](zh/try.md) |
| [Start](en/start.md) | [上手](zh/start.md) |
| [All documents](en/index.md) | [全部文档](zh/index.md) |
| [Questions](en/questions.md) | [常见问题](zh/questions.md) |

<a href="try.html">try.html</a> (3 MB) can be saved and opened without a network.
可以保存下来，断网也能打开。
"""
#: Pages of the repository stand below those of docs/ in the search.
REPOSITORY = "---\nsearch:\n  boost: 0.5\n---\n\n"
#: The worker of the search on the site, and the files of the npm package that it imports.
WORKER = "assets/search/search_worker.js"
SEARCH = ("index.js", "core.js", "search.js", "segmenter.wasm.gz", "small.lex.gz")
MATERIAL_WORKER = re.compile(r"assets/javascripts/workers/search\.\w+\.min\.js")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
CODE = re.compile(r"(^```.*?^```|`[^`\n]+`)", re.M | re.S)


def commands_page() -> str:
    """The help of every command."""
    parsers = list(every_parser(complete_parser()))
    return "".join(f"## {p.prog}\n\n```text\n{p.format_help()}```\n\n" for p in parsers[1:])


@event_priority(100)  # before the plugins look at docs_dir
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Makes the copy."""
    source = Path(config.docs_dir)
    made = Path(tempfile.mkdtemp(prefix="segmenter-docs-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    config.docs_dir = str(made)
    waiting = []
    for path in source.rglob("*"):
        name = path.relative_to(source).as_posix()
        if name.startswith("_site/") or not path.is_file():
            continue
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            waiting.append((f"docs/{name}", name))
        else:
            shutil.copy(path, made / name)
    seen = {here for here, _ in waiting}
    while waiting:
        here, there = waiting.pop()
        text, linked = relinked((ROOT / here).read_text("utf-8"), here, there)
        (made / there).parent.mkdir(parents=True, exist_ok=True)
        head = ""
        if here.startswith(UNSEARCHED):
            head = "---\nsearch:\n  exclude: true\n---\n"
        elif there.startswith(OUTSIDE):
            head = REPOSITORY
        (made / there).write_text(head + text, "utf-8")
        waiting += [(full, f"{OUTSIDE}/{full}") for full in linked - seen]
        seen |= linked
    for name, body in (("commands", commands_page()), ("python", python_page())):
        head = (source / "_site" / f"{name}.md").read_text("utf-8")
        (made / "en" / f"{name}.md").write_text(head + body, "utf-8")
    (made / "index.md").write_text(HOME, "utf-8")
    (made / "try.html").write_text(try_page(ROOT / "js"), "utf-8")
    package = ROOT / "js" / "package"
    if all((package / name).is_file() for name in SEARCH):
        (made / WORKER).parent.mkdir(parents=True)
        for path in (source / "_site" / Path(WORKER).name, *(package / name for name in SEARCH)):
            shutil.copyfile(path, made / Path(WORKER).parent / path.name)
    return config


def on_page_context(
    context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation
) -> dict[str, Any]:
    """The page's language, for the words around it, and the same page in the other one."""
    language, _, rest = page.file.src_uri.partition("/")
    config.theme["language"] = language if language in LANGUAGES else "en"
    config.extra["alternate"] = [
        {"name": name, "lang": other, "link": twin(other, rest, config)}
        for other, name in LANGUAGES.items()
    ]
    return context


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """The page with our search, where the npm package's files are built."""
    if not (Path(config.docs_dir) / WORKER).is_file():
        return output
    return MATERIAL_WORKER.sub(f"{WORKER}?language={config.theme['language']}", output)


def twin(language: str, rest: str, config: MkDocsConfig) -> str:
    """The address of a page in a language, or of that language's first page."""
    there = (Path(config.docs_dir) / language / rest).is_file()
    name = rest.removesuffix(".md").removesuffix("index").strip("/") if there else ""
    return f"{language}/{name}/" if name else f"{language}/"


def relinked(text: str, here: str, there: str) -> tuple[str, set[str]]:
    """A page with the links that it has on the site, and the pages outside docs/ that it needs.

    Args:
        text: the page.
        here: its path in the repository.
        there: its path on the site.
    """
    wanted: set[str] = set()

    def site(match: re.Match[str]) -> str:
        target, mark, anchor = match[3].partition("#")
        if "://" in match[3] or not target:
            return match[0]
        full = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        if full.startswith("docs/"):
            to = full.removeprefix("docs/")
        elif full.endswith(".md") and (ROOT / full).is_file():
            wanted.add(full)
            to = f"{OUTSIDE}/{full}"
        elif (ROOT / full).exists():
            return match[2]  # a program or a folder: it has no page
        else:
            return match[0]  # MkDocs says so
        relative = posixpath.relpath(to, posixpath.dirname(there))
        return f"{match[1]}[{match[2]}]({relative}{mark}{anchor})"

    parts = CODE.split(text)
    # a link's text may hold code, so code is taken out of the way by numbers
    held = parts[1::2]
    joined = "".join(part if i % 2 == 0 else f"\0{i // 2}\0" for i, part in enumerate(parts))
    joined = LINK.sub(site, joined)
    return re.sub(r"\0(\d+)\0", lambda m: held[int(m[1])], joined), wanted
