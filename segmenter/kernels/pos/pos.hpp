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
#include <algorithm>
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

// The key of a feature is ((a k + b) k' + c + pattern) k'' modulo 2^64, with the brackets multiplied out: so
// the features of a word share their products.
inline uint64_t pos_key(uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t c = 0) {
  constexpr uint64_t kC = 0xD6E8FEB86659FD93u, kB = 0xC2B2AE3D27D4EB4Fu * kC, kA = 0x9E3779B97F4A7C15u * kB;
  const uint64_t h = a * kA + b * kB + c * kC + pattern * kC;
  return h ^ h >> 32;
}

constexpr size_t kPosFeatures = 34;  // at most, of one word

// The half of a key that finds a feature's weights.
inline uint32_t pos_half(uint64_t key) { return uint32_t(key >> 32); }

// Features of words can be looked up before any tag is decided, the seven others cannot.
enum class PosPart { kAll, kOfWords, kOfTags };

// Keys of the features of w[0], as `Key` takes them; w[-2] to w[2] are there.  t1 is the tag before,
// t2 the one before that.  `affixes`: the word's characters too.
template <PosPart part = PosPart::kAll, class Key>
inline size_t pos_features(const PosWord* w, uint32_t t1, uint32_t t2, bool affixes, Key* out) {
  size_t n = 0;
  const auto put = [&](uint64_t pattern, uint64_t a, uint64_t b, uint64_t c) {
    const uint64_t key = pos_key(pattern, a, b, c);
    out[n++] = sizeof(Key) == 8 ? Key(key) : Key(pos_half(key));
  };
  const auto word = [&](uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t d = 0) {
    if (part != PosPart::kOfTags) put(pattern, a, b, d);
  };
  const auto tag = [&](uint64_t pattern, uint64_t a, uint64_t b = 0, uint64_t d = 0) {
    if (part != PosPart::kOfWords) put(pattern, a, b, d);
  };
  const uint64_t c = w->cls, id = w->id, before = w[-1].id, after = w[1].id;
  const uint64_t tags = uint64_t(t1) << 8 | t2;
  word(1, c);
  tag(2, c, t1);
  tag(3, c, tags);
  tag(4, t1, w[1].cls);
  word(5, c, w[1].cls);
  word(6, c, w[1].cls, w[2].cls);
  tag(7, c, t1, w[1].cls);
  tag(8, tags);
  word(9, w[1].cls, w[2].cls);
  word(10, before, c);
  word(11, after, c);
  word(12, before);
  word(13, after);
  word(14, w[-2].id);
  word(15, w[2].id);
  word(16, w[1].last, c);
  if (id) {
    word(17, id);
    tag(18, id, t1);
    word(19, id, w[1].cls);
    word(20, id, before);
    word(21, id, after);
    word(22, id, w[-1].cls, w[1].cls);
  }
  if (affixes) {
    word(23, w->last, c);
    word(24, w->first, c);
    word(25, w->last);
    word(26, w->first);
    word(27, w->before_last, w->last);
    word(28, w->first, w->second);
    tag(29, w->last, t1);
    word(30, w->last, w[1].cls);
    word(31, w->last, w[1].last);
    word(32, w[-1].last, w->first);
    word(33, w->last, before);
    word(34, w->last, after);
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
  const uint16_t* bucket(uint32_t half) const {
    return table + size_t(uint64_t(half) * n_buckets >> 32) * kBucket;
  }
  // The number of a feature, and whether it is one.
  uint32_t find(uint32_t half, bool& found) const {
    const uint16_t* at = bucket(half);
    const uint16_t low = uint16_t(half);
#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
    const __m128i want = _mm_set1_epi16(int16_t(low)), *places = reinterpret_cast<const __m128i*>(at);
    const __m128i one = _mm_cmpeq_epi16(_mm_loadu_si128(places), want);
    const __m128i two = _mm_cmpeq_epi16(_mm_loadu_si128(places + 1), want);
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
  // Six of ten features have no weights, four of ten of the others few: nobody could foretell which, so
  // lists are made without a branch.  `hits` has room for one more than n.
  uint32_t find_all(const uint32_t* halves, size_t n, uint32_t* hits) const {
    uint32_t n_hits = 0;
    for (size_t f = 0; f < n; ++f) {
      bool found;
      hits[n_hits] = find(halves[f], found);
      n_hits += found;
    }
    return n_hits;
  }
  struct Weights {  // of one word's features
    uint32_t n_row = 0, n_block = 0;
    uint32_t row[kPosFeatures + 1], block[kPosFeatures + 1];
  };
  void part(const uint32_t* hits, uint32_t n_hits, Weights& out) const {
    uint32_t n_row = 0, n_block = 0;
    for (uint32_t h = 0; h < n_hits; ++h) {
      const uint8_t* at = blocks + size_t(hits[h]) * 8;
      std::memcpy(&out.row[n_row], at + kInBlock, 4);
      out.block[n_block] = hits[h];
      const uint32_t has_row = *at == kHasRow;
      n_row += has_row;
      n_block += 1 - has_row;
    }
    out.n_row = n_row;
    out.n_block = n_block;
  }
  // Adds weights to [lanes()] sums by tag.
  void add_up(const Weights& of, int16_t* sums) const {
    switch (lanes() / 16) {
      case 1: add_rows<1>(of.row, of.n_row, sums); break;
      case 2: add_rows<2>(of.row, of.n_row, sums); break;
      case 3: add_rows<3>(of.row, of.n_row, sums); break;
      default: add_rows<4>(of.row, of.n_row, sums);
    }
    for (uint32_t i = 0; i < of.n_block; ++i) {
      const uint8_t* at = blocks + size_t(of.block[i]) * 8;
      for (uint32_t k = 0; k < kInBlock; ++k) sums[at[k]] = int16_t(sums[at[k]] + int8_t(at[kInBlock + k]));
    }
  }
  template <int kSixteens>
  void add_rows(const uint32_t* row, uint32_t n, int16_t* sums) const {
#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
    __m128i sum[2 * kSixteens];
    __m128i* const to = reinterpret_cast<__m128i*>(sums);
#pragma GCC unroll 8
    for (int k = 0; k < 2 * kSixteens; ++k) sum[k] = _mm_loadu_si128(to + k);
    for (uint32_t r = 0; r < n; ++r) {
      const int8_t* at = rows + size_t(row[r]) * (16 * kSixteens);
#pragma GCC unroll 8
      for (int k = 0; k < 2 * kSixteens; ++k)
        sum[k] = _mm_add_epi16(sum[k], _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(at + 8 * k))));
    }
#pragma GCC unroll 8
    for (int k = 0; k < 2 * kSixteens; ++k) _mm_storeu_si128(to + k, sum[k]);
#else
    for (uint32_t r = 0; r < n; ++r)
      for (int k = 0; k < 16 * kSixteens; ++k)
        sums[k] = int16_t(sums[k] + rows[size_t(row[r]) * (16 * kSixteens) + k]);
#endif
  }
  // The tag of the largest sum among those of `mask`; of equal ones the first.
  static uint32_t best(const int16_t* sums, uint64_t mask) {
    uint32_t best = uint32_t(__builtin_ctzll(mask));
    for (mask &= mask - 1; mask; mask &= mask - 1) {
      uint32_t tag = uint32_t(__builtin_ctzll(mask));
      best = sums[tag] > sums[best] ? tag : best;
    }
    return best;
  }
};

