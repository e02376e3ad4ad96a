// Typed atoms: what is one thing to readers and is no word of a lexicon: URL, e-mail, number, …
//
// One scan of the raw text looks for a few characters (triggers), sixteen positions at once; ordinary
// Chinese text has hardly any.  Around a trigger the unbroken stretch of ASCII characters and their
// full-width twins (a chunk) is read from left to right; at the beginning of each run of letters and
// digits every rule may try its luck once.  Rules look at a bounded number of characters, or take
// what they have looked at, or remember that it was in vain: so the time is linear on any text.
//
// What is found are spans like those of the user's words, and decoders treat them alike; see
// engine.hpp for what goes before what.  segmenter/atoms.py says what each kind is,
// kernels/reference/atoms.py has the same as regular expressions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "atoms/clusters.hpp"
#include "lattice/edits.hpp"
#include "lattice/lattice.hpp"

#if defined(__SSSE3__) && !defined(SEGMENTER_PORTABLE)
#include <tmmintrin.h>
#define SEGMENTER_ATOMS_SSE 1
#else
#define SEGMENTER_ATOMS_SSE 0
#endif

namespace segmenter {

// Rules, in the order of atoms.py's NAMES.
enum AtomName : uint8_t {
  kAtomUrl = 0, kAtomEmail, kAtomIp, kAtomDate, kAtomCalendar, kAtomTime, kAtomNumber, kAtomNumeral,
  kAtomQuantity, kAtomVersion, kAtomHashtag, kAtomMention, kAtomCode, kAtomLatin, kAtomEmoji, kAtomNames,
};
enum AtomHow : uint8_t { kAtomModel = 0, kAtomKeep, kAtomSplit };

// Kinds of tokens that are no edges of a lexicon, in the order of kinds.py's KINDS.
enum AtomKind : uint8_t {
  kKindUrl = kEdgeKinds, kKindEmail, kKindIp, kKindTime, kKindQuantity, kKindVersion, kKindHashtag,
  kKindMention, kKindCode, kKindEmoji, kKindPattern,
};
constexpr uint8_t kKindOf[kAtomNames] = {
    kKindUrl, kKindEmail, kKindIp, kDate, kDate, kKindTime, kNumber, kNumber, kKindQuantity, kKindVersion,
    kKindHashtag, kKindMention, kKindCode, kLatinRun, kKindEmoji,
};

struct AtomFound {
  uint32_t start, end;
  uint8_t name, how, kind;  // name: AtomName, or kAtomNames for a pattern of the user's
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

constexpr uint8_t kWide = 0x80;  // of a folded character: it is not ASCII in the text

// Bits of ASCII characters.
enum : uint8_t { kTwin = 1, kJoint = 2, kInUrl = 4 };  // its full-width twin counts too; joins runs; may stand in a URL
struct AsciiBits {
  uint8_t of[128] = {};
  constexpr AsciiBits() {
    for (int c = 0; c < 128; ++c)
      if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) of[c] = kTwin | kInUrl;
    for (const char* p = "./-@#%+_&=~:'"; *p; ++p) of[int(*p)] |= kTwin;
    for (const char* p = ".:/-'"; *p; ++p) of[int(*p)] |= kJoint;
    for (const char* p = "-._~:/?#[]@!$&'()*+,;=%"; *p; ++p) of[int(*p)] |= kInUrl;
  }
};
constexpr AsciiBits kAscii;
inline bool has(uint8_t c, uint8_t bit) { return kAscii.of[c & 0x7F] & bit; }

// A character as rules see it: ASCII for itself and its full-width twin (with kWide); 0: it ends a
// chunk.  Full-width marks that Chinese sentences are made of end one; `：` may stand in 10：30.
inline uint8_t fold(uint32_t c) {
  if (c < 0x80) return c > 0x20 && c < 0x7F ? uint8_t(c) : 0;
  if (c - 0xFF01u < 0x5E) {
    uint8_t a = uint8_t(c - 0xFEE0);
    return has(a, kTwin) ? a | kWide : 0;
  }
  if (c == 0x2019) return '\'' | kWide;
  if (c == 0x2236) return ':' | kWide;
  if (c == 0x2212 || c == 0x2010 || c == 0x2011) return '-' | kWide;
  return 0;
}

// Names that end a domain written without a scheme: those in common use, without the ones that are
// names of files (md, py, rs, sh) or English words after a full stop (in, is, it, me, so, to, us).
constexpr const char* kTopLevel[] = {
    "com", "cn", "net", "org", "edu", "gov", "mil", "int", "info", "biz", "io", "ai", "co", "tv", "cc",
    "top", "xyz", "vip", "app", "dev", "shop", "site", "club", "online", "tech", "store", "cloud", "live",
    "hk", "tw", "mo", "jp", "kr", "uk", "de", "fr", "ru", "eu", "sg", "au", "ca",
};
constexpr const char* kSuffixes[] = {  // of versions
    "alpha", "beta", "rc", "a", "b", "dev", "pre", "preview", "snapshot", "final", "release", "post",
    "lts", "stable", "build", "ga", "sp", "p",
};
constexpr const char* kUnits[] = {  // of Latin letters, longest first among those with one beginning
    "km/h", "m/s", "kWh", "mAh", "MHz", "GHz", "kHz", "THz", "Hz", "Mbps", "Gbps", "Kbps", "bps", "kPa",
    "MPa", "GPa", "hPa", "Pa", "mmHg", "kcal", "cal", "kJ", "MJ", "kg", "KG", "Kg", "mg", "ug", "μg", "km",
    "KM", "cm", "mm", "um", "nm", "dm", "mL", "ml", "ML", "kW", "KW", "MW", "GW", "mW", "kV", "KV", "mV",
    "mA", "dB", "GB", "MB", "KB", "kB", "TB", "PB", "GiB", "MiB", "KiB", "TiB", "ms", "us", "ns", "min",
    "rpm", "ppm", "ppb", "mol", "fps", "FPS", "dpi", "DPI", "px", "pt", "kt", "mph", "cc", "oz", "lb",
    "lbs", "ft", "in", "ha", "IU", "USD", "RMB", "CNY", "EUR", "HKD", "JPY", "GBP", "G", "M", "K", "T", "g",
    "m", "s", "h", "t", "L", "l", "W", "V", "A", "J", "N", "B", "b", "Ω",
};
// Of other characters, longest first among those with one beginning.
constexpr const char32_t* kHanUnits[] = {
    U"平方公里", U"平方千米", U"平方厘米", U"平方毫米", U"平方英尺", U"平方米", U"立方厘米", U"立方米",
    U"千瓦时", U"兆瓦时", U"千卡", U"千克", U"千米", U"千瓦", U"千赫", U"千帕", U"千伏", U"兆赫", U"兆瓦",
    U"兆帕", U"兆字节", U"公斤", U"公里", U"公顷", U"公分", U"公升", U"毫克", U"毫米", U"毫升", U"毫秒",
    U"毫安时", U"毫安", U"厘米", U"分米", U"纳米", U"微米", U"微克", U"微秒", U"英里", U"英尺", U"英寸",
    U"海里", U"光年", U"摄氏度", U"华氏度", U"小时", U"分钟", U"秒钟", U"个月", U"星期", U"吉字节", U"字节",
    U"像素", U"美元", U"欧元", U"英镑", U"日元", U"港元", U"港币", U"韩元", U"卢布", U"法郎", U"人民币",
    U"元", U"角", U"吨", U"克", U"米", U"升", U"亩", U"斤", U"两", U"里", U"尺", U"寸", U"丈", U"度",
    U"伏", U"瓦", U"安", U"赫", U"帕", U"天", U"秒", U"周", U"岁", U"倍", U"摄氏", U"℃", U"℉", U"°", U"％",
    U"㎏", U"㎎", U"㎞", U"㎝", U"㎜", U"㎡", U"㎥", U"㏄", U"㎖", U"′", U"″", U"Ω",
};
constexpr char32_t kNumerals[] = U"零〇○一二三四五六七八九十百千万亿两";
constexpr char32_t kCurrencies[] = U"$＄￥¥€£￡";

// The steps of these rules are bounded by numbers of characters.
constexpr uint32_t kMostLocal = 64, kMostDomain = 253, kMostName = 30, kMostTag = 64, kMostCode = 40,
                   kMostParts = 8, kMostNumber = 64;

}  // namespace atoms

