// A perfect hash of pairs of character ids (hash and displace: Belazzougui, Botelho and
// Dietzfelbinger 2009): a small table of pilots gives the only place where the record of a pair can
// be.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "probe.hpp"

namespace segmenter {

// The place where the record of a pair is, if it has one.
struct PairHash {
  const uint16_t* pilots = nullptr;
  uint32_t shift = 63;  // 64 minus log2 of the number of pilots
  uint32_t n = 1;       // records

  // `n_pilots`: a power of two.
  void attach(const uint16_t* new_pilots, size_t n_pilots, uint32_t places) {
    pilots = new_pilots;
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

  // Finds pilots that give distinct keys (first << 16 | second) distinct places among n, where n is
  // 5% more than there are keys. `n_pilots`: a power of two.
  static std::vector<uint16_t> build(const uint32_t* keys, size_t n_keys, size_t n_pilots,
                                     uint32_t n) {
    const uint32_t shift = shift_of(n_pilots);
    if (shift > 63 || n < n_keys) throw std::invalid_argument("PairHash: fewer places than keys");
    std::vector<uint32_t> bucket_begin(n_pilots + 1, 0), members(n_keys), order(n_pilots);
    auto bucket = [&](uint32_t key) { return size_t(mix(key >> 16, key & 0xFFFF) >> shift); };
    for (size_t i = 0; i < n_keys; ++i) ++bucket_begin[bucket(keys[i]) + 1];
    for (size_t i = 0; i < n_pilots; ++i) bucket_begin[i + 1] += bucket_begin[i];
    std::vector<uint32_t> next(bucket_begin.begin(), bucket_begin.end() - 1);
    for (size_t i = 0; i < n_keys; ++i) members[next[bucket(keys[i])]++] = keys[i];
    for (size_t i = 0; i < n_pilots; ++i) order[i] = uint32_t(i);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return bucket_begin[a + 1] - bucket_begin[a] > bucket_begin[b + 1] - bucket_begin[b];
    });
    std::vector<uint16_t> pilots(n_pilots, 0);
    std::vector<bool> used(n, false);
    std::vector<uint32_t> places;
    for (uint32_t b : order) {
      if (bucket_begin[b] == bucket_begin[b + 1]) break;
      uint32_t pilot = 0;
      for (;; ++pilot) {
        if (pilot > 0xFFFF)
          throw std::length_error("PairHash: no pilot found; give it more places");
        places.clear();
        bool fits = true;
        for (uint32_t i = bucket_begin[b]; i < bucket_begin[b + 1] && fits; ++i) {
          uint32_t place_of_key = place(mix(members[i] >> 16, members[i] & 0xFFFF), pilot, n);
          fits = !used[place_of_key] &&
                 std::find(places.begin(), places.end(), place_of_key) == places.end();
          places.push_back(place_of_key);
        }
        if (fits) break;
      }
      for (uint32_t place_of_key : places) used[place_of_key] = true;
      pilots[b] = uint16_t(pilot);
    }
    return pilots;
  }
};

}  // namespace segmenter
