// A bidirectional LSTM over characters as a predictor, in integers.
//
// What every number means (segmenter/tagging/bilstm_crf.py makes them, kernels/reference.py has a
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
// Two ways to multiply give the same sums: pairs of int16 (SSE2's pmaddwd and wider), and four int8 at a
// time (AVX-512 VNNI's vpdpbusd; inputs are unsigned there, 128 more, and sums begin 128 times the sum of the
// weights lower).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "double_array.hpp"
#include "pair_hash.hpp"

#if !defined(SEGMENTER_PORTABLE) && (defined(__x86_64__) || defined(_M_X64))
#define SEGMENTER_BILSTM_X86 1
#include <immintrin.h>
#if defined(_MSC_VER)
#include <intrin.h>
#endif
#else
#define SEGMENTER_BILSTM_X86 0
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

// Weights of the four gates, packed for a path: [tile][depth / kDepth][gate][unit][kDepth].
struct Gates {
  const void* packed = nullptr;
  const int32_t* start = nullptr;  // [tile][gate][unit]: what sums begin with
  const int16_t* gain = nullptr;   // [tile][gate][unit]
  uint32_t tiles = 0, depth = 0, shift = 0;
};

struct Curve {
  alignas(64) int16_t height[32];
  alignas(64) int16_t slope[32];
  alignas(16) uint8_t bytes[2][2][2][16];  // for byte shuffles: height or slope, low or high byte, half
};

// States of the sentences that are read together; [column][stride].
struct State {
  int16_t* c;
  int16_t* h;
  const void* from;  // recurrent inputs of the step before, and of this one
  void* to;
  size_t stride;
};

struct Path {
  const char* name;
  uint32_t units;      // hidden units a tile
  uint32_t depth;      // inputs are padded to a multiple of this
  bool bytes;          // inputs are bytes, 128 more; else int16
  void (*inputs)(const Gates&, const int16_t* bias, const void* x, size_t stride, uint32_t columns, int16_t* z);
  void (*step)(const Gates&, const Curve&, const State&, uint32_t columns, const int16_t* z);
  void (*scores)(const int16_t* out, const int16_t* h, size_t hidden, int32_t* to);
  uint32_t (*place)(uint32_t unit);  // where the sums of a tile hold it
};

namespace portable {
constexpr int L = 8, kDepth = 2, kColumns = 2, kParts = 1;
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
inline V signed_as(V a, V b) { SEGMENTER_EACH(b.of[k] < 0 ? -a.of[k] : b.of[k] ? a.of[k] : 0); }
#undef SEGMENTER_EACH
inline int32_t products(const int16_t* a, const int16_t* b, size_t n) {
  int32_t sum = 0;
  for (size_t k = 0; k < n; ++k) sum += int32_t(a[k]) * b[k];
  return sum;
}
inline uint32_t place(uint32_t unit) { return unit; }
#include "bilstm_path.hpp"
constexpr Path path{"portable", L, kDepth, false, inputs, step, scores, place};
}  // namespace portable

#if SEGMENTER_BILSTM_X86
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 takes what its own <avx512fintrin.h> leaves undefined on purpose for a mistake (its bug 105593)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#define SEGMENTER_TARGET_SSE _Pragma("GCC push_options") _Pragma("GCC target(\"sse4.1\")")
#define SEGMENTER_TARGET_AVX2 _Pragma("GCC push_options") _Pragma("GCC target(\"avx2\")")
#define SEGMENTER_TARGET_VNNI \
  _Pragma("GCC push_options") _Pragma("GCC target(\"avx512f,avx512bw,avx512vl,avx512vnni,prefer-vector-width=512\")")
#define SEGMENTER_TARGET_END _Pragma("GCC pop_options")
#elif defined(__clang__)
#define SEGMENTER_TARGET_SSE \
  _Pragma("clang attribute push(__attribute__((target(\"sse4.1\"))), apply_to = function)")
