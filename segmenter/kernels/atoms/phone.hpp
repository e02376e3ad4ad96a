// Telephone numbers: the rule "phone". Places are those of the text.
#pragma once
#include <cstdint>

#include "atoms/text.hpp"

namespace segmenter {
namespace atoms {

// The end of a group of `least` to `most` digits at k; 0: there is none.
inline uint32_t group(const AtomText& t, uint32_t k, uint32_t least, uint32_t most) {
  uint32_t e = k;
  while (e - k <= most && t.far_digit(e)) ++e;
  return e - k >= least && e - k <= most ? e : 0;
}
inline bool gap(const AtomText& t, uint32_t k) { return t.cp(k) == ' ' || t.far(k) == '-'; }

// The end of a subscriber's number at k: 62781234, 6278 1234, 6278-1234.
inline uint32_t subscriber(const AtomText& t, uint32_t k) {
  if (const uint32_t e = group(t, k, 7, 8)) return e;
  const uint32_t e = group(t, k, 3, 4);
  return e && gap(t, e) ? group(t, e + 1, 4, 4) : 0;
}

// The end of a mobile's number at k: 13800138000, 138 0013 8000, 138-0013-8000.
inline uint32_t mobile(const AtomText& t, uint32_t k) {
  if (t.far(k) != '1' || t.far(k + 1) < '3') return 0;
  if (const uint32_t e = group(t, k, 11, 11)) return e;
  uint32_t e = group(t, k, 3, 3);
  if (!e || !gap(t, e) || !(e = group(t, e + 1, 4, 4)) || !gap(t, e)) return 0;
  return group(t, e + 1, 4, 4);
}

// The number at k, without the country's code: mobile, 010-62781234-803, (010)62781234, 400-810-8888.
inline uint32_t national(const AtomText& t, uint32_t k, bool abroad) {
  uint32_t e = mobile(t, k), f;
  if (e) return e;
  const bool round = t.far(k) == '(';
  if (round) ++k;
  const uint32_t zero = t.far(k) == '0';
  bool blank = false;  // 0755 8888 6666
  if (!round && (t.far(k) == '4' || t.far(k) == '8') && t.far(k + 1) == '0' &&
      t.far(k + 2) == '0' && gap(t, k + 3) && (e = group(t, k + 4, 3, 4)) && gap(t, e) &&
      (f = group(t, e + 1, 3, 4)) && f - k == 12)
    return f;
  if (!zero && !abroad) return 0;
  e = group(t, k, 2 + zero, 3 + zero);
  if (!e) return 0;
  if (round) {
    if (t.far(e) != ')') return 0;
    ++e;
    if (gap(t, e)) ++e;
  } else {
    if (!gap(t, e)) return 0;
    blank = t.far(e) != '-' && !abroad;
    ++e;
  }
  if (!(e = subscriber(t, e))) return 0;
  if (blank && gap(t, e) && t.far_digit(e + 1)) return 0;  // groups of four digits, as on cards
  if (t.far(e) == '-' && (f = group(t, e + 1, 1, 5)) && !alnum(t.far(f))) e = f;  // an extension
  return e;
}

// The telephone number at k: its end, 0 if none is taken.
inline uint32_t phone(AtomText& t, uint32_t k) {
  const uint8_t first = t.far(k);
  if (first > '1' && first != '4' && first != '8') return 0;
  t.steps += 16;
  if (k > 0 && !t.follows(k)) {
    const uint8_t before = t.far(k - 1);
    if (alnum(before) || one_of(before, "_+")) return 0;
    if (one_of(before, "-./:") && alnum(t.far(k - 2))) return 0;
  }
  uint32_t s = k, e = 0;
  if (t.far(k) == '+') {  // a country's code
    for (uint32_t digits = 1; digits <= 3 && t.far_digit(k + digits) && !e; ++digits) {
      s = k + digits + 1;
      if (gap(t, s)) ++s;
      e = national(t, s, true);
    }
  } else if (t.far(k) == '8' && t.far(k + 1) == '6' && t.far(k + 2) == '-') {  // 86-10-12345678
    e = national(t, k + 3, true);
  } else {
    e = national(t, k, false);
    if (e && e - k == 11 && group(t, k, 11, 11)) return 0;  // a run of digits is one token anyway
  }
  if (!e || alnum(t.far(e)) || (one_of(t.far(e), "-/_") && alnum(t.far(e + 1)))) return 0;
  return t.take_at(kAtomPhone, k, e) ? e : 0;
}

}  // namespace atoms
}  // namespace segmenter
