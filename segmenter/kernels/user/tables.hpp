// The user's words: tables to find them in raw text before it is decoded.
//
// A dictionary is one or two layers of entries; the second has the entries that were added later, and
// shadows the first. A layer is a column of texts and one field for each way of folding that its entries
// use:
//
//     filter   a Bloom filter of the pairs of characters that entries begin with, one bit per pair:
//     most of a text ends here, at one load per character
//     nodes    an open-addressing table of prefixes: the place of a prefix and the next character
//     lead to the place of the longer prefix, so a step is one probe, and the table is exact: no
//     text is compared
//     entries  for each place in nodes: the entry of a prefix that is one
//     skips    where all entries with a prefix go on with the same four characters or more, these are
//     not in nodes: an entry with this beginning, and how far (Morrison 1968). So an entry takes at most
//     eight nodes, however long it is
//
// The level of an entry says what it does: `force` and `prefer` become spans that no decoder cuts
// or crosses (of overlapping ones force wins, then the longest, then the leftmost), `weight`
// becomes an edge of the lattice, `delete` removes an edge of the lexicon.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
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

constexpr uint32_t kNoChar = 0x1FFFFF;  // second of a single character: not a code point
constexpr uint32_t kMaxEntries = (1u << 24) - 1;
constexpr uint32_t kNoWord = ~uint32_t(0);

namespace user {

constexpr uint64_t kBase = 0x9E3779B97F4A7C15u;  // of the polynomial; odd

inline uint64_t mix(uint64_t h) {  // the finalizer of MurmurHash3
  h = (h ^ h >> 33) * 0xFF51AFD7ED558CCDu;
  h = (h ^ h >> 33) * 0xC4CEB9FE1A85EC53u;
  return h ^ h >> 33;
}
inline uint64_t next(uint64_t h, uint32_t c) { return h * kBase + c + 1; }
inline uint64_t key_of(uint64_t h, uint32_t length) {
  return mix(h + length * 0xD1B54A32D192ED03u);
}
// Two characters of the basic plane are one load of four bytes of a text.
inline uint32_t two(uint32_t first, uint32_t second) { return first ^ second << 16; }
inline uint32_t filter_hash(uint32_t two) { return two * 0x9E3779B1u; }

// A node: in bits 16-63 the key, in bits 8-15 a Bloom filter of the next characters, by their last
// three bits; in bits 0-7 flags. A key is the place of the parent (the prefix without its last
// character) and the last character; nodes of the first two characters have no parent.
constexpr uint64_t kNoNode = ~uint64_t(0) << 16;
constexpr uint32_t kPairs = 1u << 26;  // plus the first character: instead of a place
constexpr uint32_t kMaxNodes = kPairs;
// An entry ends here that becomes a span without a check, because both its ends are apart: of level
// prefer, or of level force.
constexpr uint64_t kPreferred = 1;
constexpr uint64_t kForced = 2;
constexpr uint64_t kOther = 4;  // any other entry ends here
constexpr uint64_t kSkips = 8;  // the number in `entries` is that of a skip
constexpr uint64_t kEnds = kPreferred | kForced | kOther;

inline uint64_t key(uint32_t parent, uint32_t c) { return uint64_t(parent) << 21 | c; }
inline uint64_t pair(uint32_t first, uint32_t second) { return key(kPairs | first, second); }
inline uint64_t guard(uint32_t c) { return uint64_t(256) << (c & 7); }

// Most characters are Han: neither blanks nor letters, digits or marks.
inline bool is_han(uint32_t c) { return c - 0x4E00u < 0x5200; }
// Whether a character lies in no run of letters and digits and is no combining mark: Han, or such
// signs as 。“…！
inline bool is_apart(uint32_t c) {
  return is_han(c) || c - 0x3001u < 0x29 || c - 0x2010u < 0x20 || c - 0xFF01u < 0xF ||
         c - 0xFF1Au < 7;
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
    const Pair* const pair = std::lower_bound(
        astral, end, c, [](const Pair& pair, uint32_t cp) { return pair.from < cp; });
    return pair != end && pair->from == c ? pair->to : c;
  }
};

// The entries of one character of the basic plane: never in a file, since they follow from it.
struct SingleWords {
  // of pages of 256 characters, two bits each: an entry that needs no check, or one that does
  std::vector<uint64_t> bits = std::vector<uint64_t>(8);
  uint16_t page[256] = {};  // the page's place in `bits`; 0 has no entries

  // 1: an entry that needs no check; 2: perhaps one that does.
  uint64_t kind(uint32_t c) const {
    if (c >= 0x10000) return 2;
    return bits[page[c >> 8] * size_t(8) + (c >> 5 & 7)] >> 2 * (c & 31) & 3;
  }
  void add(uint32_t c, bool plain) {
    uint16_t& block = page[c >> 8];
    if (!block) {
      block = uint16_t(bits.size() / 8);
      bits.resize(bits.size() + 8);
    }
    uint64_t& word = bits[block * size_t(8) + (c >> 5 & 7)];
    const uint32_t shift = 2 * (c & 31);
    // of several entries that fold to it one may need a check
    const bool needs_check = !plain || (word >> shift & 2);
    word = (word & ~(uint64_t(3) << shift)) | uint64_t(needs_check ? 2 : 1) << shift;
  }
};

