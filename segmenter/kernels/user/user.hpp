// The user's words: found in the raw text before it is decoded, and what then becomes of them.
//
// A dictionary is one or two layers of entries (the later one holds what was added since and shadows
// the first).  A layer is a column of texts and, for each way of folding that its entries ask for,
// one field:
//
//     filter   a Bloom filter, one bit a pair, of the pairs of characters that entries begin with:
//              most of a running text ends here, at one load a character
//     threes   the same of the entries of two characters and of what the longer ones begin with:
//              of the rest nearly all ends here
//     heads    an open-addressing table: pair of characters -> the lengths of the entries that begin
//              with it (bit L-2 for L of 2 to 22, bit 21 for longer ones)
//     words    an open-addressing table: hash of the whole text -> entry; the text decides
//     stems    of entries longer than 22: hash of the first 22 characters -> their lengths
//
// Hashes of substrings are polynomials modulo 2^64, taken on the fly for short lengths and from
// prefix sums for long ones (Karp & Rabin 1987), so that a position costs as many probes as there
// are lengths, whatever the lengths.
//
// What was found is sorted out by level: `force` and `prefer` become spans that no decoder cuts or
// crosses (of overlapping ones force, then the longest, then the leftmost wins), `weight` becomes edges of the
// lattice, `delete` takes edges of the lexicon away.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "atoms/atoms.hpp"
#include "lattice/lattice.hpp"

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__) && !defined(SEGMENTER_PORTABLE)
#define SEGMENTER_USER_BMI2 1
#define SEGMENTER_USER_INLINE inline __attribute__((always_inline))
#else
#define SEGMENTER_USER_BMI2 0
#define SEGMENTER_USER_INLINE inline
#endif

namespace segmenter {

enum UserLevel : uint8_t { kForce = 0, kPrefer = 1, kWeighted = 2, kDelete = 3, kNoEntry = 7 };
// Flags of an entry: level in bits 0-2, then these, then the field in bits 5-6.
constexpr uint8_t kUserInside = 8;  // may begin or end inside a run of letters and digits
constexpr uint8_t kUserParts = 16;  // is cut into parts
constexpr uint32_t kUserFields = 4;  // bit 0: width and case folded; bit 1: script folded
inline UserLevel user_level(uint8_t flags) { return UserLevel(flags & 7); }
inline uint32_t user_field(uint8_t flags) { return flags >> 5 & 3; }

constexpr uint32_t kNoChar = 0x1FFFFF;       // beside a single character: no code point
constexpr uint32_t kShortest = 2, kStem = 22;  // lengths with a bit of their own in a head
constexpr uint32_t kHeadLong = 1u << 21;
constexpr uint32_t kMaxEntries = (1u << 24) - 1;
constexpr uint32_t kNoWord = ~uint32_t(0);

namespace user {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15u;  // odd: of the polynomial
constexpr uint64_t kEmptyHead = ~uint64_t(0);

inline uint64_t mix(uint64_t h) {  // the finalizer of MurmurHash3
  h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
  h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
  return h ^ h >> 33;
}
inline uint64_t next(uint64_t h, uint32_t c) { return h * kBase + c + 1; }
inline uint64_t key_of(uint64_t h, uint32_t length) { return mix(h + length * 0xD1B54A32D192ED03u); }
inline uint64_t pair(uint32_t first, uint32_t second) { return first | uint64_t(second) << 21; }
// Two characters of the basic plane are one load of four bytes of a text.
inline uint32_t two(uint32_t first, uint32_t second) { return first ^ second << 16; }
inline uint32_t filter_hash(uint32_t two) { return two * 0x9E3779B1u; }
// third: kNoChar for an entry of two characters.
inline uint32_t three_hash(uint32_t first, uint32_t second, uint32_t third) {
  return (filter_hash(two(first, second)) ^ third * 0xC2B2AE3Du) * 0x27D4EB2Fu;
}
inline size_t head_home(uint64_t pair, uint32_t shift) { return size_t(pair * 0xD6E8FEB86659FD93u >> shift); }

}  // namespace user

// A fold of code points: a table for the basic plane, pairs (from, to) for the rest.
struct FoldTable {
  const uint16_t* bmp = nullptr;  // null: nothing folds
  const uint32_t* astral = nullptr;
  size_t n_astral = 0;

