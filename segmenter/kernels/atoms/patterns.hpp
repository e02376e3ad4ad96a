// The user's patterns: a deterministic automaton over classes of characters; see atoms/patterns.py.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "atoms/graphemes.hpp"
#include "atoms/text.hpp"
#include "interrupt.hpp"
#include "numbers.hpp"

namespace segmenter {
namespace atoms {

// A line starts like a text: whether lines are cut alone or together changes nothing.
inline bool begins_line(const AtomText& t, uint32_t k) {
  return k == 0 || t.cp(k - 1) == '\n' || t.cp(k - 1) == '\r';
}

// Whether [s, e) neither begins nor ends inside a run of letters and digits or before a combining
// mark.
inline bool stands_free(const AtomText& t, uint32_t s, uint32_t e) {
  auto run = [&](uint32_t k) { return is_alnum(t.cls(k)); };
  if (e < t.n && (grapheme_bits(t.cp(e)) & kGraphExtend || (run(e) && run(e - 1)))) return false;
  return begins_line(t, s) || !((run(s) && (run(s - 1) || t.cls(s - 1) == kExtend)) ||
                                grapheme_bits(t.cp(s)) & kGraphExtend);
}

// Adds the patterns' leftmost, then longest matches; atoms that overlap one are dropped.
inline void add_patterns(AtomText& t) {
  const PatternAutomaton& p = t.rules->patterns;
  std::vector<AtomFound> matched, merged;
  size_t at = 0;  // the first atom that ends after k
  uint32_t looked = Interrupt::kEvery;
  for (uint32_t k = 0; k < t.n;) {
    if (k >= looked) {
      Interrupt::look();
      looked = k + Interrupt::kEvery;
    }
    uint32_t state = 1, end = 0, number = 0;
    for (uint32_t i = k; i < t.n && i - k < PatternAutomaton::kLongest; ++i, ++t.steps) {
      const uint32_t c = t.cp(i);
      if (c == '\n' || c == '\r' || !(state = p.next(state, c))) break;
      if (p.accepts[state] && stands_free(t, k, i + 1)) {
        end = i + 1;
        number = p.accepts[state] - 1;
      }
    }
    ++t.steps;
    while (at < t.found.size() && t.found[at].end <= k) ++at;
    if (end) {  // does not cut a grapheme cluster
      size_t i = at;
      while (i < t.found.size() && t.found[i].end < end) ++i;
      auto parted = [&](size_t j, uint32_t where) {
        return j < t.found.size() && t.found[j].name == kAtomEmoji && t.found[j].start < where &&
               where < t.found[j].end;
      };
      if (parted(at, k) || parted(i, end)) end = 0;
    }
    if (end) matched.push_back(AtomFound{k, end, kAtomNames, kAtomKeep, kKindPattern, number});
    k = end ? end : k + 1;
  }
  if (matched.empty()) return;
  size_t m = 0;
  for (const AtomFound& a : t.found) {
    while (m < matched.size() && matched[m].end <= a.start) merged.push_back(matched[m++]);
    if (m == matched.size() || matched[m].start >= a.end) merged.push_back(a);
  }
  merged.insert(merged.end(), matched.begin() + std::ptrdiff_t(m), matched.end());
  t.found.swap(merged);
}

}  // namespace atoms
}  // namespace segmenter
