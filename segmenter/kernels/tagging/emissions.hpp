// The scores of the tags at every character of a stretch: the emissions of a CRF.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tagging/model.hpp"

namespace segmenter {

// Scorers write them; the Viterbi search, the margins and the n best read them.
struct Emissions {
  uint32_t n = 0;
  const uint8_t* marks = nullptr;  // [n]: before each character; the first has no effect
  int16_t* sums = nullptr;         // [n][4], relative to tag S
  // Lexicon states whose weights are not in `sums` yet, [n][16]; null: all are. The search adds
  // them, because its steps spend time waiting for the one before.
  const uint8_t* states = nullptr;

  // Those of `count` positions from `first` on.
  Emissions part(uint32_t first, uint32_t count) const {
    Emissions out = *this;
    out.n = count;
    out.marks += first;
    out.sums += 4 * size_t(first);
    if (states) out.states += 16 * size_t(first);
    return out;
  }

  // What the search adds up at position j: kTagNever for tags that the mark forbids.
  void at(uint32_t j, int32_t* to) const {
    const uint8_t mark = j ? marks[j] & 3 : 0;
    for (int t = 0; t < kTags; ++t) {
      const bool opens = Tags::begins(t);
      const bool barred = mark & kMarkCut ? !opens : mark & kMarkJoin ? opens : false;
      to[t] = sums[4 * size_t(j) + size_t(t)] + (barred ? kTagNever : 0);
    }
  }
};

inline int16_t saturated(int64_t v) {
  return int16_t(std::min<int64_t>(std::max<int64_t>(v, -32768), 32767));
}

}  // namespace segmenter
