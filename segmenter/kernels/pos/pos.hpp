// Part-of-speech tags of words, one after the other from the left.
//
// A word is looked up in a trie of the model's own: its "cost" there is its class, the set of tags
// that it may have (an ambiguity class, as Cutting et al. 1992 have it).  Words that the trie does
// not hold get a class by the shape of their characters.  Of a class with one tag nothing is
// computed; otherwise the tag is the one with the largest sum of weights over features of the word,
// its neighbours, its characters and the two tags before it, as decided (Ratnaparkhi 1996 has these
// features).  So a text costs time in its length alone.
//
// Blanks are passed over: they are nobody's neighbour.  A word with a line end in it ends the
// sentence.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "interrupt.hpp"
#include "lexicon/lexicon.hpp"
#include "map_text.hpp"

#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
#include <smmintrin.h>
#endif

namespace segmenter {

// Shapes of words outside the trie; they are the classes 0 to kShapes - 1.
enum PosShape : uint16_t {
  kShapeBlank, kShapeLine, kShapePunct, kShapeSymbol, kShapeDigits, kShapeDigitsHan, kShapeLatin,
  kShapeLatinDigits, kShapeScript, kShapeNumeral, kShapeNumeralHan, kShapeHan1, kShapeHan2,
  kShapeHan3, kShapeHan4, kShapeHanMore, kShapeMixed, kShapeBoundary, kShapes
};

struct PosWord {
  uint32_t id = 0;  // slot in the trie, 0 if the word is none of its words
  uint16_t cls = kShapeBoundary;
  uint16_t first = 0, second = 0, before_last = 0, last = 0;  // character ids
};

inline uint16_t pos_shape(uint32_t seen, bool numeral_first, size_t length) {
  constexpr uint32_t kBlanks = 1u << kBlank | 1u << kCr, kExt = 1u << kExtend;
  constexpr uint32_t kMarks = 1u << kPunct | 1u << kPoint | 1u << kColon | 1u << kComma |
                              1u << kPercent | 1u << kMinus;
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
  if ((seen & kDigits) && !(seen & ~(kDigits | kMarks | kHans | kNumerals | kExt))) return kShapeDigitsHan;
  if (!(seen & ~(kLetters | kExt))) return kShapeLatin;
  if ((seen & kLetters) && !(seen & ~(kLetters | kDigits | kMarks | kExt | kBlanks | 1u << kOther)))
    return kShapeLatinDigits;
  if (!(seen & ~(kScripts | kMarks | kExt | kBlanks))) return kShapeScript;
  return kShapeMixed;
}

// What the features see of a word, its characters in cells of 1, 2 or 4 bytes.
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

inline uint64_t pos_key(uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  uint64_t h = (a * 0x9E3779B97F4A7C15u + b) * 0xC2B2AE3D27D4EB4Fu + c;
  h = (h + pattern) * 0xD6E8FEB86659FD93u;
  return h ^ h >> 32;
}

constexpr size_t kPosFeatures = 34;  // at most, of one word

// The half of a key that finds a feature's weights.
inline uint32_t pos_half(uint64_t key) { return uint32_t(key >> 32); }

// Keys of the features of w[0], as `Key` takes them; w[-2] to w[2] are there.  t1 is the tag before,
// t2 the one before that.  `affixes`: the word's characters too.
template <class Key>
inline size_t pos_features(const PosWord* w, uint32_t t1, uint32_t t2, bool affixes, Key* out) {
  constexpr auto pos_key = [](uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
    const uint64_t key = segmenter::pos_key(pattern, a, b, c);
    return sizeof(Key) == 8 ? Key(key) : Key(pos_half(key));
  };
  size_t n = 0;
  const uint64_t c = w->cls, id = w->id, before = w[-1].id, after = w[1].id;
  const uint64_t tags = uint64_t(t1) << 8 | t2;
  out[n++] = pos_key(1, c);
  out[n++] = pos_key(2, c, t1);
  out[n++] = pos_key(3, c, tags);
  out[n++] = pos_key(4, t1, w[1].cls);
  out[n++] = pos_key(5, c, w[1].cls);
  out[n++] = pos_key(6, c, w[1].cls, w[2].cls);
  out[n++] = pos_key(7, c, t1, w[1].cls);
  out[n++] = pos_key(8, tags);
  out[n++] = pos_key(9, w[1].cls, w[2].cls);
  out[n++] = pos_key(10, before, c);
  out[n++] = pos_key(11, after, c);
  out[n++] = pos_key(12, before);
  out[n++] = pos_key(13, after);
  out[n++] = pos_key(14, w[-2].id);
  out[n++] = pos_key(15, w[2].id);
  out[n++] = pos_key(16, w[1].last, c);
  if (id) {
    out[n++] = pos_key(17, id);
    out[n++] = pos_key(18, id, t1);
    out[n++] = pos_key(19, id, w[1].cls);
    out[n++] = pos_key(20, id, before);
    out[n++] = pos_key(21, id, after);
    out[n++] = pos_key(22, id, w[-1].cls, w[1].cls);
  }
  if (affixes) {
    out[n++] = pos_key(23, w->last, c);
    out[n++] = pos_key(24, w->first, c);
    out[n++] = pos_key(25, w->last);
    out[n++] = pos_key(26, w->first);
    out[n++] = pos_key(27, w->before_last, w->last);
    out[n++] = pos_key(28, w->first, w->second);
    out[n++] = pos_key(29, w->last, t1);
    out[n++] = pos_key(30, w->last, w[1].cls);
    out[n++] = pos_key(31, w->last, w[1].last);
    out[n++] = pos_key(32, w[-1].last, w->first);
    out[n++] = pos_key(33, w->last, before);
    out[n++] = pos_key(34, w->last, after);
  }
  return n;
}

constexpr uint32_t kNoTag = 0xFF;

struct PosModel {
  const Lexicon* lex = nullptr;
  uint32_t n_tags = 0, n_classes = 0;
  const uint64_t* masks = nullptr;   // [n_classes] bit a tag that a word of the class may have
  const uint8_t* affixes = nullptr;  // [n_classes] 1: the characters are features
  // Features in buckets, so many that no bucket overflows: 16 low bits of the half key, in places
  // that are left over those of the first one again, and in the last two the number of the first
  // one.  A feature without weights is taken for one of them five times in 65,536.
  static constexpr uint32_t kPlaces = 14, kBucket = 16;
  const uint16_t* table = nullptr;  // [n_buckets][kBucket]
  uint32_t n_buckets = 0;
  // Weights of a feature: up to four tags and behind them their weights; or, marked by a first tag
  // that is none, in the last four bytes the number of its row of weights of all tags.
  static constexpr uint32_t kInBlock = 4;
  static constexpr uint8_t kHasRow = 0xFF;
  const uint8_t* blocks = nullptr;  // [n_blocks][8]
  const int8_t* rows = nullptr;     // [n_rows][lanes()]
  uint32_t n_blocks = 0, n_rows = 0;

