// Tagging a text: it is read (text.hpp), its characters are scored (scores.hpp, network.hpp), the best tags
// are found (viterbi.hpp) and their words become tokens.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "request.hpp"
#include "result.hpp"
#include "token.hpp"
#include "interrupt.hpp"
#include "tagging/margins.hpp"
#include "tagging/nbest.hpp"
#include "tagging/network.hpp"
#include "tagging/scores.hpp"
#include "tagging/tagger.hpp"
#include "tagging/text.hpp"
#include "tagging/user_scores.hpp"
#include "tagging/viterbi.hpp"

namespace segmenter {

// Turns the words of a path into tokens: the slot of each word in the lexicon, or its kind. Refers
// to the text and the scores; construct it where it is used.
class PathWords {
 public:
  PathWords(const TaggerModel& m, const TaggerInput& text, const LinearScores& scores)
      : m_(m), text_(text), scores_(scores) {}

  // Appends the words of a stretch that begins at s.
  void append(const WordEnds& words, uint32_t s, Want want, std::vector<Token>& out) const {
    if (want == Want::kWords) spell(words, s);
    else if (want > Want::kWords) describe(words, s);
    out.insert(out.end(), words.first, words.first + words.n);
  }

  // A run of blanks or a line end.
  Token gap(uint32_t s, uint32_t e, EdgeKind kind) const {
    return Token{e, e == s + 1 ? label_of_char(s) : kind_bits(kind) | text_.not_canonical(s, e)};
  }

  // Token::label of any token of the text.
  uint32_t label_of(uint32_t s, uint32_t e) const {
    if (e == s + 1) return label_of_char(s);
    const CharClass c = text_.class_at(s);
    if (c == kBlank) return kind_bits(kBlankRun) | text_.not_canonical(s, e);
    if (c == kCr) return kind_bits(kLineEnd) | text_.not_canonical(s, e);
    return label_of_word(s, e);
  }

 private:
  const TaggerModel& m_;
  const TaggerInput& text_;
  const LinearScores& scores_;

  // Writes slots and spelling flags, no kinds. Whether a word has one or two characters is
  // unpredictable, so neither takes a branch.
  SEGMENTER_NOINLINE void spell(const WordEnds& words, uint32_t s) const {
    Token* __restrict token = words.first;
    Token* const end_token = token + words.n;
    const uint16_t* const ids = text_.ids;
    const uint32_t* __restrict alone = m_.lex->alone.data();
    const int8_t* const* __restrict records = scores_.records_from(s);
    const uint8_t* __restrict not_canonical = text_.not_canonical_chars.data();
    const uint32_t n_units = m_.lex->trie.n_units;
    uint32_t start = s;
    for (; token != end_token; ++token) {
      uint32_t end = token->end, label;
      if (__builtin_expect(end - start > 2, 0)) {
        label = slot_of(start, end) | text_.not_canonical(start, end);
      } else {
        const int8_t* const pair = records[start - s];
        uint32_t is_single = 0 - uint32_t(end - start == 1);
        uint32_t pair_slot = (n_units + m_.place(pair)) & (0 - uint32_t(m_.has(pair)));
        label = (alone[ids[start]] & is_single) | (pair_slot & ~is_single) |
                uint32_t(not_canonical[start] | not_canonical[end - 1]) << 31;
      }
      token->label = label;
      start = end;
    }
  }

  SEGMENTER_NOINLINE void describe(const WordEnds& words, uint32_t s) const {
    uint32_t start = s;
    Interrupt::for_each(words.n, [&](size_t k) {
      Token& token = words.first[k];
      token.label = token.end == start + 1 ? label_of_char(start) : label_of_word(start, token.end);
      start = token.end;
    });
  }

  uint32_t label_of_char(uint32_t k) const {
    return m_.lex->alone[text_.ids[k]] | uint32_t(text_.not_canonical_chars[k]) << 31;
  }

  uint32_t label_of_word(uint32_t s, uint32_t e) const {
    uint32_t slot = 0;
    bool word = false;
    if (e == s + 2) {
      const int8_t* const pair = scores_.record(s);
      // beyond the trie's slots: the number of the shared string
      if (m_.has(pair)) slot = m_.lex->trie.n_units + m_.place(pair);
      word = (record_key(pair) >> 28 & 7) != 0;
    } else {
      slot = slot_of(s, e);
      word = slot && m_.lex->is_word(slot);
    }
    // a word that begins with an Arabic digit has the kind of its run, even if listed (1998年,
    // 2026年)
    EdgeKind kind = kUnknown;
    const uint32_t id = text_.ids[s];
    if (id && id < m_.lex->n_special && (!word || text_.class_at(s) == kDigit))
      kind = text_.runs().kind(s, e);
    if (word && kind == kUnknown) kind = kWord;
    return slot | kind_bits(kind) | text_.not_canonical(s, e);
  }

  // The slot of three or more characters; 0 if they are not a path of the trie.
  uint32_t slot_of(uint32_t s, uint32_t e) const {
    const Trie& trie = m_.lex->trie;
    const uint16_t* const ids = text_.ids;
    const int8_t* const pair = scores_.record(s);
    if (!(record_key(pair) & kPairLonger)) return 0;
    const LinearScores::LongestWord& longest = scores_.longest(s);
    if (longest.length == e - s) return longest.slot;
    uint32_t slot = (m_.longer[m_.place(pair)] & 0xFFFFFF) + ids[s + 2];
    if (unit_label(trie.units[slot]) != ids[s + 2]) return 0;
    for (uint32_t k = s + 3; slot && k < e; ++k) slot = trie.child(slot, ids[k]);
    return slot;
  }
};

// Short stretches of a text, collected until they are worth scoring together.
class StretchBatch {
 public:
  static constexpr uint32_t kCharacters = 1024;

