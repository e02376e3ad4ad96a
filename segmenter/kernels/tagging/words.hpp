// The words of a path as tokens of the text: which words of the lexicon they are, or of what kind.
#pragma once
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "decision.hpp"
#include "tagging/scores.hpp"
#include "tagging/text.hpp"
#include "tagging/viterbi.hpp"

namespace segmenter {

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

}  // namespace segmenter
