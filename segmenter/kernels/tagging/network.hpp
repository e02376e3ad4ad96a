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
  void read(const TaggerModel& m, const Text& given, TaggerInput& text, LinearScores& linear) {
    if (m.encoder) return read_encoded(m, given, text, linear);
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
    scores.assign(size_t(n) * kTags, 0);
    to_read_.clear();
    text.stretches(
        [&](uint32_t s, uint32_t e) {
          words_.clear();
          Emissions own = linear.score(m, text, s, e, &words_);
          complete(m, own);
          Interrupt::look(e - s);
          std::copy_n(own.sums, size_t(e - s) * kTags, scores.data() + size_t(s) * kTags);
          const size_t known = to_read_.size();
          if (b.is_mark.empty()) to_read_.push_back({s, e});
          else choose_clauses(m, text, s, own);
          note_words(m, linear, s, e, known);
        },
        [](uint32_t, uint32_t, EdgeKind) {});
    reader_.run(b, inputs_, to_read_);
    steps += reader_.steps();
    for (const bilstm::Stretch& t : to_read_) {
      Interrupt::each(t.end - t.start, [&](size_t k) {
        const uint32_t j = t.start + uint32_t(k);
        for (uint32_t tag = 0; tag < 3; ++tag) {
          int16_t& score = scores[size_t(j) * kTags + tag];
          int64_t sum = (reader_.scores[size_t(j) * 4 + tag] * b.unit + (int64_t(1) << 39)) >> 40;
          sum += weighed(b, score) + b.bias[tag];
          if (tag == 2 && j + 1 == t.end) sum += b.last;
          score = saturated(sum);
        }
      });
      Interrupt::look(t.end - t.start);
    }
    n_ = n;
  }

  // Whether a text of n characters has been read to its end.
  bool has_read(uint32_t n) const { return n_ == n; }

  // The scores of the stretch [s, e): a copy, because the user's words add to them and the text may
  // be asked about again. Valid until the next call.
  Emissions scores_of(const TaggerInput& text, uint32_t s, uint32_t e) {
    const auto first = scores.begin() + std::ptrdiff_t(size_t(s) * kTags);
    copy_.assign(first, first + std::ptrdiff_t(size_t(e - s) * kTags));
    Emissions out;
    out.n = e - s;
    out.marks = text.marks.data() + s;
    out.sums = copy_.data();
    return out;
  }

 private:
  // margin by which a mark is a word if no linear tagger scores it
  static constexpr int32_t kAlone = 1 << 13;

  std::vector<LinearScores::Word> words_;  // of a stretch
  bilstm::Inputs inputs_;
  bilstm::Reader reader_;
  std::vector<uint16_t> tokens_;
  std::vector<encoder::Piece> pieces_;
  encoder::Reader encoder_;
  BoundaryMargins margins_;               // of the linear tagger's boundaries in a stretch
  std::vector<bilstm::Stretch> to_read_;  // clauses
  std::vector<int16_t> copy_;
  uint32_t n_ = 0;

  // The linear tagger's sum in units of the score.
  template <class Model>
  static int64_t weighed(const Model& b, int16_t sum) {
    return (sum * b.linear + (int64_t(1) << 31)) >> 32;
  }

  void read_encoded(const TaggerModel& m, const Text& given, TaggerInput& text,
                    LinearScores& linear) {
    const encoder::Model& b = *m.encoder;
    const uint32_t n = text.n;
    n_ = 0;
    steps = 0;
    tokens_.resize(n);
    Interrupt::each(n, [&](size_t j) { tokens_[j] = uint16_t(b.map.id(given[j])); });
    Interrupt::look(n);
    scores.assign(size_t(n) * kTags, 0);
    pieces_.clear();
    text.stretches(
        [&](uint32_t s, uint32_t e) {
          Emissions own = linear.score(m, text, s, e);
          complete(m, own);
          Interrupt::each(size_t(e - s) * kTags,
                          [&](size_t i) { own.sums[i] = saturated(weighed(b, own.sums[i])); });
          Interrupt::look(e - s);
          std::copy_n(own.sums, size_t(e - s) * kTags, scores.data() + size_t(s) * kTags);
          choose_pieces(m, text, s, own);
        },
        [](uint32_t, uint32_t, EdgeKind) {});
    encoder_.run(b, tokens_, pieces_);
    steps += encoder_.steps();
    for (const encoder::Piece& piece : pieces_) {
      Interrupt::each(piece.end - piece.start, [&](size_t k) {
        const size_t j = (piece.start + k) * kTags;
        if (b.floor) bound(b.floor, &scores[j]);
        for (uint32_t tag = 0; tag < 3; ++tag) {
          int64_t sum = (encoder_.scores[j + tag] * b.unit + (int64_t(1) << 39)) >> 40;
          if (tag == 2 && piece.start + k + 1 == piece.end) sum += b.last;
          scores[j + tag] = saturated(sum + scores[j + tag] + b.bias[tag]);
        }
      });
      Interrupt::look(piece.end - piece.start);
    }
    n_ = n;
  }

  // Raises the scores of tags, relative to S, to the best one's less `floor`.
  static void bound(int32_t floor, int16_t* sums) {
    int32_t least = 0;
    for (int tag = 0; tag < 3; ++tag) least = std::max<int32_t>(least, sums[tag]);
    least -= floor;
    const int32_t alone = std::max(0, least);
    for (int tag = 0; tag < 3; ++tag)
      sums[tag] = saturated(std::max<int32_t>(sums[tag], least) - alone);
  }

  // Lists the pieces of the stretch that begins at s and have to be read.
  void choose_pieces(const TaggerModel& m, const TaggerInput& text, uint32_t s,
                     const Emissions& linear) {
    const encoder::Model& b = *m.encoder;
    const uint32_t e = s + linear.n;
    if (b.margin) {
      margins_.run(m, linear);
      steps += 2 * linear.n;
      Interrupt::look(linear.n);
    }
    for (uint32_t first = s; first < e;) {
      uint32_t to = first;
      bool decided = b.margin != 0, han = false;
      for (; to < e && !separates(b, text, to); ++to) {
        if (to > first) decided = decided && margins_.values[to - 1 - s] >= b.margin;
        han = han || text.class_at(to) == kHan || text.class_at(to) == kHanNum;
      }
      if (han && !decided) pieces_.push_back({first, to});
      first = to + 1;
    }
  }

  // Notes the lexicon's words for the network, as far as they touch a clause that it reads: those of
  // to_read_ from `known` on, of the stretch [s, e).
  void note_words(const TaggerModel& m, const LinearScores& linear, uint32_t s, uint32_t e,
                  size_t known) {
    const bilstm::Model& b = *m.bilstm;
    size_t next = 0;
    for (; known < to_read_.size(); ++known) {
      const bilstm::Stretch clause = to_read_[known];
      for (; next < words_.size() && words_[next].start < clause.end; ++next) {
        const LinearScores::Word& w = words_[next];
        if (w.start + w.length > clause.start)
          inputs_.note(w.start, w.length, b.word_class[m.lex->word_id(w.slot)]);
      }
      const uint32_t from = std::max(clause.start, s + 1) - 1, to = std::min(clause.end, e - 1);
      Interrupt::each(to - from, [&](size_t k) {
        const uint32_t j = from + uint32_t(k);
        const int8_t* const pair = linear.record(j);
        if (m.has(pair)) inputs_.note(j, 2, b.pair_class[m.place(pair)]);
      });
    }
    Interrupt::look(e - s);
  }

  // A mark that is part of a longer token does not separate clauses.
  template <class Model>
  static bool separates(const Model& b, const TaggerInput& text, uint32_t j) {
    return !b.is_mark.empty() && b.is_mark[text.ids[j]] && !(text.marks[j] & kMarkJoin) &&
           !(j + 1 < text.n && text.marks[j + 1] & kMarkJoin);
  }

  // Lists the clauses of the stretch that begins at s and have to be read, by the linear tagger's
  // scores, which it overwrites; marks and the other clauses keep them.
  void choose_clauses(const TaggerModel& m, const TaggerInput& text, uint32_t s,
                      const Emissions& linear) {
    const bilstm::Model& b = *m.bilstm;
    const uint32_t e = s + linear.n;
    const bool asks = b.linear && b.margin;
    Interrupt::each(size_t(linear.n) * kTags,
                    [&](size_t i) { linear.sums[i] = saturated(weighed(b, linear.sums[i])); });
    auto pass = [&](uint32_t from, uint32_t to) {
      Interrupt::each(to - from, [&](size_t k) {
        int16_t* const score = scores.data() + (from + k) * kTags;
        const int16_t* const own = linear.sums + (from - s + k) * kTags;
        for (uint32_t tag = 0; tag < 3; ++tag) score[tag] = b.linear ? own[tag] : int16_t(-kAlone);
      });
    };
    if (asks) {
      margins_.run(m, linear);
      steps += 2 * linear.n;
      Interrupt::look(linear.n);
    }
    for (uint32_t first = s; first < e;) {
      uint32_t to = first;
      bool decided = asks;
      for (; to < e && !separates(b, text, to); ++to)
        if (to > first) decided = decided && margins_.values[to - 1 - s] >= b.margin;
      if (decided) pass(first, to);
      else if (to > first) to_read_.push_back({first, to});
      if (to < e) pass(to, to + 1);
      first = to + 1;
    }
  }
};

}  // namespace segmenter
