// The linear character tagger as a predictor (tagging/model.hpp): a text is read (text), its characters
// are scored (scores, network), the best tags are found (viterbi) and their words become tokens.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "decision.hpp"
#include "interrupt.hpp"
#include "tagging/margins.hpp"
#include "tagging/nbest.hpp"
#include "tagging/network.hpp"
#include "tagging/scores.hpp"
#include "tagging/text.hpp"
#include "tagging/viterbi.hpp"

namespace segmenter {

// The words of a path as tokens of the text: which words of the lexicon they are, or of what kind.
// A view of what the text and the scorer know; make it where it is used.
class PathWords {
 public:
  PathWords(const TaggerModel& m, const TaggedText& text, const LinearScores& scores)
      : m_(m), text_(text), scores_(scores) {}

  // Appends the words of a stretch that begins at s.
  void append(const WordEnds& words, uint32_t s, Want want, std::vector<Token>& out) const {
    if (want == Want::kWords) spell(words, s);
    else if (want > Want::kWords) describe(words, s);
    out.insert(out.end(), words.first, words.first + words.n);
  }

  // A run of blanks or a line end.
  Token gap(uint32_t s, uint32_t e, EdgeKind kind) const {
    return Token{e, e == s + 1 ? what_one(s) : kind_bits(kind) | text_.odd(s, e)};
  }

  // `what` of any token of the text.
  uint32_t what(uint32_t s, uint32_t e) const {
    if (e == s + 1) return what_one(s);
    const CharClass c = text_.cls(s);
    if (c == kBlank) return kind_bits(kBlankRun) | text_.odd(s, e);
    if (c == kCr) return kind_bits(kLineEnd) | text_.odd(s, e);
    return what_several(s, e);
  }

 private:
  const TaggerModel& m_;
  const TaggedText& text_;
  const LinearScores& scores_;

  // Slots and spellings without kinds. Whether a word has one or two characters is unpredictable,
  // so neither takes a branch.
  SEGMENTER_NOINLINE void spell(const WordEnds& words, uint32_t s) const {
    Token* __restrict to = words.first;
    Token* const stop = to + words.n;
    const uint16_t* const ids = text_.ids;
    const uint32_t* __restrict alone = m_.lex->alone.data();
    const uint32_t* __restrict pairs = scores_.pairs_from(s);
    const uint8_t* __restrict odd_at = text_.odd_chars.data();
    const uint32_t n_units = m_.lex->trie.n_units;
    uint32_t from = s;
    for (; to != stop; ++to) {
      uint32_t end = to->end, what;
      if (__builtin_expect(end - from > 2, 0)) {
        what = slot_of(from, end) | text_.odd(from, end);
      } else {
        const uint32_t pair = pairs[from - s];
        uint32_t one = 0 - uint32_t(end - from == 1), known = 0 - (pair >> 27 & 1);
        uint32_t both = (n_units + (pair & LinearScores::kPlace)) & known;
        what = (alone[ids[from]] & one) | (both & ~one) |
               uint32_t(odd_at[from] | odd_at[end - 1]) << 31;
      }
      to->what = what;
      from = end;
    }
  }

  SEGMENTER_NOINLINE void describe(const WordEnds& words, uint32_t s) const {
    uint32_t from = s;
    Interrupt::each(words.n, [&](size_t k) {
      Token& token = words.first[k];
      token.what = token.end == from + 1 ? what_one(from) : what_several(from, token.end);
      from = token.end;
    });
  }

  uint32_t what_one(uint32_t k) const {
    return m_.lex->alone[text_.ids[k]] | uint32_t(text_.odd_chars[k]) << 31;
  }

  uint32_t what_several(uint32_t s, uint32_t e) const {
    uint32_t slot = 0;
    bool word = false;
    if (e == s + 2) {
      const uint32_t pair = scores_.pair(s);
      // beyond the trie's slots: the number of the shared string
      if (pair & LinearScores::kKnown) slot = m_.lex->trie.n_units + (pair & LinearScores::kPlace);
      word = (pair >> LinearScores::kGroupsShift & 7) != 0;
    } else {
      slot = slot_of(s, e);
      word = slot && m_.lex->is_word(slot);
    }
    // a word that begins with an Arabic digit has the kind of its run, even if listed (1998年,
    // 2026年)
    EdgeKind kind = kUnknown;
    const uint32_t id = text_.ids[s];
    if (id && id < m_.lex->n_special && (!word || text_.cls(s) == kDigit))
      kind = text_.runs().kind(s, e);
    if (word && kind == kUnknown) kind = kWord;
    return slot | kind_bits(kind) | text_.odd(s, e);
  }

