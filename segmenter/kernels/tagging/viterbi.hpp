// The best tags of a stretch (Viterbi 1967).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "capacity.hpp"
#include "interrupt.hpp"
#include "token.hpp"
#include "tagging/emissions.hpp"
#include "tagging/lexicon_states.hpp"

namespace segmenter {

#if SEGMENTER_SSE4
// The recursion over four tags with one lane per tag. Each tag has two predecessors: E or S for B
// and S, B or M for M and E.
struct TagLanes {
  // What the tags of a character lose, by the marks before it.
  alignas(16) static constexpr int32_t kPenalty[4][4] = {{0, 0, 0, 0},
                                                         {0, kTagNever, kTagNever, 0},
                                                         {kTagNever, 0, 0, kTagNever},
                                                         {0, kTagNever, kTagNever, 0}};
  __m128i from_first, from_second;

  explicit TagLanes(const int32_t* w)
      : from_first(_mm_setr_epi32(w[8], w[1], w[2], w[11])),
        from_second(_mm_setr_epi32(w[12], w[5], w[6], w[15])) {}
  __m128i first(__m128i v, __m128i e) const {
    return _mm_add_epi32(_mm_shuffle_epi32(v, _MM_SHUFFLE(2, 0, 0, 2)),
                         _mm_add_epi32(from_first, e));
  }
  __m128i second(__m128i v, __m128i e) const {
    return _mm_add_epi32(_mm_shuffle_epi32(v, _MM_SHUFFLE(3, 1, 1, 3)),
                         _mm_add_epi32(from_second, e));
  }
  static __m128i penalty(uint8_t mark) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(kPenalty[mark & 3]));
  }
  static __m128i level(__m128i v) {  // prevents overflow
    return _mm_max_epi32(_mm_sub_epi32(v, _mm_shuffle_epi32(v, _MM_SHUFFLE(2, 2, 2, 2))),
                         _mm_set1_epi32(kTagNever));
  }
};
#endif

// Words of a path: their exclusive ends in the text, in the memory of the search. What the words
// are is still to be written.
struct WordEnds {
  Token* first;
  size_t n;
};

class Viterbi {
 public:
  // Makes room for stretches of n characters.
  void reserve(size_t n) {
    const size_t cap = n + 24;
    capacity_.grow(cap, cap + cap / 2, [&](size_t size) {
      back_.resize(size);
      Interrupt::look(size);
      ends_.resize(size);
      Interrupt::look(size);
    });
  }

  // The words of the best path of a stretch that begins at s in the text. Adds the states that are
  // left to it to the scores.
  WordEnds best(const TaggerModel& m, Emissions& scores, uint32_t s) {
    search(m, scores, m.start);
    return trace(s, scores.n, ends_in_single());
  }

  // In steps: the search over the stretch, `start` being the scores of the tags B and S
  // of its first character; whether the best path ends in a word of one character; and the path
  // that does so or not after n characters.
  void search(const TaggerModel& m, Emissions& scores, const int32_t* start) {
#if SEGMENTER_SSE4
    switch (scores.states ? m.groups : 0) {
      case 0:
        search_vector<0>(m, scores, start);
        break;
      case 1:
        search_vector<1>(m, scores, start);
        break;
      case 2:
        search_vector<2>(m, scores, start);
        break;
      default:
        search_vector<3>(m, scores, start);
    }
    scores.states = nullptr;
#else
    search_plain(m, scores, start);
#endif
  }
  bool ends_in_single() const { return last_[3] > last_[2]; }

  // The longest prefix of n characters that ends after a word in the best paths to all tags of the
  // last one; 0: none. `single`: whether that word has one character.
  uint32_t common_end(uint32_t n, bool& single) {
    uint32_t tags = 0xF;  // one bit per tag
    for (uint32_t j = n; j-- > 1;) {
      const uint32_t back = back_[j];
      uint32_t before = 0;
      if (tags & 1) before |= back & 1 ? 8 : 4;  // B and S follow E or S, M and E follow B or M
      if (tags & 2) before |= back & 2 ? 2 : 1;
      if (tags & 4) before |= back & 4 ? 2 : 1;
      if (tags & 8) before |= back & 8 ? 8 : 4;
      tags = before;
      if (tags == 4 || tags == 8) {
        single = tags == 8;
        return j;
      }
    }
    return 0;
  }

