// The encoder's arithmetic in plain C++: every other set must agree with it.
#pragma once
#include <cstdint>

#include "encoder/constants.hpp"
#include "encoder/instruction_set.hpp"
#include "processor.hpp"

namespace segmenter {
namespace encoder {

namespace portable {
using X = int8_t;
constexpr int32_t kFlip = 0;
constexpr size_t kTile = 2;
template <int M>
SEGMENTER_NETWORK_INLINE void fours(const X* x, size_t stride, const int8_t* w, size_t n,
                                    int32_t* out) {
  for (size_t i = 0; i < M * kPanel; ++i) out[i] = 0;
  for (size_t k = 0; k < n; ++k)
    for (size_t m = 0; m < M; ++m) {
      const X* const in = x + m * stride + 4 * k;
      const int8_t* const weights = w + k * 4 * kPanel;
      for (size_t i = 0; i < kPanel; ++i)
        out[m * kPanel + i] += in[0] * weights[4 * i] + in[1] * weights[4 * i + 1] +
                               in[2] * weights[4 * i + 2] + in[3] * weights[4 * i + 3];
    }
}
template <int M>
SEGMENTER_NETWORK_INLINE void pairs(const int16_t* x, size_t stride, const int16_t* w, size_t n,
                                    int32_t* out) {
  for (size_t i = 0; i < M * kPanel; ++i) out[i] = 0;
  for (size_t k = 0; k < n; ++k)
    for (size_t m = 0; m < M; ++m) {
      const int16_t* const in = x + m * stride + 2 * k;
      const int16_t* const weights = w + k * 2 * kPanel;
      for (size_t i = 0; i < kPanel; ++i)
        out[m * kPanel + i] += in[0] * weights[2 * i] + in[1] * weights[2 * i + 1];
    }
}
#include "encoder/multiply.hpp"
#include "encoder/arithmetic.hpp"
constexpr InstructionSet instructions{"portable", sizeof(X), kFlip, normalise, project,
                                      attend,     add,       widen, narrow,    score};
}  // namespace portable

}  // namespace encoder
}  // namespace segmenter
