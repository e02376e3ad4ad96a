// Numbers, dates and other runs as edges of the lattice; the readable form is
// tests/reference/runs.py.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lattice/window.hpp"
#include "numbers.hpp"

namespace segmenter {

// Adds to a window the edges of the runs in its characters.
class RunEdges {
 public:
  explicit RunEdges(LatticeWindow& window) : window_(window) {}

  // Whether k has a joiner between two characters of runs or beside another joiner, or a blank
  // between two digits.
  bool joins(uint32_t k) const {
    const Lexicon& lex = *window_.lex;
    const uint32_t before = window_.ids[int64_t(k) - 1], after = window_.ids[k + 1];
    auto is_joiner = [&](uint32_t id) { return id - lex.n_runs < lex.n_special - lex.n_runs; };
    auto is_letter = [&](uint32_t id) { return id - 1 < lex.n_others - 1; };
    if (is_joiner(window_.ids[k]))
      return is_joiner(before) || is_joiner(after) || (is_letter(before) && is_letter(after));
    const uint32_t zero = lex.rules.zero;
    return window_.cls(k) == kBlank && before - zero < 10 && after - zero < 10;
  }

  // Whether no number, date or run can be open before position k.
  bool clean_cut(uint32_t k) const {
    return !window_.special(k - 1) && !window_.special(k - 2) && !window_.special(k - 3) &&
           window_.cls(k) != kExtend && window_.ids[k - 1] != window_.lex->rules.di;
  }

  // Adds the edges of all runs that begin at [from, to).
  void scan(uint32_t begin, uint32_t end) {
    if (window_.lex->n_runs <= 1) return;
    uint32_t done = begin;  // the runs before it are added
    for (uint32_t k = begin; k < end; k += 64) {
      uint64_t mask = runs_at(k, end);
      if (mask && k > begin) Interrupt::look(64);
      while (mask) {
        uint32_t start = k + uint32_t(__builtin_ctzll(mask));
        mask &= mask - 1;
        if (start < done) continue;
        done = scan_run(start);
        if (done - k < 64) mask &= ~uint64_t(0) << (done - k);
        else mask = 0;
        ++window_.steps;
      }
    }
  }

 private:
  LatticeWindow& window_;

  Runs runs() const { return Runs{*window_.lex, window_.ids, window_.mapped}; }

  // Adds date edges for the number `value` in [start, end). `is_year`: its number of digits may be
  // a year.
  void add_dates(uint32_t start, uint32_t end, uint32_t value, bool is_year) {
    const RuleIds& rules = window_.lex->rules;
    const uint32_t unit = window_.ids[end], max_value = runs().most_before(unit);
    if (unit && unit == rules.nian) {
      if (is_year) window_.add_class(start, end + 1, kDate);
      return;
    }
    if (!max_value || value > max_value) return;
    if ((unit == rules.yue || unit == rules.ri) && value == 0) return;
    if (unit == rules.fen && rules.zhi && window_.ids[end + 1] == rules.zhi) return;  // 三分之一
    if (unit == rules.fen && window_.measures && runs().among(window_.ids[end + 1], U"钟"))
      return;  // 三/分钟
    window_.add_class(start, end + 1, kDate);
    if (unit == rules.yue && rules.fen_month && window_.ids[end + 1] == rules.fen_month)
      window_.add_class(start, end + 2, kDate);
  }

  // Notes an atom that begins with the number before e: a time of day, 三点一刻, 3时整.
  void note_time(uint32_t e) {
    const RuleIds& r = window_.lex->rules;
    const uint32_t unit = window_.ids[e];
    if (!unit || (unit != r.dian && unit != r.shi)) return;
    const CharClass c = window_.cls(e + 1);
    window_.may_miss_atoms |=
        c == kDigit || c == kHanNum || runs().among(window_.ids[e + 1], U"整半钟鐘");
  }

