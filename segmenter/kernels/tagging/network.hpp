// Scores of the tags of every character by a BiLSTM, added to those of the linear tagger.
//
// A model with marks (，。！？ and the like) reads each clause between two of them separately, and its
// CRF has no transitions of its own. So a clause scores the same wherever it occurs, and if the
// linear tagger decides every boundary in it by `sure` or more, the clause keeps the linear
// tagger's scores and is not read.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tagging/viterbi.hpp"

namespace segmenter {

class TagNetwork : public TagViterbi {
 protected:
  // Writes the scores of a text into whole_: first the linear tagger's for all stretches, and their
  // words, then the BiLSTM's, which reads many stretches at a time. `again`: the text has not
  // changed since the last call.
  void read(const Text& text, bool again) {
    if (!m_->bilstm || (again && read_n_ == n_)) return;
    const bilstm::Model& b = *m_->bilstm;
    read_n_ = 0;
    reader_.ids.resize(n_);
    Interrupt::each(n_, [&](size_t j) {
      // the linear tagger has folded its characters and settled variants by its words
      const uint16_t id = b.from_linear[ids_[j]];
      reader_.ids[j] = id != bilstm::kNoId ? id : uint16_t(b.map.id(text[j]));
    });
    reader_.numbers.assign(size_t(n_) * bilstm::kLexiconSlots, 0);
    Interrupt::look(n_);
    whole_.resize(size_t(n_) * kTagLanes);
    stretches_.clear();
    passed_.clear();
    segments(
        [&](uint32_t s, uint32_t e) {
          uint16_t keep = ids_[e];
          ids_[e] = 0;
          score_linear(s, e);
          Interrupt::look(e - s);
          Interrupt::each(e - s - 1, [&](size_t k) {
            const uint32_t j = s + uint32_t(k);
            if (node_[j] & kKnown) note_class(j, 2, b.pair_class[node_[j] & kPlace]);
          });
          ids_[e] = keep;
          std::memcpy(whole_.data() + size_t(s) * kTagLanes, em_,
                      size_t(e - s) * kTagLanes * sizeof(int16_t));
          if (b.is_mark.empty()) stretches_.push_back({s, e});
          else choose_clauses(s, e);
        },
        [](uint32_t, uint32_t, EdgeKind) {});
    reader_.run(b, n_, stretches_);
    steps_ += reader_.steps();
    each_position(stretches_, [&](uint32_t j, bool last) {
      for (uint32_t tag = 0; tag < 3; ++tag) {
        int16_t& em = whole_[size_t(j) * kTagLanes + tag];
        int64_t sum = (reader_.scores[size_t(j) * 4 + tag] * b.unit + (int64_t(1) << 39)) >> 40;
        sum += weighed(em) + b.bias[tag];
        if (tag == 2 && last) sum += b.last;
        em = sat_wide(sum);
      }
    });
    each_position(passed_, [&](uint32_t j, bool) {
      for (uint32_t tag = 0; tag < 3; ++tag) {
        int16_t& em = whole_[size_t(j) * kTagLanes + tag];
        em = b.linear ? sat_wide(weighed(em)) : int16_t(-kAlone);
      }
    });
    read_n_ = n_;
  }

 private:
  // margin by which a mark is a word if no linear tagger scores it
  static constexpr int32_t kAlone = 1 << 13;

  // read by the network; clauses that are not read, and marks
  std::vector<bilstm::Stretch> stretches_, passed_;
  uint32_t read_n_ = 0;

  static int16_t sat_wide(int64_t v) {
    return int16_t(std::min<int64_t>(std::max<int64_t>(v, -32768), 32767));
  }
  // The linear tagger's sum in units of the score.
  int64_t weighed(int16_t em) const { return (em * m_->bilstm->linear + (int64_t(1) << 31)) >> 32; }

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
  bool is_mark(uint32_t j) const {
    return m_->bilstm->is_mark[ids_[j]] && !(marks_store_[j] & kMarkJoin) &&
           !(j + 1 < n_ && marks_store_[j + 1] & kMarkJoin);
  }

  // Sorts the clauses of a stretch into stretches_ and passed_; em_ holds the linear tagger's
  // scores.
  void choose_clauses(uint32_t s, uint32_t e) {
    const bool asks = m_->bilstm->linear && m_->bilstm->sure;
    if (asks) {
      Interrupt::each(size_t(e - s) * kTagLanes,
                      [&](size_t i) { em_[i] = sat_wide(weighed(em_[i])); });
      last_start_ = s;
      boundary_margins<4>(e - s);
      Interrupt::look(e - s);
    }
    for (uint32_t at = s; at < e;) {
      uint32_t to = at;
      bool sure = asks;
      for (; to < e && !is_mark(to); ++to)
        if (to > at) sure = sure && margin_[to - 1 - s] >= m_->bilstm->sure;
      if (to > at) (sure ? passed_ : stretches_).push_back({at, to});
      if (to < e) passed_.push_back({to, to + 1});
      at = to + 1;
    }
  }
};

}  // namespace segmenter
