// The scores that weighted user words add to the tags.
#pragma once
#include <cstdint>
#include <vector>

#include "spans/edits.hpp"
#include "tagging/lexicon_states.hpp"
#include "tagging/model.hpp"

namespace segmenter {

// Weighted user words: each counts like a word of the tagger's lexicon, and its tags share the
// weight equally.
class UserScores {
 public:
  uint64_t steps = 0;

  void begin(const UserEdits* edits) {
    words_ = edits && !edits->edges.empty() ? &edits->edges : nullptr;
    next_word_ = 0;
    steps = 0;
  }
  bool any() const { return words_; }

  // Adds the words to the scores of the stretch [s, e); stretches come in order. Scores saturate,
  // so this comes last, after the states.
  void add(const TaggerModel& m, uint32_t s, uint32_t e, Emissions& scores) {
    complete(m, scores);
    for (; next_word_ < words_->size() && (*words_)[next_word_].start < e; ++next_word_) {
      const UserEdge& word = (*words_)[next_word_];
      const uint32_t len = word.end - word.start;
      if (word.start < s || word.end > e) continue;
      const int32_t share = int32_t((word.cost + len - 1) / len);
      for (uint32_t k = 0; k < len; ++k) {
        const size_t j = word.start - s + k;
        int16_t& sum = scores.sums[4 * j + size_t(Tags::tag(k, len))];
        sum = saturated(int64_t(sum) + share);
      }
      steps += len;
    }
  }

 private:
  const std::vector<UserEdge>* words_ = nullptr;  // by start
  size_t next_word_ = 0;
};

}  // namespace segmenter
