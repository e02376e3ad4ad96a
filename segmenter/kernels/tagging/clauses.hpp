// Boundaries that watched characters decide (lexicon/watched.hpp): Cantonese particles, clauses that
// read as classical Chinese, and words beside names from other languages.
#pragma once
#include <cstdint>

#include "lexicon/watched.hpp"
#include "tagging/text.hpp"

namespace segmenter {

// A mark of a span, or one that is there already and says otherwise, takes precedence.
class ClauseMarks {
 public:
  ClauseMarks(const TaggerModel& m, TaggerInput& text)
      : m_(m),
        text_(text),
        ids_(text.ids),
        marks_(text.marks.data()),
        n_(text.n),
        bits_(m.lex->watched.bits.data()) {}

  // Adds the marks of all watched characters of the text.
  void add();

 private:
  const TaggerModel& m_;
  TaggerInput& text_;
  const uint16_t* const ids_;
  uint8_t* const marks_;
  const uint32_t n_;
  const uint16_t* const bits_;
  uint32_t read_ = 0;   // clauses before it have been read
  uint32_t named_ = 0;  // runs of characters of names before it have been read

  bool has(uint32_t k, uint32_t bits) const { return bits_[ids_[k]] & bits; }
  bool is(uint32_t k, char32_t c) const { return ids_[k] == m_.lex->map.id(c); }
  bool han(uint32_t k) const {
    const CharClass c = text_.class_at(k);
    return c == kHan || c == kHanNum;
  }
  bool last(uint32_t k) const {  // of a clause, as in classical text
    return !han(k + 1) && (has(k, Watched::kIsLast) || is(k, U'之'));
  }
  void cut(uint32_t k) {
    if (k < n_ && !(marks_[k] & kMarkJoin)) marks_[k] |= kMarkCut;
  }
  void join(uint32_t k) {
    if (!(marks_[k] & kMarkCut)) marks_[k] |= kMarkJoin;
  }
  void apart(uint32_t s, uint32_t e) {
    cut(s);
    cut(e);
  }

  // Where the longest word ends that begins at k, not after `end`; k + 1: none of several characters.
  uint32_t word_end(uint32_t k, uint32_t end) const;
  bool within(uint32_t k) const;
  bool in_word(uint32_t k) const;
  void clause(uint32_t k);
  void cantonese(uint32_t s, uint32_t e);
  bool classical(uint32_t s, uint32_t e, uint32_t least) const;
  void fall_apart(uint32_t s, uint32_t e);
  void beside(uint32_t k);
  void name(uint32_t k);
  void whole_name(uint32_t k);
};

}  // namespace segmenter
