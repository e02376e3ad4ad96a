// Splits a text before merging, between characters that no merge can join.
//
// Two characters may be joined if they are adjacent in some piece, or in a byte-level vocabulary if
// the end of one and the start of the other are. Pairs of whole characters are in a Bloom filter
// that fits into the L2 cache. Each of the few pieces with a part of a character at the border is
// one of 64 bits in both characters; only if the two share a bit are all nine ways looked up
// (Neighbours, and a cache of answers).
//
// Characters have dense numbers, those in many pieces first, so that the data for running text is
// close together in memory.
#pragma once
#include <unordered_map>

#include "subword/merges.hpp"
#include "subword/model.hpp"

namespace segmenter {

class Joints {
 public:
  static constexpr uint32_t kSeveral = 1u << 31;

  struct Char {
    uint64_t left = 0, right = 0;  // bits of the pieces with a part of it at their border
    uint32_t alone = kNoPiece;     // its piece, or for several kSeveral | index in rows_
    bool is_piece = false;         // a piece that the merges produce
  };

  // The number of a character; 0: not in the BMP, or characters have no numbers yet.
  uint32_t number(uint32_t cp) const { return cp < numbers_.size() ? numbers_[cp] : 0; }
  const Char& character(uint32_t number) const { return chars_[number]; }

  // Collects all adjacent pairs in pieces (bytes if byte_level, otherwise code points).
  void build(const PieceList& pieces, bool byte_level) {
    uint32_t shapes = 0;
    std::vector<uint8_t> bytes;
    for (size_t i = 0; i < pieces.size(); ++i) {
      bytes.clear();
      for (size_t k = 0; k < pieces.length(i); ++k) {
        uint8_t buffer[4];
        const uint32_t unit = pieces.begin(i)[k];
        if (byte_level) {
          bytes.push_back(uint8_t(unit));
        } else {
          bytes.insert(bytes.end(), buffer, buffer + utf8_of(unit, buffer));
        }
      }
      for (size_t k = 1; k < bytes.size(); ++k)
        if ((bytes[k] & 0xC0) != 0x80) add_border(bytes, k, shapes);
    }
    neighbours_.build(keys_, shapes);
    ways_.resize(0x10000);
    for (uint32_t cp = 0; cp < 0x10000; ++cp) {
      uint8_t spelt[4];
      const uint32_t n = utf8_of(cp, spelt), packed = pack(spelt, n);
      ways_[cp] = uint8_t(neighbours_.goes_on(packed, n) | neighbours_.comes_after(packed, n) << 4);
    }
  }

  // Numbers the characters for which include(cp) is true; those in `first` keep its numbers.
  template <class Include>
  void set_numbers(const CharMap* first, uint32_t n_first, Include&& include) {
    numbers_.assign(0xFFFF, 0);
    uint32_t next_number = n_first;
    for (uint32_t cp = 0; cp < numbers_.size(); ++cp) {
      const uint32_t number = first ? (*first)(cp) : 0;
      if (!include(cp) || (!number && next_number == 0xFFFF)) continue;  // these take the slow path
      numbers_[cp] = uint16_t(number ? number : next_number++);
    }
    chars_.assign(next_number, Char());
    std::unordered_map<uint32_t, uint64_t> lefts, rights;  // bits by chunk of bytes
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
    size_t n_whole = 0;
    for (const Border& border : borders_) {
      if (!border.partial) {
        ++n_whole;
        continue;
      }
      const uint64_t bit = uint64_t(1) << ((border.key * 0x9E3779B97F4A7C15u) >> 58);
      lefts[uint32_t(border.key >> 32)] |= bit;
      rights[uint32_t(border.key)] |= bit;
    }
    joined_.reserve(2 * n_whole);
    for (const Border& border : borders_) {
      if (border.partial) continue;
      const uint32_t x = number(code_point(uint32_t(border.key >> 32))),
                     y = number(code_point(uint32_t(border.key)));
      if (x && y) joined_.add(pair(x, y));
    }
    for (uint32_t cp = 0; cp < numbers_.size(); ++cp) {
      if (!numbers_[cp]) continue;
      Char& c = chars_[numbers_[cp]];
      uint8_t spelt[4];
      const uint32_t n = utf8_of(cp, spelt), packed = pack(spelt, n);
      for (uint32_t i = 0; i < n; ++i) {
        const auto left = lefts.find(i ? packed & ((1u << 8 * (n - i)) - 1) : packed);
        if (left != lefts.end()) c.left |= left->second;
        const auto right = rights.find(packed >> 8 * i);
        if (right != rights.end()) c.right |= right->second;
      }
    }
    borders_ = {};
    keys_ = {};
  }

