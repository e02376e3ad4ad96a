// Numbers, quantities and calendar dates, which the rules "number", "numeral", "quantity" and
// "calendar" keep or split, and the tokens of what is split.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/web.hpp"

namespace segmenter {

class AtomNumber : public AtomWeb {
 public:
  // Appends the tokens of an atom as spans; for the text last given to find().
  void tokens(const AtomFound& a, std::vector<UserMatch>& out) {
    if (a.how == kAtomKeep) {
      put_token(out, a.start, a.end, a.kind, a.number);
      return;
    }
    uint32_t k = a.start;
    while (k < a.end) {
      const uint32_t s = k;
      const uint8_t c = far(k);
      uint8_t kind = kWord;
      if (numbers(a.name) && (far_digit(k) || numeral(cp(k)))) {
        k = a.name == kAtomCalendar ? digits_or_numerals(k)
            : far_digit(k)          ? arabic_core(k, a.end)
                                    : chinese(k);
        steps += k - s;
        kind = kNumber;
        const bool fraction = cp(s) != U'百' ? false : cp(s + 1) == U'分' && cp(s + 2) == U'之';
        if (fraction) k = s + 3;  // 百分之/三十
        if (a.name == kAtomQuantity) k = amount_end(s, k, a.end);
      } else if (atoms::alnum(c)) {
        const bool mixed = a.name == kAtomUrl || a.name == kAtomEmail;
        const bool number = atoms::digit(c);
        bool letters = false;
        while (k < a.end && atoms::alnum(far(k)) && (mixed || atoms::digit(far(k)) == number)) {
          letters |= atoms::letter(far(k));
          ++k;
        }
        kind = letters ? kLatinRun : kNumber;
        if (a.name == kAtomQuantity) k = a.end, kind = a.kind;
      } else if (a.name == kAtomQuantity && !(k == a.start && atoms::one_of(c, "+-")) &&
                 !in(U"-~～—－至到", cp(k)) && !in(atoms::kCurrencies, cp(k))) {
        k = a.end;  // the unit
        kind = a.kind;
      } else if (a.name == kAtomNumeral || a.name == kAtomNumber) {
        while (k < a.end && multiplier(cp(k))) ++k;
        if (k > s) kind = kNumber;
        else ++k;
      } else {
        if (cls(k) == kBlank) kind = kBlankRun;
        else if (cls(k) == kHan) kind = a.kind;
        ++k;
      }
      k = std::min(k, a.end);  // a number may extend beyond the atom
      put_token(out, s, k, kind, 0);
    }
  }

 protected:
  static void put_token(std::vector<UserMatch>& out, uint32_t s, uint32_t e, uint32_t kind,
                        uint32_t slot) {
    out.push_back(UserMatch{s, e, kNotCanonical | kind_bits(kind) | slot, 2});
  }

  static bool numbers(uint8_t name) {
    return name == kAtomNumber || name == kAtomNumeral || name == kAtomQuantity ||
           name == kAtomCalendar;
  }

  uint32_t digits_or_numerals(uint32_t k) const {
    const uint32_t e = far_digits(k);
    if (e > k) return e;
    while (numeral(cp(k))) ++k;
    return k;
  }

  // Digits with , and . between them, within the atom: what follows it may continue without end.
  uint32_t arabic_core(uint32_t k, uint32_t end) const {
    uint32_t e = far_digits(k);
    while (e < end && (far(e) == ',' || far(e) == '.' || cp(e) == 0xB7) && far_digit(e + 1))
      e = far_digits(e + 1);
    return e;
  }

  // The end of the number of a quantity, with its 万 and %, without the second number of a range.
  uint32_t amount_end(uint32_t s, uint32_t k, uint32_t end) const {
    const uint32_t whole = far_digit(s) ? arabic(s) : chinese(s);
    return std::max(k, std::min(whole, end));
  }

