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
#include <vector>

#include "lattice.hpp"

#if defined(__SSE2__) && !defined(SEGMENTER_PORTABLE)
#include <emmintrin.h>
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

// What the features see of a word.
inline PosWord pos_word(const Lexicon& lex, const void* text, int width, size_t n, uint32_t n_classes) {
  PosWord out;
  uint32_t seen = 0, slot = 0;
  bool numeral_first = false;
  for (size_t k = 0; k < n; ++k) {
    uint32_t cp = width == 1   ? static_cast<const uint8_t*>(text)[k]
                  : width == 2 ? static_cast<const uint16_t*>(text)[k]
                               : static_cast<const uint32_t*>(text)[k];
    uint32_t id = lex.map(cp) & 0x7FFF;
    uint32_t c = lex.id_class[id];
    seen |= 1u << c;
    if (k == 0) {
      slot = id;
      numeral_first = c == kHanNum;
      out.first = uint16_t(id);
    } else {
      if (slot) slot = lex.trie.child(slot, id);
      if (k == 1) out.second = uint16_t(id);
    }
    out.before_last = out.last;
    out.last = uint16_t(id);
  }
  out.cls = pos_shape(seen, numeral_first, n);
  if (slot && lex.is_word(slot)) {
    uint32_t cls = unit_cost(lex.trie.units[slot]);
    if (cls < n_classes) {
      out.cls = uint16_t(cls);
      out.id = slot;
    }
  }
  return out;
}

inline uint64_t pos_key(uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  uint64_t h = (a * 0x9E3779B97F4A7C15u + b) * 0xC2B2AE3D27D4EB4Fu + c;
  h = (h + pattern) * 0xD6E8FEB86659FD93u;
  return h ^ h >> 32;
}

constexpr size_t kPosFeatures = 34;  // at most, of one word

// Keys of the features of w[0]; w[-2] to w[2] are there.  t1 is the tag before, t2 the one before
// that.  `affixes`: the word's characters too.
inline size_t pos_features(const PosWord* w, uint32_t t1, uint32_t t2, bool affixes, uint64_t* out) {
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
  // Features in open addressing, from the place that the high half of a key tells upwards.  A cell
  // of the rows is a tag and a weight.
  const uint16_t* keys = nullptr;  // low 16 bits: one in 65,536 is taken for another; 0: empty
  const uint32_t* rows = nullptr;  // first cell << 8 | number of cells
  uint32_t places = 0;
  static constexpr uint32_t kAtOnce = 4;
  const uint8_t* cells = nullptr;  // kAtOnce of them may be read past the last one
  uint32_t n_cells = 0;

  uint32_t single(uint32_t cls) const {  // its only tag, kNoTag where there is a choice
    uint64_t m = masks[cls];
    return m & (m - 1) ? kNoTag : uint32_t(__builtin_ctzll(m));
  }
  size_t place(uint64_t key) const { return size_t((key >> 32) * places >> 32); }
  // Row of a feature, 0 if it has no weights.  Eight places at a time, and no branch on whether one
  // of the first eight is the feature's: nobody could foretell it.
  uint32_t row(uint64_t key) const {
    const uint16_t low = uint16_t(key);
    for (size_t p = place(key);;) {
#if defined(__SSE2__) && !defined(SEGMENTER_PORTABLE)
      if (p + 8 <= places) {
        const __m128i eight = _mm_loadu_si128(reinterpret_cast<const __m128i*>(keys + p));
        const __m128i empty = _mm_cmpeq_epi16(eight, _mm_setzero_si128());
        const __m128i same = _mm_cmpeq_epi16(eight, _mm_set1_epi16(int16_t(low)));
        const uint32_t ends = uint32_t(_mm_movemask_epi8(_mm_or_si128(empty, same)));
        if (ends) {
          const size_t at = p + size_t(__builtin_ctz(ends)) / 2;
          return rows[at] & (0u - uint32_t(keys[at] != 0));
        }
        p = p + 8 == places ? 0 : p + 8;
        continue;
      }
#endif
      if (!keys[p]) return 0;
      if (keys[p] == low) return rows[p];
      p = p + 1 == places ? 0 : p + 1;
    }
  }
  uint32_t decide(const uint64_t* features, size_t n, uint64_t mask) const {
    int32_t score[64] = {};
    uint32_t found[kPosFeatures];
    for (size_t f = 0; f < n; ++f) {
      found[f] = row(features[f]);
      __builtin_prefetch(cells + 2 * size_t(found[f] >> 8));
    }
    for (size_t f = 0; f < n; ++f) {
      const uint8_t* cell = cells + 2 * size_t(found[f] >> 8);
      const uint32_t size = found[f] & 0xFF;
      // most rows are no longer than this: adding noughts costs less than a wrong guess
      for (uint32_t k = 0; k < kAtOnce; ++k)
        score[cell[2 * k] & 63] += int8_t(cell[2 * k + 1]) & (0 - int32_t(k < size));
      for (uint32_t k = kAtOnce; k < size; ++k) score[cell[2 * k] & 63] += int8_t(cell[2 * k + 1]);
    }
    uint32_t best = uint32_t(__builtin_ctzll(mask));
    for (mask &= mask - 1; mask; mask &= mask - 1) {
      uint32_t tag = uint32_t(__builtin_ctzll(mask));
      if (score[tag] > score[best]) best = tag;
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
  static constexpr uint32_t kNowhere = 0xFFFFFFFF;

  void clear() { words.clear(); }
  void arrange() {
    around.assign(2, PosWord());
    where.assign(2, kNowhere);
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i].cls == kShapeBlank) continue;
      if (words[i].cls == kShapeLine) {
        around.insert(around.end(), 2, PosWord());
        where.insert(where.end(), 2, kNowhere);
      } else {
        around.push_back(words[i]);
        where.push_back(uint32_t(i));
      }
    }
    around.insert(around.end(), 2, PosWord());
    where.insert(where.end(), 2, kNowhere);
  }
};

// Tags of scratch.words; `given` has a tag or kNoTag for each word, or is empty.  A blank and a line
// end take the tag of their class.
inline void pos_tags(const PosModel& m, PosScratch& s, const std::vector<uint8_t>& given,
                     std::vector<uint8_t>& tags) {
  tags.resize(s.words.size());
  for (size_t i = 0; i < s.words.size(); ++i)
    if (s.words[i].cls <= kShapeLine) tags[i] = uint8_t(m.single(s.words[i].cls));
  s.arrange();
  uint32_t t1 = m.n_tags, t2 = m.n_tags;  // the boundary
  uint64_t features[kPosFeatures];
  for (size_t k = 2; k + 2 < s.around.size(); ++k) {
    uint32_t i = s.where[k];
    if (i == PosScratch::kNowhere) {
      t1 = t2 = m.n_tags;
      continue;
    }
    const PosWord* w = &s.around[k];
    uint32_t tag = given.empty() ? kNoTag : given[i];
    if (tag == kNoTag) tag = m.single(w->cls);
    if (tag == kNoTag) {
      size_t n = pos_features(w, t1, t2, m.affixes[w->cls], features);
      tag = m.decide(features, n, m.masks[w->cls]);
    }
    tags[i] = uint8_t(tag);
    t2 = t1;
    t1 = tag;
  }
}

}  // namespace segmenter
