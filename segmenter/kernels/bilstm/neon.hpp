// The network's arithmetic with NEON, with and without SDOT.
#pragma once
#include <cstdint>
#include <cstring>

#include "bilstm/instruction_set.hpp"
#include "processor.hpp"

namespace segmenter {
namespace bilstm {

#if SEGMENTER_NETWORK_NEON
// Common to both kinds of NEON.
#define SEGMENTER_NEON_VALUES                                                                      \
  constexpr int L = 8, kGates = 4, kColumns = 3, kParts = 2;                                       \
  using V = int16x8_t;                                                                             \
  using Sum = int32x4_t;                                                                           \
  SEGMENTER_NETWORK_INLINE V load(const int16_t* p) { return vld1q_s16(p); }                       \
  SEGMENTER_NETWORK_INLINE void store(int16_t* p, V v) { vst1q_s16(p, v); }                        \
  SEGMENTER_NETWORK_INLINE Sum load_sums(const int32_t* p) { return vld1q_s32(p); }                \
  SEGMENTER_NETWORK_INLINE void store_sums(int32_t* p, Sum s) { vst1q_s32(p, s); }                 \
  SEGMENTER_NETWORK_INLINE Sum add(Sum a, Sum b) { return vaddq_s32(a, b); }                       \
  SEGMENTER_NETWORK_INLINE V narrow(Sum low, Sum high, int shift) {                                \
    const int32x4_t shifts = vdupq_n_s32(-shift);                                                  \
    return vcombine_s16(vqmovn_s32(vshlq_s32(low, shifts)), vqmovn_s32(vshlq_s32(high, shifts)));  \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE V splat(int x) { return vdupq_n_s16(int16_t(x)); }                      \
  SEGMENTER_NETWORK_INLINE V plus(V a, V b) { return vqaddq_s16(a, b); }                           \
  /* never of -32768 twice, which is the one product that saturates */                             \
  SEGMENTER_NETWORK_INLINE V times(V a, V b) { return vqrdmulhq_s16(a, b); }                       \
  SEGMENTER_NETWORK_INLINE V magnitude(V a) { return vabsq_s16(a); }                               \
  SEGMENTER_NETWORK_INLINE V at_most_8191(V a) {                                                   \
    return vreinterpretq_s16_u16(vminq_u16(vreinterpretq_u16_s16(a), vdupq_n_u16(8191)));          \
  }                                                                                                \
  template <int B>                                                                                 \
  SEGMENTER_NETWORK_INLINE V shift_right(V a) {                                                    \
    return vreinterpretq_s16_u16(vshrq_n_u16(vreinterpretq_u16_s16(a), B));                        \
  }                                                                                                \
  template <int B>                                                                                 \
  SEGMENTER_NETWORK_INLINE V shift_left(V a) {                                                     \
    return vshlq_n_s16(a, B);                                                                      \
  }                                                                                                \
  template <int B>                                                                                 \
  SEGMENTER_NETWORK_INLINE V shift_arithmetic(V a) {                                               \
    return vshrq_n_s16(a, B);                                                                      \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE V low_byte(V a) { return vandq_s16(a, vdupq_n_s16(255)); }              \
  SEGMENTER_NETWORK_INLINE V signed_as(V a, V b) {                                                 \
    const V r = vbslq_s16(vcltzq_s16(b), vnegq_s16(a), a);                                         \
    return vbicq_s16(r, vreinterpretq_s16_u16(vceqzq_s16(b)));                                     \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE void entry(uint8x16_t index, const uint8_t bytes[2][2][16],             \
                                      V(&halves)[2]) {                                             \
    const uint8x16x2_t low = {{vld1q_u8(bytes[0][0]), vld1q_u8(bytes[0][1])}};                     \
    const uint8x16x2_t high = {{vld1q_u8(bytes[1][0]), vld1q_u8(bytes[1][1])}};                    \
    const uint8x16_t l = vqtbl2q_u8(low, index), h = vqtbl2q_u8(high, index);                      \
    halves[0] = vreinterpretq_s16_u8(vzip1q_u8(l, h));                                             \
    halves[1] = vreinterpretq_s16_u8(vzip2q_u8(l, h));                                             \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE void entries(V a, V b, const Curve& c, V(&heights)[2], V(&slopes)[2]) { \
    const uint8x16_t index =                                                                       \
        vcombine_u8(vmovn_u16(vreinterpretq_u16_s16(a)), vmovn_u16(vreinterpretq_u16_s16(b)));     \
    entry(index, c.bytes[0], heights);                                                             \
    entry(index, c.bytes[1], slopes);                                                              \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE int32_t inner(const int16_t* a, const int16_t* b, size_t n) {           \
    Sum sum = vdupq_n_s32(0);                                                                      \
    for (size_t k = 0; k < n; k += 8) {                                                            \
      const V x = load(a + k), y = load(b + k);                                                    \
      sum = vmlal_s16(sum, vget_low_s16(x), vget_low_s16(y));                                      \
      sum = vmlal_high_s16(sum, x, y);                                                             \
    }                                                                                              \
    return vaddvq_s32(sum);                                                                        \
  }                                                                                                \
  SEGMENTER_NETWORK_INLINE uint32_t place(uint32_t unit) { return unit; }

namespace neon {
SEGMENTER_NEON_VALUES
constexpr int kDepth = 1;
using X = int16_t;
using W = int16_t;
using Weights = int16x4_t;
using Broadcast = int16x4_t;
SEGMENTER_NETWORK_INLINE Broadcast broadcast(const X* x) { return vld1_dup_s16(x); }
SEGMENTER_NETWORK_INLINE Weights load_weights(const W* w) { return vld1_s16(w); }
SEGMENTER_NETWORK_INLINE Sum dot(Sum s, Weights w, Broadcast x) { return vmlal_s16(s, w, x); }
SEGMENTER_NETWORK_INLINE void store_inputs(X* p, V v) { store(p, v); }
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"neon", L,        kDepth, kTile,  false,  0,
                                      true,   products, sums,   states, scores, place};
}  // namespace neon

#if SEGMENTER_NETWORK_SDOT
SEGMENTER_SDOT_TARGET
namespace sdot {
SEGMENTER_NEON_VALUES
constexpr int kDepth = 4;
using X = int8_t;
using W = int8_t;
using Weights = int8x16_t;
using Broadcast = int8x16_t;
SEGMENTER_NETWORK_INLINE Broadcast broadcast(const X* x) {
  int32_t four;
  std::memcpy(&four, x, 4);
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}
SEGMENTER_NETWORK_INLINE Weights load_weights(const W* w) { return vld1q_s8(w); }
SEGMENTER_NETWORK_INLINE Sum dot(Sum s, Weights w, Broadcast x) { return vdotq_s32(s, w, x); }
SEGMENTER_NETWORK_INLINE void store_inputs(X* p, V v) { vst1_s8(p, vmovn_s16(v)); }
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"neon-sdot", L,        kDepth, kTile,  true,   0,
                                      true,        products, sums,   states, scores, place};
}  // namespace sdot
SEGMENTER_SDOT_TARGET_END
#endif
#endif

}  // namespace bilstm
}  // namespace segmenter
