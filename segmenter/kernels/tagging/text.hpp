// A text as a tagger reads it: ids of its characters, and marks that force or forbid a boundary
// before a character, those of spans and those of runs.
#pragma once
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "lexicon/lexicon.hpp"
#include "map_text.hpp"
#include "numbers.hpp"
#include "tagging/model.hpp"

namespace segmenter {

struct TaggerInput {
  const Lexicon* lex = nullptr;
  uint32_t n = 0;
  uint16_t* ids = nullptr;                   // [n], then at least 16 zeros
  std::vector<uint8_t> marks;                // [n] kMarkCut, kMarkJoin
  std::vector<uint8_t> not_canonical_chars;  // [n] 1: not the lexicon's form of the character
  bool any_not_canonical = false;            // whether one of them is 1
  // [n_special] positions of characters in runs; Chinese numerals only where they are split from
  // measure words
  std::vector<uint32_t> special;
  std::vector<uint32_t> signs;  // positions of signs and watched characters
  // positions at which atoms may begin or end, of all but the user's rules; valid if knows_triggers
  std::vector<uint32_t> triggers;
  bool knows_triggers = false;
  size_t n_special = 0;
  uint64_t steps = 0;

  // Reads the characters. `exact`: the text is long, so no room is reserved for a longer one.
  void read(const TaggerModel& m, const Text& text, bool exact) {
    lex = m.lex;
    n = uint32_t(text.n);
    steps = 0;
    const size_t cap = text.n + 24;
    capacity_.grow(cap, exact ? cap : cap + cap / 2, [&](size_t size) {
      ids_.resize(size);
      not_canonical_chars.resize(size);
      marks.resize(size);
      special.resize(size);
    });
    ids = ids_.data();
    signs.clear();
    triggers.clear();
    text.cells([&](const auto* cells) { map_ids(cells); });
    if (any_not_canonical && lex->variants) resolve_variants(m, text);
    for (uint32_t k = 0; k < 16; ++k) ids[n + k] = 0;
  }

  // Begins the marks, of a text that has been read. `spans`: the marks of spans, or null.
  // `measures`: numerals are split from measure words.
  void begin_marks(const uint8_t* spans, bool measures) {
    if (spans) std::memcpy(marks.data(), spans, n);
    else std::memset(marks.data(), 0, n);
    // other Chinese numerals are left to the tags
    size_t count = 0;
    each_id_below(ids, n, measures ? lex->n_runs : lex->n_others,
                  [&](uint32_t k) { special[count++] = k; });
    n_special = count;
  }

  CharClass class_at(uint32_t k) const { return lex->char_class(ids[k]); }
  Runs runs() const { return Runs{*lex, ids, n}; }

  // kNotCanonical if a character of [s, e) is not the lexicon's form of it.
  uint32_t not_canonical(uint32_t s, uint32_t e) const {
    if (any_not_canonical)
      for (uint32_t k = s; k < e; ++k)
        if (not_canonical_chars[k]) return kNotCanonical;
    return 0;
  }

  // While it lives, the sentence ends before position `end`: pairs and words do not cross it.
  class SentenceEnd {
   public:
    SentenceEnd(TaggerInput& text, uint32_t end) : id_(text.ids[end]), cell_(text.ids + end) {
      *cell_ = 0;
    }
    SentenceEnd(const SentenceEnd&) = delete;
    SentenceEnd& operator=(const SentenceEnd&) = delete;
    ~SentenceEnd() { *cell_ = id_; }

   private:
    const uint16_t id_;
    uint16_t* const cell_;
  };

  // Calls stretch(s, e) for every stretch without blanks, gap(s, e, kind) for runs of blanks and
  // for line ends.
  template <class Stretch, class Gap>
  void stretches(const Stretch& stretch, const Gap& gap) const {
    uint32_t start = 0;
    for (size_t i = 0; i < n_special;) {
      uint32_t k = special[i];
      CharClass c = class_at(k);
      if (c != kBlank && c != kLf && c != kCr) {
        ++i;
        continue;
      }
      if (start < k) stretch(start, k);
      uint32_t e = k + 1;
      if (c == kBlank) {
        while (e < n && class_at(e) == kBlank && !(marks[e] & kMarkCut)) ++e;
      } else if (c == kCr && e < n && class_at(e) == kLf && !(marks[e] & kMarkCut)) {
        ++e;
      }
      gap(k, e, c == kLf || (c == kCr && e == k + 2) ? kLineEnd : kBlankRun);
      start = e;
      while (i < n_special && special[i] < e) ++i;
    }
    if (start < n) stretch(start, n);
  }