// All entries with a prefix agree with entry `id` in its first `end` characters.
struct UserSkip {
  uint32_t id, end;
};

struct UserField {
  std::shared_ptr<const SingleWords> singles;  // null: no entry has one character; see index_user()
  const uint32_t* filter = nullptr;
  const uint64_t* nodes = nullptr;
  const uint32_t* entries = nullptr;
  const UserSkip* skips = nullptr;
  uint32_t filter_shift = 32, n_skips = 0;
  size_t n_nodes = 0;  // places
  bool there = false;

  // Points the field at tables; false if their sizes are impossible.
  bool attach(const Cells<uint32_t>& filter_, const Cells<uint64_t>& nodes_,
              const Cells<uint32_t>& entries_, const Cells<uint32_t>& skips_) {
    constexpr std::ptrdiff_t kMostBits = std::ptrdiff_t(1) << 27;
    if (!filter_.n || filter_.n & (filter_.n - 1) || filter_.n > kMostBits || !nodes_.n ||
        nodes_.n >= std::ptrdiff_t(user::kMaxNodes) || entries_.n != nodes_.n || skips_.n % 2)
      return false;
    filter = filter_.data;
    filter_shift = shift_of(size_t(filter_.n) * 32) - 32;
    nodes = nodes_.data;
    n_nodes = size_t(nodes_.n);
    entries = entries_.data;
    skips = reinterpret_cast<const UserSkip*>(skips_.data);
    n_skips = uint32_t(skips_.n / 2);
    there = true;
    return true;
  }

  size_t home(uint64_t key) const { return home(key, n_nodes); }
  static size_t home(uint64_t key, size_t n) {
    return size_t((key * 0xD6E8FEB86659FD93u >> 32) * n >> 32);
  }
  // The place of a key, searched from its home on; of an empty node if there is none.
  size_t place(uint64_t key, size_t home) const {
    return probe(home, n_nodes - 1, [&](size_t place) {
      return nodes[place] >> 16 == key || nodes[place] == user::kNoNode;
    });
  }
  bool holds(size_t place, uint64_t key) const { return nodes[place] >> 16 == key; }
  // The number of the entry that ends at a node.
  uint32_t entry(uint32_t place) const {
    const uint32_t id = entries[place];
    return nodes[place] & user::kSkips ? skips[id].id : id;
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
  uint32_t longest = 0;    // characters of the longest entry
  bool line_ends = false;  // some entry contains one
  UserField field[kUserFields];

  uint32_t length(uint32_t id) const { return offsets[id + 1] - offsets[id]; }
  uint32_t char_at(uint32_t id, uint32_t k) const {
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

  // Whether the characters [begin, end) of an entry are at(begin), at(begin + 1) and so on.
  template <class At>
  bool matches(uint32_t id, const FoldTable& fold, uint32_t begin, uint32_t end,
               const At& at) const {
    while (begin < end && fold(this->char_at(id, begin)) == at(begin)) ++begin;
    return begin == end;
  }

  // The entry of field f with this text or one that folds to the same; kNoWord if there is none.
  uint32_t find(uint32_t f, const FoldTable& fold, const Text& text) const {
    const UserField& table = field[f];
    const auto n = uint32_t(text.n);
    if (!table.there || !n) return kNoWord;
    auto at = [&](uint32_t k) { return fold(text[k]); };
    uint64_t key = user::pair(at(0), n > 1 ? at(1) : kNoChar);
    for (uint32_t k = 2;;) {
      const size_t place = table.place(key, table.home(key));
      if (!table.holds(place, key)) return kNoWord;
      const uint64_t node = table.nodes[place];
      if (node & user::kSkips) {
        const UserSkip& skip = table.skips[table.entries[place]];
        if (skip.end > n || !matches(skip.id, fold, k, skip.end, at)) return kNoWord;
        k = skip.end;
      }
      if (k >= n) return node & user::kEnds ? table.entry(uint32_t(place)) : kNoWord;
      key = user::key(uint32_t(place), at(k++));
    }
  }

  // A hash of what an entry does to boundaries; the sum over its entries identifies a dictionary.
  void identity(uint32_t id, uint64_t out[2]) const;
};

// Completes a layer whose tables are known to be safe: after this, texts can be searched.
void index_user(const FoldTable* folds, UserLayer& layer);

struct UserDictionary {
  std::vector<UserLayer> layers;
  FoldTable fold[kUserFields];
  int32_t log_mass = 0;  // ln of the lexicon's total count, in cost units
  double gain = 0;       // taggers: units of score per nat
};

// Calls each(end) for the tokens of a span: one, unless the user's entry has parts.
template <class Each>
void each_part(const UserDictionary* dict, const UserMatch& m, Each&& each) {
  if (uint32_t(token_kind(m.label)) >= kUserWord) {
    auto inner = dict->layers[uint32_t(token_kind(m.label)) - kUserWord].cuts(token_slot(m.label));
    for (const uint32_t* p = inner.first; p != inner.second; ++p) each(m.start + *p);
  }
  each(m.end);
}

// Whether a layer mapped from a file is safe to use: every probe ends, and nothing points beyond
// its columns. (Checksums tell whether the bytes are those that were written.)
bool valid(const UserLayer& layer);

}  // namespace segmenter
