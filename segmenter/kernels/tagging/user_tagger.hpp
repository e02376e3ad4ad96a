// A tagger with user words: marks keep spans whole and prevent deleted words.
#pragma once
#include <cmath>
#include <cstdint>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "spans/edits.hpp"
#include "tagging/model.hpp"
#include "tagging/tagger.hpp"

namespace segmenter {

// Units of a tagger's score per nat, so that weights of the user's words can compete. Scores of an
// HMM are logarithms of probabilities; those of a perceptron have no scale, so the spread of the
// transitions, half a nat in HMMs of Chinese, gives one.
inline double nat_of(const TaggerModel& m) {
  if (m.has_network()) return m.scale;  // a CRF's scores are logarithms
  double n = 0, sum = 0, squares = 0;
  for (int a = 0; a < kTags; ++a)
    for (int b = 0; b < kTags; ++b)
      if (Tags::follows(a, b)) {
        double w = m.trans[kTags * a + b];
        n += 1;
        sum += w;
        squares += w * w;
      }
  return 2 * std::sqrt(squares / n - sum / n * (sum / n));
}

class UserTagger {
 public:
  // Decodes a text whose request has edits; sets the request's marks from them.
  //
  // A tagger has no list of words to delete from. If its path holds a deleted word, the boundary
  // that is cheapest to change (set one inside it, or remove one at its ends) is changed and the
  // text decoded again, which gives the best path without the word. Spans keep theirs. What remains
  // after kRounds is cut apart.
  void run(Tagger& tagger, const TaggerModel& model, const Text& text, Request& request,
           Decision& decision) {
    constexpr int kRounds = 4;
    const UserEdits& edits = *request.edits;
    const uint32_t n = uint32_t(text.n);
    if (edits.marks) {
      request.marks = edits.marks;
    } else if (!edits.spans.empty() || !edits.cuts.empty()) {
      mark_spans(edits, n);
      request.marks = marks_.data();
    }
    auto run = [&](bool boundaries) {
      decision.clear();
      request.boundaries = boundaries;
      tagger.run(model, text, request, decision);
      request.same_text = true;
    };
    run(false);
    for (int round = 0;
         round < kRounds && !edits.cuts.empty() && holds_deleted(edits, decision.tokens); ++round) {
      run(true);
      std::vector<int32_t>& margins = decision.boundaries;
      margins.resize(n, -kTagNever);
      each_deleted(edits, decision.tokens, [&](size_t, uint32_t s, uint32_t e) {
        uint32_t boundary = 0;  // the character before which the boundary changes; 0: none may
        auto consider = [&](uint32_t k) {
          if (!edits.touches(k) && (!boundary || margins[k - 1] < margins[boundary - 1]))
            boundary = k;
        };
        for (uint32_t k = s + 1; k < e; ++k) consider(k);
        if (s > 0) consider(s);
        if (e < n) consider(e);
        if (boundary) marks_[boundary] = boundary == s || boundary == e ? kMarkJoin : kMarkCut;
      });
      run(false);
    }
  }

 private:
  std::vector<uint8_t> marks_;

  // Marks that keep the spans.
  void mark_spans(const UserEdits& edits, size_t n) {
    marks_.assign(n, 0);
    for (const UserMatch& m : edits.spans) {
      marks_[m.start] = kMarkCut;
      for (uint32_t k = m.start + 1; k < m.end; ++k) marks_[k] = kMarkJoin;
      if (m.end < n) marks_[m.end] = kMarkCut;
    }
  }
};

}  // namespace segmenter
