// Bounds on how much a bigram model can change the cost at a word of two characters. If a bound
// shows that the word is on the best path, a decoder needs neither the edges of its characters nor
// their pairs.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "lattice/ngram.hpp"
#include "lexicon/words.hpp"

namespace segmenter {

// The gain of a pair (v, w) is how much less it costs than backing off: weight(v) + unigram cost(w)
// - cost(w after v), and 0 for a pair that was never seen. Between u and w the word AB costs less
// than A and B, or as much and is longer, if the gains of (u, A) and (B, w) together are at most
//
//     cost(A) + cost(B after A) + weight(B) - cost(AB) - weight(AB),
//
// the margin of AB. The gains are bounded without knowing u and w: by the last character of u and
// by A, and by B and the first character of w.
class GainBounds {
 public:
  static constexpr uint32_t kStep = 256;  // the unit of margins and bounds, in units of costs

  // A single character as a word.
  struct Character {
    uint32_t token_id;
    uint8_t before, after;  // bounds of the gains of the pairs that end and that begin with it
    uint8_t unbounded;      // 255: its pairs have no bound, as it or its neighbour may be no word
  };

  GainBounds(const Lexicon& lex, const NgramModel& model);

  // Gives the bounds to a model if they hold. They do not hold where a pair costs more than backing
  // off, where a pair has a token of runs that only foreign files have, or where another matcher
  // finds the words.
  void attach(NgramModel& model) const { model.bounds = valid_ ? this : nullptr; }
  const Character& character(uint32_t id) const { return characters_[id]; }
  // Prefetches what before(x, a), after(b, y) and margin(word) read.
  void prefetch(uint32_t x, uint32_t a, uint32_t b, uint32_t y, uint32_t word) const {
    __builtin_prefetch(before_.data() + place(x, a));
    __builtin_prefetch(after_.data() + place(b, y));
    __builtin_prefetch(margins_.data() + word);
  }
  // The gains that a word of two characters withstands, plus one step; 0: it withstands none.
  uint32_t margin(uint32_t word) const { return margins_[word]; }
  // Bounds of the gains of the pairs (a word that ends with x, a) and (b, a word that begins with
  // y).
  uint32_t before(uint32_t x, uint32_t a) const {
    const Character& character = characters_[a];
    return std::min<uint32_t>(character.before, uint32_t(before_[place(x, a)]) |
                                                    characters_[x].unbounded | character.unbounded);
  }
  uint32_t after(uint32_t b, uint32_t y) const {
    const Character& character = characters_[b];
    return std::min<uint32_t>(character.after, uint32_t(after_[place(b, y)]) |
                                                   characters_[y].unbounded | character.unbounded);
  }

 private:
  static constexpr uint32_t kLog = 17, kPlaces = 1 << kLog;
  bool valid_ = true;
  std::vector<Character> characters_;  // by id
  std::vector<uint8_t> before_,
      after_;                     // by a hash of two ids, the greatest of those that share it
  std::vector<uint8_t> margins_;  // by the word's number

  static uint32_t place(uint32_t x, uint32_t y) {
    return PairFilter::hash(PairFilter::pair(x, y)) >> (32 - kLog);
  }
  struct Word {
    uint32_t slot;
    uint16_t cost, last;  // `last`: its last character
  };
  // Sets the bounds of all pairs.
  void set_bounds(const Lexicon& lex, const NgramModel& model, const std::vector<Word>& words,
                  const Parents& parents);
  // Sets the margins of the words of two characters.
  void set_margins(const Lexicon& lex, const NgramModel& model, const std::vector<Word>& words,
                   const Parents& parents);
};

}  // namespace segmenter