// Decides the tags of some words, one after the other from the left.  The tables are larger than a core's own cache,
// and a look-up is three loads each of which waits for the one before: so each step is done for all the words, and
// asks for what the next step reads.  Features of the tags before are looked up for the tags that the features
// of words alone would decide; where the tag decided is another one, they are looked up again.
class PosGroup {
 public:
  static constexpr uint32_t kWords = 16;

  // Words `open` of `around`; tags[k] is that of around[k], kNoTag where it is open.
  void run(const PosModel& m, const PosWord* around, const uint32_t* open, uint32_t n, uint8_t* tags) {
    for (uint32_t i = 0; i < n; ++i) {
      const PosWord* w = around + open[i];
      ask(m, i, uint32_t(pos_features<PosPart::kOfWords>(w, 0, 0, m.affixes[w->cls], halves_[i])));
    }
    find(m, n);
    for (uint32_t i = 0; i < n; ++i) {
      std::memset(sums_[i], 0, sizeof sums_[i]);
      m.add_up(weights_[i], sums_[i]);
      tags[open[i]] = uint8_t(PosModel::best(sums_[i], m.masks[around[open[i]].cls]));
    }
    for (uint32_t i = 0; i < n; ++i) {
      const PosWord* w = around + open[i];
      t1_[i] = tags[open[i] - 1];
      t2_[i] = tags[open[i] - 2];
      ask(m, i, uint32_t(pos_features<PosPart::kOfTags>(w, t1_[i], t2_[i], m.affixes[w->cls], halves_[i])));
    }
    find(m, n);
    for (uint32_t i = 0; i < n; ++i) {
      const PosWord* w = around + open[i];
      const uint32_t t1 = tags[open[i] - 1], t2 = tags[open[i] - 2];
      if (t1 != t1_[i] || t2 != t2_[i]) {
        const size_t size = pos_features<PosPart::kOfTags>(w, t1, t2, m.affixes[w->cls], halves_[i]);
        m.part(hits_[i], m.find_all(halves_[i], size, hits_[i]), weights_[i]);
      }
      m.add_up(weights_[i], sums_[i]);
      tags[open[i]] = uint8_t(PosModel::best(sums_[i], m.masks[w->cls]));
    }
  }

