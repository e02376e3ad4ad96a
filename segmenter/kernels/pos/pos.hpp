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
  // the sums of its own features, once a tagger has looked it up (known.hpp)
  const int8_t* near_sums = nullptr;  // added to those of its neighbours
  const int16_t* own_sums = nullptr;  // added to its own; nullptr: look its features up
  uint32_t id = 0;                    // slot in the trie; 0: not in it
  uint16_t cls = kShapeBoundary;
  uint16_t first = 0, second = 0, before_last = 0, last = 0;  // character ids
  uint8_t only = kNoTag;  // its only tag, once looked up; kNoTag: it may have several
};

inline uint16_t pos_shape(uint32_t classes, bool numeral_first, size_t length) {
  constexpr uint32_t kBlanks = 1u << kBlank | 1u << kCr, kExt = 1u << kExtend;
  constexpr uint32_t kMarks =
      1u << kPunct | 1u << kPoint | 1u << kColon | 1u << kComma | 1u << kPercent | 1u << kMinus;
  constexpr uint32_t kDigits = 1u << kDigit, kLetters = 1u << kLatin, kHans = 1u << kHan,
                     kNumerals = 1u << kHanNum;
  constexpr uint32_t kScripts = 1u << kGreek | 1u << kCyrillic | 1u << kKatakana | 1u << kHiragana |
                                1u << kHangul | 1u << kLetter;
  if (classes & 1u << kLf) return kShapeLine;
  if (!(classes & ~kBlanks)) return kShapeBlank;
  if (!(classes & ~(kMarks | kExt))) return kShapePunct;
  if (!(classes & ~(kMarks | kExt | 1u << kOther | kBlanks))) return kShapeSymbol;
  if (!(classes & ~(kDigits | kMarks | kExt))) return kShapeDigits;
  if (!(classes & ~(kNumerals | kExt))) return kShapeNumeral;
  if (!(classes & ~(kHans | kNumerals | kExt))) {
    if (numeral_first && length > 1) return kShapeNumeralHan;
    return length < 5 ? uint16_t(kShapeHan1 + length - 1) : uint16_t(kShapeHanMore);
  }
  if ((classes & kDigits) && !(classes & ~(kDigits | kMarks | kHans | kNumerals | kExt)))
    return kShapeDigitsHan;
  if (!(classes & ~(kLetters | kExt))) return kShapeLatin;
  if ((classes & kLetters) &&
      !(classes & ~(kLetters | kDigits | kMarks | kExt | kBlanks | 1u << kOther)))
    return kShapeLatinDigits;
  if (!(classes & ~(kScripts | kMarks | kExt | kBlanks))) return kShapeScript;
  return kShapeMixed;
}