  // The end of the number in digits at k: 1,000.5 3.2e-10 1/2 50% 3万; k if there is none.
  uint32_t arabic(uint32_t k) const {
    uint32_t e = far_digits(k);
    if (e == k) return k;
    bool plain = true;
    while ((far(e) == ',' || cp(e) == 0xFF0C) && cp(e) != 0xFF0C && far_digits(e + 1) == e + 4 &&
           e - k < atoms::kMostNumber) {
      e += 4;
      plain = false;
    }
    if ((far(e) == '.' || cp(e) == 0xB7) && far_digit(e + 1)) {
      e = far_digits(e + 1);
      plain = false;
    } else if (plain && far(e) == '/' && far_digit(e + 1)) {
      e = far_digits(e + 1);
    }
    if ((far(e) | 0x20) == 'e') {
      uint32_t x = e + 1;
      if (far(x) == '-' || far(x) == '+') ++x;
      if (far_digit(x)) e = far_digits(x);
    }
    if (far(e) == '%' || cp(e) == 0x2030) return e + 1;
    while (e < n_ && multiplier(cp(e)) && e - k < atoms::kMostNumber) ++e;
    return e;
  }

  // The end of the Chinese number at k: 三千五百, 六点二, 百分之三十, 一九九八; k if there is none.
  uint32_t chinese(uint32_t k) const {
    auto run = [&](uint32_t i) {
      const uint32_t s = i;
      while (i < n_ && i - s < atoms::kMostNumber && numeral(cp(i))) ++i;
      return i;
    };
    uint32_t e = run(k);
    if (e == k) return k;
    if (cp(e) == U'分' && cp(e + 1) == U'之' && run(e + 2) > e + 2) e = run(e + 2);
    if (cp(e) == U'点' && run(e + 1) > e + 1) e = run(e + 1);
    return e;
  }

  // Whether [s, e) is certainly a number, not part of a word such as 双十一, 万一, 千万.
  bool certain(uint32_t s, uint32_t e) const {
    bool joint = false, ones = false, tens = false;
    for (uint32_t k = s; k < e; ++k) {
      joint |= cp(k) == U'点' || cp(k) == U'之';
      ones |= numeral(cp(k)) && !multiplier(cp(k));
      tens |= multiplier(cp(k));
    }
    if (joint) return true;
    if (e - s < 3 || !ones) return false;
    if (!tens) return true;               // 一九九八
    for (uint32_t k = s; k + 1 < e; ++k)  // 三三百 is not a number: a power of ten takes one digit
      if (cp(k) == cp(k + 1)) return false;
    return true;
  }

  // The end of the unit at k; k if there is none.
  uint32_t unit(uint32_t k) const {
    for (const char32_t* name : atoms::kHanUnits) {
      uint32_t i = 0;
      while (name[i] && k + i < n_ && cp(k + i) == uint32_t(name[i])) ++i;
      if (!name[i]) return k + i;
    }
    uint32_t best = k;
    for (const char* name : atoms::kUnits) {
      uint32_t i = 0;
      while (name[i] && far(k + i) == uint8_t(name[i])) ++i;
      if (!name[i] && k + i > best && !atoms::alnum(far(k + i))) best = k + i;
    }
    if (best > k && far(best - 1) == 'm' && in(U"²³", cp(best))) ++best;
    return best;
  }

  bool takes_sign(uint32_t k) const {  // at k - 1, before the digits at k
    if (k == 0 || k <= done_ || !(far(k - 1) == '-' || far(k - 1) == '+')) return false;
    if (!found.empty() && found.back().end > k - 1) return false;
    if (k == 1) return true;
    const uint8_t f = far(k - 2);
    if (atoms::alnum(f) || atoms::one_of(f, "-+)]%/_.")) return false;
    const uint32_t c = cp(k - 2);
    return !(numeral(c) || in(U"年月日号时分秒点周楼层栋室章节条第）】」』”’…%‰℃", c));
  }