  // Calls, in the order of the text, gap(s, e, kind) for every gap and decode(s, e) for a stretch
  // that is alone in its batch; of several, score_all(stretches) first and then
  // append_scored(stretch) for each.
  template <class Alone, class Score, class Each, class Gap>
  void run(const TaggerInput& text, const Alone& decode, const Score& score_all,
           const Each& append_scored, const Gap& gap) {
    stretches_.clear();
    gaps_.clear();
    auto flush = [&] {
      size_t next_gap = 0;
      auto append_gaps = [&](uint32_t s) {
        for (; next_gap < gaps_.size() && gaps_[next_gap].start < s; ++next_gap)
          gap(gaps_[next_gap].start, gaps_[next_gap].end, gaps_[next_gap].kind);
      };
      const bool several = stretches_.size() > 1;
      if (several) score_all(stretches_);
      for (const Stretch& stretch : stretches_) {
        append_gaps(stretch.start);
        several ? append_scored(stretch) : decode(stretch.start, stretch.end);
      }
      append_gaps(text.n);
      stretches_.clear();
      gaps_.clear();
    };
    text.stretches(
        [&](uint32_t s, uint32_t e) {
          if (!stretches_.empty() && e - stretches_[0].start > kCharacters) flush();
          stretches_.push_back(Stretch{s, e});
        },
        [&](uint32_t s, uint32_t e, EdgeKind kind) { gaps_.push_back(GapSpan{s, e, kind}); });
    flush();
  }

 private:
  struct GapSpan {
    uint32_t start, end;
    EdgeKind kind;
  };
  std::vector<Stretch> stretches_;
  std::vector<GapSpan> gaps_;
};

// Working memory of one call at a time.
class Tagging {
 public:
  // Steps of the last call.
  uint64_t steps() const {
    return text_.steps + linear_.steps + network_.steps + user_.steps + steps_ +
           text_beside_.steps + linear_beside_.steps + network_beside_.steps;
  }

  // See Tagger::triggers.
  const std::vector<uint32_t>* triggers(const TaggerModel& m, const Text& text);

  // Decodes a text and appends its words to the decision's tokens.
  void run(const TaggerModel& m, const Text& text, const Request& request, Decision& decision);

  // The n best segmentations, best first; ties in the order of the tags from the right.
  void nbest(const TaggerModel& m, const Text& text, const Request& request, size_t count,
             std::vector<TagPath>& out);

  // Token::label of [s, e) in the text read last.
  uint32_t label_of(const TaggerModel& m, uint32_t s, uint32_t e) const {
    return words(m).label_of(s, e);
  }

  // The scores that decide the path, four per position: kTagNever where marks or runs forbid a
  // tag. Blanks and line ends have the tags of one word at no cost.
  void scores(const TaggerModel& m, const Text& text, const Request& request,
              std::vector<int32_t>& out);

  // The scores of the tags by a model with a BiLSTM, [n][4], relative to tag S: for tests.
  void emissions(const TaggerModel& m, const Text& text, std::vector<int16_t>& out);

 private:
  // Longer texts are decoded in parts of this many characters, unless margins or boundaries are
  // needed, so that memory for scores does not grow with the text.
  static constexpr uint32_t kPart = 1 << 16;

  TaggerInput text_;
  LinearScores linear_;
  NetworkScores network_;  // of models with a network
  // The same for the model beside it, whose character ids differ.
  TaggerInput text_beside_;
  LinearScores linear_beside_;
  NetworkScores network_beside_;
  UserScores user_;
  Viterbi viterbi_;
  BoundaryMargins margins_;
  StretchBatch batch_;
  uint64_t steps_ = 0;  // of the search, the margins and the words

  PathWords words(const TaggerModel& m) const { return PathWords(m, text_, linear_); }

  // Reads a text and scores all of it by the network if the model has one. `parts`: the text may
  // be decoded in parts; returns whether it is.
  bool read(const TaggerModel& m, const Text& text, const Request& request, bool parts = false);

  // Scores a text by the model beside and replaces the network's scores by the mean of both.
  void read_beside(const TaggerModel& m, const Text& text, const Request& request, bool measures);

  void reserve(uint32_t origin, size_t n);

  // The scores of the stretch [s, e), with the user's words in them.
  Emissions score(const TaggerModel& m, uint32_t s, uint32_t e);

  // Adds the scores of the user's words, which come last.
  void add_user_words(const TaggerModel& m, uint32_t s, uint32_t e, Emissions& scores);

  // The same, with the weights of lexicon states already added.
  Emissions complete(const TaggerModel& m, uint32_t s, uint32_t e);

  // Decodes [s, e) in parts and calls append(path, from) for each. The scores of a position depend
  // on two characters on either side and on the words that include it, so a part is scored with
  // that much context. A part ends after a word end that the best paths to all tags of its last
  // position share: the best path of the whole passes there, and beyond it is the best from that
  // tag on, ties included. If they share none, the part is doubled.
  template <class Append>
  void decode_parts(const TaggerModel& m, uint32_t s, uint32_t e, const Append& append);

  // Decodes with margins. Of a word: how much worse the best path is that lacks one of its
  // boundaries or has one inside it, in units of the score; kNoOtherWay if there is no other path.
  // With `boundaries`, the same for each character: of whether a boundary follows it.
  void run_margins(const TaggerModel& m, const Text& text, const Request& request,
                   Decision& decision);
};

}  // namespace segmenter
