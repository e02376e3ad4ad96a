// The tags B M E S of characters: which begin and end a word, and which may follow which (the same table
// in Python: segmenter/train/tagging/scheme.py); and a step from one character's tags to the next one's.
#pragma once
#include <cstdint>

namespace segmenter {

constexpr int kTags = 4;

struct Tags {
  static constexpr bool begins(int t) { return t == 0 || t == 3; }
  static constexpr bool ends(int t) { return t >= 2; }
  static constexpr bool follows(int a, int b) { return (a <= 1) == (b == 1 || b == 2); }
  static int tag(uint32_t k, uint32_t len) {
    return len == 1 ? 3 : k == 0 ? 0 : k + 1 == len ? 2 : 1;
  }
};

// One step of the Viterbi recursion: from the best scores of the previous position's tags to those
// of a position whose scores are e. The first of equals wins; before[t]: the tag before t.
template <class Score, class Sum>
void best_step(const Score* trans, const Sum* previous, const Score* emissions, Sum* next,
               uint8_t* predecessors) {
  for (int t = 0; t < kTags; ++t) {
    bool found = false;
    for (int p = 0; p < kTags; ++p) {
      if (!Tags::follows(p, t)) continue;
      const Sum sum = previous[p] + trans[kTags * p + t];
      if (found && sum <= next[t]) continue;
      found = true;
      next[t] = sum;
      predecessors[t] = uint8_t(p);
    }
    next[t] += emissions[t];
  }
}

}  // namespace segmenter
