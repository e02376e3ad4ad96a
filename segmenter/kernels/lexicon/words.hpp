// The words of a lexicon recovered from its trie: spellings, costs, parents of nodes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"
#include "lexicon/lexicon.hpp"
#include "map_text.hpp"
#include "probe.hpp"

namespace segmenter {

// A word in a text: start, exclusive end, number in the lexicon.
struct Found {
  uint32_t start, end, number;
};

// The parents of nodes. No two nodes share a base, so slot - label, the base of the parent,
// identifies the parent.
class Parents {
 public:
  explicit Parents(const Trie& trie) : trie_(trie), slot_of_base_(trie.n_units + 1, 0) {
    for (uint32_t s = 1; s < trie.n_units; ++s) slot_of_base_[unit_base(trie.units[s])] = s;
    slot_of_base_[0] = 0;  // what has no children
  }
  // The parent of a node below level 1. In units that are not a tree: 0, or any slot.
  uint32_t of(uint32_t slot) const {
    return slot_of_base_[slot - std::min(unit_label(trie_.units[slot]), slot)];
  }
  uint32_t label(uint32_t slot) const {
    return slot < trie_.n_ids ? slot : unit_label(trie_.units[slot]);
  }
  // By slot: the length of the path there, 0 if there is no node. Throws std::invalid_argument if
  // the units are not a tree: every node must descend from level 1.
  std::vector<uint32_t> depths() const {
    constexpr uint32_t kVisiting = ~uint32_t(0);
    std::vector<uint32_t> depth(trie_.n_units, 0), path;
    std::fill_n(depth.begin(), trie_.n_ids, 1u);
    for (uint32_t slot = 1; slot < trie_.n_units; ++slot) {
      if (label(slot) == kNoLabel) continue;
      if (unit_base(trie_.units[slot]) && slot_of_base_[unit_base(trie_.units[slot])] != slot)
        throw std::invalid_argument("trie.units: two nodes have the same children");
      uint32_t k = slot;
      for (; !depth[k]; k = of(k)) {
        depth[k] = kVisiting;
        path.push_back(k);
        if (!of(k)) throw std::invalid_argument("trie.units: a node has no parent");
      }
      if (depth[k] == kVisiting) throw std::invalid_argument("trie.units: a node is below itself");
      for (uint32_t d = depth[k]; !path.empty(); path.pop_back()) depth[path.back()] = ++d;
    }
    return depth;
  }

 private:
  const Trie& trie_;
  std::vector<uint32_t> slot_of_base_;
};

// The table of a PairFilter, with at least four bits per pair: one in five absent pairs passes.
// With eight bits it would be one in nine, but the table would push units out of the cache.
inline std::vector<uint32_t> pair_filter(const Trie& trie) {
  const Parents parents(trie);
  const std::vector<uint32_t> depth = parents.depths();
  const auto n = size_t(std::count(depth.begin(), depth.end(), 2u));
  std::vector<uint32_t> table(power_of_two(4 * n, 32) / 32, 0);
  PairFilter filter;
  filter.attach(table.data(), table.size());
  for (uint32_t slot = trie.n_ids; slot < trie.n_units; ++slot) {
    if (depth[slot] != 2) continue;
    const uint32_t pair = PairFilter::pair(parents.of(slot), parents.label(slot));
    const uint32_t bit = PairFilter::hash(pair) & filter.mask;
    table[bit >> 5] |= 1u << (bit & 31);
  }
  return table;
}

// The canonical code point of each character id; 0 for ids of many code points.
inline std::vector<uint32_t> letters(const Lexicon& lex) {
  std::vector<uint32_t> letters(lex.trie.n_ids, 0);
  for (uint32_t cp = 0; cp < 0x110000; ++cp) {
    uint32_t entry = lex.spelling(cp);
    if (entry && entry < letters.size()) letters[entry] = cp;  // bit 15: not canonical
  }
  return letters;
}

// Calls visit(slot) for every word, in the order of their numbers.
template <class Visit>
void for_each_word(const Lexicon& lex, Visit&& visit) {
  for (uint32_t word = 0; word * 64 < lex.trie.n_units; ++word)
    for (uint64_t bits = lex.terminal[word]; bits; bits &= bits - 1)
      visit(word * 64 + uint32_t(__builtin_ctzll(bits)));
}

// The character ids of all words, one after another; word i is [offsets[i], offsets[i+1]).
inline void spell(const Lexicon& lex, std::vector<uint16_t>& ids, std::vector<size_t>& offsets) {
  const Parents parents(lex.trie);
  const std::vector<uint32_t> depth = parents.depths();
  ids.clear();
  offsets.assign(1, 0);
  for_each_word(lex, [&](uint32_t slot) {
    ids.resize(ids.size() + depth[slot]);
    offsets.push_back(ids.size());
    for (uint16_t* id = ids.data() + ids.size();; slot = parents.of(slot)) {
      *--id = uint16_t(parents.label(slot));
      if (slot < lex.trie.n_ids) break;
    }
  });
}

inline void word_costs(const Lexicon& lex, std::vector<uint16_t>& costs) {
  costs.clear();
  costs.reserve(lex.n_words);
  for_each_word(lex,
                [&](uint32_t slot) { costs.push_back(uint16_t(unit_cost(lex.trie.units[slot]))); });
}

// The ranking for Variants::resolve() by a lexicon whose words are in another trie.
using LongestWord = uint32_t (*)(void* context, const uint16_t* ids, uint32_t n, uint32_t k);

// A text as character ids.
inline void encode(const Lexicon& lex, const Text& text, uint16_t* ids,
                   LongestWord longest = nullptr, void* context = nullptr) {
  const size_t n = text.n;
  std::vector<uint8_t> not_canonical(lex.variants ? n : 0, 0);
  for (size_t position = 0; position < n; ++position) {
    const uint32_t entry = lex.map(text[position]);
    ids[position] = uint16_t(entry & kIdBits);
    if (!not_canonical.empty()) not_canonical[position] = uint8_t(entry >> 15);
  }
  if (not_canonical.empty()) return;
  if (!longest) lex.resolve(text, 0, n, ids, not_canonical.data());
  else
    lex.variants->resolve(text, 0, n, ids, not_canonical.data(),
                          [&](const uint16_t* ids_around, uint32_t n_around, uint32_t position) {
                            return longest(context, ids_around, n_around, position);
                          });
}

// All words in a text by the double array alone, by start, then by end: a walk from every position,
// as far as the trie follows the text.
inline void find_words(const Lexicon& lex, const uint16_t* ids, size_t n,
                       std::vector<Found>& words) {
  words.clear();
  Interrupt::for_each(n, [&](size_t i) {
    uint32_t slot = ids[i];
    for (size_t k = i + 1; slot; ++k) {
      if (lex.is_word(slot)) words.push_back(Found{uint32_t(i), uint32_t(k), lex.word_id(slot)});
      if (k == n) break;
      slot = lex.trie.child(slot, ids[k]);
    }
  });
}

}  // namespace segmenter
