// Builds the double array (double_array.hpp) when a lexicon or a vocabulary is compiled.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <vector>

#include "lexicon/double_array.hpp"

namespace segmenter {

// Builds the units. `ids` has the character ids of the words one after another, word i in
// [offsets[i], offsets[i+1]); costs and weights are per word; words are distinct and not empty.
// `single_cost`: the cost of single characters that are not words.
class TrieBuilder {
 public:
  std::vector<uint64_t> units;
  std::vector<uint32_t> slot_of_word;

  void build(const uint16_t* ids, const int64_t* offsets, const uint16_t* costs,
             const uint64_t* weights, size_t n_words, uint32_t n_ids, uint32_t single_cost) {
    ids_ = ids;
    offsets_ = offsets;
    n_ids_ = n_ids;
    order_.resize(n_words);
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      return std::lexicographical_compare(ids + offsets[a], ids + offsets[a + 1], ids + offsets[b],
                                          ids + offsets[b + 1]);
    });
    sums_.assign(n_words + 1, 0);
    for (size_t i = 0; i < n_words; ++i) sums_[i + 1] = sums_[i] + weights[order_[i]];
    slot_of_word.assign(n_words, 0);
    grow(n_ids + 1);
    for (uint32_t id = 0; id < n_ids; ++id) {
      occupy(id);
      units[id] = make_unit(kNoLabel, single_cost, 0, 0);
    }

