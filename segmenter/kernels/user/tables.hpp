// The user's words: tables to find them in raw text before it is decoded.
//
// A dictionary is one or two layers of entries; the second has the entries that were added later, and
// shadows the first. A layer is a column of texts and one field for each way of folding that its entries
// use:
//
//     filter   a Bloom filter of the pairs of characters that entries begin with, one bit per pair:
//     most of a text ends here, at one load per character
//     threes   a Bloom filter of entries of two characters and of the first three of longer ones:
//     nearly all the rest ends here
//     heads    an open-addressing table: pair of characters -> the lengths of the entries that
//     begin with it (bit L-2 for L of 2 to 22, bit 21 for longer ones)
//     words    an open-addressing table: hash of the whole text -> entry; the text decides
//     stems    of entries longer than 22: hash of the first 22 characters -> their lengths
//
// Entries of one and two characters, which are most of the matches of a dictionary of common words, are
// found without hashes of their text: see ShortWords.
//
// Hashes of substrings are polynomials modulo 2^64, computed on the fly for short lengths and from
// prefix sums for long ones (Karp & Rabin 1987), so a position costs one probe per length, however
// long the words are.
//
// Levels decide what a found entry does: `force` and `prefer` become spans that no decoder cuts or
// crosses (of overlapping ones force wins, then the longest, then the leftmost), `weight` becomes
// an edge of the lattice, `delete` removes an edge of the lexicon.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lexicon/lexicon.hpp"
#include "map_text.hpp"
#include "token.hpp"
#include "probe.hpp"
#include "spans/edits.hpp"

namespace segmenter {

enum UserLevel : uint8_t { kForce = 0, kPrefer = 1, kWeighted = 2, kDelete = 3, kNoEntry = 7 };
// Flags of an entry: level in bits 0-2, then these, then the field in bits 5-6.
constexpr uint8_t kUserInside = 8;   // may begin or end inside a run of letters and digits
constexpr uint8_t kUserParts = 16;   // is cut into parts
constexpr uint32_t kUserFields = 4;  // bit 0: width and case folded; bit 1: script folded
inline UserLevel user_level(uint8_t flags) { return UserLevel(flags & 7); }
inline uint32_t user_field(uint8_t flags) { return flags >> 5 & 3; }

constexpr uint32_t kNoChar = 0x1FFFFF;         // second of a single character: not a code point
constexpr uint32_t kShortest = 2, kStem = 22;  // lengths with a bit of their own in a head
constexpr uint32_t kHeadLong = 1u << 21;
constexpr uint32_t kMaxEntries = (1u << 24) - 1;
constexpr uint32_t kNoWord = ~uint32_t(0);

namespace user {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15u;  // of the polynomial; odd
constexpr uint64_t kEmptyHead = ~uint64_t(0);

inline uint64_t mix(uint64_t h) {  // the finalizer of MurmurHash3
  h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
  h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
  return h ^ h >> 33;
}
inline uint64_t next(uint64_t h, uint32_t c) { return h * kBase + c + 1; }
inline uint64_t key_of(uint64_t h, uint32_t length) {
  return mix(h + length * 0xD1B54A32D192ED03u);
}
inline uint64_t pair(uint32_t first, uint32_t second) { return first | uint64_t(second) << 21; }
// Two characters of the basic plane are one load of four bytes of a text.
inline uint32_t two(uint32_t first, uint32_t second) { return first ^ second << 16; }
inline uint32_t filter_hash(uint32_t two) { return two * 0x9E3779B1u; }
// third: kNoChar for an entry of two characters.
inline uint32_t three_hash(uint32_t first, uint32_t second, uint32_t third) {
  return (filter_hash(two(first, second)) ^ third * 0xC2B2AE3Du) * 0x27D4EB2Fu;
}
inline size_t head_home(uint64_t pair, uint32_t shift) {
  return size_t(pair * 0xD6E8FEB86659FD93u >> shift);
}

}  // namespace user

// A fold of code points: a table for the basic plane, pairs for the rest.
struct FoldTable {
  struct Pair {
    uint32_t from, to;
  };
  const uint16_t* bmp = nullptr;  // null: nothing folds
  const Pair* astral = nullptr;   // by `from`
  size_t n_astral = 0;

  uint32_t operator()(uint32_t c) const {
    if (!bmp) return c;
    if (c < 0x10000) return bmp[c];
    const Pair* const end = astral + n_astral;
    const Pair* const at = std::lower_bound(
        astral, end, c, [](const Pair& pair, uint32_t cp) { return pair.from < cp; });
    return at != end && at->from == c ? at->to : c;
  }
};

// What a text asks for most, entries of one and two characters, beside the tables of a field: never in
// a file, since it follows from them.
struct ShortWords {
  // Flags (8 bits) and number (24 bits) of an entry; kNoWord: none.
  std::vector<uint32_t> pairs;  // by place in `heads`: the entry of two characters
  std::vector<uint32_t> chars;  // pages of 256 characters of the basic plane
  uint16_t page[256] = {};      // which of them; 0 has no entries
  bool most_pairs = false;      // most pairs that begin an entry are one

