// A compiled lexicon as the kernels read it: the map of characters to ids, their classes, the trie,
// the characters of number and date rules. Lattice, taggers, atoms and user words share it and do
// not depend on each other.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compiler.hpp"
#include "lexicon/double_array.hpp"
#include "lexicon/measures.hpp"
#include "lexicon/variants.hpp"
#include "lexicon/watched.hpp"
#include "token.hpp"

namespace segmenter {

// Character classes, as in chars.py.
enum CharClass : uint8_t {
  kOther = 0,
  kDigit,
  kLatin,
  kHanNum,
  kBlank,
  kLf,
  kCr,
  kPoint,
  kColon,
  kComma,
  kPercent,
  kMinus,
  kGreek,
  kCyrillic,
  kKatakana,
  kHiragana,
  kHangul,
  kLetter,
  kExtend,
  kHan,
  kPunct,
};

// The ids of the characters in number and date rules; 0: not in this lexicon.
struct RuleIds {
  uint32_t zero;                                               // the ids of 0 … 9 are adjacent
  uint32_t nian, yue, fen_month, ri, shi, fen, di, dian, zhi;  // 年 月 份 日 时 分 第 点 之
  uint32_t numerals[18];  // 一二三四五六七八九十百千万亿零○〇两, in this order
};

// What the first step of a look-up reads of a character: the cost of its edge, shifted as in a Row,
// and the base of its children.
struct Single {
  uint32_t cost, base;
};

// Signs that are always words of their own: these of ASCII, their full-width forms, middle dots, ×
// and ÷.
struct SignBits {
  uint64_t words[2] = {};
  constexpr SignBits() {
    for (const char* sign = "|#`<>/=()[]{}\\"; *sign; ++sign)
      words[*sign >> 6] |= uint64_t(1) << (*sign & 63);
  }
};
constexpr SignBits kSigns;
inline bool is_sign(uint32_t c) {
  const uint32_t ascii = c - 0xFF01u < 0x5E ? c - 0xFEE0 : c;
  if (ascii < 0x80) return kSigns.words[ascii >> 6] >> (ascii & 63) & 1;
  return c == U'×' || c == U'÷' || c == U'·' || c == U'•' || c == U'‧' || c == U'・' || c == U'･';
}
// The mark of characters to look at in Lexicon::signed_bmp, and the bits of ids there.
constexpr uint16_t kSignChar = 0x4000;
constexpr uint32_t kSignedIds = 0x3FFF;

struct Lexicon {
  // the name of the capsule in which one extension passes it to another
  static constexpr const char* kCapsule = "segmenter.Lexicon";

  CharMap map;       // reads texts
  CharMap spelling;  // without variants: spells the words in canonical characters
  const Variants* variants = nullptr;
  Trie trie;
  const uint8_t* id_class = nullptr;  // [n_ids]
  uint32_t n_runs = 0;                // ids in [1, n_runs) are of classes that form runs
  uint32_t n_special = 0;  // ids in [n_runs, n_special) join runs: . : , % - between digits
  uint32_t max_word = 1;
  uint32_t unknown_cost = kMaxCost;
  uint32_t kind_cost[kEdgeKinds] = {};
  RuleIds rules{};
  // Whether number and date rules and runs of Latin letters apply. False, the rules of jieba:
  // single letters and digits are joined after decoding, and among equal paths the one whose FIRST
  // word is longer wins.
  bool numbers = true;
  const uint64_t* terminal = nullptr;  // one bit per slot: a word ends here
  const uint32_t* rank = nullptr;      // number of words before slot 64*k
  uint32_t n_words = 0;
  std::vector<uint16_t> signed_bmp;    // set by mark_signs()
  const uint64_t* triggers = nullptr;  // the argument of mark_signs()
  // set by prepare():
  std::vector<Single> singles;  // by id
  std::vector<uint32_t> alone;  // by id: the `label` of a Token of this character
  uint32_t n_others = 0;        // ids in [n_others, n_runs) are Chinese numerals
  uint32_t dates = 0;           // ids in [dates, dates + 8) may extend a number before them
  uint32_t masked = 0;          // id of a Han character that is in no word
  Measures measures;
  Watched watched;

