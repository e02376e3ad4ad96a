// The one probe loop for tables with open addressing and linear probing.
#pragma once
#include <cstddef>

namespace segmenter {

// The first place from `home` on, wrapping around after `last`, for which is(place) is true. There
// must be one: no table is full.
template <class Is>
inline size_t probe(size_t home, size_t last, Is&& is) {
  while (!is(home)) home = home == last ? 0 : home + 1;
  return home;
}

}  // namespace segmenter