  // Sets the pieces of a numbered character that stands alone.
  void set_alone(uint32_t cp, const SubwordPiece* pieces, size_t n, bool is_piece) {
    Char& c = chars_[number(cp)];
    c.is_piece = is_piece;
    c.alone = n == 1 ? pieces[0].id : kSeveral | uint32_t(rows_.size());
    if (n == 1) return;
    rows_.push_back(uint32_t(n));
    for (size_t i = 0; i < n; ++i) rows_.push_back(pieces[i].id);
  }
  void write(uint32_t alone, size_t position, std::vector<SubwordPiece>& out) const {
    if (alone < kSeveral) {
      out.push_back({alone, uint32_t(position), uint32_t(position + 1)});
      return;
    }
    const uint32_t* row = rows_.data() + (alone & ~kSeveral);
    for (uint32_t i = 1; i <= *row; ++i)
      out.push_back({row[i], uint32_t(position), uint32_t(position + 1)});
  }

  // Whether two numbered characters are adjacent in some piece, and whether parts of them may be;
  // then apart() decides.
  bool joined(uint32_t x, uint32_t y) const { return joined_.may_have(pair(x, y)); }
  bool may_be_joined(uint32_t x, uint32_t y) const {
    return (chars_[x].left & chars_[y].right) != 0;
  }

  // Whether no merge reaches across x and y, which both have symbols.
  bool apart(uint32_t x, uint32_t y) const {
    uint8_t left[4], right[4];
    const uint32_t n_x = utf8_of(x, left), n_y = utf8_of(y, right);
    const uint32_t a = pack(left, n_x), b = pack(right, n_y);
    const uint32_t goes = x < ways_.size() ? ways_[x] & 15 : neighbours_.goes_on(a, n_x);
    const uint32_t comes = y < ways_.size() ? ways_[y] >> 4 : neighbours_.comes_after(b, n_y);
    return !goes || !comes || !neighbours_.may_join(a, n_x, goes, b, n_y, comes);
  }

 private:
  struct Border {
    uint64_t key;
    bool partial;
    bool operator<(const Border& o) const { return key < o.key; }
    bool operator==(const Border& o) const { return key == o.key; }
  };
  Neighbours neighbours_;
  std::vector<uint64_t> keys_;
  std::vector<Border> borders_;
  std::vector<uint8_t> ways_;  // for each character of the BMP, how pieces reach across its ends
  std::vector<uint16_t> numbers_;
  std::vector<Char> chars_{Char()};
  std::vector<uint32_t> rows_;
  PairBits joined_;

  static uint64_t pair(uint32_t x, uint32_t y) { return uint64_t(x) << 16 | y; }
  static uint32_t pack(const uint8_t* bytes, size_t n) {
    uint32_t packed = 0;
    for (size_t i = 0; i < n; ++i) packed = packed << 8 | bytes[i];
    return packed;
  }
  static uint32_t code_point(uint32_t packed) {
    if (packed < 0x80) return packed;
    if (packed < 0x10000) return (packed >> 8 & 0x1F) << 6 | (packed & 0x3F);
    if (packed < 0x1000000)
      return (packed >> 16 & 0xF) << 12 | (packed >> 8 & 0x3F) << 6 | (packed & 0x3F);
    return 0x10FFFF;  // outside the BMP
  }
  static uint32_t length_of(uint8_t lead) {
    return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  }

  // Adds the border before bytes[k], where a character begins.
  void add_border(const std::vector<uint8_t>& bytes, size_t k, uint32_t& shapes) {
    size_t left_start = k - 1;
    while (left_start && (bytes[left_start] & 0xC0) == 0x80) --left_start;
    const bool complete = (bytes[left_start] & 0xC0) != 0x80;
    const size_t available = std::min<size_t>(length_of(bytes[k]), bytes.size() - k);
    const uint32_t lacks_right = length_of(bytes[k]) - uint32_t(available);
    if (k - left_start > 4) return;  // longer than any character of UTF-8
    keys_.push_back(
        Neighbours::key(pack(&bytes[left_start], k - left_start), pack(&bytes[k], available)));
    borders_.push_back({keys_.back(), !complete || lacks_right});
    // the number of bytes that a partial character lacks is unknown: try every possible length
    for (uint32_t lacks = complete ? 0 : 1; lacks <= (complete ? 0 : 4 - (k - left_start)); ++lacks)
      shapes |= 1u << (4 * lacks + lacks_right);
  }
};

}  // namespace segmenter
