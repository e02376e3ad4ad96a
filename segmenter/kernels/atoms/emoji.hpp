// Extended grapheme clusters (UAX #29, rules GB3 to GB13) that character classes alone do not keep
// together, the rule "emoji": flags, keycaps, emoji joined by ZWJ, tags, prepended marks, conjuncts
// beyond the basic plane.
#pragma once
#include <cstdint>

#include "atoms/graphemes.hpp"
#include "atoms/text.hpp"
#include "numbers.hpp"

namespace segmenter {

constexpr uint32_t kZwj = 0x200D, kKeycap = 0x20E3, kEmojiStyle = 0xFE0F;

// The end of the cluster that begins at s; at(k) is the character at k < n. `steps` counts the
// characters looked at.
template <class At>
uint32_t cluster_end(const At& char_at, uint32_t s, uint32_t n, uint64_t& steps) {
  uint32_t k = s;
  uint8_t bits = grapheme_bits(char_at(k));
  if (char_at(k) == '\r' && k + 1 < n && char_at(k + 1) == '\n') return k + 2;
  if (bits & kGraphControl) return k + 1;
  bool picture = bits & kGraphPicture, joined = false;      // picture, then Extend* ZWJ
  bool consonant = bits & kGraphConsonant, linked = false;  // consonant, then a linker
  bool regional = bits & kGraphRegional;                    // the first half of a flag
  for (++k; k < n; ++k, ++steps) {
    uint8_t previous = bits;
    uint32_t c = char_at(k);
    bits = grapheme_bits(c);
    if (bits & kGraphExtend) {
      joined = picture && c == kZwj;
      linked |= consonant && bits & kGraphLinker;
      regional = false;
    } else if (bits & kGraphControl) {
      break;
    } else if (previous & kGraphPrepend || (joined && bits & kGraphPicture) ||
               (linked && bits & kGraphConsonant)) {
      picture = bits & kGraphPicture;
      consonant = bits & kGraphConsonant;
      regional = bits & kGraphRegional;
      joined = linked = false;
    } else if (regional && bits & kGraphRegional) {
      regional = picture = consonant = joined = linked = false;
    } else {
      break;
    }
  }
  return k;
}

namespace atoms {

// A letter with marks that no class covers: the run of letters around it becomes the span.
inline void widen(AtomText& t, uint32_t s, uint32_t e, CharClass c) {
  const uint32_t earliest = t.atoms.empty() ? 0 : t.atoms.back().end;
  auto in_run = [&](uint32_t k) {
    CharClass x = t.cls(k);
    return (is_alnum(x) && is_alnum(c)) || x == c || x == kExtend ||
           grapheme_bits(t.cp(k)) & kGraphExtend;
  };
  while (s > earliest && in_run(s - 1)) --s, ++t.steps;
  while (e < t.n && in_run(e)) ++e, ++t.steps;
  t.read_end = e;
  t.add(s, e, kAtomEmoji, is_alnum(c) ? kLatinRun : c == kHanNum ? kCluster : kScriptRun);
}

inline void read_cluster(AtomText& t, uint32_t k) {
  const uint8_t bits = grapheme_bits(t.cp(k));
  if (!(bits & (kGraphExtend | kGraphPrepend | kGraphRegional | kGraphEmoji))) return;
  uint32_t s = k;
  if (bits & kGraphExtend && s > (t.atoms.empty() ? 0 : t.atoms.back().end) &&
      !(grapheme_bits(t.cp(s - 1)) & kGraphControl))
    --s;
  uint32_t e = cluster_end([&](uint32_t i) { return t.cp(i); }, s, t.n, t.steps);
  if (e <= k) e = k + 1;
  t.read_end = e;
  bool shaped = bits & kGraphEmoji, odd = false, keycap = false;
  const CharClass first = t.cls(s);
  for (uint32_t i = s + 1; i < e; ++i) {
    const uint32_t c = t.cp(i);
    shaped |=
        c == kEmojiStyle || (grapheme_bits(c) & (kGraphPicture | kGraphRegional | kGraphEmoji));
    keycap |= c == kKeycap;
    odd |= t.cls(i) != kExtend;
  }
  shaped |= grapheme_bits(t.cp(s)) & kGraphEmoji;
  keycap &= digit(t.ascii_at(s)) || one_of(t.ascii_at(s), "#*");  // 1️⃣ is not a digit of a number
  const bool run = is_alnum(first) || is_script(first) || first == kHanNum;
  shaped &= !run && grapheme_bits(t.cp(s)) & (kGraphPicture | kGraphRegional);
  if (keycap || shaped) {
    t.add(s, e, kAtomEmoji, kKindEmoji);
  } else if (run) {
    if (odd) widen(t, s, e, first);
  } else if (e - s > 1 && (odd || first == kBlank)) {
    t.add(s, e, kAtomEmoji, kCluster);
  }
}

}  // namespace atoms
}  // namespace segmenter
