// The network's arithmetic with SSE4.1, AVX2, AVX-VNNI and AVX-512 VNNI.
#pragma once
#include <cstdint>
#include <cstring>

#include "bilstm/instruction_set.hpp"
#include "processor.hpp"

namespace segmenter {
namespace bilstm {

#if SEGMENTER_NETWORK_X86
SEGMENTER_WIDE_WARNINGS
// Values of 16 bits in one vector: kinds of vectors differ in the operations' names. PRE is the
// prefix of the intrinsics, BITS the width.
#define SEGMENTER_VALUES(VECTOR, PRE, BITS)                                              \
  using V = VECTOR;                                                                      \
  using Sum = VECTOR;                                                                    \
  using Weights = VECTOR;                                                                \
  using Broadcast = VECTOR;                                                              \
  SEGMENTER_NETWORK_INLINE V load_raw(const void* p) {                                   \
    return PRE##_loadu_si##BITS(static_cast<const V*>(p));                               \
  }                                                                                      \
  SEGMENTER_NETWORK_INLINE void store_raw(void* p, V v) {                                \
    PRE##_storeu_si##BITS(static_cast<V*>(p), v);                                        \
  }                                                                                      \
  SEGMENTER_NETWORK_INLINE V load(const int16_t* p) { return load_raw(p); }              \
  SEGMENTER_NETWORK_INLINE void store(int16_t* p, V v) { store_raw(p, v); }              \
  SEGMENTER_NETWORK_INLINE Sum load_sums(const int32_t* p) { return load_raw(p); }       \
  SEGMENTER_NETWORK_INLINE void store_sums(int32_t* p, Sum s) { store_raw(p, s); }       \
  SEGMENTER_NETWORK_INLINE Sum add(Sum a, Sum b) { return PRE##_add_epi32(a, b); }       \
  SEGMENTER_NETWORK_INLINE Weights load_weights(const void* w) { return load_raw(w); }   \
  SEGMENTER_NETWORK_INLINE V narrow(Sum low, Sum high, int shift) {                      \
    const __m128i count = _mm_cvtsi32_si128(shift);                                      \
    return PRE##_packs_epi32(PRE##_sra_epi32(low, count), PRE##_sra_epi32(high, count)); \
  }                                                                                      \
  SEGMENTER_NETWORK_INLINE V splat(int x) { return PRE##_set1_epi16(short(x)); }         \
  SEGMENTER_NETWORK_INLINE V plus(V a, V b) { return PRE##_adds_epi16(a, b); }           \
  SEGMENTER_NETWORK_INLINE V times(V a, V b) { return PRE##_mulhrs_epi16(a, b); }        \
  SEGMENTER_NETWORK_INLINE V magnitude(V a) { return PRE##_abs_epi16(a); }               \
  SEGMENTER_NETWORK_INLINE V at_most_8191(V a) {                                         \
    return PRE##_min_epu16(a, PRE##_set1_epi16(8191));                                   \
  }                                                                                      \
  template <int B>                                                                       \
  SEGMENTER_NETWORK_INLINE V shift_right(V a) {                                          \
    return PRE##_srli_epi16(a, B);                                                       \
  }                                                                                      \
  template <int B>                                                                       \
  SEGMENTER_NETWORK_INLINE V shift_left(V a) {                                           \
    return PRE##_slli_epi16(a, B);                                                       \
  }                                                                                      \
  template <int B>                                                                       \
  SEGMENTER_NETWORK_INLINE V shift_arithmetic(V a) {                                     \
    return PRE##_srai_epi16(a, B);                                                       \
  }                                                                                      \
  SEGMENTER_NETWORK_INLINE V low_byte(V a) { return PRE##_and_si##BITS(a, PRE##_set1_epi16(255)); }

// Common to SSE4.1 and AVX2: signs, tables of 32 entries by byte shuffles, products.
#define SEGMENTER_SHUFFLES(PRE, BITS)                                                              \
  SEGMENTER_NETWORK_INLINE V signed_as(V a, V b) { return PRE##_sign_epi16(a, b); }                \
  /* of 32 entries: a byte shuffle gives 0 where the index has its highest bit */                  \
  SEGMENTER_NETWORK_INLINE V entry(V first, V last, const uint8_t half[2][16]) {                   \
    return PRE##_or_si##BITS(PRE##_shuffle_epi8(sixteen(half[0]), first),                          \
                             PRE##_shuffle_epi8(sixteen(half[1]), last));                          \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE void entries(V a, V b, const Curve& c, V(&heights)[2], V(&slopes)[2]) { \
    const V index = PRE##_packus_epi16(a, b);                                                      \
    const V first = PRE##_add_epi8(index, PRE##_set1_epi8(0x70));                                  \
    const V last = PRE##_sub_epi8(index, PRE##_set1_epi8(16));                                     \
    const V low = entry(first, last, c.bytes[0][0]), high = entry(first, last, c.bytes[0][1]);     \
    heights[0] = PRE##_unpacklo_epi8(low, high);                                                   \
    heights[1] = PRE##_unpackhi_epi8(low, high);                                                   \
    const V low_slope = entry(first, last, c.bytes[1][0]);                                         \
    const V high_slope = entry(first, last, c.bytes[1][1]);                                        \
    slopes[0] = PRE##_unpacklo_epi8(low_slope, high_slope);                                        \
    slopes[1] = PRE##_unpackhi_epi8(low_slope, high_slope);                                        \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE int32_t inner(const int16_t* a, const int16_t* b, size_t n) {           \
    Sum sum = PRE##_setzero_si##BITS();                                                            \
    for (size_t k = 0; k < n; k += L) sum = add(sum, PRE##_madd_epi16(load(a + k), load(b + k)));  \
    __m128i s = folded(sum);                                                                       \
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));                                              \
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));                        \
  }

// Inputs and weights of 16 bits, two per sum.
#define SEGMENTER_PAIRS(PRE)                                        \
  constexpr int kDepth = 2;                                         \
  using X = int16_t;                                                \
  using W = int16_t;                                                \
  SEGMENTER_NETWORK_INLINE Broadcast broadcast(const X* x) {        \
    int32_t two;                                                    \
    std::memcpy(&two, x, 4);                                        \
    return PRE##_set1_epi32(two);                                   \
  }                                                                 \
  SEGMENTER_NETWORK_INLINE Sum dot(Sum s, Weights w, Broadcast x) { \
    return add(s, PRE##_madd_epi16(w, x));                          \
  }                                                                 \
  SEGMENTER_NETWORK_INLINE void store_inputs(X* p, V v) { store_raw(p, v); }

// Inputs and weights of 8 bits, four per sum.
#define SEGMENTER_FOURS(PRE)                                 \
  constexpr int kDepth = 4;                                  \
  using X = uint8_t;                                         \
  using W = int8_t;                                          \
  SEGMENTER_NETWORK_INLINE Broadcast broadcast(const X* x) { \
    int32_t four;                                            \
    std::memcpy(&four, x, 4);                                \
    return PRE##_set1_epi32(four);                           \
  }                                                          \
  SEGMENTER_NETWORK_INLINE Sum dot(Sum s, Weights w, Broadcast x) { return dot_bytes(s, x, w); }

// Common to both kinds of 256 bits. Packing to 16 bits interleaves fours of low and of high sums.
#define SEGMENTER_SIXTEEN_VALUES                                                              \
  constexpr int L = 16, kGates = 2, kParts = 2;                                               \
  SEGMENTER_NETWORK_INLINE __m256i sixteen(const uint8_t* p) {                                \
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))); \
  }                                                                                           \
  SEGMENTER_NETWORK_INLINE __m128i folded(__m256i s) {                                        \
    return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));          \
  }                                                                                           \
  SEGMENTER_VALUES(__m256i, _mm256, 256)                                                      \
  SEGMENTER_SHUFFLES(_mm256, 256)                                                             \
  SEGMENTER_NETWORK_INLINE uint32_t place(uint32_t unit) {                                    \
    return (unit & 4) * 2 + (unit & 8) / 2 + (unit & 3);                                      \
  }

SEGMENTER_TARGET("sse4.1")
namespace sse {
constexpr int L = 8, kGates = 2, kColumns = 2, kParts = 2;
SEGMENTER_NETWORK_INLINE __m128i sixteen(const uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
SEGMENTER_NETWORK_INLINE __m128i folded(__m128i s) { return s; }
SEGMENTER_VALUES(__m128i, _mm, 128)
SEGMENTER_SHUFFLES(_mm, 128)
SEGMENTER_NETWORK_INLINE uint32_t place(uint32_t unit) { return unit; }
SEGMENTER_PAIRS(_mm)
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"sse4.1", L,        kDepth, kTile,  false,  0,
                                      true,     products, sums,   states, scores, place};
}  // namespace sse
SEGMENTER_TARGET_END

SEGMENTER_TARGET("avx2")
namespace avx2 {
constexpr int kColumns = 2;
SEGMENTER_SIXTEEN_VALUES
SEGMENTER_PAIRS(_mm256)
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"avx2", L,        kDepth, kTile,  false,  0,
                                      true,   products, sums,   states, scores, place};
}  // namespace avx2
SEGMENTER_TARGET_END

#if SEGMENTER_NETWORK_AVX_VNNI
SEGMENTER_TARGET("avx2,avxvnni")
namespace avx_vnni {
constexpr int kColumns = 3;
SEGMENTER_SIXTEEN_VALUES
SEGMENTER_DOT_OF_256
SEGMENTER_FOURS(_mm256)
SEGMENTER_NETWORK_INLINE void store_inputs(X* p, V v) {
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_xor_si128(bytes, _mm_set1_epi8(-128)));
}
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"avx-vnni", L,        kDepth, kTile,  true,   128,
                                      true,       products, sums,   states, scores, place};
}  // namespace avx_vnni
SEGMENTER_TARGET_END
#endif

