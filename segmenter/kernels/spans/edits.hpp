// The effects of user words and atoms on one text; user/find.hpp and spans.cpp write them, decoders
// apply them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "token.hpp"

namespace segmenter {

// A user word or atom in the text that becomes a span. level: force 0, prefer 1.
struct UserMatch {
  uint32_t start, end, label;
  uint8_t level;
};

// An edge that the user adds to the lattice (in `cuts`: removes); what: as in a Token.
struct UserEdge {
  uint32_t start, end, cost, label;
};

struct UserEdits {
  // by start, disjoint: each a token that no decoder cuts or crosses
  std::vector<UserMatch> spans;
  // instead of `spans`, if nobody reads these: marks (token.hpp) of the text and its end, in the
  // memory of the finder
  const uint8_t* marks = nullptr;
  std::vector<UserEdge> edges;  // by start and end: compete with the words of the lexicon
  std::vector<UserEdge> cuts;   // by start and end: words of the lexicon that the user deleted
  uint32_t reach = 0;           // length of the longest edge

  void clear() {
    spans.clear();
    marks = nullptr;
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
  // Whether k is inside a span or at one of its ends.
  bool touches(uint32_t k) const {
    const auto span = std::partition_point(spans.begin(), spans.end(),
                                           [&](const UserMatch& m) { return m.end < k; });
    return span != spans.end() && span->start <= k;
  }
};

// Calls visit(index, start, end) for every token of several characters that is a deleted word.
template <class Visit>
void each_deleted(const UserEdits& edits, const std::vector<Token>& tokens, Visit&& visit) {
  const std::vector<UserEdge>& cuts = edits.cuts;
  size_t next = 0;
  uint32_t start = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const uint32_t end = tokens[i].end;
    while (next < cuts.size() && cuts[next].start < start) ++next;
    if (end - start > 1 && token_kind(tokens[i].label) <= kUnknown)
      for (size_t k = next; k < cuts.size() && cuts[k].start == start; ++k)
        if (cuts[k].end == end) visit(i, start, end);
    start = end;
  }
}
inline bool holds_deleted(const UserEdits& edits, const std::vector<Token>& tokens) {
  bool any = false;
  each_deleted(edits, tokens, [&](size_t, uint32_t, uint32_t) { any = true; });
  return any;
}

}  // namespace segmenter
