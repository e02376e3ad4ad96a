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
  // Penalties of the tags of a character, by the marks before it.
  alignas(16) static constexpr int32_t kPenalty[4][4] = {{0, 0, 0, 0},
                                                         {0, kTagNever, kTagNever, 0},
                                                         {kTagNever, 0, 0, kTagNever},
                                                         {0, kTagNever, kTagNever, 0}};
  __m128i from_first, from_second;

  explicit TagLanes(const int32_t* w)
      : from_first(_mm_setr_epi32(w[8], w[1], w[2], w[11])),
        from_second(_mm_setr_epi32(w[12], w[5], w[6], w[15])) {}
  __m128i first(__m128i scores, __m128i emission) const {
    return _mm_add_epi32(_mm_shuffle_epi32(scores, _MM_SHUFFLE(2, 0, 0, 2)),
                         _mm_add_epi32(from_first, emission));
  }
  __m128i second(__m128i scores, __m128i emission) const {
    return _mm_add_epi32(_mm_shuffle_epi32(scores, _MM_SHUFFLE(3, 1, 1, 3)),
                         _mm_add_epi32(from_second, emission));
  }
  static __m128i penalty(uint8_t mark) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(kPenalty[mark & 3]));
  }
  static __m128i rebased(__m128i scores) {  // prevents overflow
    return _mm_max_epi32(_mm_sub_epi32(scores, _mm_shuffle_epi32(scores, _MM_SHUFFLE(2, 2, 2, 2))),
                         _mm_set1_epi32(kTagNever));
  }
};
#endif

// The words of a path: tokens in the memory of the search. Their `end` is set, their `label` is not
// yet.
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
      Interrupt::poll(size);
      ends_.resize(size);
      Interrupt::poll(size);
    });
  }

  // The words of the best path of a stretch that begins at s in the text. Adds the weights of
  // lexicon states to the scores.
  WordEnds best(const TaggerModel& m, Emissions& scores, uint32_t s) {
    search(m, scores, m.start);
    return trace(s, scores.n, ends_in_single());
  }

  // The same in steps. search(): the recursion over the stretch; `start`: scores of the tags B and
  // S of its first character. ends_in_single(): whether the best path ends in a word of one
  // character. trace(): the path of n characters that ends in such a word, or in a longer one.
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
      uint32_t previous = 0;
      if (tags & 1) previous |= back & 1 ? 8 : 4;  // B and S follow E or S, M and E follow B or M
      if (tags & 2) previous |= back & 2 ? 2 : 1;
      if (tags & 4) previous |= back & 4 ? 2 : 1;
      if (tags & 8) previous |= back & 8 ? 8 : 4;
      tags = previous;
      if (tags == 4 || tags == 8) {
        single = tags == 8;
        return j;
      }
    }
    return 0;
  }

  // Follows the back pointers; fills ends_ from its back.
  SEGMENTER_NOINLINE WordEnds trace(uint32_t s, uint32_t n, bool single) {
    // indexed by the back bits of a position (high) and of the one before it (low); a byte per
    // tag: bit 0: a word ends at the earlier position; bits 3 and 4: the tag before both
    struct Table {
      uint32_t ends[256];
      Table() {
        for (uint32_t bits = 0; bits < 256; ++bits) {
          ends[bits] = 0;
          for (uint32_t tag = 0; tag < 4; ++tag) {
            const uint32_t previous = predecessor(bits >> 4, tag);
            ends[bits] |= (previous >> 1 | predecessor(bits & 15, previous) << 3) << 8 * tag;
          }
        }
      }
      // B and S follow E or S, M and E follow B or M
      static uint32_t predecessor(uint32_t back, uint32_t tag) {
        const uint32_t second = back >> tag & 1;
        return tag == 0 || tag == 3 ? 2 + second : second;
      }
    };
    static const Table table;
    const uint8_t* const back_begin = back_.data();
    Token* const ends = ends_.data();
    auto store_end = [=](size_t k, uint64_t end) {
#if SEGMENTER_LITTLE_ENDIAN
      std::memcpy(static_cast<void*>(ends + k), &end, sizeof end);  // one store: {end, 0}
#else
      ends[k] = Token{uint32_t(end), 0};
#endif
    };
    size_t first_word = n;
    uint64_t end = s + n;
    uint32_t tag = single ? 24 : 16;
    const uint8_t* back = back_begin + n;
    for (; back - back_begin >= 2; back -= 2, end -= 2) {
      store_end(first_word - 1, end);
      first_word -= tag >> 4;  // E and S end a word
      const uint32_t pair_ends = table.ends[uint32_t(back[-1]) << 4 | back[-2]] >> tag;
      store_end(first_word - 1, end - 1);
      first_word -= pair_ends & 1;
      tag = pair_ends & 24;
    }
    if (back != back_begin) {
      store_end(first_word - 1, end);
      first_word -= tag >> 4;
    }
    return WordEnds{ends + first_word, n - first_word};
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
    int16_t* __restrict sums = scores.sums;
    const int32_t* trans = m.trans;
    const int16_t* __restrict weights = m.state;
    const uint8_t* __restrict states = scores.states;
    auto emission = [&](uint32_t j) {
      __m128i* const cell = reinterpret_cast<__m128i*>(sums + 4 * size_t(j));
      __m128i sum = _mm_loadl_epi64(cell);
      if constexpr (G > 0) {
        sum =
            LexiconStates::add_states<G>(sum, states + LexiconStates::kBytes * size_t(j), weights);
        _mm_storel_epi64(cell, sum);
      }
      return _mm_cvtepi16_epi32(sum);
    };
    const TagLanes lanes(trans);
    __m128i best =
        _mm_add_epi32(emission(0), _mm_setr_epi32(start[0], kTagNever, kTagNever, start[3]));
    for (uint32_t j = 1; j < n;) {
      uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::poll(1024);
      for (; j < stop; ++j) {
        __m128i column = emission(j);
        column = _mm_add_epi32(column, TagLanes::penalty(marks[j]));
        const __m128i from_first = lanes.first(best, column),
                      from_second = lanes.second(best, column);
        back[j] =
            uint8_t(_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(from_second, from_first))));
        best = _mm_max_epi32(from_first, from_second);
      }
      best = TagLanes::rebased(best);
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(last_), best);
  }
#endif

  SEGMENTER_NOINLINE void search_plain(const TaggerModel& m, const Emissions& scores,
                                       const int32_t* start) {
    const uint32_t n = scores.n;
    int32_t best[kTags], emissions[kTags], next[kTags];
    uint8_t predecessors[kTags];
    scores.column(0, emissions);
    for (int t = 0; t < kTags; ++t)
      best[t] = emissions[t] + (Tags::begins(t) ? start[t] : kTagNever);
    for (uint32_t j = 1; j < n;) {
      const uint32_t stop = std::min(n, j + 1024);
      if (j > 1) Interrupt::poll(1024);
      for (; j < stop; ++j) {
        scores.column(j, emissions);
        best_step(m.trans, best, emissions, next, predecessors);
        std::memcpy(best, next, sizeof best);
        // each tag has two predecessors: B or M, or E or S
        back_[j] = uint8_t((predecessors[0] & 1) | (predecessors[1] & 1) << 1 |
                           (predecessors[2] & 1) << 2 | (predecessors[3] & 1) << 3);
      }
      const int32_t base = best[2];
      for (int32_t& score : best) score = std::max(score - base, kTagNever);  // prevents overflow
    }
    std::memcpy(last_, best, sizeof best);
  }
};

}  // namespace segmenter
