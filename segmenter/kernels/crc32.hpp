// CRC-32 (IEEE 802.3, as in zlib), sixteen bytes a step (slicing by 16, after Kounavis & Berry 2005).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace segmenter {

class Crc32 {
 public:
  static uint32_t of(const void* data, size_t n, uint32_t seed = 0) {
    static const Crc32 table;
    return table.run(static_cast<const uint8_t*>(data), n, ~seed);
  }

 private:
  uint32_t t_[16][256];

  Crc32() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xEDB88320u : c >> 1;
      t_[0][i] = c;
    }
    for (uint32_t i = 0; i < 256; ++i)
      for (int k = 1; k < 16; ++k) t_[k][i] = t_[k - 1][i] >> 8 ^ t_[0][t_[k - 1][i] & 0xFF];
  }

  static uint32_t load(const uint8_t* p) {
    return uint32_t(p[0]) | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 | uint32_t(p[3]) << 24;
  }

  uint32_t run(const uint8_t* p, size_t n, uint32_t c) const {
    for (; n >= 16; n -= 16, p += 16) {
      uint32_t a = load(p) ^ c, b = load(p + 4), d = load(p + 8), e = load(p + 12);
      c = t_[15][a & 0xFF] ^ t_[14][a >> 8 & 0xFF] ^ t_[13][a >> 16 & 0xFF] ^ t_[12][a >> 24] ^
          t_[11][b & 0xFF] ^ t_[10][b >> 8 & 0xFF] ^ t_[9][b >> 16 & 0xFF] ^ t_[8][b >> 24] ^
          t_[7][d & 0xFF] ^ t_[6][d >> 8 & 0xFF] ^ t_[5][d >> 16 & 0xFF] ^ t_[4][d >> 24] ^
          t_[3][e & 0xFF] ^ t_[2][e >> 8 & 0xFF] ^ t_[1][e >> 16 & 0xFF] ^ t_[0][e >> 24];
    }
    for (; n; --n, ++p) c = c >> 8 ^ t_[0][(c ^ *p) & 0xFF];
    return ~c;
  }
};

}  // namespace segmenter
