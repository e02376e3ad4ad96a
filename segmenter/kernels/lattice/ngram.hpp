// Bigram and trigram costs: back-off tables over word numbers (absolute discounting, Ney, Essen &
// Kneser 1994; stored in back-off form as in Katz 1987).
//
// Tokens are word numbers in [0, n_words); then n_words + kind for every edge kind that is no
// word; then the boundary of a sentence.  A seen n-gram's whole cost is stored; an unseen one
// costs the weight of its history plus the cost at the order below.
#pragma once
#include <cstdint>

#include "lexicon/lexicon.hpp"
#include "pieces.hpp"
#include "probe.hpp"

namespace segmenter {

// Open addressing with linear probing.  A record: key << 24 | cost << 8 | weight; the key has 40
// bits, cost is in lexicon units, weight in steps of 128 units.  All ones: empty.
struct NgramTable {
  const uint64_t* records = nullptr;
  uint32_t capacity = 0;  // 0: no table

  static constexpr uint64_t kEmpty = ~uint64_t(0);
  static constexpr uint32_t kNone = ~uint32_t(0);

  static uint32_t home(uint64_t key, uint32_t capacity) {
    uint64_t h = key * 0x9E3779B97F4A7C15ull;
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93ull;
    return uint32_t((h >> 32) * capacity >> 32);
  }
  uint32_t find(uint64_t key) const {
    if (!capacity) return kNone;
    const size_t at = probe(home(key, capacity), capacity - 1,
                            [&](size_t i) { return records[i] >> 24 == key || records[i] == kEmpty; });
    return records[at] >> 24 == key ? uint32_t(at) : kNone;
  }
  uint32_t cost(uint32_t at) const { return uint32_t(records[at] >> 8) & 0xFFFF; }
  uint32_t weight(uint32_t at) const { return uint32_t(records[at] & 0xFF) << 7; }
};

struct NgramModel {
  uint32_t n_words = 0;
  const uint16_t* weights = nullptr;  // [n_words + kEdgeKinds + 1]: back-off weight of a history
  uint32_t boundary_cost = 0;         // unigram cost of the end of a sentence
  NgramTable bigrams, trigrams;

  bool ready() const { return weights != nullptr; }
  uint32_t boundary() const { return n_words + kEdgeKinds; }

  // Cost of w after v; `lower` is w's unigram cost.
  uint32_t bigram(uint32_t v, uint32_t w, uint32_t lower) const {
    // Whether a pair was seen is a coin toss: the answer at the home place is taken by a
    // conditional move, only a place that another key holds is walked on from.
    uint64_t key = uint64_t(v) << 20 | w;
    if (!bigrams.capacity) return weights[v] + lower;
    uint64_t r = bigrams.records[NgramTable::home(key, bigrams.capacity)];
    uint32_t seen = uint32_t(r >> 8) & 0xFFFF, backed_off = weights[v] + lower;
    bool first = r >> 24 == key, none = r == NgramTable::kEmpty;
    if (__builtin_expect(first | none, 1)) return first ? seen : backed_off;
    uint32_t at = bigrams.find(key);
    return at != NgramTable::kNone ? bigrams.cost(at) : backed_off;
  }
  // Where (u, v) stands in the bigram table: the history of a trigram.
  uint32_t history(uint32_t u, uint32_t v) const {
    return trigrams.capacity ? bigrams.find(uint64_t(u) << 20 | v) : NgramTable::kNone;
  }
  // Cost of w after history h = (u, v).
  uint32_t trigram(uint32_t h, uint32_t v, uint32_t w, uint32_t lower) const {
    if (h == NgramTable::kNone) return bigram(v, w, lower);
    uint32_t at = trigrams.find(uint64_t(h) << 20 | w);
    return at != NgramTable::kNone ? trigrams.cost(at) : bigrams.weight(h) + bigram(v, w, lower);
  }
};

}  // namespace segmenter
