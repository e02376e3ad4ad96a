// The rules of typed atoms: names, kinds, settings, and the characters that a scan stops at; the
// user's patterns as an automaton; the character table that shows whether a text can hold an atom.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lexicon/lexicon.hpp"
#include "map_text.hpp"
#include "token.hpp"
#include "numbers.hpp"

namespace segmenter {

// Rules, in the order of atoms.py's NAMES.
enum AtomName : uint8_t {
  kAtomUrl = 0,
  kAtomEmail,
  kAtomIp,
  kAtomDate,
  kAtomCalendar,
  kAtomTime,
  kAtomNumber,
  kAtomNumeral,
  kAtomQuantity,
  kAtomVersion,
  kAtomHashtag,
  kAtomMention,
  kAtomCode,
  kAtomLatin,
  kAtomEmoji,
  kAtomClock,
  kAtomFinancial,
  kAtomPhone,
  kAtomMeasure,  // not an atom but boundaries between numerals and measure words
  kAtomNames,
};
enum AtomHow : uint8_t { kAtomModel = 0, kAtomKeep, kAtomSplit };

// Kinds of tokens beyond those of a lattice's edges, in the order of KINDS in kinds.py.
enum AtomKind : uint8_t {
  kKindUrl = kEdgeKinds,
  kKindEmail,
  kKindIp,
  kKindTime,
  kKindQuantity,
  kKindVersion,
  kKindHashtag,
  kKindMention,
  kKindCode,
  kKindEmoji,
  kKindPhone,
  kKindPattern,
};
constexpr uint8_t kKindOf[kAtomNames] = {
    kKindUrl,   kKindEmail,    kKindIp,      kDate,        kDate,        kKindTime, kNumber,
    kNumber,    kKindQuantity, kKindVersion, kKindHashtag, kKindMention, kKindCode, kLatinRun,
    kKindEmoji, kKindTime,     kNumber,      kKindPhone,   kNumber,
};

// Whether splitting a rule's atoms (atoms/split.hpp) cuts between a letter and a digit, and so
// inside a unit of search/units.hpp: 21T10, 10:30pm, 1e5, 5kg, v2, iOS17, fe80::1a2b.
constexpr bool kCutsRuns[kAtomNames] = {
    false, false, true,  true,  false,  // url, email, ip, date, calendar
    true,  true,  false, true,  true,   // time, number, numeral, quantity, version
    false, false, true,  false, false,  // hashtag, mention, code, latin, emoji
    false, false, false, false,         // clock, financial, phone, measure
};

struct AtomFound {
  uint32_t start, end;
  uint8_t name, how, kind;  // name: AtomName, or kAtomNames for the user's patterns
  uint32_t number;          // of the pattern
};

namespace atoms {

inline bool digit(uint8_t c) { return uint8_t(c - '0') < 10; }
inline bool letter(uint8_t c) { return uint8_t((c | 0x20) - 'a') < 26; }
inline bool alnum(uint8_t c) { return digit(c) || letter(c); }
inline bool upper(uint8_t c) { return uint8_t(c - 'A') < 26; }
inline uint8_t low(uint8_t c) { return upper(c) ? c | 0x20 : c; }
inline bool hex(uint8_t c) { return digit(c) || uint8_t((c | 0x20) - 'a') < 6; }
inline bool one_of(uint8_t c, const char* set) { return c && std::strchr(set, c); }

constexpr uint8_t kWide = 0x80;  // set in folded characters that are not ASCII in the text

// Bits of ASCII characters: its full-width form counts too; joins runs; allowed in a URL.
enum : uint8_t { kFullWidth = 1, kJoint = 2, kInUrl = 4 };
struct AsciiBits {
  uint8_t bits[128] = {};
  constexpr AsciiBits() {
    for (int c = 0; c < 128; ++c)
      if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'))
        bits[c] = kFullWidth | kInUrl;
    for (const char* p = "./-@#%+_&=~:'"; *p; ++p) bits[int(*p)] |= kFullWidth;
    for (const char* p = ".:/-'"; *p; ++p) bits[int(*p)] |= kJoint;
    for (const char* p = "-._~:/?#[]@!$&'()*+,;=%"; *p; ++p) bits[int(*p)] |= kInUrl;
  }
};
constexpr AsciiBits kAscii;
inline bool has(uint8_t c, uint8_t bit) { return kAscii.bits[c & 0x7F] & bit; }

// A character as the rules see it: ASCII for itself and its full-width form (with kWide); 0 ends a
// chunk. Full-width punctuation of Chinese sentences ends one; `：` does not, for 10：30.
inline uint8_t fold(uint32_t c) {
  if (c < 0x80) return c > 0x20 && c < 0x7F ? uint8_t(c) : 0;
  if (c - 0xFF01u < 0x5E) {
    uint8_t a = uint8_t(c - 0xFEE0);
    return has(a, kFullWidth) ? a | kWide : 0;
  }
  if (c == 0x2019) return '\'' | kWide;
  if (c == 0x2236) return ':' | kWide;
  if (c == 0x2212 || c == 0x2010 || c == 0x2011) return '-' | kWide;
  return 0;
}

constexpr char32_t kNumerals[] = U"零〇○一二三四五六七八九十百千万亿两";
// Hours in times of day; numerals in contracts: digits, powers of ten; 20 and 30.
constexpr char32_t kHours[] = U"点點时時", kFinancialDigits[] = U"壹贰叁肆伍陆柒捌玖貳參陸",
                   kFinancialTens[] = U"拾佰仟", kTwenties[] = U"廿卅";
// Superscripts and subscripts, and letters of units: m², CO₂, 10⁻³, 10μm, 5kΩ.
constexpr char32_t kSmall[] = U"²³¹⁰⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉", kMicro[] = U"μµ", kOhm[] = U"ΩΩ";
// Provinces, with which a licence plate begins.
constexpr char32_t kProvinces[] = U"京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼";

// Bounds, in characters, on the steps of these rules.
constexpr uint32_t kMaxLocal = 64, kMaxDomain = 253, kMaxName = 30, kMaxTag = 64, kMaxCode = 40,
                   kMaxParts = 8, kMaxNumber = 64, kMaxFormula = 24;

}  // namespace atoms

// The user's patterns: a deterministic automaton over classes of characters; see atoms/patterns.py.
struct PatternAutomaton {
  static constexpr uint32_t kLongest = 256;
  std::vector<uint16_t> bmp;  // classes of the basic plane
  std::vector<uint32_t> starts;
  std::vector<uint16_t> classes, table, accepts;
  uint32_t width = 0;

