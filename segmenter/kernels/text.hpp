// A text as Python holds it: cells of 1, 2 or 4 bytes, one code point each.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compiler.hpp"

namespace segmenter {

// Two adjacent cells as one number, in one load where a cell has two bytes.
template <class Cell>
inline uint32_t two_at(const Cell* cells) {
  uint32_t two = cells[0] ^ uint32_t(cells[1]) << 16;
#if SEGMENTER_LITTLE_ENDIAN
  if (sizeof(Cell) == 2) std::memcpy(&two, cells, 4);
#endif
  return two;
}

// A column in memory.
template <class T>
struct Cells {
  const T* data = nullptr;
  std::ptrdiff_t n = 0;
  const T& operator[](std::ptrdiff_t k) const { return data[k]; }
};

struct Text {
  const void* data = nullptr;
  int width = 1;  // bytes per character
  size_t n = 0;   // characters

  uint32_t operator[](size_t k) const {
    return width == 1   ? static_cast<const uint8_t*>(data)[k]
           : width == 2 ? static_cast<const uint16_t*>(data)[k]
                        : static_cast<const uint32_t*>(data)[k];
  }
  Text part(size_t start, size_t end) const {
    return Text{static_cast<const char*>(data) + start * size_t(width), width, end - start};
  }
  // Calls f(cells) with a pointer to cells of the width of the text.
  template <class F>
  decltype(auto) cells(F&& f) const {
    return width == 1   ? f(static_cast<const uint8_t*>(data))
           : width == 2 ? f(static_cast<const uint16_t*>(data))
                        : f(static_cast<const uint32_t*>(data));
  }
};

}  // namespace segmenter