  // The slot of three or more characters; 0 if they are not a path of the trie.
  uint32_t slot_of(uint32_t s, uint32_t e) const {
    const Trie& trie = m_.lex->trie;
    const uint16_t* const ids = text_.ids;
    const uint32_t pair = scores_.pair(s);
    if (!(pair & kPairLonger)) return 0;
    const LinearScores::Found& longest = scores_.longest(s);
    if (longest.length == e - s) return longest.slot;
    uint32_t slot = (m_.longer[pair & LinearScores::kPlace] & 0xFFFFFF) + ids[s + 2];
    if (unit_label(trie.units[slot]) != ids[s + 2]) return 0;
    for (uint32_t k = s + 3; slot && k < e; ++k) slot = trie.child(slot, ids[k]);
    return slot;
  }
};

// Working memory of one call at a time.
class Tagger {
 public:
  // Steps of the last call.
  uint64_t steps() const {
    return text_.steps + linear_.steps + network_.steps + user_.steps + steps_;
  }

  // Decodes a text and appends its words to the decision's tokens.
  void run(const TaggerModel& m, const Text& text, const Request& request, Decision& decision) {
    if (request.margins || request.boundaries) return run_margins(m, text, request, decision);
    const bool in_parts = read(m, text, request, true);
    std::vector<Token>& out = decision.tokens;
    const PathWords path_words = words(m);
    auto append = [&](const WordEnds& path, uint32_t s) {
      steps_ += path.n;
      path_words.append(path, s, request.want, out);
    };
    text_.stretches(
        [&](uint32_t s, uint32_t e) {
          Interrupt::look(e - s);
          if (in_parts) return decode_parts(m, s, e, append);
          Emissions scores = score(m, s, e);
          append(viterbi_.best(m, scores, s), s);
        },
        [&](uint32_t s, uint32_t e, EdgeKind kind) { out.push_back(path_words.gap(s, e, kind)); });
  }

  // The n best segmentations, best first; ties in the order of the tags from the right.
  void nbest(const TaggerModel& m, const Text& text, const Request& request, size_t count,
             std::vector<TagPath>& out) {
    read(m, text, request);
    out.clear();
    if (!count) return;
    if (!text.n) return out.push_back(TagPath{0, {}});
    m.tags == 4 ? paths<4>(m, count, out) : paths<6>(m, count, out);
  }

  // `what` of a token of the text read last.
  uint32_t what(const TaggerModel& m, uint32_t s, uint32_t e) const { return words(m).what(s, e); }

  // The scores that decide the path, m.tags per position: kTagNever where marks or runs forbid a
  // tag. Blanks and line ends have the tags of one word at no cost.
  void scores(const TaggerModel& m, const Text& text, const Request& request,
              std::vector<int32_t>& out) {
    read(m, text, request);
    const size_t tags = m.tags;
    out.assign(text.n * tags, kTagNever);
    text_.stretches(
        [&](uint32_t s, uint32_t e) {
          const Emissions scores = complete(m, s, e);
          Interrupt::each(e - s, [&](size_t j) {
            int32_t* to = out.data() + (s + j) * tags;
            tags == 4 ? scores.at<4>(uint32_t(j), to) : scores.at<6>(uint32_t(j), to);
          });
        },
        [&](uint32_t s, uint32_t e, EdgeKind) {
          for (uint32_t k = s; k < e; ++k) {
            const int tag = tags == 4 ? Tags<4>::tag(k - s, e - s) : Tags<6>::tag(k - s, e - s);
            out[k * tags + size_t(tag)] = 0;
          }
        });
  }

  // The scores of the tags by a model with a BiLSTM, [n][4], relative to tag S: for tests.
  void emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out) {
    read(m, text, Request());
    out = network_.scores;
  }

 private:
  // Longer texts are decoded in parts of this many characters if only words are asked for, so that
  // memory for scores does not grow with the text.
  static constexpr uint32_t kPart = 1 << 16;

  TaggedText text_;
  LinearScores linear_;
  NetworkScores network_;  // of models with a BiLSTM
  UserScores user_;
  Viterbi viterbi_;
  BoundaryMargins margins_;
  bool portable_ = false;
  uint64_t steps_ = 0;  // of the search, the margins and the words

  PathWords words(const TaggerModel& m) const { return PathWords(m, text_, linear_); }

  // Reads a text, all of it by the network if the model has one. With `parts`, returns whether it
  // is to be decoded in parts.
  bool read(const TaggerModel& m, const Text& text, const Request& request, bool parts = false) {
    portable_ = request.portable;
    steps_ = 0;
    user_.begin(request.edits);
    const bool in_parts = parts && text.n > kPart && m.tags == 4 && !m.bilstm && !user_.any() &&
                          m.lex->max_word < kPart / 4;
    if (!in_parts) reserve(0, text.n);
    linear_.steps = network_.steps = 0;
    text_.read(m, text, request.marks, in_parts);
    RunMarks(m, text_).add();
    if (m.bilstm && !(request.again && network_.has_read(text_.n)))
      network_.read(m, text, text_, linear_, portable_);
    return in_parts;
  }

