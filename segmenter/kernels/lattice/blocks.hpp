// The nodes that no edge crosses, where all paths of a lattice meet, 64 positions at a time. The part
// between two such nodes is a block. Half of the blocks are a single edge; four fifths of the others are
// a word of two characters and the edges of its two characters.
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
  // Of a node: a bit for every length, 1 to 4, of which an edge ends there, and these.
  static constexpr uint8_t kLengths = 15;
  static constexpr uint8_t kListed = 16;  // an edge of a list ends there
  static constexpr uint8_t kBegins = 32;  // an edge of a list begins there
  static constexpr uint8_t kUnder = 64;   // an edge of a list crosses it

  void clear() {
    before_ = seen_ = known_ = 0;
    n_longs_ = 0;
    reach_.clear();
  }

  // Takes note of the edges of all starts before window.done; those of earlier calls, since
  // clear(), are known. Returns how many starts are new.
  uint32_t look(const LatticeWindow& window) {
    const uint32_t from = before_ = seen_, to = window.done;
    reserve(to + window.look + 80);
    lengths(window, from, to);
    if (n_longs_ < window.longs.size()) listed(window);
    cross(from, to);
    seen_ = to;
    return to - from;
  }

  // What ends at node k.
  uint8_t into(uint32_t k) const { return into_[k]; }
  // 64 nodes from 64 * w on: of those that an edge may cross. Nodes that look() has not reached have
  // no bit.
  uint64_t crossed(uint32_t w) const { return crossed_[w]; }
  // Of those where only a character ends, and a word of two or its last at the next.
  uint64_t usual(uint32_t w) const { return usual_[w]; }

  // Where a window may end: where the text does, or at the last node of the last look() that no
  // edge crosses and that `fits`; 0: not yet.
  template <class Fits>
  uint32_t meeting(const LatticeWindow& window, Fits&& fits) const {
    if (window.at_end()) return window.done;
    for (uint32_t k = seen_ - 1; k > 0 && k >= before_; --k)
      if (!(crossed_[k / 64] >> (k % 64) & 1) && into_[k] && !window.hard[k] && fits(k)) return k;
    return 0;
  }
  static constexpr uint32_t kSeveral = ~uint32_t(0);
  // The start of the only edge into a node.
  uint32_t only_start(const LatticeWindow& window, uint32_t k) const {
    const uint32_t in = into_[k] & (kLengths | kListed);
    if (!in || (in & (in - 1))) return kSeveral;
    if (in != kListed) return k - 1 - uint32_t(__builtin_ctz(in));
    const SparseEdge& e = window.longs[window.head[k] - 1];
    return e.next ? kSeveral : e.start;
  }

 private:
  uint32_t before_ = 0, seen_ = 0, known_ = 0;
  size_t n_longs_ = 0;
  std::vector<uint8_t> into_;              // by node
  Capacity words_;                         // of crossed_ and usual_
  std::vector<uint64_t> crossed_, usual_;  // one bit per node
  std::vector<uint32_t> reach_;  // by node: the furthest end of the lists' edges that begin there

  void reserve(uint32_t size) {
    if (into_.size() < size) into_.resize(size + size / 2);
    if (known_ < size) std::memset(into_.data() + known_, 0, size - known_);
    known_ = size;
    words_.grow(size / 64 + 2, size / 64 + size / 128 + 2, [&](size_t words) {
      crossed_.resize(words);
      usual_.resize(words);
    });
  }

  // Edges of the rows; those of starts from `to` on may be missing at the last three ends.
  void lengths(const LatticeWindow& window, uint32_t from, uint32_t to) {
    const Row* const rows = window.rows;
    uint8_t* const into = into_.data();
    Interrupt::each(to - from + 3, [&](size_t i) {
      const size_t j = from + 1 + i;
#if SEGMENTER_SSE
      const __m128i cost = _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[j].cost));
      const __m128i is = _mm_cmplt_epi32(cost, _mm_set1_epi32(int(kInf)));
      const uint32_t bits = uint32_t(_mm_movemask_ps(_mm_castsi128_ps(is)));
#else
      uint32_t bits = 0;
      for (uint32_t c = 0; c < 4; ++c) bits |= uint32_t(rows[j].cost[c] < kInf) << c;
#endif
      into[j] = uint8_t(bits | (into[j] & ~uint32_t(kLengths)));
    });
  }

  void listed(const LatticeWindow& window) {
    if (reach_.size() < known_) reach_.resize(known_, 0);
    Interrupt::each(window.longs.size() - n_longs_, [&](size_t i) {
      const SparseEdge& e = window.longs[n_longs_ + i];
      if (window.head[e.end]) into_[e.end] |= kListed;
      into_[e.start] |= kBegins;
      uint32_t k = std::max(e.start + 1, reach_[e.start]);  // what it crosses beyond the others
      for (; k < e.end; ++k) into_[k] |= kUnder;
      reach_[e.start] = std::max(reach_[e.start], e.end);
    });
    n_longs_ = window.longs.size();
  }

  void cross(uint32_t from, uint32_t to) {
    const uint8_t* const into = into_.data();
    Interrupt::each(to / 64 - from / 64 + 1, [&](size_t i) {
      const uint32_t w = from / 64 + uint32_t(i);
      uint64_t bits = 0, usual = 0;
#if SEGMENTER_SSE
      for (uint32_t k = 0; k < 64; k += 16) {
        auto load = [&](uint32_t after) {
          return _mm_loadu_si128(reinterpret_cast<const __m128i*>(into + 64 * w + k + after));
        };
        const __m128i one = _mm_and_si128(load(1), _mm_set1_epi8(0x0E));
        const __m128i two = _mm_and_si128(load(2), _mm_set1_epi8(0x0C));
        const __m128i three = _mm_and_si128(load(3), _mm_set1_epi8(0x08));
        const __m128i under = _mm_and_si128(load(0), _mm_set1_epi8(char(kUnder)));
        const __m128i any = _mm_or_si128(_mm_or_si128(one, two), _mm_or_si128(three, under));
        const int free = _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128()));
        bits |= uint64_t(~free & 0xFFFF) << k;
        const __m128i edges = _mm_set1_epi8(char(kLengths | kListed));
        const __m128i alone = _mm_cmpeq_epi8(_mm_and_si128(load(0), edges), _mm_set1_epi8(1));
        const __m128i both = _mm_cmpeq_epi8(_mm_and_si128(load(1), edges), _mm_set1_epi8(3));
        usual |= uint64_t(uint32_t(_mm_movemask_epi8(_mm_and_si128(alone, both)))) << k;
      }
#else
      for (uint32_t k = 0; k < 64; ++k) {
        const uint8_t* at = into + 64 * w + k;
        const bool any = (at[1] & 0x0E) | (at[2] & 0x0C) | (at[3] & 0x08) | (at[0] & kUnder);
        bits |= uint64_t(any) << k;
        constexpr uint32_t kEdges = kLengths | kListed;
        usual |= uint64_t((at[0] & kEdges) == 1 && (at[1] & kEdges) == 3) << k;
      }
#endif
      if (to / 64 == w) bits &= (uint64_t(1) << (to % 64)) - 1;
      crossed_[w] = bits;
      usual_[w] = usual;
    });
  }
};

}  // namespace segmenter
