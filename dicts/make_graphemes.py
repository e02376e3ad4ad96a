"""Writes ``segmenter/kernels/atoms/graphemes.hpp``: the properties of characters for UAX #29.

    python dicts/make_graphemes.py

They come from the package ``regex`` (``pip install regex``), whose tables follow the newest
Unicode; Python's own ``unicodedata`` has neither Grapheme_Cluster_Break nor Indic_Conjunct_Break.
The properties are facts of the Unicode Character Database (Unicode License v3, see NOTICE).
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import regex

TARGET = Path(__file__).resolve().parents[1] / "segmenter" / "kernels" / "atoms" / "graphemes.hpp"

#: Bits of a character; the first four names are Grapheme_Cluster_Break's.
BITS = {
    "kGraphExtend": (1, r"[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]"),
    "kGraphPrepend": (2, r"\p{GCB=Prepend}"),
    "kGraphControl": (4, r"[\p{GCB=Control}\r\n]"),
    "kGraphRegional": (8, r"\p{Regional_Indicator}"),
    "kGraphPicture": (16, r"\p{Extended_Pictographic}"),
    "kGraphEmoji": (32, r"\p{Emoji_Presentation}"),
    "kGraphConsonant": (64, r"\p{InCB=Consonant}"),
    "kGraphLinker": (128, r"\p{InCB=Linker}"),
}

HEAD = """\
// Properties of characters that grapheme clusters depend on (UAX #29) and which of them are emoji.
// Written by `python dicts/make_graphemes.py` from the package regex {version}: do not edit.
#pragma once
#include <cstddef>
#include <cstdint>

namespace segmenter {{

enum GraphemeBit : uint8_t {{
{bits}
}};
constexpr uint32_t kGraphRanges = {n};

// Ranges that have any: first character, one past the last, bits; ascending.
struct GraphemeRange {{
  uint32_t first, last;
  uint8_t bits;
}};
constexpr GraphemeRange kGraphemes[kGraphRanges] = {{
{rows}
}};

// Bits of a character, by bisection.
inline uint8_t grapheme_bits(uint32_t c) {{
  size_t lo = 0, hi = kGraphRanges;
  while (lo < hi) {{
    size_t mid = (lo + hi) / 2;
    if (kGraphemes[mid].last <= c) lo = mid + 1;
    else hi = mid;
  }}
  return lo < kGraphRanges && kGraphemes[lo].first <= c ? kGraphemes[lo].bits : 0;
}}

}}  // namespace segmenter
"""


def main() -> None:
    characters_all = "".join(map(chr, range(0x110000)))
    bits = bytearray(0x110000)
    for bit, pattern in BITS.values():
        for match in regex.finditer(f"{pattern}+", characters_all):
            for c in range(*match.span()):
                bits[c] |= bit
    for c in range(0xD800, 0xE000):  # lone surrogates: symbols to us, never part of a cluster
        bits[c] = 0
    ranges: list[tuple[int, int, int]] = []
    for c, b in enumerate(bits):
        if ranges and ranges[-1][1] == c and ranges[-1][2] == b:
            ranges[-1] = (ranges[-1][0], c + 1, b)
        elif b:
            ranges.append((c, c + 1, b))
    cells = [f"{{{a:#x}, {z:#x}, {b}}}," for a, z, b in ranges]
    rows = "\n".join("    " + " ".join(cells[k : k + 4]) for k in range(0, len(cells), 4))
    TARGET.write_text(
        HEAD.format(
            version=version("regex"),
            bits="\n".join(f"  {name} = {bit}," for name, (bit, _) in BITS.items()),
            n=len(ranges),
            rows=rows,
        ),
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
