// Scores of the tags of every character by a BiLSTM, added to those of the linear tagger.
//
// A model with marks (，。！？ and the like) reads each clause between two of them separately, and its
// CRF has no transitions of its own. So a clause scores the same wherever it occurs, and if the
// linear tagger decides every boundary in it by `margin` or more, the clause keeps the
// linear tagger's scores and is not read.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bilstm/reader.hpp"
#include "tagging/margins.hpp"
#include "tagging/scores.hpp"

namespace segmenter {

class NetworkScores {
 public:
  std::vector<int16_t> scores;  // of the text read last, [n][4] relative to tag S; 0 at blanks
  uint64_t steps = 0;

  // Scores a whole text: first all stretches by the linear tagger, which also notes the lexicon's
  // words in them, then by the BiLSTM, which reads many stretches at a time.
  void read(const TaggerModel& m, const Text& given, TaggedText& text, LinearScores& linear,
            bool portable) {
    const bilstm::Model& b = *m.bilstm;
    const uint32_t n = text.n;
    n_ = 0;
    steps = 0;
    inputs_.ids.resize(n);
    Interrupt::each(n, [&](size_t j) {
      // the linear tagger has folded its characters and resolved variants by its words
      const uint16_t id = b.from_linear[text.ids[j]];
      inputs_.ids[j] = id != bilstm::kNoId ? id : uint16_t(b.map.id(given[j]));
    });
    inputs_.numbers.assign(size_t(n) * bilstm::kLexiconSlots, 0);
    Interrupt::look(n);
    scores.assign(size_t(n) * kTagLanes, 0);
    to_read_.clear();
    passed_.clear();
    text.stretches(
        [&](uint32_t s, uint32_t e) {
          words_.clear();
          Emissions own = linear.score(m, text, s, e, portable, &words_);
          LinearScores::complete(m, own);
          Interrupt::look(e - s);
          Interrupt::each(words_.size(), [&](size_t k) {
            const LinearScores::Word& w = words_[k];
            inputs_.note(w.start, w.length, b.word_class[m.lex->word_id(w.slot)]);
          });
          Interrupt::each(e - s - 1, [&](size_t k) {
            const uint32_t j = s + uint32_t(k);
            const int8_t* const pair = linear.record(j);
            if (m.has(pair)) inputs_.note(j, 2, b.pair_class[m.place(pair)]);
          });
          std::copy_n(own.four, size_t(e - s) * kTagLanes, scores.data() + size_t(s) * kTagLanes);
          if (b.is_mark.empty()) to_read_.push_back({s, e});
          else choose_clauses(m, text, s, own);
        },
        [](uint32_t, uint32_t, EdgeKind) {});
    reader_.run(b, inputs_, to_read_);
    steps += reader_.steps();
    each_position(to_read_, [&](uint32_t j, bool last) {
      for (uint32_t tag = 0; tag < 3; ++tag) {
        int16_t& score = scores[size_t(j) * kTagLanes + tag];
        int64_t sum = (reader_.scores[size_t(j) * 4 + tag] * b.unit + (int64_t(1) << 39)) >> 40;
        sum += weighed(b, score) + b.bias[tag];
        if (tag == 2 && last) sum += b.last;
        score = saturated(sum);
      }
    });
    each_position(passed_, [&](uint32_t j, bool) {
      for (uint32_t tag = 0; tag < 3; ++tag) {
        int16_t& score = scores[size_t(j) * kTagLanes + tag];
        score = b.linear ? saturated(weighed(b, score)) : int16_t(-kAlone);
      }
    });
    n_ = n;
  }

  // Whether a text of n characters has been read to its end.
  bool has_read(uint32_t n) const { return n_ == n; }

  // The scores of the stretch [s, e): a copy, because the user's words add to them and the text may
  // be asked about again. Valid until the next call.
  Emissions of(const TaggedText& text, uint32_t s, uint32_t e, bool portable) {
    const auto first = scores.begin() + std::ptrdiff_t(size_t(s) * kTagLanes);
    copy_.assign(first, first + std::ptrdiff_t(size_t(e - s) * kTagLanes));
    Emissions out;
    out.n = e - s;
    out.marks = text.marks.data() + s;
    out.four = copy_.data();
    out.portable = portable;
    return out;
  }

 private:
  // margin by which a mark is a word if no linear tagger scores it
  static constexpr int32_t kAlone = 1 << 13;

  std::vector<LinearScores::Word> words_;  // of a stretch
  bilstm::Inputs inputs_;
  bilstm::Reader reader_;
  BoundaryMargins margins_;  // of the linear tagger's boundaries in a stretch
  // read by the network; clauses that are not read, and marks
  std::vector<bilstm::Stretch> to_read_, passed_;
  std::vector<int16_t> copy_;
  uint32_t n_ = 0;

  // The linear tagger's sum in units of the score.
  static int64_t weighed(const bilstm::Model& b, int16_t sum) {
    return (sum * b.linear + (int64_t(1) << 31)) >> 32;
  }

  // Calls step(j, last) for every position of the stretches; last: the last of its stretch.
  template <class Step>
  static void each_position(const std::vector<bilstm::Stretch>& stretches, const Step& step) {
    for (const bilstm::Stretch& t : stretches) {
      Interrupt::each(t.end - t.start, [&](size_t k) {
        const uint32_t j = t.start + uint32_t(k);
        step(j, j + 1 == t.end);
      });
      Interrupt::look(t.end - t.start);
    }
  }

  // A mark that is part of a longer token does not separate clauses.
  static bool separates(const bilstm::Model& b, const TaggedText& text, uint32_t j) {
    return b.is_mark[text.ids[j]] && !(text.marks[j] & kMarkJoin) &&
           !(j + 1 < text.n && text.marks[j + 1] & kMarkJoin);
  }

  // Sorts the clauses of the stretch that begins at s into to_read_ and passed_, by the linear
  // tagger's scores, which it overwrites.
  void choose_clauses(const TaggerModel& m, const TaggedText& text, uint32_t s,
                      const Emissions& linear) {
    const bilstm::Model& b = *m.bilstm;
    const uint32_t e = s + linear.n;
    const bool asks = b.linear && b.margin;
    if (asks) {
      Interrupt::each(size_t(linear.n) * kTagLanes,
                      [&](size_t i) { linear.four[i] = saturated(weighed(b, linear.four[i])); });
      margins_.run(m, linear);
      steps += 2 * linear.n;
      Interrupt::look(linear.n);
    }
    for (uint32_t at = s; at < e;) {
      uint32_t to = at;
      bool decided = asks;
      for (; to < e && !separates(b, text, to); ++to)
        if (to > at) decided = decided && margins_.of[to - 1 - s] >= b.margin;
      if (to > at) (decided ? passed_ : to_read_).push_back({at, to});
      if (to < e) passed_.push_back({to, to + 1});
      at = to + 1;
    }
  }
};

}  // namespace segmenter
