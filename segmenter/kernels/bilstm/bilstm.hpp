// A bidirectional LSTM over characters as a predictor, in integers.
//
// What every number means (segmenter/tagging/bilstm_crf.py makes them, kernels/reference/bilstm.py a
// readable twin), q(b) being a fixed-point number of b fraction bits:
//
//   input x        int8: embeddings of the character, of the pairs before and behind it, of ten numbers
//                  on the lexicon; in a further layer the states of the layer before
//   weights        int8; sums of products int32, exact
//   gate input z   int16, q(10): sat(round(sat(sum_x >> shift_x) * gain_x >> 15) + bias), and to it
//                  the same of the recurrent sum, saturating; rows of the gate g are twice as large
//   sigmoid        u(z) = sigmoid(z) - 1/2, odd, int16 q(15), 32 straight pieces from 0 to 8
//   i, f, o        u(z) + 1/2; g = 2 u(z), the hyperbolic tangent of half of z
//   cell c         int16, q(11): sat(round(f * c) + (round(i * g) + 8 >> 4))
//   state h        int16, q(15): round(o * 2 u(c)), c read as q(10), which is twice the cell
//   recurrent h    int8: sat(h + 128) >> 8
//   score          int32: sums of h * out, both directions
//
// round(a * b) is (a * b + 2^14) >> 15.  Sums are exact integers and everything else is one value at a
// time, so vector width, threads, and which sentences are read together change nothing.
//
// Up to kSlots sentences are read in lockstep: the recurrent step is then a product of two matrices, and
// a weight that was fetched is used for all of them.  A sentence that ends leaves its place to the next;
// the longest begin first.  Inputs of kBlock positions are multiplied beforehand, so memory does not grow
// with the length of a sentence, but for the scores (and for the states of a layer below another).
//
// Of the inputs only the pairs are multiplied: what a character, or a value of one of the ten numbers, adds
// to the sums is a row that is made when the text first has it and then kept (RowSums).
//
// All ways to multiply give the same sums: pairs of int16 (SSE2's pmaddwd and wider), one int16 (NEON), and
// four int8 at a time (SDOT; vpdpbusd of AVX-VNNI and AVX-512 VNNI, where inputs are unsigned, 128 more, and
// sums begin 128 times the sum of the weights lower).
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "lexicon/double_array.hpp"
#include "interrupt.hpp"
#include "pair_hash.hpp"

#if !defined(SEGMENTER_PORTABLE) && (defined(__x86_64__) || defined(_M_X64))
#define SEGMENTER_BILSTM_X86 1
#include <immintrin.h>
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
// compilers that know AVX-VNNI
#if defined(_MSC_VER) ? _MSC_VER >= 1930 : defined(__clang__) ? __clang_major__ >= 13 : __GNUC__ >= 11
#define SEGMENTER_BILSTM_AVX_VNNI 1
#else
#define SEGMENTER_BILSTM_AVX_VNNI 0
#endif
#else
#define SEGMENTER_BILSTM_X86 0
#endif

#if !defined(SEGMENTER_PORTABLE) && defined(__aarch64__) && defined(__ARM_NEON)
#define SEGMENTER_BILSTM_NEON 1
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
// Compilers that know SDOT (Armv8.2-A); those for Apple's processors take it for granted.
#if defined(__ARM_FEATURE_DOTPROD) || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9) || \
    (defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ >= 16)
#define SEGMENTER_BILSTM_SDOT 1
#else
#define SEGMENTER_BILSTM_SDOT 0
#endif
#else
#define SEGMENTER_BILSTM_NEON 0
#endif

#if defined(_MSC_VER)
#define SEGMENTER_PATH_INLINE static __forceinline
#define SEGMENTER_PATH_APART static __declspec(noinline)
#else
#define SEGMENTER_PATH_APART static __attribute__((noinline))
#define SEGMENTER_PATH_INLINE static inline __attribute__((always_inline))
#endif

