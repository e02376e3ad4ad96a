// Part-of-speech tags of words, decided one by one from left to right.
//
// A word is looked up in the model's own trie: its "cost" there is its class, the set of tags that
// it may have (an ambiguity class, Cutting et al. 1992). Words outside the trie get a class by the
// shape of their characters. A class with one tag needs no computation; otherwise the tag is the
// one with the largest sum of weights over features of the word, its neighbours, its characters and
// the two tags decided before it (the features of Ratnaparkhi 1996). So the time depends only on
// the length of the text.
//
// Features that see one word alone (the word itself or one of four neighbours) decide a tag if their
// margin is large enough. Their sums are kept per word (known.hpp); 19 words in 20 need no others.
//
// Blanks are skipped and do not count as neighbours. A word with a line end in it ends the
// sentence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
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

constexpr uint32_t kNoTag = 0xFF;

struct PosWord {
  // what it adds to sums by itself, if a tagger has looked it up (known.hpp)
  const int8_t* near = nullptr;  // to those of its neighbours
  const int16_t* own = nullptr;  // to its own; nullptr: look its features up
  uint32_t id = 0;               // slot in the trie; 0: not in it
  uint16_t cls = kShapeBoundary;
  uint16_t first = 0, second = 0, before_last = 0, last = 0;  // character ids
  uint8_t only = kNoTag;  // its only tag, if a tagger has looked it up; kNoTag: it has a choice
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

// Patterns 12 to 15 see which word one neighbour is, 35 to 38 its class: one before, one after, two
// before, two after.
constexpr uint32_t kPosNears = 4, kPosNearPattern = 12, kPosNearClass = 35;
constexpr int kPosNearAt[kPosNears] = {-1, 1, -2, 2};

constexpr size_t kPosFeatures = 38;  // the most that one word has

// Which features: of the word alone; of one neighbour alone; of several words or of tags, which are
// asked only where the others leave a doubt.
enum PosPart : uint32_t { kPosOwn = 1, kPosNear = 2, kPosPairs = 4, kPosTags = 8 };
constexpr uint32_t kPosFirst = kPosOwn | kPosNear, kPosSecond = kPosPairs | kPosTags;

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
    for (uint32_t i = 0; i < kPosNears; ++i) {
      put(kPosNear, kPosNearPattern + i, w[kPosNearAt[i]].id);
      put(kPosNear, kPosNearClass + i, w[kPosNearAt[i]].cls);
    }
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

struct PosModel {
  const Lexicon* lex = nullptr;
  uint32_t n_tags = 0, n_classes = 0;
  int32_t margin = 0;               // by which features of one word alone decide
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

// Working memory: the words of a text as neighbours, without blanks, with two boundaries at each
// end of a sentence. Places 0 and 1 stand for all blanks and all line ends, which are nobody's
// neighbours.
class PosScratch {
 public:
  // Room for n words; `boundary` stands at the ends of sentences.
  void begin(size_t n, const PosModel& m, const PosWord& boundary = PosWord()) {
    n_tags_ = uint8_t(m.n_tags);
    boundary_ = boundary;
    if (place_.size() < n) place_.resize(n);
    reserve(n + 8);
    for (uint16_t cls = 0; cls <= kShapeLine; ++cls) tags_[cls] = uint8_t(m.single(cls));
    n_ = n_open_ = 0;
    at_ = 2;
    add_boundary();
  }
  // The next word, and its tag if that is known already; branch-free, as which words have a choice
  // is unpredictable.
  void push(const PosWord& word, uint32_t given = kNoTag) {
    const uint32_t neighbour = word.cls > kShapeLine;
    const uint32_t tag = given == kNoTag ? word.only : given;
    place_[n_++] = neighbour ? uint32_t(at_) : word.cls;
    around_[at_] = word;
    tags_[at_] = uint8_t(tag);
    open_[n_open_] = uint32_t(at_);
    n_open_ += neighbour & uint32_t(tag == kNoTag);
    at_ += neighbour;
    if (__builtin_expect(word.cls == kShapeLine, 0)) add_boundary();
  }
  void end() { add_boundary(); }

  // Of all words in the order of the text, also blanks.
  uint8_t tag(size_t i) const { return tags_[place_[i]]; }
  size_t place(size_t i) const { return place_[i]; }
  // By place.
  const PosWord* around() const { return around_.data(); }
  uint8_t* tags() { return tags_.data(); }
  size_t places() const { return at_; }
  // Places of the words with a choice of tags.
  uint32_t* open() { return open_.data(); }
  size_t n_open() const { return n_open_; }

 private:
  void reserve(size_t n) {
    capacity_.grow(n, n, [&](size_t size) {
      around_.resize(size);
      tags_.resize(size);
      open_.resize(size);
    });
  }
  void add_boundary() {
    reserve(at_ + (place_.size() - n_) + 4);
    for (uint32_t k = 0; k < 2; ++k, ++at_) {
      around_[at_] = boundary_;
      tags_[at_] = n_tags_;
    }
  }
  Capacity capacity_;  // of around_, tags_ and open_
  std::vector<PosWord> around_;
  std::vector<uint8_t> tags_;
  std::vector<uint32_t> open_, place_;
  size_t n_ = 0, n_open_ = 0, at_ = 0;
  PosWord boundary_;
  uint8_t n_tags_ = 0;
};

}  // namespace segmenter