 private:
  Capacity capacity_;  // of ids_, not_canonical_chars, marks and special
  std::vector<uint16_t> ids_;

  template <class Char>
  void map_ids(const Char* text) {
    CharMap map = lex->map;
    knows_triggers = sizeof(Char) < 4 && !lex->signed_bmp.empty();
    if (lex->signed_bmp.empty()) {
      any_not_canonical = map_text(map, text, 0, n, ids, not_canonical_chars.data());
      return;
    }
    map.bmp = lex->signed_bmp.data();
    any_not_canonical =
        map_text<kSignedIds>(map, text, 0, n, ids, not_canonical_chars.data()) & kOddChar;
    part_signs<kSignedIds>(not_canonical_chars.data(), n, [&](uint32_t k) {
      const uint32_t c = text[k];
      if (lex->triggers[c >> 6] >> (c & 63) & 1) triggers.push_back(k);
      if (lex->watched.bits[ids[k]] & Watched::kTriggers || is_sign(c)) signs.push_back(k);
    });
  }

  SEGMENTER_NOINLINE void resolve_variants(const TaggerModel& m, const Text& text) {
    steps += lex->variants->resolve(text, 0, n, ids, not_canonical_chars.data(),
                                    [&](const uint16_t* part, uint32_t size, uint32_t k) {
                                      return longest_known(m, part, size, k);
                                    });
  }
};

// Boundaries that the tags do not decide: runs of letters and digits, decimals, dates and marks
// force or forbid them. A mark of a span (an atom or a word of the user) takes precedence.
class RunMarks {
 public:
  RunMarks(const TaggerModel& m, TaggerInput& text, bool measures)
      : m_(m),
        text_(text),
        ids_(text.ids),
        marks_(text.marks.data()),
        n_(text.n),
        classes_(m.lex->id_class),
        measures_(measures ? m.lex->measures.bits.data() : nullptr) {}

  // Adds the marks of runs and signs to those of the text.
  void add() {
    join_runs();
    if (!text_.signs.empty()) part_signs();
  }

 private:
  const TaggerModel& m_;
  TaggerInput& text_;
  const uint16_t* const ids_;
  uint8_t* const marks_;
  const uint32_t n_;
  const uint8_t* const classes_;   // by id
  const uint8_t* const measures_;  // of Measures, by id; null: numerals are left to the tags

  CharClass class_at(uint32_t k) const { return CharClass(classes_[ids_[k]]); }

  // Splits the numeral that ends at k from the measure word after it, unless both lie in a longer
  // word: 五台山, 九天揽月.
  SEGMENTER_NOINLINE void split_measure(uint32_t k) {
    const Runs runs = text_.runs();
    uint32_t s = k;
    while (s > 0 && class_at(s - 1) == kHanNum) --s;
    // the tags split what no lexicon lists
    if (s == k && m_.groups && !word_of_two(m_, ids_[k], ids_[k + 1])) return split_after(k + 1);
    if (!runs.measured(s, k + 1) || (marks_[k + 1] & kMarkJoin)) return;
    const Trie& trie = m_.lex->trie;
    for (uint32_t from = s > 2 ? s - 3 : 0; from <= k; ++from) {
      const uint32_t slot = trie.child(ids_[from], ids_[from + 1]);
      if (slot && word_beyond(from < s ? k + 1 : k + 2, from, slot)) return;
    }
    marks_[k + 1] |= kMarkCut;
    if (runs.counts(s, k + 1))
      for (uint32_t i = s + 1; i <= k; ++i)
        if (!(marks_[i] & kMarkCut)) marks_[i] |= kMarkJoin;
    split_after(k + 1);
  }

  // Splits the measure word at k from what follows it: 三/个/人.
  void split_after(uint32_t k) {
    if (k + 1 < n_ && text_.runs().breaks(k) && !(marks_[k + 1] & kMarkJoin))
      marks_[k + 1] |= kMarkCut;
  }

