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

// An edge of the lattice that the user added (in `cuts`: removed); what: as in a Token.
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
  // The first span that ends after k.
  std::vector<UserMatch>::const_iterator after(uint32_t k) const {
    return std::partition_point(spans.begin(), spans.end(),
                                [&](const UserMatch& m) { return m.end <= k; });
  }
  // Whether a span and the characters [start, end) overlap.
  bool overlaps(uint32_t start, uint32_t end) const {
    const auto span = after(start);
    return span != spans.end() && span->start < end;
  }
};

}  // namespace segmenter
