// Shared by the subword kernels: vocabularies, dense character ids, a table of words, the rule for
// unknown characters, and working memory.
//
// All kernels read code points (32 bits each, widened once per call) and use the vocabulary's own
// ids for pieces; offsets are in code points of the text. A piece of some bytes of a character
// covers the whole character.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "interrupt.hpp"
#include "lexicon/words.hpp"
#include "probe.hpp"
#include "subword/interface.hpp"
#include "subword/piece_cache.hpp"
#include "text.hpp"

namespace segmenter {

// Encodes a code point in UTF-8; lone surrogates become the three bytes of their code point.
inline uint32_t utf8_of(uint32_t cp, uint8_t* out) {
  if (cp < 0x80) {
    out[0] = uint8_t(cp);
    return 1;
  }
  if (cp < 0x800) {
    out[0] = uint8_t(0xC0 | cp >> 6);
    out[1] = uint8_t(0x80 | (cp & 0x3F));
    return 2;
  }
  if (cp < 0x10000) {
    out[0] = uint8_t(0xE0 | cp >> 12);
    out[1] = uint8_t(0x80 | (cp >> 6 & 0x3F));
    out[2] = uint8_t(0x80 | (cp & 0x3F));
    return 3;
  }
  out[0] = uint8_t(0xF0 | cp >> 18);
  out[1] = uint8_t(0x80 | (cp >> 12 & 0x3F));
  out[2] = uint8_t(0x80 | (cp >> 6 & 0x3F));
  out[3] = uint8_t(0x80 | (cp & 0x3F));
  return 4;
}

// Code points as dense ids from 1, the most frequent first; 0: in no piece.
class CharIndex {
 public:
  CharMap map;
  uint32_t n_ids = 1;

  CharIndex() = default;
  CharIndex(const CharIndex&) = delete;
  CharIndex& operator=(const CharIndex&) = delete;

  void build(const PieceList& pieces);

 private:
  std::vector<uint16_t> bmp_, pages_, blocks_;
};

// Pieces in a double array over those ids, and the index of the piece at each of its slots.
class PieceTrie {
 public:
  CharIndex chars;
  Trie trie;
  std::vector<uint32_t> slot_pieces;  // index in the list of pieces, or kNoPiece

  // `inner`: pieces that do not begin a word; `weights`: pieces with greater ones come first in
  // memory.
  void build(const PieceList& pieces, const PieceList& inner, const std::vector<uint64_t>& weights);

  // The same for pieces that may begin anywhere, given log probabilities: the weights are expected
  // counts in a corpus of a billion pieces.
  void build(const PieceList& pieces, const double* scores);

  // Calls each(end, piece) for the pieces that begin at word[start], shortest first; `inner`: for
  // the inner pieces.
  template <class Each>
  void for_each_piece(const uint32_t* word, size_t start, size_t n, bool inner, Each&& each) const {
    const uint32_t id = chars.map(word[start]);
    uint32_t slot = !id ? 0 : inner ? first_inner(id) : first(id);
    for (size_t end = start + 1; slot; ++end) {
      const uint32_t match = piece(slot);
      if (match != kNoPiece) each(end, match);
      const uint32_t next = end < n ? chars.map(word[end]) : 0;
      slot = next ? trie.child(slot, next) : 0;
    }
  }

  // The slot of the first character of a piece (of an inner piece: after the root); 0 if none.
  uint32_t first(uint32_t id) const { return id; }
  uint32_t first_inner(uint32_t id) const { return trie.child(root_, id); }
  // The same interface as a lexicon's, see lexicon/aho_corasick.hpp.
  bool is_word(uint32_t slot) const { return slot && unit_cost(trie.units[slot]) != kNoCost; }
  uint32_t word_id(uint32_t slot) const { return slot_pieces[slot]; }
  // The piece that ends at a slot.
  uint32_t piece(uint32_t slot) const {
    return unit_cost(trie.units[slot]) == kNoCost ? kNoPiece : slot_pieces[slot];
  }