#define SEGMENTER_TARGET_AVX2 \
  _Pragma("clang attribute push(__attribute__((target(\"avx2\"))), apply_to = function)")
#define SEGMENTER_TARGET_VNNI \
  _Pragma("clang attribute push(__attribute__((target(\"avx512f,avx512bw,avx512vl,avx512vnni\"))), apply_to = function)")
#define SEGMENTER_TARGET_END _Pragma("clang attribute pop")
#else
#define SEGMENTER_TARGET_SSE
#define SEGMENTER_TARGET_AVX2
#define SEGMENTER_TARGET_VNNI
#define SEGMENTER_TARGET_END
#endif

// Eight values of 16 bits; what SSE4.1 and AVX2 share.
#define SEGMENTER_EIGHT_VALUES                                                                              \
  constexpr int L = 8, kDepth = 2;                                                                          \
  using X = int16_t;                                                                                        \
  using W = int16_t;                                                                                        \
  using V = __m128i;                                                                                        \
  SEGMENTER_PATH_INLINE V load(const int16_t* p) { return _mm_loadu_si128(reinterpret_cast<const V*>(p)); } \
  SEGMENTER_PATH_INLINE void store(int16_t* p, V v) { _mm_storeu_si128(reinterpret_cast<V*>(p), v); }       \
  SEGMENTER_PATH_INLINE void store_inputs(X* p, V v) { store(p, v); }                                       \
  SEGMENTER_PATH_INLINE V same(int x) { return _mm_set1_epi16(short(x)); }                                  \
  SEGMENTER_PATH_INLINE V plus(V a, V b) { return _mm_adds_epi16(a, b); }                                   \
  SEGMENTER_PATH_INLINE V times(V a, V b) { return _mm_mulhrs_epi16(a, b); }                                \
  SEGMENTER_PATH_INLINE V magnitude(V a) { return _mm_abs_epi16(a); }                                       \
  SEGMENTER_PATH_INLINE V at_most_8191(V a) { return _mm_min_epu16(a, _mm_set1_epi16(8191)); }              \
  template <int B> SEGMENTER_PATH_INLINE V shift_right(V a) { return _mm_srli_epi16(a, B); }                \
  template <int B> SEGMENTER_PATH_INLINE V shift_left(V a) { return _mm_slli_epi16(a, B); }                 \
  template <int B> SEGMENTER_PATH_INLINE V shift_arithmetic(V a) { return _mm_srai_epi16(a, B); }           \
  SEGMENTER_PATH_INLINE V low_byte(V a) { return _mm_and_si128(a, _mm_set1_epi16(255)); }                   \
  SEGMENTER_PATH_INLINE V signed_as(V a, V b) { return _mm_sign_epi16(a, b); }                              \
  /* of 32 entries: a byte shuffle gives 0 where the index has its highest bit */                           \
  SEGMENTER_PATH_INLINE V entry(V index, const uint8_t of[2][2][16]) {                                      \
    const V both = _mm_or_si128(index, _mm_slli_epi16(index, 8));                                           \
    const V first = _mm_add_epi8(both, _mm_set1_epi8(0x70)), last = _mm_sub_epi8(both, _mm_set1_epi8(16));  \
    auto pick = [&](const uint8_t half[2][16]) SEGMENTER_PATH_LAMBDA {                                      \
      return _mm_or_si128(_mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const V*>(half[0])), first),     \
                          _mm_shuffle_epi8(_mm_load_si128(reinterpret_cast<const V*>(half[1])), last));     \
    };                                                                                                      \
    const V low = _mm_set1_epi16(255);                                                                      \
    return _mm_or_si128(_mm_and_si128(low, pick(of[0])), _mm_andnot_si128(low, pick(of[1])));               \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE V height(V a, const Curve& c) { return entry(a, c.bytes[0]); }                      \
  SEGMENTER_PATH_INLINE V slope(V a, const Curve& c) { return entry(a, c.bytes[1]); }                       \
  SEGMENTER_PATH_INLINE int32_t products(const int16_t* a, const int16_t* b, size_t n) {                    \
    V sum = _mm_setzero_si128();                                                                            \
    for (size_t k = 0; k < n; k += 8) sum = _mm_add_epi32(sum, _mm_madd_epi16(load(a + k), load(b + k)));   \
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4E));                                                 \
    return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xB1)));                             \
  }                                                                                                         \
  SEGMENTER_PATH_INLINE uint32_t place(uint32_t unit) { return unit; }
