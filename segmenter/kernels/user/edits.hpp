// What the user's words do to the lattice of one text; user/find.hpp finds them, lattice/ applies them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace segmenter {

// An entry that stands in the text and wants a span of its own; level: force 0, prefer 1.
struct UserMatch {
  uint32_t start, end, what;
  uint8_t level;
};

// An edge of the lattice that the user added (or, of `cuts`, takes away); what: as a Piece's.
struct UserEdge {
  uint32_t start, end, cost, what;
};

struct UserEdits {
  std::vector<UserMatch> spans;  // by start, disjoint: one token each, no decoder cuts or crosses them
  std::vector<UserEdge> edges;   // by start and end: they compete with the lexicon's words
  std::vector<UserEdge> cuts;    // by start and end: words of the lexicon that are none any more
  uint32_t reach = 0;            // characters of the longest edge

  void clear() {
    spans.clear();
    edges.clear();
    cuts.clear();
    reach = 0;
  }
  // Whether a span covers the character.
  bool covers(uint32_t k) const {
    auto after = std::upper_bound(spans.begin(), spans.end(), k,
                                  [](uint32_t at, const UserMatch& m) { return at < m.start; });
    return after != spans.begin() && k < (after - 1)->end;
  }
};

}  // namespace segmenter
