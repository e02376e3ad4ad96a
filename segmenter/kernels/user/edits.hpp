// What the user's words do to one text; user/find.hpp writes it, the decoders apply it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace segmenter {

// An entry that stands in the text and takes a span of its own; level: force 0, prefer 1.
struct UserMatch {
  uint32_t start, end, what;
  uint8_t level;
};

// An edge of the lattice that the user added (in `cuts`: removed); what: as in a Piece.
struct UserEdge {
  uint32_t start, end, cost, what;
};

struct UserEdits {
  // by start, disjoint: one token each, no decoder cuts or crosses them
  std::vector<UserMatch> spans;
  std::vector<UserEdge> edges;  // by start and end: they compete with the lexicon's words
  std::vector<UserEdge> cuts;   // by start and end: words of the lexicon that the user deleted
  uint32_t reach = 0;           // characters of the longest edge

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