// The user's patterns: a deterministic automaton over classes of characters; see atoms/patterns.py.
struct PatternAutomaton {
  static constexpr uint32_t kLongest = 256;
  std::vector<uint16_t> bmp;  // classes of the basic plane
  std::vector<uint32_t> starts;
  std::vector<uint16_t> classes, table, accepts;
  uint32_t width = 0;

  bool any() const { return width != 0; }
  // False where the columns do not fit together.
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
    uint32_t cls = c < 0x10000
                       ? bmp[c]
                       : classes[size_t(std::upper_bound(starts.begin(), starts.end(), c) - starts.begin()) - 1];
    return table[size_t(state) * width + cls];
  }
};

// What is asked for, and the characters that a scan stops at.
struct AtomRules {
  PatternAutomaton patterns;
  uint8_t how[kAtomNames] = {};
  bool any = false;
  bool by_bits = false;  // characters beyond the four pages of `sets` are triggers
  uint64_t bits[1024] = {};      // a bit a character of the basic plane
  uint8_t sets[4][16] = {};  // of pages 00, FF, 20, 30: a byte the low four bits, a bit the next three

  bool on(AtomName name) const { return how[name] != kAtomModel; }
  bool trigger(uint32_t c) const { return c > 0xFFFF || (bits[c >> 6] >> (c & 63) & 1); }

  void add(uint32_t c) {
    bits[c >> 6] |= uint64_t(1) << (c & 63);
    for (int p = 0; p < 4; ++p)
      if (c >> 8 == pages()[p]) {
        sets[p][c & 15] |= uint8_t(1u << (c >> 4 & 7));
        return;
      }
    const uint32_t page = c >> 8;
    if ((page >= 0x34 && page <= 0x9F) || (page >= 0xAC && page <= 0xD6)) by_bits = true;  // others stop every scan
  }
  void add(const char* set) {
    for (; *set; ++set) {
      add(uint32_t(uint8_t(*set)));
      if (atoms::fold(uint32_t(*set) + 0xFEE0)) add(uint32_t(*set) + 0xFEE0);
    }
  }
  static const uint8_t* pages() {
    static const uint8_t of[4] = {0x00, 0xFF, 0x20, 0x30};
    return of;
  }

  void prepare() {
    for (uint8_t h : how) any |= h != kAtomModel;
    std::memset(bits, 0, sizeof bits);
    std::memset(sets, 0, sizeof sets);
    by_bits = false;
    if (!any) return;
    if (on(kAtomUrl)) add(":.");
    if (on(kAtomEmail)) add("@");
    if (on(kAtomIp)) add(":.");
    if (on(kAtomDate)) add("-/.");
    if (on(kAtomTime)) add(":");
    if (on(kAtomVersion)) add(".");
    if (on(kAtomHashtag)) add("#");
    if (on(kAtomMention)) add("@");
    if (on(kAtomCode)) add("-/.+#");
    if (on(kAtomLatin)) add("-'");
    if (on(kAtomLatin)) add(0x2019);
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
    for (int p = 0; p < 4; ++p) sets[p][15] |= uint8_t(p == 1 ? 1u << 7 : 0);  // beyond the basic plane
  }
};

// A lexicon's map of the basic plane with kMarkedChar on every character that a scan would stop at or that
// has several readings, or kJoiningChar: where the ids leave these bits free, mapping a text tells whether
// there is anything to look for.
class MarkedMap {
 public:
  static bool can_mark(const Lexicon& lex, const AtomRules& rules) {
    return lex.numbers && lex.trie.n_ids <= kMarkedIds + 1 && !rules.patterns.any();
  }
  MarkedMap(const Lexicon& lex, const AtomRules& rules) : bmp_(lex.map.bmp, lex.map.bmp + 0x10000) {
    for (uint32_t c = 0; c < 0x10000; ++c) {
      if (!rules.trigger(c) && !(lex.variants && lex.variants->several(c))) continue;
      const uint32_t id = bmp_[c] & kMarkedIds, folded = atoms::fold(c) & 0x7F;
      // what stop_at passes over unless it joins something; not the / of ://
      const bool joins = id >= lex.n_runs && id < lex.n_special && folded && atoms::one_of(uint8_t(folded), ".:-");
      bmp_[c] |= joins ? kJoiningChar : kMarkedChar;
    }
  }
  const uint16_t* bmp() const { return bmp_.data(); }

 private:
  std::vector<uint16_t> bmp_;
};

class AtomFinder {
 public:
  std::vector<AtomFound> found;  // by start, disjoint
  uint64_t steps = 0;

  // Fills `found`; false where there is nothing.
  bool find(const AtomRules& rules, const Lexicon& lex, const void* text, int width, size_t n) {
    found.clear();
    steps = 0;
    if (!(rules.any || rules.patterns.any()) || n == 0) return false;
    rules_ = &rules;
    lex_ = &lex;
    text_ = text;
    width_ = width;
    n_ = uint32_t(n);
    done_ = 0;
    closing_ = n_;
    if (rules.any) {
      if (width == 1) scan(static_cast<const uint8_t*>(text));
      else if (width == 2) scan(static_cast<const uint16_t*>(text));
      else scan(static_cast<const uint32_t*>(text));
    }
    if (rules.patterns.any()) add_patterns();
    return !found.empty();
  }

  // The tokens of an atom, appended as spans; of a text that find() was last given.
  void pieces(const AtomFound& a, std::vector<UserMatch>& out) {
    if (a.how == kAtomKeep) {
      put_piece(out, a.start, a.end, a.kind, a.number);
      return;
    }
    uint32_t k = a.start;
    while (k < a.end) {
      const uint32_t s = k;
      const uint8_t c = far(k);
      uint8_t kind = kWord;
      if (numbers(a.name) && (far_digit(k) || numeral(cp(k)))) {
        k = a.name == kAtomCalendar ? digits_or_numerals(k) : far_digit(k) ? arabic_core(k, a.end) : chinese(k);
        steps += k - s;
        kind = kNumber;
        const bool fraction = cp(s) != U'百' ? false : cp(s + 1) == U'分' && cp(s + 2) == U'之';
        if (fraction) k = s + 3;  // 百分之/三十
        if (a.name == kAtomQuantity) k = amount_end(s, k, a.end);
      } else if (atoms::alnum(c)) {
        const bool mixed = a.name == kAtomUrl || a.name == kAtomEmail;
        const bool number = atoms::digit(c);
        bool letters = false;
        while (k < a.end && atoms::alnum(far(k)) && (mixed || atoms::digit(far(k)) == number)) {
          letters |= atoms::letter(far(k));
          ++k;
        }
        kind = letters ? kLatinRun : kNumber;
        if (a.name == kAtomQuantity) k = a.end, kind = a.kind;
      } else if (a.name == kAtomQuantity && !(k == a.start && atoms::one_of(c, "+-")) && !in(U"-~～—－至到", cp(k)) &&
                 !in(atoms::kCurrencies, cp(k))) {
        k = a.end;  // the unit
        kind = a.kind;
      } else if (a.name == kAtomNumeral || a.name == kAtomNumber) {
        while (k < a.end && multiplier(cp(k))) ++k;
        if (k > s) kind = kNumber;
        else ++k;
      } else {
        if (cls(k) == kBlank) kind = kBlankRun;
        else if (cls(k) == kHan) kind = a.kind;
        ++k;
      }
      k = std::min(k, a.end);  // a number may go on where the atom does not
      put_piece(out, s, k, kind, 0);
    }
  }