  // Follows the back pointers; fills ends_ from its back.
  SEGMENTER_NOINLINE WordEnds trace(uint32_t s, uint32_t n, bool single) {
    // for the back bits of a position and, lower, of the one before it, a byte per tag: bit 0 says
    // whether a word ends at the latter, bits 3 and 4 are the tag before both
    struct Table {
      uint32_t ends[256];
      Table() {
        for (uint32_t m = 0; m < 256; ++m) {
          ends[m] = 0;
          for (uint32_t t = 0; t < 4; ++t) {
            const uint32_t middle = before(m >> 4, t);
            ends[m] |= (middle >> 1 | before(m & 15, middle) << 3) << 8 * t;
          }
        }
      }
      // B and S follow E or S, M and E follow B or M
      static uint32_t before(uint32_t back, uint32_t t) {
        const uint32_t second = back >> t & 1;
        return t == 0 || t == 3 ? 2 + second : second;
      }
    };
    static const Table table;
    const uint8_t* const first = back_.data();
    Token* const ends = ends_.data();
    auto put = [=](size_t k, uint64_t end) {
#if SEGMENTER_LITTLE_ENDIAN
      std::memcpy(static_cast<void*>(ends + k), &end, sizeof end);  // one store: {end, 0}
#else
      ends[k] = Token{uint32_t(end), 0};
#endif
    };
    size_t to = n;
    uint64_t end = s + n;
    uint32_t t = single ? 24 : 16;
    const uint8_t* back = first + n;
    for (; back - first >= 2; back -= 2, end -= 2) {
      put(to - 1, end);
      to -= t >> 4;  // E and S end a word
      const uint32_t two = table.ends[uint32_t(back[-1]) << 4 | back[-2]] >> t;
      put(to - 1, end - 1);
      to -= two & 1;
      t = two & 24;
    }
    if (back != first) {
      put(to - 1, end);
      to -= t >> 4;
    }
    return WordEnds{ends + to, n - to};
  }

 private:
  Capacity capacity_;          // of back_ and ends_
  std::vector<uint8_t> back_;  // which predecessor each tag has, a bit per tag
  std::vector<Token> ends_;
  int32_t last_[kTags] = {};  // scores of the tags of the last position

#if SEGMENTER_SSE4
  // With G groups of states, added here because a step spends time waiting for the one before.
  template <int G>
  SEGMENTER_NOINLINE void search_vector(const TaggerModel& m, const Emissions& scores,
                                        const int32_t* start) {
    const uint32_t n = scores.n;
    const uint8_t* __restrict marks = scores.marks;
    uint8_t* __restrict back = back_.data();
    int16_t* __restrict em = scores.sums;
    const int32_t* w = m.trans;
    const int16_t* __restrict weights = m.state;
    const uint8_t* __restrict states = scores.states;
    auto sums = [&](uint32_t j) {
      __m128i* const at = reinterpret_cast<__m128i*>(em + 4 * size_t(j));
      __m128i sum = _mm_loadl_epi64(at);
      if constexpr (G > 0) {
        sum = LexiconStates::added<G>(sum, states + LexiconStates::kBytes * size_t(j), weights);
        _mm_storel_epi64(at, sum);
      }
      return _mm_cvtepi16_epi32(sum);
    };
    const TagLanes ways(w);
    __m128i v = _mm_add_epi32(sums(0), _mm_setr_epi32(start[0], kTagNever, kTagNever, start[3]));
    for (uint32_t j = 1; j < n;) {
      uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::look(1024);
      for (; j < stop; ++j) {
        __m128i e = sums(j);
        e = _mm_add_epi32(e, TagLanes::penalty(marks[j]));
        const __m128i a = ways.first(v, e), b = ways.second(v, e);
        back[j] = uint8_t(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(b, a))));
        v = _mm_max_epi32(a, b);
      }
      v = TagLanes::level(v);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(last_), v);
  }
#endif

  SEGMENTER_NOINLINE void search_plain(const TaggerModel& m, const Emissions& scores,
                                       const int32_t* start) {
    const uint32_t n = scores.n;
    int32_t v[kTags], e[kTags], q[kTags];
    uint8_t before[kTags];
    scores.at(0, e);
    for (int t = 0; t < kTags; ++t) v[t] = e[t] + (Tags::begins(t) ? start[t] : kTagNever);
    for (uint32_t j = 1; j < n;) {
      const uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::look(1024);
      for (; j < stop; ++j) {
        scores.at(j, e);
        best_step(m.trans, v, e, q, before);
        std::memcpy(v, q, sizeof v);
        // each tag has two predecessors: B or M, or E or S
        back_[j] = uint8_t((before[0] & 1) | (before[1] & 1) << 1 | (before[2] & 1) << 2 |
                           (before[3] & 1) << 3);
      }
      const int32_t base = v[2];
      for (int32_t& x : v) x = std::max(x - base, kTagNever);  // prevents overflow
    }
    std::memcpy(last_, v, sizeof v);
  }
};

}  // namespace segmenter