  void reserve(uint32_t origin, size_t n) {
    linear_.reserve(origin, n);
    viterbi_.reserve(n);
  }

  // The scores of the stretch [s, e), with the user's words in them.
  Emissions score(const TaggerModel& m, uint32_t s, uint32_t e) {
    Emissions scores =
        m.bilstm ? network_.of(text_, s, e, portable_) : linear_.score(m, text_, s, e, portable_);
    if (user_.any()) user_.add(m, s, e, scores);
    steps_ += e - s;
    return scores;
  }

  // The same, with nothing left to the search.
  Emissions complete(const TaggerModel& m, uint32_t s, uint32_t e) {
    Emissions scores = score(m, s, e);
    LinearScores::complete(m, scores);
    return scores;
  }

  // Decodes [s, e) in parts and calls append(path, from) for each. The scores of a position depend
  // on two characters on either side and on the words that include it, so a part is scored with
  // that much context. A part ends after a word end that the best paths to all tags of its last
  // position share: the best path of the whole passes there, and beyond it is the best from that
  // tag on, ties included. If they share none, the part is doubled.
  template <class Append>
  void decode_parts(const TaggerModel& m, uint32_t s, uint32_t e, const Append& append) {
    const uint32_t around = m.lex->max_word + 2;
    const int32_t* start = m.start;
    uint32_t size = kPart;
    for (uint32_t at = s; at < e;) {
      Interrupt::look();
      const uint32_t to = e - at > size ? at + size : e;
      const uint32_t first = at - s > around ? at - around : s,
                     stop = e - to > around ? to + around : e;
      reserve(first, stop - first);
      Emissions scores = linear_.score(m, text_, first, stop, portable_).part(at - first, to - at);
      viterbi_.search(m, scores, start);
      steps_ += stop - first;
      uint32_t n = to - at;
      bool single = viterbi_.ends_in_single();
      if (to < e && !(n = viterbi_.common_end(n, single))) {
        size *= 2;
        continue;
      }
      append(viterbi_.trace(at, n, single), at);
      at += n;
      start = m.trans + 4 * (single ? 3 : 2);
      size = kPart;
    }
  }

  // Decodes with margins. Of a word: how much worse the best path is that lacks one of its
  // boundaries or has one inside it, in units of the score; kNoOtherWay if there is no other path.
  // With `boundaries`, the same for each character: of whether a boundary follows it.
  void run_margins(const TaggerModel& m, const Text& text, const Request& request,
                   Decision& decision) {
    read(m, text, request);
    std::vector<Token>& out = decision.tokens;
    std::vector<float>& margins = decision.margins;
    std::vector<int32_t>& boundaries = decision.boundaries;
    const PathWords path_words = words(m);
    text_.stretches(
        [&](uint32_t s, uint32_t e) {
          Emissions scores = score(m, s, e);
          const WordEnds path = viterbi_.best(m, scores, s);
          margins_.run(m, scores);
          steps_ += path.n + 2 * (e - s);
          const std::vector<int32_t>& margin = margins_.of;
          if (request.boundaries) {
            boundaries.resize(text_.n, -kTagNever);
            std::copy(margin.begin(), margin.end(), boundaries.begin() + s);
            boundaries[e - 1] = -kTagNever;
          }
          uint32_t at = s;
          Interrupt::each(path.n, [&](size_t i) {
            int32_t least = at == s ? -kTagNever : margin[at - s - 1];
            for (uint32_t k = at; k < path.first[i].end && k + 1 < e; ++k)
              least = std::min(least, margin[k - s]);
            // marks and runs that leave no choice cost as much as kTagNever
            margins.push_back(least >= -kTagNever / 2 ? kNoOtherWay
                                                      : float(double(least) / m.scale));
            at = path.first[i].end;
          });
          path_words.append(path, s, Want::kKinds, out);
        },
        [&](uint32_t s, uint32_t e, EdgeKind kind) {
          out.push_back(path_words.gap(s, e, kind));
          margins.push_back(kNoOtherWay);
        });
  }

  template <int T>
  void paths(const TaggerModel& m, size_t count, std::vector<TagPath>& out) {
    TagPaths<T> paths(m);
    text_.stretches([&](uint32_t s, uint32_t e) { paths.add(s, complete(m, s, e)); },
                    [&](uint32_t, uint32_t e, EdgeKind) { paths.add_separator(e); });
    steps_ += paths.best(count, out);
  }
};

}  // namespace segmenter
