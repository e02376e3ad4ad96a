"""Writes the tables of characters that the C library carries, from segmenter/text: as C++.

    python segmenter/capi/tables.py tables.cpp

CMakeLists.txt runs this; it needs nothing but the source tree, so that a build depends on no
installed package.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = Path(__file__).resolve().parents[1] / "text"
LAST_CASED = 0x1EA00  # no character from here on has a lower case


def _text(name: str, value: str) -> str:
    rows = [value[i : i + 60] for i in range(0, len(value), 60)]
    literal = "\n".join('    u"' + "".join(f"\\u{ord(c):04x}" for c in row) + '"' for row in rows)
    return f"const char16_t {name}[] =\n{literal};\n"


def _folds(name: str, fold: Callable[[int], int]) -> str:
    """Rows of characters at equal distances that all move by the same."""
    points = [cp for cp in range(LAST_CASED) if not 0xD800 <= cp < 0xE000 and fold(cp) != cp]
    rows: list[list[int]] = []  # first, last, step, by how much
    for cp in points:
        by = fold(cp) - cp
        if rows and rows[-1][3] == by and rows[-1][2] in (0, cp - rows[-1][1]):
            rows[-1][1:3] = cp, cp - rows[-1][1]
        else:
            rows.append([cp, cp, 0, by])
    body = ",\n".join(f"{{{a},{z},{step or 1},{by}}}" for a, z, step, by in rows)
    return f"const FoldTables::Row {name}[] = {{\n{body}}};\n"


def tables() -> str:
    """The source of ``tables.cpp``."""
    chars, variants = (runpy.run_path(str(TEXT / name)) for name in ("chars.py", "variants.py"))
    out = (
        '#include "capi/tables.hpp"\n\n#include <iterator>\n\nnamespace segmenter {\nnamespace {\n'
    )
    out += _text("kPlainFrom", variants["PLAIN_FROM"]) + _text("kPlainTo", variants["PLAIN_TO"])
    out += _text("kKept", " ".join(variants["KEPT"])) + _text("kOpen", " ".join(variants["OPEN"]))
    out += _folds("kFold", chars["fold"])
    out += "}  // namespace\n\nconst VariantTable& variant_table() {\n"
    out += "  static const VariantTable table(kPlainFrom, kPlainTo, kKept, kOpen);\n"
    out += "  return table;\n}\n\nconst FoldTable* fold_tables() {\n"
    out += "  static const FoldTables tables(kFold, std::size(kFold), variant_table());\n"
    return out + "  return tables.of;\n}\n\n}  // namespace segmenter\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tables(), "ascii")
