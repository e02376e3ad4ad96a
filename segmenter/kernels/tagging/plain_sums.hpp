// The sums of tags in plain C++; they saturate at 16 bits.
#pragma once
#include <cstdint>

#include "compiler.hpp"
#include "interrupt.hpp"
#include "tagging/emissions.hpp"
#include "tagging/pairs.hpp"

namespace segmenter {

struct PlainSums {
  int16_t* sums;  // [n][4], and one row before the first
  void add(size_t j, const int16_t* row) const {
    for (size_t t = 0; t < 4; ++t) sums[4 * j + t] = saturated(sums[4 * j + t] + row[t]);
  }
  // The part of a pair's weights for the p-th of its four positions.
  void add_part(int64_t j, const int8_t* weights, uint32_t p) const {
    for (uint32_t t = 0; t < 3; ++t)
      sums[4 * j + t] = saturated(sums[4 * j + t] + weights[3 * p + t]);
  }
};

// Finds the records of the pairs, the positions where a third character may follow, and the states
// of words of two characters.
inline void find_pairs(Pairs& in) {
  const TaggerModel& m = in.m;
  if (m.groups) {
    in.states.reserve(in.n);
    in.states.clear(size_t(in.n) + 1);
  }
  Interrupt::for_each(in.n, [&](size_t position) {
    const uint32_t j = uint32_t(position), id = in.ids[j], next = in.ids[j + 1];
    const int8_t* r = m.pair + size_t(pair_place(m, id, next)) * kTagRecord;
    if ((record_key(r) & kPairKey) != pair_key(id, next)) r = m.uni + size_t(id) * kTagRecord;
    in.records[j] = r;
    const uint32_t key = record_key(r);
    in.candidates[in.n_candidates] = j;
    in.n_candidates += key >> 31;
    if (m.groups) in.states.add_word(j, 2, key >> 28 & 7);
  });
}

// Adds characters, pairs and types. Types come last: where sums saturate, their order is part of
// the result.
SEGMENTER_NOINLINE inline void add_pairs(const Pairs& in, const PlainSums sums) {
  const TaggerModel& m = in.m;
  auto add = [&](int64_t j, const int8_t* weights, uint32_t begin, uint32_t end) {
    for (uint32_t p = begin; p < end; ++p) sums.add_part(j - 1 + int64_t(p), weights, p);
  };
  add(-2, m.uni, 3, 4);  // what precedes the sentence
  add(-1, m.uni, 2, 4);
  Interrupt::for_each(in.n, [&](size_t j) { add(int64_t(j), in.records[j], 0, 4); });
  add(in.n, m.uni, 0, 1);  // and what follows it
  uint32_t code = m.type_of[in.ids[0]];
  Interrupt::for_each(in.n, [&](size_t j) {
    code = (code * 8 + (j + 1 < in.n ? m.type_of[in.ids[j + 1]] : 0)) & 511;
    sums.add(j, m.type + size_t(code) * kTags);
  });
}

}  // namespace segmenter