  bool any() const { return width != 0; }
  // False if the columns do not fit together.
  bool prepare();
  uint32_t next(uint32_t state, uint32_t c) const {
    uint32_t cls =
        c < 0x10000
            ? bmp[c]
            : classes[size_t(std::upper_bound(starts.begin(), starts.end(), c) - starts.begin()) -
                      1];
    return table[size_t(state) * width + cls];
  }
};

// The rules with their settings, and the characters that a scan stops at.
struct AtomRules {
  PatternAutomaton patterns;
  uint8_t how[kAtomNames] = {};
  bool any = false;
  bool by_bits = false;      // characters outside the four pages of `sets` may be triggers
  uint64_t bits[1024] = {};  // one bit per character of the basic plane
  // pages 00, FF, 20, 30: one byte per low nibble, one bit per high nibble (0 to 7)
  uint8_t sets[4][16] = {};
  // Han characters that are triggers, in eight groups, one bit each: by the three lowest nibbles of a
  // character
  uint8_t han[3][16] = {};
  uint8_t han_groups = 0;

  bool on(AtomName name) const { return how[name] != kAtomModel; }
  // Whether all triggers are set in `bitmap`.
  bool within(const uint64_t* bitmap) const;
  bool trigger(uint32_t c) const { return c > 0xFFFF || (bits[c >> 6] >> (c & 63) & 1); }

  static const uint8_t* pages() {
    static const uint8_t numbers[4] = {0x00, 0xFF, 0x20, 0x30};
    return numbers;
  }

  void prepare();

 private:
  void add(uint32_t c);
  void add(const char* set);
  void add_han(const char32_t* set);
};

// A lexicon's map of the basic plane with kMarkedChar on every character that a scan would stop at
// or that has several readings, kJoiningChar on joiners and on watched characters. If the ids
// leave these bits free, mapping a text shows whether it may contain atoms.
class MarkedMap {
 public:
  static bool can_mark(const Lexicon& lex, const AtomRules& rules) {
    return lex.numbers && lex.trie.n_ids <= kMarkedIds + 1 && !rules.patterns.any();
  }
  MarkedMap(const Lexicon& lex, const AtomRules& rules);
  const uint16_t* bmp() const { return bmp_.data(); }

 private:
  std::vector<uint16_t> bmp_;
};

}  // namespace segmenter