  // The number at k (digits), with its unit if it has one: its end, 0 if it is not taken.
  uint32_t quantity(uint32_t k) {
    uint32_t e = arabic(k), s = k;
    if (takes_sign(k)) --s;
    steps += e - k + 1;
    if (rules_->on(kAtomQuantity)) {
      uint32_t u = unit(e);
      if (u == e) {  // 3-5天, 10~20kg
        if (in(U"-~～—－至到", cp(e)) && far_digit(e + 1)) {
          const uint32_t f = arabic(e + 1);
          const uint32_t v = unit(f);
          if (v > f && take_at(kAtomQuantity, k, v)) return v;
        }
        const bool money = s > 0 && s > done_ && in(atoms::kCurrencies, cp(s - 1)) &&
                           (found.empty() || found.back().end < s);
        if (money && take_at(kAtomQuantity, s - 1, e)) return e;
      } else if (take_at(kAtomQuantity, s, u)) {
        return u;
      }
    }
    if (rules_->on(kAtomNumber) && !atoms::alnum(far(e)) && take_at(kAtomNumber, s, e)) return e;
    return 0;
  }

  // Chinese numerals at k: a date, a quantity or a number; its end, 0 if none is taken.
  void han_number(uint32_t k) {
    if (k > 0 && numeral(cp(k - 1)) && done_ < k) return;
    uint32_t e;
    if (rules_->on(kAtomCalendar) && (e = calendar(k))) {
      done_ = e;
      return;
    }
    e = chinese(k);
    steps += e - k + 1;
    done_ = std::max(done_, std::min(e, k + atoms::kMostNumber));
    if (rules_->on(kAtomQuantity)) {
      const uint32_t u = unit(e);
      // one numeral and one character are often a word: 一度, 三角, 千里
      if (u > e && (u - e > 1 || e - k > 1) && !(e - k == 1 && multiplier(cp(k))) &&
          take_at(kAtomQuantity, k, u)) {
        done_ = u;
        return;
      }
    }
    if (rules_->on(kAtomNumeral) && certain(k, e)) take_at(kAtomNumeral, k, e);
  }

  // The end and value of a number of at most four digits, or of Chinese numerals, at k; k if there
  // is none.
  uint32_t small(uint32_t k, uint32_t* value, uint32_t* length) const {
    uint32_t e = k, v = 0;
    if (far_digit(k)) {
      while (e - k < 5 && far_digit(e)) v = v * 10 + uint32_t(far(e++) - '0');
      *value = v;
      *length = e - k;
      return e;
    }
    static const char32_t ones[] = U"〇一二三四五六七八九";
    uint32_t tens = 0;
    bool ten = false;
    for (; e < n_ && e - k < 4; ++e) {
      uint32_t c = cp(e);
      if (c == U'○' || c == U'零') c = U'〇';
      if (c == U'十') {
        if (ten) break;
        tens = v ? v : 1;
        v = 0;
        ten = true;
        continue;
      }
      uint32_t d = 0;
      while (d < 10 && uint32_t(ones[d]) != c) ++d;
      if (d == 10) break;
      v = v * 10 + d;
    }
    *value = ten ? tens * 10 + v : v;
    *length = ten ? 2 : e - k;
    return e;
  }

  // 2026年11月21日, 11月21日, 二〇二六年, 10时30分: its end, 0 if none is taken.
  uint32_t calendar(uint32_t k) {
    uint32_t v = 0, length = 0, e = small(k, &v, &length), day = k;
    steps += 8;
    if (e == k) return 0;
    uint32_t i = k;
    int parts = 0;
    auto next = [&] {  // past the unit at e
      day = i = e + 1;
      ++parts;
      e = small(i, &v, &length);
    };
    if (cp(e) == U'年' && (length == 2 || (length == 4 && v >= 1000 && v < 3000))) next();
    if (e > i && cp(e) == U'月' && v >= 1 && v <= 12) next();
    if (e > i && (cp(e) == U'日' || (cp(e) == U'号' && parts)) && v >= 1 && v <= 31) next();
    if (parts) return take_at(kAtomCalendar, k, day) ? day : 0;
    if ((cp(e) == U'时' || cp(e) == U'点') && v <= 24) {  // 10时30分
      i = e + 1;
      e = small(i, &v, &length);
      if (e == i || cp(e) != U'分' || v > 59) return 0;
      i = e + 1;
      e = small(i, &v, &length);
      if (e > i && cp(e) == U'秒' && v <= 60) i = e + 1;
      if (!take_at(kAtomCalendar, k, i)) return 0;
      found.back().kind = kKindTime;
      return i;
    }
    return 0;
  }
};

}  // namespace segmenter
