"""Writes the tables of characters that the FTS5 extension carries, from this package: as C++.

    python segmenter/capi/characters.py characters.hpp

CMakeLists.txt runs this; it needs nothing but the source tree.  Classes and folds are those of
``text/chars.py`` and ``text/variants.py``, the common characters those of ``adapters/_ends.py``.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACKAGE = Path(__file__).resolve().parents[1]
POINTS, PAGE = 0x110000, 256


def _row(values: Iterable[int]) -> str:
    return "{" + ",".join(map(str, values)) + "}"


def _paged(name: str, cell: str, values: list[int]) -> Iterator[str]:
    """A table in two levels: pages of code points, equal ones once."""
    blocks: dict[tuple[int, ...], int] = {}
    pages = [
        blocks.setdefault(tuple(values[k : k + PAGE]), len(blocks)) for k in range(0, POINTS, PAGE)
    ]
    yield f"constexpr uint16_t {name}_pages[] = {_row(pages)};"
    yield f"constexpr {cell} {name}_blocks[][{PAGE}] = {{"
    yield ",\n".join(map(_row, blocks))
    yield f"}};\ninline {cell} {name}(uint32_t cp) {{"
    yield f"  return {name}_blocks[{name}_pages[cp / {PAGE}]][cp % {PAGE}];\n}}"


def lines() -> Iterator[str]:
    """The lines of ``characters.hpp``."""
    chars, variants, ends = (
        runpy.run_path(str(PACKAGE / name))
        for name in ("text/chars.py", "text/variants.py", "adapters/_ends.py")
    )
    folds = [chars["fold"](cp) for cp in range(POINTS)]
    classes = {cp: chars["char_class"](cp) for cp in set(folds)}
    scripts = [variants["fold"](folded) for folded in folds]
    yield "#pragma once\n#include <cstdint>\nnamespace segmenter::characters {"
    yield "// The class of a code point, folded: a CharClass."
    yield from _paged("class_of", "uint8_t", [classes[folded] for folded in folds])
    yield "// What folding adds to a code point: width and case; and scripts."
    yield from _paged("fold", "int32_t", [folds[cp] - cp for cp in range(POINTS)])
    yield from _paged("fold_script", "int32_t", [scripts[cp] - cp for cp in range(POINTS)])
    for name, found in (("kSeveral", variants["SEVERAL"]), ("kCommon", ends["IS_COMMON"])):
        yield f"constexpr char32_t {name}[] = {_row(sorted(map(ord, found)))};"
    yield "}  // namespace segmenter::characters\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text("\n".join(lines()), "ascii")