#if defined(__GNUC__)
#define SEGMENTER_PATH_LAMBDA __attribute__((always_inline))
#else
#define SEGMENTER_PATH_LAMBDA
#endif

SEGMENTER_TARGET_SSE
namespace sse {
SEGMENTER_EIGHT_VALUES
constexpr int kColumns = 1, kParts = 2;
using Sum = __m128i;
using Weights = Sum;
using Several = __m128i;
SEGMENTER_PATH_INLINE Sum start(const int32_t* p) { return _mm_loadu_si128(reinterpret_cast<const V*>(p)); }
SEGMENTER_PATH_INLINE Several several(const X* x) {
  int32_t two;
  std::memcpy(&two, x, 4);
  return _mm_set1_epi32(two);
}
SEGMENTER_PATH_INLINE Weights load_weights(const W* w) { return load(w); }
SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) { return _mm_add_epi32(s, _mm_madd_epi16(w, x)); }
SEGMENTER_PATH_INLINE V narrow(Sum low, Sum high, int shift) {
  const __m128i by = _mm_cvtsi32_si128(shift);
  return _mm_packs_epi32(_mm_sra_epi32(low, by), _mm_sra_epi32(high, by));
}
#include "bilstm_path.hpp"
constexpr Path path{"sse4.1", L, kDepth, false, inputs, step, scores, place};
}  // namespace sse
SEGMENTER_TARGET_END

SEGMENTER_TARGET_AVX2
namespace avx2 {
SEGMENTER_EIGHT_VALUES
constexpr int kColumns = 3, kParts = 1;
using Sum = __m256i;
using Weights = Sum;
using Several = __m256i;
SEGMENTER_PATH_INLINE Sum start(const int32_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
SEGMENTER_PATH_INLINE Several several(const X* x) {
  int32_t two;
  std::memcpy(&two, x, 4);
  return _mm256_set1_epi32(two);
}
SEGMENTER_PATH_INLINE Weights load_weights(const W* w) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
}
SEGMENTER_PATH_INLINE Sum dot(Sum s, Weights w, Several x) {
  return _mm256_add_epi32(s, _mm256_madd_epi16(w, x));
}
SEGMENTER_PATH_INLINE V narrow(Sum s, Sum, int shift) {
  const __m256i v = _mm256_sra_epi32(s, _mm_cvtsi32_si128(shift));
  return _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
}
#include "bilstm_path.hpp"
constexpr Path path{"avx2", L, kDepth, false, inputs, step, scores, place};
}  // namespace avx2
SEGMENTER_TARGET_END