 private:
  std::vector<uint64_t> units_;
  uint32_t root_ = 0;
};

inline uint64_t hash_of(const uint32_t* word, size_t n) {
  uint64_t h = n;
  for (size_t i = 0; i < n; ++i) h = (h ^ word[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

// From strings of code points to numbers: open addressing; up to three characters fit into the key
// itself.
class WordTable {
 public:
  size_t longest = 0;

  void reserve(size_t n) {
    entries_.assign(power_of_two(2 * n), Entry{0, 0, 0});
    shift_ = shift_of(entries_.size());
  }
  // Call it only after reserve(), and for a word that is not in the table.
  void add(const uint32_t* word, size_t n, uint32_t value) {
    uint64_t key = key_of(word, n);
    uint32_t pool_index = 0;
    if (n > 3) {
      pool_index = uint32_t(pool_.size());
      pool_.push_back(uint32_t(n));
      pool_.insert(pool_.end(), word, word + n);
    }
    const size_t last = entries_.size() - 1;
    entries_[probe(place(key), last, [&](size_t i) { return !entries_[i].key; })] =
        Entry{key, value, pool_index};
    longest = std::max(longest, n);
  }
  uint32_t find(const uint32_t* word, size_t n) const {
    if (n > longest || n == 0) return kNoPiece;
    uint64_t key = key_of(word, n);
    const Entry& entry = entries_[probe(place(key), entries_.size() - 1, [&](size_t i) {
      const Entry& e = entries_[i];
      return !e.key || (e.key == key && (n <= 3 || equals(e.pool_index, word, n)));
    })];
    return entry.key ? entry.value : kNoPiece;
  }

 private:
  struct Entry {
    uint64_t key;  // 0: free
    uint32_t value, pool_index;
  };
  static uint64_t key_of(const uint32_t* word, size_t n) {
    if (n <= 3) {  // exact: 21 bits per character, none zero
      uint64_t key = word[0] + 1;
      if (n > 1) key |= uint64_t(word[1] + 1) << 21;
      if (n > 2) key |= uint64_t(word[2] + 1) << 42;
      return key;
    }
    return hash_of(word, n) | uint64_t(1) << 63;
  }
  bool equals(uint32_t pool_index, const uint32_t* word, size_t n) const {
    return pool_[pool_index] == n &&
           !std::memcmp(&pool_[pool_index + 1], word, n * sizeof(uint32_t));
  }
  size_t place(uint64_t key) const { return size_t((key * 0x9E3779B97F4A7C15u) >> shift_); }

  std::vector<Entry> entries_;
  std::vector<uint32_t> pool_;
  uint32_t shift_ = 64;
};

// Writes the unknown characters cps[start..end) of a text; `offset` is the position of cps in the
// text. Returns false if there is no piece to write.
inline bool write_unknown(const UnknownRule& rule, const uint32_t* cps, size_t start, size_t end,
                          size_t offset, std::vector<SubwordPiece>& out) {
  if (rule.byte_fallback) {
    size_t size_before = out.size();
    bool complete = true;
    for (size_t i = start; i < end && complete; ++i) {
      uint8_t bytes[4];
      uint32_t n = utf8_of(cps[i], bytes);
      for (uint32_t k = 0; k < n && complete; ++k) {
        complete = rule.byte_ids[bytes[k]] != kNoPiece;
        size_t first = rule.together ? start : i, last = rule.together ? end : i + 1;
        out.push_back({rule.byte_ids[bytes[k]], uint32_t(offset + first), uint32_t(offset + last)});
      }
    }
    if (complete) return true;
    out.resize(size_before);
  }
  if (rule.unk == kNoPiece) return false;
  if (rule.fuse) {
    out.push_back({rule.unk, uint32_t(offset + start), uint32_t(offset + end)});
  } else {
    for (size_t i = start; i < end; ++i)
      out.push_back({rule.unk, uint32_t(offset + i), uint32_t(offset + i + 1)});
  }
  return true;
}

// The working memory of a call; one per thread.
struct SubwordScratch {
  std::vector<uint32_t> text;    // the call's text, widened
  std::vector<uint8_t> classes;  // of the text's characters, for the pre-tokeniser
  std::vector<SubwordSpan> spans;
  std::vector<SubwordPiece> pieces;
  std::vector<uint32_t> id, rank, merged, start, end, prev, next;  // symbols of a BPE
  Capacity symbols;                                                // of id to `end`
  std::vector<uint64_t> heap;
  std::vector<uint32_t> origin, number;  // nodes of a unigram lattice
  std::vector<double> score;
  std::vector<float> score32;
  std::vector<uint32_t> ids, marked;  // of a pipeline: its result, the text with marks in it
  std::vector<SubwordSpan> marked_spans;
  std::vector<Found> matches;
  PieceCache words{14}, parts{13};
  PairCache apart_cache, compatible_cache;  // of characters; of pieces
  // For the characters [ahead_begin, ahead_end) of a text: their numbers, and how each is joined to
  // the previous one.
  const uint32_t *ahead_begin = nullptr, *ahead_end = nullptr;
  Capacity characters;  // of the two columns
  std::vector<uint16_t> numbers;
  std::vector<uint8_t> joins;

  void widen(const Text& input) {
    text.resize(input.n);
    input.cells([&](auto* cells) { std::copy_n(cells, input.n, text.begin()); });
  }
};

// A model: appends the pieces of a word to scratch.pieces; `offset` is the word's position in the
// text.
class SubwordModel {
 public:
  // For words that begin with this code point or a greater one, encode() is as cheap as a cache.
  uint32_t direct_from = 0xFFFFFFFF;

  virtual ~SubwordModel() = default;
  // Returns the index of the first character without a piece, if that is an error, otherwise n.
  size_t encode(const uint32_t* word, size_t n, size_t offset, SubwordScratch& scratch) const {
    scratch.ahead_end = nullptr;  // look_ahead() may have read another text at the same address
    return encode_word(word, n, offset, scratch);
  }

  virtual size_t encode_word(const uint32_t* word, size_t n, size_t offset,
                             SubwordScratch& scratch) const = 0;
  // Call it before encode_word() for an uncached word of n characters; `available` characters of
  // the text are available at `word`.
  virtual void look_ahead(const uint32_t*, size_t, size_t, SubwordScratch&) const {}

  // Encodes all spans of s.text into s.pieces; returns the index of the first character without a
  // piece, or -1.
  int64_t encode_spans(const SubwordSpan* spans, size_t n_spans, SubwordScratch& s) const {
    s.pieces.clear();
    s.ahead_end = nullptr;
    for (size_t i = 0; i < n_spans; ++i) {
      if (i % Interrupt::kEvery == 0) Interrupt::poll();
      const size_t start = spans[i].start, length = spans[i].end - start;
      if (length && s.text[start] >= direct_from) {
        look_ahead(s.text.data() + start, length, s.text.size() - start, s);
        const size_t encoded = encode_word(s.text.data() + start, length, start, s);
        if (encoded < length) return int64_t(start + encoded);
        continue;
      }
      const PieceKey key(s.text.data() + start, length);
      if (key && s.words.get(key, uint32_t(start), s.pieces)) continue;
      const size_t n_before = s.pieces.size();
      const size_t encoded = encode_word(s.text.data() + start, length, start, s);
      if (encoded < length) return int64_t(start + encoded);
      if (key)
        s.words.put(key, uint32_t(start), s.pieces.data() + n_before, s.pieces.size() - n_before);
    }
    return -1;
  }
};

}  // namespace segmenter
