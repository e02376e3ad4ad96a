"""The page on the Python names, made from the docstrings that ``help()`` shows."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING

import segmenter

if TYPE_CHECKING:
    from collections.abc import Iterator


def python_page() -> str:
    """Functions and classes of the package, and what their docstrings say."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    names = [name for name in segmenter.__all__ if not name.startswith("_")]
    things = {name: getattr(segmenter, name) for name in names}
    yield "## Functions\n"
    for name, thing in things.items():
        if inspect.isroutine(thing):
            yield from _entry(f"segmenter.{name}", thing, "###")
    yield "## Classes\n"
    for name, thing in things.items():
        if inspect.isclass(thing):
            yield from _entry(f"segmenter.{name}", thing, "###")
            if not issubclass(thing, BaseException):
                yield from _members(name, thing)


def _members(owner: str, thing: type) -> Iterator[str]:
    bases = [base for base in reversed(thing.__mro__) if base.__module__ != "builtins"]
    members = {name: member for base in bases for name, member in vars(base).items()}
    for name, member in members.items():
        if name.startswith("_"):
            continue
        inner = getattr(member, "__func__", member)
        if isinstance(member, property):
            inner = member.fget
        if callable(inner) and inspect.getdoc(inner):
            yield from _entry(f"{owner}.{name}", inner, "####", isinstance(member, property))


def _entry(title: str, thing: object, heading: str, plain: bool = False) -> Iterator[str]:
    try:
        signature = "" if plain else str(inspect.signature(thing))  # type: ignore[arg-type]
    except (TypeError, ValueError):
        signature = ""
    signature = re.sub(r"(: |-> )'([^']*)'", r"\1\2", re.sub(r"\(self(, )?", "(", signature))
    text = inspect.getdoc(thing) or ""
    text = re.sub(r":\w+:`~?([^`<]+)(?: <[^>]+>)?`", r"\1", text).replace("``", "")
    yield f"{heading} {title}\n"
    yield f"```text\n{title.rpartition('.')[2]}{signature}\n\n{text}\n```\n"