SEGMENTER_TARGET_VNNI
namespace vnni {
constexpr int L = 32, kDepth = 4, kColumns = 3, kParts = 2;
using X = uint8_t;
using W = int8_t;
using V = __m512i;
using Sum = __m512i;
using Weights = Sum;
using Several = __m512i;
SEGMENTER_PATH_INLINE __m512i raw(const void* p) { return _mm512_loadu_si512(p); }
SEGMENTER_PATH_INLINE Sum start(const int32_t* p) { return raw(p); }
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
SEGMENTER_PATH_INLINE V signed_as(V a, V b) {
  return _mm512_mask_sub_epi16(a, _mm512_movepi16_mask(b), _mm512_setzero_si512(), a);
}
SEGMENTER_PATH_INLINE int32_t products(const int16_t* a, const int16_t* b, size_t n) {
  __m512i sum = _mm512_setzero_si512();
  for (size_t k = 0; k < n; k += 32) sum = _mm512_dpwssd_epi32(sum, raw(a + k), raw(b + k));
  return _mm512_reduce_add_epi32(sum);
}
// Packing to 16 bits takes four of the low and four of the high sums in turn.
SEGMENTER_PATH_INLINE uint32_t place(uint32_t unit) { return (unit & 4) * 4 + unit / 8 * 4 + (unit & 3); }
#include "bilstm_path.hpp"
constexpr Path path{"avx512-vnni", L, kDepth, true, inputs, step, scores, place};
}  // namespace vnni
SEGMENTER_TARGET_END

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// What the processor can do, and the system lets it.
struct Processor {
  bool avx2 = false, vnni = false;
  Processor() {
#if defined(__GNUC__)
    __builtin_cpu_init();
    avx2 = __builtin_cpu_supports("avx2");
    vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
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
#endif
  }
};
#endif

// The paths that this processor can take, slowest first.
inline std::vector<const Path*> paths() {
  std::vector<const Path*> out{&portable::path};
#if SEGMENTER_BILSTM_X86
  static const Processor processor;
  out.push_back(&sse::path);
  if (processor.avx2) out.push_back(&avx2::path);
  if (processor.vnni) out.push_back(&vnni::path);
#endif
  return out;
}

