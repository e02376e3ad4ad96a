// Extended grapheme clusters (UAX #29, rules GB3 to GB13) that character classes alone do not keep
// together: flags, keycaps, emoji joined by ZWJ, tags, prepended marks, conjuncts beyond the basic
// plane.
#pragma once
#include <cstdint>

#include "atoms/graphemes.hpp"

namespace segmenter {

constexpr uint32_t kZwj = 0x200D, kKeycap = 0x20E3, kEmojiStyle = 0xFE0F;

// The end of the cluster that begins at s; at(k) is the character at k < n. `steps` counts the
// characters looked at.
template <class At>
uint32_t cluster_end(const At& at, uint32_t s, uint32_t n, uint64_t& steps) {
  uint32_t k = s;
  uint8_t bits = grapheme_bits(at(k));
  if (at(k) == '\r' && k + 1 < n && at(k + 1) == '\n') return k + 2;
  if (bits & kGraphControl) return k + 1;
  bool picture = bits & kGraphPicture, joined = false;      // picture, then Extend* ZWJ
  bool consonant = bits & kGraphConsonant, linked = false;  // consonant, then a linker
  bool regional = bits & kGraphRegional;                    // the first half of a flag
  for (++k; k < n; ++k, ++steps) {
    uint8_t last = bits;
    uint32_t c = at(k);
    bits = grapheme_bits(c);
    if (bits & kGraphExtend) {
      joined = picture && c == kZwj;
      linked |= consonant && bits & kGraphLinker;
      regional = false;
    } else if (bits & kGraphControl) {
      break;
    } else if (last & kGraphPrepend || (joined && bits & kGraphPicture) ||
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

}  // namespace segmenter