namespace segmenter {

namespace bilstm {

// Weights of the four gates, packed for a path: rows are [block][gate][unit], tiles of Path::tile rows;
// weights [tile][depth / Path::depth][row][Path::depth].
struct Gates {
  const void* packed = nullptr;
  const int32_t* start = nullptr;  // [row]: what sums begin with; in the order of the sums, see Path::place
  const int16_t* gain = nullptr;   // [row]
  uint32_t blocks = 0, depth = 0, shift = 0;
};

// A product of weights with columns of inputs; strides from column to column, 0: all have the same.
struct Product {
  const int32_t* const* start;  // what the sums of each column begin with
  const void* x;
  size_t x_stride;
  const int16_t* add;  // what is added to the narrowed sums; may be z
  size_t add_stride;
  uint32_t columns;
  int16_t* z;
  size_t z_stride;
};

struct Curve {
  // read by unaligned loads: an object of Python's begins at a multiple of 16 bytes, of 8 on some machines
  int16_t height[32];
  int16_t slope[32];
  uint8_t bytes[2][2][2][16];  // for byte shuffles: height or slope, low or high byte, half
};

// States of the sentences that are read together; [column][stride].
struct State {
  int16_t* c;
  int16_t* h;
  void* to;  // recurrent inputs of the next step
  size_t stride;
};

struct Path {
  const char* name;
  uint32_t units;  // hidden units a block
  uint32_t depth;  // inputs are padded to a multiple of this
  uint32_t tile;   // rows a tile
  bool bytes;      // inputs are bytes; else int16
  uint8_t flip;    // what bytes are xor-ed with: 128 where they are unsigned, 128 more
  void (*products)(const Gates&, const Product&);
  void (*sums)(const int32_t* const* rows, uint32_t n, size_t width, int32_t* to);
  void (*states)(const Curve&, const State&, uint32_t columns, const int16_t* z);
  void (*scores)(const int16_t* out, const int16_t* h, size_t hidden, int32_t* to);
  uint32_t (*place)(uint32_t unit);  // where the sums of a block's gate hold it
};

namespace portable {
constexpr int L = 8, kDepth = 2, kGates = 4, kColumns = 2, kParts = 1;
using X = int16_t;
using W = int16_t;
struct Sum { int32_t of[L]; };
struct V { int16_t of[L]; };
struct Several { int16_t of[2]; };
using Weights = const int16_t*;
inline int16_t sat(int32_t v) { return int16_t(v < -32768 ? -32768 : v > 32767 ? 32767 : v); }
#define SEGMENTER_EACH(expression) \
  V r;                             \
  for (int k = 0; k < L; ++k) r.of[k] = int16_t(expression); \
  return r
inline Sum start(const int32_t* p) { Sum s; std::memcpy(s.of, p, sizeof s.of); return s; }
inline Sum add(Sum a, const Sum& b) {
  for (int k = 0; k < L; ++k) a.of[k] += b.of[k];
  return a;
}
inline void keep(int32_t* p, const Sum& s) { std::memcpy(p, s.of, sizeof s.of); }
inline Several several(const X* x) { return Several{{x[0], x[1]}}; }
inline Weights load_weights(const W* w) { return w; }
inline Sum dot(Sum s, Weights w, Several x) {
  for (int k = 0; k < L; ++k) s.of[k] += int32_t(w[2 * k]) * x.of[0] + int32_t(w[2 * k + 1]) * x.of[1];
  return s;
}
inline V narrow(const Sum& s, const Sum&, int shift) { SEGMENTER_EACH(sat(s.of[k] >> shift)); }
inline V load(const int16_t* p) { V v; std::memcpy(v.of, p, sizeof v.of); return v; }
inline void store(int16_t* p, V v) { std::memcpy(p, v.of, sizeof v.of); }
inline void store_inputs(X* p, V v) { store(p, v); }
inline V same(int x) { SEGMENTER_EACH(x); }
inline V plus(V a, V b) { SEGMENTER_EACH(sat(int32_t(a.of[k]) + b.of[k])); }
inline V times(V a, V b) { SEGMENTER_EACH((int32_t(a.of[k]) * b.of[k] + (1 << 14)) >> 15); }
inline V magnitude(V a) { SEGMENTER_EACH(a.of[k] < 0 ? -int32_t(a.of[k]) : a.of[k]); }
inline V at_most_8191(V a) { SEGMENTER_EACH(uint16_t(a.of[k]) > 8191 ? 8191 : a.of[k]); }
template <int B> V shift_right(V a) { SEGMENTER_EACH(uint16_t(a.of[k]) >> B); }
template <int B> V shift_left(V a) { SEGMENTER_EACH(uint16_t(a.of[k]) << B); }
template <int B> V shift_arithmetic(V a) { SEGMENTER_EACH(a.of[k] >> B); }
inline V low_byte(V a) { SEGMENTER_EACH(a.of[k] & 255); }
inline V height(V a, const Curve& c) { SEGMENTER_EACH(c.height[a.of[k]]); }
inline V slope(V a, const Curve& c) { SEGMENTER_EACH(c.slope[a.of[k]]); }
inline void entries(V a, V b, const Curve& c, V (&heights)[2], V (&slopes)[2]) {
  heights[0] = height(a, c);
  heights[1] = height(b, c);
  slopes[0] = slope(a, c);
  slopes[1] = slope(b, c);
}
inline V signed_as(V a, V b) { SEGMENTER_EACH(b.of[k] < 0 ? -a.of[k] : b.of[k] ? a.of[k] : 0); }
#undef SEGMENTER_EACH
inline int32_t inner(const int16_t* a, const int16_t* b, size_t n) {
  int32_t sum = 0;
  for (size_t k = 0; k < n; ++k) sum += int32_t(a[k]) * b[k];
  return sum;
}
inline uint32_t place(uint32_t unit) { return unit; }
#include "bilstm/path.hpp"
constexpr Path path{"portable", L, kDepth, kTile, false, 0, products, sums, states, scores, place};
}  // namespace portable

#if SEGMENTER_BILSTM_X86
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes what its own <avx512fintrin.h> leaves undefined on purpose for a mistake (its bug 105593)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define SEGMENTER_TARGET_SSE _Pragma("GCC push_options") _Pragma("GCC target(\"sse4.1\")")
#define SEGMENTER_TARGET_AVX2 _Pragma("GCC push_options") _Pragma("GCC target(\"avx2\")")
#define SEGMENTER_TARGET_AVX_VNNI _Pragma("GCC push_options") _Pragma("GCC target(\"avx2,avxvnni\")")
#define SEGMENTER_TARGET_VNNI \
  _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx512bw,avx512vl,avx512vnni,prefer-vector-width=512\")")
#define SEGMENTER_TARGET_END _Pragma("GCC pop_options")
#elif defined(__clang__)
#define SEGMENTER_TARGET_SSE \
  _Pragma("clang attribute push(__attribute__((target(\"sse4.1\"))), apply_to = function)")
#define SEGMENTER_TARGET_AVX2 \
  _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define SEGMENTER_TARGET_AVX_VNNI \
  _Pragma("clang attribute push(__attribute__((target(\"avx2,avxvnni\"))), apply_to = function)")
#define SEGMENTER_TARGET_VNNI \
  _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512vl,avx512vnni\"))), apply_to = function)")
#define SEGMENTER_TARGET_END _Pragma("clang attribute pop")
#else
#define SEGMENTER_TARGET_SSE
#define SEGMENTER_TARGET_AVX2
#define SEGMENTER_TARGET_AVX_VNNI
#define SEGMENTER_TARGET_VNNI
#define SEGMENTER_TARGET_END
#endif