constexpr uint16_t kNoId = 0xFFFF;
constexpr uint32_t kLexiconSlots = 10;
constexpr uint32_t kSlots = 12;   // sentences read in lockstep
constexpr uint32_t kBlock = 96;   // positions whose inputs are multiplied at a time
constexpr size_t kRoom = 64;      // bytes that vectors may read and write beyond the last value

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
  uint32_t beyond = 0, char_size = 0, pair_size = 0, tables = 0, hidden = 0, layers = 0, inputs = 0;
  uint32_t tiles = 0, stride = 0;       // of hidden units; their number padded to whole tiles
  Curve curve;
  struct Layer {
    Gates in[2], own[2];                // of the inputs and of the states; forward, backward
    std::vector<int16_t> bias[2];       // packed as the gains are
    uint32_t inputs = 0;                // as the artifact has them, and padded
    size_t stride = 0;
  };
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
    tiles = (hidden + path->units - 1) / path->units;
    stride = tiles * path->units;
    inputs = char_size + 2 * pair_size;
    for (uint32_t j = 0; j < tables; ++j) inputs += table_size[j];
    layer.resize(layers);
    for (uint32_t k = 0; k < layers; ++k) {
      layer[k].inputs = k ? 2 * hidden : inputs;
      layer[k].stride = (layer[k].inputs + path->depth - 1) / path->depth * path->depth;
    }
  }

  // Weights of the artifact, [4 * hidden][inputs], gates one after another.
  void set_gates(uint32_t k, int direction, bool own, const int8_t* weights, const int16_t* gains, int32_t shift) {
    Layer& l = layer[k];
    Gates& g = own ? l.own[direction] : l.in[direction];
    const uint32_t inputs_ = own ? hidden : l.inputs, depth = path->depth, units = path->units;
    // states are stored padded to whole tiles
    g.depth = uint32_t(own ? (hidden + depth - 1) / depth * depth : l.stride);
    g.tiles = tiles;
    g.shift = uint32_t(shift);
    const size_t rows_ = size_t(stride) * 4, n = rows_ * g.depth;
    int8_t* bytes = path->bytes ? keep<int8_t>(n) : nullptr;
    int16_t* shorts = path->bytes ? nullptr : keep<int16_t>(n);
    int32_t* start = keep<int32_t>(rows_);
    int16_t* gain = keep<int16_t>(rows_);
    for (uint32_t unit = 0; unit < hidden; ++unit)
      for (uint32_t gate = 0; gate < 4; ++gate) {
        const uint32_t tile = unit / units, lane = unit % units, row = gate * hidden + unit;
        const size_t base = size_t(tile) * 4 * units;
        const uint32_t at = path->place(lane);
        gain[base + gate * units + lane] = gains[row];
        int32_t sum = 0;
        for (uint32_t i = 0; i < inputs_; ++i) {
          const int8_t w = weights[size_t(row) * inputs_ + i];
          const size_t to = base * g.depth + (size_t(i / depth) * 4 + gate) * units * depth + at * depth + i % depth;
          if (bytes) bytes[to] = w;
          else shorts[to] = w;
          sum += w;
        }
        start[base + gate * units + at] = path->bytes ? -128 * sum : 0;
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

  const int8_t* pair_row(uint32_t first, uint32_t second) const {
    uint32_t at = pairs(first, second);
    at = keys[at] == (first << 16 | second) ? at : pairs.n;
    return bigrams + size_t(at) * pair_size;
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
          look_up(k, slot, x_.data() + (size_t(t) * active + s) * x_stride * element_);
          slot.at += uint32_t(forward);
          --slot.left;
        }
      path.inputs(l.in[direction], l.bias[direction].data(), x_.data(), x_stride, n * active, z_.data());
      for (uint32_t t = 0; t < n; ++t) {
        const Place* places = places_.data() + size_t(t) * active;
        for (uint32_t s = 0; s < active; ++s)
          if (places[s].begins) clear(s, now);
        const State state{c_.data(), h_.data(), recurrent_[now].data(), recurrent_[now ^ 1].data(), m.stride};
        path.step(l.own[direction], m.curve, state, active, z_.data() + size_t(t) * active * z_stride);
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
    std::memset(recurrent_[now].data() + s * n * element(), m_->path->bytes ? 128 : 0, n * element());
  }

  void move(uint32_t from, uint32_t to, int now) {
    if (from == to) return;
    const size_t n = m_->stride;
    std::copy_n(c_.data() + from * n, n, c_.data() + to * n);
    std::memcpy(recurrent_[now].data() + to * n * element(), recurrent_[now].data() + from * n * element(),
                n * element());
  }

  // The inputs of the next position of a slot.
  void look_up(uint32_t k, const Slot& slot, uint8_t* to) const {
    const Model& m = *m_;
    const size_t at = slot.at;
    size_t n = 0;
    auto put = [&](const int8_t* from, size_t count) {
      if (m.path->bytes) {
        for (size_t i = 0; i < count; ++i) to[n + i] = uint8_t(from[i]) ^ 128;
      } else {
        int16_t* wide = reinterpret_cast<int16_t*>(to) + n;
        for (size_t i = 0; i < count; ++i) wide[i] = from[i];
      }
      n += count;
    };
    if (k) {
      put(below_.data() + at * 2 * m.hidden, 2 * m.hidden);
    } else {
      const uint32_t here = ids[at], before = at > slot.start ? ids[at - 1] : m.beyond,
                     behind = at + 1 < slot.end ? ids[at + 1] : m.beyond;
      put(m.chars + size_t(m.rows[here]) * m.char_size, m.char_size);
      put(m.pair_row(before, here), m.pair_size);
      put(m.pair_row(here, behind), m.pair_size);
      const uint16_t* numbers_ = numbers.data() + at * kLexiconSlots;
      for (uint32_t j = 0; j < m.tables; ++j)
        put(m.lexicon[j] + size_t(numbers_[j] & 255) * m.table_size[j], m.table_size[j]);
    }
    while (n < m.layer[k].stride) {  // weights are 0 there
      if (m.path->bytes) to[n] = 128;
      else reinterpret_cast<int16_t*>(to)[n] = 0;
      ++n;
    }
  }
};

}  // namespace bilstm
}  // namespace segmenter
