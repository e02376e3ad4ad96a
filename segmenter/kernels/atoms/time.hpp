// Dates in digits, times and versions. Each function returns the end of what begins at p in the chunk,
// 0 if there is none.
#pragma once
#include <cstdint>

#include "atoms/text.hpp"

namespace segmenter {
namespace atoms {

// Suffixes of versions.
constexpr const char* kSuffixes[] = {
    "alpha", "beta",    "rc",   "a",   "b",      "dev",   "pre", "preview", "snapshot",
    "final", "release", "post", "lts", "stable", "build", "ga",  "sp",      "p",
};

inline bool is_day(uint32_t y, uint32_t m, uint32_t d) {
  return y >= 1000 && y < 3000 && m >= 1 && m <= 12 && d >= 1 && d <= 31;
}

// The end of hours:minutes[:seconds[.fraction]] at p; 0 if there is none.
inline uint32_t clock_end(const AtomText& t, uint32_t p) {
  const uint32_t h = t.digits_end(p);
  if (h == p || h - p > 2 || t.value(p, h) > 24 || t.ascii(h) != ':') return 0;
  uint32_t e = t.digits_end(h + 1);
  if (e - h != 3 || t.value(h + 1, e) > 59) return 0;
  if (t.ascii(e) == ':' && t.digit(e + 1)) {
    const uint32_t s = t.digits_end(e + 1);
    if (s - e != 3 || t.value(e + 1, s) > 60) return 0;
    e = s;
    if (t.ascii(e) == '.' && t.digit(e + 1) && t.digits_end(e + 1) - e <= 10)
      e = t.digits_end(e + 1);
  }
  return e;
}

inline uint32_t zone_end(const AtomText& t, uint32_t e) {
  if ((t.ascii(e) == 'Z' || t.ascii(e) == 'z') && !t.alnum(e + 1)) return e + 1;
  if ((t.ascii(e) == '+' || t.ascii(e) == '-') && t.digit(e + 1) && t.digit(e + 2)) {
    if (t.ascii(e + 3) == ':' && t.digit(e + 4) && t.digit(e + 5) && !t.alnum(e + 6)) return e + 6;
    if (t.digit(e + 3) && t.digit(e + 4) && !t.alnum(e + 5)) return e + 5;
  }
  return e;
}

inline uint32_t date(const AtomText& t, uint32_t p) {
  const uint32_t a = t.digits_end(p);
  const uint8_t mark = t.ascii(a);
  if (!one_of(mark, "-/.") || a - p > 4) return 0;
  const uint32_t b = t.digits_end(a + 1);
  if (t.ascii(b) != mark || b - a < 2 || b - a > 3) return 0;
  const uint32_t c = t.digits_end(b + 1);
  if (c == b + 1 || c - b > 5) return 0;
  const uint32_t x = t.value(p, a), y = t.value(a + 1, b), z = t.value(b + 1, c);
  const bool big = a - p == 4 && c - b <= 3 && is_day(x, y, z);
  const bool small =
      mark == '/' && a - p <= 2 && c - b == 5 && (is_day(z, x, y) || is_day(z, y, x));
  if (!big && !small) return 0;
  if (t.ascii(c) == mark && t.digit(c + 1)) return 0;
  if (big && mark == '-' && (t.ascii(c) == 'T' || t.ascii(c) == 't') &&
      t.digit(c + 1)) {  // ISO 8601
    const uint32_t e = clock_end(t, c + 1);
    if (e) return zone_end(t, e);
  }
  return t.letter(c) ? 0 : c;
}

inline uint32_t time_of_day(const AtomText& t, uint32_t p) {
  uint32_t e = clock_end(t, p);
  if (!e) return 0;
  if (((t.ascii(e) | 0x20) == 'a' || (t.ascii(e) | 0x20) == 'p') &&
      (t.ascii(e + 1) | 0x20) == 'm' && !t.alnum(e + 2))
    return e + 2;
  if (t.alnum(e) || (t.ascii(e) == ':' && t.digit(e + 1)) ||
      (t.ascii(e) == '.' && t.digit(e + 1)) || t.ascii(e) == '%')
    return 0;
  return e;
}

// Numbers joined by dots from p on: at least `least` of them, unless a suffix such as -rc1
// follows.
inline uint32_t version(const AtomText& t, uint32_t p, uint32_t least) {
  uint32_t i = t.digits_end(p), parts = 1;
  while (t.ascii(i) == '.' && t.digit(i + 1) && parts <= kMaxParts) {
    i = t.digits_end(i + 1);
    ++parts;
  }
  if (parts < 2 || parts > kMaxParts) return 0;
  uint32_t s = i;
  if (one_of(t.ascii(i), "-.+_")) ++s;
  const uint32_t l = t.letters_end(s);
  if (l > s) {
    for (const char* name : kSuffixes) {
      if (!t.equal(name, s, l)) continue;
      uint32_t e = t.digits_end(l);
      if (e == l && t.ascii(l) == '.' && t.digit(l + 1)) e = t.digits_end(l + 1);
      if (!t.alnum(e)) return e;
    }
  }
  return parts >= least && !t.alnum(i) ? i : 0;
}

}  // namespace atoms
}  // namespace segmenter
