// The sums of tags in plain C++: four that saturate at 16 bits, and six of 32 bits.
#pragma once
#include <cstdint>

#include "compiler.hpp"
#include "interrupt.hpp"
#include "tagging/emissions.hpp"
#include "tagging/pairs.hpp"

namespace segmenter {

struct FourSums {
  static constexpr uint32_t kTags = 4;
  int16_t* to;  // [n][4], and a place before the first
  void add(size_t j, const int16_t* row) const {
    for (size_t t = 0; t < 4; ++t) to[4 * j + t] = saturated(to[4 * j + t] + row[t]);
  }
  // The part of a pair's weights for the p-th of its four positions.
  void add_part(int64_t j, const int8_t* weights, uint32_t p) const {
    for (uint32_t t = 0; t < 3; ++t) to[4 * j + t] = saturated(to[4 * j + t] + weights[3 * p + t]);
  }
  static const int8_t* weights(const TaggerModel&, const int8_t* record, uint32_t) {
    return record;
  }
  static const int8_t* outside(const TaggerModel& m) { return m.uni; }
};

struct SixSums {
  static constexpr uint32_t kTags = 6;
  int32_t* to;  // [n][6], and a place before the first
  void add(size_t j, const int16_t* row) const {
    for (size_t t = 0; t < 6; ++t) to[6 * j + t] += row[t];
  }
  void add_part(int64_t j, const int16_t* weights, uint32_t p) const {
    for (uint32_t t = 0; t < 6; ++t) to[6 * j + t] += weights[6 * p + t];
  }
  static const int16_t* weights(const TaggerModel& m, const int8_t* record, uint32_t id) {
    return m.has(record) ? m.wide_pair + size_t(m.place(record)) * 24
                         : m.wide_uni + size_t(id) * 24;
  }
  static const int16_t* outside(const TaggerModel& m) { return m.wide_uni; }
};

// Notes the pairs, the positions where a third character may follow, and the states of words of two
// characters.
inline void find_pairs(Pairs& in) {
  const TaggerModel& m = in.m;
  if (m.groups) {
    in.states.reserve(in.n);
    in.states.clear(size_t(in.n) + 1);
  }
  Interrupt::each(in.n, [&](size_t at) {
    const uint32_t j = uint32_t(at), id = in.ids[j], next = in.ids[j + 1];
    const int8_t* r = m.pair + size_t(pair_place(m, id, next)) * kTagRecord;
    if ((record_key(r) & kPairKey) != pair_key(id, next)) r = m.uni + size_t(id) * kTagRecord;
    in.records[j] = r;
    const uint32_t key = record_key(r);
    in.candidates[in.n_candidates] = j;
    in.n_candidates += key >> 31;
    if (m.groups) in.states.note(j, 2, key >> 28 & 7);
  });
}

// Adds characters, pairs and types. Types come last: where sums saturate, their order is part of
// the result.
template <class Sums>
SEGMENTER_NOINLINE void add_pairs(const Pairs& in, const Sums sums) {
  const TaggerModel& m = in.m;
  auto add = [&](int64_t j, const auto* weights, uint32_t from, uint32_t to) {
    for (uint32_t p = from; p < to; ++p) sums.add_part(j - 1 + int64_t(p), weights, p);
  };
  const auto* const outside = Sums::outside(m);
  add(-2, outside, 3, 4);  // what precedes the sentence
  add(-1, outside, 2, 4);
  Interrupt::each(
      in.n, [&](size_t j) { add(int64_t(j), Sums::weights(m, in.records[j], in.ids[j]), 0, 4); });
  add(in.n, outside, 0, 1);  // and what follows it
  uint32_t code = m.type_of[in.ids[0]];
  Interrupt::each(in.n, [&](size_t j) {
    code = (code * 8 + (j + 1 < in.n ? m.type_of[in.ids[j + 1]] : 0)) & 511;
    sums.add(j, m.type + size_t(code) * Sums::kTags);
  });
}

}  // namespace segmenter
