// A perfect hash of pairs of character ids (hash and displace: Belazzougui, Botelho and
// Dietzfelbinger 2009): a small table of pilots gives the only place where a pair can be.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "probe.hpp"

namespace segmenter {

// The place of a pair's record, if it has one.
struct PairHash {
  const uint16_t* pilots = nullptr;
  uint32_t shift = 63;  // 64 minus log2 of the number of pilots
  uint32_t n = 1;       // records

  // `n_pilots`: a power of two.
  void attach(const uint16_t* given, size_t n_pilots, uint32_t places) {
    pilots = given;
    shift = shift_of(n_pilots);
    n = places;
  }
  static uint64_t mix(uint32_t first, uint32_t second) {
    return (uint64_t(first) << 16 | second) * 0x9E3779B97F4A7C15u;
  }
  static uint32_t place(uint64_t h, uint32_t pilot, uint32_t n) {
    // xor, not plus: the difference of two keys must depend on the pilot
    uint64_t x = (h ^ pilot * 0xD1B54A32D192ED03u) * 0x94D049BB133111EBu;
    return uint32_t((x >> 32) * n >> 32);
  }
  uint32_t operator()(uint32_t first, uint32_t second) const {
    uint64_t h = mix(first, second);
    return place(h, pilots[h >> shift], n);
  }

  // Finds pilots that give distinct keys (first << 16 | second) distinct places among `n`, 5% more
  // than there are keys; `n_pilots` is a power of two.
  static std::vector<uint16_t> build(const uint32_t* keys, size_t n_keys, size_t n_pilots,
                                     uint32_t n) {
    const uint32_t shift = shift_of(n_pilots);
    if (shift > 63 || n < n_keys) throw std::invalid_argument("PairHash: too few places");
    std::vector<uint32_t> start(n_pilots + 1, 0), member(n_keys), order(n_pilots);
    auto bucket = [&](uint32_t key) { return size_t(mix(key >> 16, key & 0xFFFF) >> shift); };
    for (size_t i = 0; i < n_keys; ++i) ++start[bucket(keys[i]) + 1];
    for (size_t i = 0; i < n_pilots; ++i) start[i + 1] += start[i];
    std::vector<uint32_t> at(start.begin(), start.end() - 1);
    for (size_t i = 0; i < n_keys; ++i) member[at[bucket(keys[i])]++] = keys[i];
    for (size_t i = 0; i < n_pilots; ++i) order[i] = uint32_t(i);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return start[a + 1] - start[a] > start[b + 1] - start[b];
    });
    std::vector<uint16_t> pilots(n_pilots, 0);
    std::vector<bool> used(n, false);
    std::vector<uint32_t> places;
    for (uint32_t b : order) {
      if (start[b] == start[b + 1]) break;
      uint32_t pilot = 0;
      for (;; ++pilot) {
        if (pilot > 0xFFFF)
          throw std::length_error("PairHash: no pilot found; give it more places");
        places.clear();
        bool free = true;
        for (uint32_t i = start[b]; i < start[b + 1] && free; ++i) {
          uint32_t p = place(mix(member[i] >> 16, member[i] & 0xFFFF), pilot, n);
          free = !used[p] && std::find(places.begin(), places.end(), p) == places.end();
          places.push_back(p);
        }
        if (free) break;
      }
      for (uint32_t p : places) used[p] = true;
      pilots[b] = uint16_t(pilot);
    }
    return pilots;
  }
};

}  // namespace segmenter