  uint32_t operator()(uint32_t c) const {
    if (!bmp) return c;
    if (c < 0x10000) return bmp[c];
    size_t lo = 0, hi = n_astral;
    while (lo < hi) {
      size_t mid = (lo + hi) / 2;
      if (astral[2 * mid] < c) lo = mid + 1;
      else hi = mid;
    }
    return lo < n_astral && astral[2 * lo] == c ? astral[2 * lo + 1] : c;
  }
};

struct UserField {
  const uint32_t* filter = nullptr;
  const uint32_t* threes = nullptr;
  const uint64_t* heads = nullptr;
  const uint32_t* words = nullptr;
  const uint64_t* stems = nullptr;     // keys; 0: empty
  const uint32_t* stem_of = nullptr;   // a place of stems: first and count of its lengths
  const uint32_t* lengths = nullptr;   // ascending within a stem
  uint32_t filter_shift = 32, three_shift = 32, head_shift = 64, word_shift = 64;
  size_t head_mask = 0, word_mask = 0, stem_mask = 0, n_lengths = 0;
  bool singles = false;  // entries of one character among them
  bool there = false;
};

// One layer as it lies in memory or in a mapped file.
struct UserLayer {
  uint32_t n = 0;
  int width = 2;                      // bytes a character of `text`: 2 or 4
  const void* text = nullptr;         // of all entries, one after another
  const uint32_t* offsets = nullptr;  // [n+1]
  const uint8_t* flags = nullptr;     // [n]
  const int32_t* logs = nullptr;      // [n] -ln weight in cost units, or null where no entry has one
  const double* weights = nullptr;    // [n] or null
  const uint32_t* part_ids = nullptr; // entries with parts, ascending
  const uint32_t* part_first = nullptr;
  const uint32_t* parts = nullptr;    // inner cuts, offsets within the entry
  size_t n_parts = 0;
  const uint32_t* dead = nullptr;     // entries that a later layer shadows, ascending
  size_t n_dead = 0;
  bool line_ends = false;             // some entry holds one
  UserField field[kUserFields];

  uint32_t length(uint32_t id) const { return offsets[id + 1] - offsets[id]; }
  uint32_t at(uint32_t id, uint32_t k) const {
    size_t i = size_t(offsets[id]) + k;
    return width == 2 ? static_cast<const uint16_t*>(text)[i] : static_cast<const uint32_t*>(text)[i];
  }
  bool is_dead(uint32_t id) const { return n_dead && std::binary_search(dead, dead + n_dead, id); }
  // The inner cuts of an entry; an empty range where it has none.
  std::pair<const uint32_t*, const uint32_t*> cuts(uint32_t id) const {
    const uint32_t* it = std::lower_bound(part_ids, part_ids + n_parts, id);
    if (it == part_ids + n_parts || *it != id) return {nullptr, nullptr};
    size_t i = size_t(it - part_ids);
    return {parts + part_first[i], parts + part_first[i + 1]};
  }

  // Entry of that text (given folded as field f folds); kNoWord if there is none.
  template <class At>
  uint32_t find(uint32_t f, const FoldTable& fold, uint32_t length, const At& at) const {
    const UserField& in = field[f];
    if (!in.there || !length) return kNoWord;
    uint64_t h = 0;
    for (uint32_t k = 0; k < length; ++k) h = user::next(h, at(k));
    return probe(in, fold, user::key_of(h, length), length, at);
  }
  template <class At>
  uint32_t probe(const UserField& in, const FoldTable& fold, uint64_t key, uint32_t length, const At& at) const {
    for (size_t slot = size_t(key >> in.word_shift);; slot = (slot + 1) & in.word_mask) {
      uint32_t w = in.words[slot];
      if (w == kNoWord) return kNoWord;
      if (w >> 24 != uint32_t(key & 0xFF)) continue;
      uint32_t id = w & 0xFFFFFF, k = 0;
      if (this->length(id) != length) continue;
      while (k < length && fold(this->at(id, k)) == at(k)) ++k;
      if (k == length) return id;
    }
  }

