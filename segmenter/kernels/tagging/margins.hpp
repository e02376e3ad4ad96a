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
  // [n]: the margin of the boundary after each position, in units of the score; at most
  // -kTagNever, where no path differs.
  std::vector<int32_t> values;

  // `scores`: complete, without lexicon states to be added.
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
    const int32_t* trans = m.trans;
    const uint32_t n = scores.n;
    std::vector<int64_t> forward(size_t(n) * kTags);
    int64_t backward[kTags], previous[kTags];
    int32_t emissions[kTags];
    uint8_t predecessors[kTags];
    scores.column(0, emissions);
    for (int t = 0; t < kTags; ++t)
      forward[size_t(t)] = emissions[t] + (Tags::begins(t) ? m.start[t] : kTagNever);
    for (uint32_t j = 1; j < n; ++j) {
      if (!(j & 1023)) Interrupt::poll(1024);
      scores.column(j, emissions);
      best_step(trans, &forward[kTags * size_t(j - 1)], emissions, &forward[kTags * size_t(j)],
                predecessors);
    }
    for (int t = 0; t < kTags; ++t) backward[t] = Tags::ends(t) ? 0 : kTagNever;
    for (uint32_t j = n; j-- > 0;) {
      if (!(j & 1023) && j) Interrupt::poll(1024);
      const int64_t* column_forward = &forward[kTags * size_t(j)];
      int64_t inside = INT64_MIN, boundary = INT64_MIN;
      for (int t = 0; t < kTags; ++t) {
        int64_t& side = Tags::ends(t) ? boundary : inside;
        side = std::max(side, column_forward[t] + backward[t]);
      }
      int64_t margin = boundary > inside ? boundary - inside : inside - boundary;
      values[j] = int32_t(std::min<int64_t>(margin, -int64_t(kTagNever)));
      if (j == 0) break;
      scores.column(j, emissions);
      for (int t = 0; t < kTags; ++t) {
        previous[t] = INT64_MIN;
        for (int next = 0; next < kTags; ++next)
          if (Tags::follows(t, next))
            previous[t] =
                std::max(previous[t], trans[kTags * t + next] + emissions[next] + backward[next]);
      }
      std::memcpy(backward, previous, sizeof backward);
    }
  }

#if SEGMENTER_SSE4
  // One lane per tag. A path passes a forbidden tag at most twice in a row, so sums of both
  // directions fit.
  SEGMENTER_NOINLINE void run_vector(const TaggerModel& m, const Emissions& scores) {
    const uint32_t n = scores.n;
    const uint8_t* const marks = scores.marks;
    const int16_t* const sums = scores.sums;
    const int32_t* trans = m.trans;
    auto emission = [&](uint32_t j) {
      const __m128i sum = _mm_cvtepi16_epi32(
          _mm_loadl_epi64(reinterpret_cast<const __m128i*>(sums + 4 * size_t(j))));
      return j ? _mm_add_epi32(sum, TagLanes::penalty(marks[j])) : sum;
    };
    forward_.resize(size_t(n) * 4);
    auto forward_at = [&](uint32_t j) {
      return reinterpret_cast<__m128i*>(forward_.data() + 4 * size_t(j));
    };
    const TagLanes lanes(trans);
    __m128i v =
        _mm_add_epi32(emission(0), _mm_setr_epi32(m.start[0], kTagNever, kTagNever, m.start[3]));
    _mm_storeu_si128(forward_at(0), v);
    for (uint32_t j = 1; j < n; ++j) {
      if (!(j & 1023)) v = TagLanes::rebased(v), Interrupt::poll(1024);
      const __m128i column = emission(j);
      _mm_storeu_si128(forward_at(j),
                       v = _mm_max_epi32(lanes.first(v, column), lanes.second(v, column)));
    }
    // successors: M or E of B and M; B or S of E and S
    const __m128i to_first = _mm_setr_epi32(trans[1], trans[5], trans[8], trans[12]);
    const __m128i to_second = _mm_setr_epi32(trans[2], trans[6], trans[11], trans[15]);
    v = _mm_setr_epi32(kTagNever, kTagNever, 0, 0);
    for (uint32_t j = n; j-- > 0;) {
      const __m128i through = _mm_add_epi32(_mm_loadu_si128(forward_at(j)), v);
      const __m128i best =
          _mm_max_epi32(through, _mm_shuffle_epi32(through, _MM_SHUFFLE(2, 3, 0, 1)));
      const int32_t margin = _mm_cvtsi128_si32(best) - _mm_extract_epi32(best, 2);
      values[j] = std::min(std::abs(margin), -kTagNever);
      if (!(j & 1023) && j) v = TagLanes::rebased(v), Interrupt::poll(1024);
      const __m128i successor = _mm_add_epi32(emission(j), v);
      v = _mm_max_epi32(
          _mm_add_epi32(_mm_shuffle_epi32(successor, _MM_SHUFFLE(0, 0, 1, 1)), to_first),
          _mm_add_epi32(_mm_shuffle_epi32(successor, _MM_SHUFFLE(3, 3, 2, 2)), to_second));
    }
  }
#endif
};

}  // namespace segmenter
