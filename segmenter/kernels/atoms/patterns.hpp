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

// Lines begin like texts, so that cutting them alone or together gives the same result.
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
  size_t next_atom = 0;  // the first atom that ends after k
  uint32_t next_check = Interrupt::kEvery;
  for (uint32_t k = 0; k < t.n;) {
    if (k >= next_check) {
      Interrupt::poll();
      next_check = k + Interrupt::kEvery;
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
    while (next_atom < t.atoms.size() && t.atoms[next_atom].end <= k) ++next_atom;
    if (end) {  // a match that cuts a grapheme cluster does not count
      size_t i = next_atom;
      while (i < t.atoms.size() && t.atoms[i].end < end) ++i;
      auto cuts_cluster = [&](size_t j, uint32_t boundary) {
        return j < t.atoms.size() && t.atoms[j].name == kAtomEmoji && t.atoms[j].start < boundary &&
               boundary < t.atoms[j].end;
      };
      if (cuts_cluster(next_atom, k) || cuts_cluster(i, end)) end = 0;
    }
    if (end) matched.push_back(AtomFound{k, end, kAtomNames, kAtomKeep, kKindPattern, number});
    k = end ? end : k + 1;
  }
  if (matched.empty()) return;
  size_t m = 0;
  for (const AtomFound& a : t.atoms) {
    while (m < matched.size() && matched[m].end <= a.start) merged.push_back(matched[m++]);
    if (m == matched.size() || matched[m].start >= a.end) merged.push_back(a);
  }
  merged.insert(merged.end(), matched.begin() + std::ptrdiff_t(m), matched.end());
  t.atoms.swap(merged);
}

}  // namespace atoms
}  // namespace segmenter