SEGMENTER_TARGET("avx512f,avx512bw,avx512vl,avx512vnni" SEGMENTER_PREFER_WIDE)
namespace vnni {
constexpr int L = 32, kGates = 4, kColumns = 3, kParts = 2;
SEGMENTER_VALUES(__m512i, _mm512, 512)
SEGMENTER_DOT_OF_512
SEGMENTER_FOURS(_mm512)
SEGMENTER_NETWORK_INLINE void store_inputs(X* p, V v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtepi16_epi8(_mm512_xor_si512(v, _mm512_set1_epi16(128))));
}
SEGMENTER_NETWORK_INLINE V height(V a, const Curve& c) {
  return _mm512_permutexvar_epi16(a, load_raw(c.height));
}
SEGMENTER_NETWORK_INLINE V slope(V a, const Curve& c) {
  return _mm512_permutexvar_epi16(a, load_raw(c.slope));
}
SEGMENTER_NETWORK_INLINE void entries(V a, V b, const Curve& c, V (&heights)[2], V (&slopes)[2]) {
  heights[0] = height(a, c);
  heights[1] = height(b, c);
  slopes[0] = slope(a, c);
  slopes[1] = slope(b, c);
}
SEGMENTER_NETWORK_INLINE V signed_as(V a, V b) {
  return _mm512_mask_sub_epi16(a, _mm512_movepi16_mask(b), _mm512_setzero_si512(), a);
}
SEGMENTER_NETWORK_INLINE int32_t inner(const int16_t* a, const int16_t* b, size_t n) {
  __m512i sum = _mm512_setzero_si512();
  for (size_t k = 0; k < n; k += 32)
    sum = _mm512_dpwssd_epi32(sum, load_raw(a + k), load_raw(b + k));
  return _mm512_reduce_add_epi32(sum);
}
// Packing to 16 bits interleaves fours of low and of high sums.
SEGMENTER_NETWORK_INLINE uint32_t place(uint32_t unit) {
  return (unit & 4) * 4 + unit / 8 * 4 + (unit & 3);
}
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"avx512-vnni", L,        kDepth, kTile,  true,   128,
                                      false,         products, sums,   states, scores, place};
}  // namespace vnni
SEGMENTER_TARGET_END

SEGMENTER_WIDE_WARNINGS_END
#endif

}  // namespace bilstm
}  // namespace segmenter
