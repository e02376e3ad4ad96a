// CRC-32 (IEEE 802.3, as in zlib): 64 bytes per step by carry-less multiplication where the
// processor has it (Gopal et al., "Fast CRC computation for generic polynomials using PCLMULQDQ",
// Intel 2009), else 16 by tables (slicing by 16, after Kounavis & Berry 2005).
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#if !defined(SEGMENTER_PORTABLE) && (defined(__x86_64__) || defined(_M_X64))
#define SEGMENTER_CRC_CLMUL 1
#include <smmintrin.h>
#include <wmmintrin.h>
#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#define SEGMENTER_TARGET_CLMUL
#else
#define SEGMENTER_TARGET_CLMUL __attribute__((target("pclmul,sse4.1")))
#endif
#else
#define SEGMENTER_CRC_CLMUL 0
#endif

namespace segmenter {

class Crc32 {
 public:
  static uint32_t of(const void* data, size_t n, uint32_t seed = 0) {
    static const Crc32 table;
    const uint8_t* p = static_cast<const uint8_t*>(data);
    uint32_t crc = ~seed;
#if SEGMENTER_CRC_CLMUL
    static const bool multiplies = has_clmul();
    if (multiplies && n >= kMinSize) {
      const size_t folded = n / 16 * 16;
      crc = fold(p, folded, crc);
      p += folded;
      n -= folded;
    }
#endif
    return ~table.run(p, n, crc);
  }

 private:
  uint32_t tables_[16][256];

  Crc32() {
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t crc = i;
      for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
      tables_[0][i] = crc;
    }
    for (uint32_t i = 0; i < 256; ++i)
      for (int k = 1; k < 16; ++k)
        tables_[k][i] = tables_[k - 1][i] >> 8 ^ tables_[0][tables_[k - 1][i] & 0xFF];
  }

  static uint32_t load(const uint8_t* p) {
    return uint32_t(p[0]) | uint32_t(p[1]) << 8 | uint32_t(p[2]) << 16 | uint32_t(p[3]) << 24;
  }

  uint32_t run(const uint8_t* p, size_t n, uint32_t crc) const {
    for (; n >= 16; n -= 16, p += 16) {
      uint32_t a = load(p) ^ crc, b = load(p + 4), d = load(p + 8), e = load(p + 12);
      crc = tables_[15][a & 0xFF] ^ tables_[14][a >> 8 & 0xFF] ^ tables_[13][a >> 16 & 0xFF] ^
            tables_[12][a >> 24] ^ tables_[11][b & 0xFF] ^ tables_[10][b >> 8 & 0xFF] ^
            tables_[9][b >> 16 & 0xFF] ^ tables_[8][b >> 24] ^ tables_[7][d & 0xFF] ^
            tables_[6][d >> 8 & 0xFF] ^ tables_[5][d >> 16 & 0xFF] ^ tables_[4][d >> 24] ^
            tables_[3][e & 0xFF] ^ tables_[2][e >> 8 & 0xFF] ^ tables_[1][e >> 16 & 0xFF] ^
            tables_[0][e >> 24];
    }
    for (; n; --n, ++p) crc = crc >> 8 ^ tables_[0][(crc ^ *p) & 0xFF];
    return crc;
  }

#if SEGMENTER_CRC_CLMUL
  static constexpr size_t kMinSize = 128;  // tables are as fast below this

  static bool has_clmul() {
#if defined(_MSC_VER) && !defined(__clang__)
    int r[4];
    __cpuid(r, 1);
    return r[2] >> 1 & 1 && r[2] >> 19 & 1;  // PCLMULQDQ, SSE4.1
#else
    return __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
  }

  static __m128i pair(uint64_t low, uint64_t high) {
    return _mm_set_epi64x(int64_t(high), int64_t(low));
  }

  // Advances x by the bits that the powers of x in `powers` stand for, and adds a block.
  SEGMENTER_TARGET_CLMUL static __m128i advance(__m128i x, __m128i powers, __m128i block) {
    return _mm_xor_si128(
        _mm_xor_si128(_mm_clmulepi64_si128(x, powers, 0x00), _mm_clmulepi64_si128(x, powers, 0x11)),
        block);
  }

  // n: a multiple of 16, at least 64. The constants are bit-reflected powers of x modulo the
  // polynomial: for 512 and 128 bits, for 64 bits, and the two of Barrett's reduction (section 4 of
  // the paper).
  SEGMENTER_TARGET_CLMUL static uint32_t fold(const uint8_t* p, size_t n, uint32_t crc) {
    auto load_block = [&](size_t k) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + k));
    };
    const __m128i by512 = pair(0x154442BD4, 0x1C6E41596), by128 = pair(0x1751997D0, 0xCCAA009E);
    __m128i a = _mm_xor_si128(load_block(0), _mm_cvtsi32_si128(int(crc))), b = load_block(16),
            d = load_block(32), e = load_block(48);
    for (p += 64, n -= 64; n >= 64; p += 64, n -= 64) {
      a = advance(a, by512, load_block(0));
      b = advance(b, by512, load_block(16));
      d = advance(d, by512, load_block(32));
      e = advance(e, by512, load_block(48));
    }
    a = advance(advance(advance(a, by128, b), by128, d), by128, e);
    for (; n; p += 16, n -= 16) a = advance(a, by128, load_block(0));
    const __m128i low = _mm_setr_epi32(-1, 0, -1, 0);
    a = _mm_xor_si128(_mm_srli_si128(a, 8), _mm_clmulepi64_si128(a, by128, 0x10));
    a = _mm_xor_si128(_mm_srli_si128(a, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(a, low), pair(0x163CD6124, 0), 0x00));
    const __m128i barrett = pair(0x1DB710641, 0x1F7011641);
    __m128i q = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(a, low), barrett, 0x10), low);
    a = _mm_xor_si128(a, _mm_clmulepi64_si128(q, barrett, 0x00));
    return uint32_t(_mm_extract_epi32(a, 1));
  }
#endif
};

}  // namespace segmenter
