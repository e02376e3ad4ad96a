// Boundaries that watched characters decide (lexicon/watched.hpp): prepositions before words that
// begin with them, Cantonese particles, clauses that read as classical Chinese, names from other
// languages. Taggers obey them as marks; a lattice leaves out the words that cross them.
#pragma once
#include <algorithm>
#include <cstdint>

#include "lexicon/watched.hpp"
#include "numbers.hpp"
#include "token.hpp"

namespace segmenter {

// Whether the clauses before and after a mark are read together.
inline bool clause_goes_on(const Lexicon& lex, uint32_t id) {
  return id && (id == lex.map.id(U'，') || id == lex.map.id(U'、') || id == lex.map.id(U'；'));
}

// The words of a text: a lattice and a tagger look them up in their own ways.
class ClauseWords {
 public:
  // The end of the longest word that begins at k and ends at `end` or before; k + 1: no word of
  // several characters does.
  virtual uint32_t word_end(uint32_t k, uint32_t end) const = 0;
  // Whether the word [k, end) is so rare that it may be part of a name that no lexicon has: 格瓦,
  // 斯托尼.
  virtual bool is_rare(uint32_t k, uint32_t end) const = 0;

 protected:
  ~ClauseWords() = default;
};

// Adds marks to the characters of a text. A mark of a span, or an earlier mark that says the
// opposite, takes precedence.
class ClauseMarks {
 public:
  uint64_t steps = 0;
  uint32_t first = ~uint32_t(0), last = 0;  // positions of the added marks; last < first: none

  // `ids`: of n characters and the two after them.
  ClauseMarks(const Lexicon& lex, const ClauseWords& words, const uint16_t* ids, uint8_t* marks,
              uint32_t n)
      : lex_(lex), words_(words), ids_(ids), marks_(marks), n_(n), bits_(lex.watched.bits.data()) {}

  // Whether the character at `ids` may add a mark, given its neighbours; most watched characters do
  // not.
  static bool may_decide(const Lexicon& lex, const uint16_t* ids) {
    const uint16_t* const table = lex.watched.bits.data();
    const uint32_t bits = table[ids[0]] & Watched::kTriggers;
    if (bits & (Watched::kIsCantonese | Watched::kIsOld)) return true;
    const uint32_t before = table[ids[-1]], after = table[ids[1]];
    if (looks_at_neighbour(bits, before, after)) return true;
    if (bits & Watched::kIsLast && lex.char_class(ids[1]) != kHan) return true;
    if (!(bits & Watched::kIsRare)) return false;
    // a name has three characters
    const uint32_t second_before = table[ids[-2]], second_after = table[ids[2]];
    return (before | after | second_before | second_after) & Watched::kIsBeside ||
           ((before & (after | second_before)) | (after & second_after)) & Watched::kIsName;
  }

  // Adds the marks of the watched characters among the positions [begin, end), which count from
  // `origin`.
  void add(const uint32_t* begin, const uint32_t* end, uint32_t origin = 0);

 private:
  const Lexicon& lex_;
  const ClauseWords& words_;
  const uint16_t* const ids_;
  uint8_t* const marks_;
  const uint32_t n_;
  const uint16_t* const bits_;
  uint32_t clause_end_ = 0;  // clauses before it are read
  uint32_t name_end_ = 0;    // names before it are read

  bool has(uint32_t k, uint32_t bits) const { return bits_[ids_[k]] & bits; }
  bool is(uint32_t k, char32_t c) const {
    return ids_[k] == lex_.map.id(c) && ids_[k] != lex_.masked;
  }
  CharClass class_at(uint32_t k) const { return lex_.char_class(ids_[k]); }
  bool is_han(uint32_t k) const {
    const CharClass c = class_at(k);
    return c == kHan || c == kHanNum;
  }
  static bool looks_at_neighbour(uint32_t bits, uint32_t before, uint32_t after) {
    return (bits & Watched::kLooksBack && before & Watched::kIsBefore) ||
           (bits & Watched::kLooksOn && after & Watched::kIsAfter);
  }
  // Whether k is a final particle of classical text at the end of a clause.
  bool is_last(uint32_t k) const { return has(k, Watched::kIsLast) && !is_han(k + 1); }
  void cut(uint32_t k) {
    if (k < n_ && !(marks_[k] & kMarkJoin)) add(k, kMarkCut);
  }
  void join(uint32_t k) {
    if (!(marks_[k] & kMarkCut)) add(k, kMarkJoin);
  }
  void add(uint32_t k, uint8_t mark) {
    marks_[k] |= mark;
    first = std::min(first, k);
    last = std::max(last, k);
  }
  void cut_around(uint32_t s, uint32_t e) {
    cut(s);
    cut(e);
  }

  uint32_t word_end(uint32_t k, uint32_t end) const { return words_.word_end(k, end); }
  bool follows_time_span(uint32_t k) const;
  bool in_word(uint32_t k) const;
  void mark_clause(uint32_t k);
  void mark_cantonese(uint32_t s, uint32_t e);
  bool is_classical(uint32_t s, uint32_t e, uint32_t least) const;
  void cut_clause(uint32_t s, uint32_t e);
  bool is_now(uint32_t k) const;
  void cut_prepositions(uint32_t k);
  void cut_beside_name(uint32_t k);
  void cut_after_name(uint32_t k);
  void join_name(uint32_t k);
};

}  // namespace segmenter
