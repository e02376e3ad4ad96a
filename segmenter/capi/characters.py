"""Writes the tables of characters in C++, for the FTS5 extension: ``python characters.py FILE``.

Run when the extension is compiled.  The tables stay what ``text/chars.py``, ``text/variants.py``
and ``adapters/_ends.py`` say: these are read as files, since the package cannot be imported before
it is compiled.
"""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

POINTS, PAGE = 0x110000, 256


def _module(path: str) -> Any:
    file = Path(__file__).parents[1] / path
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _paged(name: str, cell: str, values: list[int]) -> Iterator[str]:
    """A table in two levels: pages of 256 code points, equal ones once."""
    blocks: dict[tuple[int, ...], int] = {}
    pages = [
        blocks.setdefault(tuple(values[k : k + PAGE]), len(blocks)) for k in range(0, POINTS, PAGE)
    ]
    yield f"constexpr uint16_t {name}_pages[] = {{"
    yield from _rows(pages)
    yield "};"
    yield f"constexpr {cell} {name}_blocks[][{PAGE}] = {{"
    for block in blocks:
        yield "{"
        yield from _rows(block)
        yield "},"
    yield "};"
    yield f"inline {cell} {name}(uint32_t cp) {{"
    yield f"  return {name}_blocks[{name}_pages[cp / {PAGE}]][cp % {PAGE}];"
    yield "}"


def _rows(values: Any) -> Iterator[str]:
    for k in range(0, len(values), 32):
        yield ",".join(map(str, values[k : k + 32])) + ","


def lines() -> Iterator[str]:
    """The lines of the header."""
    chars, variants = _module("text/chars.py"), _module("text/variants.py")
    ends = _module("adapters/_ends.py")
    folds = [chars.fold(cp) for cp in range(POINTS)]
    yield "// Written by segmenter/capi/characters.py."
    yield "#pragma once"
    yield "#include <cstdint>"
    yield "namespace segmenter::characters {"
    yield "enum : uint8_t {"
    yield ",".join(f"k{name.title()}" for name in chars.CLASS_NAMES)
    yield "};"
    yield "// The class of a code point, folded."
    classes: dict[int, int] = {}
    for cp in folds:
        if cp not in classes:
            classes[cp] = chars.char_class(cp)
    yield from _paged("class_of", "uint8_t", [classes[cp] for cp in folds])
    yield "// What is added to a code point where width and case are folded; and scripts too."
    yield from _paged("fold", "int32_t", [folds[cp] - cp for cp in range(POINTS)])
    yield from _paged(
        "fold_script", "int32_t", [variants.fold(folds[cp]) - cp for cp in range(POINTS)]
    )
    yield "// Characters of several readings, and those with a mark of their own; ascending."
    for name, found in (("kSeveral", variants.SEVERAL), ("kCommon", ends.IS_COMMON)):
        yield f"constexpr char32_t {name}[] = {{"
        yield from _rows(sorted(map(ord, found)))
        yield "};"
    yield "}  // namespace segmenter::characters"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(lines()) + "\n", "utf-8")