  uint32_t lanes() const { return (n_tags + 15) / 16 * 16; }
  uint32_t single(uint32_t cls) const {  // its only tag, kNoTag where there is a choice
    const uint64_t m = masks[cls];
    return uint32_t(__builtin_ctzll(m)) | (kNoTag & (0u - uint32_t((m & (m - 1)) != 0)));
  }
  // The number of a feature, and whether it is one.
  uint32_t find(uint32_t half, bool& found) const {
    const uint16_t* at = table + size_t(uint64_t(half) * n_buckets >> 32) * kBucket;
    const uint16_t low = uint16_t(half);
#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
    const __m128i want = _mm_set1_epi16(int16_t(low)), *bucket = reinterpret_cast<const __m128i*>(at);
    const __m128i one = _mm_cmpeq_epi16(_mm_loadu_si128(bucket), want);
    const __m128i two = _mm_cmpeq_epi16(_mm_loadu_si128(bucket + 1), want);
    const uint32_t same = uint32_t(_mm_movemask_epi8(_mm_packs_epi16(one, two))) & ((1u << kPlaces) - 1);
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
  // Adds up the weights of features, [lanes()] sums by tag.  Six of ten features have none, four of
  // ten of the others few: nobody could foretell which, so lists are made without a branch.
  void add_up(const uint32_t* halves, size_t n, int16_t* sums) const {
    uint32_t hits[kPosFeatures + 1], row[kPosFeatures + 1], block[kPosFeatures + 1];
    uint32_t n_hits = 0, n_row = 0, n_block = 0;
    for (size_t f = 0; f < n; ++f) {
      bool found;
      hits[n_hits] = find(halves[f], found);
      n_hits += found;
    }
    for (uint32_t h = 0; h < n_hits; ++h) {
      const uint8_t* at = blocks + size_t(hits[h]) * 8;
      std::memcpy(&row[n_row], at + kInBlock, 4);
      block[n_block] = hits[h];
      const uint32_t has_row = *at == kHasRow;
      n_row += has_row;
      n_block += 1 - has_row;
    }
    switch (lanes() / 16) {
      case 1: add_rows<1>(row, n_row, sums); break;
      case 2: add_rows<2>(row, n_row, sums); break;
      case 3: add_rows<3>(row, n_row, sums); break;
      default: add_rows<4>(row, n_row, sums);
    }
    for (uint32_t i = 0; i < n_block; ++i) {
      const uint8_t* at = blocks + size_t(block[i]) * 8;
      for (uint32_t k = 0; k < kInBlock; ++k) sums[at[k]] = int16_t(sums[at[k]] + int8_t(at[kInBlock + k]));
    }
  }
  template <int kSixteens>
  void add_rows(const uint32_t* row, uint32_t n, int16_t* sums) const {
#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
    __m128i sum[2 * kSixteens];
#pragma GCC unroll 8
    for (int k = 0; k < 2 * kSixteens; ++k) sum[k] = _mm_setzero_si128();
    for (uint32_t r = 0; r < n; ++r) {
      const int8_t* at = rows + size_t(row[r]) * (16 * kSixteens);
#pragma GCC unroll 8
      for (int k = 0; k < 2 * kSixteens; ++k)
        sum[k] = _mm_add_epi16(sum[k], _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at + 8 * k))));
    }
#pragma GCC unroll 8
    for (int k = 0; k < 2 * kSixteens; ++k) _mm_storeu_si128(reinterpret_cast<__m128i*>(sums) + k, sum[k]);
#else
    for (int k = 0; k < 16 * kSixteens; ++k) sums[k] = 0;
    for (uint32_t r = 0; r < n; ++r)
      for (int k = 0; k < 16 * kSixteens; ++k)
        sums[k] = int16_t(sums[k] + rows[size_t(row[r]) * (16 * kSixteens) + k]);
#endif
  }
  uint32_t decide(const uint32_t* halves, size_t n, uint64_t mask) const {
    int16_t sums[64];  // up to kPosFeatures weights of 8 bits each
    add_up(halves, n, sums);
    uint32_t best = uint32_t(__builtin_ctzll(mask));
    for (mask &= mask - 1; mask; mask &= mask - 1) {
      uint32_t tag = uint32_t(__builtin_ctzll(mask));
      best = sums[tag] > sums[best] ? tag : best;
    }
    return best;
  }
};

