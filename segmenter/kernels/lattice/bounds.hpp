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

  // Branch-free where possible: the contents of records are unpredictable.
  GainBounds(const Lexicon& lex, const NgramModel& model)
      : characters_(lex.trie.n_ids),
        before_(kPlaces, 0),
        after_(kPlaces, 0),
        margins_(model.n_words, 0) {
    const uint32_t n = model.n_words, n_ids = lex.trie.n_ids;
    std::vector<Word> words;  // by number
    words.reserve(n);
    for_each_word(lex, [&](uint32_t slot) {
      const uint64_t unit = lex.trie.units[slot];
      const uint32_t last = slot < n_ids ? slot : std::min(unit_label(unit), slot);
      words.push_back(Word{slot, uint16_t(unit_cost(unit)), uint16_t(last)});
    });
    valid_ = words.size() == n;  // else another matcher finds the words
    if (!valid_) return;
    const Parents parents(lex.trie);
    set_bounds(lex, model, words, parents);
    set_margins(lex, model, words, parents);
  }

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
  static uint8_t steps(int64_t x) {
    return uint8_t(std::min<int64_t>(std::max<int64_t>(x, 0) / kStep, 255));
  }
  static void raise(uint8_t& bound, uint8_t value) { bound = std::max(bound, value); }
  // Whether a token is in none of our files: a run of a kind that only foreign files count.
  static bool is_foreign(uint32_t token_id, const NgramModel& model) {
    return token_id == model.n_words ||
           (token_id > model.n_words + kLatinRun && token_id < model.boundary());
  }

  struct Word {
    uint32_t slot;
    uint16_t cost, last;  // `last`: its last character
  };
  // The first character of the word at a slot.
  static uint32_t initial(const Lexicon& lex, const Parents& parents, uint32_t slot) {
    for (uint32_t depth = 0; slot >= lex.trie.n_ids && depth < lex.max_word; ++depth)
      slot = parents.of(slot);
    return std::min(slot, lex.trie.n_ids - 1);
  }

  // Sets the bounds of all pairs.
  void set_bounds(const Lexicon& lex, const NgramModel& model, const std::vector<Word>& words,
                  const Parents& parents) {
    const uint32_t n = model.n_words, n_ids = lex.trie.n_ids;
    const NgramTable& table = model.bigrams;
    std::vector<uint32_t> filled(table.capacity + 1);
    uint32_t n_filled = 0;
    for (uint32_t i = 0; i < table.capacity; ++i) {
      filled[n_filled] = i;
      n_filled += table.records[i] != NgramTable::kEmpty;
    }
    std::vector<uint8_t> before(n + kEdgeKinds + 1, 0), after(n + kEdgeKinds + 1, 0);
    for (uint32_t k = 0; k < n_filled; ++k) {
      const uint64_t record = table.records[filled[k]];
      const uint32_t first_token = uint32_t(record >> 44),
                     second_token = uint32_t(record >> 24) & 0xFFFFF;
      if (first_token > model.boundary() || second_token > model.boundary())
        continue;  // no decoder looks it up
      const uint32_t lower = second_token < n                   ? words[second_token].cost
                             : second_token == model.boundary() ? model.boundary_cost
                                                                : lex.kind_cost[second_token - n];
      const int64_t gain = int64_t(model.weights[first_token]) + lower - table.cost(filled[k]);
      valid_ &= gain >= 0;
      const uint8_t bound = steps(gain + kStep - 1);
      raise(before[second_token], bound);
      raise(after[first_token], bound);
      if (first_token >= n || second_token >= n) {
        valid_ &= !is_foreign(first_token, model) && !is_foreign(second_token, model);
        continue;
      }
      const uint32_t first_slot = words[first_token].slot, second_slot = words[second_token].slot;
      const uint32_t is_character = second_slot < n_ids;
      raise(before_[place(words[first_token].last, is_character ? second_slot : 0)],
            uint8_t(bound & (0 - is_character)));
      if (first_slot < n_ids)
        raise(after_[place(first_slot, initial(lex, parents, second_slot))], bound);
    }
    for (uint32_t id = 0; id < n_ids; ++id) {
      const uint32_t token_id = lex.is_word(id) ? lex.word_id(id) : n + kUnknown;
      const CharClass c = lex.char_class(id);
      const bool is_word = lex.is_word(id) && (c == kHan || c == kPunct || c == kOther);
      characters_[id] =
          Character{token_id, before[token_id], after[token_id], uint8_t(is_word ? 0 : 255)};
    }
    const RuleIds& rules = lex.rules;
    for (uint32_t id :
         {rules.nian, rules.yue, rules.fen_month, rules.ri, rules.shi, rules.fen, rules.di})
      if (id) characters_[id].unbounded = 255;
  }

  // Sets the margins of the words of two characters.
  void set_margins(const Lexicon& lex, const NgramModel& model, const std::vector<Word>& words,
                   const Parents& parents) {
    const uint32_t n = model.n_words, n_ids = lex.trie.n_ids;
    const SeenKeys::Bits seen = model.seen->bits();
    std::vector<uint32_t> two_character_words(n + 1);
    uint32_t n_words = 0;
    for (uint32_t number = 0; number < n; ++number) {
      two_character_words[n_words] = number;
      const uint32_t slot = words[number].slot, a = parents.of(slot);
      n_words += uint32_t(slot >= n_ids) & uint32_t(a - 1 < n_ids - 1);
    }
    for (uint32_t k = 0; k < n_words; ++k) {
      const Word& word = words[two_character_words[k]];
      const uint32_t b = word.last, a = parents.of(word.slot);
      const uint32_t v = characters_[a].token_id, w = characters_[b].token_id,
                     lower = lex.singles[b].cost >> 2;
      int64_t split_cost =
          int64_t(lex.singles[a].cost >> 2) + model.weights[v] + lower + model.weights[w];
      if (seen.may_hold(SeenKeys::hash(v, w))) split_cost -= model.gain(v, w, lower);
      const int64_t margin = split_cost - word.cost - model.weights[two_character_words[k]];
      margins_[two_character_words[k]] = margin < 0 ? 0 : steps(margin + kStep);
    }
  }
};

}  // namespace segmenter
