// The margin of each boundary of a stretch: the best score of the paths that have the boundary minus
// the best score of the paths that do not (forward-backward with maxima instead of
// sums).
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "interrupt.hpp"
#include "tagging/viterbi.hpp"

namespace segmenter {

class BoundaryMargins {
 public:
  // [n]: of the boundary after each position, in units of the score; at most -kTagNever, if no path
  // decides otherwise.
  std::vector<int32_t> values;

  // The scores are complete: no states are left to add.
  void run(const TaggerModel& m, const Emissions& scores) {
    values.assign(scores.n, 0);
#if SEGMENTER_SSE4
    run_vector(m, scores);
#else
    run_plain(m, scores);
#endif
  }

 private:
  std::vector<int32_t> forward_;  // scores of the best paths to each tag, four per position

  void run_plain(const TaggerModel& m, const Emissions& scores) {
    const int32_t* w = m.trans;
    const uint32_t n = scores.n;
    std::vector<int64_t> f(size_t(n) * kTags);
    int64_t b[kTags], c[kTags];
    int32_t e[kTags];
    uint8_t before[kTags];
    scores.at(0, e);
    for (int t = 0; t < kTags; ++t)
      f[size_t(t)] = e[t] + (Tags::begins(t) ? m.start[t] : kTagNever);
    for (uint32_t j = 1; j < n; ++j) {
      if (!(j & 1023)) Interrupt::look(1024);
      scores.at(j, e);
      best_step(w, &f[kTags * size_t(j - 1)], e, &f[kTags * size_t(j)], before);
    }
    for (int t = 0; t < kTags; ++t) b[t] = Tags::ends(t) ? 0 : kTagNever;
    for (uint32_t j = n; j-- > 0;) {
      if (!(j & 1023) && j) Interrupt::look(1024);
      const int64_t* x = &f[kTags * size_t(j)];
      int64_t open = INT64_MIN, shut = INT64_MIN;
      for (int t = 0; t < kTags; ++t) {
        int64_t& side = Tags::ends(t) ? shut : open;
        side = std::max(side, x[t] + b[t]);
      }
      int64_t gap = shut > open ? shut - open : open - shut;
      values[j] = int32_t(std::min<int64_t>(gap, -int64_t(kTagNever)));
      if (j == 0) break;
      scores.at(j, e);
      for (int t = 0; t < kTags; ++t) {
        c[t] = INT64_MIN;
        for (int to = 0; to < kTags; ++to)
          if (Tags::follows(t, to)) c[t] = std::max(c[t], w[kTags * t + to] + e[to] + b[to]);
      }
      std::memcpy(b, c, sizeof b);
    }
  }

#if SEGMENTER_SSE4
  // One lane per tag. A path passes a forbidden tag at most twice in a row, so sums of both
  // directions fit.
  SEGMENTER_NOINLINE void run_vector(const TaggerModel& m, const Emissions& scores) {
    const uint32_t n = scores.n;
    const uint8_t* const marks = scores.marks;
    const int16_t* const em = scores.sums;
    const int32_t* w = m.trans;
    auto score = [&](uint32_t j) {
      const __m128i sum =
          _mm_cvtepi16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(em + 4 * size_t(j))));
      return j ? _mm_add_epi32(sum, TagLanes::penalty(marks[j])) : sum;
    };
    forward_.resize(size_t(n) * 4);
    auto at = [&](uint32_t j) {
      return reinterpret_cast<__m128i*>(forward_.data() + 4 * size_t(j));
    };
    const TagLanes ways(w);
    __m128i v =
        _mm_add_epi32(score(0), _mm_setr_epi32(m.start[0], kTagNever, kTagNever, m.start[3]));
    _mm_storeu_si128(at(0), v);
    for (uint32_t j = 1; j < n; ++j) {
      if (!(j & 1023)) v = TagLanes::level(v), Interrupt::look(1024);
      const __m128i e = score(j);
      _mm_storeu_si128(at(j), v = _mm_max_epi32(ways.first(v, e), ways.second(v, e)));
    }
    // successors: M or E of B and M; B or S of E and S
    const __m128i u1 = _mm_setr_epi32(w[1], w[5], w[8], w[12]);
    const __m128i u2 = _mm_setr_epi32(w[2], w[6], w[11], w[15]);
    v = _mm_setr_epi32(kTagNever, kTagNever, 0, 0);
    for (uint32_t j = n; j-- > 0;) {
      const __m128i both = _mm_add_epi32(_mm_loadu_si128(at(j)), v);
      const __m128i sides = _mm_max_epi32(both, _mm_shuffle_epi32(both, _MM_SHUFFLE(2, 3, 0, 1)));
      const int32_t gap = _mm_cvtsi128_si32(sides) - _mm_extract_epi32(sides, 2);
      values[j] = std::min(std::abs(gap), -kTagNever);
      if (!(j & 1023) && j) v = TagLanes::level(v), Interrupt::look(1024);
      const __m128i x = _mm_add_epi32(score(j), v);
      v = _mm_max_epi32(_mm_add_epi32(_mm_shuffle_epi32(x, _MM_SHUFFLE(0, 0, 1, 1)), u1),
                        _mm_add_epi32(_mm_shuffle_epi32(x, _MM_SHUFFLE(3, 3, 2, 2)), u2));
    }
  }
#endif
};

}  // namespace segmenter