 private:
  void ask(const PosModel& m, uint32_t i, uint32_t size) {
    size_[i] = size;
    for (uint32_t f = 0; f < size; ++f) __builtin_prefetch(m.bucket(halves_[i][f]));
  }
  // The weights of the features that have been asked for.
  void find(const PosModel& m, uint32_t n) {
    for (uint32_t i = 0; i < n; ++i) {
      size_[i] = m.find_all(halves_[i], size_[i], hits_[i]);
      for (uint32_t h = 0; h < size_[i]; ++h) __builtin_prefetch(m.blocks + size_t(hits_[i][h]) * 8);
    }
    for (uint32_t i = 0; i < n; ++i) {
      m.part(hits_[i], size_[i], weights_[i]);
      for (uint32_t r = 0; r < weights_[i].n_row; ++r)
        __builtin_prefetch(m.rows + size_t(weights_[i].row[r]) * m.lanes());
    }
  }

  int16_t sums_[kWords][64];  // up to kPosFeatures weights of 8 bits each
  uint32_t size_[kWords], t1_[kWords], t2_[kWords];
  uint32_t halves_[kWords][kPosFeatures], hits_[kWords][kPosFeatures + 1];
  PosModel::Weights weights_[kWords];
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
  PosGroup group;
  for (size_t j = 0; j < n_open; j += PosGroup::kWords) {
    if (j % Interrupt::kEvery == 0) Interrupt::look();
    const uint32_t size = uint32_t(std::min<size_t>(n_open - j, PosGroup::kWords));
    group.run(m, s.around.data(), &s.open[j], size, s.tags.data());
  }
  tags.resize(s.words.size());
  for (size_t i = 0; i < s.words.size(); ++i)
    if (s.words[i].cls <= kShapeLine) tags[i] = uint8_t(m.single(s.words[i].cls));
  for (size_t k = 0; k < n; ++k)
    if (s.where[k] != PosScratch::kNowhere) tags[s.where[k]] = s.tags[k];
}

}  // namespace segmenter