  uint32_t of(uint32_t c) const { return chars[page[c >> 8] * size_t(256) + (c & 255)]; }
};

struct UserField {
  std::shared_ptr<const ShortWords> shorts;  // see index_user()
  const uint32_t* filter = nullptr;
  const uint32_t* threes = nullptr;
  const uint64_t* heads = nullptr;
  const uint32_t* words = nullptr;
  const uint64_t* stems = nullptr;    // keys; 0: empty
  const uint32_t* stem_of = nullptr;  // for each place in stems: first and count of its lengths
  const uint32_t* lengths = nullptr;  // ascending within a stem
  uint32_t filter_shift = 32, three_shift = 32, head_shift = 64, word_shift = 64;
  size_t head_mask = 0, word_mask = 0, stem_mask = 0, n_lengths = 0;
  bool singles = false;  // some entries have one character
  bool there = false;

  // Points the field at tables; false if their sizes are impossible.
  bool attach(const Cells<uint32_t>& filter_, const Cells<uint32_t>& threes_,
              const Cells<uint64_t>& heads_, const Cells<uint32_t>& words_,
              const Cells<uint64_t>& stems_, const Cells<uint32_t>& stem_of_,
              const Cells<uint32_t>& lengths_) {
    auto power = [](std::ptrdiff_t n) { return n && !(n & (n - 1)); };
    constexpr std::ptrdiff_t kMostBits = std::ptrdiff_t(1) << 27;
    if (!power(filter_.n) || filter_.n > kMostBits || !power(threes_.n) || threes_.n > kMostBits ||
        !power(heads_.n) || heads_.n < 2 || !power(words_.n) || words_.n < 2 ||
        (stems_.n && !power(stems_.n)) || stem_of_.n != 2 * stems_.n)
      return false;
    filter = filter_.data;
    filter_shift = shift_of(size_t(filter_.n) * 32) - 32;
    threes = threes_.data;
    three_shift = shift_of(size_t(threes_.n) * 32) - 32;
    heads = heads_.data;
    head_mask = size_t(heads_.n) - 1;
    head_shift = shift_of(size_t(heads_.n));
    words = words_.data;
    word_mask = size_t(words_.n) - 1;
    word_shift = shift_of(size_t(words_.n));
    stems = stems_.n ? stems_.data : nullptr;
    stem_mask = stems_.n ? size_t(stems_.n) - 1 : 0;
    stem_of = stem_of_.data;
    lengths = lengths_.data;
    n_lengths = size_t(lengths_.n);
    there = true;
    return true;
  }
};

// One layer as it lies in memory or in a mapped file.
struct UserLayer {
  uint32_t n = 0;
  int width = 2;                       // bytes per character of `text`: 2 or 4
  const void* text = nullptr;          // of all entries, one after another
  const uint32_t* offsets = nullptr;   // [n+1]
  const uint8_t* flags = nullptr;      // [n]
  const int32_t* logs = nullptr;       // [n] -ln weight in cost units; null if no entry has one
  const double* weights = nullptr;     // [n] or null
  const uint32_t* part_ids = nullptr;  // entries with parts, ascending
  const uint32_t* part_first = nullptr;
  const uint32_t* parts = nullptr;  // cuts inside entries, offsets within the entry
  size_t n_parts = 0;
  const uint32_t* dead = nullptr;  // entries that a later layer shadows, ascending
  size_t n_dead = 0;
  bool line_ends = false;  // some entry contains one
  UserField field[kUserFields];

  uint32_t length(uint32_t id) const { return offsets[id + 1] - offsets[id]; }
  uint32_t at(uint32_t id, uint32_t k) const {
    size_t i = size_t(offsets[id]) + k;
    return width == 2 ? static_cast<const uint16_t*>(text)[i]
                      : static_cast<const uint32_t*>(text)[i];
  }
  bool is_dead(uint32_t id) const { return n_dead && std::binary_search(dead, dead + n_dead, id); }
  // The cuts inside an entry; an empty range if there are none.
  std::pair<const uint32_t*, const uint32_t*> cuts(uint32_t id) const {
    const uint32_t* it = std::lower_bound(part_ids, part_ids + n_parts, id);
    if (it == part_ids + n_parts || *it != id) return {nullptr, nullptr};
    size_t i = size_t(it - part_ids);
    return {parts + part_first[i], parts + part_first[i + 1]};
  }

