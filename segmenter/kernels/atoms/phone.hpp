// Telephone numbers: the rule "phone". Places are those of the text.
#pragma once
#include <cstdint>

#include "atoms/text.hpp"

namespace segmenter {
namespace atoms {

// The end of a group of `least` to `most` digits at k; 0: there is none.
inline uint32_t digit_group(const AtomText& t, uint32_t k, uint32_t min_digits,
                            uint32_t max_digits) {
  uint32_t e = k;
  while (e - k <= max_digits && t.digit_at(e)) ++e;
  return e - k >= min_digits && e - k <= max_digits ? e : 0;
}
inline bool is_separator(const AtomText& t, uint32_t k) {
  return t.cp(k) == ' ' || t.ascii_at(k) == '-';
}

// The end of a subscriber's number at k: 62781234, 6278 1234, 6278-1234.
inline uint32_t subscriber(const AtomText& t, uint32_t k) {
  if (const uint32_t e = digit_group(t, k, 7, 8)) return e;
  const uint32_t e = digit_group(t, k, 3, 4);
  return e && is_separator(t, e) ? digit_group(t, e + 1, 4, 4) : 0;
}

// The end of a mobile's number at k: 13800138000, 138 0013 8000, 138-0013-8000.
inline uint32_t mobile(const AtomText& t, uint32_t k) {
  if (t.ascii_at(k) != '1' || t.ascii_at(k + 1) < '3') return 0;
  if (const uint32_t e = digit_group(t, k, 11, 11)) return e;
  uint32_t e = digit_group(t, k, 3, 3);
  if (!e || !is_separator(t, e) || !(e = digit_group(t, e + 1, 4, 4)) || !is_separator(t, e))
    return 0;
  return digit_group(t, e + 1, 4, 4);
}

// The end of the number at k, without the country's code: mobile, 010-62781234-803, (010)62781234,
// 400-810-8888.
inline uint32_t national(const AtomText& t, uint32_t k, bool abroad) {
  uint32_t e = mobile(t, k), f;
  if (e) return e;
  const bool round = t.ascii_at(k) == '(';
  if (round) ++k;
  const uint32_t zero = t.ascii_at(k) == '0';
  bool blank = false;  // 0755 8888 6666
  if (!round && (t.ascii_at(k) == '4' || t.ascii_at(k) == '8') && t.ascii_at(k + 1) == '0' &&
      t.ascii_at(k + 2) == '0' && is_separator(t, k + 3) && (e = digit_group(t, k + 4, 3, 4)) &&
      is_separator(t, e) && (f = digit_group(t, e + 1, 3, 4)) && f - k == 12)
    return f;
  if (!zero && !abroad) return 0;
  e = digit_group(t, k, 2 + zero, 3 + zero);
  if (!e) return 0;
  if (round) {
    if (t.ascii_at(e) != ')') return 0;
    ++e;
    if (is_separator(t, e)) ++e;
  } else {
    if (!is_separator(t, e)) return 0;
    blank = t.ascii_at(e) != '-' && !abroad;
    ++e;
  }
  if (!(e = subscriber(t, e))) return 0;
  if (blank && is_separator(t, e) && t.digit_at(e + 1))
    return 0;  // groups of four digits, as on cards
  if (t.ascii_at(e) == '-' && (f = digit_group(t, e + 1, 1, 5)) && !alnum(t.ascii_at(f)))
    e = f;  // an extension
  return e;
}

// The end of the telephone number at k; 0 if none is added.
inline uint32_t phone(AtomText& t, uint32_t k) {
  const uint8_t first = t.ascii_at(k);
  if (first > '1' && first != '4' && first != '8') return 0;
  t.steps += 16;
  if (k > 0 && !t.atom_ends_at(k)) {
    const uint8_t previous = t.ascii_at(k - 1);
    if (alnum(previous) || one_of(previous, "_+")) return 0;
    if (one_of(previous, "-./:") && alnum(t.ascii_at(k - 2))) return 0;
  }
  uint32_t s = k, e = 0;
  if (t.ascii_at(k) == '+') {  // a country's code
    for (uint32_t digits = 1; digits <= 3 && t.digit_at(k + digits) && !e; ++digits) {
      s = k + digits + 1;
      if (is_separator(t, s)) ++s;
      e = national(t, s, true);
    }
  } else if (t.ascii_at(k) == '8' && t.ascii_at(k + 1) == '6' &&
             t.ascii_at(k + 2) == '-') {  // 86-10-12345678
    e = national(t, k + 3, true);
  } else {
    e = national(t, k, false);
    if (e && e - k == 11 && digit_group(t, k, 11, 11))
      return 0;  // a run of digits is one token anyway
  }
  if (!e || alnum(t.ascii_at(e)) || (one_of(t.ascii_at(e), "-/_") && alnum(t.ascii_at(e + 1))))
    return 0;
  return t.try_add_at(kAtomPhone, k, e) ? e : 0;
}

}  // namespace atoms
}  // namespace segmenter