  // What an entry does to boundaries, as a number; sums of these identify a dictionary's content.
  void identity(uint32_t id, uint64_t out[2]) const {
    uint64_t h = 0;
    for (uint32_t k = 0; k < length(id); ++k) h = user::next(h, at(id, k));
    uint64_t weight = 0;
    if (weights && user_level(flags[id]) == kWeighted) std::memcpy(&weight, weights + id, 8);
    auto inner = cuts(id);
    for (const uint32_t* p = inner.first; p != inner.second; ++p) weight = user::next(weight, *p);
    h = user::mix(h + length(id)) ^ user::mix(weight + flags[id] * user::kBase);
    out[0] = user::mix(h);
    out[1] = user::mix(h ^ 0xA0761D6478BD642Fu);
  }
};

struct UserDictionary {
  std::vector<UserLayer> layers;
  FoldTable fold[kUserFields];
  int32_t log_mass = 0;  // ln of the lexicon's total count, in cost units
  double gain = 0;       // of a tagger: units of its score that a nat is worth
};

// --- compiling a layer ---------------------------------------------------------------------------

struct UserTables {  // of one field
  std::vector<uint32_t> filter, threes, words, stem_of, lengths;
  std::vector<uint64_t> heads, stems;
  bool singles = false;
};

// Tables of the entries of field f.  Of entries that fold to the same text the last one stays.
inline void build_user_field(const UserLayer& layer, uint32_t f, const FoldTable& fold, UserTables& out) {
  struct Stem {
    uint64_t key;
    uint32_t length;
    bool operator<(const Stem& o) const { return key != o.key ? key < o.key : length < o.length; }
  };
  auto power = [](size_t n) {
    size_t p = 16;
    while (p < n) p *= 2;
    return p;
  };
  auto shift_of = [](size_t n) {
    uint32_t s = 64;
    for (; n > 1; n /= 2) --s;
    return s;
  };
  if (layer.n > kMaxEntries) throw std::length_error("more entries than a dictionary holds (16,777,215)");
  size_t live = 0;
  for (uint32_t id = 0; id < layer.n; ++id)
    live += user_level(layer.flags[id]) != kNoEntry && user_field(layer.flags[id]) == f;
  if (!live) return;
  struct Head {
    uint64_t pair;
    uint32_t lengths;
    bool operator<(const Head& o) const { return pair < o.pair; }
  };
  std::vector<Head> heads;
  std::vector<Stem> stems;
  heads.reserve(live);
  out.threes.assign(power(std::max<size_t>(live * 8, 1024)) / 32, 0);
  const uint32_t three_shift = shift_of(out.threes.size() * 32) - 32;
  out.words.assign(power(live + live / 2), kNoWord);
  UserField self;
  self.words = out.words.data();
  self.word_mask = out.words.size() - 1;
  self.word_shift = shift_of(out.words.size());
  for (uint32_t id = 0; id < layer.n; ++id) {
    if (user_level(layer.flags[id]) == kNoEntry || user_field(layer.flags[id]) != f) continue;
    uint32_t length = layer.length(id);
    if (!length) throw std::invalid_argument("an empty entry");
    auto at = [&](uint32_t k) { return fold(layer.at(id, k)); };
    uint64_t h = 0, stem = 0;
    for (uint32_t k = 0; k < length; ++k) {
      h = user::next(h, at(k));
      if (k + 1 == kStem) stem = h;
    }
    uint64_t key = user::key_of(h, length);
    size_t slot = size_t(key >> self.word_shift);
    uint32_t entry = uint32_t(key & 0xFF) << 24 | id;
    for (;; slot = (slot + 1) & self.word_mask) {
      uint32_t w = out.words[slot];
      if (w == kNoWord) break;
      if (w >> 24 != entry >> 24) continue;
      uint32_t other = w & 0xFFFFFF, k = 0;
      if (layer.length(other) != length) continue;
      while (k < length && fold(layer.at(other, k)) == at(k)) ++k;
      if (k == length) break;
    }
    out.words[slot] = entry;
    out.singles |= length == 1;
    uint32_t bit = length == 1 ? 1u : length <= kStem ? 1u << (length - kShortest) : kHeadLong;
    heads.push_back(Head{user::pair(at(0), length == 1 ? kNoChar : at(1)), bit});
    if (length > 1) {
      uint32_t hash = user::three_hash(at(0), at(1), length > 2 ? at(2) : kNoChar) >> three_shift;
      out.threes[hash >> 5] |= 1u << (hash & 31);
    }
    if (length > kStem) stems.push_back(Stem{user::mix(stem) | 1, length});
  }
  std::sort(heads.begin(), heads.end());
  size_t n = 0;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (n && heads[n - 1].pair == heads[i].pair) heads[n - 1].lengths |= heads[i].lengths;
    else heads[n++] = heads[i];
  }
  heads.resize(n);
  out.heads.assign(power(n + n / 2), user::kEmptyHead);
  out.filter.assign(power(std::max<size_t>(n * 8, 1024)) / 32, 0);  // 8 to 16 bits a pair
  uint32_t head_shift = shift_of(out.heads.size()), filter_shift = shift_of(out.filter.size() * 32) - 32;
  for (const Head& head : heads) {
    size_t slot = user::head_home(head.pair, head_shift);
    while (out.heads[slot] != user::kEmptyHead) slot = (slot + 1) & (out.heads.size() - 1);
    out.heads[slot] = head.pair << 22 | head.lengths;
    uint32_t two = user::two(uint32_t(head.pair & kNoChar), uint32_t(head.pair >> 21));
    uint32_t bit = user::filter_hash(two) >> filter_shift;
    out.filter[bit >> 5] |= 1u << (bit & 31);
  }
  std::sort(stems.begin(), stems.end());
  stems.erase(std::unique(stems.begin(), stems.end(),
                          [](const Stem& a, const Stem& b) { return a.key == b.key && a.length == b.length; }),
              stems.end());
  if (stems.empty()) return;
  size_t distinct = 0;
  for (size_t i = 0; i < stems.size(); ++i) distinct += !i || stems[i].key != stems[i - 1].key;
  out.stems.assign(power(distinct + distinct / 2), 0);
  out.stem_of.assign(2 * out.stems.size(), 0);
  for (size_t i = 0; i < stems.size();) {
    size_t first = out.lengths.size();
    uint64_t key = stems[i].key;
    for (; i < stems.size() && stems[i].key == key; ++i) out.lengths.push_back(stems[i].length);
    size_t slot = size_t(key >> 20) & (out.stems.size() - 1);
    while (out.stems[slot]) slot = (slot + 1) & (out.stems.size() - 1);
    out.stems[slot] = key;
    out.stem_of[2 * slot] = uint32_t(first);
    out.stem_of[2 * slot + 1] = uint32_t(out.lengths.size() - first);
  }
}