  // The entry of field f with this text or one that folds to the same; kNoWord if there is none.
  uint32_t find(uint32_t f, const FoldTable& fold, const Text& text) const {
    const auto length = uint32_t(text.n);
    if (!field[f].there || !length) return kNoWord;
    auto at = [&](uint32_t k) { return fold(text[k]); };
    uint64_t h = 0;
    for (uint32_t k = 0; k < length; ++k) h = user::next(h, at(k));
    return look_up(field[f], fold, user::key_of(h, length), length, at);
  }
  template <class At>
  uint32_t look_up(const UserField& in, const FoldTable& fold, uint64_t key, uint32_t length,
                   const At& at) const {
    const uint32_t w = in.words[place(in, fold, key, length, at)];
    return w == kNoWord ? kNoWord : w & 0xFFFFFF;
  }
  // The place of this text in the field's words, or a free one for it.
  template <class At>
  size_t place(const UserField& in, const FoldTable& fold, uint64_t key, uint32_t length,
               const At& at) const {
    return probe(size_t(key >> in.word_shift), in.word_mask, [&](size_t slot) {
      const uint32_t w = in.words[slot], id = w & 0xFFFFFF;
      return w == kNoWord || (w >> 24 == uint32_t(key & 0xFF) && is(id, fold, length, at));
    });
  }
  // Whether an entry's text is this one or folds to it.
  template <class At>
  bool is(uint32_t id, const FoldTable& fold, uint32_t length, const At& at) const {
    if (this->length(id) != length) return false;
    uint32_t k = 0;
    while (k < length && fold(this->at(id, k)) == at(k)) ++k;
    return k == length;
  }
  void prefetch(uint32_t id) const {  // its text
    __builtin_prefetch(static_cast<const char*>(text) + size_t(offsets[id]) * size_t(width));
  }

