// The encoder's arithmetic with SSE4.1, AVX2, AVX-VNNI, AVX-512 VNNI and AMX.
#pragma once
#include <cstdint>
#include <cstring>

#include "encoder/constants.hpp"
#include "encoder/instruction_set.hpp"
#include "processor.hpp"

namespace segmenter {
namespace encoder {

#if SEGMENTER_NETWORK_X86
SEGMENTER_WIDE_WARNINGS

// Sums of products of pairs of 16 bits: kParts vectors of kWide sums for each of M rows at a time.
#define SEGMENTER_PAIR_SUMS(VECTOR, PRE, BITS)                                                     \
  constexpr size_t kWide = BITS / 32;                                                              \
  SEGMENTER_NETWORK_INLINE VECTOR load(const void* p) {                                            \
    return PRE##_loadu_si##BITS(static_cast<const VECTOR*>(p));                                    \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE void store(int32_t* p, VECTOR v) {                                      \
    PRE##_storeu_si##BITS(reinterpret_cast<VECTOR*>(p), v);                                        \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE int32_t word(const void* p) {                                           \
    int32_t v;                                                                                     \
    std::memcpy(&v, p, 4);                                                                         \
    return v;                                                                                      \
  }                                                                                                \
  template <int M>                                                                                 \
  SEGMENTER_NETWORK_INLINE void pairs(const int16_t* x, size_t stride, const int16_t* w, size_t n, \
                                      int32_t* out) {                                              \
    for (size_t first = 0; first < kPanel; first += kParts * kWide) {                              \
      VECTOR s[M][kParts];                                                                         \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m)                                                 \
          SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) s[m][j] = PRE##_setzero_si##BITS();    \
      for (size_t k = 0; k < n; ++k) {                                                             \
        VECTOR weights[kParts];                                                                    \
        SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) weights[j] =                             \
            load(w + k * 2 * kPanel + 2 * (first + size_t(j) * kWide));                            \
        SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {                                             \
          const VECTOR in = PRE##_set1_epi32(word(x + size_t(m) * stride + 2 * k));                \
          SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) s[m][j] =                              \
              PRE##_add_epi32(s[m][j], PRE##_madd_epi16(in, weights[j]));                          \
        }                                                                                          \
      }                                                                                            \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m)                                                 \
          SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j)                                        \
              store(out + size_t(m) * kPanel + first + size_t(j) * kWide, s[m][j]);                \
    }                                                                                              \
  }

// Sums of fours of 8 bits by one instruction.
#define SEGMENTER_FOUR_SUMS(VECTOR, PRE, BITS)                                                  \
  template <int M>                                                                              \
  SEGMENTER_NETWORK_INLINE void fours(const X* x, size_t stride, const int8_t* w, size_t n,     \
                                      int32_t* out) {                                           \
    for (size_t first = 0; first < kPanel; first += kParts * kWide) {                           \
      VECTOR s[M][kParts];                                                                      \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m)                                              \
          SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) s[m][j] = PRE##_setzero_si##BITS(); \
      for (size_t k = 0; k < n; ++k) {                                                          \
        VECTOR weights[kParts];                                                                 \
        SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) weights[j] =                          \
            load(w + k * 4 * kPanel + 4 * (first + size_t(j) * kWide));                         \
        SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {                                          \
          const VECTOR in = PRE##_set1_epi32(word(x + size_t(m) * stride + 4 * k));             \
          SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) s[m][j] =                           \
              dot_bytes(s[m][j], in, weights[j]);                                               \
        }                                                                                       \
      }                                                                                         \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m)                                              \
          SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j)                                     \
              store(out + size_t(m) * kPanel + first + size_t(j) * kWide, s[m][j]);             \
    }                                                                                           \
  }

// The same by pairs of 16 bits: a vector holds two sums of each of half as many outputs, which are
// added at the end. Inputs are stored in 16 bits, weights widened as they are loaded.
#define SEGMENTER_WIDENED_SUMS(VECTOR, PRE, BITS)                                                \
  template <int M>                                                                               \
  SEGMENTER_NETWORK_INLINE void fours(const X* x, size_t stride, const int8_t* w, size_t n,      \
                                      int32_t* out) {                                            \
    for (size_t first = 0; first < kPanel; first += kWide) {                                     \
      VECTOR s[M][2];                                                                            \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m) s[m][0] = s[m][1] = PRE##_setzero_si##BITS(); \
      for (size_t k = 0; k < n; ++k) {                                                           \
        const int8_t* const packed = w + k * 4 * kPanel + 4 * first;                             \
        const VECTOR low = widened(packed), high = widened(packed + 2 * kWide);                  \
        SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {                                           \
          int64_t four;                                                                          \
          std::memcpy(&four, x + size_t(m) * stride + 4 * k, 8);                                 \
          const VECTOR in = PRE##_set1_epi64x(four);                                             \
          s[m][0] = PRE##_add_epi32(s[m][0], PRE##_madd_epi16(in, low));                         \
          s[m][1] = PRE##_add_epi32(s[m][1], PRE##_madd_epi16(in, high));                        \
        }                                                                                        \
      }                                                                                          \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m)                                               \
          store(out + size_t(m) * kPanel + first, paired(s[m][0], s[m][1]));                     \
    }                                                                                            \
  }