// Points a field at tables; false where their sizes cannot be.
inline bool attach_user_field(UserField& f, const uint32_t* filter, size_t n_filter, const uint32_t* threes,
                              size_t n_threes, const uint64_t* heads, size_t n_heads, const uint32_t* words, size_t n_words, const uint64_t* stems,
                              size_t n_stems, const uint32_t* stem_of, size_t n_stem_of,
                              const uint32_t* lengths, size_t n_lengths) {
  auto power = [](size_t n) { return n && !(n & (n - 1)); };
  if (!power(n_filter) || n_filter > (size_t(1) << 27) || !power(n_threes) || n_threes > (size_t(1) << 27) ||
      !power(n_heads) || n_heads < 2 || !power(n_words) ||
      n_words < 2 || (n_stems && !power(n_stems)) || n_stem_of != 2 * n_stems)
    return false;
  auto shift_of = [](size_t n) {
    uint32_t s = 64;
    for (; n > 1; n /= 2) --s;
    return s;
  };
  f.filter = filter;
  f.filter_shift = shift_of(n_filter * 32) - 32;
  f.threes = threes;
  f.three_shift = shift_of(n_threes * 32) - 32;
  f.heads = heads;
  f.head_mask = n_heads - 1;
  f.head_shift = shift_of(n_heads);
  f.words = words;
  f.word_mask = n_words - 1;
  f.word_shift = shift_of(n_words);
  f.stems = n_stems ? stems : nullptr;
  f.stem_mask = n_stems ? n_stems - 1 : 0;
  f.stem_of = stem_of;
  f.lengths = lengths;
  f.n_lengths = n_lengths;
  f.there = true;
  return true;
}

// Whether a layer that was mapped from a file can be used: no probe without an end, nothing beyond its
// columns.  (That the bytes are those that were written, their checksums say.)
inline bool sound(const UserLayer& layer) {
  for (uint32_t id = 0; id < layer.n; ++id)
    if (layer.offsets[id] >= layer.offsets[id + 1] || (user_level(layer.flags[id]) == kWeighted && !layer.logs))
      return false;
  for (size_t i = 0; i < layer.n_parts; ++i) {
    uint32_t id = layer.part_ids[i], first = layer.part_first[i], last = layer.part_first[i + 1], at = 0;
    if (id >= layer.n || (i && id <= layer.part_ids[i - 1]) || first > last || last > layer.part_first[layer.n_parts])
      return false;
    for (uint32_t k = first; k < last; ++k) {
      if (layer.parts[k] <= at || layer.parts[k] >= layer.length(id)) return false;
      at = layer.parts[k];
    }
  }
  for (const UserField& f : layer.field) {
    if (!f.there) continue;
    bool words_end = false, heads_end = false, stems_end = !f.stems;
    for (size_t i = 0; i <= f.word_mask; ++i) {
      words_end |= f.words[i] == kNoWord;
      if (f.words[i] != kNoWord && (f.words[i] & 0xFFFFFF) >= layer.n) return false;
    }
    for (size_t i = 0; i <= f.head_mask && !heads_end; ++i) heads_end = f.heads[i] == user::kEmptyHead;
    for (size_t i = 0; f.stems && i <= f.stem_mask; ++i) {
      stems_end |= !f.stems[i];
      if (uint64_t(f.stem_of[2 * i]) + f.stem_of[2 * i + 1] > f.n_lengths) return false;
    }
    for (size_t i = 0; i < f.n_lengths; ++i)
      if (f.lengths[i] <= kStem) return false;
    if (!words_end || !heads_end || !stems_end) return false;
  }
  return true;
}

// Entry of a text, given as it was written; kNoWord if there is none.
inline uint32_t user_find(const UserLayer& layer, uint32_t f, const FoldTable& fold, const void* text, int width,
                          size_t n) {
  return layer.find(f, fold, uint32_t(n), [&](uint32_t k) {
    return fold(width == 1   ? static_cast<const uint8_t*>(text)[k]
                : width == 2 ? static_cast<const uint16_t*>(text)[k]
                             : static_cast<const uint32_t*>(text)[k]);
  });
}

// --- finding -------------------------------------------------------------------------------------