 private:
  const AtomRules* rules_ = nullptr;
  const Lexicon* lex_ = nullptr;
  const void* text_ = nullptr;
  int width_ = 1;
  uint32_t n_ = 0;
  uint32_t done_ = 0;     // what lies before is settled
  uint32_t closing_ = 0;  // the # that closes a hashtag which is cut open
  std::vector<uint8_t> chunk_;
  uint32_t base_ = 0, size_ = 0;  // of the chunk
  uint32_t no_email_ = 0, no_domain_ = 0;  // places in the chunk before which none begins

  uint32_t cp(uint32_t k) const {
    if (k >= n_) return 0;
    return width_ == 1   ? static_cast<const uint8_t*>(text_)[k]
           : width_ == 2 ? static_cast<const uint16_t*>(text_)[k]
                         : static_cast<const uint32_t*>(text_)[k];
  }
  CharClass cls(uint32_t k) const { return lex_->char_class(lex_->map(cp(k)) & 0x7FFF); }
  uint8_t fold_at(uint32_t k) const {
    uint32_t c = cp(k);
    uint8_t f = atoms::fold(c);
    if (!f && c >= 0xC0 && c < 0x2C80 && cls(k) == kLatin) return 'z' | atoms::kWide;  // é
    return f;
  }

  // --- the user's patterns -------------------------------------------------------------------------

  std::vector<AtomFound> matched_, merged_;

  // The leftmost, then longest matches; what they touch of the atoms yields to them.
  void add_patterns() {
    const PatternAutomaton& p = rules_->patterns;
    matched_.clear();
    size_t at = 0;  // of the atoms: the first that ends behind k
    uint32_t looked = Interrupt::kEvery;
    for (uint32_t k = 0; k < n_;) {
      if (k >= looked) {
        Interrupt::look();
        looked = k + Interrupt::kEvery;
      }
      uint32_t state = 1, end = 0, number = 0;
      for (uint32_t i = k; i < n_ && i - k < PatternAutomaton::kLongest; ++i, ++steps) {
        const uint32_t c = cp(i);
        if (c == '\n' || c == '\r' || !(state = p.next(state, c))) break;
        if (p.accepts[state] && stands_free(k, i + 1)) {
          end = i + 1;
          number = p.accepts[state] - 1;
        }
      }
      ++steps;
      while (at < found.size() && found[at].end <= k) ++at;
      if (end) {  // no cluster is parted
        size_t i = at;
        while (i < found.size() && found[i].end < end) ++i;
        auto parted = [&](size_t j, uint32_t where) {
          return j < found.size() && found[j].name == kAtomEmoji && found[j].start < where && where < found[j].end;
        };
        if (parted(at, k) || parted(i, end)) end = 0;
      }
      if (end) matched_.push_back(AtomFound{k, end, kAtomNames, kAtomKeep, kKindPattern, number});
      k = end ? end : k + 1;
    }
    if (matched_.empty()) return;
    merged_.clear();
    size_t m = 0;
    for (const AtomFound& a : found) {
      while (m < matched_.size() && matched_[m].end <= a.start) merged_.push_back(matched_[m++]);
      if (m == matched_.size() || matched_[m].start >= a.end) merged_.push_back(a);
    }
    merged_.insert(merged_.end(), matched_.begin() + std::ptrdiff_t(m), matched_.end());
    found.swap(merged_);
  }

  // Whether [s, e) neither begins nor ends inside a run of letters and digits or before a mark.
  bool stands_free(uint32_t s, uint32_t e) const {
    auto run = [&](uint32_t k) {
      const CharClass x = cls(k);
      return x == kDigit || x == kLatin;
    };
    if (e < n_ && (grapheme_bits(cp(e)) & kGraphExtend || (run(e) && run(e - 1)))) return false;
    return begins_line(s) || !((run(s) && (run(s - 1) || cls(s - 1) == kExtend)) || grapheme_bits(cp(s)) & kGraphExtend);
  }
  // A line's start is the start of a text: whether lines come alone or together changes nothing.
  bool begins_line(uint32_t k) const { return k == 0 || cp(k - 1) == '\n' || cp(k - 1) == '\r'; }

  // --- looking for triggers ----------------------------------------------------------------------

  template <class Char>
  void scan(const Char* t) {
    uint32_t k = 0;
#if SEGMENTER_ATOMS_SSE
    if (!rules_->by_bits) {
      auto stops = [&](uint32_t from, uint32_t mask) {
        for (; mask; mask &= mask - 1) {
          uint32_t at = from + uint32_t(__builtin_ctz(mask));
          if (at >= done_ && rules_->trigger(t[at])) stop_at(at);
        }
      };
      for (; k + 16 <= n_; k += 16)
        if (uint32_t mask = triggers(t + k)) stops(k, mask);
      if (k < n_ && n_ >= 16) {  // the rest, with some that were seen
        stops(n_ - 16, triggers(t + n_ - 16) & (0xFFFFu << (16 - (n_ - k))));
        k = n_;
      }
    }
#endif
    for (; k < n_; ++k)
      if (rules_->trigger(t[k]) && k >= done_) stop_at(k);
    steps += n_ / 16;
  }

#if SEGMENTER_ATOMS_SSE
  static void load16(const uint8_t* t, __m128i& low, __m128i& high) {
    low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(t));
    high = _mm_setzero_si128();
  }
  static void parts(__m128i a, __m128i b, __m128i& low, __m128i& high) {
    const __m128i byte = _mm_set1_epi16(0xFF);
    low = _mm_packus_epi16(_mm_and_si128(a, byte), _mm_and_si128(b, byte));
    high = _mm_packus_epi16(_mm_srli_epi16(a, 8), _mm_srli_epi16(b, 8));
  }
  static void load16(const uint16_t* t, __m128i& low, __m128i& high) {
    const __m128i* at = reinterpret_cast<const __m128i*>(t);
    parts(_mm_loadu_si128(at), _mm_loadu_si128(at + 1), low, high);
  }
  static void load16(const uint32_t* t, __m128i& low, __m128i& high) {
    alignas(16) uint16_t narrow[16];
    for (int i = 0; i < 16; ++i) narrow[i] = t[i] > 0xFFFF ? 0xFFFF : uint16_t(t[i]);
    load16(narrow, low, high);
  }

  // A bit a position that may be a trigger: exact for the four pages but for their upper halves; any
  // character of another page that is neither Han nor Hangul.
  template <class Char>
  uint32_t triggers(const Char* t) const {
    const AtomRules& r = *rules_;
    __m128i low, high;
    load16(t, low, high);
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i at = _mm_and_si128(low, nibble);
    const __m128i bit = _mm_shuffle_epi8(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128),
                                         _mm_and_si128(_mm_srli_epi16(low, 4), nibble));
    auto set = [&](int p) {
      return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(r.sets[p])), at);
    };
    __m128i wanted = set(0), plain = _mm_cmpeq_epi8(high, _mm_setzero_si128());
    wanted = _mm_and_si128(wanted, plain);
    if (sizeof(Char) > 1) {
      for (int p = 1; p < 4; ++p) {
        const __m128i here = _mm_cmpeq_epi8(high, _mm_set1_epi8(char(AtomRules::pages()[p])));
        wanted = _mm_or_si128(wanted, _mm_and_si128(set(p), here));
        plain = _mm_or_si128(plain, here);
      }
      // Han, 34 to 9F: unsigned high - 34 <= 6B; Hangul, AC to D6
      const __m128i han = _mm_subs_epu8(_mm_sub_epi8(high, _mm_set1_epi8(0x34)), _mm_set1_epi8(0x6B));
      const __m128i hangul = _mm_subs_epu8(_mm_sub_epi8(high, _mm_set1_epi8(char(0xAC))), _mm_set1_epi8(0x2A));
      plain = _mm_or_si128(plain, _mm_cmpeq_epi8(_mm_min_epu8(han, hangul), _mm_setzero_si128()));
    }
    const __m128i none = _mm_cmpeq_epi8(_mm_and_si128(wanted, bit), _mm_setzero_si128());
    return uint32_t(_mm_movemask_epi8(_mm_and_si128(none, plain))) ^ 0xFFFF;
  }
