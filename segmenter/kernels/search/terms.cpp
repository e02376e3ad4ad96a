// The implementation of terms.hpp.
#include "search/terms.hpp"

#include <algorithm>
#include <stdexcept>

#include "characters.hpp"
#include "interrupt.hpp"
#include "search/units.hpp"
#include "utf8.hpp"

namespace segmenter {

const char* form_of(uint32_t rules) {
  return rules & kSplit
             ? rules & kScript ? " terms=2-0d2f736175dea1a8" : " terms=2-2d68a3a6f605b01f"
         : rules & kScript ? " terms=2-1f539e24f6f95885"
                           : " terms=2-e49195387f0cbaf3";
}

namespace {

constexpr uint8_t kReadings = 0x80;  // the lexicon may read a character in two ways

// By character of the basic plane: its number among the common ones, from 1, and kReadings.
const uint8_t* special_characters() {
  static const std::vector<uint8_t> table = [] {
    std::vector<uint8_t> entries(0x10000);
    uint8_t number = 0;
    for (const char16_t* c = common_characters(); *c; ++c) entries[*c] = ++number;
    for (const auto& entry : variant_table().several) entries[entry.cp] |= kReadings;
    return entries;
  }();
  return table.data();
}

bool is_punctuation(int code) { return code == kPunct || (code >= kPoint && code <= kMinus); }

}  // namespace

uint8_t common(uint32_t cp) {
  return cp < 0x10000 ? special_characters()[cp] & uint8_t(~kReadings) : uint8_t(0);
}

void Units::begin(uint32_t rules) {
  rules_ = rules;
  fold_ = fold_tables();
  special_ = special_characters();
}

void Units::read(const Text& text, uint32_t rules, const uint32_t* ends, size_t count,
                 const uint32_t* readings) {
  begin(rules);
  points.clear();
  codes_.clear();
  for (size_t k = 0; k < text.n; ++k) {
    points.push_back(text[k]);
    codes_.push_back(class_of(text[k]));
  }
  split_words(ends, count, readings);
}
void Units::spell(const Unit& unit, bool second, std::string& out) const {
  if (second) return append_utf8(unit.other, out);
  for (uint32_t k = unit.start; k < unit.end; ++k) append_utf8(folded(k), out);
}
void Units::spell(std::string_view text, uint32_t rules, std::string& out) {
  begin(rules);
  decode(text);
  for (size_t k = 0; k < points.size(); ++k) append_utf8(folded(k), out);
}
uint32_t Units::folded(size_t k) const {
  const uint32_t cp = fold_[1](points[k]);
  return rules_ & kScript && !has_readings(cp) ? fold_[2](cp) : cp;
}
bool Units::has_readings(uint32_t cp) const { return cp < 0x10000 && special_[cp] & kReadings; }

void Units::split_words(const uint32_t* ends, size_t count, const uint32_t* readings) {
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
        if (readings && has_readings(points[start]) && readings[start] != folded(start))
          reading = readings[start];
        units.push_back({uint32_t(start), uint32_t(end), position, reading, start == word_start,
                         end >= word_end});
      }
      start = end;
      if (start < n) end = unit_end(start);
    }
    if (units.size() > first_unit)
      words.push_back({first_unit, uint32_t(units.size()), uint32_t(word_start), uint32_t(word_end),
                       std::all_of(codes_.begin() + long(word_start),
                                   codes_.begin() + long(word_end), is_punctuation)});
  }
}

bool Units::decode(std::string_view text) {
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
    ambiguous |= has_readings(cp);
    k += length;
  }
  bytes.push_back(uint32_t(text.size()));
  return ambiguous;
}
// Whether a unit is left out, which depends on its characters and its two neighbours.
bool Units::is_dropped(size_t start, size_t end) const {
  const uint8_t code = codes_[start];
  if (is_punctuation(code)) {
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

}  // namespace segmenter