class UserFinder {
 public:
  UserEdits edits;
  uint64_t steps = 0;

  const std::vector<AtomFound>* atoms = nullptr;  // of the same text: preferred words part no cluster of these

  // Every live entry of force and prefer that stands in the text and may apply, by start.
  const std::vector<UserMatch>& fixed() const { return fixed_; }

  // Fills `edits`; false where no entry stands in the text.  `by_lines`: nothing may take in a line
  // end.  `tagged`: weighted entries that hold blanks, which a tagger cannot score, are preferred.
  bool find(const UserDictionary& dict, const Lexicon& lex, const void* text, int width, size_t n,
            bool by_lines, bool tagged) {
    dict_ = &dict;
    lex_ = &lex;
    text_ = text;
    width_ = width;
    n_ = uint32_t(n);
    by_lines_ = by_lines;
    tagged_ = tagged;
    any_ = false;
    fixed_.clear();
    for (const UserLayer& layer : dict.layers)
      for (uint32_t f = 0; f < kUserFields; ++f)
        if (layer.field[f].there) {
          layer_ = &layer;
          layer_number_ = uint32_t(&layer - dict.layers.data());
          if (f == 0) {
            if (width == 1) look(f, static_cast<const uint8_t*>(text));
            else if (width == 2) look(f, static_cast<const uint16_t*>(text));
            else look(f, static_cast<const uint32_t*>(text));
          } else {
            fold_text(f);
            look(f, static_cast<const uint32_t*>(folded_.data()));
          }
        }
    folded_as_ = 0;
    if (!any_) return false;
    settle();
    return true;
  }

  // No words of the user stand in the text.
  void forget() {
    edits.clear();
    fixed_.clear();
  }

  // Puts the atoms that no word of the user's touches among the spans; the finder keeps these alone.
  void add_atoms(AtomFinder& finder, std::vector<UserMatch>& scratch) {
    std::vector<AtomFound>& all = finder.found;
    std::vector<UserMatch>& spans = edits.spans;
    size_t m = 0, at = 0;
    for (const AtomFound& a : all) {
      while (at < spans.size() && spans[at].end <= a.start) ++at;
      if (at == spans.size() || spans[at].start >= a.end) all[m++] = a;
    }
    all.resize(m);
    if (all.empty()) return;
    scratch.clear();
    at = 0;
    for (const AtomFound& a : all) {
      while (at < spans.size() && spans[at].start < a.start) scratch.push_back(spans[at++]);
      finder.pieces(a, scratch);
    }
    scratch.insert(scratch.end(), spans.begin() + std::ptrdiff_t(at), spans.end());
    spans.swap(scratch);
    settle_edges();
  }

 private:
  static constexpr size_t kBlockOfText = 1024;
  const UserDictionary* dict_ = nullptr;
  const UserLayer* layer_ = nullptr;
  const Lexicon* lex_ = nullptr;
  const void* text_ = nullptr;
  int width_ = 1;
  uint32_t n_ = 0, layer_number_ = 0, folded_as_ = 0;
  bool by_lines_ = false, tagged_ = false, any_ = false;
  std::vector<uint32_t> folded_;
  std::vector<uint64_t> sums_, powers_;
  const void* sums_of_ = nullptr;
  std::vector<UserMatch> fixed_;
  std::vector<uint32_t> order_, sorted_, count_, winner_, before_;
  std::vector<uint8_t> taken_;
  uint32_t list_[kBlockOfText + 1];
  uint64_t found_[kBlockOfText + 1];

  uint32_t cp(uint32_t k) const {
    return width_ == 1   ? static_cast<const uint8_t*>(text_)[k]
           : width_ == 2 ? static_cast<const uint16_t*>(text_)[k]
                         : static_cast<const uint32_t*>(text_)[k];
  }
  CharClass cls(uint32_t k) const { return lex_->char_class(lex_->map(cp(k)) & 0x7FFF); }

  void fold_text(uint32_t f) {
    if (folded_as_ == f) return;
    folded_as_ = f;
    if (folded_.size() < n_) folded_.resize(n_);
    const FoldTable& fold = dict_->fold[f];
    for (uint32_t k = 0; k < n_; ++k) folded_[k] = fold(cp(k));
    steps += n_;
  }

  // Many steps of the scan are shifts by numbers that only the field knows: one operation each with BMI2
  // (Intel since 2013, AMD since 2015), three without.  10 k words of which none stands in the text: 1.15
  // instead of 1.21 times the time without them where other work shares the core; no gain where none does.
  template <class Char>
  void look(uint32_t f, const Char* t) {
#if SEGMENTER_USER_BMI2
    static const bool bmi2 = __builtin_cpu_supports("bmi2");
    if (bmi2) return look_bmi2(f, t);
#endif
    scan(f, t);
  }
#if SEGMENTER_USER_BMI2
  template <class Char>
  __attribute__((target("bmi2"))) void look_bmi2(uint32_t f, const Char* t) {
    scan(f, t);
  }
#endif

