// The rules of typed atoms: names, kinds, settings, and the characters that a scan stops at; the
// user's patterns as an automaton; the character table that shows whether a text can hold an atom.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/graphemes.hpp"
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
  bool prepare() {
    const size_t states = accepts.size();
    if (!width || starts.empty() || starts[0] || starts.size() != classes.size() || states < 2 ||
        table.size() != states * width)
      return false;
    for (uint16_t c : classes)
      if (c >= width) return false;
    for (uint16_t s : table)
      if (s >= states) return false;
    bmp.resize(0x10000);
    size_t i = 0;
    for (uint32_t c = 0; c < 0x10000; ++c) {
      while (i + 1 < starts.size() && starts[i + 1] <= c) ++i;
      bmp[c] = classes[i];
    }
    return true;
  }
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
  bool within(const uint64_t* bitmap) const {
    for (int i = 0; i < 1024; ++i)
      if (bits[i] & ~bitmap[i]) return false;
    return true;
  }
  bool trigger(uint32_t c) const { return c > 0xFFFF || (bits[c >> 6] >> (c & 63) & 1); }

  void add(uint32_t c) {
    bits[c >> 6] |= uint64_t(1) << (c & 63);
    for (int p = 0; p < 4; ++p)
      if (c >> 8 == pages()[p]) {
        sets[p][c & 15] |= uint8_t(1u << (c >> 4 & 7));
        return;
      }
    const uint32_t page = c >> 8;
    // elsewhere a scan stops at every character
    if ((page >= 0x34 && page <= 0x9F) || (page >= 0xAC && page <= 0xD6)) by_bits = true;
  }
  void add(const char* set) {
    for (; *set; ++set) {
      add(uint32_t(uint8_t(*set)));
      if (atoms::fold(uint32_t(*set) + 0xFEE0)) add(uint32_t(*set) + 0xFEE0);
    }
  }
  // A group of Han characters; others that share their nibbles stop the vectors' scan too, so the
  // characters of a group are alike.
  void add_han(const char32_t* set) {
    const uint8_t group = uint8_t(1u << (han_groups++ & 7));
    for (; *set; ++set) {
      const uint32_t c = uint32_t(*set);
      bits[c >> 6] |= uint64_t(1) << (c & 63);
      for (int nibble = 0; nibble < 3; ++nibble) han[nibble][c >> 4 * nibble & 15] |= group;
    }
  }
  static const uint8_t* pages() {
    static const uint8_t numbers[4] = {0x00, 0xFF, 0x20, 0x30};
    return numbers;
  }

  void prepare() {
    for (int name = 0; name < kAtomMeasure; ++name) any |= how[name] != kAtomModel;
    if (!any) return;
    if (on(kAtomUrl)) add(":.");
    if (on(kAtomEmail)) add("@");
    if (on(kAtomIp)) add(":.");
    if (on(kAtomDate)) add("-/.");
    if (on(kAtomTime)) add(":");
    if (on(kAtomVersion)) add(".");
    if (on(kAtomHashtag)) add("#");
    if (on(kAtomMention)) add("@");
    if (on(kAtomCode)) add("-/.+#_ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (on(kAtomPhone)) add("-+) ");
    if (on(kAtomClock))
      for (const char32_t* hours : {U"点", U"时", U"點時"}) add_han(hours);
    if (on(kAtomFinancial))  // not 陆 伍 玖, which are in names and never alone here
      for (const char32_t* like : {U"叁參卅", U"佰仟", U"拾捌柒", U"贰貳肆", U"壹廿"})
        add_han(like);
    if (on(kAtomLatin)) {
      add("-'");
      add(0x2019);
      for (const char32_t* set : {atoms::kSmall, atoms::kMicro, atoms::kOhm})
        for (; *set; ++set) add(uint32_t(*set));
    }
    if (on(kAtomTime) || on(kAtomIp)) add(0x2236);
    if (on(kAtomDate) || on(kAtomCode) || on(kAtomLatin))
      for (uint32_t hyphen : {0x2010u, 0x2011u, 0x2212u}) add(hyphen);
    if (on(kAtomCalendar) || on(kAtomNumber) || on(kAtomQuantity)) add("0123456789");
    if (on(kAtomCalendar) || on(kAtomNumeral) || on(kAtomQuantity))
      for (char32_t c : atoms::kNumerals)
        if (c) add(uint32_t(c));
    if (on(kAtomEmoji))
      for (const GraphemeRange& r : kGraphemes)
        if (r.bits & (kGraphExtend | kGraphPrepend | kGraphRegional | kGraphEmoji))
          for (uint32_t c = r.first; c < r.last && c < 0x10000; ++c) add(c);
    sets[1][15] |= 1u << 7;  // U+FFFF, which a scan reads for characters beyond the basic plane
  }
};

// A lexicon's map of the basic plane with kMarkedChar on every character that a scan would stop at
// or that has several readings, kJoiningChar on joiners and on watched characters. If the ids
// leave these bits free, mapping a text shows whether it may contain atoms.
class MarkedMap {
 public:
  static bool can_mark(const Lexicon& lex, const AtomRules& rules) {
    return lex.numbers && lex.trie.n_ids <= kMarkedIds + 1 && !rules.patterns.any();
  }
  MarkedMap(const Lexicon& lex, const AtomRules& rules) : bmp_(lex.map.bmp, lex.map.bmp + 0x10000) {
    for (uint32_t c = 0; c < 0x10000; ++c) {
      if (lex.watched.bits[lex.map.id(c)] & Watched::kTriggers) bmp_[c] |= kJoiningChar;
      if (!rules.trigger(c) && !(lex.variants && lex.variants->several(c))) continue;
      const uint32_t id = bmp_[c] & kMarkedIds, folded = atoms::fold(c) & 0x7F;
      // a plate begins after a Han character, a time of day is a number before 点 or 时: RunEdges
      if (atoms::upper(uint8_t(folded))) continue;
      if (id && (id == lex.rules.dian || id == lex.rules.shi)) continue;
      // characters that read_trigger passes over unless they join something; not the / of ://
      const bool joins = c == ' ' || (id >= lex.n_runs && id < lex.n_special && folded &&
                                      atoms::one_of(uint8_t(folded), ".:-"));
      bmp_[c] |= joins ? kJoiningChar : kMarkedChar;
    }
  }
  const uint16_t* bmp() const { return bmp_.data(); }

 private:
  std::vector<uint16_t> bmp_;
};

}  // namespace segmenter
