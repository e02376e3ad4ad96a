// Units of offsets: code points, bytes of UTF-8, or code units of UTF-16.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "text.hpp"

namespace segmenter {

// The longest text of a call: eight counts per character fit 31 bits.
constexpr size_t kMostCharacters = 0x7FFFFFFF / 8;

enum class OffsetUnit : int { kCodePoints, kUtf8, kUtf16 };  // numbered as segmenter_unit of C
constexpr const char* kOffsetUnits[] = {"codepoints", "utf8", "utf16"};

// The number of units of a character; a lone surrogate has three bytes.
inline uint32_t units_of_character(uint32_t c, OffsetUnit unit) {
  return unit == OffsetUnit::kUtf8    ? 1u + (c > 0x7F) + (c > 0x7FF) + (c > 0xFFFF)
         : unit == OffsetUnit::kUtf16 ? 1u + (c > 0xFFFF)
                                      : 1u;
}

// The offsets where the characters of a text begin and where the text ends, in units: n + 1
// offsets.
template <class Offset>
void unit_offsets(const Text& text, OffsetUnit unit, std::vector<Offset>& offsets) {
  offsets.resize(text.n + 1);
  Offset offset = 0;
  text.cells([&](auto* cells) {
    for (size_t k = 0; k < text.n; ++k) {
      offsets[k] = offset;
      offset += Offset(units_of_character(cells[k], unit));
    }
  });
  offsets[text.n] = offset;
}

}  // namespace segmenter
