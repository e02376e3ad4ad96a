// Scores of the tags of every character by a network, added to those of the linear tagger.
//
// A network with marks (，。！？ and the like) reads each clause between two of them separately, and
// its CRF has no transitions of its own. So a clause scores the same wherever it occurs, and if the
// linear tagger decides every boundary in it by `margin` or more, the clause keeps the
// linear tagger's scores and is not read. Nor does an encoder read a clause without a Han character.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bilstm/reader.hpp"
#include "encoder/reader.hpp"
#include "tagging/margins.hpp"
#include "tagging/scores.hpp"

namespace segmenter {

class NetworkScores {
 public:
  std::vector<int16_t> scores;  // of the text read last, [n][4] relative to tag S; 0 at blanks
  uint64_t steps = 0;

  // Scores a whole text: first all stretches by the linear tagger, which also notes the lexicon's
  // words in them, then by the BiLSTM, which reads many stretches at a time.
  void read(const TaggerModel& m, const Text& source, TaggerInput& text, LinearScores& linear) {
    if (m.encoder) return read_encoded(m, source, text, linear);
    const bilstm::Model& model = *m.bilstm;
    const uint32_t n = text.n;
    n_ = 0;
    steps = 0;
    inputs_.ids.resize(n);
    Interrupt::for_each(n, [&](size_t j) {
      // the linear tagger has folded its characters and resolved variants by its words
      const uint16_t id = model.from_linear[text.ids[j]];
      inputs_.ids[j] = id != bilstm::kNoId ? id : uint16_t(model.map.id(source[j]));
    });
    inputs_.numbers.assign(size_t(n) * bilstm::kLexiconSlots, 0);
    Interrupt::poll(n);
    scores.assign(size_t(n) * kTags, 0);
    clauses_.clear();
    text.stretches(
        [&](uint32_t s, uint32_t e) {
          words_.clear();
          Emissions linear_scores = linear.score(m, text, s, e, &words_);
          complete(m, linear_scores);
          Interrupt::poll(e - s);
          std::copy_n(linear_scores.sums, size_t(e - s) * kTags, scores.data() + size_t(s) * kTags);
          const size_t first_clause = clauses_.size();
          if (model.is_mark.empty()) clauses_.push_back({s, e});
          else choose_clauses(m, text, s, linear_scores);
          note_words(m, linear, s, e, first_clause);
        },
        [](uint32_t, uint32_t, EdgeKind) {});
    reader_.run(model, inputs_, clauses_);
    steps += reader_.steps();
    for (const bilstm::Stretch& clause : clauses_) {
      Interrupt::for_each(clause.end - clause.start, [&](size_t k) {
        const uint32_t j = clause.start + uint32_t(k);
        for (uint32_t tag = 0; tag < 3; ++tag) {
          int16_t& score = scores[size_t(j) * kTags + tag];
          int64_t sum =
              (reader_.scores[size_t(j) * 4 + tag] * model.unit + (int64_t(1) << 39)) >> 40;
          sum += weighted(model, score) + model.bias[tag];
          if (tag == 2 && j + 1 == clause.end) sum += model.last;
          score = saturated(sum);
        }
      });
      Interrupt::poll(clause.end - clause.start);
    }
    n_ = n;
  }

  // Whether a text of n characters has been read to its end.
  bool has_read(uint32_t n) const { return n_ == n; }

  // The scores of the stretch [s, e): a copy, because the user's words are added to it and the
  // text may be decoded again. Valid until the next call.
  Emissions scores_of(const TaggerInput& text, uint32_t s, uint32_t e) {
    const auto begin = scores.begin() + std::ptrdiff_t(size_t(s) * kTags);
    copy_.assign(begin, begin + std::ptrdiff_t(size_t(e - s) * kTags));
    Emissions emissions;
    emissions.n = e - s;
    emissions.marks = text.marks.data() + s;
    emissions.sums = copy_.data();
    return emissions;
  }

 private:
  // margin by which a mark is a word if the linear tagger has no weight
  static constexpr int32_t kAlone = 1 << 13;

  std::vector<LinearScores::Word> words_;  // of a stretch
  bilstm::Inputs inputs_;
  bilstm::Reader reader_;
  std::vector<uint16_t> tokens_;
  std::vector<encoder::Piece> pieces_;
  encoder::Reader encoder_reader_;
  BoundaryMargins margins_;               // of the linear tagger's boundaries in a stretch
  std::vector<bilstm::Stretch> clauses_;  // to be read
  std::vector<int16_t> copy_;
  uint32_t n_ = 0;

  // The linear tagger's sum in units of the score.
  template <class Model>
  static int64_t weighted(const Model& model, int16_t sum) {
    return (sum * model.linear + (int64_t(1) << 31)) >> 32;
  }