  template <class Char>
  SEGMENTER_USER_INLINE void scan(uint32_t f, const Char* t) {
    const UserField& field = layer_->field[f];
    sums_of_ = nullptr;
    for (size_t from = 0; from < n_; from += kBlockOfText) {
      size_t to = std::min<size_t>(n_, from + kBlockOfText);
      size_t m = field.singles ? sift<Char, true>(field, t, from, to)
                               : sift_again(field, t, sift<Char, false>(field, t, from, to));
      if (!m) continue;
      for (size_t i = 0; i < m; ++i) {
        uint32_t k = list_[i];
        found_[i] = user::pair(t[k], k + 1 < n_ ? uint32_t(t[k + 1]) : kNoChar);
        __builtin_prefetch(field.heads + user::head_home(found_[i], field.head_shift));
      }
      for (size_t i = 0; i < m; ++i) {
        if (field.singles) {
          uint32_t k = list_[i];
          if (head(field, user::pair(t[k], kNoChar))) probe(f, field, t, k, 1, user::next(0, t[k]));
          if (k + 1 >= n_) continue;
        }
        uint32_t lengths = head(field, found_[i]);
        if (lengths) walk(f, field, t, list_[i], lengths);
      }
      steps += m;
    }
    steps += n_;
  }

  template <class Char>
  static uint32_t two_at(const Char* t) {
#if SEGMENTER_LITTLE_ENDIAN
    if (sizeof(Char) == 2) {
      uint32_t two;
      std::memcpy(&two, t, 4);
      return two;
    }
#endif
    return user::two(t[0], t[1]);
  }

  // Positions of [from, to) whose pair may begin an entry.
  template <class Char, bool singles>
  SEGMENTER_USER_INLINE size_t sift(const UserField& field, const Char* t, size_t from, size_t to) {
    const uint32_t* __restrict filter = field.filter;
    const uint32_t shift = field.filter_shift;
    uint32_t* __restrict list = list_;
    size_t m = 0, k = from, stop = std::min<size_t>(to, n_ - 1);
    auto passes = [&](uint32_t two) {
      uint32_t h = user::filter_hash(two) >> shift;
      return filter[h >> 5] >> (h & 31) & 1;
    };
#if defined(__GNUC__)
#pragma GCC unroll 8
#endif
    for (; k < stop; ++k) {
      list[m] = uint32_t(k);
      uint32_t on = passes(two_at(t + k));
      if (singles) on |= passes(user::two(t[k], kNoChar));
      m += on;
    }
    if (singles && k < to) {  // the last character has no second
      list[m] = uint32_t(k);
      m += passes(user::two(t[k], kNoChar));
    }
    return m;
  }

  // Of the list those whose three characters may begin an entry.
  template <class Char>
  SEGMENTER_USER_INLINE size_t sift_again(const UserField& field, const Char* t, size_t n) {
    const uint32_t* __restrict threes = field.threes;
    const uint32_t shift = field.three_shift;
    uint32_t* __restrict list = list_;
    auto passes = [&](uint32_t h) { return threes[h >> shift >> 5] >> (h >> shift & 31) & 1; };
    size_t m = 0;
    for (size_t i = 0; i < n; ++i) {
      uint32_t k = list[i], first = t[k], second = t[k + 1];
      uint32_t third = k + 2 < n_ ? uint32_t(t[k + 2]) : kNoChar;
      list[m] = k;
      m += passes(user::three_hash(first, second, kNoChar)) | passes(user::three_hash(first, second, third));
    }
    steps += n;
    return m;
  }

  static uint32_t head(const UserField& field, uint64_t pair) {
    for (size_t slot = user::head_home(pair, field.head_shift);; slot = (slot + 1) & field.head_mask) {
      uint64_t h = field.heads[slot];
      if (h >> 22 == pair) return uint32_t(h) & 0x3FFFFF;
      if (h == user::kEmptyHead) return 0;
    }
  }

  // Entries of two characters and more that begin at k.
  template <class Char>
  void walk(uint32_t f, const UserField& field, const Char* t, uint32_t k, uint32_t lengths) {
    uint64_t h = user::next(0, t[k]);
    uint32_t left = n_ - k;
    for (uint32_t length = kShortest, bits = lengths & (kHeadLong - 1); bits; ++length, bits >>= 1) {
      if (length > left) return;
      h = user::next(h, t[k + length - 1]);
      if (bits & 1) probe(f, field, t, k, length, h);
    }
    if (!(lengths & kHeadLong) || left <= kStem || !field.stems) return;
    sum_up(t);
    uint64_t key = user::mix(hash_of(k, kStem)) | 1;
    for (size_t slot = size_t(key >> 20) & field.stem_mask;; slot = (slot + 1) & field.stem_mask) {
      if (!field.stems[slot]) return;
      if (field.stems[slot] != key) continue;
      uint32_t first = field.stem_of[2 * slot], count = field.stem_of[2 * slot + 1];
      for (uint32_t i = first; i < first + count && field.lengths[i] <= left; ++i) {
        probe(f, field, t, k, field.lengths[i], hash_of(k, field.lengths[i]));
      }
      return;
    }
  }