SEGMENTER_TARGET("sse4.1")
namespace sse {
using X = int16_t;
constexpr int32_t kFlip = 0;
constexpr size_t kTile = 4;
constexpr int kParts = 2;
SEGMENTER_PAIR_SUMS(__m128i, _mm, 128)
SEGMENTER_NETWORK_INLINE __m128i widened(const int8_t* p) {
  return _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)));
}
SEGMENTER_NETWORK_INLINE __m128i paired(__m128i low, __m128i high) {
  return _mm_hadd_epi32(low, high);
}
SEGMENTER_WIDENED_SUMS(__m128i, _mm, 128)
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"sse4.1", sizeof(X), kFlip, normalise, project,
                                      attend,   add,       widen, narrow,    score};
}  // namespace sse
SEGMENTER_TARGET_END

SEGMENTER_TARGET("avx2")
namespace avx2 {
using X = int16_t;
constexpr int32_t kFlip = 0;
constexpr size_t kTile = 6;
constexpr int kParts = 2;
SEGMENTER_PAIR_SUMS(__m256i, _mm256, 256)
SEGMENTER_NETWORK_INLINE __m256i widened(const int8_t* p) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
SEGMENTER_NETWORK_INLINE __m256i paired(__m256i low, __m256i high) {
  return _mm256_permute4x64_epi64(_mm256_hadd_epi32(low, high), 0xD8);
}
SEGMENTER_WIDENED_SUMS(__m256i, _mm256, 256)
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"avx2", sizeof(X), kFlip, normalise, project,
                                      attend, add,       widen, narrow,    score};
}  // namespace avx2
SEGMENTER_TARGET_END

#if SEGMENTER_NETWORK_AVX_VNNI
SEGMENTER_TARGET("avx2,avxvnni")
namespace avx_vnni {
using X = uint8_t;
constexpr int32_t kFlip = 128;
constexpr size_t kTile = 6;
constexpr int kParts = 2;
SEGMENTER_PAIR_SUMS(__m256i, _mm256, 256)
SEGMENTER_DOT_OF_256
SEGMENTER_FOUR_SUMS(__m256i, _mm256, 256)
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"avx-vnni", sizeof(X), kFlip, normalise, project,
                                      attend,     add,       widen, narrow,    score};
}  // namespace avx_vnni
SEGMENTER_TARGET_END
#endif

SEGMENTER_TARGET("avx512f,avx512bw,avx512vl,avx512vnni" SEGMENTER_PREFER_WIDE)
namespace vnni {
using X = uint8_t;
constexpr int32_t kFlip = 128;
constexpr size_t kTile = 6;
constexpr int kParts = 4;
SEGMENTER_PAIR_SUMS(__m512i, _mm512, 512)
SEGMENTER_DOT_OF_512
SEGMENTER_FOUR_SUMS(__m512i, _mm512, 512)
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"avx512-vnni", sizeof(X), kFlip, normalise, project,
                                      attend,        add,       widen, narrow,    score};
}  // namespace vnni
SEGMENTER_TARGET_END

#if SEGMENTER_NETWORK_AMX
SEGMENTER_TARGET("amx-tile,amx-int8,avx512f,avx512bw,avx512vl,avx512vnni" SEGMENTER_PREFER_WIDE)
namespace amx {
using X = uint8_t;
constexpr int32_t kFlip = 128;
constexpr size_t kTile = 6;  // of attention, whose products have 16 bits
constexpr int kParts = 4;
SEGMENTER_PAIR_SUMS(__m512i, _mm512, 512)

constexpr size_t kTileRows = 16, kTileBytes = 64;  // of each of the eight tiles
struct Tiles {
  uint8_t palette = 1, first_row = 0, reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr Tiles kTiles;  // in memory: GCC takes the intrinsic to read 8 bytes alone
static_assert(kRoom >= kTileRows, "a tile is loaded whole");

// The layout of weights is that of tiles: four of them have the sums of 16 rows and 64 outputs, one
// has the inputs, and three take the weights in turn.
template <class Put>
SEGMENTER_NETWORK_INLINE void multiply(const Matrix& m, const X* x, size_t rows, const Put& store) {
  alignas(64) int32_t sums[kTileRows * kPanel];
  _tile_loadconfig(&kTiles);
  for (size_t panel = 0; panel < m.out; panel += kPanel)
    for (size_t first_row = 0; first_row < rows; first_row += kTileRows) {
      const X* in = x + first_row * m.in;
      const int8_t* w = m.weights + panel * m.in;
      _tile_zero(0);
      _tile_zero(1);
      _tile_zero(2);
      _tile_zero(3);
      for (size_t k = 0; k < m.in; k += kTileBytes, in += kTileBytes, w += kTileBytes * kPanel) {
        _tile_loadd(4, in, m.in);
        _tile_loadd(5, w, 4 * kPanel);
        _tile_dpbusd(0, 4, 5);
        _tile_loadd(6, w + kTileBytes, 4 * kPanel);
        _tile_dpbusd(1, 4, 6);
        _tile_loadd(7, w + 2 * kTileBytes, 4 * kPanel);
        _tile_dpbusd(2, 4, 7);
        _tile_loadd(5, w + 3 * kTileBytes, 4 * kPanel);
        _tile_dpbusd(3, 4, 5);
      }
      _tile_stored(0, sums, 4 * kPanel);
      _tile_stored(1, sums + 16, 4 * kPanel);
      _tile_stored(2, sums + 32, 4 * kPanel);
      _tile_stored(3, sums + 48, 4 * kPanel);
      const size_t n = rows - first_row < kTileRows ? rows - first_row : kTileRows;
      for (size_t r = 0; r < n; ++r) store(first_row + r, panel, sums + r * kPanel);
    }
  _tile_release();
}
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"amx", sizeof(X), kFlip, normalise, project,
                                      attend, add,      widen, narrow,    score};
}  // namespace amx
SEGMENTER_TARGET_END
#endif

SEGMENTER_WIDE_WARNINGS_END
#endif

}  // namespace encoder
}  // namespace segmenter
