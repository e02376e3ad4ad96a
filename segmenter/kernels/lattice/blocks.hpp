// Nodes that no edge crosses: all paths of a lattice meet there. 64 positions are tested at a time.
// The part between two such nodes is a block. Half of the blocks are a single edge; four fifths of
// the others are a word of two characters and the edges of its two characters.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "lattice/window.hpp"

namespace segmenter {

class Blocks {
 public:
  // Bits of a node. kLengths: a bit per length from 1 to 4 of the row edges that end there.
  static constexpr uint8_t kLengths = 15;
  static constexpr uint8_t kListed = 16;   // a listed edge ends there
  static constexpr uint8_t kBegins = 32;   // a listed edge begins there
  static constexpr uint8_t kCrossed = 64;  // a listed edge crosses it

  void clear() {
    scan_begin_ = scan_end_ = zeroed_ = 0;
    n_longs_ = 0;
    reach_.clear();
  }

  // Reads the edges of the starts that are new since the last call or clear(). Returns the number
  // of new starts.
  uint32_t scan(const LatticeWindow& window) {
    const uint32_t begin = scan_begin_ = scan_end_, end = window.built;
    reserve(end + window.look_ahead + 80);
    scan_rows(window, begin, end);
    if (n_longs_ < window.longs.size()) scan_lists(window);
    find_crossed(begin, end);
    scan_end_ = end;
    return end - begin;
  }

  // The bits of node k.
  uint8_t node(uint32_t k) const { return node_bits_[k]; }
  // A bit per node of 64 * w on that an edge crosses. Nodes that scan() has not reached have no
  // bit.
  uint64_t crossed(uint32_t w) const { return crossed_[w]; }
  // A bit per node where one character ends and nothing else, and where a word of two characters or
  // its second character, and nothing else, ends at the next node.
  uint64_t pairs(uint32_t w) const { return pairs_[w]; }

  // Where a window may end: at the end of the text, or at the last node of the last scan() that no
  // edge crosses and that `fits`; 0: not yet.
  template <class Fits>
  uint32_t meeting(const LatticeWindow& window, Fits&& fits) const {
    if (window.at_end()) return window.built;
    for (uint32_t k = scan_end_ - 1; k > 0 && k >= scan_begin_; --k)
      if (!(crossed_[k / 64] >> (k % 64) & 1) && node_bits_[k] && !window.forbidden[k] && fits(k))
        return k;
    return 0;
  }
  static constexpr uint32_t kSeveral = ~uint32_t(0);
  // The start of the only edge into node k, or kSeveral.
  uint32_t only_start(const LatticeWindow& window, uint32_t k) const {
    const uint32_t edges = node_bits_[k] & (kLengths | kListed);
    if (!edges || (edges & (edges - 1))) return kSeveral;
    if (edges != kListed) return k - 1 - uint32_t(__builtin_ctz(edges));
    const SparseEdge& edge = window.longs[window.head[k] - 1];
    return edge.next ? kSeveral : edge.start;
  }

 private:
  uint32_t scan_begin_ = 0, scan_end_ = 0, zeroed_ = 0;
  size_t n_longs_ = 0;
  std::vector<uint8_t> node_bits_;         // by node
  Capacity words_;                         // of crossed_ and pairs_
  std::vector<uint64_t> crossed_, pairs_;  // one bit per node
  std::vector<uint32_t> reach_;  // by node: the furthest end of the listed edges that begin there

  void reserve(uint32_t size) {
    if (node_bits_.size() < size) node_bits_.resize(size + size / 2);
    if (zeroed_ < size) std::memset(node_bits_.data() + zeroed_, 0, size - zeroed_);
    zeroed_ = size;
    words_.grow(size / 64 + 2, size / 64 + size / 128 + 2, [&](size_t words) {
      crossed_.resize(words);
      pairs_.resize(words);
    });
  }

