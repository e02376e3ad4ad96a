// Double-array trie (Aoe 1989) over dense character ids.
//
// One 64-bit unit per slot, so that one load answers everything that a walk asks:
//
//     bits  0-15  label   the character id that leads here; kNoLabel in empty slots
//     bits 16-31  cost    of the word that ends here; kNoCost if none does
//     bits 32-39  guard   a Bloom filter of the children's ids: bit (id & 7)
//     bits 40-63  base    child(id) is slot base + id; 0: no children
//
// Level 1 needs no look-up: the node of character id c is slot c; its label matches no id, and bit
// 0 of the label is clear if the character itself is a word. No two nodes share a base, so the
// label alone proves parenthood and there is no `check` array. Character ids are dense and ordered
// by frequency, and nodes are placed most frequent subtree first: frequent paths share few cache
// lines at the front.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "compiler.hpp"

namespace segmenter {

constexpr uint32_t kNoLabel = 0xFFFF;
constexpr uint32_t kNoCost = 0xFFFF;
constexpr uint32_t kMaxCost = 0xFFFE;  // of a word
constexpr uint32_t kMaxIds = 0x7FFF;
constexpr uint16_t kIdBits = 0x7FFF;  // of an entry of a character map
constexpr uint16_t kOddChar =
    0x8000;  // of an entry: the code point is not the canonical form of its id
constexpr uint32_t kMaxSlots = 1u << 24;

constexpr uint64_t kEmptyUnit = uint64_t(kNoLabel) | uint64_t(kNoCost) << 16;

inline uint32_t unit_label(uint64_t u) { return uint32_t(u & 0xFFFF); }
inline uint32_t unit_cost(uint64_t u) { return uint32_t(u) >> 16; }
inline uint32_t unit_guard(uint64_t u, uint32_t id) { return uint32_t(u >> (32 + (id & 7))) & 1; }
inline uint32_t unit_base(uint64_t u) { return uint32_t(u >> 40); }

inline uint64_t make_unit(uint32_t label, uint32_t cost, uint32_t guard, uint32_t base) {
  return uint64_t(label) | uint64_t(cost) << 16 | uint64_t(guard) << 32 | uint64_t(base) << 40;
}

// Code point -> entry: the character id (kIdBits) and kOddChar (full width, upper case, …).
struct CharMap {
  const uint16_t* bmp = nullptr;           // [65536]
  const uint16_t* astral_page = nullptr;   // [4096], (cp >> 8) - 0x100 -> block
  const uint16_t* astral_block = nullptr;  // [blocks * 256]; block 0 is all zeros

  uint16_t operator()(uint32_t cp) const {
    if (cp < 0x10000) return bmp[cp];
    if (cp > 0x10FFFF) return 0;
    return astral_block[uint32_t(astral_page[(cp >> 8) - 0x100]) * 256 + (cp & 0xFF)];
  }
  uint16_t id(uint32_t cp) const { return (*this)(cp)&kIdBits; }
};

// A Bloom filter of the pairs of characters that begin words, one bit per pair. Six of ten pairs of
// running text begin no word; this table, which fits the L2 cache, rejects them before a unit of
// the trie is loaded.
struct PairFilter {
  static constexpr uint32_t kOpen = 0xFFFFFFFF;
  const uint32_t* words = &kOpen;  // this default lets every pair through
  uint32_t mask = 31;              // number of bits, a power of two, minus one

  // Multiplicative hashing (Knuth, volume 3, section 6.4): the middle bits of the product.
  static uint32_t hash(uint32_t pair) {
    return uint32_t((uint64_t(pair) * 0x9E3779B97F4A7C15u) >> 32);
  }
  static uint32_t pair(uint32_t first, uint32_t second) { return first | second << 16; }
  // `pair`: as two_at() reads it.
  uint32_t may_begin_word(uint32_t pair) const {
    uint32_t bit = hash(pair) & mask;
    return words[bit >> 5] >> (bit & 31) & 1;
  }
  // Points at a table of n_words; false if that is not a power of two.
  bool attach(const uint32_t* table, size_t n_words) {
    if (n_words == 0 || (n_words & (n_words - 1)) || n_words > (size_t(1) << 26)) return false;
    words = table;
    mask = uint32_t(n_words * 32 - 1);
    return true;
  }
};

struct Trie {
  const uint64_t* units = nullptr;
  uint32_t n_units = 0;
  uint32_t n_ids = 0;
  PairFilter pairs;

  // The slot of the child of `slot` by `id`; 0 if there is none.
  uint32_t child(uint32_t slot, uint32_t id) const {
    uint32_t s = unit_base(units[slot]) + id;
    return unit_label(units[s]) == id ? s : 0;
  }
};

}  // namespace segmenter