    std::priority_queue<Node> queue;
    // level 1: ranges of the sorted words by first character
    for (size_t first = 0; first < n_words;) {
      uint32_t id = id_at(first, 0);
      size_t last = range_end(first, n_words, 0, id);
      add_node(queue, first, last, 1, id, costs);
      first = last;
    }
    std::vector<uint32_t> labels;
    std::vector<size_t> cuts;
    while (!queue.empty()) {
      Node node = queue.top();
      queue.pop();
      labels.clear();
      cuts.clear();
      for (size_t first = node.first; first < node.last;) {
        uint32_t id = id_at(first, node.depth);
        size_t last = range_end(first, node.last, node.depth, id);
        labels.push_back(id);
        cuts.push_back(first);
        first = last;
      }
      cuts.push_back(node.last);
      uint32_t base = find_base(labels);
      uint32_t guard = 0;
      for (uint32_t id : labels) guard |= 1u << (id & 7);
      units[node.slot] =
          make_unit(unit_label(units[node.slot]), unit_cost(units[node.slot]), guard, base);
      for (size_t k = 0; k < labels.size(); ++k) {
        uint32_t slot = base + labels[k];
        occupy(slot);
        units[slot] = make_unit(labels[k], kNoCost, 0, 0);
        add_node(queue, cuts[k], cuts[k + 1], node.depth + 1, slot, costs);
      }
    }
    // every base + id must be readable
    uint32_t n_units = n_ids + 1;
    for (uint64_t u : units) n_units = std::max(n_units, unit_base(u) + n_ids);
    units.resize(n_units, kEmptyUnit);
  }

 private:
  struct Node {
    uint64_t weight;
    size_t first, last;
    uint32_t depth, slot;
    bool operator<(const Node& other) const {  // ties by slot, so that the layout is reproducible
      return weight != other.weight ? weight < other.weight : slot > other.slot;
    }
  };

  const uint16_t* ids_ = nullptr;
  const int64_t* offsets_ = nullptr;
  uint32_t n_ids_ = 0;
  std::vector<uint32_t> order_;
  std::vector<uint64_t> sums_;
  std::vector<uint64_t> used_;  // one bit per slot
  // union-find over the words of used_: leads to the first word from here on that has a gap
  std::vector<uint32_t> next_word_;
  std::vector<uint64_t> base_used_;  // one bit per base
  uint32_t hint_[64] = {};
  static constexpr uint32_t kMaxTries = 4096, kBackUp = 1u << 16;

  size_t length(size_t i) const { return size_t(offsets_[order_[i] + 1] - offsets_[order_[i]]); }
  uint32_t id_at(size_t i, size_t depth) const {
    return ids_[offsets_[order_[i]] + int64_t(depth)];
  }

  // The end of the words from `first` on, before `last`, that have `id` at `depth`.
  size_t range_end(size_t first, size_t last, size_t depth, uint32_t id) const {
    const auto order_begin = order_.begin();
    return size_t(std::partition_point(
                      order_begin + std::ptrdiff_t(first), order_begin + std::ptrdiff_t(last),
                      [&](uint32_t word) { return ids_[offsets_[word] + int64_t(depth)] == id; }) -
                  order_begin);
  }

  void add_node(std::priority_queue<Node>& queue, size_t first, size_t last, uint32_t depth,
                uint32_t slot, const uint16_t* costs) {
    uint64_t weight = sums_[last] - sums_[first];
    if (length(first) == depth) {  // the shortest word of a range sorts first
      uint32_t word = order_[first];
      slot_of_word[word] = slot;
      units[slot] = (units[slot] & ~(uint64_t(0xFFFF) << 16)) | uint64_t(costs[word]) << 16;
      if (depth == 1) units[slot] &= ~uint64_t(1);
      ++first;
      if (first < last && length(first) == depth)
        throw std::invalid_argument("a word occurs twice");
    }
    if (first < last) queue.push(Node{weight, first, last, depth, slot});
  }

  void grow(size_t n) {
    if (n <= units.size()) return;
    if (n > kMaxSlots)
      throw std::length_error(
          "more nodes than the double array holds (2**24): use fewer words or pieces");
    n = std::min<size_t>(kMaxSlots, (std::max(n, units.size() + units.size() / 2) + 63) / 64 * 64);
    size_t n_words = n / 64, n_old = used_.size();
    units.resize(n, kEmptyUnit);
    used_.resize(n_words, 0);
    next_word_.resize(n_words + 1);
    for (size_t word = n_old; word <= n_words; ++word) next_word_[word] = uint32_t(word);
    base_used_.resize(n_words, 0);
  }

  uint32_t find_root(uint32_t word) {
    uint32_t root = word;
    while (next_word_[root] != root) root = next_word_[root];
    while (next_word_[word] != root) {
      uint32_t parent = next_word_[word];
      next_word_[word] = root;
      word = parent;
    }
    return root;
  }

  // The first free slot from `slot` on; grows the array if there is none.
  uint32_t next_free(uint32_t slot) {
    for (;;) {
      if (slot >= units.size()) grow(slot + 1);
      uint32_t word = slot / 64;
      uint64_t gaps = ~used_[word] & (~uint64_t(0) << (slot % 64));
      if (gaps) return word * 64 + uint32_t(__builtin_ctzll(gaps));
      word = find_root(word + 1);
      slot = word * 64;
    }
  }

  void occupy(uint32_t slot) {
    grow(slot + 1);
    uint64_t& w = used_[slot / 64];
    w |= uint64_t(1) << (slot % 64);
    if (w == ~uint64_t(0)) next_word_[slot / 64] = slot / 64 + 1;
  }

  // 64 bits of `bits` from bit `first` on; bits past the end are free.
  static uint64_t bits_from(const std::vector<uint64_t>& bits, size_t first) {
    size_t word = first / 64, shift = first % 64;
    uint64_t low = word < bits.size() ? bits[word] >> shift : 0;
    return shift && word + 1 < bits.size() ? low | bits[word + 1] << (64 - shift) : low;
  }

  // The first base at which all labels fall on free slots, tried 64 bases at a time. In the time of
  // trying a few bases one by one, this packs 282 thousand words into 720 thousand slots instead of
  // 822.
  uint32_t find_base(const std::vector<uint32_t>& labels) {
    const uint32_t first_label = labels[0];
    const size_t bucket = std::min<size_t>(labels.size(), 63);
    uint32_t tries = 0;
    for (uint32_t slot = next_free(std::max(first_label + 1, hint_[bucket]));; ++tries) {
      const uint32_t base = slot - first_label;
      uint64_t used = bits_from(base_used_, base);
      for (size_t k = 0; k < labels.size() && ~used; ++k)
        used |= bits_from(used_, base + labels[k]);
      if (~used) {
        const uint32_t free_base = base + uint32_t(__builtin_ctzll(~used));
        // without the hint, the search through the crowded front of a large array would be
        // quadratic
        if (labels.size() > 1 && tries > kMaxTries)
          hint_[bucket] = slot > kBackUp ? slot - kBackUp : 0;
        grow(size_t(free_base) + labels.back() + 1);
        base_used_[free_base / 64] |= uint64_t(1) << (free_base % 64);
        return free_base;
      }
      slot = next_free(slot + 64);
    }
  }
};

}  // namespace segmenter