  // Reads the rows. At the last three ends, edges of later starts may be missing.
  void scan_rows(const LatticeWindow& window, uint32_t begin, uint32_t end) {
    const Row* const rows = window.rows;
    uint8_t* const node_bits = node_bits_.data();
    Interrupt::for_each(end - begin + 3, [&](size_t i) {
      const size_t k = begin + 1 + i;
#if SEGMENTER_SSE
      const __m128i cost = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[k].cost));
      const __m128i present = _mm_cmplt_epi32(cost, _mm_set1_epi32(int(kInf)));
      const uint32_t bits = uint32_t(_mm_movemask_ps(_mm_castsi128_ps(present)));
#else
      uint32_t bits = 0;
      for (uint32_t c = 0; c < 4; ++c) bits |= uint32_t(rows[k].cost[c] < kInf) << c;
#endif
      node_bits[k] = uint8_t(bits | (node_bits[k] & ~uint32_t(kLengths)));
    });
  }

  void scan_lists(const LatticeWindow& window) {
    if (reach_.size() < zeroed_) reach_.resize(zeroed_, 0);
    Interrupt::for_each(window.longs.size() - n_longs_, [&](size_t i) {
      const SparseEdge& edge = window.longs[n_longs_ + i];
      if (window.head[edge.end]) node_bits_[edge.end] |= kListed;
      node_bits_[edge.start] |= kBegins;
      uint32_t k =
          std::max(edge.start + 1, reach_[edge.start]);  // what it crosses beyond earlier edges
      for (; k < edge.end; ++k) node_bits_[k] |= kCrossed;
      reach_[edge.start] = std::max(reach_[edge.start], edge.end);
    });
    n_longs_ = window.longs.size();
  }

  void find_crossed(uint32_t begin, uint32_t end) {
    const uint8_t* const node_bits = node_bits_.data();
    Interrupt::for_each(end / 64 - begin / 64 + 1, [&](size_t i) {
      const uint32_t w = begin / 64 + uint32_t(i);
      uint64_t crossed_bits = 0, pair_bits = 0;
#if SEGMENTER_SSE
      for (uint32_t k = 0; k < 64; k += 16) {
        auto load = [&](uint32_t after) {
          return _mm_loadu_si128(reinterpret_cast<const __m128i*>(node_bits + 64 * w + k + after));
        };
        const __m128i past_one = _mm_and_si128(load(1), _mm_set1_epi8(0x0E));
        const __m128i past_two = _mm_and_si128(load(2), _mm_set1_epi8(0x0C));
        const __m128i past_three = _mm_and_si128(load(3), _mm_set1_epi8(0x08));
        const __m128i crossed = _mm_and_si128(load(0), _mm_set1_epi8(char(kCrossed)));
        const __m128i crossing =
            _mm_or_si128(_mm_or_si128(past_one, past_two), _mm_or_si128(past_three, crossed));
        const int uncrossed = _mm_movemask_epi8(_mm_cmpeq_epi8(crossing, _mm_setzero_si128()));
        crossed_bits |= uint64_t(~uncrossed & 0xFFFF) << k;
        const __m128i edges = _mm_set1_epi8(char(kLengths | kListed));
        const __m128i single = _mm_cmpeq_epi8(_mm_and_si128(load(0), edges), _mm_set1_epi8(1));
        const __m128i pair_end = _mm_cmpeq_epi8(_mm_and_si128(load(1), edges), _mm_set1_epi8(3));
        pair_bits |= uint64_t(uint32_t(_mm_movemask_epi8(_mm_and_si128(single, pair_end)))) << k;
      }
#else
      for (uint32_t k = 0; k < 64; ++k) {
        const uint8_t* bits = node_bits + 64 * w + k;
        const bool crossing =
            (bits[1] & 0x0E) | (bits[2] & 0x0C) | (bits[3] & 0x08) | (bits[0] & kCrossed);
        crossed_bits |= uint64_t(crossing) << k;
        constexpr uint32_t kEdges = kLengths | kListed;
        pair_bits |= uint64_t((bits[0] & kEdges) == 1 && (bits[1] & kEdges) == 3) << k;
      }
#endif
      if (end / 64 == w) crossed_bits &= (uint64_t(1) << (end % 64)) - 1;
      crossed_[w] = crossed_bits;
      pairs_[w] = pair_bits;
    });
  }
};

}  // namespace segmenter