  // Adds a run of Latin letters and digits, and the number that it belongs to; returns its end.
  uint32_t scan_alnum(uint32_t s) {
    const RuleIds& r = window_.lex->rules;
    const Runs in = runs();
    uint32_t e = in.class_end(s, kDigit);
    if (in.alnum(e) || window_.cls(e) == kExtend) {
      e = in.alnum_end(e);
      // 京A12345, 沪B·88888
      if (window_.cls(int64_t(s) - 1) == kHan && window_.cls(s) == kLatin &&
          ((e - s >= 5 && e - s <= 7) || (e == s + 1 && window_.cls(e) == kPoint)))
        window_.may_miss_atoms = true;
      window_.add_whole(s, e, kLatinRun);
      if (window_.measures && window_.cls(e) == kHan) window_.letters.push_back({s, e});
      return e;
    }
    uint32_t start = s;
    const uint32_t digits = e - s;
    bool plain = true, number = true;
    if (s > 0 && window_.cls(int64_t(s) - 1) == kMinus) {
      CharClass before = window_.cls(int64_t(s) - 2);  // a sign, not a joiner: 5-3, A-1, 五月-6月
      if (before == kOther || before == kPunct || before == kBlank || before == kLf ||
          before == kColon) {
        start = s - 1;
        plain = false;
      }
    }
    for (;;) {
      CharClass c = window_.cls(e);
      if ((c == kPoint || c == kColon) && window_.cls(e + 1) == kDigit) {
        const uint32_t f = in.alnum_end(e + 1);
        number = in.all_digits(e + 1, f);
        e = f;
      } else if (c == kComma && window_.cls(e + 1) == kDigit && in.alnum_end(e + 1) == e + 4 &&
                 in.all_digits(e + 1, e + 4)) {
        e += 4;
      } else {
        break;
      }
      plain = false;
      if (!number) break;
    }
    if (number && window_.cls(e) == kPercent) {
      ++e;
      plain = number = false;
      window_.add_whole(start, e, kNumber);
    } else {
      window_.add_whole(start, e, number ? kNumber : kLatinRun);
    }
    if (r.di && start > 0 && window_.ids[start - 1] == r.di)
      window_.add_class(start - 1, e, kNumber);
    if (number && window_.cls(e) == kHanNum) {  // 3万, 1.5亿
      const uint32_t f = in.multipliers_end(e);
      if (f > e) window_.add_class(start, f, kNumber);
    }
    if (plain && in.is_unit(window_.ids[e]))
      add_dates(start, e, digits <= 4 ? in.value(s, e) : 9999, digits == 4 || digits == 2);
    note_time(e);
    if (const uint8_t after =
            number && window_.measures ? window_.lex->measures.bits[window_.ids[e]] : 0) {
      if (after & Measures::kBreaks && in.breaks(e))
        window_.measured.push_back({e, e, false, true});
    }
    return e;
  }

  uint32_t scan_han_number(uint32_t s) {
    const RuleIds& r = window_.lex->rules;
    const Runs in = runs();
    uint32_t e = in.class_end(s, kHanNum);
    const uint32_t run = e;
    note_time(run);
    // 百分之三十, 六点二, 百分之九十九点九: each joint once, so 一点一点 is not a number
    if (r.fen && r.zhi && window_.ids[e] == r.fen && window_.ids[e + 1] == r.zhi &&
        window_.cls(e + 2) == kHanNum)
      e = in.class_end(e + 2, kHanNum);
    if (r.dian && window_.ids[e] == r.dian) {
      const uint32_t f = in.fraction_end(e + 1);
      if (f > e + 1) e = f;
    }
    if (!window_.lex->numbers) return e;
    const uint8_t after =
        window_.measures && e == run ? window_.lex->measures.bits[window_.ids[run]] : 0;
    const bool measured = after & Measures::kIs && in.measured(s, run);
    if (measured) window_.measured.push_back({s, run, true, in.breaks(run)});
    if (run - s >= 2) {
      if ((measured || after & Measures::kAfter) && in.counts(s, run))
        window_.add_whole(s, run, kNumber);
      else window_.add_class(s, run, kNumber);
    }
    if (e > run) window_.add_class(s, e, kNumber);
    if (r.di && s > 0 && window_.ids[s - 1] == r.di) window_.add_class(s - 1, run, kNumber);
    if (!in.is_unit(window_.ids[run])) return e;
    const uint32_t value = in.small_han_number(s, run);
    if (value || run - s >= 2)
      add_dates(s, run, value ? value : 9999,
                (run - s == 2 || run - s == 4) && in.plain_han_digits(s, run));
    return e;
  }

