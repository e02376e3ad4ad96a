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

// Builds the units. `ids` holds the words' character ids one after another, word i in [offsets[i],
// offsets[i+1]); costs and weights are per word; words are distinct and not empty. `single_cost` is
// the cost of one-character paths that are not words.
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
      take(id);
      units[id] = make_unit(kNoLabel, single_cost, 0, 0);
    }

    std::priority_queue<Node> queue;
    // level 1: ranges of the sorted words by first character
    for (size_t lo = 0; lo < n_words;) {
      uint32_t id = at(lo, 0);
      size_t hi = upper(lo, n_words, 0, id);
      enter(queue, lo, hi, 1, id, costs);
      lo = hi;
    }
    std::vector<uint32_t> labels;
    std::vector<size_t> cuts;
    while (!queue.empty()) {
      Node node = queue.top();
      queue.pop();
      labels.clear();
      cuts.clear();
      for (size_t lo = node.lo; lo < node.hi;) {
        uint32_t id = at(lo, node.depth);
        size_t hi = upper(lo, node.hi, node.depth, id);
        labels.push_back(id);
        cuts.push_back(lo);
        lo = hi;
      }
      cuts.push_back(node.hi);
      uint32_t base = place(labels);
      uint32_t guard = 0;
      for (uint32_t id : labels) guard |= 1u << (id & 7);
      units[node.slot] =
          make_unit(unit_label(units[node.slot]), unit_cost(units[node.slot]), guard, base);
      for (size_t k = 0; k < labels.size(); ++k) {
        uint32_t slot = base + labels[k];
        take(slot);
        units[slot] = make_unit(labels[k], kNoCost, 0, 0);
        enter(queue, cuts[k], cuts[k + 1], node.depth + 1, slot, costs);
      }
    }
    // every base + id must be readable
    uint32_t need = n_ids + 1;
    for (uint64_t u : units) need = std::max(need, unit_base(u) + n_ids);
    units.resize(need, kEmptyUnit);
  }

 private:
  struct Node {
    uint64_t weight;
    size_t lo, hi;
    uint32_t depth, slot;
    bool operator<(const Node& o) const {  // ties by slot, so that the layout is reproducible
      return weight != o.weight ? weight < o.weight : slot > o.slot;
    }
  };

  const uint16_t* ids_ = nullptr;
  const int64_t* offsets_ = nullptr;
  uint32_t n_ids_ = 0;
  std::vector<uint32_t> order_;
  std::vector<uint64_t> sums_;
  std::vector<uint64_t> used_;  // one bit per slot
  // union-find: the first word of `used_` from here on that has a gap
  std::vector<uint32_t> next_word_;
  std::vector<uint64_t> base_used_;  // one bit per base
  uint32_t hint_[64] = {};
  static constexpr uint32_t kTries = 4096, kBackUp = 1u << 16;

  size_t length(size_t i) const { return size_t(offsets_[order_[i] + 1] - offsets_[order_[i]]); }
  uint32_t at(size_t i, size_t depth) const { return ids_[offsets_[order_[i]] + int64_t(depth)]; }

  // The end of the words from `lo` on, before `hi`, whose character at `depth` is `id`.
  size_t upper(size_t lo, size_t hi, size_t depth, uint32_t id) const {
    const auto first = order_.begin();
    return size_t(std::partition_point(
                      first + std::ptrdiff_t(lo), first + std::ptrdiff_t(hi),
                      [&](uint32_t word) { return ids_[offsets_[word] + int64_t(depth)] == id; }) -
                  first);
  }

  void enter(std::priority_queue<Node>& queue, size_t lo, size_t hi, uint32_t depth, uint32_t slot,
             const uint16_t* costs) {
    uint64_t weight = sums_[hi] - sums_[lo];
    if (length(lo) == depth) {  // the shortest of a range sorts first
      uint32_t word = order_[lo];
      slot_of_word[word] = slot;
      units[slot] = (units[slot] & ~(uint64_t(0xFFFF) << 16)) | uint64_t(costs[word]) << 16;
      if (depth == 1) units[slot] &= ~uint64_t(1);
      ++lo;
      if (lo < hi && length(lo) == depth) throw std::invalid_argument("duplicate word");
    }
    if (lo < hi) queue.push(Node{weight, lo, hi, depth, slot});
  }

  void grow(size_t n) {
    if (n <= units.size()) return;
    if (n > kMaxSlots) throw std::length_error("more nodes than the double array holds (2**24)");
    n = std::min<size_t>(kMaxSlots, (std::max(n, units.size() + units.size() / 2) + 63) / 64 * 64);
    size_t words = n / 64, old = used_.size();
    units.resize(n, kEmptyUnit);
    used_.resize(words, 0);
    next_word_.resize(words + 1);
    for (size_t w = old; w <= words; ++w) next_word_[w] = uint32_t(w);
    base_used_.resize(words, 0);
  }

  uint32_t find_word(uint32_t w) {
    uint32_t root = w;
    while (next_word_[root] != root) root = next_word_[root];
    while (next_word_[w] != root) {
      uint32_t next = next_word_[w];
      next_word_[w] = root;
      w = next;
    }
    return root;
  }

  // The first free slot from `slot` on; grows the array if there is none.
  uint32_t next_free(uint32_t slot) {
    for (;;) {
      if (slot >= units.size()) grow(slot + 1);
      uint32_t w = slot / 64;
      uint64_t gaps = ~used_[w] & (~uint64_t(0) << (slot % 64));
      if (gaps) return w * 64 + uint32_t(__builtin_ctzll(gaps));
      w = find_word(w + 1);
      slot = w * 64;
    }
  }

  void take(uint32_t slot) {
    grow(slot + 1);
    uint64_t& w = used_[slot / 64];
    w |= uint64_t(1) << (slot % 64);
    if (w == ~uint64_t(0)) next_word_[slot / 64] = slot / 64 + 1;
  }

  // 64 bits of `bits` from bit `at` on; bits past the end are free.
  static uint64_t bits_at(const std::vector<uint64_t>& bits, size_t at) {
    size_t w = at / 64, r = at % 64;
    uint64_t low = w < bits.size() ? bits[w] >> r : 0;
    return r && w + 1 < bits.size() ? low | bits[w + 1] << (64 - r) : low;
  }

  // The first base at which all labels fall on free slots, tried 64 bases at a time. For the time
  // of trying a few one by one, the array of 282 thousand words has 720 thousand slots instead of
  // 822.
  uint32_t place(const std::vector<uint32_t>& labels) {
    const uint32_t first = labels[0];
    const size_t bucket = std::min<size_t>(labels.size(), 63);
    uint32_t tries = 0;
    for (uint32_t slot = next_free(std::max(first + 1, hint_[bucket]));; ++tries) {
      const uint32_t base = slot - first;
      uint64_t taken = bits_at(base_used_, base);
      for (size_t k = 0; k < labels.size() && ~taken; ++k)
        taken |= bits_at(used_, base + labels[k]);
      if (~taken) {
        const uint32_t found = base + uint32_t(__builtin_ctzll(~taken));
        // otherwise the search through the crowded front of a large array would be quadratic
        if (labels.size() > 1 && tries > kTries)
          hint_[bucket] = slot > kBackUp ? slot - kBackUp : 0;
        grow(size_t(found) + labels.back() + 1);
        base_used_[found / 64] |= uint64_t(1) << (found % 64);
        return found;
      }
      slot = next_free(slot + 64);
    }
  }
};

}  // namespace segmenter
