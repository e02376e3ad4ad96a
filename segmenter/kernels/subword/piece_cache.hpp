// A cache of the pieces of recent words: one cache line per word, placed by its hash; a newer word
// replaces an older one. Words have up to 15 characters below U+0100, 7 of the BMP or 5 others, and
// up to nine pieces. There is one cache per thread, so no locks are needed.
#pragma once
#include <cstdint>
#include <vector>

#include "subword/interface.hpp"

namespace segmenter {

struct PieceKey {
  uint64_t low = 0, high = 0;  // high is 0 for words without a key

  PieceKey(const uint32_t* word, size_t n) {
    if (n > 15 || !n) return;
    uint32_t bits = 0;
    for (size_t i = 0; i < n; ++i) bits |= word[i];
    if (bits < 0x100) {
      for (size_t i = 0; i < n && i < 8; ++i) low |= uint64_t(word[i]) << (8 * i);
      for (size_t i = 8; i < n; ++i) high |= uint64_t(word[i]) << (8 * (i - 8));
      high |= tag(0, n);
    } else if (n <= 7 && bits < 0x10000) {
      for (size_t i = 0; i < n && i < 4; ++i) low |= uint64_t(word[i]) << (16 * i);
      for (size_t i = 4; i < n; ++i) high |= uint64_t(word[i]) << (16 * (i - 4));
      high |= tag(1, n);
    } else if (n <= 5) {
      for (size_t i = 0; i < n && i < 3; ++i) low |= uint64_t(word[i]) << (21 * i);
      for (size_t i = 3; i < n; ++i) high |= uint64_t(word[i]) << (21 * (i - 3));
      high |= tag(2, n);
    }
  }
  explicit operator bool() const { return high != 0; }
  uint64_t hash() const {
    uint64_t h = (low ^ (high << 31 | high >> 33)) * 0x9E3779B97F4A7C15u;
    h ^= h >> 29;
    return h * 0xBF58476D1CE4E5B9u;
  }

 private:
  static uint64_t tag(uint64_t kind, uint64_t n) { return (1u << 6 | kind << 4 | n) << 56; }
};

class PieceCache {
 public:
  static constexpr size_t kPieces = 9;
  explicit PieceCache(int bits) : bits_(bits) {}

  // Appends the pieces of a word at `offset`; false if the word is not cached.
  bool get(const PieceKey& key, uint32_t offset, std::vector<SubwordPiece>& out) const {
    if (lines_.empty()) return false;
    const Line& line = lines_[key.hash() >> (64 - bits_)];
    if (line.low != key.low || line.high != key.high) return false;
    for (size_t i = 0; i < line.n; ++i)
      out.push_back({line.ids[i], offset + (line.spans[i] >> 4), offset + (line.spans[i] & 15u)});
    return true;
  }
  void put(const PieceKey& key, uint32_t offset, const SubwordPiece* pieces, size_t n) {
    if (n > kPieces) return;
    if (lines_.empty()) lines_.resize(size_t(1) << bits_);
    Line& line = lines_[key.hash() >> (64 - bits_)];
    line.low = key.low;
    line.high = key.high;
    line.n = uint8_t(n);
    for (size_t i = 0; i < n; ++i) {
      line.ids[i] = pieces[i].id;
      line.spans[i] = uint8_t((pieces[i].start - offset) << 4 | (pieces[i].end - offset));
    }
  }

 private:
  struct alignas(64) Line {
    uint64_t low = 0, high = 0;
    uint32_t ids[kPieces];
    uint8_t spans[kPieces];
    uint8_t n = 0;
  };
  int bits_;
  std::vector<Line> lines_;
};

// A cache of recent answers about pairs of characters or pieces.
class PairCache {
 public:
  template <class Decide>
  bool get(uint32_t x, uint32_t y, Decide&& decide) {
    if (answers_.empty()) answers_.assign(size_t(1) << kBits, 0);
    // multiplying by an odd factor permutes 45-bit numbers: index and tag together are the whole
    // key
    constexpr uint64_t kMask = (uint64_t(1) << (kBits + kTag)) - 1;
    const uint64_t mixed = ((uint64_t(x) << 21 | y) + 1) * 0x9E3779B97F4A7C15u & kMask;
    const uint32_t tag = uint32_t(mixed & ((1u << kTag) - 1)) << 2;
    uint32_t& entry = answers_[mixed >> kTag];
    if ((entry | 1) == (tag | 3)) return entry & 1;
    const bool answer = decide();
    entry = tag | 2 | uint32_t(answer);
    return answer;
  }

 private:
  static constexpr int kBits = 16, kTag = 29;
  std::vector<uint32_t> answers_;  // tag, 1 if known, the answer
};

}  // namespace segmenter