  void read_encoded(const TaggerModel& m, const Text& source, TaggerInput& text,
                    LinearScores& linear) {
    const encoder::Model& model = *m.encoder;
    const uint32_t n = text.n;
    n_ = 0;
    steps = 0;
    tokens_.resize(n);
    Interrupt::for_each(n, [&](size_t j) { tokens_[j] = uint16_t(model.map.id(source[j])); });
    Interrupt::poll(n);
    scores.assign(size_t(n) * kTags, 0);
    pieces_.clear();
    text.stretches(
        [&](uint32_t s, uint32_t e) {
          Emissions linear_scores = linear.score(m, text, s, e);
          complete(m, linear_scores);
          Interrupt::for_each(size_t(e - s) * kTags, [&](size_t i) {
            linear_scores.sums[i] = saturated(weighted(model, linear_scores.sums[i]));
          });
          Interrupt::poll(e - s);
          std::copy_n(linear_scores.sums, size_t(e - s) * kTags, scores.data() + size_t(s) * kTags);
          choose_pieces(m, text, s, linear_scores);
        },
        [](uint32_t, uint32_t, EdgeKind) {});
    encoder_reader_.run(model, tokens_, pieces_);
    steps += encoder_reader_.steps();
    for (const encoder::Piece& piece : pieces_) {
      Interrupt::for_each(piece.end - piece.start, [&](size_t k) {
        const size_t j = (piece.start + k) * kTags;
        if (model.floor) raise(model.floor, &scores[j]);
        for (uint32_t tag = 0; tag < 3; ++tag) {
          int64_t sum = (encoder_reader_.scores[j + tag] * model.unit + (int64_t(1) << 39)) >> 40;
          if (tag == 2 && piece.start + k + 1 == piece.end) sum += model.last;
          scores[j + tag] = saturated(sum + scores[j + tag] + model.bias[tag]);
        }
      });
      Interrupt::poll(piece.end - piece.start);
    }
    n_ = n;
  }

  // Raises the scores of the tags, relative to S, to at least the best score less `floor`.
  static void raise(int32_t floor, int16_t* sums) {
    int32_t lowest = 0;
    for (int tag = 0; tag < 3; ++tag) lowest = std::max<int32_t>(lowest, sums[tag]);
    lowest -= floor;
    const int32_t shift = std::max(0, lowest);
    for (int tag = 0; tag < 3; ++tag)
      sums[tag] = saturated(std::max<int32_t>(sums[tag], lowest) - shift);
  }

  // Lists the pieces that have to be read in the stretch that begins at s.
  void choose_pieces(const TaggerModel& m, const TaggerInput& text, uint32_t s,
                     const Emissions& linear) {
    const encoder::Model& model = *m.encoder;
    const uint32_t e = s + linear.n;
    if (model.margin) {
      margins_.run(m, linear);
      steps += 2 * linear.n;
      Interrupt::poll(linear.n);
    }
    for (uint32_t start = s; start < e;) {
      uint32_t end = start;
      bool decided = model.margin != 0, han = false;
      for (; end < e && !separates(model, text, end); ++end) {
        if (end > start) decided = decided && margins_.values[end - 1 - s] >= model.margin;
        han = han || text.class_at(end) == kHan || text.class_at(end) == kHanNum;
      }
      if (han && !decided) pieces_.push_back({start, end});
      start = end + 1;
    }
  }

  // Notes for the network those words of the stretch [s, e) that touch one of its clauses, which
  // are clauses_ from `clause_index` on.
  void note_words(const TaggerModel& m, const LinearScores& linear, uint32_t s, uint32_t e,
                  size_t clause_index) {
    const bilstm::Model& model = *m.bilstm;
    size_t next_word = 0;
    for (; clause_index < clauses_.size(); ++clause_index) {
      const bilstm::Stretch clause = clauses_[clause_index];
      for (; next_word < words_.size() && words_[next_word].start < clause.end; ++next_word) {
        const LinearScores::Word& word = words_[next_word];
        if (word.start + word.length > clause.start)
          inputs_.add_word(word.start, word.length, model.word_class[m.lex->word_id(word.slot)]);
      }
      const uint32_t first_pair = std::max(clause.start, s + 1) - 1,
                     end_pair = std::min(clause.end, e - 1);
      Interrupt::for_each(end_pair - first_pair, [&](size_t k) {
        const uint32_t j = first_pair + uint32_t(k);
        const int8_t* const pair = linear.record(j);
        if (m.has(pair)) inputs_.add_word(j, 2, model.pair_class[m.place(pair)]);
      });
    }
    Interrupt::poll(e - s);
  }

  // A mark that is part of a longer token does not separate clauses.
  template <class Model>
  static bool separates(const Model& model, const TaggerInput& text, uint32_t j) {
    return !model.is_mark.empty() && model.is_mark[text.ids[j]] && !(text.marks[j] & kMarkJoin) &&
           !(j + 1 < text.n && text.marks[j + 1] & kMarkJoin);
  }

  // Lists the clauses that have to be read in the stretch that begins at s. Marks and the other
  // clauses keep the scores of the linear tagger, which are weighted in place.
  void choose_clauses(const TaggerModel& m, const TaggerInput& text, uint32_t s,
                      const Emissions& linear) {
    const bilstm::Model& model = *m.bilstm;
    const uint32_t e = s + linear.n;
    const bool uses_margins = model.linear && model.margin;
    Interrupt::for_each(size_t(linear.n) * kTags, [&](size_t i) {
      linear.sums[i] = saturated(weighted(model, linear.sums[i]));
    });
    auto keep_linear = [&](uint32_t start, uint32_t end) {
      Interrupt::for_each(end - start, [&](size_t k) {
        int16_t* const target = scores.data() + (start + k) * kTags;
        const int16_t* const sums = linear.sums + (start - s + k) * kTags;
        for (uint32_t tag = 0; tag < 3; ++tag)
          target[tag] = model.linear ? sums[tag] : int16_t(-kAlone);
      });
    };
    if (uses_margins) {
      margins_.run(m, linear);
      steps += 2 * linear.n;
      Interrupt::poll(linear.n);
    }
    for (uint32_t start = s; start < e;) {
      uint32_t end = start;
      bool decided = uses_margins;
      for (; end < e && !separates(model, text, end); ++end)
        if (end > start) decided = decided && margins_.values[end - 1 - s] >= model.margin;
      if (decided) keep_linear(start, end);
      else if (end > start) clauses_.push_back({start, end});
      if (end < e) keep_linear(end, end + 1);
      start = end + 1;
    }
  }
};

}  // namespace segmenter
