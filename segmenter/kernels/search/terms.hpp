// The terms of an index of every substring: the units of a text except those that such an index
// leaves out. segmenter/adapters/_terms.py gives the reasons.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace segmenter {

struct FoldTable;

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
const char* form_of(uint32_t rules);

// The number of a character among the common ones, from 1; 0: it is none.
uint8_t common(uint32_t cp);

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
    begin(cutter.rules);
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
            const uint32_t* readings);
  // Appends the spelling of a unit in the index; `second`: that of its other reading.
  void spell(const Unit& unit, bool second, std::string& out) const;
  // Appends a text in the spelling of units.
  void spell(std::string_view text, uint32_t rules, std::string& out);
  uint32_t folded(size_t k) const;

 private:
  uint32_t rules_ = 0;
  std::vector<uint8_t> codes_;
  const FoldTable* fold_ = nullptr;
  const uint8_t* special_ = nullptr;  // by character of the basic plane

  void begin(uint32_t rules);
  void split_words(const uint32_t* ends, size_t count, const uint32_t* readings);
  bool decode(std::string_view text);
  bool is_dropped(size_t start, size_t end) const;
  bool has_readings(uint32_t cp) const;
};

}  // namespace segmenter
