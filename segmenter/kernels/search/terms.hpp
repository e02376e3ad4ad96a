// The terms of an index of every substring: the units of a text except those that such an index
// leaves out. segmenter/adapters/_terms.py gives the reasons.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "characters.hpp"
#include "interrupt.hpp"
#include "search/units.hpp"
#include "utf8.hpp"

namespace segmenter {

enum Rule : uint32_t {
  kScript = 1,      // Traditional, Hong Kong and Taiwan forms match each other
  kSplit = 2,       // letters and digits are units
  kAlone = 4,       // every character is a unit: words may begin and end inside runs
  kNoSpace = 8,     // blanks are left out
  kNoNewline = 16,  // line ends
  kNoPunct = 32,    // punctuation
};
constexpr uint32_t kDrop = kNoSpace | kNoNewline | kNoPunct;
constexpr uint32_t kLeftOut = 1u << 31;  // a flag in the end of a word that is left out

// The part of a fingerprint for these rules, as Terms.fingerprint in _terms.py.
inline const char* form_of(uint32_t rules) {
  return rules & kSplit
             ? rules & kScript ? " terms=2-0d2f736175dea1a8" : " terms=2-2d68a3a6f605b01f"
         : rules & kScript ? " terms=2-1f539e24f6f95885"
                           : " terms=2-e49195387f0cbaf3";
}

// The number of a character among the common ones, from 1, which may have the mark kBoth; with
// kReadings if the lexicon may read it in two ways.
constexpr uint8_t kReadings = 0x80;
inline uint8_t special(uint32_t cp) {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> entries(0x10000);
    uint8_t number = 0;
    for (const char16_t* c = common_characters(); *c; ++c) entries[*c] = ++number;
    for (const auto& entry : variant_table().several) entries[entry.cp] |= kReadings;
    return entries;
  }();
  return cp < 0x10000 ? table[cp] : uint8_t(0);
}
inline uint8_t common(uint32_t cp) { return special(cp) & uint8_t(~kReadings); }

struct Unit {
  uint32_t start, end, position;
  uint32_t other;  // a second reading (后 of 後), or 0
  bool begins_word, ends_word;
};

// The units of a text; reuses its memory for the next one.
class Units {
 public:
  std::vector<uint32_t> points, bytes;  // code points; where each begins in the text
  std::vector<Unit> units;              // without those that are left out
  struct Word {
    uint32_t first, last;  // its units
    uint32_t start, end;   // its characters
    bool signs;            // all of them are punctuation
  };
  std::vector<Word> words;  // those that have units

  // `cutter` has `rules`, the ends() of the words that tile a text, in code points, and the
  // readings() of its characters; null: as they are written.
  template <class Cutter>
  void read(Cutter& cutter, std::string_view text) {
    rules_ = cutter.rules;
    bool ambiguous = decode(text);
    std::vector<uint32_t> readings;
    if (ambiguous && (rules_ & kScript)) {
      const uint32_t* column = cutter.readings(text);
      if (column) readings.assign(column, column + points.size());
    }
    const uint32_t* ends = nullptr;
    size_t count = 0;
    cutter.ends(text, &ends, &count);
    split_words(ends, count, readings.empty() ? nullptr : readings.data());
  }
  // The same for decoded text; `readings` may be null.
  void read(const Text& text, uint32_t rules, const uint32_t* ends, size_t count,
            const uint32_t* readings) {
    rules_ = rules;
    points.clear();
    codes_.clear();
    for (size_t k = 0; k < text.n; ++k) {
      points.push_back(text[k]);
      codes_.push_back(class_of(text[k]));
    }
    split_words(ends, count, readings);
  }
  // Appends the spelling of a unit in the index; `second`: that of its other reading.
  void spell(const Unit& unit, bool second, std::string& out) const {
    if (second) return append_utf8(unit.other, out);
    for (uint32_t k = unit.start; k < unit.end; ++k) append_utf8(folded(k), out);
  }
  // Appends a text in the spelling of units.
  void spell(std::string_view text, uint32_t rules, std::string& out) {
    rules_ = rules;
    decode(text);
    for (size_t k = 0; k < points.size(); ++k) append_utf8(folded(k), out);
  }
  uint32_t folded(size_t k) const {
    const FoldTable* const fold = fold_tables();
    const uint32_t cp = fold[1](points[k]);
    return rules_ & kScript && !(special(cp) & kReadings) ? fold[2](cp) : cp;
  }

