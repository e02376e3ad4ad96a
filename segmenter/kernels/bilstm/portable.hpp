// The network's arithmetic in plain C++: every other set must agree with it.
#pragma once
#include <cstdint>
#include <cstring>

#include "bilstm/instruction_set.hpp"
#include "processor.hpp"

namespace segmenter {
namespace bilstm {

namespace portable {
constexpr int L = 8, kDepth = 2, kGates = 4, kColumns = 2, kParts = 1;
using X = int16_t;
using W = int16_t;
struct Sum {
  int32_t lanes[L];
};
struct V {
  int16_t lanes[L];
};
struct Broadcast {
  int16_t lanes[2];
};
using Weights = const int16_t*;
inline int16_t sat(int32_t v) { return int16_t(v < -32768 ? -32768 : v > 32767 ? 32767 : v); }
#define SEGMENTER_EACH(expression)                              \
  V r;                                                          \
  for (int k = 0; k < L; ++k) r.lanes[k] = int16_t(expression); \
  return r
inline Sum load_sums(const int32_t* p) {
  Sum s;
  std::memcpy(s.lanes, p, sizeof s.lanes);
  return s;
}
inline Sum add(Sum a, const Sum& b) {
  for (int k = 0; k < L; ++k) a.lanes[k] += b.lanes[k];
  return a;
}
inline void store_sums(int32_t* p, const Sum& s) { std::memcpy(p, s.lanes, sizeof s.lanes); }
inline Broadcast broadcast(const X* x) { return Broadcast{{x[0], x[1]}}; }
inline Weights load_weights(const W* w) { return w; }
inline Sum dot(Sum s, Weights w, Broadcast x) {
  for (int k = 0; k < L; ++k)
    s.lanes[k] += int32_t(w[2 * k]) * x.lanes[0] + int32_t(w[2 * k + 1]) * x.lanes[1];
  return s;
}
inline V narrow(const Sum& s, const Sum&, int shift) { SEGMENTER_EACH(sat(s.lanes[k] >> shift)); }
inline V load(const int16_t* p) {
  V v;
  std::memcpy(v.lanes, p, sizeof v.lanes);
  return v;
}
inline void store(int16_t* p, V v) { std::memcpy(p, v.lanes, sizeof v.lanes); }
inline void store_inputs(X* p, V v) { store(p, v); }
inline V splat(int x) { SEGMENTER_EACH(x); }
inline V plus(V a, V b) { SEGMENTER_EACH(sat(int32_t(a.lanes[k]) + b.lanes[k])); }
inline V times(V a, V b) { SEGMENTER_EACH((int32_t(a.lanes[k]) * b.lanes[k] + (1 << 14)) >> 15); }
inline V magnitude(V a) { SEGMENTER_EACH(a.lanes[k] < 0 ? -int32_t(a.lanes[k]) : a.lanes[k]); }
inline V at_most_8191(V a) { SEGMENTER_EACH(uint16_t(a.lanes[k]) > 8191 ? 8191 : a.lanes[k]); }
template <int B>
V shift_right(V a) {
  SEGMENTER_EACH(uint16_t(a.lanes[k]) >> B);
}
template <int B>
V shift_left(V a) {
  SEGMENTER_EACH(uint16_t(a.lanes[k]) << B);
}
template <int B>
V shift_arithmetic(V a) {
  SEGMENTER_EACH(a.lanes[k] >> B);
}
inline V low_byte(V a) { SEGMENTER_EACH(a.lanes[k] & 255); }
inline V height(V a, const Curve& c) { SEGMENTER_EACH(c.height[a.lanes[k]]); }
inline V slope(V a, const Curve& c) { SEGMENTER_EACH(c.slope[a.lanes[k]]); }
inline void entries(V a, V b, const Curve& c, V (&heights)[2], V (&slopes)[2]) {
  heights[0] = height(a, c);
  heights[1] = height(b, c);
  slopes[0] = slope(a, c);
  slopes[1] = slope(b, c);
}
inline V signed_as(V a, V b) {
  SEGMENTER_EACH(b.lanes[k] < 0 ? -a.lanes[k] : b.lanes[k] ? a.lanes[k] : 0);
}
#undef SEGMENTER_EACH
inline int32_t inner(const int16_t* a, const int16_t* b, size_t n) {
  int32_t sum = 0;
  for (size_t k = 0; k < n; ++k) sum += int32_t(a[k]) * b[k];
  return sum;
}
inline uint32_t place(uint32_t unit) { return unit; }
#include "bilstm/arithmetic.hpp"
constexpr InstructionSet instructions{"portable", L,        kDepth, kTile,  false,  0,
                                      true,       products, sums,   states, scores, place};
}  // namespace portable

}  // namespace bilstm
}  // namespace segmenter
