// Atoms that begin with a digit: dates, times, versions, IP addresses, telephone numbers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/names.hpp"

namespace segmenter {

class AtomTime : public AtomNames {
 protected:
  // The atom that begins with the digits at p: its end, 0 if there is none.
  uint32_t number_like(uint32_t p, uint32_t q) {
    if (joined(p, ".:/-,_") && !follows(base_ + p - 1)) return 0;  // it continues something
    uint32_t e;
    // digits between dots
    uint32_t i = digits_end(p), parts = 1;
    bool octets = i - p <= 3 && value(p, std::min(i, p + 3)) <= 255;
    while (at(i) == '.' && dg(i + 1)) {
      uint32_t s = i + 1;
      i = digits_end(s);
      octets &= i - s <= 3 && value(s, std::min(i, s + 3)) <= 255;
      ++parts;
    }
    steps += i - p;
    if (parts > atoms::kMostParts) return i;
    if (parts == 4 && octets && !al(i) && rules_->on(kAtomIp)) {
      e = at(i) == '/' ? with_number(i, '/', 2) : wide(i) ? i : with_number(i, ':', 5);
      if (take(kAtomIp, p, e)) return e;
    }
    if (rules_->on(kAtomCalendar) && (e = calendar(base_ + p))) return e - base_;
    if (rules_->on(kAtomDate) && (e = date(p)) && take(kAtomDate, p, e)) return e;
    if (rules_->on(kAtomTime) && (e = time(p)) && take(kAtomTime, p, e)) return e;
    if (rules_->on(kAtomVersion) && parts >= 2 && (e = version(p, 3)) && take(kAtomVersion, p, e))
      return e;
    if (rules_->on(kAtomQuantity) || rules_->on(kAtomNumber)) {
      if ((e = quantity(base_ + p))) return e - base_;
    }
    if (parts > 2) return i;
    if (rules_->on(kAtomCode) && (e = code(p, q)) && take(kAtomCode, p, e)) return e;
    // no atom: and what follows a joint between digits is not one either
    return i > q ? i : 0;
  }

  static bool is_day(uint32_t y, uint32_t m, uint32_t d) {
    return y >= 1000 && y < 3000 && m >= 1 && m <= 12 && d >= 1 && d <= 31;
  }

  uint32_t date(uint32_t p) const {
    const uint32_t a = digits_end(p);
    const uint8_t mark = at(a);
    if (!atoms::one_of(mark, "-/.") || a - p > 4) return 0;
    const uint32_t b = digits_end(a + 1);
    if (at(b) != mark || b - a < 2 || b - a > 3) return 0;
    const uint32_t c = digits_end(b + 1);
    if (c == b + 1 || c - b > 5) return 0;
    const uint32_t x = value(p, a), y = value(a + 1, b), z = value(b + 1, c);
    const bool big = a - p == 4 && c - b <= 3 && is_day(x, y, z);
    const bool small =
        mark == '/' && a - p <= 2 && c - b == 5 && (is_day(z, x, y) || is_day(z, y, x));
    if (!big && !small) return 0;
    if (at(c) == mark && dg(c + 1)) return 0;
    if (big && mark == '-' && (at(c) == 'T' || at(c) == 't') && dg(c + 1)) {  // ISO 8601
      const uint32_t e = clock(c + 1);
      if (e) return zone(e);
    }
    return al(c) ? 0 : c;
  }

  // The end of hours:minutes[:seconds[.fraction]] at p; 0 if there is none.
  uint32_t clock(uint32_t p) const {
    const uint32_t h = digits_end(p);
    if (h == p || h - p > 2 || value(p, h) > 24 || at(h) != ':') return 0;
    uint32_t e = digits_end(h + 1);
    if (e - h != 3 || value(h + 1, e) > 59) return 0;
    if (at(e) == ':' && dg(e + 1)) {
      const uint32_t s = digits_end(e + 1);
      if (s - e != 3 || value(e + 1, s) > 60) return 0;
      e = s;
      if (at(e) == '.' && dg(e + 1) && digits_end(e + 1) - e <= 10) e = digits_end(e + 1);
    }
    return e;
  }

  uint32_t zone(uint32_t e) const {
    if ((at(e) == 'Z' || at(e) == 'z') && !an(e + 1)) return e + 1;
    if ((at(e) == '+' || at(e) == '-') && dg(e + 1) && dg(e + 2)) {
      if (at(e + 3) == ':' && dg(e + 4) && dg(e + 5) && !an(e + 6)) return e + 6;
      if (dg(e + 3) && dg(e + 4) && !an(e + 5)) return e + 5;
    }
    return e;
  }

  uint32_t time(uint32_t p) const {
    uint32_t e = clock(p);
    if (!e) return 0;
    if (((at(e) | 0x20) == 'a' || (at(e) | 0x20) == 'p') && (at(e + 1) | 0x20) == 'm' && !an(e + 2))
      return e + 2;
    if (an(e) || (at(e) == ':' && dg(e + 1)) || (at(e) == '.' && dg(e + 1)) || at(e) == '%')
      return 0;
    return e;
  }

  // Numbers joined by dots from p on: at least `least` of them, unless a suffix such as -rc1
  // follows.
  uint32_t version(uint32_t p, uint32_t least) const {
    uint32_t i = digits_end(p), parts = 1;
    while (at(i) == '.' && dg(i + 1) && parts <= atoms::kMostParts) {
      i = digits_end(i + 1);
      ++parts;
    }
    if (parts < 2 || parts > atoms::kMostParts) return 0;
    uint32_t s = i;
    if (atoms::one_of(at(i), "-.+_")) ++s;
    const uint32_t l = letters_end(s);
    if (l > s) {
      for (const char* name : atoms::kSuffixes) {
        if (!equal(name, s, l)) continue;
        uint32_t e = digits_end(l);
        if (e == l && at(l) == '.' && dg(l + 1)) e = digits_end(l + 1);
        if (!an(e)) return e;
      }
    }
    return parts >= least && !an(i) ? i : 0;
  }
};

}  // namespace segmenter