#endif

  void stop_at(uint32_t k) {
    ++steps;
    const uint32_t c = cp(k);
    const uint8_t f = fold_at(k);
    if (f) {
      const uint8_t a = f & 0x7F;
      if (atoms::has(a, atoms::kJoint)) {
        // a joint has something to join; or :// and ::
        const bool joins = k > 0 && atoms::alnum(fold_at(k - 1) & 0x7F) && k + 1 < n_ &&
                           atoms::alnum(fold_at(k + 1) & 0x7F);
        const uint8_t next = k + 1 < n_ ? fold_at(k + 1) & 0x7F : 0;
        if (!joins && !(a == ':' && (next == '/' || next == ':'))) return;
      }
      read_chunk(k);
      return;
    }
    if (c < 0x80) return;
    for (char32_t numeral : atoms::kNumerals)
      if (c == numeral) {
        han_number(k);
        return;
      }
    if (rules_->on(kAtomEmoji)) read_cluster(k);
  }

  // --- clusters ----------------------------------------------------------------------------------

  void read_cluster(uint32_t k) {
    const uint8_t bits = grapheme_bits(cp(k));
    if (!(bits & (kGraphExtend | kGraphPrepend | kGraphRegional | kGraphEmoji))) return;
    uint32_t s = k;
    if (bits & kGraphExtend && s > (found.empty() ? 0 : found.back().end) &&
        !(grapheme_bits(cp(s - 1)) & kGraphControl))
      --s;
    uint32_t e = cluster_end([&](uint32_t i) { return cp(i); }, s, n_, steps);
    if (e <= k) e = k + 1;
    done_ = e;
    bool shaped = bits & kGraphEmoji, odd = false, keycap = false;
    const CharClass first = cls(s);
    for (uint32_t i = s + 1; i < e; ++i) {
      const uint32_t c = cp(i);
      shaped |= c == kEmojiStyle || (grapheme_bits(c) & (kGraphPicture | kGraphRegional | kGraphEmoji));
      keycap |= c == kKeycap;
      odd |= cls(i) != kExtend;
    }
    shaped |= grapheme_bits(cp(s)) & kGraphEmoji;
    const uint8_t base = fold_at(s) & 0x7F;
    if (keycap) {  // 1️⃣ is no digit of a number
      if (!(atoms::digit(base) || base == '#' || base == '*')) keycap = false;
    }
    const bool run = first == kDigit || first == kLatin || (first >= kGreek && first <= kLetter) || first == kHanNum;
    if (keycap) {
      put(s, e, kAtomEmoji, kKindEmoji);
    } else if (run) {
      if (odd) widen(s, e, first);
    } else if (shaped && grapheme_bits(cp(s)) & (kGraphPicture | kGraphRegional)) {
      put(s, e, kAtomEmoji, kKindEmoji);
    } else if (e - s > 1 && (odd || first == kBlank)) {
      put(s, e, kAtomEmoji, kCluster);
    }
  }

  // A letter with marks that no class has: the run of letters around it becomes the span.
  void widen(uint32_t s, uint32_t e, CharClass c) {
    const uint32_t floor = found.empty() ? 0 : found.back().end;
    auto same = [&](uint32_t k) {
      CharClass x = cls(k);
      bool both = (x == kDigit || x == kLatin) && (c == kDigit || c == kLatin);
      return both || x == c || x == kExtend || grapheme_bits(cp(k)) & kGraphExtend;
    };
    while (s > floor && same(s - 1)) --s, ++steps;
    while (e < n_ && same(e)) ++e, ++steps;
    done_ = e;
    put(s, e, kAtomEmoji, c == kLatin || c == kDigit ? kLatinRun : c == kHanNum ? kCluster : kScriptRun);
  }

  void put(uint32_t s, uint32_t e, AtomName name, uint8_t kind) {
    found.push_back(AtomFound{s, e, name, kAtomKeep, kind, 0});
    done_ = e;
  }

  // --- chunks ------------------------------------------------------------------------------------

  uint8_t wide(uint32_t i) const { return i < size_ ? chunk_[i] & atoms::kWide : 0; }
  uint8_t at(uint32_t i) const { return i < size_ ? chunk_[i] & 0x7F : 0; }
  bool dg(uint32_t i) const { return atoms::digit(at(i)); }
  bool al(uint32_t i) const { return atoms::letter(at(i)); }
  bool an(uint32_t i) const { return atoms::alnum(at(i)); }
  uint32_t run_end(uint32_t i) const {
    while (an(i)) ++i;
    return i;
  }
  uint32_t digits_end(uint32_t i) const {
    while (dg(i)) ++i;
    return i;
  }
  uint32_t letters_end(uint32_t i) const {
    while (al(i)) ++i;
    return i;
  }
  uint32_t value(uint32_t s, uint32_t e) const {  // of few digits
    uint32_t v = 0;
    for (; s < e; ++s) v = v * 10 + uint32_t(at(s) - '0');
    return v;
  }

  void read_chunk(uint32_t k) {
    uint32_t a = k, b = k;
    while (a > done_ && fold_at(a - 1)) --a;
    chunk_.clear();
    base_ = a;
    for (b = a; b < n_; ++b) {
      uint8_t f = fold_at(b);
      if (!f) break;
      chunk_.push_back(f);
    }
    size_ = b - a;
    steps += size_;
    no_email_ = no_domain_ = 0;
    uint32_t p = 0;
    while (p < size_) {
      uint32_t e = 0;
      const uint8_t c = at(p);
      if (c == '@' && rules_->on(kAtomMention)) e = mention(p);
      else if (c == '#') e = hashtag(p);
      else if (c == ':' && at(p + 1) == ':' && rules_->on(kAtomIp)) e = take_ip6(p);
      else if (an(p)) e = read_run(p);
      if (e <= p) e = an(p) ? run_end(p) : p + 1;
      p = e;
    }
    done_ = std::max(done_, base_ + p);
  }

  bool take(AtomName name, uint32_t s, uint32_t e) { return take_at(name, base_ + s, base_ + e); }

  // An atom, unless it would part a run of letters and digits or a grapheme cluster.
  bool take_at(AtomName name, uint32_t s, uint32_t e) {
    if (!rules_->on(name)) return false;
    if (e < n_) {
      if (grapheme_bits(cp(e)) & kGraphExtend) return false;
      if (atoms::alnum(fold_at(e) & 0x7F) && atoms::alnum(fold_at(e - 1) & 0x7F)) return false;
    }
    if (s > 0 && (found.empty() || found.back().end != s) && atoms::alnum(fold_at(s) & 0x7F)) {
      if (cls(s - 1) == kExtend || atoms::alnum(fold_at(s - 1) & 0x7F)) return false;
    }
    if (!found.empty() && found.back().end > s) return false;
    found.push_back(AtomFound{s, e, uint8_t(name), rules_->how[name], kKindOf[name], 0});
    return true;
  }

  // What begins at the run of letters and digits at p; where it ends, 0 if nothing does.
  uint32_t read_run(uint32_t p) {
    const uint32_t q = run_end(p);
    uint32_t e;
    steps += q - p;
    if (rules_->on(kAtomUrl) && (e = url(p, q)) && take(kAtomUrl, p, e)) return e;
    if (rules_->on(kAtomEmail) && (e = email(p)) && take(kAtomEmail, p, e)) return e;
    if (rules_->on(kAtomIp) && (e = ip6(p)) && take(kAtomIp, p, e)) return e;
    if (rules_->on(kAtomUrl) && (e = domain(p, q)) && take(kAtomUrl, p, e)) return e;
    if (dg(p)) {
      e = number_like(p, q);
      if (e) return e;
    } else if ((at(p) | 0x20) == 'v' && dg(p + 1) && rules_->on(kAtomVersion)) {
      if ((e = version(p + 1, 2)) && take(kAtomVersion, p, e)) return e;
    }
    if (rules_->on(kAtomCode) && (e = code(p, q)) && take(kAtomCode, p, e)) return e;
    if (rules_->on(kAtomCode) && (e = standard(p, q)) && take(kAtomCode, p, e)) return e;
    if (rules_->on(kAtomLatin) && (e = latin(p, q)) && take(kAtomLatin, p, e)) return e;
    return 0;
  }

  // Whether a number may begin at p: it goes on nothing, or follows another atom.
  bool clean(uint32_t p) const {
    if (p == 0 || !atoms::one_of(at(p - 1), ".:/-,_")) return true;
    if (p >= 2 && !found.empty() && found.back().end == base_ + p - 1) return true;
    return p < 2 || !an(p - 2);
  }

  // --- URLs, e-mail addresses, hosts ---------------------------------------------------------------

  uint32_t url(uint32_t p, uint32_t q) const {
    if (at(q) != ':' || at(q + 1) != '/' || at(q + 2) != '/' || !al(p) || q - p < 2 || q - p > 16) return 0;
    const uint32_t from = q + 3;
    if (!an(from) && at(from) != '[') return 0;
    return url_end(p, from, wide(q + 1) && wide(q + 2));
  }

  // Where a URL that begins at p ends; `from`: where to go on.  Marks at its end belong to the sentence.
  uint32_t url_end(uint32_t p, uint32_t from, bool wide_too) const {
    uint32_t e = from;
    int32_t round = 0, square = 0;
    for (; e < size_; ++e) {
      const uint8_t c = at(e);
      if (wide(e) && !wide_too) break;
      if (!atoms::has(c, atoms::kInUrl)) break;
      if ((c == ',' || c == ';') && at(e + 1) == 'h' && at(e + 2) == 't' && at(e + 3) == 't' && at(e + 4) == 'p') break;
    }
    for (uint32_t i = p; i < e; ++i) {
      round += (at(i) == '(') - (at(i) == ')');
      square += (at(i) == '[') - (at(i) == ']');
    }
    for (; e > from; --e) {
      const uint8_t c = at(e - 1);
      if (c == ')' && round < 0) ++round;
      else if (c == ']' && square < 0) ++square;
      else if (c == '(' && round > 0) --round;
      else if (c == '[' && square > 0) --square;
      else if (!atoms::one_of(c, ".,;:!?'*~")) break;
    }
    return e;
  }

  // End of the labels of a host at i and where the last begins; 0 where there are not two.
  uint32_t labels(uint32_t i, uint32_t* last, uint32_t* count) const {
    const uint32_t from = i;
    uint32_t e = 0;
    *count = 0;
    for (;;) {
      const uint32_t s = i;
      while ((an(i) || (at(i) == '-' && i > s && (an(i + 1) || at(i + 1) == '-'))) && i - from <= atoms::kMostDomain) ++i;
      if (i == s || i - from > atoms::kMostDomain) break;
      e = i;
      *last = s;
      ++*count;
      if (at(i) != '.' || !an(i + 1)) break;
      ++i;
    }
    return *count ? e : 0;
  }

  uint32_t email(uint32_t p) {
    if (p < no_email_) return 0;
    uint32_t i = p;
    while ((an(i) || atoms::one_of(at(i), "._%+-'")) && i - p <= atoms::kMostLocal) ++i;
    steps += i - p;
    if (i - p > atoms::kMostLocal) return 0;
    if (at(i) != '@' || at(i - 1) == '.') {
      no_email_ = i;  // whatever begins before i meets the same character
      return 0;
    }
    uint32_t last = 0, count = 0;
    uint32_t e = labels(i + 1, &last, &count);
    steps += e ? e - i : 1;
    while (e && count >= 2) {
      const uint32_t l = letters_end(last);
      if (l - last >= 2 && (l >= e || at(l) == '-')) return std::min(l, e);
      e = last - 1;  // one label less
      --count;
      last = e;
      while (last > i + 1 && at(last - 1) != '.') --last;
    }
    return 0;
  }

  static bool equal(const char* name, const uint8_t* c, uint32_t n) {
    uint32_t i = 0;
    for (; i < n && name[i]; ++i)
      if (uint8_t(name[i]) != atoms::low(c[i] & 0x7F)) return false;
    return i == n && !name[i];
  }
  bool is_top_level(uint32_t s, uint32_t e) const {
    for (const char* name : atoms::kTopLevel)
      if (equal(name, chunk_.data() + s, e - s)) return true;
    return false;
  }

  // A host without a scheme, with its port and path.
  uint32_t domain(uint32_t p, uint32_t q) {
    if (p > 0 && atoms::one_of(at(p - 1), "@.-_/")) return 0;
    uint32_t last = 0, count = 0, e;
    if (q - p == 9 && at(q) == ':' && dg(q + 1) && equal("localhost", chunk_.data() + p, 9)) {
      e = q;
    } else {
      if (p < no_domain_ || at(q) != '.' ? at(q) != '-' || p < no_domain_ : false) return 0;
      e = labels(p, &last, &count);
      steps += e ? e - p : 1;
      const bool www = q - p == 3 && equal("www", chunk_.data() + p, 3);
      if (count < 2 || (!www && !is_top_level(last, e)) || (www && count < 3 && !is_top_level(last, e))) {
        if (e) no_domain_ = last;
        return 0;
      }
      if (!www && q - p < 2 && count < 3 && at(e) != '/') return 0;  // a.cn
      if (count == 2 && at(last) == 'N' && e - last == 3) return 0;  // ASP.NET
    }
    if (at(e) == ':' && !wide(e) && dg(e + 1)) {
      uint32_t port = digits_end(e + 1);
      if (port - e <= 6 && !al(port)) e = port;
    }
    const bool all_wide = wide(p);
    if ((at(e) == '/' || at(e) == '?') && (!wide(e) || all_wide)) return url_end(p, e, all_wide);
    return e;
  }

  uint32_t ip6(uint32_t p) {
    if (p > 0 && (at(p - 1) == ':' || an(p - 1) || at(p - 1) == '.')) return 0;
    uint32_t i = p, groups = 0, colons = 0;
    int gap = 0;
    bool digit = false, open = true;  // open: a group may begin here
    for (; i - p <= 46;) {
      if (at(i) == ':' && !wide(i)) {
        if (at(i + 1) == ':') {
          if (++gap > 1) return 0;
          i += 2;
          colons += 2;
          open = true;
        } else {
          if (open || !atoms::hex(at(i + 1))) break;
          ++i;
          ++colons;
          open = true;
        }
        continue;
      }
      if (!open || !atoms::hex(at(i))) break;
      uint32_t s = i;
      while (atoms::hex(at(i)) && i - s < 5) {
        digit |= dg(i);
        ++i;
      }
      if (i - s > 4) return 0;
      ++groups;
      open = false;
    }
    steps += i - p;
    if (an(i) || at(i) == ':' || colons < 2 || !digit) return 0;
    if (gap ? groups > 7 : groups != 8) return 0;
    if (at(i) == '/' && dg(i + 1)) {
      uint32_t e = digits_end(i + 1);
      if (e - i <= 4 && !al(e)) return e;
    }
    return i;
  }
  uint32_t take_ip6(uint32_t p) {
    uint32_t e = ip6(p);
    if (e && take(kAtomIp, p, e)) return e;
    while (at(p) == ':') ++p;
    return p;
  }

  // --- digits --------------------------------------------------------------------------------------

  // What begins at the digits at p.
  uint32_t number_like(uint32_t p, uint32_t q) {
    if (!clean(p)) return 0;
    uint32_t e;
    // digits between dots
    uint32_t i = digits_end(p), parts = 1;
    bool octets = i - p <= 3 && value(p, std::min(i, p + 3)) <= 255;
    while (at(i) == '.' && dg(i + 1)) {
      uint32_t s = i + 1;
      i = digits_end(s);
      octets &= i - s <= 3 && value(s, std::min(i, s + 3)) <= 255;
      ++parts;
    }
    steps += i - p;
    if (parts > atoms::kMostParts) return i;
    if (parts == 4 && octets && !al(i) && rules_->on(kAtomIp)) {
      e = i;
      if (at(i) == ':' && dg(i + 1) && !wide(i)) {
        uint32_t port = digits_end(i + 1);
        if (port - i <= 6 && !al(port)) e = port;
      } else if (at(i) == '/' && dg(i + 1)) {
        uint32_t mask = digits_end(i + 1);
        if (mask - i <= 3 && !al(mask)) e = mask;
      }
      if (take(kAtomIp, p, e)) return e;
    }
    if (rules_->on(kAtomCalendar) && (e = calendar(base_ + p)) ) return e - base_;
    if (rules_->on(kAtomDate) && (e = date(p)) && take(kAtomDate, p, e)) return e;
    if (rules_->on(kAtomTime) && (e = time(p)) && take(kAtomTime, p, e)) return e;
    if (rules_->on(kAtomVersion) && parts >= 2 && (e = version(p, 3)) && take(kAtomVersion, p, e)) return e;
    if (rules_->on(kAtomQuantity) || rules_->on(kAtomNumber)) {
      if ((e = quantity(base_ + p))) return e - base_;
    }
    if (parts > 2) return i;
    if (rules_->on(kAtomCode) && (e = code(p, q)) && take(kAtomCode, p, e)) return e;
    // nothing here: what follows a joint of digits is nothing of its own
    return i > q ? i : 0;
  }

  static bool is_day(uint32_t y, uint32_t m, uint32_t d) {
    return y >= 1000 && y < 3000 && m >= 1 && m <= 12 && d >= 1 && d <= 31;
  }

  uint32_t date(uint32_t p) const {
    const uint32_t a = digits_end(p);
    const uint8_t mark = at(a);
    if (!atoms::one_of(mark, "-/.") || a - p > 4) return 0;
    const uint32_t b = digits_end(a + 1);
    if (at(b) != mark || b - a < 2 || b - a > 3) return 0;
    const uint32_t c = digits_end(b + 1);
    if (c == b + 1 || c - b > 5) return 0;
    const uint32_t x = value(p, a), y = value(a + 1, b), z = value(b + 1, c);
    const bool big = a - p == 4 && c - b <= 3 && is_day(x, y, z);
    const bool small = mark == '/' && a - p <= 2 && c - b == 5 && (is_day(z, x, y) || is_day(z, y, x));
    if (!big && !small) return 0;
    if (at(c) == mark && dg(c + 1)) return 0;
    if (big && mark == '-' && (at(c) == 'T' || at(c) == 't') && dg(c + 1)) {  // ISO 8601
      const uint32_t e = clock(c + 1);
      if (e) return zone(e);
    }
    return al(c) ? 0 : c;
  }

  // hours:minutes[:seconds[.fraction]] at p; 0 if it is none.
  uint32_t clock(uint32_t p) const {
    const uint32_t h = digits_end(p);
    if (h == p || h - p > 2 || value(p, h) > 24 || at(h) != ':') return 0;
    uint32_t e = digits_end(h + 1);
    if (e - h != 3 || value(h + 1, e) > 59) return 0;
    if (at(e) == ':' && dg(e + 1)) {
      const uint32_t s = digits_end(e + 1);
      if (s - e != 3 || value(e + 1, s) > 60) return 0;
      e = s;
      if (at(e) == '.' && dg(e + 1) && digits_end(e + 1) - e <= 10) e = digits_end(e + 1);
    }
    return e;
  }
  uint32_t zone(uint32_t e) const {
    if ((at(e) == 'Z' || at(e) == 'z') && !an(e + 1)) return e + 1;
    if ((at(e) == '+' || at(e) == '-') && dg(e + 1) && dg(e + 2)) {
      if (at(e + 3) == ':' && dg(e + 4) && dg(e + 5) && !an(e + 6)) return e + 6;
      if (dg(e + 3) && dg(e + 4) && !an(e + 5)) return e + 5;
    }
    return e;
  }
  uint32_t time(uint32_t p) const {
    uint32_t e = clock(p);
    if (!e) return 0;
    if (((at(e) | 0x20) == 'a' || (at(e) | 0x20) == 'p') && (at(e + 1) | 0x20) == 'm' && !an(e + 2)) return e + 2;
    if (an(e) || (at(e) == ':' && dg(e + 1)) || (at(e) == '.' && dg(e + 1)) || at(e) == '%') return 0;
    return e;
  }

  // Numbers between dots from p on, at least `least` of them unless a suffix such as -rc1 follows.
  uint32_t version(uint32_t p, uint32_t least) const {
    uint32_t i = digits_end(p), parts = 1;
    while (at(i) == '.' && dg(i + 1) && parts <= atoms::kMostParts) {
      i = digits_end(i + 1);
      ++parts;
    }
    if (parts < 2 || parts > atoms::kMostParts) return 0;
    uint32_t s = i;
    if (atoms::one_of(at(i), "-.+_")) ++s;
    const uint32_t l = letters_end(s);
    if (l > s) {
      for (const char* name : atoms::kSuffixes) {
        if (!equal(name, chunk_.data() + s, l - s)) continue;
        uint32_t e = digits_end(l);
        if (e == l && at(l) == '.' && dg(l + 1)) e = digits_end(l + 1);
        if (!an(e)) return e;
      }
    }
    return parts >= least && !an(i) ? i : 0;
  }

  // --- letters -------------------------------------------------------------------------------------

  // Letters and digits joined by hyphens (X-900), or with a version behind them (iOS17.2); C++, C#.
  uint32_t code(uint32_t p, uint32_t q) const {
    if (p > 0 && atoms::one_of(at(p - 1), "-_@/.\\")  && p > 1 && an(p - 2)) return 0;
    const uint32_t l = letters_end(p);
    if (l == q && q - p <= 3 && at(q) == '+' && at(q + 1) == '+') {
      const uint32_t e = digits_end(q + 2);
      return al(e) || at(e) == '+' ? 0 : e;
    }
    if (l == q && q - p == 1 && at(q) == '#' && atoms::one_of(at(p) | 0x20, "cfj"))
      return an(q + 1) || at(q + 1) == '#' ? 0 : q + 1;
    const bool numbered = l == p + 1 && (at(p) | 0x20) == 'v';  // v2.0 is a version, or nothing
    bool letters = false, digits = false, joined = false;
    uint32_t i = p, parts = 0;
    for (;;) {
      const uint32_t s = i;
      while (an(i) && i - p <= atoms::kMostCode) {
        letters |= al(i);
        digits |= dg(i);
        ++i;
      }
      if (i - p > atoms::kMostCode || ++parts > atoms::kMostParts) return 0;
      if (parts == 1 && !letters) {
        // 7-Eleven, 5-HT: few digits, then a name
        if (i - s > 2 || at(i) != '-' || !atoms::upper(at(i + 1))) return 0;
      }
      if (at(i) == '-' && an(i + 1)) {
        ++i;
        joined = true;
      } else if (at(i) == '.' && dg(i - 1) && dg(i + 1) && letters && !numbered) {
        ++i;
        joined = true;
      } else {
        break;
      }
    }
    return joined && letters && digits && !atoms::one_of(at(i), "_@") ? i : 0;
  }

  // GB/T 2312, ISO/IEC 27001:2013: the number may stand behind a blank.
  uint32_t standard(uint32_t p, uint32_t q) const {
    if (at(q) != '/' || q - p < 2 || q - p > 6) return 0;
    for (uint32_t i = p; i < q; ++i)
      if (!atoms::upper(at(i))) return 0;
    uint32_t e = q + 1;
    while (atoms::upper(at(e)) && e - q <= 6) ++e;
    if (e == q + 1 || al(e) || e - q > 6) return 0;
    auto far = [&](uint32_t i) -> uint8_t { return base_ + i < n_ ? fold_at(base_ + i) & 0x7F : 0; };
    auto far_digits = [&](uint32_t i) {
      const uint32_t s = i;
      while (i - s < 9 && atoms::digit(far(i))) ++i;
      return i;
    };
    uint32_t s = e;
    if (base_ + s < n_ && (cp(base_ + s) == ' ' || cp(base_ + s) == 0x3000)) ++s;
    uint32_t i = far_digits(s);
    if (i == s || i - s > 6) return 0;
    while (far(i) == '.' && atoms::digit(far(i + 1)) && i - s < 20) i = far_digits(i + 1);
    if (atoms::one_of(far(i), "-:") && far_digits(i + 1) == i + 5) i += 5;  // the year
    return atoms::alnum(far(i)) ? 0 : i;
  }

  uint32_t latin(uint32_t p, uint32_t q) {
    if (p > 0 && atoms::one_of(at(p - 1), "-_@/.\\") && p > 1 && an(p - 2)) return 0;
    uint32_t i = letters_end(p), joints = 0;
    if (i != q) return 0;
    while ((at(i) == '\'' || at(i) == '-') && al(i + 1)) {
      const uint32_t e = run_end(i + 1);
      if (letters_end(i + 1) != e) break;
      if (at(i) == '\'' && wide(i) && in_quotes(i) && !contracted(i, e)) break;
      i = e;
      ++joints;
    }
    steps += i - p;
    return joints && at(i) != '_' && at(i) != '@' ? i : 0;
  }
  // Whether ’ at i may close a quotation: one was opened before it.
  bool in_quotes(uint32_t i) const {
    for (uint32_t k = base_ + i, far = 0; k-- > 0 && far < 32; ++far) {
      if (cp(k) == 0x2018) return true;
      if (cp(k) == '\n' || cp(k) == 0x2019) return false;
    }
    return false;
  }
  bool contracted(uint32_t i, uint32_t e) const {
    for (const char* name : {"s", "t", "re", "ve", "ll", "d", "m"})
      if (equal(name, chunk_.data() + i + 1, e - i - 1)) return true;
    return false;
  }

  // --- hashtags and mentions -----------------------------------------------------------------------

  bool in_name(uint32_t k) const {
    if (k >= n_) return false;
    const uint32_t c = cp(k);
    if (c == '_' || c == 0xFF3F) return true;
    const CharClass x = cls(k);
    return x == kDigit || x == kLatin || x == kHanNum || x == kHan || (x >= kGreek && x <= kLetter) ||
           (x == kExtend && k > 0);
  }

  uint32_t mention(uint32_t p) {
    const uint32_t k = base_ + p;
    if (k > 0 && (atoms::alnum(fold_at(k - 1) & 0x7F) || cp(k - 1) == '_')) {
      if (found.empty() || found.back().end != k) return 0;
    }
    uint32_t e = k + 1, width = 0;  // microblogs count a Han character twice
    bool named = false;
    while (e - k <= atoms::kMostName + 1 && (in_name(e) || ((cp(e) == '-' || cp(e) == 0xB7) && in_name(e + 1)))) {
      const CharClass x = cls(e);
      named |= x != kDigit && cp(e) != '-';
      width += x == kHan || x == kHanNum ? 2 : 1;
      ++e;
    }
    steps += e - k;
    if (!named || e - k < 3 || width > atoms::kMostName || cls(k + 1) == kExtend) return 0;
    return take_marked(kAtomMention, k, e, false);
  }

  uint32_t hashtag(uint32_t p) {
    const uint32_t k = base_ + p;
    if (k == closing_) {
      found.push_back(AtomFound{k, k + 1, kAtomHashtag, kAtomSplit, kKindHashtag, 0});
      closing_ = n_;
      return p + 1;
    }
    if (!rules_->on(kAtomHashtag)) return 0;
    if (k > 0 && (atoms::alnum(fold_at(k - 1) & 0x7F) || atoms::one_of(fold_at(k - 1) & 0x7F, "#&_/"))) {
      if (found.empty() || found.back().end != k) return 0;
    }
    auto sharp = [&](uint32_t i) { return cp(i) == '#' || cp(i) == 0xFF03; };
    if (k + 1 >= n_ || sharp(k + 1) || cls(k + 1) == kBlank || cls(k + 1) == kExtend) return 0;
    // #话题#
    uint32_t e = k + 1;
    bool named = false, ascii = true;
    while (e < n_ && e - k <= atoms::kMostTag && !sharp(e) && cp(e) != '\n' && cp(e) != '\r') {
      named |= in_name(e) && cls(e) != kDigit;
      ascii &= cp(e) < 0x80 && in_name(e);
      ++e;
    }
    steps += e - k;
    const bool listed = cp(e - 1) == ',' || cp(e - 1) == 0xFF0C || cp(e - 1) == 0x3001;  // #A、#B
    if (e < n_ && sharp(e) && named && cls(e - 1) != kBlank && !listed) {
      const bool next = e + 1 < n_ && cp(e + 1) < 0x80 && in_name(e + 1);
      const bool counted = cls(k + 1) == kDigit && e + 1 < n_ && cls(e + 1) == kDigit;  // #1和#2
      if (!(ascii && next) && !counted) return take_marked(kAtomHashtag, k, e + 1, true);
    }
    // #tag
    e = k + 1;
    named = false;
    uint32_t count = 0;  // of the digits that it begins with: #618大促 is one, #2楼 is none
    while (in_name(e) && e - k <= atoms::kMostName + 1) {
      named |= cls(e) != kDigit && cp(e) != '_';
      count += !named;
      ++e;
    }
    if (!named || (count && count < 3) || e - k > atoms::kMostName + 1) return 0;
    return take_marked(kAtomHashtag, k, e, false);
  }

  // An atom with a mark before it (and after it): cut open, only the marks are spans.
  uint32_t take_marked(AtomName name, uint32_t s, uint32_t e, bool closed) {
    if (e < n_ && grapheme_bits(cp(e)) & kGraphExtend) return 0;
    if (rules_->how[name] == kAtomKeep) {
      found.push_back(AtomFound{s, e, uint8_t(name), kAtomKeep, kKindOf[name], 0});
      return e - base_;
    }
    found.push_back(AtomFound{s, s + 1, uint8_t(name), kAtomSplit, kKindOf[name], 0});
    if (closed) closing_ = e - 1;
    return s + 1 - base_;
  }

  // --- pieces of what is split -------------------------------------------------------------------------

  static void put_piece(std::vector<UserMatch>& out, uint32_t s, uint32_t e, uint32_t kind, uint32_t slot) {
    out.push_back(UserMatch{s, e, kNotCanonical | kind << 24 | slot, 2});
  }
  static bool numbers(uint8_t name) {
    return name == kAtomNumber || name == kAtomNumeral || name == kAtomQuantity || name == kAtomCalendar;
  }
  uint32_t digits_or_numerals(uint32_t k) const {
    const uint32_t e = far_digits(k);
    if (e > k) return e;
    while (numeral(cp(k))) ++k;
    return k;
  }
  // Digits with , and . between them, as far as the atom goes: what follows it may go on like that for ever.
  uint32_t arabic_core(uint32_t k, uint32_t end) const {
    uint32_t e = far_digits(k);
    while (e < end && (far(e) == ',' || far(e) == '.' || cp(e) == 0xB7) && far_digit(e + 1)) e = far_digits(e + 1);
    return e;
  }
  // Where the number of a quantity ends: with its 万 and %, but for the range's second number.
  uint32_t amount_end(uint32_t s, uint32_t k, uint32_t end) const {
    const uint32_t whole = far_digit(s) ? arabic(s) : chinese(s);
    return std::max(k, std::min(whole, end));
  }

  // --- numbers, in keep and split --------------------------------------------------------------------

  static bool in(const char32_t* set, uint32_t c) {
    for (; *set; ++set)
      if (uint32_t(*set) == c) return true;
    return false;
  }
  bool far_digit(uint32_t k) const { return k < n_ && atoms::digit(fold_at(k) & 0x7F); }
  uint8_t far(uint32_t k) const { return k < n_ ? fold_at(k) & 0x7F : 0; }
  uint32_t far_digits(uint32_t k) const {
    while (far_digit(k)) ++k;
    return k;
  }
  static bool numeral(uint32_t c) { return in(atoms::kNumerals, c); }
  static bool multiplier(uint32_t c) { return in(U"十百千万亿兆萬億", c); }

  // End of the number of digits at k: 1,000.5  3.2e-10  1/2  50%  3万; k if there is none.
  uint32_t arabic(uint32_t k) const {
    uint32_t e = far_digits(k);
    if (e == k) return k;
    bool plain = true;
    while ((far(e) == ',' || cp(e) == 0xFF0C) && cp(e) != 0xFF0C && far_digits(e + 1) == e + 4 && e - k < atoms::kMostNumber) {
      e += 4;
      plain = false;
    }
    if ((far(e) == '.' || cp(e) == 0xB7) && far_digit(e + 1)) {
      e = far_digits(e + 1);
      plain = false;
    } else if (plain && far(e) == '/' && far_digit(e + 1)) {
      e = far_digits(e + 1);
    }
    if ((far(e) | 0x20) == 'e') {
      uint32_t x = e + 1;
      if (far(x) == '-' || far(x) == '+') ++x;
      if (far_digit(x)) e = far_digits(x);
    }
    if (far(e) == '%' || cp(e) == 0x2030) return e + 1;
    while (e < n_ && multiplier(cp(e)) && e - k < atoms::kMostNumber) ++e;
    return e;
  }

  // End of the Chinese number at k: 三千五百, 六点二, 百分之三十, 一九九八; k if there is none.
  uint32_t chinese(uint32_t k) const {
    auto run = [&](uint32_t i) {
      const uint32_t s = i;
      while (i < n_ && i - s < atoms::kMostNumber && numeral(cp(i))) ++i;
      return i;
    };
    uint32_t e = run(k);
    if (e == k) return k;
    if (cp(e) == U'分' && cp(e + 1) == U'之' && run(e + 2) > e + 2) e = run(e + 2);
    if (cp(e) == U'点' && run(e + 1) > e + 1) e = run(e + 1);
    return e;
  }
  // Whether [s, e) is surely a number and no part of a word such as 双十一, 万一, 千万.
  bool sure(uint32_t s, uint32_t e) const {
    bool joint = false, ones = false, tens = false;
    for (uint32_t k = s; k < e; ++k) {
      joint |= cp(k) == U'点' || cp(k) == U'之';
      ones |= numeral(cp(k)) && !multiplier(cp(k));
      tens |= multiplier(cp(k));
    }
    if (joint) return true;
    if (e - s < 3 || !ones) return false;
    if (!tens) return true;  // 一九九八
    for (uint32_t k = s; k + 1 < e; ++k)  // 三三百: digits do not pile up beside tens
      if (cp(k) == cp(k + 1)) return false;
    return true;
  }

  // End of the unit at k, k if there is none.
  uint32_t unit(uint32_t k) const {
    for (const char32_t* name : atoms::kHanUnits) {
      uint32_t i = 0;
      while (name[i] && k + i < n_ && cp(k + i) == uint32_t(name[i])) ++i;
      if (!name[i]) return k + i;
    }
    uint32_t best = k;
    for (const char* name : atoms::kUnits) {
      uint32_t i = 0;
      while (name[i] && far(k + i) == uint8_t(name[i])) ++i;
      if (!name[i] && k + i > best && !atoms::alnum(far(k + i))) best = k + i;
    }
    if (best > k && far(best - 1) == 'm' && in(U"²³", cp(best))) ++best;
    return best;
  }

  bool takes_sign(uint32_t k) const {  // at k - 1, before the digits at k
    if (k == 0 || k <= done_ || !(far(k - 1) == '-' || far(k - 1) == '+')) return false;
    if (!found.empty() && found.back().end > k - 1) return false;
    if (k == 1) return true;
    const uint8_t f = far(k - 2);
    if (atoms::alnum(f) || atoms::one_of(f, "-+)]%/_.")) return false;
    const uint32_t c = cp(k - 2);
    return !(numeral(c) || in(U"年月日号时分秒点周楼层栋室章节条第）】」』”’…%‰℃", c));
  }

  // A number or a number with its unit at k (digits); where it ends, 0 if none is taken.
  uint32_t quantity(uint32_t k) {
    uint32_t e = arabic(k), s = k;
    if (takes_sign(k)) --s;
    steps += e - k + 1;
    if (rules_->on(kAtomQuantity)) {
      uint32_t u = unit(e);
      if (u == e) {  // 3-5天, 10~20kg
        if (in(U"-~～—－至到", cp(e)) && far_digit(e + 1)) {
          const uint32_t f = arabic(e + 1);
          const uint32_t v = unit(f);
          if (v > f && take_at(kAtomQuantity, k, v)) return v;
        }
        const bool money = s > 0 && s > done_ && in(atoms::kCurrencies, cp(s - 1)) &&
                           (found.empty() || found.back().end < s);
        if (money && take_at(kAtomQuantity, s - 1, e)) return e;
      } else if (take_at(kAtomQuantity, s, u)) {
        return u;
      }
    }
    if (rules_->on(kAtomNumber) && !atoms::alnum(far(e)) && take_at(kAtomNumber, s, e)) return e;
    return 0;
  }

  // Chinese numerals at k: a date, a quantity or a number.
  void han_number(uint32_t k) {
    if (k > 0 && numeral(cp(k - 1)) && done_ < k) return;
    uint32_t e;
    if (rules_->on(kAtomCalendar) && (e = calendar(k))) {
      done_ = e;
      return;
    }
    e = chinese(k);
    steps += e - k + 1;
    done_ = std::max(done_, std::min(e, k + atoms::kMostNumber));
    if (rules_->on(kAtomQuantity)) {
      const uint32_t u = unit(e);
      // a single numeral and a single character is often a word: 一度, 三角, 千里
      if (u > e && (u - e > 1 || e - k > 1) && !(e - k == 1 && multiplier(cp(k))) && take_at(kAtomQuantity, k, u)) {
        done_ = u;
        return;
      }
    }
    if (rules_->on(kAtomNumeral) && sure(k, e)) take_at(kAtomNumeral, k, e);
  }

  // Number of at most four digits, or Chinese numerals, at k: its end and value; k if there is none.
  uint32_t small(uint32_t k, uint32_t* value, uint32_t* length) const {
    uint32_t e = k, v = 0;
    if (far_digit(k)) {
      while (e - k < 5 && far_digit(e)) v = v * 10 + uint32_t(far(e++) - '0');
      *value = v;
      *length = e - k;
      return e;
    }
    static const char32_t ones[] = U"〇一二三四五六七八九";
    uint32_t tens = 0;
    bool ten = false;
    for (; e < n_ && e - k < 4; ++e) {
      uint32_t c = cp(e);
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

  // 2026年11月21日, 11月21日, 二〇二六年, 10时30分; where it ends, 0 if none is taken.
  uint32_t calendar(uint32_t k) {
    uint32_t v = 0, length = 0, e = small(k, &v, &length), day = k;
    steps += 8;
    if (e == k) return 0;
    uint32_t i = k;
    int parts = 0;
    if (cp(e) == U'年' && (length == 4 || length == 2) && (length == 2 || (v >= 1000 && v < 3000))) {
      day = i = e + 1;
      ++parts;
      e = small(i, &v, &length);
    }
    if (e > i && cp(e) == U'月' && v >= 1 && v <= 12) {
      day = i = e + 1;
      ++parts;
      e = small(i, &v, &length);
    }
    if (e > i && (cp(e) == U'日' || (cp(e) == U'号' && parts)) && v >= 1 && v <= 31) {
      day = i = e + 1;
      ++parts;
    }
    if (parts) return take_at(kAtomCalendar, k, day) ? day : 0;
    if ((cp(e) == U'时' || cp(e) == U'点') && v <= 24) {  // 10时30分
      i = e + 1;
      e = small(i, &v, &length);
      if (e == i || cp(e) != U'分' || v > 59) return 0;
      i = e + 1;
      e = small(i, &v, &length);
      if (e > i && cp(e) == U'秒' && v <= 60) i = e + 1;
      if (!take_at(kAtomCalendar, k, i)) return 0;
      found.back().kind = kKindTime;
      return i;
    }
    return 0;
  }
};

}  // namespace segmenter
