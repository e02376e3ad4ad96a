// Spoken times of day: 三点十分, 两点半, 八时零五分, 8点30; the rule "clock".
#pragma once
#include <cstdint>

#include "atoms/number.hpp"

namespace segmenter {
namespace atoms {

// The value of the numerals 十, 三十五, 零五, 两 in [s, e); more than 99 for anything else. `places`: the
// number of its digits, 2 for 十 and 零五.
inline uint32_t spoken_value(const AtomText& t, uint32_t s, uint32_t e, uint32_t* places) {
  static const char32_t ones[] = U"〇一二三四五六七八九";
  constexpr uint32_t kNone = 100;
  uint32_t value = 0, digits = 0;
  bool ten = false;
  for (uint32_t k = s; k < e; ++k) {
    uint32_t c = t.cp(k);
    if (c == U'零' || c == U'○') c = U'〇';
    if (c == U'两') c = U'二';
    if (c == U'十') {
      if (ten || digits > 1 || (digits && !value)) return kNone;
      value = digits ? value * 10 : 10;
      ten = true;
      digits = 0;
      continue;
    }
    uint32_t d = 0;
    while (d < 10 && uint32_t(ones[d]) != c) ++d;
    if (d == 10 || digits > (ten ? 0u : 1u) || (ten && !d)) return kNone;
    if (!ten && digits == 1 && value) return kNone;  // 三五
    value += d;
    ++digits;
  }
  *places = ten ? 2 : digits;
  return s == e ? kNone : value;
}

// The end of the number at k, in digits or numerals, of at most four characters; sets its value
// and its number of digits.
inline uint32_t hour_or_minute(const AtomText& t, uint32_t k, uint32_t* value, uint32_t* places) {
  uint32_t e = k;
  *value = 0;
  if (t.digit_at(k)) {
    while (e - k < 4 && t.digit_at(e)) *value = *value * 10 + uint32_t(t.ascii_at(e++) - '0');
    *places = e - k;
    return e;
  }
  while (e < t.n && e - k < 4 && numeral(t.cp(e))) ++e;
  *value = spoken_value(t, k, e, places);
  return e;
}

// Whether an hour may begin at k: no number or word that ends before k continues there.
inline bool hour_begins(const AtomText& t, uint32_t k) {
  if (k == 0) return true;
  const uint32_t c = t.cp(k - 1);
  return !(numeral(c) || alnum(t.ascii_at(k - 1)) || one_of(t.ascii_at(k - 1), ".:-/") ||
           in(U"第几数多每某·", c));
}

// The end of the time of day whose hour begins at k and whose 点 or 时 is at `mark`; 0: there is none.
inline uint32_t clock_at(const AtomText& t, uint32_t k, uint32_t mark) {
  uint32_t hour = 0, places = 0;
  if (hour_or_minute(t, k, &hour, &places) != mark || hour > 24 || places > 2) return 0;
  const bool spoken = in(U"点點", t.cp(mark)), digits = t.digit_at(k);
  const uint32_t m = mark + 1, next = t.cp(m), second = t.cp(m + 1);
  if (next == U'整' && !in(U"个体理天年顿合套齐改治修洁装夜備备", second)) return m + 1;
  if (spoken) {
    if (in(U"钟鐘", next) && !in(U"声头表聲頭", second)) return m + 1;
    if (next == U'半' && !in(U"天个個小年数數路以径徑", second)) return m + 1;
    if (in(U"一三13", next) && second == U'刻' && !in(U"钟鐘不也", t.cp(m + 2))) return m + 2;
  }
  uint32_t minute = 0, minute_places = 0;
  const uint32_t e = hour_or_minute(t, m, &minute, &minute_places);
  if (e == m || minute > 59 || t.digit_at(m) != digits) return 0;
  const bool is_fraction = t.cp(e + 1) == U'之' && (numeral(t.cp(e + 2)) || t.digit_at(e + 2));
  if (t.cp(e) == U'分' && !is_fraction && !in(U"钟鐘", t.cp(e + 1))) {
    // 这一点十分重要
    if (spoken && !digits && e == m + 1 && t.cp(m) == U'十' &&
        ((k > 0 && in(U"这那有此这這哪以", t.cp(k - 1))) ||
         in(U"重关明清必满突值难美好大小高显不容危可困复简奇感有", t.cp(e + 1))))
      return 0;
    if (!in(U"别析布享手公工配类歧裂別", t.cp(e + 1))) {
      uint32_t seconds = 0;
      const uint32_t f = hour_or_minute(t, e + 1, &seconds, &places);
      return f > e + 1 && seconds < 60 && t.cp(f) == U'秒' ? f + 1 : e + 1;
    }
  }
  // without 分: 三点四十, 8点05, 三点二十/分别, but not 三点五 or 3点5
  if (!spoken || minute_places != 2) return 0;
  const uint32_t f = t.cp(e);
  if (t.digit_at(e) || numeral(f) || one_of(t.ascii_at(e), ".:%/-") || alnum(t.ascii_at(e)) ||
      in(U"个個亿万億萬百千％‰℃度倍元块塊米公克吨斤岁歲人秒", f) ||
      (f == U'分' && (is_fraction || in(U"钟鐘", t.cp(e + 1)))))
    return 0;
  return e;
}

// The end of the time of day whose 点 or 时 is at `mark`; 0 if none is added.
inline uint32_t clock(AtomText& t, uint32_t mark) {
  uint32_t k = mark;
  if (k == t.read_end || !(t.cls(k - 1) == kHanNum || t.cls(k - 1) == kDigit)) return 0;
  const uint32_t earliest = std::max(t.read_end, mark > 3 ? mark - 3 : 0);
  if (k > earliest && t.digit_at(k - 1))
    while (k > earliest && t.digit_at(k - 1)) --k;
  else
    while (k > earliest && numeral(t.cp(k - 1))) --k;
  t.steps += 8;
  if (k == mark) return 0;
  // 周三三点半
  if (mark - k > 1 && k > 0 && in(U"周期拜週", t.cp(k - 1))) ++k;
  else if (!hour_begins(t, k)) return 0;
  const uint32_t e = clock_at(t, k, mark);
  if (!e || !t.try_add_at(kAtomClock, k, e)) return 0;
  return t.read_end = e;
}

// The same, given the position of the hour.
inline uint32_t clock_from(AtomText& t, uint32_t k) {
  uint32_t mark = k;
  while (mark < t.n && mark - k < 3 && (t.digit_at(mark) || numeral(t.cp(mark)))) ++mark;
  return mark < t.n && in(kHours, t.cp(mark)) ? clock(t, mark) : 0;
}

// The end of the numerals of contracts at k, 壹佰贰拾, 柒 before 角, and 廿三, 卅; 0 if none is added.
inline uint32_t financial(AtomText& t, uint32_t k) {
  if (k < t.read_end) return 0;
  if (in(kTwenties, t.cp(k))) {
    if (!in(U"一二三四五六七八九", t.cp(k + 1)) || numeral(t.cp(k + 2))) return 0;
    const uint32_t day = k + 2 + (t.cp(k + 2) == U'日');
    if (!t.try_add_at(kAtomFinancial, k, day)) return 0;
    if (day > k + 2) t.atoms.back().kind = kDate;
    return t.read_end = day;
  }
  while (k > t.read_end && (in(kFinancialDigits, t.cp(k - 1)) || in(U"万亿萬億零", t.cp(k - 1))))
    --k;
  while (in(U"万亿萬億零", t.cp(k))) ++k;
  uint32_t e = k;
  bool has_tens = false, has_digit = false;
  while (e < t.n && e - k < kMaxNumber) {
    const uint32_t c = t.cp(e);
    const bool is_digit = in(kFinancialDigits, c), is_tens = in(kFinancialTens, c);
    if (!is_digit && !is_tens && !(e > k && in(U"万亿萬億零", c))) break;
    has_digit |= is_digit;
    has_tens |= (is_tens || (e > k && in(U"万亿萬億", c))) && (e > k || c == U'拾');
    ++e;
  }
  t.steps += e - k + 1;
  t.read_end = std::max(t.read_end, e);
  const bool money = in(U"元圆圓角分", t.cp(e));
  if (!has_digit || !(has_tens || money) || !t.try_add_at(kAtomFinancial, k, e)) return 0;
  // 元/捌/角/玖/分: single numerals, at some of which no scan stops
  while (in(U"元圆圓角", t.cp(e)) && in(kFinancialDigits, t.cp(e + 1)) &&
         in(U"角分", t.cp(e + 2)) && t.try_add_at(kAtomFinancial, e + 1, e + 2))
    e = t.read_end = e + 2;
  return e;
}

}  // namespace atoms
}  // namespace segmenter
