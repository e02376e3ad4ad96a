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
  static int tag(uint32_t at, uint32_t len) {
    return len == 1 ? 3 : at == 0 ? 0 : at + 1 == len ? 2 : 1;
  }
};

// One step of the Viterbi recursion: from the best scores of the previous position's tags to those
// of a position whose scores are e. The first of equals wins; before[t]: the tag before t.
template <class Score, class Sum>
void best_step(const Score* trans, const Sum* from, const Score* e, Sum* to, uint8_t* before) {
  for (int t = 0; t < kTags; ++t) {
    bool any = false;
    for (int a = 0; a < kTags; ++a) {
      if (!Tags::follows(a, t)) continue;
      const Sum sum = from[a] + trans[kTags * a + t];
      if (any && sum <= to[t]) continue;
      any = true;
      to[t] = sum;
      before[t] = uint8_t(a);
    }
    to[t] += e[t];
  }
}

}  // namespace segmenter