  // Prefix sums of the text, for substrings of any length.
  template <class Char>
  void sum_up(const Char* t) {
    if (sums_of_ == t) return;
    sums_of_ = t;
    if (sums_.size() <= n_) {
      sums_.resize(size_t(n_) + 1);
      powers_.resize(size_t(n_) + 1);
    }
    sums_[0] = 0;
    powers_[0] = 1;
    for (uint32_t k = 0; k < n_; ++k) {
      sums_[k + 1] = user::next(sums_[k], t[k]);
      powers_[k + 1] = powers_[k] * user::kBase;
    }
    steps += n_;
  }
  uint64_t hash_of(uint32_t k, uint32_t length) const { return sums_[k + length] - sums_[k] * powers_[length]; }

  template <class Char>
  void probe(uint32_t f, const UserField& field, const Char* t, uint32_t k, uint32_t length, uint64_t h) {
    uint32_t id = layer_->probe(field, dict_->fold[f], user::key_of(h, length), length,
                                [&](uint32_t i) { return uint32_t(t[k + i]); });
    ++steps;
    if (id != kNoWord) take(id, k, k + length);
  }

  // An entry stands at [s, e): does it apply?
  void take(uint32_t id, uint32_t s, uint32_t e) {
    uint8_t flags = layer_->flags[id];
    UserLevel level = user_level(flags);
    if (layer_->is_dead(id)) return;
    if (by_lines_ && layer_->line_ends && takes_line_end(s, e)) return;
    if (!any_) {
      any_ = true;
      edits.clear();
      fixed_.clear();
    }
    if (level == kDelete) {
      edits.cuts.push_back(UserEdge{s, e, 0, 0});
      return;
    }
    if (!(flags & kUserInside) && inside_run(s, e)) return;
    if (level == kWeighted && tagged_ && has_blank(s, e)) level = kPrefer;
    uint32_t what = kNotCanonical | (kUserWord + layer_number_) << 24 | id;
    if (level == kWeighted) {
      edits.edges.push_back(UserEdge{s, e, tagged_ ? gain(id) : cost(id), what});
      return;
    }
    if (level == kPrefer && breaks_cluster(s, e)) return;
    fixed_.push_back(UserMatch{s, e, what, level});
  }

  uint32_t cost(uint32_t id) const {
    int64_t c = int64_t(dict_->log_mass) + layer_->logs[id];
    return uint32_t(std::min<int64_t>(std::max<int64_t>(c, 0), kMaxCost));
  }
  uint32_t gain(uint32_t id) const {
    double nats = 1.0 - double(layer_->logs[id]) / 2048.0;  // 1 + ln weight
    double units = nats * dict_->gain;
    return uint32_t(std::lround(std::min(std::max(units, 0.0), 1e6)));
  }

