// The merges of byte-pair encoding: their table, and which characters no merge can join.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "probe.hpp"
#include "subword/model.hpp"

namespace segmenter {

// From (left, right) to rank and merged id: open addressing with linear probing.
class MergeTable {
 public:
  struct Merge {
    uint64_t key;  // left << 32 | right, or kFree
    uint32_t rank, merged;
  };
  static constexpr uint64_t kFree = ~uint64_t(0);
  static constexpr uint32_t kNone = 0xFFFFFFFF;  // the pair has no merge

  void reserve(size_t n) {
    merges_.assign(power_of_two(2 * n), Merge{kFree, kNone, kNoPiece});
    shift_ = shift_of(merges_.size());
  }
  // Replaces the rank of an existing pair.
  void set(uint32_t left, uint32_t right, uint32_t rank, uint32_t merged) {
    uint64_t key = uint64_t(left) << 32 | right;
    merges_[place(key)] = Merge{key, rank, merged};
  }
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Merge& merge : merges_)
      if (merge.key != kFree) visit(merge);
  }
  // The merge of a pair; its rank is kNone if there is none.
  const Merge& find(uint32_t left, uint32_t right) const {
    return merges_[place(uint64_t(left) << 32 | right)];
  }

 private:
  std::vector<Merge> merges_;
  uint32_t shift_ = 60;
  // The slot of a key, or a free one for it.
  size_t place(uint64_t key) const {
    return probe(size_t((key * 0x9E3779B97F4A7C15u) >> shift_), merges_.size() - 1,
                 [&](size_t i) { return merges_[i].key == key || merges_[i].key == kFree; });
  }
};

// A Bloom filter of pairs of numbers: two bits of one word, at least a byte per pair.
class PairBits {
 public:
  void reserve(size_t n) {
    words_.assign(power_of_two((n + 7) / 8), 0);
    shift_ = shift_of(words_.size());
  }
  void add(uint64_t pair) {
    const uint64_t h = pair * 0x9E3779B97F4A7C15u;
    words_[h >> shift_] |= bits(h);
  }
  bool may_have(uint64_t pair) const {
    const uint64_t h = pair * 0x9E3779B97F4A7C15u;
    return (words_[h >> shift_] & bits(h)) == bits(h);
  }

 private:
  std::vector<uint64_t> words_ = std::vector<uint64_t>(16);
  uint32_t shift_ = 60;
  static uint64_t bits(uint64_t h) {
    return uint64_t(1) << (h >> 32 & 63) | uint64_t(1) << (h >> 26 & 63);
  }
};

// Which two chunks of UTF-8 are adjacent in some piece; a chunk is a character, or the part of one
// at the end of a piece.
class Neighbours {
 public:
  void build(std::vector<uint64_t>& keys, uint32_t shapes) {
    shapes_ = shapes;
    for (uint64_t key : keys) {
      lefts_.push_back(uint32_t(key >> 32));
      rights_.push_back(uint32_t(key));
    }
    for (std::vector<uint32_t>* side : {&lefts_, &rights_}) {
      std::sort(side->begin(), side->end());
      side->erase(std::unique(side->begin(), side->end()), side->end());
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const size_t bits = power_of_two(16 * keys.size(), 1024);  // up to nine look-ups per boundary
    shift_ = shift_of(bits);
    bits_.assign(bits / 32, 0);
    for (uint64_t key : keys) bits_[hash(key) >> 5] |= 1u << (hash(key) & 31);
  }
  static uint64_t key(uint32_t left, uint32_t right) { return uint64_t(left) << 32 | right; }

  // For a character of n bytes. Bit i: some piece contains it without its first i bytes and
  // continues after it.
  uint32_t goes_on(uint32_t x, uint32_t n) const {
    uint32_t ways = 0;
    for (uint32_t i = 0; i < n; ++i)
      if (std::binary_search(lefts_.begin(), lefts_.end(), i ? x & ((1u << 8 * (n - i)) - 1) : x))
        ways |= 1u << i;
    return ways;
  }
  // Bit k: some piece contains it without its last k bytes, preceded by something.
  uint32_t comes_after(uint32_t y, uint32_t n) const {
    uint32_t ways = 0;
    for (uint32_t k = 0; k < n; ++k)
      if (std::binary_search(rights_.begin(), rights_.end(), y >> 8 * k)) ways |= 1u << k;
    return ways;
  }

  // Whether some piece may contain the end of x and the start of y (n bytes each, the first
  // highest). The ways are goes_on(x) and comes_after(y).
  bool may_join(uint32_t x, uint32_t n_x, uint32_t left_ways, uint32_t y, uint32_t n_y,
                uint32_t right_ways) const {
    for (uint32_t i = 0; i < n_x; ++i) {  // bytes of x that the piece lacks
      uint32_t ways = left_ways >> i & 1 ? shapes_ >> (4 * i) & 15 & right_ways : 0;
      if (!ways) continue;
      uint32_t left = i ? x & ((1u << 8 * (n_x - i)) - 1) : x;
      for (uint32_t k = 0; k < n_y; ++k)  // bytes of y that it lacks
        if ((ways >> k & 1) && may_contain(key(left, y >> 8 * k))) return true;
    }
    return false;
  }

 private:
  std::vector<uint32_t> bits_, lefts_, rights_;
  uint32_t shift_ = 54;
  uint32_t shapes_ = 0;  // bit 4 * i + k: some piece lacks i bytes of the left and k of the right
  uint64_t hash(uint64_t key) const { return (key * 0x9E3779B97F4A7C15u) >> shift_; }
  bool may_contain(uint64_t key) const { return bits_[hash(key) >> 5] >> (hash(key) & 31) & 1; }
};

}  // namespace segmenter
