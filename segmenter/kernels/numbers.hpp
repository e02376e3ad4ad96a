// The only reader of numbers, dates and other runs, over character ids. Callers decide what runs
// become: edges of a lattice (lattice/runs.hpp), marks of a tagger (tagging/text.hpp).
// docs/en/numbers.md says why 3.14 or 十二月份 is one token; tests/reference/runs.py is the
// readable form.
#pragma once
#include <cstdint>

#include "lexicon/lexicon.hpp"

namespace segmenter {

inline bool is_alnum(CharClass c) { return c == kDigit || c == kLatin; }
inline bool is_script(CharClass c) { return c >= kGreek && c <= kLetter; }
inline bool is_blank(CharClass c) { return c == kBlank || c == kLf || c == kCr; }
inline bool is_punct(CharClass c) { return c == kPunct || (c >= kPoint && c <= kMinus); }
// Whether a run may contain characters of both classes in a row.
inline bool one_run(CharClass a, CharClass b) {
  return (is_alnum(a) && is_alnum(b)) || (a == b && is_script(a));
}

struct Runs {
  const Lexicon& lex;
  const uint16_t* ids;
  uint32_t n;  // characters [0, n); ids after them are 0

  CharClass cls(int64_t k) const { return lex.char_class(ids[k]); }
  bool alnum(int64_t k) const { return is_alnum(cls(k)); }

  // --- where a run ends ---
  uint32_t class_end(uint32_t k, CharClass c) const {
    while (k < n && cls(k) == c) ++k;
    return k;
  }
  uint32_t alnum_end(uint32_t k) const {  // with combining marks
    while (k < n && (alnum(k) || cls(k) == kExtend)) ++k;
    return k;
  }
  uint32_t script_end(uint32_t k, CharClass c) const {
    while (k < n && (cls(k) == c || cls(k) == kExtend)) ++k;
    return k;
  }
  uint32_t multipliers_end(uint32_t k) const {  // the end of 万 in 3万, of 十亿
    while (k < n && is_multiplier(ids[k])) ++k;
    return k;
  }

  // --- digits ---
  bool all_digits(uint32_t s, uint32_t e) const {
    for (; s < e; ++s)
      if (cls(s) != kDigit) return false;
    return true;
  }
  // The value of at most the first four digits.
  uint32_t value(uint32_t s, uint32_t e) const {
    uint32_t v = 0;
    for (uint32_t k = s; k < e && k < s + 4; ++k) v = v * 10 + (ids[k] - lex.rules.zero);
    return v;
  }
  // The greatest number that may precede 月 日 时 分; 0 for other characters.
  uint32_t most_before(uint32_t unit) const {
    const RuleIds& r = lex.rules;
    return !unit           ? 0
           : unit == r.yue ? 12
           : unit == r.ri  ? 31
           : unit == r.shi ? 24
           : unit == r.fen ? 59
                           : 0;
  }
  bool is_unit(uint32_t id) const { return id && (id == lex.rules.nian || most_before(id)); }

  // --- Chinese numerals ---
  bool is_multiplier(uint32_t id) const {
    for (int d = 9; d < 14; ++d)
      if (id == lex.rules.numerals[d]) return true;
    return false;
  }
  // The value of the numeral [s, e), 一 to 九十九; 0: it is something else.
  uint32_t small_han_number(uint32_t s, uint32_t e) const {
    const uint32_t ten = lex.rules.numerals[9], length = e - s;
    if (length == 0 || length > 3) return 0;
    if (length == 1) return ids[s] == ten ? 10 : han_digit(s);
    if (length == 2) {
      if (ids[s] == ten) return han_digit(s + 1) ? 10 + han_digit(s + 1) : 0;
      return ids[s + 1] == ten ? han_digit(s) * 10 : 0;
    }
    if (ids[s + 1] != ten || !han_digit(s) || !han_digit(s + 2)) return 0;
    return han_digit(s) * 10 + han_digit(s + 2);
  }
  uint32_t han_digit(uint32_t k) const {  // 1 to 9 for 一 to 九; 0: something else
    for (uint32_t d = 0; d < 9; ++d)
      if (ids[k] == lex.rules.numerals[d]) return d + 1;
    return 0;
  }
  // The end of the numeral after 点: digits, then perhaps 百 千 万 亿 (六点二, 一点五亿); k if the
  // text there is no fraction, as in 八点四十五分.
  uint32_t fraction_end(uint32_t k) const {
    const uint32_t e = class_end(k, kHanNum);
    // 八点/一直, 十点/一起
    if (e == k + 1 && ids[k] == lex.rules.numerals[0] &&
        among(ids[e], U"直起定般些切下旦边律共同路"))
      return k;
    uint32_t digits = k;
    while (digits < e && plain_han_digits(digits, digits + 1)) ++digits;
    for (uint32_t m = digits; m < e; ++m)
      if (!is_multiplier(ids[m]) || ids[m] == lex.rules.numerals[9]) return k;
    return digits > k ? e : k;
  }
  bool plain_han_digits(uint32_t s, uint32_t e) const {  // 一九九八, 二○○○
    for (uint32_t k = s; k < e; ++k) {
      bool is_digit = false;
      for (uint32_t d = 0; d < 17 && !is_digit; ++d)
        is_digit = (d < 9 || d >= 14) && ids[k] == lex.rules.numerals[d];
      if (!is_digit) return false;
    }
    return true;
  }

