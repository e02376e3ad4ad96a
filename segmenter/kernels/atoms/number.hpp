// Numbers, quantities and calendar dates: the rules "number", "numeral", "quantity" and "calendar".
// Places are those of the text.
#pragma once
#include <algorithm>
#include <cstdint>

#include "atoms/text.hpp"

namespace segmenter {
namespace atoms {

// Units in Latin letters; of those with the same beginning, longest first.
constexpr const char* kUnits[] = {
    "km/h", "m/s", "kWh", "mAh", "MHz", "GHz",  "kHz",  "THz", "Hz",  "Mbps", "Gbps", "Kbps", "bps",
    "kPa",  "MPa", "GPa", "hPa", "Pa",  "mmHg", "kcal", "cal", "kJ",  "MJ",   "kg",   "KG",   "Kg",
    "mg",   "ug",  "μg",  "km",  "KM",  "cm",   "mm",   "um",  "nm",  "dm",   "mL",   "ml",   "ML",
    "kW",   "KW",  "MW",  "GW",  "mW",  "kV",   "KV",   "mV",  "mA",  "dB",   "GB",   "MB",   "KB",
    "kB",   "TB",  "PB",  "GiB", "MiB", "KiB",  "TiB",  "ms",  "us",  "ns",   "min",  "rpm",  "ppm",
    "ppb",  "mol", "fps", "FPS", "dpi", "DPI",  "px",   "pt",  "kt",  "mph",  "cc",   "oz",   "lb",
    "lbs",  "ft",  "in",  "ha",  "IU",  "USD",  "RMB",  "CNY", "EUR", "HKD",  "JPY",  "GBP",  "G",
    "M",    "K",   "T",   "g",   "m",   "s",    "h",    "t",   "L",   "l",    "W",    "V",    "A",
    "J",    "N",   "B",   "b",   "Ω",
};
// Other units; of those with the same beginning, longest first.
constexpr const char32_t* kHanUnits[] = {
    U"平方公里", U"平方千米", U"平方厘米", U"平方毫米", U"平方英尺", U"平方米", U"立方厘米",
    U"立方米",   U"千瓦时",   U"兆瓦时",   U"千卡",     U"千克",     U"千米",   U"千瓦",
    U"千赫",     U"千帕",     U"千伏",     U"兆赫",     U"兆瓦",     U"兆帕",   U"兆字节",
    U"公斤",     U"公里",     U"公顷",     U"公分",     U"公升",     U"毫克",   U"毫米",
    U"毫升",     U"毫秒",     U"毫安时",   U"毫安",     U"厘米",     U"分米",   U"纳米",
    U"微米",     U"微克",     U"微秒",     U"英里",     U"英尺",     U"英寸",   U"海里",
    U"光年",     U"摄氏度",   U"华氏度",   U"小时",     U"分钟",     U"秒钟",   U"个月",
    U"星期",     U"吉字节",   U"字节",     U"像素",     U"美元",     U"欧元",   U"英镑",
    U"日元",     U"港元",     U"港币",     U"韩元",     U"卢布",     U"法郎",   U"人民币",
    U"元",       U"角",       U"吨",       U"克",       U"米",       U"升",     U"亩",
    U"斤",       U"两",       U"里",       U"尺",       U"寸",       U"丈",     U"度",
    U"伏",       U"瓦",       U"安",       U"赫",       U"帕",       U"天",     U"秒",
    U"周",       U"岁",       U"倍",       U"摄氏",     U"℃",        U"℉",      U"°",
    U"％",       U"㎏",       U"㎎",       U"㎞",       U"㎝",       U"㎜",     U"㎡",
    U"㎥",       U"㏄",       U"㎖",       U"′",        U"″",        U"Ω",
};
constexpr char32_t kCurrencies[] = U"$＄￥¥€£￡";

// The end of the number in digits at k: 1,000.5 3.2e-10 1/2 50% 3万; k if there is none.
inline uint32_t arabic_end(const AtomText& t, uint32_t k) {
  uint32_t e = t.digits_end_at(k);
  if (e == k) return k;
  bool plain = true;
  while (t.ascii_at(e) == ',' && t.digits_end_at(e + 1) == e + 4 && e - k < kMaxNumber) {
    e += 4;
    plain = false;
  }
  if ((t.ascii_at(e) == '.' || t.cp(e) == 0xB7) && t.digit_at(e + 1)) {
    e = t.digits_end_at(e + 1);
    plain = false;
  } else if (plain && t.ascii_at(e) == '/' && t.digit_at(e + 1)) {
    e = t.digits_end_at(e + 1);
  }
  if ((t.ascii_at(e) | 0x20) == 'e') {
    uint32_t x = e + 1;
    if (t.ascii_at(x) == '-' || t.ascii_at(x) == '+') ++x;
    if (t.digit_at(x)) e = t.digits_end_at(x);
  }
  if (t.ascii_at(e) == '%' || t.cp(e) == 0x2030) return e + 1;
  while (e < t.n && multiplier(t.cp(e)) && e - k < kMaxNumber) ++e;
  return e;
}

// The end of the Chinese number at k: 三千五百, 六点二, 百分之三十, 一九九八; k if there is none.
inline uint32_t chinese_end(const AtomText& t, uint32_t k) {
  auto run = [&](uint32_t i) {
    const uint32_t s = i;
    while (i < t.n && i - s < kMaxNumber && numeral(t.cp(i))) ++i;
    return i;
  };
  uint32_t e = run(k);
  if (e == k) return k;
  if (t.cp(e) == U'分' && t.cp(e + 1) == U'之' && run(e + 2) > e + 2) e = run(e + 2);
  if (t.cp(e) == U'点' && run(e + 1) > e + 1) e = run(e + 1);
  return e;
}

// Whether [s, e) is certainly a number, not part of a word such as 双十一, 万一, 千万.
inline bool is_number(const AtomText& t, uint32_t s, uint32_t e) {
  bool joint = false, ones = false, tens = false;
  for (uint32_t k = s; k < e; ++k) {
    joint |= t.cp(k) == U'点' || t.cp(k) == U'之';
    ones |= numeral(t.cp(k)) && !multiplier(t.cp(k));
    tens |= multiplier(t.cp(k));
  }
  if (joint) return true;
  if (e - s < 3 || !ones) return false;
  if (!tens) return true;               // 一九九八
  for (uint32_t k = s; k + 1 < e; ++k)  // 三三百 is not a number: a power of ten takes one digit
    if (t.cp(k) == t.cp(k + 1)) return false;
  return true;
}

// The end of the unit at k; k if there is none.
inline uint32_t unit_end(const AtomText& t, uint32_t k) {
  for (const char32_t* name : kHanUnits) {
    uint32_t i = 0;
    while (name[i] && k + i < t.n && t.cp(k + i) == uint32_t(name[i])) ++i;
    if (!name[i]) return k + i;
  }
  uint32_t best = k;
  for (const char* name : kUnits) {
    uint32_t i = 0;
    while (name[i] && t.ascii_at(k + i) == uint8_t(name[i])) ++i;
    if (!name[i] && k + i > best && !alnum(t.ascii_at(k + i))) best = k + i;
  }
  if (best > k && t.ascii_at(best - 1) == 'm' && in(U"²³", t.cp(best))) ++best;
  return best;
}

inline bool takes_sign(const AtomText& t, uint32_t k) {  // at k - 1, before the digits at k
  if (k == 0 || k <= t.read_end || !(t.ascii_at(k - 1) == '-' || t.ascii_at(k - 1) == '+'))
    return false;
  if (!t.atoms.empty() && t.atoms.back().end > k - 1) return false;
  if (k == 1) return true;
  const uint8_t f = t.ascii_at(k - 2);
  if (alnum(f) || one_of(f, "-+)]%/_.")) return false;
  const uint32_t c = t.cp(k - 2);
  return !(numeral(c) || in(U"年月日号时分秒点周楼层栋室章节条第）】」』”’…%‰℃", c));
}

// The end and value of a number of at most four digits, or of Chinese numerals, at k; k if there
// is none.
inline uint32_t short_number(const AtomText& t, uint32_t k, uint32_t* value, uint32_t* length) {
  uint32_t e = k, v = 0;
  if (t.digit_at(k)) {
    while (e - k < 5 && t.digit_at(e)) v = v * 10 + uint32_t(t.ascii_at(e++) - '0');
    *value = v;
    *length = e - k;
    return e;
  }
  static const char32_t ones[] = U"〇一二三四五六七八九";
  uint32_t tens = 0;
  bool ten = false;
  for (; e < t.n && e - k < 4; ++e) {
    uint32_t c = t.cp(e);
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

// The end of the calendar date or time at k, 2026年11月21日, 11月21日, 二〇二六年, 10时30分; 0 if none is
// added. 八十年代, 2026年度 and 几十年 are no dates.
inline uint32_t calendar(AtomText& t, uint32_t k) {
  uint32_t v = 0, length = 0, e = short_number(t, k, &v, &length), day = k;
  t.steps += 8;
  if (e == k || (k > 0 && in(U"几数幾數", t.cp(k - 1)))) return 0;
  uint32_t i = k;
  int parts = 0;
  auto advance = [&] {  // past the unit at e
    day = i = e + 1;
    ++parts;
    e = short_number(t, i, &v, &length);
  };
  const bool year = length == 2 || (length == 4 && v >= 1000 && v < 3000);
  if (t.cp(e) == U'年' && year && !in(U"代度", t.cp(e + 1))) advance();
  if (e > i && t.cp(e) == U'月' && v >= 1 && v <= 12) advance();
  if (e > i && (t.cp(e) == U'日' || (t.cp(e) == U'号' && parts)) && v >= 1 && v <= 31) advance();
  if (parts) return t.try_add_at(kAtomCalendar, k, day) ? day : 0;
  if ((t.cp(e) == U'时' || t.cp(e) == U'点') && v <= 24) {  // 10时30分
    i = e + 1;
    e = short_number(t, i, &v, &length);
    if (e == i || t.cp(e) != U'分' || v > 59) return 0;
    i = e + 1;
    e = short_number(t, i, &v, &length);
    if (e > i && t.cp(e) == U'秒' && v <= 60) i = e + 1;
    if (!t.try_add_at(kAtomCalendar, k, i)) return 0;
    t.atoms.back().kind = kKindTime;
    return i;
  }
  return 0;
}

// The end of the number in digits at k, with its unit if it has one; 0 if it is not added.
inline uint32_t quantity(AtomText& t, uint32_t k) {
  uint32_t e = arabic_end(t, k), s = k;
  if (takes_sign(t, k)) --s;
  t.steps += e - k + 1;
  if (t.rules->on(kAtomQuantity)) {
    uint32_t u = unit_end(t, e);
    if (u == e) {  // 3-5天, 10~20kg
      if (in(U"-~～—－至到", t.cp(e)) && t.digit_at(e + 1)) {
        const uint32_t f = arabic_end(t, e + 1);
        const uint32_t v = unit_end(t, f);
        if (v > f && t.try_add_at(kAtomQuantity, k, v)) return v;
      }
      const bool money = s > 0 && s > t.read_end && in(kCurrencies, t.cp(s - 1)) &&
                         (t.atoms.empty() || t.atoms.back().end < s);
      if (money && t.try_add_at(kAtomQuantity, s - 1, e)) return e;
    } else if (t.try_add_at(kAtomQuantity, s, u)) {
      return u;
    }
  }
  if (t.rules->on(kAtomNumber) && !alnum(t.ascii_at(e)) && t.try_add_at(kAtomNumber, s, e))
    return e;
  return 0;
}

uint32_t clock_from(AtomText& t, uint32_t k);  // atoms/clock.hpp

// Reads the Chinese numerals at k: a date, a quantity or a number.
inline void han_number(AtomText& t, uint32_t k) {
  if (k > 0 && numeral(t.cp(k - 1)) && t.read_end < k) return;
  uint32_t e;
  if (t.rules->on(kAtomClock) && clock_from(t, k)) return;
  if (t.rules->on(kAtomCalendar) && (e = calendar(t, k))) {
    t.read_end = e;
    return;
  }
  e = chinese_end(t, k);
  t.steps += e - k + 1;
  t.read_end = std::max(t.read_end, std::min(e, k + kMaxNumber));
  if (t.rules->on(kAtomQuantity)) {
    const uint32_t u = unit_end(t, e);
    // one numeral and one character are often a word: 一度, 三角, 千里
    if (u > e && (u - e > 1 || e - k > 1) && !(e - k == 1 && multiplier(t.cp(k))) &&
        t.try_add_at(kAtomQuantity, k, u)) {
      t.read_end = u;
      return;
    }
  }
  if (t.rules->on(kAtomNumeral) && is_number(t, k, e)) t.try_add_at(kAtomNumeral, k, e);
}

}  // namespace atoms
}  // namespace segmenter
