// The one walk through a table with open addressing and linear probing.
#pragma once
#include <cstddef>

namespace segmenter {

// The first place for which is(place) is true, from `home` on and round to it; `last` is the table's last place.
// There is to be such a place: a table is never full.
template <class Is>
inline size_t probe(size_t home, size_t last, Is&& is) {
  while (!is(home)) home = home == last ? 0 : home + 1;
  return home;
}

}  // namespace segmenter