 private:
  uint32_t rules_ = 0;
  std::vector<uint8_t> codes_;

  void split_words(const uint32_t* ends, size_t count, const uint32_t* readings) {
    const size_t n = points.size();
    units.clear();
    words.clear();
    const UnitReader<std::vector<uint32_t>> reader(points, codes_.data(), n, rules_ & kSplit);
    const auto unit_end = [&](size_t k) { return rules_ & kAlone ? k + 1 : reader.end(k); };
    size_t start = 0, end = n ? unit_end(0) : 0, word_end = 0;
    uint32_t position = 0;
    for (size_t k = 0; k < count; ++k) {
      const bool skipped = ends[k] & kLeftOut;
      const size_t word_start = word_end;
      word_end = std::min<size_t>(ends[k] & ~kLeftOut, n);
      Interrupt::poll(word_end - word_start);
      const uint32_t first_unit = uint32_t(units.size());
      for (; start < word_end; ++position) {
        if (!skipped && !is_dropped(start, end)) {
          uint32_t reading = 0;
          if (readings && special(points[start]) & kReadings && readings[start] != folded(start))
            reading = readings[start];
          units.push_back({uint32_t(start), uint32_t(end), position, reading, start == word_start,
                           end >= word_end});
        }
        start = end;
        if (start < n) end = unit_end(start);
      }
      if (units.size() > first_unit)
        words.push_back({first_unit, uint32_t(units.size()), uint32_t(word_start),
                         uint32_t(word_end),
                         std::all_of(codes_.begin() + long(word_start),
                                     codes_.begin() + long(word_end), is_sign)});
    }
  }

  bool decode(std::string_view text) {
    const auto* data = reinterpret_cast<const uint8_t*>(text.data());
    bool ambiguous = false;
    points.clear();
    bytes.clear();
    codes_.clear();
    for (size_t k = 0; k < text.size();) {
      uint32_t cp;
      const uint32_t length = decode_utf8(data + k, text.size() - k, cp);
      if (!length) throw std::runtime_error("the text is not UTF-8 at byte " + std::to_string(k));
      if (!(points.size() % Interrupt::kEvery)) Interrupt::poll();
      points.push_back(cp);
      bytes.push_back(uint32_t(k));
      codes_.push_back(class_of(cp));
      ambiguous |= bool(special(cp) & kReadings);
      k += length;
    }
    bytes.push_back(uint32_t(text.size()));
    return ambiguous;
  }
  static bool is_sign(int code) { return code == kPunct || (code >= kPoint && code <= kMinus); }
  // Whether a unit is left out, which depends on its characters and its two neighbours.
  bool is_dropped(size_t start, size_t end) const {
    const uint8_t code = codes_[start];
    if (is_sign(code)) {
      if (end - start > 1 || !(rules_ & kNoPunct)) return false;
      const uint32_t sign = folded(start);
      const int before = start ? codes_[start - 1] : -1;
      const int after = end < codes_.size() ? codes_[end] : -1;
      auto is_alnum = [](int class_code) { return class_code == kDigit || class_code == kLatin; };
      // signs inside a word: 3.14, AT&T, I/O, 50%, C#, 1,000
      if (std::u32string_view(U".·：/-&@'’_").find(char32_t(sign)) != std::u32string_view::npos)
        return !(is_alnum(before) && is_alnum(after));
      if (sign == u'，') return !(before == kDigit && after == kDigit);
      return !((sign == '%' || sign == u'‰' || sign == '#') && is_alnum(before));
    }
    const bool blank = ((code == kBlank || code == kCr) && (rules_ & kNoSpace)) ||
                       ((code == kLf || code == kCr) && (rules_ & kNoNewline));
    return blank && codes_[end - 1] != kExtend;
  }
};

}  // namespace segmenter
