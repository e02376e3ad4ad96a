// Part-of-speech tags of words, decided one by one from left to right.
//
// A word is looked up in the model's own trie: its "cost" there is its class, the set of tags that
// it may have (an ambiguity class, Cutting et al. 1992). Words outside the trie get a class by the
// shape of their characters. A class with one tag needs no computation; otherwise the tag is the
// one with the largest sum of weights over features of the word, its neighbours, its characters and
// the two tags decided before it (the features of Ratnaparkhi 1996). So the time depends only on
// the length of the text.
//
// Blanks are skipped and do not count as neighbours. A word with a line end in it ends the
// sentence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compiler.hpp"
#include "lexicon/lexicon.hpp"
#include "map_text.hpp"

namespace segmenter {

// Shapes of words outside the trie; they are the classes 0 to kShapes - 1.
enum PosShape : uint16_t {
  kShapeBlank,
  kShapeLine,
  kShapePunct,
  kShapeSymbol,
  kShapeDigits,
  kShapeDigitsHan,
  kShapeLatin,
  kShapeLatinDigits,
  kShapeScript,
  kShapeNumeral,
  kShapeNumeralHan,
  kShapeHan1,
  kShapeHan2,
  kShapeHan3,
  kShapeHan4,
  kShapeHanMore,
  kShapeMixed,
  kShapeBoundary,
  kShapes
};

struct PosSelf;  // known.hpp

struct PosWord {
  const PosSelf* self = nullptr;  // if a tagger has looked it up
  uint32_t id = 0;                // slot in the trie; 0: not in it
  uint16_t cls = kShapeBoundary;
  uint16_t first = 0, second = 0, before_last = 0, last = 0;  // character ids
};

inline uint16_t pos_shape(uint32_t seen, bool numeral_first, size_t length) {
  constexpr uint32_t kBlanks = 1u << kBlank | 1u << kCr, kExt = 1u << kExtend;
  constexpr uint32_t kMarks =
      1u << kPunct | 1u << kPoint | 1u << kColon | 1u << kComma | 1u << kPercent | 1u << kMinus;
  constexpr uint32_t kDigits = 1u << kDigit, kLetters = 1u << kLatin, kHans = 1u << kHan,
                     kNumerals = 1u << kHanNum;
  constexpr uint32_t kScripts = 1u << kGreek | 1u << kCyrillic | 1u << kKatakana | 1u << kHiragana |
                                1u << kHangul | 1u << kLetter;
  if (seen & 1u << kLf) return kShapeLine;
  if (!(seen & ~kBlanks)) return kShapeBlank;
  if (!(seen & ~(kMarks | kExt))) return kShapePunct;
  if (!(seen & ~(kMarks | kExt | 1u << kOther | kBlanks))) return kShapeSymbol;
  if (!(seen & ~(kDigits | kMarks | kExt))) return kShapeDigits;
  if (!(seen & ~(kNumerals | kExt))) return kShapeNumeral;
  if (!(seen & ~(kHans | kNumerals | kExt))) {
    if (numeral_first && length > 1) return kShapeNumeralHan;
    return length < 5 ? uint16_t(kShapeHan1 + length - 1) : uint16_t(kShapeHanMore);
  }
  if ((seen & kDigits) && !(seen & ~(kDigits | kMarks | kHans | kNumerals | kExt)))
    return kShapeDigitsHan;
  if (!(seen & ~(kLetters | kExt))) return kShapeLatin;
  if ((seen & kLetters) && !(seen & ~(kLetters | kDigits | kMarks | kExt | kBlanks | 1u << kOther)))
    return kShapeLatinDigits;
  if (!(seen & ~(kScripts | kMarks | kExt | kBlanks))) return kShapeScript;
  return kShapeMixed;
}

// What the features know of a word, whose characters have cells of 1, 2 or 4 bytes.
template <class Cell>
inline PosWord pos_word(const Lexicon& lex, const Cell* text, size_t n, uint32_t n_classes) {
  PosWord out;
  uint32_t slot = 0;
  for (size_t k = 0; k < n; ++k) {
    const uint32_t id = lex.map(text[k]) & 0x7FFF;
    if (k == 0) {
      slot = id;
      out.first = uint16_t(id);
    } else {
      if (slot) slot = lex.trie.child(slot, id);
      if (k == 1) out.second = uint16_t(id);
    }
    out.before_last = out.last;
    out.last = uint16_t(id);
  }
  if (slot && lex.is_word(slot)) {
    const uint32_t cls = unit_cost(lex.trie.units[slot]);
    if (cls < n_classes) {
      out.cls = uint16_t(cls);
      out.id = slot;
      return out;
    }
  }
  uint32_t seen = 0;
  for (size_t k = 0; k < n; ++k) seen |= 1u << lex.id_class[lex.map(text[k]) & 0x7FFF];
  out.cls = pos_shape(seen, n && lex.id_class[out.first] == kHanNum, n);
  return out;
}

inline PosWord pos_word(const Lexicon& lex, const Text& text, uint32_t n_classes) {
  return text.cells([&](const auto* cells) { return pos_word(lex, cells, text.n, n_classes); });
}

// The key of a feature is ((a k + b) k' + c + pattern) k'' modulo 2^64, its upper half added to the
// lower one; expanded, so that the features of a word share their products.
inline uint64_t pos_sum(uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  constexpr uint64_t kC = 0xD6E8FEB86659FD93u, kB = 0xC2B2AE3D27D4EB4Fu * kC,
                     kA = 0x9E3779B97F4A7C15u * kB;
  return a * kA + b * kB + c * kC + pattern * kC;
}
inline uint64_t pos_key(uint64_t sum) { return sum ^ sum >> 32; }
// The half of a key that finds a feature's weights.
inline uint32_t pos_half(uint64_t sum) { return uint32_t(sum >> 32); }

// Patterns 12 to 15 see one neighbour only: one before, one after, two before, two after.
constexpr uint32_t kPosNears = 4, kPosNearPattern = 12;
constexpr int kPosNearAt[kPosNears] = {-1, 1, -2, 2};

constexpr size_t kPosFeatures = 34;  // the most that one word has

// Which features: of the word alone; of one neighbour alone; of several words; of tags. Only the
// last must wait until the preceding tags are decided.
enum PosPart : uint32_t { kPosOwn = 1, kPosNear = 2, kPosPairs = 4, kPosTags = 8, kPosAll = 15 };

// Calls take(sum) with the pos_sum() of each feature of w[0] in some parts; w[-2] to w[2] must
// exist. t1 is the preceding tag, t2 the one before it. `affixes`: the word's characters too.
template <uint32_t parts, class Take>
inline void pos_features(const PosWord* w, uint32_t t1, uint32_t t2, bool affixes, Take&& take) {
  const auto put = [&](PosPart part, uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t d = 0) {
    if (parts & part) take(pos_sum(pattern, a, b, d));
  };
  const uint64_t c = w->cls, id = w->id;
  const uint64_t tags = uint64_t(t1) << 8 | t2;
  put(kPosOwn, 1, c);
  put(kPosTags, 2, c, t1);
  put(kPosTags, 3, c, tags);
  put(kPosTags, 4, t1, w[1].cls);
  put(kPosPairs, 5, c, w[1].cls);
  put(kPosPairs, 6, c, w[1].cls, w[2].cls);
  put(kPosTags, 7, c, t1, w[1].cls);
  put(kPosTags, 8, tags);
  put(kPosPairs, 9, w[1].cls, w[2].cls);
  put(kPosPairs, 10, w[-1].id, c);
  put(kPosPairs, 11, w[1].id, c);
  if (parts & kPosNear) {
    for (uint32_t i = 0; i < kPosNears; ++i)
      put(kPosNear, kPosNearPattern + i, w[kPosNearAt[i]].id);
  }
  put(kPosPairs, 16, w[1].last, c);
  if (id) {
    put(kPosOwn, 17, id);
    put(kPosTags, 18, id, t1);
    put(kPosPairs, 19, id, w[1].cls);
    put(kPosPairs, 20, id, w[-1].id);
    put(kPosPairs, 21, id, w[1].id);
    put(kPosPairs, 22, id, w[-1].cls, w[1].cls);
  }
  if (affixes) {
    put(kPosOwn, 23, w->last, c);
    put(kPosOwn, 24, w->first, c);
    put(kPosOwn, 25, w->last);
    put(kPosOwn, 26, w->first);
    put(kPosOwn, 27, w->before_last, w->last);
    put(kPosOwn, 28, w->first, w->second);
    put(kPosTags, 29, w->last, t1);
    put(kPosPairs, 30, w->last, w[1].cls);
    put(kPosPairs, 31, w->last, w[1].last);
    put(kPosPairs, 32, w[-1].last, w->first);
    put(kPosPairs, 33, w->last, w[-1].id);
    put(kPosPairs, 34, w->last, w[1].id);
  }
}

constexpr uint32_t kNoTag = 0xFF;

struct PosModel {
  const Lexicon* lex = nullptr;
  uint32_t n_tags = 0, n_classes = 0;
  const uint64_t* masks = nullptr;  // [n_classes] one bit per tag that a word of the class may have
  const uint8_t* affixes = nullptr;  // [n_classes] 1: the characters are features
  // Features in buckets, so many that none overflows: 16 low bits of the half key (free places
  // repeat those of the first), and in the last two places the number of the first. A feature
  // without weights is mistaken for one of them five times in 65,536.
  static constexpr uint32_t kPlaces = 14, kBucket = 16;
  const uint16_t* table = nullptr;  // [n_buckets][kBucket]
  uint32_t n_buckets = 0;
  // Weights of a feature: up to four tags followed by their weights; or, marked by an impossible
  // first tag, in the last four bytes the number of its row of weights of all tags.
  static constexpr uint32_t kInBlock = 4;
  static constexpr uint8_t kHasRow = 0xFF;
  const uint8_t* blocks = nullptr;  // [n_blocks][8]
  const int8_t* rows = nullptr;     // [n_rows][lanes()]
  uint32_t n_blocks = 0, n_rows = 0;