  // --- measure words ---
  bool among(uint32_t id, const char32_t* set) const {
    for (; *set; ++set)
      if (id && id == lex.map.id(*set)) return true;
    return false;
  }
  // Whether the character after the numeral [s, e) is a measure word: 三本, 一百台. Not after 百 or
  // 万 alone, which form words (百年, 万家), nor where another unit begins (一千克).
  bool measured(uint32_t s, uint32_t e) const {
    if (e >= n || !lex.measures.is(ids[e])) return false;
    if (lex.measures.bits[ids[e - 1]] & Measures::kTimes) {
      if (e == s + 1) return false;
      if (ids[e - 1] == lex.rules.numerals[11] && among(ids[e], U"克米")) return false;
    }
    return e != s + 1 || !lex.measures.may_be_word(ids[s], ids[e]) || !one_word(s, e);
  }
  // Whether the numerals [s, e) are certainly one number: 一百, 三十五.
  bool counts(uint32_t s, uint32_t e) const {
    if (e < s + 2 || (is_multiplier(ids[s]) && ids[s] != lex.rules.numerals[9])) return false;
    bool digit = false, times = false;
    for (uint32_t k = s; k < e; ++k) {
      if (is_multiplier(ids[k])) {
        if (k > s && !digit && ids[k - 1] == lex.rules.numerals[9]) return false;
        times = true;
        digit = false;
        continue;
      }
      bool zero = false;
      for (int d = 14; d < 17; ++d) zero |= ids[k] == lex.rules.numerals[d];
      if (zero) continue;
      if (digit && k > s + 1) return false;
      digit = true;
    }
    return times;
  }
  // Whether a boundary follows the measure word at k, before the next character: 三/个/人.
  bool breaks(uint32_t k) const {
    if (k + 1 >= n || !lex.measures.may_break(ids[k], ids[k + 1])) return false;
    for (const MeasureBreak& b : kMeasureBreaks)
      if (among(ids[k], b.measures) && among(ids[k + 1], b.next)) return true;
    return false;
  }

  // The kind of the token [s, e), which begins with a character of a run.
  EdgeKind kind(uint32_t s, uint32_t e) const {
    const CharClass c = cls(s);
    if (is_script(c)) return kScriptRun;
    if (c == kExtend) return kCluster;
    bool latin = false;
    for (uint32_t k = s; k < e; ++k) {
      const CharClass x = cls(k);
      latin |= x == kLatin;
      if (x == kExtend) return kCluster;
      if (x > kHanNum && x < kPoint) return kUnknown;
      if (x == kHan) return k + 1 == e && k > s && is_unit(ids[k]) ? kDate : kUnknown;
    }
    return latin ? kLatinRun : c == kDigit || c == kHanNum ? kNumber : kUnknown;
  }

 private:
  // Whether lexicon and model decide that the numeral at s and the measure word at e are one word.
  bool one_word(uint32_t s, uint32_t e) const {
    for (const MeasureWord& w : kMeasureWords) {
      if (ids[s] != lex.map.id(w.numeral) || ids[e] != lex.map.id(w.measure)) continue;
      if (w.left == Left::kAlways) return true;
      bool follows = e + 1 < n && among(ids[e + 1], w.next);
      if (*w.next == U',') follows |= e + 1 >= n || (cls(e + 1) != kHan && cls(e + 1) != kHanNum);
      return follows == (w.left == Left::kIf);
    }
    return false;
  }
};

}  // namespace segmenter
