"""Writes the tables of characters that the C library carries, from segmenter/text: as C++.

    python segmenter/capi/tables.py tables.cpp

CMakeLists.txt runs this; it needs nothing but the source tree, so that a build depends on no
installed package.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

TEXT = Path(__file__).resolve().parents[1] / "text"


def _text(name: str, value: str) -> str:
    rows = [value[i : i + 60] for i in range(0, len(value), 60)]
    literal = "\n".join('    u"' + "".join(f"\\u{ord(c):04x}" for c in row) + '"' for row in rows)
    return f"const char16_t {name}[] =\n{literal};\n"


def tables() -> str:
    """The source of ``tables.cpp``."""
    variants = runpy.run_path(str(TEXT / "variants.py"))
    out = '#include "capi/tables.hpp"\n\nnamespace segmenter {\nnamespace {\n'
    out += _text("kPlainFrom", variants["PLAIN_FROM"]) + _text("kPlainTo", variants["PLAIN_TO"])
    out += _text("kKept", " ".join(variants["KEPT"])) + _text("kOpen", " ".join(variants["OPEN"]))
    out += "}  // namespace\n\nconst VariantTable& variant_table() {\n"
    out += "  static const VariantTable table(kPlainFrom, kPlainTo, kKept, kOpen);\n"
    return out + "  return table;\n}\n\n}  // namespace segmenter\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(tables(), "ascii")