// Values of 16 bits in one vector: the operations of SSE4.1 and AVX2 differ in the names.  PRE is the
// intrinsics' prefix, BITS the width.
#define SEGMENTER_VALUES(VECTOR, PRE, BITS)                                                                 \
  using V = VECTOR;                                                                                         \
  using Sum = VECTOR;                                                                                       \
  using Weights = VECTOR;                                                                                   \
  using Several = VECTOR;                                                                                   \
  SEGMENTER_PATH_INLINE V raw(const void* p) { return PRE##_loadu_si##BITS(static_cast<const V*>(p)); }     \
  SEGMENTER_PATH_INLINE void put(void* p, V v) { PRE##_storeu_si##BITS(static_cast<V*>(p), v); }            \
  SEGMENTER_PATH_INLINE V load(const int16_t* p) { return raw(p); }                                         \
  SEGMENTER_PATH_INLINE void store(int16_t* p, V v) { put(p, v); }                                          \
  SEGMENTER_PATH_INLINE Sum start(const int32_t* p) { return raw(p); }                                      \
  SEGMENTER_PATH_INLINE void keep(int32_t* p, Sum s) { put(p, s); }                                         \
  SEGMENTER_PATH_INLINE Sum add(Sum a, Sum b) { return PRE##_add_epi32(a, b); }                             \
  SEGMENTER_PATH_INLINE V narrow(Sum low, Sum high, int shift) {                                            \
    const __m128i by = _mm_cvtsi32_si128(shift);                                                            \
    return PRE##_packs_epi32(PRE##_sra_epi32(low, by), PRE##_sra_epi32(high, by));                          \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE V same(int x) { return PRE##_set1_epi16(short(x)); }                                \
  SEGMENTER_PATH_INLINE V plus(V a, V b) { return PRE##_adds_epi16(a, b); }                                 \
  SEGMENTER_PATH_INLINE V times(V a, V b) { return PRE##_mulhrs_epi16(a, b); }                              \
  SEGMENTER_PATH_INLINE V magnitude(V a) { return PRE##_abs_epi16(a); }                                     \
  SEGMENTER_PATH_INLINE V at_most_8191(V a) { return PRE##_min_epu16(a, PRE##_set1_epi16(8191)); }          \
  template <int B> SEGMENTER_PATH_INLINE V shift_right(V a) { return PRE##_srli_epi16(a, B); }              \
  template <int B> SEGMENTER_PATH_INLINE V shift_left(V a) { return PRE##_slli_epi16(a, B); }               \
  template <int B> SEGMENTER_PATH_INLINE V shift_arithmetic(V a) { return PRE##_srai_epi16(a, B); }         \
  SEGMENTER_PATH_INLINE V low_byte(V a) { return PRE##_and_si##BITS(a, PRE##_set1_epi16(255)); }            \
  SEGMENTER_PATH_INLINE V signed_as(V a, V b) { return PRE##_sign_epi16(a, b); }                            \
  /* of 32 entries: a byte shuffle gives 0 where the index has its highest bit */                           \
  SEGMENTER_PATH_INLINE V entry(V first, V last, const uint8_t half[2][16]) {                               \
    return PRE##_or_si##BITS(PRE##_shuffle_epi8(sixteen(half[0]), first),                                   \
                             PRE##_shuffle_epi8(sixteen(half[1]), last));                                   \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE void entries(V a, V b, const Curve& c, V (&heights)[2], V (&slopes)[2]) {           \
    const V both = PRE##_packus_epi16(a, b);                                                                \
    const V first = PRE##_add_epi8(both, PRE##_set1_epi8(0x70));                                            \
    const V last = PRE##_sub_epi8(both, PRE##_set1_epi8(16));                                               \
    const V low = entry(first, last, c.bytes[0][0]), high = entry(first, last, c.bytes[0][1]);              \
    heights[0] = PRE##_unpacklo_epi8(low, high);                                                            \
    heights[1] = PRE##_unpackhi_epi8(low, high);                                                            \
    const V low_slope = entry(first, last, c.bytes[1][0]), high_slope = entry(first, last, c.bytes[1][1]);  \
    slopes[0] = PRE##_unpacklo_epi8(low_slope, high_slope);                                                 \
    slopes[1] = PRE##_unpackhi_epi8(low_slope, high_slope);                                                 \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE int32_t inner(const int16_t* a, const int16_t* b, size_t n) {                       \
    Sum sum = PRE##_setzero_si##BITS();                                                                     \
    for (size_t k = 0; k < n; k += L) sum = add(sum, PRE##_madd_epi16(load(a + k), load(b + k)));           \
    __m128i s = folded(sum);                                                                                \
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));                                                       \
    return _mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));                                 \
  }

// Inputs and weights of 16 bits, two to a sum.
#define SEGMENTER_PAIRS(PRE)                                                                                \
  constexpr int kDepth = 2;                                                                                 \
  using X = int16_t;                                                                                        \
  using W = int16_t;                                                                                        \
  SEGMENTER_PATH_INLINE Several several(const X* x) {                                                       \
    int32_t two;                                                                                            \
    std::memcpy(&two, x, 4);                                                                                \
    return PRE##_set1_epi32(two);                                                                           \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE Weights load_weights(const W* w) { return raw(w); }                                 \
  SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) { return add(s, PRE##_madd_epi16(w, x)); }     \
  SEGMENTER_PATH_INLINE void store_inputs(X* p, V v) { put(p, v); }

// What the two kinds of 256 bits share.  Packing to 16 bits takes four of the low and four of the high
// sums in turn.
#define SEGMENTER_SIXTEEN_VALUES                                                                            \
  constexpr int L = 16, kGates = 2, kParts = 2;                                                             \
  SEGMENTER_PATH_INLINE __m256i sixteen(const uint8_t* p) {                                                 \
    return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));                \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE __m128i folded(__m256i s) {                                                         \
    return _mm_add_epi32(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));                        \
  }                                                                                                         \
  SEGMENTER_VALUES(__m256i, _mm256, 256)                                                                    \
  SEGMENTER_PATH_INLINE uint32_t place(uint32_t unit) { return (unit & 4) * 2 + (unit & 8) / 2 + (unit & 3); }

SEGMENTER_TARGET_SSE
namespace sse {
constexpr int L = 8, kGates = 2, kColumns = 2, kParts = 2;
SEGMENTER_PATH_INLINE __m128i sixteen(const uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
SEGMENTER_PATH_INLINE __m128i folded(__m128i s) { return s; }
SEGMENTER_VALUES(__m128i, _mm, 128)
SEGMENTER_PATH_INLINE uint32_t place(uint32_t unit) { return unit; }
SEGMENTER_PAIRS(_mm)
#include "bilstm/path.hpp"
constexpr Path path{"sse4.1", L, kDepth, kTile, false, 0, products, sums, states, scores, place};
}  // namespace sse
SEGMENTER_TARGET_END

SEGMENTER_TARGET_AVX2
namespace avx2 {
constexpr int kColumns = 2;
SEGMENTER_SIXTEEN_VALUES
SEGMENTER_PAIRS(_mm256)
#include "bilstm/path.hpp"
constexpr Path path{"avx2", L, kDepth, kTile, false, 0, products, sums, states, scores, place};
}  // namespace avx2
SEGMENTER_TARGET_END

#if SEGMENTER_BILSTM_AVX_VNNI
SEGMENTER_TARGET_AVX_VNNI
namespace avx_vnni {
constexpr int kColumns = 3, kDepth = 4;
SEGMENTER_SIXTEEN_VALUES
using X = uint8_t;
using W = int8_t;
SEGMENTER_PATH_INLINE Several several(const X* x) {
  int32_t four;
  std::memcpy(&four, x, 4);
  return _mm256_set1_epi32(four);
}
SEGMENTER_PATH_INLINE Weights load_weights(const W* w) { return raw(w); }
SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) {
#if defined(__GNUC__) && !defined(__clang__)
  __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(s) : "x"(x), "x"(w));  // as below
  return s;
#else
  return _mm256_dpbusd_avx_epi32(s, x, w);
#endif
}
SEGMENTER_PATH_INLINE void store_inputs(X* p, V v) {
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_xor_si128(bytes, _mm_set1_epi8(-128)));
}
#include "bilstm/path.hpp"
constexpr Path path{"avx-vnni", L, kDepth, kTile, true, 128, products, sums, states, scores, place};
}  // namespace avx_vnni
SEGMENTER_TARGET_END
#endif

SEGMENTER_TARGET_VNNI
namespace vnni {
constexpr int L = 32, kDepth = 4, kGates = 4, kColumns = 3, kParts = 2;
using X = uint8_t;
using W = int8_t;
using V = __m512i;
using Sum = __m512i;
using Weights = Sum;
using Several = __m512i;
SEGMENTER_PATH_INLINE __m512i raw(const void* p) { return _mm512_loadu_si512(p); }
SEGMENTER_PATH_INLINE Sum start(const int32_t* p) { return raw(p); }
SEGMENTER_PATH_INLINE Sum add(Sum a, Sum b) { return _mm512_add_epi32(a, b); }
SEGMENTER_PATH_INLINE void keep(int32_t* p, Sum s) { _mm512_storeu_si512(p, s); }
SEGMENTER_PATH_INLINE Several several(const X* x) {
  int32_t four;
  std::memcpy(&four, x, 4);
  return _mm512_set1_epi32(four);
}
SEGMENTER_PATH_INLINE Weights load_weights(const W* w) { return raw(w); }
SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) {
#if defined(__GNUC__) && !defined(__clang__)
  // GCC 12's elimination of partial redundancies, given the intrinsic, keeps a copy of every sum in memory
  __asm__("vpdpbusd %2, %1, %0" : "+v"(s) : "v"(x), "v"(w));
  return s;
#else
  return _mm512_dpbusd_epi32(s, x, w);
#endif
}
SEGMENTER_PATH_INLINE V narrow(Sum low, Sum high, int shift) {
  const __m128i by = _mm_cvtsi32_si128(shift);
  return _mm512_packs_epi32(_mm512_sra_epi32(low, by), _mm512_sra_epi32(high, by));
}
SEGMENTER_PATH_INLINE V load(const int16_t* p) { return raw(p); }
SEGMENTER_PATH_INLINE void store(int16_t* p, V v) { _mm512_storeu_si512(p, v); }
SEGMENTER_PATH_INLINE void store_inputs(X* p, V v) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtepi16_epi8(_mm512_xor_si512(v, _mm512_set1_epi16(128))));
}
SEGMENTER_PATH_INLINE V same(int x) { return _mm512_set1_epi16(short(x)); }
SEGMENTER_PATH_INLINE V plus(V a, V b) { return _mm512_adds_epi16(a, b); }
SEGMENTER_PATH_INLINE V times(V a, V b) { return _mm512_mulhrs_epi16(a, b); }
SEGMENTER_PATH_INLINE V magnitude(V a) { return _mm512_abs_epi16(a); }
SEGMENTER_PATH_INLINE V at_most_8191(V a) { return _mm512_min_epu16(a, _mm512_set1_epi16(8191)); }
template <int B> SEGMENTER_PATH_INLINE V shift_right(V a) { return _mm512_srli_epi16(a, B); }
template <int B> SEGMENTER_PATH_INLINE V shift_left(V a) { return _mm512_slli_epi16(a, B); }
template <int B> SEGMENTER_PATH_INLINE V shift_arithmetic(V a) { return _mm512_srai_epi16(a, B); }
SEGMENTER_PATH_INLINE V low_byte(V a) { return _mm512_and_si512(a, _mm512_set1_epi16(255)); }
SEGMENTER_PATH_INLINE V height(V a, const Curve& c) { return _mm512_permutexvar_epi16(a, raw(c.height)); }
SEGMENTER_PATH_INLINE V slope(V a, const Curve& c) { return _mm512_permutexvar_epi16(a, raw(c.slope)); }
SEGMENTER_PATH_INLINE void entries(V a, V b, const Curve& c, V (&heights)[2], V (&slopes)[2]) {
  heights[0] = height(a, c);
  heights[1] = height(b, c);
  slopes[0] = slope(a, c);
  slopes[1] = slope(b, c);
}
SEGMENTER_PATH_INLINE V signed_as(V a, V b) {
  return _mm512_mask_sub_epi16(a, _mm512_movepi16_mask(b), _mm512_setzero_si512(), a);
}
SEGMENTER_PATH_INLINE int32_t inner(const int16_t* a, const int16_t* b, size_t n) {
  __m512i sum = _mm512_setzero_si512();
  for (size_t k = 0; k < n; k += 32) sum = _mm512_dpwssd_epi32(sum, raw(a + k), raw(b + k));
  return _mm512_reduce_add_epi32(sum);
}
// Packing to 16 bits takes four of the low and four of the high sums in turn.
SEGMENTER_PATH_INLINE uint32_t place(uint32_t unit) { return (unit & 4) * 4 + unit / 8 * 4 + (unit & 3); }
#include "bilstm/path.hpp"
constexpr Path path{"avx512-vnni", L, kDepth, kTile, true, 128, products, sums, states, scores, place};
}  // namespace vnni
SEGMENTER_TARGET_END

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// What the processor can do, and the system lets it.
struct Processor {
  bool avx2 = false, avx_vnni = false, vnni = false;
  Processor() {
#if defined(__GNUC__)
    __builtin_cpu_init();
    avx2 = __builtin_cpu_supports("avx2");
    vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    unsigned a = 0, b = 0, c = 0, d = 0;  // compilers know this one by name only lately
    avx_vnni = avx2 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && a && __get_cpuid_count(7, 1, &a, &b, &c, &d) &&
               (a >> 4 & 1);
#else
    int r[4];
    __cpuid(r, 0);
    const int most = r[0];
    __cpuid(r, 1);
    const bool saved = (r[2] >> 27 & 1) && (_xgetbv(0) & 6) == 6;
    if (!saved || most < 7) return;
    const bool wide = (_xgetbv(0) & 0xE6) == 0xE6;
    __cpuidex(r, 7, 0);
    avx2 = r[1] >> 5 & 1;
    vnni = wide && (r[1] >> 16 & 1) && (r[1] >> 30 & 1) && (r[1] >> 31 & 1) && (r[2] >> 11 & 1);
    if (!avx2 || r[0] < 1) return;
    __cpuidex(r, 7, 1);
    avx_vnni = r[0] >> 4 & 1;
#endif
  }
};
#endif

#if SEGMENTER_BILSTM_NEON
// What the two kinds of NEON share.
#define SEGMENTER_NEON_VALUES                                                                               \
  constexpr int L = 8, kGates = 4, kColumns = 3, kParts = 2;                                                \
  using V = int16x8_t;                                                                                      \
  using Sum = int32x4_t;                                                                                    \
  SEGMENTER_PATH_INLINE V load(const int16_t* p) { return vld1q_s16(p); }                                   \
  SEGMENTER_PATH_INLINE void store(int16_t* p, V v) { vst1q_s16(p, v); }                                    \
  SEGMENTER_PATH_INLINE Sum start(const int32_t* p) { return vld1q_s32(p); }                                \
  SEGMENTER_PATH_INLINE void keep(int32_t* p, Sum s) { vst1q_s32(p, s); }                                   \
  SEGMENTER_PATH_INLINE Sum add(Sum a, Sum b) { return vaddq_s32(a, b); }                                   \
  SEGMENTER_PATH_INLINE V narrow(Sum low, Sum high, int shift) {                                            \
    const int32x4_t by = vdupq_n_s32(-shift);                                                               \
    return vcombine_s16(vqmovn_s32(vshlq_s32(low, by)), vqmovn_s32(vshlq_s32(high, by)));                   \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE V same(int x) { return vdupq_n_s16(int16_t(x)); }                                   \
  SEGMENTER_PATH_INLINE V plus(V a, V b) { return vqaddq_s16(a, b); }                                       \
  /* never of -32768 twice, which is the one product that saturates */                                      \
  SEGMENTER_PATH_INLINE V times(V a, V b) { return vqrdmulhq_s16(a, b); }                                   \
  SEGMENTER_PATH_INLINE V magnitude(V a) { return vabsq_s16(a); }                                           \
  SEGMENTER_PATH_INLINE V at_most_8191(V a) {                                                               \
    return vreinterpretq_s16_u16(vminq_u16(vreinterpretq_u16_s16(a), vdupq_n_u16(8191)));                   \
  }                                                                                                         \
  template <int B> SEGMENTER_PATH_INLINE V shift_right(V a) {                                               \
    return vreinterpretq_s16_u16(vshrq_n_u16(vreinterpretq_u16_s16(a), B));                                 \
  }                                                                                                         \
  template <int B> SEGMENTER_PATH_INLINE V shift_left(V a) { return vshlq_n_s16(a, B); }                    \
  template <int B> SEGMENTER_PATH_INLINE V shift_arithmetic(V a) { return vshrq_n_s16(a, B); }              \
  SEGMENTER_PATH_INLINE V low_byte(V a) { return vandq_s16(a, vdupq_n_s16(255)); }                          \
  SEGMENTER_PATH_INLINE V signed_as(V a, V b) {                                                             \
    const V r = vbslq_s16(vcltzq_s16(b), vnegq_s16(a), a);                                                  \
    return vbicq_s16(r, vreinterpretq_s16_u16(vceqzq_s16(b)));                                              \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE void entry(uint8x16_t index, const uint8_t bytes[2][2][16], V (&out)[2]) {          \
    const uint8x16x2_t low = {{vld1q_u8(bytes[0][0]), vld1q_u8(bytes[0][1])}};                              \
    const uint8x16x2_t high = {{vld1q_u8(bytes[1][0]), vld1q_u8(bytes[1][1])}};                             \
    const uint8x16_t l = vqtbl2q_u8(low, index), h = vqtbl2q_u8(high, index);                               \
    out[0] = vreinterpretq_s16_u8(vzip1q_u8(l, h));                                                         \
    out[1] = vreinterpretq_s16_u8(vzip2q_u8(l, h));                                                         \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE void entries(V a, V b, const Curve& c, V (&heights)[2], V (&slopes)[2]) {           \
    const uint8x16_t both = vcombine_u8(vmovn_u16(vreinterpretq_u16_s16(a)),                                \
                                        vmovn_u16(vreinterpretq_u16_s16(b)));                               \
    entry(both, c.bytes[0], heights);                                                                       \
    entry(both, c.bytes[1], slopes);                                                                        \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE int32_t inner(const int16_t* a, const int16_t* b, size_t n) {                       \
    Sum sum = vdupq_n_s32(0);                                                                               \
    for (size_t k = 0; k < n; k += 8) {                                                                     \
      const V x = load(a + k), y = load(b + k);                                                             \
      sum = vmlal_s16(sum, vget_low_s16(x), vget_low_s16(y));                                               \
      sum = vmlal_high_s16(sum, x, y);                                                                      \
    }                                                                                                       \
    return vaddvq_s32(sum);                                                                                 \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE uint32_t place(uint32_t unit) { return unit; }

namespace neon {
SEGMENTER_NEON_VALUES
constexpr int kDepth = 1;
using X = int16_t;
using W = int16_t;
using Weights = int16x4_t;
using Several = int16x4_t;
SEGMENTER_PATH_INLINE Several several(const X* x) { return vld1_dup_s16(x); }
SEGMENTER_PATH_INLINE Weights load_weights(const W* w) { return vld1_s16(w); }
SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) { return vmlal_s16(s, w, x); }
SEGMENTER_PATH_INLINE void store_inputs(X* p, V v) { store(p, v); }
#include "bilstm/path.hpp"
constexpr Path path{"neon", L, kDepth, kTile, false, 0, products, sums, states, scores, place};
}  // namespace neon

#if SEGMENTER_BILSTM_SDOT
#if !defined(__ARM_FEATURE_DOTPROD)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("arch=armv8.2-a+dotprod")
#endif
#endif
namespace sdot {
SEGMENTER_NEON_VALUES
constexpr int kDepth = 4;
using X = int8_t;
using W = int8_t;
using Weights = int8x16_t;
using Several = int8x16_t;
SEGMENTER_PATH_INLINE Several several(const X* x) {
  int32_t four;
  std::memcpy(&four, x, 4);
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}
SEGMENTER_PATH_INLINE Weights load_weights(const W* w) { return vld1q_s8(w); }
SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) { return vdotq_s32(s, w, x); }
SEGMENTER_PATH_INLINE void store_inputs(X* p, V v) { vst1_s8(p, vmovn_s16(v)); }
#include "bilstm/path.hpp"
constexpr Path path{"neon-sdot", L, kDepth, kTile, true, 0, products, sums, states, scores, place};
}  // namespace sdot
#if !defined(__ARM_FEATURE_DOTPROD)
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#endif

inline bool has_sdot() {
#if defined(__APPLE__)
  return true;  // every processor of theirs that macOS for arm64 runs on
#elif defined(__linux__)
  return getauxval(AT_HWCAP) >> 20 & 1;
#else
  return false;
#endif
}
#endif

// The paths that this processor can take, slowest first.
inline std::vector<const Path*> paths() {
  std::vector<const Path*> out{&portable::path};
#if SEGMENTER_BILSTM_X86
  static const Processor processor;
  out.push_back(&sse::path);
  if (processor.avx2) out.push_back(&avx2::path);
#if SEGMENTER_BILSTM_AVX_VNNI
  if (processor.avx_vnni) out.push_back(&avx_vnni::path);
#endif
  if (processor.vnni) out.push_back(&vnni::path);
#elif SEGMENTER_BILSTM_NEON
  out.push_back(&neon::path);
#if SEGMENTER_BILSTM_SDOT
  if (has_sdot()) out.push_back(&sdot::path);
#endif
#endif
  return out;
}

constexpr uint16_t kNoId = 0xFFFF;
constexpr uint32_t kLexiconSlots = 10;
constexpr uint32_t kSlots = 12;   // sentences read in lockstep
constexpr uint32_t kBlock = 48;   // positions whose inputs are multiplied at a time
constexpr uint32_t kMostRows = 1 + kLexiconSlots;  // of sums that one position's begin with
constexpr size_t kRoom = 64;      // bytes that vectors may read and write beyond the last value

// What the rows of an embedding add to the gates of layer 0: their products with the weights are made when
// a row is first asked for, and kept.  Sums are exact, so it is all one where they are made.  Threads may ask
// at once; two that make the same row make the same numbers, and one of them is kept.
class RowSums {
 public:
  RowSums() = default;
  RowSums(const RowSums&) = delete;
  RowSums& operator=(const RowSums&) = delete;
  ~RowSums() {
    for (auto& row : rows_) delete[] row.load();
  }
  void set_size(size_t rows, size_t width) {
    rows_ = std::vector<std::atomic<int32_t*>>(rows);
    width_ = width;
  }
  // `weights`: [size][width].  Sums begin with `start` (null: 0), rows are counted from `zero` (null: 0).
  const int32_t* operator()(size_t row, const int8_t* values, const int8_t* zero, size_t size,
                            const int16_t* weights, const int32_t* const start[2]) const {
    std::atomic<int32_t*>& at = rows_[row];
    int32_t* got = at.load(std::memory_order_acquire);
    if (got) return aligned(got);
    std::unique_ptr<int32_t[]> made(new int32_t[width_ + kRoom / 4]());
    int32_t* const to = aligned(made.get());
    if (start)
      for (size_t d = 0; d < 2; ++d) std::copy_n(start[d], width_ / 2, to + d * (width_ / 2));
    for (size_t i = 0; i < size; ++i) {
      const int32_t x = int32_t(values[i]) - (zero ? zero[i] : 0);
      const int16_t* const w = weights + i * width_;
      for (size_t k = 0; k < width_; ++k) to[k] += x * w[k];
    }
    if (!at.compare_exchange_strong(got, made.get(), std::memory_order_acq_rel)) return aligned(got);
    made.release();
    return to;
  }

 private:
  static int32_t* aligned(int32_t* p) {
    return reinterpret_cast<int32_t*>((reinterpret_cast<uintptr_t>(p) + kRoom - 1) / kRoom * kRoom);
  }
  mutable std::vector<std::atomic<int32_t*>> rows_;
  size_t width_ = 0;
};

// A compiled model: what the artifact holds, and the weights packed for a path.
struct Model {
  const Path* path = nullptr;
  CharMap map;
  std::vector<uint16_t> from_linear;  // ids of the linear tagger's characters, kNoId for all others of a class
  const uint16_t* rows = nullptr;     // [n_ids + 1]; the last: beyond the text
  const int8_t* chars = nullptr;      // [n_chars][char_size]
  PairHash pairs;
  const uint32_t* keys = nullptr;     // [pairs.n] first << 16 | second
  const int8_t* bigrams = nullptr;    // [pairs.n + 1][pair_size]; the last: unknown
  const int8_t* lexicon[kLexiconSlots] = {};
  uint32_t table_rows[kLexiconSlots] = {}, table_size[kLexiconSlots] = {};
  const uint8_t* word_class = nullptr;  // by number of the linear tagger's words: 1 + class, 0: none
  const uint8_t* pair_class = nullptr;  // by place of its pairs
  uint32_t beyond = 0, n_chars = 0, char_size = 0, pair_size = 0, tables = 0, hidden = 0, layers = 0, inputs = 0;
  uint32_t stride = 0;                  // hidden units padded to whole blocks
  Curve curve;
  // Of layer 0 only the pairs are multiplied as they come: characters and the lexicon's numbers are few
  // enough for their products to be kept.
  struct Layer {
    Gates in[2], own[2];                // of the inputs and of the states; forward, backward
    std::vector<int16_t> bias[2];       // packed as the gains are
    uint32_t inputs = 0;                // that are multiplied; and padded
    size_t stride = 0;
  };
  RowSums row_sums;                     // of characters, begun with the layer's start; then of the lexicon's
                                        // tables, less what their rows 0 add; [2][4 * stride], a direction each
  std::vector<int16_t> few[kLexiconSlots + 1];  // [size][2][4 * stride]: weights of these, in the order of sums
  uint32_t first_row[kLexiconSlots + 1] = {};
  std::vector<Layer> layer;
  std::vector<int16_t> out[2];          // [3][stride]: relative to tag S
  int64_t unit = 0;                     // a sum of the output layer times this >> 40 is a score
  int64_t linear = 0;                   // a sum of the linear tagger times this >> 32 is one
  int32_t bias[3] = {}, last = 0;       // scores of B, M, E against S, and of E against S at the end

  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  void set_shape(uint32_t hidden_, uint32_t layers_) {
    hidden = hidden_;
    layers = layers_;
    stride = (hidden + path->units - 1) / path->units * path->units;
    inputs = char_size + 2 * pair_size;
    few[0].assign(size_t(char_size) * 8 * stride, 0);
    uint32_t rows_ = n_chars;
    for (uint32_t j = 0; j < tables; ++j) {
      inputs += table_size[j];
      few[j + 1].assign(size_t(table_size[j]) * 8 * stride, 0);
      first_row[j + 1] = rows_;
      rows_ += table_rows[j];
    }
    row_sums.set_size(rows_, size_t(stride) * 8);
    layer.resize(layers);
    for (uint32_t k = 0; k < layers; ++k) {
      layer[k].inputs = k ? 2 * hidden : 2 * pair_size;
      layer[k].stride = (layer[k].inputs + path->depth - 1) / path->depth * path->depth;
    }
  }

  // Weights of the artifact, [4 * hidden][inputs], gates one after another.
  void set_gates(uint32_t k, int direction, bool own, const int8_t* weights, const int16_t* gains, int32_t shift) {
    Layer& l = layer[k];
    Gates& g = own ? l.own[direction] : l.in[direction];
    const uint32_t inputs_ = own ? hidden : k ? l.inputs : inputs, depth = path->depth, units = path->units;
    // those that are multiplied as they come
    const uint32_t first = own || k ? 0 : char_size, count = own ? hidden : l.inputs;
    // states are stored padded to whole blocks
    g.depth = uint32_t(own ? (hidden + depth - 1) / depth * depth : l.stride);
    g.blocks = stride / units;
    g.shift = uint32_t(shift);
    const size_t rows_ = size_t(stride) * 4, n = rows_ * g.depth, tile = path->tile;
    int8_t* bytes = path->bytes ? keep<int8_t>(n) : nullptr;
    int16_t* shorts = path->bytes ? nullptr : keep<int16_t>(n);
    int32_t* start = keep<int32_t>(rows_);
    int16_t* gain = keep<int16_t>(rows_);
    for (uint32_t unit = 0; unit < hidden; ++unit)
      for (uint32_t gate = 0; gate < 4; ++gate) {
        const int8_t* const w = weights + size_t(gate * hidden + unit) * inputs_;
        const size_t group = (size_t(unit / units) * 4 + gate) * units, row = group + path->place(unit % units);
        gain[group + unit % units] = gains[gate * hidden + unit];
        int32_t sum = 0;
        for (uint32_t i = 0; i < count; ++i) {
          const size_t to = row / tile * tile * g.depth + (i / depth * tile + row % tile) * depth + i % depth;
          if (bytes) bytes[to] = w[first + i];
          else shorts[to] = w[first + i];
          sum += w[first + i];
        }
        start[row] = -int32_t(path->flip) * sum;
        if (own || k) continue;
        for (uint32_t i = 0; i < char_size; ++i) few[0][(i * 2 + size_t(direction)) * rows_ + row] = w[i];
        const int8_t* more = w + char_size + l.inputs;
        for (uint32_t j = 0; j < tables; ++j)
          for (uint32_t i = 0; i < table_size[j]; ++i, ++more) {
            few[j + 1][(i * 2 + size_t(direction)) * rows_ + row] = *more;
            start[row] += *more * lexicon[j][i];
          }
      }
    g.packed = bytes ? static_cast<const void*>(bytes) : shorts;
    g.start = start;
    g.gain = gain;
  }

  // Biases of a direction, [4 * hidden].
  void set_bias(uint32_t k, int direction, const int16_t* values) {
    std::vector<int16_t>& to = layer[k].bias[direction];
    to.assign(size_t(stride) * 4 + kRoom / 2, 0);
    const uint32_t units = path->units;
    for (uint32_t unit = 0; unit < hidden; ++unit)
      for (uint32_t gate = 0; gate < 4; ++gate)
        to[(size_t(unit / units) * 4 + gate) * units + unit % units] = values[gate * hidden + unit];
  }

  void set_out(const int16_t* values) {  // [3][2 * hidden]
    for (int d = 0; d < 2; ++d) {
      out[d].assign(size_t(stride) * 3 + kRoom / 2, 0);
      for (uint32_t t = 0; t < 3; ++t)
        std::copy_n(values + (2 * t + uint32_t(d)) * hidden, hidden, out[d].data() + size_t(t) * stride);
    }
  }

  void set_curve(const int16_t* height, const int16_t* slope) {
    const int16_t* both[2] = {height, slope};
    std::copy_n(height, 32, curve.height);
    std::copy_n(slope, 32, curve.slope);
    for (int what = 0; what < 2; ++what)
      for (int k = 0; k < 32; ++k) {
        curve.bytes[what][0][k / 16][k % 16] = uint8_t(both[what][k]);
        curve.bytes[what][1][k / 16][k % 16] = uint8_t(uint16_t(both[what][k]) >> 8);
      }
  }

  // What the character of row `row` adds to the gates, and value `v` of the lexicon's number `j`.
  const int32_t* sums_of_char(uint32_t row) const {
    const int32_t* const start[2] = {layer[0].in[0].start, layer[0].in[1].start};
    return row_sums(row, chars + size_t(row) * char_size, nullptr, char_size, few[0].data(), start);
  }
  const int32_t* sums_of_number(uint32_t j, uint32_t v) const {
    return row_sums(first_row[j + 1] + v, lexicon[j] + size_t(v) * table_size[j], lexicon[j], table_size[j],
                    few[j + 1].data(), nullptr);
  }

  // The row of a pair in bigrams.
  uint32_t pair_row(uint32_t first, uint32_t second) const {
    const uint32_t at = pairs(first, second);
    return keys[at] == (first << 16 | second) ? at : pairs.n;
  }

 private:
  std::vector<std::vector<uint64_t>> kept_;
  template <class T>
  T* keep(size_t n) {  // zeros, aligned to 64 bytes
    kept_.emplace_back((n * sizeof(T) + 2 * kRoom) / 8);
    const uintptr_t at = reinterpret_cast<uintptr_t>(kept_.back().data());
    return reinterpret_cast<T*>((at + 63) / 64 * 64);
  }
};

// A stretch of text that is read by itself.
struct Stretch {
  uint32_t start, end;
};

// Reads stretches of one text.  A Reader belongs to one call at a time.
class Reader {
 public:
  // What the text is: ids of its characters in the model's map, and the ten numbers of each.
  std::vector<uint16_t> ids;
  std::vector<uint16_t> numbers;  // [n][kLexiconSlots]; the low byte counts
  std::vector<int32_t> scores;    // [n][4]: sums of the output layer for B, M, E
  uint64_t steps() const { return steps_; }  // states that were computed in the last run

  void run(const Model& m, size_t n, std::vector<Stretch> stretches) {
    m_ = &m;
    steps_ = 0;
    scores.assign(n * 4, 0);
    if (stretches.empty()) return;
    // longest first, so that the last places run dry together
    std::stable_sort(stretches.begin(), stretches.end(),
                     [](const Stretch& a, const Stretch& b) { return a.end - a.start > b.end - b.start; });
    const size_t stride = m.stride + kRoom, bytes = element() * (m.stride + kRoom);
    c_.assign(kSlots * stride, 0);
    h_.assign(kSlots * stride, 0);
    for (auto& r : recurrent_) r.assign(kSlots * bytes, 0);
    z_.resize(size_t(kBlock) * m.stride * 4 + kRoom);
    start_.resize(size_t(kBlock) * m.stride * 4 + kRoom);
    find_pairs(n, stretches);
    for (uint32_t k = 0; k < m.layers; ++k) {
      const bool last = k + 1 == m.layers;
      below_.swap(above_);
      if (!last) above_.assign(n * 2 * m.hidden, 0);
      for (int d = 0; d < 2; ++d) read(k, d, last, stretches);
    }
  }

 private:
  const Model* m_ = nullptr;
  uint64_t steps_ = 0;
  std::vector<int16_t> c_, h_, z_;
  std::vector<int32_t> start_;    // what the sums of a block's positions begin with, where words add to it
  std::vector<const int32_t*> starts_;  // and where it is
  std::vector<uint32_t> pairs_;   // rows of the pairs before each position and behind the last of a stretch
  std::vector<uint8_t> recurrent_[2], x_;
  std::vector<int8_t> below_, above_;  // states of a layer below another, [n][2 * hidden]
  struct Slot {
    uint32_t at = 0, left = 0;  // next position, and how many there are
    uint32_t start = 0, end = 0;
  };
  struct Place {
    uint32_t at;
    bool begins;
  };
  std::vector<Place> places_;
  static constexpr uint32_t kNowhere = ~uint32_t(0);

  size_t element() const { return m_->path->bytes ? 1 : 2; }

  void read(uint32_t k, int direction, bool last, const std::vector<Stretch>& stretches) {
    const Model& m = *m_;
    const Path& path = *m.path;
    const Model::Layer& l = m.layer[k];
    const size_t element_ = element(), x_stride = l.stride, z_stride = size_t(m.stride) * 4;
    x_.resize(kBlock * x_stride * element_ + kRoom);
    const Gates& own = l.own[direction];
    const std::vector<const int32_t*> own_starts(kSlots, own.start);
    starts_.assign(kBlock, l.in[direction].start);
    Slot slots[kSlots];
    uint32_t active = 0;
    size_t next = 0;
    auto fill = [&](Slot& s) {
      if (next == stretches.size()) return false;
      const Stretch& t = stretches[next++];
      s.start = t.start;
      s.end = t.end;
      s.left = t.end - t.start;
      s.at = direction ? t.end - 1 : t.start;
      return true;
    };
    while (active < kSlots && fill(slots[active])) ++active;
    const int forward = direction ? -1 : 1;
    int now = 0;
    while (active) {
      // the positions of a block: [step][slot]
      uint32_t longest = 0;
      for (uint32_t s = 0; s < active; ++s) longest = std::max(longest, slots[s].left);
      uint32_t n = kBlock / active;
      if (next == stretches.size()) n = std::min(n, longest);
      places_.assign(size_t(n) * active, Place{kNowhere, false});
      for (uint32_t t = 0; t < n; ++t)
        for (uint32_t s = 0; s < active; ++s) {
          Slot& slot = slots[s];
          if (!slot.left && !fill(slot)) continue;
          const bool begins = slot.at == (direction ? slot.end - 1 : slot.start);
          places_[size_t(t) * active + s] = Place{slot.at, begins};
          const size_t column = size_t(t) * active + s;
          look_up(k, slot, x_.data() + column * x_stride * element_);
          starts_[column] = k ? l.in[direction].start : look_up_sums(slot.at, direction, column);
          slot.at += uint32_t(forward);
          --slot.left;
        }
      Interrupt::look();
      path.products(l.in[direction], Product{starts_.data(), x_.data(), x_stride, l.bias[direction].data(), 0,
                                             n * active, z_.data(), z_stride});
      for (uint32_t t = 0; t < n; ++t) {
        const Place* places = places_.data() + size_t(t) * active;
        for (uint32_t s = 0; s < active; ++s)
          if (places[s].begins) clear(s, now);
        int16_t* const z = z_.data() + size_t(t) * active * z_stride;
        path.products(own, Product{own_starts.data(), recurrent_[now].data(), m.stride, z, z_stride, active, z,
                                   z_stride});
        path.states(m.curve, State{c_.data(), h_.data(), recurrent_[now ^ 1].data(), m.stride}, active, z);
        now ^= 1;
        for (uint32_t s = 0; s < active; ++s) {
          if (places[s].at == kNowhere) continue;
          const int16_t* h = h_.data() + size_t(s) * m.stride;
          if (last) {
            path.scores(m.out[direction].data(), h, m.stride, scores.data() + size_t(places[s].at) * 4);
          } else {
            int8_t* to = above_.data() + (size_t(places[s].at) * 2 + size_t(direction)) * m.hidden;
            for (uint32_t i = 0; i < m.hidden; ++i) to[i] = int8_t(std::min(h[i] + 128, 32767) >> 8);
          }
          ++steps_;
        }
      }
      // places that ran dry make room
      for (uint32_t s = 0; s < active;) {
        if (slots[s].left || fill(slots[s])) {
          ++s;
          continue;
        }
        slots[s] = slots[--active];
        move(active, s, now);
      }
    }
  }

  void clear(uint32_t s, int now) {
    const size_t n = m_->stride;
    std::fill_n(c_.data() + s * n, n, int16_t(0));
    std::memset(recurrent_[now].data() + s * n * element(), m_->path->flip, n * element());
  }

  void move(uint32_t from, uint32_t to, int now) {
    if (from == to) return;
    const size_t n = m_->stride;
    std::copy_n(c_.data() + from * n, n, c_.data() + to * n);
    std::memcpy(recurrent_[now].data() + to * n * element(), recurrent_[now].data() + from * n * element(),
                n * element());
  }

  // Rows of all pairs: the looks of one loop do not wait for each other.
  void find_pairs(size_t n, const std::vector<Stretch>& stretches) {
    pairs_.resize(n + 1);
    for (const Stretch& t : stretches) {
      uint32_t before = m_->beyond;
      for (uint32_t at = t.start; at < t.end; ++at) {
        pairs_[at] = m_->pair_row(before, ids[at]);
        before = ids[at];
      }
      pairs_[t.end] = m_->pair_row(before, m_->beyond);  // a character that no stretch has, or the end
    }
  }

  // What the sums of a position begin with: what its character and its words add to the gates.
  const int32_t* look_up_sums(size_t at, int direction, size_t column) {
    const Model& m = *m_;
    const size_t width = size_t(m.stride) * 4, from = size_t(direction) * width;
    const int32_t* rows[kMostRows] = {m.sums_of_char(m.rows[ids[at]]) + from};
    uint32_t n = 1;
    const uint16_t* numbers_ = numbers.data() + at * kLexiconSlots;
    for (uint32_t j = 0; j < m.tables; ++j)
      if (numbers_[j] & 255) rows[n++] = m.sums_of_number(j, numbers_[j] & 255) + from;
    if (n == 1) return rows[0];
    int32_t* const to = start_.data() + column * width;
    m.path->sums(rows, n, width, to);
    return to;
  }

  // The inputs of the next position of a slot that are multiplied.
  void look_up(uint32_t k, const Slot& slot, uint8_t* to) const {
    const Model& m = *m_;
    const size_t at = slot.at;
    size_t n = 0;
    auto put = [&](const int8_t* from, size_t count) {
      if (m.path->bytes) {
        for (size_t i = 0; i < count; ++i) to[n + i] = uint8_t(from[i]) ^ m.path->flip;
      } else {
        int16_t* wide = reinterpret_cast<int16_t*>(to) + n;
        for (size_t i = 0; i < count; ++i) wide[i] = from[i];
      }
      n += count;
    };
    if (k) {
      put(below_.data() + at * 2 * m.hidden, 2 * m.hidden);
    } else {
      put(m.bigrams + size_t(pairs_[at]) * m.pair_size, m.pair_size);
      put(m.bigrams + size_t(pairs_[at + 1]) * m.pair_size, m.pair_size);
    }
    while (n < m.layer[k].stride) {  // weights are 0 there
      if (m.path->bytes) to[n] = m.path->flip;
      else reinterpret_cast<int16_t*>(to)[n] = 0;
      ++n;
    }
  }
};

}  // namespace bilstm
}  // namespace segmenter
