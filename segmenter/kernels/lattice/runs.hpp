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

  // Adds the edges of all runs that begin at [begin, end).
  void scan(uint32_t begin, uint32_t end) {
    if (window_.lex->n_runs <= 1) return;
    uint32_t done = begin;  // the runs before it are added
    for (uint32_t k = begin; k < end; k += 64) {
      uint64_t mask = runs_at(k, end);
      if (mask && k > begin) Interrupt::poll(64);
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

  // Notes that the number before `end` may begin an atom: a time of day, 三点一刻, 3时整.
  void note_time(uint32_t end) {
    const RuleIds& rules = window_.lex->rules;
    const uint32_t unit = window_.ids[end];
    if (!unit || (unit != rules.dian && unit != rules.shi)) return;
    const CharClass char_class = window_.cls(end + 1);
    window_.may_miss_atoms |= char_class == kDigit || char_class == kHanNum ||
                              runs().among(window_.ids[end + 1], U"整半钟鐘");
  }

  // Adds a run of Latin letters and digits, and the number that it belongs to; returns its end.
  uint32_t scan_alnum(uint32_t begin) {
    const RuleIds& rules = window_.lex->rules;
    const Runs reader = runs();
    uint32_t end = reader.class_end(begin, kDigit);
    if (reader.alnum(end) || window_.cls(end) == kExtend) {
      end = reader.alnum_end(end);
      // 京A12345, 沪B·88888
      if (window_.cls(int64_t(begin) - 1) == kHan && window_.cls(begin) == kLatin &&
          ((end - begin >= 5 && end - begin <= 7) ||
           (end == begin + 1 && window_.cls(end) == kPoint)))
        window_.may_miss_atoms = true;
      window_.add_whole(begin, end, kLatinRun);
      if (window_.measures && window_.cls(end) == kHan) window_.letters.push_back({begin, end});
      return end;
    }
    uint32_t start = begin;
    const uint32_t n_digits = end - begin;
    bool is_integer = true, is_number = true;
    if (begin > 0 && window_.cls(int64_t(begin) - 1) == kMinus) {
      CharClass before =
          window_.cls(int64_t(begin) - 2);  // a sign, not a joiner: 5-3, A-1, 五月-6月
      if (before == kOther || before == kPunct || before == kBlank || before == kLf ||
          before == kColon) {
        start = begin - 1;
        is_integer = false;
      }
    }
    for (;;) {
      CharClass char_class = window_.cls(end);
      if ((char_class == kPoint || char_class == kColon) && window_.cls(end + 1) == kDigit) {
        const uint32_t part_end = reader.alnum_end(end + 1);
        is_number = reader.all_digits(end + 1, part_end);
        end = part_end;
      } else if (char_class == kComma && window_.cls(end + 1) == kDigit &&
                 reader.alnum_end(end + 1) == end + 4 && reader.all_digits(end + 1, end + 4)) {
        end += 4;
      } else {
        break;
      }
      is_integer = false;
      if (!is_number) break;
    }
    if (is_number && window_.cls(end) == kPercent) {
      ++end;
      is_integer = is_number = false;
      window_.add_whole(start, end, kNumber);
    } else {
      window_.add_whole(start, end, is_number ? kNumber : kLatinRun);
    }
    if (rules.di && start > 0 && window_.ids[start - 1] == rules.di)
      window_.add_class(start - 1, end, kNumber);
    if (is_number && window_.cls(end) == kHanNum) {  // 3万, 1.5亿
      const uint32_t part_end = reader.multipliers_end(end);
      if (part_end > end) window_.add_class(start, part_end, kNumber);
    }
    if (is_integer && reader.is_unit(window_.ids[end]))
      add_dates(start, end, n_digits <= 4 ? reader.value(begin, end) : 9999,
                n_digits == 4 || n_digits == 2);
    note_time(end);
    if (const uint8_t after =
            is_number && window_.measures ? window_.lex->measures.bits[window_.ids[end]] : 0) {
      if (after & Measures::kBreaks && reader.breaks(end))
        window_.measured.push_back({end, end, false, true});
    }
    return end;
  }

  uint32_t scan_han_number(uint32_t begin) {
    const RuleIds& rules = window_.lex->rules;
    const Runs reader = runs();
    uint32_t end = reader.class_end(begin, kHanNum);
    const uint32_t run_end = end;
    note_time(run_end);
    // 百分之三十, 六点二, 百分之九十九点九: each joint once, so 一点一点 is not a number
    if (rules.fen && rules.zhi && window_.ids[end] == rules.fen &&
        window_.ids[end + 1] == rules.zhi && window_.cls(end + 2) == kHanNum)
      end = reader.class_end(end + 2, kHanNum);
    if (rules.dian && window_.ids[end] == rules.dian) {
      const uint32_t fraction_end = reader.fraction_end(end + 1);
      if (fraction_end > end + 1) end = fraction_end;
    }
    if (!window_.lex->numbers) return end;
    const uint8_t after =
        window_.measures && end == run_end ? window_.lex->measures.bits[window_.ids[run_end]] : 0;
    const bool is_measured = after & Measures::kIs && reader.measured(begin, run_end);
    if (is_measured) window_.measured.push_back({begin, run_end, true, reader.breaks(run_end)});
    if (run_end - begin >= 2) {
      if ((is_measured || after & Measures::kAfter) && reader.counts(begin, run_end))
        window_.add_whole(begin, run_end, kNumber);
      else window_.add_class(begin, run_end, kNumber);
    }
    if (end > run_end) window_.add_class(begin, end, kNumber);
    if (rules.di && begin > 0 && window_.ids[begin - 1] == rules.di)
      window_.add_class(begin - 1, run_end, kNumber);
    if (!reader.is_unit(window_.ids[run_end])) return end;
    const uint32_t value = reader.small_han_number(begin, run_end);
    if (value || run_end - begin >= 2)
      add_dates(begin, run_end, value ? value : 9999,
                (run_end - begin == 2 || run_end - begin == 4) &&
                    reader.plain_han_digits(begin, run_end));
    return end;
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

  // Splits a numeral without neighbours from the measure word after it.
  void split_lone_numeral(uint32_t numeral) {
    const Runs reader = runs();
    if (reader.measured(numeral, numeral + 1))
      window_.measured.push_back({numeral, numeral + 1, true, reader.breaks(numeral + 1)});
  }

  // Adds the edges of the run that begins at `begin`; returns its end.
  uint32_t scan_run(uint32_t begin) {
    CharClass char_class = window_.cls(begin);
    uint32_t end = begin + 1;
    switch (char_class) {
      case kDigit:
      case kLatin:
        if (window_.lex->numbers) return scan_alnum(begin);
        window_.any_alnum = true;  // letters are joined after decoding, as in jieba
        break;
      case kHanNum:
        return scan_han_number(begin);
      case kBlank:
        end = runs().class_end(begin, kBlank);
        window_.add_whole(begin, end, kBlankRun);
        break;
      case kCr:  // a carriage return alone does not end a line
        if (begin + 1 < window_.mapped && window_.cls(begin + 1) == kLf) end = begin + 2;
        window_.add_whole(begin, end, end == begin + 2 ? kLineEnd : kBlankRun);
        break;
      case kLf:
        window_.add_whole(begin, end, kLineEnd);
        break;
      case kGreek:
      case kCyrillic:
      case kKatakana:
      case kHiragana:
      case kHangul:
      case kLetter:
        end = runs().script_end(end, char_class);
        window_.add_whole(begin, end, kScriptRun);
        break;
      case kExtend:
        return scan_extend(begin);
      default:
        break;
    }
    return end;
  }

  // Attaches combining marks outside runs to the character before them.
  uint32_t scan_extend(uint32_t begin) {
    const uint32_t end = runs().class_end(begin, kExtend);
    CharClass before = window_.cls(int64_t(begin) - 1);
    if (begin == 0 || before == kLf || before == kCr ||
        (window_.edits &&
         window_.edits->overlaps(window_.base + begin - 1, window_.base + begin))) {
      window_.add_whole(begin, end, kCluster);
      return end;
    }
    bool stands_alone =
        !window_.forbidden[begin - 1];    // the character before begins no run to extend
    uint32_t link = window_.head[begin];  // a run that ends here is extended
    window_.head[begin] = 0;
    while (link) {
      SparseEdge& edge = window_.longs[link - 1];
      uint32_t next = edge.next;
      if (edge.kind != kWord) {
        if (edge.start == begin - 1) stands_alone = false;
        edge.end = end;
        edge.next = window_.head[end];
        window_.head[end] = link;
      }
      link = next;
    }
    for (uint32_t k = begin; k < end; ++k) {
      window_.forbidden[k] = 1;
      window_.forbidden_list.push_back(k);
    }
    // also after a date that was extended (3月): the path must be able to leave the last character
    if (stands_alone) window_.add_class(begin - 1, end, kCluster);
    return end;
  }
};

}  // namespace segmenter
