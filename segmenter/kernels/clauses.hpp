// Boundaries that watched characters decide (lexicon/watched.hpp): prepositions before words that begin
// with them, Cantonese particles, clauses that read as classical Chinese, names from other languages.
// Taggers obey them as marks, a lattice leaves out the words that go over them.
#pragma once
#include <algorithm>
#include <cstdint>

#include "lexicon/watched.hpp"
#include "numbers.hpp"
#include "token.hpp"

namespace segmenter {

// Whether the clauses before and after this mark are read together.
inline bool clause_goes_on(const Lexicon& lex, uint32_t id) {
  return id && (id == lex.map.id(U'，') || id == lex.map.id(U'、') || id == lex.map.id(U'；'));
}

// The words of a text, by the lexicon of its reader.
class ClauseWords {
 public:
  // Where the longest word ends that begins at k, not after `end`; k + 1: none of several characters.
  virtual uint32_t word_end(uint32_t k, uint32_t end) const = 0;
  // Whether the word [k, end) is so rare that it may be part of a name that no lexicon has: 格瓦, 斯托尼.
  virtual bool is_rare(uint32_t k, uint32_t end) const = 0;

 protected:
  ~ClauseWords() = default;
};

// A mark of a span, or one that is there already and says otherwise, takes precedence.
class ClauseMarks {
 public:
  uint64_t steps = 0;
  uint32_t first = ~uint32_t(0), last = 0;  // of the marks that were added; last < first: none

  // `ids`: of n characters, and of two after them.
  ClauseMarks(const Lexicon& lex, const ClauseWords& words, const uint16_t* ids, uint8_t* marks,
              uint32_t n)
      : lex_(lex), words_(words), ids_(ids), marks_(marks), n_(n), bits_(lex.watched.bits.data()) {}

  // Whether the character at `ids` may decide something beside its neighbours; most do not.
  static bool may_decide(const Lexicon& lex, const uint16_t* ids) {
    const uint16_t* const table = lex.watched.bits.data();
    const uint32_t bits = table[ids[0]] & Watched::kTriggers;
    if (bits & (Watched::kIsCantonese | Watched::kIsOld)) return true;
    const uint32_t before = table[ids[-1]], after = table[ids[1]];
    if (looks_at_neighbour(bits, before, after)) return true;
    if (bits & Watched::kIsLast && lex.char_class(ids[1]) != kHan) return true;
    if (!(bits & Watched::kIsRare)) return false;
    const uint32_t second_before = table[ids[-2]],
                   second_after = table[ids[2]];  // a name has three characters
    return (before | after | second_before | second_after) & Watched::kIsBeside ||
           ((before & (after | second_before)) | (after & second_after)) & Watched::kIsName;
  }

  // Adds the marks of the watched characters among those whose places, `origin` added, are the numbers
  // from `begin` to `end`.
  void add(const uint32_t* begin, const uint32_t* end, uint32_t origin = 0);

 private:
  const Lexicon& lex_;
  const ClauseWords& words_;
  const uint16_t* const ids_;
  uint8_t* const marks_;
  const uint32_t n_;
  const uint16_t* const bits_;
  uint32_t read_end_ = 0;  // clauses before it have been read
  uint32_t name_end_ = 0;  // runs of characters of names before it have been read

  bool has_bits(uint32_t k, uint32_t bits) const { return bits_[ids_[k]] & bits; }
  bool is_character(uint32_t k, char32_t c) const {
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
  bool is_last(uint32_t k) const {  // of a clause, as in classical text
    return has_bits(k, Watched::kIsLast) && !is_han(k + 1);
  }
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
