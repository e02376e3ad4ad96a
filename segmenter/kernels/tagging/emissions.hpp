// The scores of the tags at every character of a stretch: the emissions of a CRF.
#pragma once
#include <algorithm>
#include <cstdint>

#include "tagging/model.hpp"

namespace segmenter {

// Written by the scorers; read by the Viterbi search, the margins and the n best.
struct Emissions {
  uint32_t n = 0;
  const uint8_t* marks = nullptr;  // [n]: before each character; the first has no effect
  int16_t* sums = nullptr;         // [n][4], relative to tag S
  // Lexicon states whose weights are not in `sums` yet, [n][16]; null: none. The search adds them
  // while each of its steps waits for the one before.
  const uint8_t* states = nullptr;

  // The emissions of `count` positions from `first` on.
  Emissions part(uint32_t first, uint32_t count) const {
    Emissions slice = *this;
    slice.n = count;
    slice.marks += first;
    slice.sums += 4 * size_t(first);
    if (states) slice.states += 16 * size_t(first);
    return slice;
  }

  // The scores of the four tags at position j; kTagNever is added where the mark forbids a tag.
  void column(uint32_t j, int32_t* out) const {
    const uint8_t mark = j ? marks[j] & 3 : 0;
    for (int t = 0; t < kTags; ++t) {
      const bool begins = Tags::begins(t);
      const bool forbidden = mark & kMarkCut ? !begins : mark & kMarkJoin ? begins : false;
      out[t] = sums[4 * size_t(j) + size_t(t)] + (forbidden ? kTagNever : 0);
    }
  }
};

inline int16_t saturated(int64_t v) {
  return int16_t(std::min<int64_t>(std::max<int64_t>(v, -32768), 32767));
}

}  // namespace segmenter
