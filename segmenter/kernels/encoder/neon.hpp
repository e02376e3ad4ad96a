// The encoder's arithmetic with NEON, with and without SDOT.
#pragma once
#include <cstdint>
#include <cstring>

#include "encoder/constants.hpp"
#include "encoder/instruction_set.hpp"
#include "processor.hpp"

namespace segmenter {
namespace encoder {

#if SEGMENTER_NETWORK_NEON
// Common to both kinds of NEON: inputs of 8 bits with their sign; four sums to a vector.
#define SEGMENTER_NEON_SUMS                                                                        \
  using X = int8_t;                                                                                \
  constexpr int32_t kFlip = 0;                                                                     \
  constexpr size_t kTile = 4;                                                                      \
  constexpr int kParts = 4;                                                                        \
  SEGMENTER_NETWORK_INLINE int32_t word(const void* p) {                                           \
    int32_t v;                                                                                     \
    std::memcpy(&v, p, 4);                                                                         \
    return v;                                                                                      \
  }                                                                                                \
  template <int M>                                                                                 \
  SEGMENTER_NETWORK_INLINE void pairs(const int16_t* x, size_t stride, const int16_t* w, size_t n, \
                                      int32_t* out) {                                              \
    for (size_t first = 0; first < kPanel; first += 8) {                                           \
      int32x4_t s[M][2];                                                                           \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m) s[m][0] = s[m][1] = vdupq_n_s32(0);             \
      for (size_t k = 0; k < n; ++k) {                                                             \
        const int16x8x2_t weights = vld2q_s16(w + k * 2 * kPanel + 2 * first);                     \
        SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {                                             \
          const int16_t* const in = x + size_t(m) * stride + 2 * k;                                \
          const int16x4_t even = vdup_n_s16(in[0]), odd = vdup_n_s16(in[1]);                       \
          s[m][0] = vmlal_s16(s[m][0], vget_low_s16(weights.val[0]), even);                        \
          s[m][1] = vmlal_s16(s[m][1], vget_high_s16(weights.val[0]), even);                       \
          s[m][0] = vmlal_s16(s[m][0], vget_low_s16(weights.val[1]), odd);                         \
          s[m][1] = vmlal_s16(s[m][1], vget_high_s16(weights.val[1]), odd);                        \
        }                                                                                          \
      }                                                                                            \
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {                                               \
        vst1q_s32(out + size_t(m) * kPanel + first, s[m][0]);                                      \
        vst1q_s32(out + size_t(m) * kPanel + first + 4, s[m][1]);                                  \
      }                                                                                            \
    }                                                                                              \
  }

namespace neon {
SEGMENTER_NEON_SUMS
// a vector holds two sums of each of two outputs, which are added at the end
template <int M>
SEGMENTER_NETWORK_INLINE void fours(const X* x, size_t stride, const int8_t* w, size_t n,
                                    int32_t* out) {
  for (size_t first = 0; first < kPanel; first += 8) {
    int32x4_t s[M][4];
    SEGMENTER_UNROLL for (int m = 0; m < M; ++m) SEGMENTER_UNROLL for (int j = 0; j < 4; ++j)
        s[m][j] = vdupq_n_s32(0);
    for (size_t k = 0; k < n; ++k) {
      const int8_t* const weights = w + k * 4 * kPanel + 4 * first;
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {
        const int8x8_t in = vreinterpret_s8_s32(vdup_n_s32(word(x + size_t(m) * stride + 4 * k)));
        SEGMENTER_UNROLL for (int j = 0; j < 4; ++j) s[m][j] =
            vpadalq_s16(s[m][j], vmull_s8(vld1_s8(weights + 8 * j), in));
      }
    }
    SEGMENTER_UNROLL for (int m = 0; m < M; ++m) SEGMENTER_UNROLL for (int j = 0; j < 2; ++j)
        vst1q_s32(out + size_t(m) * kPanel + first + 4 * size_t(j),
                  vpaddq_s32(s[m][2 * j], s[m][2 * j + 1]));
  }
}
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"neon", sizeof(X), kFlip, normalise, project,
                                      attend, add,       widen, narrow,    score};
}  // namespace neon

#if SEGMENTER_NETWORK_SDOT
SEGMENTER_SDOT_TARGET
namespace sdot {
SEGMENTER_NEON_SUMS
template <int M>
SEGMENTER_NETWORK_INLINE void fours(const X* x, size_t stride, const int8_t* w, size_t n,
                                    int32_t* out) {
  for (size_t first = 0; first < kPanel; first += 4 * kParts) {
    int32x4_t s[M][kParts];
    SEGMENTER_UNROLL for (int m = 0; m < M; ++m) SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j)
        s[m][j] = vdupq_n_s32(0);
    for (size_t k = 0; k < n; ++k) {
      const int8_t* const packed = w + k * 4 * kPanel + 4 * first;
      int8x16_t weights[kParts];
      SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) weights[j] = vld1q_s8(packed + 16 * j);
      SEGMENTER_UNROLL for (int m = 0; m < M; ++m) {
        const int8x16_t in =
            vreinterpretq_s8_s32(vdupq_n_s32(word(x + size_t(m) * stride + 4 * k)));
        SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j) s[m][j] =
            vdotq_s32(s[m][j], weights[j], in);
      }
    }
    SEGMENTER_UNROLL for (int m = 0; m < M; ++m) SEGMENTER_UNROLL for (int j = 0; j < kParts; ++j)
        vst1q_s32(out + size_t(m) * kPanel + first + 4 * size_t(j), s[m][j]);
  }
}
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"neon-sdot", sizeof(X), kFlip, normalise, project,
                                      attend,      add,       widen, narrow,    score};
}  // namespace sdot
SEGMENTER_SDOT_TARGET_END
#endif
#endif

}  // namespace encoder
}  // namespace segmenter
