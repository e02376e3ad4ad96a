"""Writes, as C++, the tables of characters for the kernels and the FTS5 extension.

    python segmenter/text/tables.py tables.cpp

CMakeLists.txt runs this; it needs nothing but the source tree, so a build depends on no
installed package.  The tables are those of this folder, and :data:`COMMON`.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
#: The hundred most frequent characters of the national corpus, folded, and digits, which are
#: units where runs are split.  Part of the form of an index of SQLite (``fts5.cpp``).
COMMON = (
    "的一是在了不有这人来个上中和大我地为他到们要以国时就生出说年会也么起着子发作可成对过下得于而能家里同"
    "后用多种动都主那分儿产学自去行经还现工方天小把所之如进从二定月面些事几十当然好样本三你民实体理看法没"
    "0123456789"
)
LAST_CASED = 0x1EA00  # no character from here on has a lower case


def _text(name: str, value: str) -> str:
    rows = [value[i : i + 60] for i in range(0, len(value), 60)]
    literal = "\n".join('    u"' + "".join(f"\\u{ord(c):04x}" for c in row) + '"' for row in rows)
    return f"const char16_t {name}[] =\n{literal};\n"


def _folds(name: str, fold: Callable[[int], int]) -> str:
    """Rows of characters at equal distances whose folds are at equal distances too."""
    points = [cp for cp in range(LAST_CASED) if not 0xD800 <= cp < 0xE000 and fold(cp) != cp]
    rows: list[list[int]] = []  # first, last, step, distance to the fold
    for cp in points:
        distance = fold(cp) - cp
        if rows and rows[-1][3] == distance and rows[-1][2] in (0, cp - rows[-1][1]):
            rows[-1][1:3] = cp, cp - rows[-1][1]
        else:
            rows.append([cp, cp, 0, distance])
    body = ",\n".join(f"{{{a},{b},{step or 1},{distance}}}" for a, b, step, distance in rows)
    return f"const FoldTables::Row {name}[] = {{\n{body}}};\n"


def _classes(name: str, class_of: Callable[[int], int]) -> str:
    """Rows of the first code point of a run and the class of all of them."""
    rows: list[tuple[int, int]] = []
    for cp in range(0x110000):
        if not rows or rows[-1][1] != class_of(cp):
            rows.append((cp, class_of(cp)))
    body = ",\n".join(f"{{{first},{code}}}" for first, code in rows)
    return f"const ClassTable::Row {name}[] = {{\n{body}}};\n"


def tables() -> str:
    """Return the source of ``tables.cpp``."""
    chars, variants = (runpy.run_path(str(HERE / name)) for name in ("chars.py", "variants.py"))
    cpp = '#include "characters.hpp"\n\n#include <iterator>\n\nnamespace segmenter {\nnamespace {\n'
    cpp += _text("kPlainFrom", variants["PLAIN_FROM"]) + _text("kPlainTo", variants["PLAIN_TO"])
    cpp += _text("kKept", " ".join(variants["KEPT"])) + _text("kOpen", " ".join(variants["OPEN"]))
    cpp += _folds("kFold", chars["fold"])
    cpp += _classes("kClasses", lambda cp: int(chars["char_class"](chars["fold"](cp))))
    cpp += _text("kCommon", "".join(sorted(COMMON)))
    cpp += "}  // namespace\n\nconst VariantTable& variant_table() {\n"
    cpp += "  static const VariantTable table(kPlainFrom, kPlainTo, kKept, kOpen);\n"
    cpp += "  return table;\n}\n\nconst FoldTable* fold_tables() {\n"
    cpp += "  static const FoldTables tables(kFold, std::size(kFold), variant_table());\n"
    cpp += "  return tables.of;\n}\n\nuint8_t class_of(uint32_t cp) {\n"
    cpp += "  static const ClassTable table(kClasses, std::size(kClasses));\n"
    cpp += "  return table.of[cp];\n}\n\n"
    cpp += "const char16_t* common_characters() { return kCommon; }\n\n"
    return cpp + "}  // namespace segmenter\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tables(), "ascii")