  // Sets what derives from the other members, after these are set.
  void prepare() {
    singles.resize(trie.n_ids);
    for (uint32_t id = 0; id < trie.n_ids; ++id)
      singles[id] = Single{unit_cost(trie.units[id]) << 2 | 3, unit_base(trie.units[id])};
    masked = map.id(0x3FFFE);  // never assigned to a character
    measures.prepare(map, trie.n_ids);
    watched.prepare(map, trie.n_ids);
    alone.resize(trie.n_ids);
    for (uint32_t id = 0; id < trie.n_ids; ++id) {
      uint8_t c = id_class[id];
      EdgeKind kind = trie.units[id] & 1 ? kUnknown : kWord;
      if (id && id < n_special)
        kind = c == kBlank || c == kCr ? kBlankRun : c == kLf ? kLineEnd : kind;
      alone[id] = id | kind_bits(kind);
    }
    n_others = n_runs;
    while (n_others > 1 && id_class[n_others - 1] == kHanNum) --n_others;
    for (uint32_t id = 1; id < n_others; ++id)
      if (id_class[id] == kHanNum) n_others = n_runs;
    dates = rules.nian;
    if (dates == 0 || rules.fen != dates + 5 || rules.di != dates + 6 || rules.dian != dates + 7)
      n_others = n_runs;  // the ids have another order: look at every numeral
  }
  // For a tagger, whose ids leave bit 14 free: sets kSignChar in a copy of the map of the basic
  // plane on signs, on watched characters and on characters at which atoms are looked for. `atoms`:
  // one bit per character; must outlive the lexicon.
  void mark_signs(const uint64_t* atoms) {
    if (!signed_bmp.empty() || trie.n_ids > kSignedIds + 1) return;
    triggers = atoms;
    signed_bmp.assign(map.bmp, map.bmp + 0x10000);
    for (uint32_t cp = 0; cp < 0x10000; ++cp)
      if (watched.bits[signed_bmp[cp] & kSignedIds] & Watched::kTriggers || is_sign(cp) ||
          triggers[cp >> 6] >> (cp & 63) & 1)
        signed_bmp[cp] |= kSignChar;
  }
  // Reads the section `params`.
  void set_params(const uint32_t* params) {
    trie.n_ids = params[0];
    n_special = params[1];
    n_runs = params[7] ? params[7] : params[1];
    max_word = params[2];
    unknown_cost = params[3];
    n_words = params[4];
    numbers = params[5] != 0;
    std::copy_n(params + 8, kEdgeKinds, kind_cost);
    std::memcpy(&rules, params + 17, sizeof rules);
  }
  CharClass char_class(uint32_t id) const { return CharClass(id_class[id]); }
  bool is_word(uint32_t slot) const { return terminal[slot / 64] >> (slot % 64) & 1; }
  // The number of the word that ends at `slot`, in [0, n_words).
  uint32_t word_id(uint32_t slot) const {
    uint64_t words_below = terminal[slot / 64] & ((uint64_t(1) << (slot % 64)) - 1);
    return rank[slot / 64] + uint32_t(__builtin_popcountll(words_below));
  }
  // Resolves characters with several readings by the words of the trie: Variants::resolve().
  size_t resolve(const Text& text, size_t from, size_t to, uint16_t* ids,
                 const uint8_t* not_canonical) const {
    return variants->resolve(text, from, to, ids, not_canonical,
                             [&](const uint16_t* context, uint32_t n, uint32_t position) {
                               auto rank_of = [&](uint32_t slot) {
                                 return is_word(slot) ? kNoCost - unit_cost(trie.units[slot]) : 0;
                               };
                               return longest_in_trie(trie, rank_of, context, n, position);
                             });
  }
};

}  // namespace segmenter
