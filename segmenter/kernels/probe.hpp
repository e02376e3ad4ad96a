// The only probe loop for tables with open addressing and linear probing, and sizes of tables.
#pragma once
#include <cstddef>
#include <cstdint>

namespace segmenter {

// The first place from `home` on, wrapping around after `last`, for which is(place) is true. There
// is one: no table is full.
template <class Is>
inline size_t probe(size_t home, size_t last, Is&& is) {
  while (!is(home)) home = home == last ? 0 : home + 1;
  return home;
}

// The least power of two that is at least n and at least `least`, itself a power of two.
inline size_t power_of_two(size_t n, size_t least = 16) {
  while (least < n) least *= 2;
  return least;
}
// 64 minus the logarithm of n, a power of two: a hash of 64 bits shifted by it is a place in a
// table of n.
inline uint32_t shift_of(size_t n) {
  uint32_t shift = 64;
  for (; n > 1; n /= 2) --shift;
  return shift;
}

}  // namespace segmenter