  // Whether a word of three or more characters begins with the two characters at k, whose node is at
  // `slot`, and ends beyond `end`.
  bool word_beyond(uint32_t end, uint32_t k, uint32_t slot) const {
    const Lexicon& lex = *m_.lex;
    for (uint32_t e = k + 2; e < n_ && slot; ++e) {
      slot = lex.trie.child(slot, ids_[e]);
      if (e >= end && slot && lex.is_word(slot)) return true;
    }
    return false;
  }

  // Forbids boundaries inside runs of Latin letters and digits, inside decimals, inside runs of
  // one alphabet, and before combining marks; forces one before the full stop of an English
  // sentence, and between Han characters and a number with a unit. Splits numerals and digits from
  // measure words, and measure words from what follows. A mark of a span takes precedence.
  SEGMENTER_NOINLINE void join_runs() {
    const uint32_t full_stop = m_.lex->map.id(uint32_t('.'));
    // local copies, because a store into marks_ may change this object as far as the compiler
    // knows
    const uint16_t* const ids = ids_;
    const uint8_t* const classes = classes_;
    const uint8_t* const measures = measures_;
    const uint32_t* const special = text_.special.data();
    auto class_at = [=](uint32_t k) { return CharClass(classes[ids[k]]); };
    for (size_t i = 0, count = text_.n_special; i < count; ++i) {
      const uint32_t k = special[i];
      const CharClass c = class_at(k);
      if (c == kHanNum) {
        if (measures && measures[ids[k + 1]] & Measures::kIs) split_measure(k);
        continue;
      }
      if (c == kDigit && measures && measures[ids[k + 1]] & Measures::kIs) split_after(k + 1);
      CharClass previous = k ? class_at(k - 1) : kLf;  // a text begins like a line
      if (c == kDigit && previous == kDigit &&
          class_at(k + 1) == kDigit) {  // most digits of 2026年
        if (!(marks_[k] & kMarkCut)) marks_[k] |= kMarkJoin;
        continue;
      }
      bool joins = false;
      if (previous == kExtend && c != kExtend) {  // e\u0301s: the run continues after the marks
        uint32_t b = k - 1;
        while (b > 0 && class_at(b) == kExtend) --b;
        previous = class_at(b);
      }
      if (is_alnum(c)) {
        joins = is_alnum(previous);
        if (!joins && c == kDigit && previous == kPoint && k >= 2 && class_at(k - 2) == kDigit) {
          joins = true;
          if (!(marks_[k - 1] & kMarkCut)) marks_[k - 1] |= kMarkJoin;
        }
        if (!joins && c == kDigit && previous == kComma && k >= 2 && class_at(k - 2) == kDigit &&
            three_digits(k)) {
          joins = true;  // 1,234,567, as in a lattice
          if (!(marks_[k - 1] & kMarkCut)) marks_[k - 1] |= kMarkJoin;
        }
        if (c == kDigit && previous == kHan && unit_follows(k) && !(marks_[k] & kMarkJoin))
          marks_[k] |= kMarkCut;
        if (c == kDigit && k + 1 < n_ && is_date(k)) {
          uint8_t& mark = marks_[k + 1];
          if (year_begins_word(k + 1)) mark |= mark & kMarkJoin ? 0 : kMarkCut;
          else if (!(mark & kMarkCut)) mark |= kMarkJoin;
        }
        // Training text has items numbered 1. 2. as one word each, and no English sentences.
        if (joins && k + 1 < n_ && ids_[k + 1] == full_stop && class_at(k + 1) == kPoint &&
            (k + 2 == n_ || !is_alnum(class_at(k + 2))) && has_letter(k) &&
            !(marks_[k + 1] & kMarkJoin))
          marks_[k + 1] |= kMarkCut;
      } else if (is_script(c)) {
        joins = c == previous;
      } else if (c == kExtend) {
        joins = previous != kLf && previous != kCr && previous != kBlank;
      }
      if (k && joins && !(marks_[k] & kMarkCut)) marks_[k] |= kMarkJoin;
    }
  }

