// The tokens of an atom: one token, or its parts.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "atoms/number.hpp"
#include "spans/edits.hpp"

namespace segmenter {
namespace atoms {

inline void append_token(std::vector<UserMatch>& spans, uint32_t s, uint32_t e, uint32_t kind,
                         uint32_t slot) {
  spans.push_back(UserMatch{s, e, kNotCanonical | kind_bits(kind) | slot, 2});
}

inline bool is_number_rule(uint8_t name) {
  return name == kAtomNumber || name == kAtomNumeral || name == kAtomQuantity ||
         name == kAtomCalendar || name == kAtomClock;
}

inline uint32_t digits_or_numerals(const AtomText& t, uint32_t k) {
  const uint32_t e = t.digits_end_at(k);
  if (e > k) return e;
  while (numeral(t.cp(k))) ++k;
  return k;
}

// The end of the digits at k with , and . between them, within the atom; the text after it may
// have any number of digits.
inline uint32_t arabic_core(const AtomText& t, uint32_t k, uint32_t end) {
  uint32_t e = t.digits_end_at(k);
  while (e < end && (t.ascii_at(e) == ',' || t.ascii_at(e) == '.' || t.cp(e) == 0xB7) &&
         t.digit_at(e + 1))
    e = t.digits_end_at(e + 1);
  return e;
}

// The end of the number of a quantity, with its 万 and %, without the second number of a range.
inline uint32_t amount_end(const AtomText& t, uint32_t s, uint32_t k, uint32_t end) {
  const uint32_t number_end = t.digit_at(s) ? arabic_end(t, s) : chinese_end(t, s);
  return std::max(k, std::min(number_end, end));
}

// Appends the tokens of an atom of the text as spans.
inline void append_tokens(AtomText& t, const AtomFound& a, std::vector<UserMatch>& spans) {
  if (a.how == kAtomKeep) {
    append_token(spans, a.start, a.end, a.kind, a.number);
    return;
  }
  uint32_t k = a.start;
  while (k < a.end) {
    const uint32_t s = k;
    const uint8_t c = t.ascii_at(k);
    uint8_t kind = kWord;
    if (is_number_rule(a.name) && (t.digit_at(k) || numeral(t.cp(k)))) {
      k = a.name == kAtomCalendar || a.name == kAtomClock ? digits_or_numerals(t, k)
          : t.digit_at(k)                                 ? arabic_core(t, k, a.end)
                                                          : chinese_end(t, k);
      t.steps += k - s;
      kind = kNumber;
      const bool fraction = t.cp(s) == U'百' && t.cp(s + 1) == U'分' && t.cp(s + 2) == U'之';
      if (fraction) k = s + 3;  // 百分之/三十
      if (a.name == kAtomQuantity) k = amount_end(t, s, k, a.end);
    } else if (alnum(c)) {
      const bool mixed = a.name == kAtomUrl || a.name == kAtomEmail;
      const bool number = digit(c);
      bool letters = false;
      while (k < a.end && alnum(t.ascii_at(k)) && (mixed || digit(t.ascii_at(k)) == number)) {
        letters |= letter(t.ascii_at(k));
        ++k;
      }
      kind = letters ? kLatinRun : kNumber;
      if (a.name == kAtomQuantity) k = a.end, kind = a.kind;
    } else if (a.name == kAtomQuantity && !(k == a.start && one_of(c, "+-")) &&
               !in(U"-~～—－至到", t.cp(k)) && !in(kCurrencies, t.cp(k))) {
      k = a.end;  // the unit
      kind = a.kind;
    } else if (a.name == kAtomNumeral || a.name == kAtomNumber) {
      while (k < a.end && multiplier(t.cp(k))) ++k;
      if (k > s) kind = kNumber;
      else ++k;
    } else {
      if (t.cls(k) == kBlank) kind = kBlankRun;
      else if (t.cls(k) == kHan) kind = a.kind;
      ++k;
    }
    k = std::min(k, a.end);  // a number may extend beyond the atom
    append_token(spans, s, k, kind, 0);
  }
}

}  // namespace atoms
}  // namespace segmenter