  // Where runs may begin among the up to 64 positions from k on, one bit per position. Most Chinese
  // numerals stand alone (一个, 统一) and make no number: they are left out, and split from a
  // measure word after them.
  uint64_t runs_at(uint32_t k, uint32_t end) {
    const Lexicon& lex = *window_.lex;
    const uint16_t* const ids = window_.ids + k;
    const uint32_t n = std::min<uint32_t>(end - k, 64);
    const IdRange run(1, lex.n_runs), numeral(lex.n_others, lex.n_runs);
    uint64_t runs = 0, numerals = 0;
    for (uint32_t i = 0; i < n; i += 16) {
      const uint32_t mask = run.sixteen(ids + i);
      runs |= uint64_t(mask) << i;
      if (mask) numerals |= uint64_t(numeral.sixteen(ids + i)) << i;
    }
    const uint64_t valid = n < 64 ? (uint64_t(1) << n) - 1 : ~uint64_t(0);
    runs &= valid;
    // the neighbours of the first and the last of 64 positions are not known
    uint64_t lone = numerals & valid & ~(numerals >> 1 | numerals << 1 | 1 | uint64_t(1) << 63);
    for (; lone; lone &= lone - 1) {
      const uint32_t i = uint32_t(__builtin_ctzll(lone));
      // 第 and units of dates count as neighbours
      if (uint32_t(ids[i + 1] - lex.dates) < 8 || uint32_t(ids[i - 1] - lex.dates) < 8) continue;
      runs &= ~(uint64_t(1) << i);
      if (window_.measures && lex.measures.is(ids[i + 1])) split_lone_numeral(k + i);
    }
    return runs;
  }

  // Splits the numeral at s, which has no neighbours, from the measure word after it.
  void split_lone_numeral(uint32_t s) {
    const Runs in = runs();
    if (in.measured(s, s + 1)) window_.measured.push_back({s, s + 1, true, in.breaks(s + 1)});
  }

  // Adds the edges of the run that begins at s; returns its end.
  uint32_t scan_run(uint32_t s) {
    CharClass c = window_.cls(s);
    uint32_t e = s + 1;
    switch (c) {
      case kDigit:
      case kLatin:
        if (window_.lex->numbers) return scan_alnum(s);
        window_.any_alnum = true;  // joined after decoding, as in jieba
        break;
      case kHanNum:
        return scan_han_number(s);
      case kBlank:
        e = runs().class_end(s, kBlank);
        window_.add_whole(s, e, kBlankRun);
        break;
      case kCr:  // alone it does not end a line
        if (s + 1 < window_.mapped && window_.cls(s + 1) == kLf) e = s + 2;
        window_.add_whole(s, e, e == s + 2 ? kLineEnd : kBlankRun);
        break;
      case kLf:
        window_.add_whole(s, e, kLineEnd);
        break;
      case kGreek:
      case kCyrillic:
      case kKatakana:
      case kHiragana:
      case kHangul:
      case kLetter:
        e = runs().script_end(e, c);
        window_.add_whole(s, e, kScriptRun);
        break;
      case kExtend:
        return scan_extend(s);
      default:
        break;
    }
    return e;
  }

  // Attaches combining marks outside runs to the character before them.
  uint32_t scan_extend(uint32_t s) {
    const uint32_t e = runs().class_end(s, kExtend);
    CharClass before = window_.cls(int64_t(s) - 1);
    if (s == 0 || before == kLf || before == kCr ||
        (window_.edits && window_.edits->overlaps(window_.base + s - 1, window_.base + s))) {
      window_.add_whole(s, e, kCluster);
      return e;
    }
    bool alone = !window_.forbidden[s - 1];  // the character before begins no run to extend
    uint32_t list = window_.head[s];         // a run that ends here is extended
    window_.head[s] = 0;
    while (list) {
      SparseEdge& edge = window_.longs[list - 1];
      uint32_t next = edge.next;
      if (edge.kind != kWord) {
        if (edge.start == s - 1) alone = false;
        edge.end = e;
        edge.next = window_.head[e];
        window_.head[e] = list;
      }
      list = next;
    }
    for (uint32_t k = s; k < e; ++k) {
      window_.forbidden[k] = 1;
      window_.forbidden_list.push_back(k);
    }
    // also after a date that was extended (3月): the path must be able to leave the last character
    if (alone) window_.add_class(s - 1, e, kCluster);
    return e;
  }
};

}  // namespace segmenter
