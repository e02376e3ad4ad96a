// Bigram and trigram costs: back-off tables over word numbers (absolute discounting, Ney, Essen &
// Kneser 1994; stored in back-off form as in Katz 1987).
//
// Tokens are word numbers in [0, n_words); then n_words + kind for every kind of edge but words;
// then the boundary of a sentence.  The full cost of a seen n-gram is stored; an unseen n-gram
// costs the back-off weight of its history plus the cost of the lower order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"
#include "lexicon/lexicon.hpp"
#include "token.hpp"
#include "probe.hpp"

namespace segmenter {

// A hash table with open addressing and linear probing. A record is key << 24 | cost << 8 | weight:
// the key has 40 bits, the cost is in units of the lexicon, the weight in steps of 128 units. All
// ones: empty.
struct NgramTable {
  const uint64_t* records = nullptr;
  uint32_t capacity = 0;  // 0: no table

  static constexpr uint64_t kEmpty = ~uint64_t(0);
  static constexpr uint32_t kNone = ~uint32_t(0);

  static uint64_t pair(uint32_t first, uint32_t second) { return uint64_t(first) << 20 | second; }
  static uint32_t hash(uint64_t key) {
    uint64_t h = key * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    return uint32_t(h >> 32);
  }
  static uint32_t home(uint64_t key, uint32_t capacity) {
    return uint32_t(uint64_t(hash(key)) * capacity >> 32);
  }
  uint32_t find(uint64_t key) const { return capacity ? find(key, home(key, capacity)) : kNone; }
  uint32_t find(uint64_t key, uint32_t home) const {
    // no branch per place: which of the first four has the key is unpredictable
    if (__builtin_expect(home + 3 < capacity, 1)) {
      const uint64_t* record = records + home;
      const uint32_t matches =
          uint32_t(record[0] >> 24 == key) | uint32_t(record[1] >> 24 == key) << 1 |
          uint32_t(record[2] >> 24 == key) << 2 | uint32_t(record[3] >> 24 == key) << 3;
      if (__builtin_expect(matches != 0, 1)) return home + uint32_t(__builtin_ctz(matches));
    }
    const size_t index = probe(home, capacity - 1, [&](size_t i) {
      return records[i] >> 24 == key || records[i] == kEmpty;
    });
    return records[index] >> 24 == key ? uint32_t(index) : kNone;
  }
  // A pair of edges whose tokens are looked up. `home`: the first place of the key; before
  // look_up_all(), free for the caller.
  struct Query {
    uint64_t key;
    uint32_t before, edge, home;
  };
  // Calls visit(query, index) for every pair in the table. All homes are computed first, so that
  // the loads of their records overlap.
  template <class Each>
  void look_up_all(Query* queries, size_t n, Each&& visit) const {
    Interrupt::for_each(n, [&](size_t i) {
      queries[i].home = home(queries[i].key, capacity);
      __builtin_prefetch(records + queries[i].home);
    });
    Interrupt::for_each(n, [&](size_t i) {
      const uint32_t index = find(queries[i].key, queries[i].home);
      if (index != kNone) visit(queries[i], index);
    });
  }
  // Fills an empty table. `places` receives the index of every key.
  static void fill(const uint64_t* keys, const uint16_t* costs, const uint8_t* weights, size_t n,
                   uint32_t capacity, uint64_t* records, uint32_t* places);
  uint32_t cost(uint32_t index) const { return uint32_t(records[index] >> 8) & 0xFFFF; }
  uint32_t weight(uint32_t index) const { return uint32_t(records[index] & 0xFF) << 7; }
};

// A Bloom filter of the pairs in a bigram table, with one hash. Most pairs of words that a text
// asks for were never seen, and for two thirds of those the table would be probed at four places or
// more. One absent pair of twenty passes the filter.
class SeenKeys {
 public:
  static constexpr uint32_t kPerKey = 20;

  explicit SeenKeys(const NgramTable& table);
  // The upper half of a sum of products (Dietzfelbinger 1996): fewer steps than NgramTable::hash().
  static uint32_t hash(uint32_t first, uint32_t second) {
    return uint32_t((first * 0x9E3779B97F4A7C15ull + second * 0xD6E8FEB86659FD93ull) >> 32);
  }
  struct Bits {
    const uint64_t* words;
    uint32_t shift;
    uint32_t may_hold(uint32_t hash) const { return bit(hash >> shift); }
    uint32_t bit(uint32_t index) const { return uint32_t(words[index >> 6] >> (index & 63)) & 1; }
    // Prefetches the bit of a hash; returns its index.
    uint32_t prefetch(uint32_t hash) const {
      __builtin_prefetch(words + (hash >> shift >> 6));
      return hash >> shift;
    }
  };
  Bits bits() const { return Bits{bits_.data(), shift_}; }

 private:
  uint32_t shift_ = 26;
  std::vector<uint64_t> bits_;
};

class GainBounds;

struct NgramModel {
  const SeenKeys* seen = nullptr;      // of the bigrams
  const GainBounds* bounds = nullptr;  // of the words of the lexicon, in this model
  uint32_t n_words = 0;
  const uint16_t* weights = nullptr;  // [n_words + kEdgeKinds + 1]: back-off weight of a history
  uint32_t boundary_cost = 0;         // unigram cost of the end of a sentence
  NgramTable bigrams, trigrams;

  bool ready() const { return weights != nullptr; }
  uint32_t boundary() const { return n_words + kEdgeKinds; }

  // The cost of w after v; `lower`: the unigram cost of w.
  uint32_t bigram(uint32_t v, uint32_t w, uint32_t lower) const {
    const uint32_t index = bigrams.find(NgramTable::pair(v, w));
    return index != NgramTable::kNone ? bigrams.cost(index) : weights[v] + lower;
  }
  // How much less w after v costs than backing off: 0 if the pair was not seen.
  int32_t gain(uint32_t v, uint32_t w, uint32_t lower) const {
    const uint32_t index = bigrams.find(NgramTable::pair(v, w));
    return index == NgramTable::kNone ? 0
                                      : int32_t(weights[v] + lower) - int32_t(bigrams.cost(index));
  }
  // The index of (u, v) in the bigram table, the history of a trigram.
  uint32_t history(uint32_t u, uint32_t v) const {
    return trigrams.capacity ? bigrams.find(NgramTable::pair(u, v)) : NgramTable::kNone;
  }
  // The cost of w after history h = (u, v); `lower`: the cost of w after v alone.
  uint32_t trigram(uint32_t h, uint32_t w, uint32_t lower) const {
    if (h == NgramTable::kNone) return lower;
    uint32_t index = trigrams.find(NgramTable::pair(h, w));
    return index != NgramTable::kNone ? trigrams.cost(index) : bigrams.weight(h) + lower;
  }
};

}  // namespace segmenter