// The fields of a word that features see; its characters have cells of 1, 2 or 4 bytes.
template <class Cell>
inline PosWord pos_word(const Lexicon& lex, const Cell* text, size_t n, uint32_t n_classes) {
  PosWord word;
  uint32_t slot = 0;
  for (size_t k = 0; k < n; ++k) {
    const uint32_t id = lex.map(text[k]) & 0x7FFF;
    if (k == 0) {
      slot = id;
      word.first = uint16_t(id);
    } else {
      if (slot) slot = lex.trie.child(slot, id);
      if (k == 1) word.second = uint16_t(id);
    }
    word.before_last = word.last;
    word.last = uint16_t(id);
  }
  if (slot && lex.is_word(slot)) {
    const uint32_t cls = unit_cost(lex.trie.units[slot]);
    if (cls < n_classes) {
      word.cls = uint16_t(cls);
      word.id = slot;
      return word;
    }
  }
  uint32_t classes = 0;
  for (size_t k = 0; k < n; ++k) classes |= 1u << lex.id_class[lex.map(text[k]) & 0x7FFF];
  word.cls = pos_shape(classes, n && lex.id_class[word.first] == kHanNum, n);
  return word;
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

// Patterns 12 to 15 see one neighbour's word, 35 to 38 its class: one before, one after, two
// before, two after.
constexpr uint32_t kPosNears = 4, kPosNearPattern = 12, kPosNearClass = 35;
constexpr int kPosNearOffsets[kPosNears] = {-1, 1, -2, 2};

constexpr size_t kPosFeatures = 38;  // the most that one word has

// Which features: of the word alone; of one neighbour alone; of several words or of tags, which
// are used only where the others leave a doubt.
enum PosPart : uint32_t { kPosOwn = 1, kPosNear = 2, kPosPairs = 4, kPosTags = 8 };
constexpr uint32_t kPosFirst = kPosOwn | kPosNear, kPosSecond = kPosPairs | kPosTags;

// Calls take(sum) with the pos_sum() of each feature of w[0] in `parts`; w[-2] to w[2] must exist.
// t1 is the preceding tag, t2 the one before it. `affixes`: include the word's characters.
template <uint32_t parts, class Take>
inline void pos_features(const PosWord* w, uint32_t t1, uint32_t t2, bool affixes, Take&& take) {
  const auto emit = [&](PosPart part, uint64_t pattern, uint64_t a, uint64_t b = 0,
                        uint64_t d = 0) {
    if (parts & part) take(pos_sum(pattern, a, b, d));
  };
  const uint64_t c = w->cls, id = w->id;
  const uint64_t tags = uint64_t(t1) << 8 | t2;
  emit(kPosOwn, 1, c);
  emit(kPosTags, 2, c, t1);
  emit(kPosTags, 3, c, tags);
  emit(kPosTags, 4, t1, w[1].cls);
  emit(kPosPairs, 5, c, w[1].cls);
  emit(kPosPairs, 6, c, w[1].cls, w[2].cls);
  emit(kPosTags, 7, c, t1, w[1].cls);
  emit(kPosTags, 8, tags);
  emit(kPosPairs, 9, w[1].cls, w[2].cls);
  emit(kPosPairs, 10, w[-1].id, c);
  emit(kPosPairs, 11, w[1].id, c);
  if (parts & kPosNear) {
    for (uint32_t i = 0; i < kPosNears; ++i) {
      emit(kPosNear, kPosNearPattern + i, w[kPosNearOffsets[i]].id);
      emit(kPosNear, kPosNearClass + i, w[kPosNearOffsets[i]].cls);
    }
  }
  emit(kPosPairs, 16, w[1].last, c);
  if (id) {
    emit(kPosOwn, 17, id);
    emit(kPosTags, 18, id, t1);
    emit(kPosPairs, 19, id, w[1].cls);
    emit(kPosPairs, 20, id, w[-1].id);
    emit(kPosPairs, 21, id, w[1].id);
    emit(kPosPairs, 22, id, w[-1].cls, w[1].cls);
  }
  if (affixes) {
    emit(kPosOwn, 23, w->last, c);
    emit(kPosOwn, 24, w->first, c);
    emit(kPosOwn, 25, w->last);
    emit(kPosOwn, 26, w->first);
    emit(kPosOwn, 27, w->before_last, w->last);
    emit(kPosOwn, 28, w->first, w->second);
    emit(kPosTags, 29, w->last, t1);
    emit(kPosPairs, 30, w->last, w[1].cls);
    emit(kPosPairs, 31, w->last, w[1].last);
    emit(kPosPairs, 32, w[-1].last, w->first);
    emit(kPosPairs, 33, w->last, w[-1].id);
    emit(kPosPairs, 34, w->last, w[1].id);
  }
}

struct PosModel {
  const Lexicon* lex = nullptr;
  uint32_t n_tags = 0, n_classes = 0;
  int32_t margin = 0;               // by which features of one word alone must decide
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
  uint32_t find(uint32_t half, bool& exists) const {
    const uint16_t* entries = bucket(half);
    const uint16_t low = uint16_t(half);
#if SEGMENTER_SSE4
    const __m128i needle = _mm_set1_epi16(int16_t(low)),
                  *places = reinterpret_cast<const __m128i*>(entries);
    const __m128i low_matches = _mm_cmpeq_epi16(_mm_loadu_si128(places), needle);
    const __m128i high_matches = _mm_cmpeq_epi16(_mm_loadu_si128(places + 1), needle);
    const uint32_t matches =
        uint32_t(_mm_movemask_epi8(_mm_packs_epi16(low_matches, high_matches))) &
        ((1u << kPlaces) - 1);
    exists = matches != 0;
    const uint32_t place = uint32_t(__builtin_ctz(matches | 1u << kPlaces));
#else
    uint32_t place = 0;
    while (place < kPlaces && entries[place] != low) ++place;
    exists = place < kPlaces;
#endif
    uint32_t first_feature;
    std::memcpy(&first_feature, entries + kPlaces, 4);
    return first_feature + place;
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
    const uint8_t* entry = block(feature);
    if (!has_row(entry)) return add_block(entry, sums);
    const int8_t* weights = row(entry);
    for (uint32_t k = 0; k < lanes(); ++k) sums[k] = Sum(sums[k] + weights[k]);
  }
};

// Working memory: the words of a text as neighbours, without blanks, with two boundaries at each
// end of a sentence. Places 0 and 1 stand for all blanks and all line ends, which are not
// neighbours of any word.
class PosScratch {
 public:
  // Makes room for n words; `boundary` is put at the ends of sentences.
  void begin(size_t n, const PosModel& m, const PosWord& boundary = PosWord()) {
    n_tags_ = uint8_t(m.n_tags);
    boundary_ = boundary;
    if (place_.size() < n) place_.resize(n);
    reserve(n + 8);
    for (uint16_t cls = 0; cls <= kShapeLine; ++cls) tags_[cls] = uint8_t(m.single(cls));
    n_ = n_undecided_ = 0;
    n_places_ = 2;
    add_boundary();
  }
  // Appends a word; `preset`: its tag if that is known already. Branch-free, because which words
  // have several tags is unpredictable.
  void push(const PosWord& word, uint32_t preset = kNoTag) {
    const uint32_t neighbour = word.cls > kShapeLine;
    const uint32_t tag = preset == kNoTag ? word.only : preset;
    place_[n_++] = neighbour ? uint32_t(n_places_) : word.cls;
    words_[n_places_] = word;
    tags_[n_places_] = uint8_t(tag);
    undecided_[n_undecided_] = uint32_t(n_places_);
    n_undecided_ += neighbour & uint32_t(tag == kNoTag);
    n_places_ += neighbour;
    if (__builtin_expect(word.cls == kShapeLine, 0)) add_boundary();
  }
  void end() { add_boundary(); }

  // By number of the word in the text, blanks included.
  uint8_t tag(size_t i) const { return tags_[place_[i]]; }
  size_t place(size_t i) const { return place_[i]; }
  // By place.
  const PosWord* words() const { return words_.data(); }
  uint8_t* tags() { return tags_.data(); }
  size_t places() const { return n_places_; }
  // Places of the words whose tag is to be decided.
  uint32_t* undecided() { return undecided_.data(); }
  size_t n_undecided() const { return n_undecided_; }

 private:
  void reserve(size_t n) {
    capacity_.grow(n, n, [&](size_t size) {
      words_.resize(size);
      tags_.resize(size);
      undecided_.resize(size);
    });
  }
  void add_boundary() {
    reserve(n_places_ + (place_.size() - n_) + 4);
    for (uint32_t k = 0; k < 2; ++k, ++n_places_) {
      words_[n_places_] = boundary_;
      tags_[n_places_] = n_tags_;
    }
  }
  Capacity capacity_;  // of around_, tags_ and open_
  std::vector<PosWord> words_;
  std::vector<uint8_t> tags_;
  std::vector<uint32_t> undecided_, place_;
  size_t n_ = 0, n_undecided_ = 0, n_places_ = 0;
  PosWord boundary_;
  uint8_t n_tags_ = 0;
};

}  // namespace segmenter