  uint32_t lanes() const { return (n_tags + 15) / 16 * 16; }
  uint32_t single(uint32_t cls) const {  // its only tag; kNoTag if there is a choice
    const uint64_t m = masks[cls];
    return uint32_t(__builtin_ctzll(m)) | (kNoTag & (0u - uint32_t((m & (m - 1)) != 0)));
  }
  const uint16_t* bucket(uint32_t half) const {
    return table + size_t(uint64_t(half) * n_buckets >> 32) * kBucket;
  }
  // The number of a feature, and whether it exists.
  uint32_t find(uint32_t half, bool& found) const {
    const uint16_t* at = bucket(half);
    const uint16_t low = uint16_t(half);
#if SEGMENTER_SSE4
    const __m128i want = _mm_set1_epi16(int16_t(low)),
                  *places = reinterpret_cast<const __m128i*>(at);
    const __m128i one = _mm_cmpeq_epi16(_mm_loadu_si128(places), want);
    const __m128i two = _mm_cmpeq_epi16(_mm_loadu_si128(places + 1), want);
    const uint32_t same =
        uint32_t(_mm_movemask_epi8(_mm_packs_epi16(one, two))) & ((1u << kPlaces) - 1);
    found = same != 0;
    const uint32_t place = uint32_t(__builtin_ctz(same | 1u << kPlaces));
#else
    uint32_t place = 0;
    while (place < kPlaces && at[place] != low) ++place;
    found = place < kPlaces;
#endif
    uint32_t first;
    std::memcpy(&first, at + kPlaces, 4);
    return first + place;
  }
  const uint8_t* block(uint32_t feature) const { return blocks + size_t(feature) * 8; }
  static bool has_row(const uint8_t* block) { return *block == kHasRow; }
  const int8_t* row(const uint8_t* block) const {
    uint32_t number;
    std::memcpy(&number, block + kInBlock, 4);
    return rows + size_t(number) * lanes();
  }
  // Adds the weights of a feature without a row.
  template <class Sum>
  static void add_block(const uint8_t* block, Sum* sums) {
    for (uint32_t k = 0; k < kInBlock; ++k)
      sums[block[k]] = Sum(sums[block[k]] + int8_t(block[kInBlock + k]));
  }
  // Adds the weights of a feature to [lanes()] sums by tag.
  template <class Sum>
  void add(uint32_t feature, Sum* sums) const {
    const uint8_t* at = block(feature);
    if (!has_row(at)) return add_block(at, sums);
    const int8_t* weights = row(at);
    for (uint32_t k = 0; k < lanes(); ++k) sums[k] = Sum(sums[k] + weights[k]);
  }
};

// Working memory: words of a text as given, and as neighbours: without blanks, with two boundaries
// at each end of a sentence.
struct PosScratch {
  std::vector<PosWord> words;   // as given
  std::vector<PosWord> around;  // padded, without blanks
  std::vector<uint32_t> where;  // of `around`: which word; kNowhere for boundaries
  std::vector<uint8_t> tags;    // of `around`
  std::vector<uint32_t> open;   // which of `around` have a choice of tags
  static constexpr uint32_t kNowhere = 0xFFFFFFFF;

  void clear() { words.clear(); }
  void arrange(const PosSelf* boundary_self = nullptr) {
    size_t lines = 0, at = 2;
    for (const PosWord& word : words) lines += word.cls == kShapeLine;
    around.resize(words.size() + 2 * lines + 4);
    where.resize(around.size());
    const auto boundary = [&](size_t k) {
      around[k] = around[k + 1] = PosWord();
      around[k].self = around[k + 1].self = boundary_self;
      where[k] = where[k + 1] = kNowhere;
    };
    boundary(0);
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].cls == kShapeLine) {
        boundary(at);
        at += 2;
        continue;
      }
      around[at] = words[i];
      where[at] = uint32_t(i);
      at += words[i].cls != kShapeBlank;
    }
    boundary(at);
    around.resize(at + 2);
    where.resize(at + 2);
  }
};

}  // namespace segmenter