  bool takes_line_end(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k)
      if (cp(k) == '\n') return true;
    return cp(e - 1) == '\r' && e < n_ && cp(e) == '\n';
  }
  bool has_blank(uint32_t s, uint32_t e) const {
    for (uint32_t k = s; k < e; ++k) {
      CharClass c = cls(k);
      if (c == kBlank || c == kLf || c == kCr) return true;
    }
    return false;
  }

  static bool one_run(CharClass a, CharClass b) {
    auto alnum = [](CharClass c) { return c == kDigit || c == kLatin; };
    return (alnum(a) && alnum(b)) || (a == b && (a == kGreek || a == kCyrillic));
  }
  static bool joins_digits(CharClass c) { return c == kPoint || c == kColon || c == kComma; }
  // Whether one of its ends lies within a word of letters and digits, or within a number.
  bool inside_run(uint32_t s, uint32_t e) const {
    auto may_run = [](CharClass c) { return c == kDigit || c == kLatin || c == kGreek || c == kCyrillic; };
    CharClass first = cls(s), last = e - s > 1 ? cls(e - 1) : first;
    if (s > 0 && may_run(first)) {
      CharClass before = cls(s - 1);
      if (one_run(before, first)) return true;
      if (first == kDigit && joins_digits(before) && s > 1 && cls(s - 2) == kDigit) return true;
    }
    if (e < n_ && may_run(last)) {
      CharClass after = cls(e);
      if (one_run(last, after)) return true;
      if (last == kDigit && joins_digits(after) && e + 1 < n_ && cls(e + 1) == kDigit) return true;
    }
    return false;
  }
  bool breaks_cluster(uint32_t s, uint32_t e) const {
    auto parted = [&](uint32_t k) {  // a boundary before k would part a character from its marks
      if (cls(k) == kExtend) return cls(k - 1) != kLf && cls(k - 1) != kCr;
      return cp(k - 1) == 0x200D && cls(k) != kBlank;
    };
    return (s > 0 && parted(s)) || (e < n_ && parted(e)) || parts_atom(s) || parts_atom(e);
  }

  // Whether a boundary before k would part one of the clusters that were found.
  bool parts_atom(uint32_t k) const {
    if (!atoms) return false;
    auto after = std::upper_bound(atoms->begin(), atoms->end(), k,
                                  [](uint32_t at, const AtomFound& a) { return at < a.end; });
    return after != atoms->end() && after->name == kAtomEmoji && after->start < k;
  }

  // --- which of them win -------------------------------------------------------------------------

  void settle() {
    auto by_start = [](const auto& a, const auto& b) { return a.start < b.start; };
    if (!std::is_sorted(fixed_.begin(), fixed_.end(), by_start))
      std::stable_sort(fixed_.begin(), fixed_.end(), by_start);
    for (size_t i = 0; i < fixed_.size();) {
      size_t j = i + 1;
      uint32_t end = fixed_[i].end;
      for (; j < fixed_.size() && fixed_[j].start < end; ++j) end = std::max(end, fixed_[j].end);
      if (j == i + 1) edits.spans.push_back(fixed_[i]);
      else choose(i, j, end);
      i = j;
    }
    settle_edges();
    auto by_span = [](const UserEdge& a, const UserEdge& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    };
    if (!std::is_sorted(edits.cuts.begin(), edits.cuts.end(), by_span))
      std::stable_sort(edits.cuts.begin(), edits.cuts.end(), by_span);
  }

  // Of the matches [i, j), which form one chain of overlaps ending at `end`: force before prefer,
  // then the longest, then the leftmost.
  void choose(size_t i, size_t j, uint32_t end) {
    uint32_t base = fixed_[i].start, size = end - base;
    taken_.assign(size, 0);
    winner_.assign(size, kNoWord);
    before_.assign(size + 1, 0);
    for (int level = kForce; level <= kPrefer; ++level) {
      order_.clear();
      for (size_t k = i; k < j; ++k)
        if (fixed_[k].level == level) order_.push_back(uint32_t(k));
      if (order_.empty()) continue;
      by_length();
      for (uint32_t k : order_) {
        uint32_t s = fixed_[k].start - base, e = fixed_[k].end - base;
        // what this level took is no shorter than this, so it covers an end if it overlaps at all
        if (taken_[s] || taken_[e - 1] || before_[e] != before_[s]) continue;
        std::fill(taken_.begin() + s, taken_.begin() + e, uint8_t(1));
        winner_[s] = k;
      }
      if (level == kForce)
        for (uint32_t k = 0; k < size; ++k) before_[k + 1] = before_[k] + taken_[k];
      steps += order_.size();
    }
    for (uint32_t k = 0; k < size; ++k)
      if (winner_[k] != kNoWord) edits.spans.push_back(fixed_[winner_[k]]);
    steps += size;
  }

  // Sorts order_, longest first, otherwise as it was.
  void by_length() {
    auto length = [&](uint32_t k) { return fixed_[k].end - fixed_[k].start; };
    if (order_.size() <= 64) {
      std::stable_sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return length(a) > length(b); });
      return;
    }
    uint32_t most = 0;
    for (uint32_t k : order_) most = std::max(most, length(k));
    count_.assign(most + 2, 0);
    for (uint32_t k : order_) ++count_[most - length(k) + 1];
    for (uint32_t l = 0; l <= most; ++l) count_[l + 1] += count_[l];
    sorted_.resize(order_.size());
    for (uint32_t k : order_) sorted_[count_[most - length(k)]++] = k;
    order_.swap(sorted_);
  }

  // Weighted words by start and end, those that a span rules out left out, one a span of characters.
  void settle_edges() {
    std::vector<UserEdge>& edges = edits.edges;
    if (edges.empty()) return;
    auto by_span = [](const UserEdge& a, const UserEdge& b) {
      return a.start != b.start ? a.start < b.start : a.end < b.end;
    };
    if (!std::is_sorted(edges.begin(), edges.end(), by_span))
      std::stable_sort(edges.begin(), edges.end(), by_span);
    size_t m = 0, at = 0;
    for (const UserEdge& e : edges) {
      while (at < edits.spans.size() && edits.spans[at].end <= e.start) ++at;
      if (at < edits.spans.size() && edits.spans[at].start < e.end) continue;
      if (m && edges[m - 1].start == e.start && edges[m - 1].end == e.end) continue;
      edges[m++] = e;
      edits.reach = std::max(edits.reach, e.end - e.start);
    }
    edges.resize(m);
  }
};

}  // namespace segmenter
