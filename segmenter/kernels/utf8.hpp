// UTF-8 to code points, strictly (Unicode 15, table 3-7): no overlong forms, no surrogates.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace segmenter {

// The length and code point of the sequence at p, with n bytes left; 0 if it is malformed.
inline uint32_t decode_utf8(const uint8_t* p, size_t n, uint32_t& cp) {
  uint32_t a = p[0];
  if (a < 0x80) {
    cp = a;
    return 1;
  }
  if (a < 0xC2 || a > 0xF4) return 0;
  auto tail = [&](size_t i) { return i < n && (p[i] & 0xC0) == 0x80; };
  if (a < 0xE0) {
    if (!tail(1)) return 0;
    cp = (a & 0x1F) << 6 | (p[1] & 0x3F);
    return 2;
  }
  if (a < 0xF0) {
    if (!tail(1) || !tail(2)) return 0;
    cp = (a & 0x0F) << 12 | uint32_t(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return cp >= 0x800 && (cp < 0xD800 || cp > 0xDFFF) ? 3 : 0;
  }
  if (!tail(1) || !tail(2) || !tail(3)) return 0;
  cp = (a & 0x07) << 18 | uint32_t(p[1] & 0x3F) << 12 | uint32_t(p[2] & 0x3F) << 6 | (p[3] & 0x3F);
  return cp >= 0x10000 && cp <= 0x10FFFF ? 4 : 0;
}

inline void append_utf8(uint32_t cp, std::string& out) {
  if (cp < 0x80) {
    out += char(cp);
    return;
  }
  const int n_tail = cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
  out += char((0xFF00 >> (n_tail + 1) & 0xFF) | cp >> 6 * n_tail);
  for (int k = n_tail; k--;) out += char(0x80 | (cp >> 6 * k & 0x3F));
}

}  // namespace segmenter