  // Whether the digits that begin at k have a unit of several letters after them: 5kg, 3.5GHz.
  bool unit_follows(uint32_t k) const {
    uint32_t e = k;
    while (e < n_ && (class_at(e) == kDigit ||
                      (class_at(e) == kPoint && e + 1 < n_ && class_at(e + 1) == kDigit)))
      ++e;
    if (e >= n_ || class_at(e) != kLatin) return false;
    const uint32_t letters = e;
    while (e < n_ && class_at(e) == kLatin) ++e;
    if (e < n_ && (class_at(e) == kDigit || class_at(e) == kExtend)) return false;
    for (const char* unit : kUnits) {
      uint32_t i = 0;
      while (unit[i] && letters + i < e && ids_[letters + i] == (m_.lex->map.id(uint32_t(unit[i]))))
        ++i;
      if (!unit[i] && letters + i == e) return true;
    }
    return false;
  }

  static constexpr const char* kUnits[] = {
      // units that do not follow names
      "kg",  "mg",   "km", "cm", "mm",  "nm",  "ml",  "kw",  "kwh",  "mah",  "mhz",
      "ghz", "khz",  "hz", "kb", "mb",  "gb",  "tb",  "ms",  "mbps", "gbps", "kpa",
      "mpa", "kcal", "kj", "db", "ppm", "rpm", "fps", "dpi", "px",   "min",
  };

  // Whether the run of letters and digits that ends at k contains a letter.
  bool has_letter(uint32_t k) const {
    for (uint32_t s = k + 1; s-- > 0 && is_alnum(class_at(s));)
      if (class_at(s) == kLatin) return true;
    return false;
  }

  // Whether exactly three digits begin at k and no letter follows.
  bool three_digits(uint32_t k) const {
    return k + 3 <= n_ && class_at(k + 1) == kDigit && class_at(k + 2) == kDigit &&
           (k + 3 == n_ || !is_alnum(class_at(k + 3)));
  }

  // Whether the digits that end at k and the character after them are a date: years from 1000 to
  // 2999, months, days. Training text knows only the years of its decade; in the development text
  // all but one of 474 such strings are one word.
  bool is_date(uint32_t k) const {
    const RuleIds& r = m_.lex->rules;
    const Runs runs = text_.runs();
    const uint32_t unit = ids_[k + 1];
    if (!unit || (unit != r.nian && unit != r.yue && unit != r.ri)) return false;
    uint32_t s = k;
    while (s > 0 && k - s < 4 && class_at(s - 1) == kDigit) --s;
    if (s > 0 && (runs.alnum(s - 1) || class_at(s - 1) == kPoint)) return false;
    const uint32_t len = k - s + 1, value = runs.value(s, k + 1);
    if (unit == r.nian) return len == 4 && value >= 1000 && value < 3000;
    return len <= 2 && value >= 1 && value <= runs.most_before(unit);
  }

  // Whether the 年 at k belongs to the next word, as in the training text: 1940/年代, 2025/年度,
  // 2025/年报, but 1990年/代表 and 2025年/底.
  bool year_begins_word(uint32_t k) const {
    if (ids_[k] != m_.lex->rules.nian || k + 1 >= n_) return false;
    bool is_compound = false;
    for (uint32_t c : {0x4EE3u, 0x5EA6u, 0x62A5u})
      is_compound |= ids_[k + 1] == (m_.lex->map.id(c));
    return is_compound && word_of_two(m_, ids_[k], ids_[k + 1]) &&
           !(k + 2 < n_ && word_of_two(m_, ids_[k + 1], ids_[k + 2]));
  }

  // Signs stand alone, as in a lattice, unless a run or a span keeps them in a token. Between
  // digits, and for the dot of a name between letters, the tags decide.
  SEGMENTER_NOINLINE void part_signs() {
    auto is_letter = [](CharClass c) {
      return is_alnum(c) || c == kHanNum || c == kHan || is_script(c) || c == kExtend;
    };
    for (uint32_t k : text_.signs) {
      ++text_.steps;
      if (class_at(k) == kHan) continue;  // watched
      if (k > 0 && k + 1 < n_) {
        const CharClass previous = class_at(k - 1), next = class_at(k + 1);
        if (previous == kDigit && next == kDigit &&
            (class_at(k) == kPoint || class_at(k) == kColon))
          continue;
        if (class_at(k) == kPoint && is_letter(previous) && is_letter(next)) continue;
      }
      for (uint32_t i = k; i < k + 2 && i < n_; ++i)
        if (!(marks_[i] & kMarkJoin)) marks_[i] |= kMarkCut;
    }
  }
};

}  // namespace segmenter