  // What an entry does to boundaries, as a number; the sum over its entries identifies a
  // dictionary.
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

// The place of a pair in a field's heads, or a free one for it.
inline size_t head_place(const UserField& field, uint64_t pair) {
  return probe(user::head_home(pair, field.head_shift), field.head_mask, [&](size_t slot) {
    return field.heads[slot] >> 22 == pair || field.heads[slot] == user::kEmptyHead;
  });
}

// Completes a layer whose tables are known to be safe: after this, texts can be searched.
inline void index_user(const FoldTable* folds, UserLayer& layer) {
  for (uint32_t f = 0; f < kUserFields; ++f) {
    UserField& field = layer.field[f];
    if (!field.there) continue;
    auto shorts = std::make_shared<ShortWords>();
    shorts->pairs.assign(field.head_mask + 1, kNoWord);
    shorts->chars.assign(256, kNoWord);
    size_t pairs = 0, words = 0;
    for (size_t slot = 0; slot <= field.head_mask; ++slot) {
      const uint64_t head = field.heads[slot];
      if (head == user::kEmptyHead || head >> 43 == kNoChar) continue;
      ++pairs;
      words += head & 1;
    }
    shorts->most_pairs = 2 * words > pairs;
    for (uint32_t id = 0; id < layer.n; ++id) {
      const uint8_t flags = layer.flags[id];
      const uint32_t length = layer.length(id);
      if (length > 2 || user_level(flags) == kNoEntry || user_field(flags) != f) continue;
      const uint32_t first = folds[f](layer.at(id, 0)), word = uint32_t(flags) << 24 | id;
      if (length == 2) {
        shorts->pairs[head_place(field, user::pair(first, folds[f](layer.at(id, 1))))] = word;
      } else if (first < 0x10000) {
        uint16_t& page = shorts->page[first >> 8];
        if (!page) {
          page = uint16_t(shorts->chars.size() / 256);
          shorts->chars.resize(shorts->chars.size() + 256, kNoWord);
        }
        shorts->chars[page * size_t(256) + (first & 255)] = word;
      }
    }
    field.shorts = std::move(shorts);
  }
}

struct UserDictionary {
  std::vector<UserLayer> layers;
  FoldTable fold[kUserFields];
  int32_t log_mass = 0;  // ln of the lexicon's total count, in cost units
  double gain = 0;       // taggers: units of score per nat
};

// Calls each(end) for the tokens of a span: one, unless the user's entry has parts.
template <class Each>
void each_part(const UserDictionary* dict, const UserMatch& m, Each&& each) {
  if (uint32_t(token_kind(m.what)) >= kUserWord) {
    auto inner = dict->layers[uint32_t(token_kind(m.what)) - kUserWord].cuts(token_slot(m.what));
    for (const uint32_t* p = inner.first; p != inner.second; ++p) each(m.start + *p);
  }
  each(m.end);
}

// --- compiling a layer ---------------------------------------------------------------------------

struct UserTables {  // of one field
  std::vector<uint32_t> filter, threes, words, stem_of, lengths;
  std::vector<uint64_t> heads, stems;
  bool singles = false;
};

// Builds the tables of the entries of field f. Of entries that fold to the same text the last one
// stays.
inline void build_user_field(const UserLayer& layer, uint32_t f, const FoldTable& fold,
                             UserTables& out) {
  if (layer.n > kMaxEntries)
    throw std::length_error("more entries than a dictionary holds (16,777,215)");
  size_t live = 0;
  for (uint32_t id = 0; id < layer.n; ++id)
    live += user_level(layer.flags[id]) != kNoEntry && user_field(layer.flags[id]) == f;
  if (!live) return;
  std::vector<std::pair<uint64_t, uint32_t>> heads,
      stems;  // pairs with lengths' bits; keys with lengths
  heads.reserve(live);
  auto set_bit = [](std::vector<uint32_t>& bits, uint32_t at) { bits[at >> 5] |= 1u << (at & 31); };
  out.threes.assign(power_of_two(std::max<size_t>(live * 8, 1024)) / 32, 0);
  const uint32_t three_shift = shift_of(out.threes.size() * 32) - 32;
  out.words.assign(power_of_two(live + live / 2), kNoWord);
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
    out.words[layer.place(self, fold, key, length, at)] = uint32_t(key & 0xFF) << 24 | id;
    out.singles |= length == 1;
    uint32_t bit = length == 1 ? 1u : length <= kStem ? 1u << (length - kShortest) : kHeadLong;
    heads.emplace_back(user::pair(at(0), length == 1 ? kNoChar : at(1)), bit);
    if (length > 1)
      set_bit(out.threes,
              user::three_hash(at(0), at(1), length > 2 ? at(2) : kNoChar) >> three_shift);
    if (length > kStem) stems.emplace_back(user::mix(stem) | 1, length);
  }
  std::sort(heads.begin(), heads.end());
  size_t n = 0;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (n && heads[n - 1].first == heads[i].first) heads[n - 1].second |= heads[i].second;
    else heads[n++] = heads[i];
  }
  heads.resize(n);
  out.heads.assign(power_of_two(n + n / 2), user::kEmptyHead);
  out.filter.assign(power_of_two(std::max<size_t>(n * 8, 1024)) / 32, 0);  // 8 to 16 bits per pair
  uint32_t head_shift = shift_of(out.heads.size()),
           filter_shift = shift_of(out.filter.size() * 32) - 32;
  for (const auto& [pair, lengths] : heads) {
    const size_t slot = probe(user::head_home(pair, head_shift), out.heads.size() - 1,
                              [&](size_t at) { return out.heads[at] == user::kEmptyHead; });
    out.heads[slot] = pair << 22 | lengths;
    const uint32_t two = user::two(uint32_t(pair & kNoChar), uint32_t(pair >> 21));
    set_bit(out.filter, user::filter_hash(two) >> filter_shift);
  }
  std::sort(stems.begin(), stems.end());
  stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
  if (stems.empty()) return;
  size_t distinct = 0;
  for (size_t i = 0; i < stems.size(); ++i) distinct += !i || stems[i].first != stems[i - 1].first;
  out.stems.assign(power_of_two(distinct + distinct / 2), 0);
  out.stem_of.assign(2 * out.stems.size(), 0);
  for (size_t i = 0; i < stems.size();) {
    size_t first = out.lengths.size();
    const uint64_t key = stems[i].first;
    for (; i < stems.size() && stems[i].first == key; ++i) out.lengths.push_back(stems[i].second);
    const size_t last = out.stems.size() - 1,
                 slot = probe(size_t(key >> 20) & last, last,
                              [&](size_t at) { return !out.stems[at]; });
    out.stems[slot] = key;
    out.stem_of[2 * slot] = uint32_t(first);
    out.stem_of[2 * slot + 1] = uint32_t(out.lengths.size() - first);
  }
}

// Whether a layer mapped from a file is safe to use: every probe ends, and nothing points beyond
// its columns. (Checksums tell whether the bytes are those that were written.)
inline bool valid(const UserLayer& layer) {
  for (uint32_t id = 0; id < layer.n; ++id)
    if (layer.offsets[id] >= layer.offsets[id + 1] ||
        (user_level(layer.flags[id]) == kWeighted && !layer.logs))
      return false;
  for (size_t i = 0; i < layer.n_parts; ++i) {
    uint32_t id = layer.part_ids[i], first = layer.part_first[i], last = layer.part_first[i + 1],
             at = 0;
    if (id >= layer.n || (i && id <= layer.part_ids[i - 1]) || first > last ||
        last > layer.part_first[layer.n_parts])
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
    for (size_t i = 0; i <= f.head_mask && !heads_end; ++i)
      heads_end = f.heads[i] == user::kEmptyHead;
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

}  // namespace segmenter