// Calls sentence(first, last) for each stretch of words that are neighbours, as places in `around`,
// which has them without blanks, two boundaries at each end of a sentence.
struct PosScratch {
  std::vector<PosWord> words;    // as given
  std::vector<PosWord> around;   // padded, without blanks
  std::vector<uint32_t> where;   // of `around`: which word; kNowhere for boundaries
  std::vector<uint8_t> tags;     // of `around`
  std::vector<uint32_t> open;    // which of `around` have a choice of tags
  static constexpr uint32_t kNowhere = 0xFFFFFFFF;

  void clear() { words.clear(); }
  void arrange() {
    size_t lines = 0, at = 2;
    for (const PosWord& word : words) lines += word.cls == kShapeLine;
    around.resize(words.size() + 2 * lines + 4);
    where.resize(around.size());
    const auto boundary = [&](size_t k) {
      around[k] = around[k + 1] = PosWord();
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

// Tags of scratch.words; `given` has a tag or kNoTag for each word, or is empty.  A blank and a line
// end take the tag of their class.
inline void pos_tags(const PosModel& m, PosScratch& s, const std::vector<uint8_t>& given,
                     std::vector<uint8_t>& tags) {
  s.arrange();
  const size_t n = s.around.size();
  s.tags.resize(n);
  s.open.resize(n);
  // First those of which nothing is to be decided: whether a word is one of them, nobody could foretell.
  size_t n_open = 0;
  for (size_t k = 0; k < n; ++k) {
    const uint32_t i = s.where[k];
    uint32_t tag = m.n_tags;  // the boundary
    if (i != PosScratch::kNowhere) {
      tag = given.empty() ? kNoTag : given[i];
      if (tag == kNoTag) tag = m.single(s.around[k].cls);
    }
    s.tags[k] = uint8_t(tag);
    s.open[n_open] = uint32_t(k);
    n_open += tag == kNoTag;
  }
  uint32_t halves[kPosFeatures];
  for (size_t j = 0; j < n_open; ++j) {
    if (j % Interrupt::kEvery == 0) Interrupt::look();
    const uint32_t k = s.open[j];
    const PosWord* w = &s.around[k];
    const size_t found = pos_features(w, s.tags[k - 1], s.tags[k - 2], m.affixes[w->cls], halves);
    s.tags[k] = uint8_t(m.decide(halves, found, m.masks[w->cls]));
  }
  tags.resize(s.words.size());
  for (size_t i = 0; i < s.words.size(); ++i)
    if (s.words[i].cls <= kShapeLine) tags[i] = uint8_t(m.single(s.words[i].cls));
  for (size_t k = 0; k < n; ++k)
    if (s.where[k] != PosScratch::kNowhere) tags[s.where[k]] = s.tags[k];
}

}  // namespace segmenter
