// Decides the tags of a group of words from left to right.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compiler.hpp"
#include "pos/known.hpp"
#include "pos/pos.hpp"

namespace segmenter {

// The tables exceed a core's cache, a look-up is three dependent loads, and whether a feature has
// weights, and how many, is unpredictable. So each step is done for all features of all the words,
// without a branch. Features of the preceding tags are looked up for the tags that the words' own
// features would decide; where the decided tag differs, they are looked up again.
class PosGroup {
 public:
  static constexpr uint32_t kWords = 32;

  // Words `open` of `around`, all looked up; tags[k] is that of around[k], kNoTag if still open.
  void run(const PosModel& m, const PosKnown& known, const PosWord* around, const uint32_t* open,
           uint32_t n, uint8_t* tags) {
    switch (m.lanes() / 16) {
      case 1:
        return decide<16>(m, known, around, open, n, tags);
      case 2:
        return decide<32>(m, known, around, open, n, tags);
      case 3:
        return decide<48>(m, known, around, open, n, tags);
      default:
        return decide<64>(m, known, around, open, n, tags);
    }
  }

 private:
  struct Ask {
    uint32_t what, word;  // half of a key, later a feature's number; of which word
  };
  template <uint32_t lanes>
  using Sums = int16_t[kWords][lanes];  // up to kPosFeatures weights of 8 bits each

  // Features to look up.
  class Asking {
   public:
    Asking(const PosModel& m, const PosKnown& known, Ask* list)
        : guards_(known.guards()), n_buckets_(m.n_buckets), end_(list) {}
    void operator()(uint64_t sum, uint32_t word) {
      const uint32_t half = pos_half(sum);
      *end_ = Ask{half, word};
      end_ += guards_[uint64_t(half) * n_buckets_ >> 32] >> (half & 63) & 1;
    }
    const Ask* end() const { return end_; }

   private:
    const uint64_t* const guards_;
    const uint64_t n_buckets_;
    Ask* end_;
  };

  template <uint32_t lanes>
  void decide(const PosModel& m, const PosKnown& known, const PosWord* around, const uint32_t* open,
              uint32_t n, uint8_t* tags) {
    Sums<lanes> sums, all;
    Asking of_words(m, known, asked_);
    for (uint32_t i = 0; i < n; ++i) {
      const PosWord* w = around + open[i];
      const auto take = [&](uint64_t sum) { of_words(sum, i); };
      own_[i] = w->self->own ? w->self->own : kNone;
      prefetch<2 * lanes>(own_[i]);
      for (uint32_t k = 0; k < kPosNears; ++k) prefetch<lanes>(w[kPosNearAt[k]].self->near[k]);
      pos_features<kPosPairs>(w, 0, 0, m.affixes[w->cls], take);
      if (!w->self->own) pos_features<kPosOwn>(w, 0, 0, m.affixes[w->cls], take);
    }
    prefetch_asked(m, of_words.end());
    for (uint32_t i = 0; i < n; ++i) begin<lanes>(own_[i], around + open[i], sums[i]);
    find_asked<lanes>(m, of_words.end());
    add_found<lanes>(m, sums);
    for (uint32_t i = 0; i < n; ++i)
      tags[open[i]] = best<lanes>(m, known, sums[i], around[open[i]].cls);
    Asking of_tags(m, known, asked_);
    for (uint32_t i = 0; i < n; ++i) {
      const PosWord* w = around + open[i];
      t1_[i] = tags[open[i] - 1];
      t2_[i] = tags[open[i] - 2];
      pos_features<kPosTags>(w, t1_[i], t2_[i], m.affixes[w->cls],
                             [&](uint64_t sum) { of_tags(sum, i); });
    }
    prefetch_asked(m, of_tags.end());
    std::memcpy(all, sums, n * sizeof sums[0]);
    find_asked<lanes>(m, of_tags.end());
    add_found<lanes>(m, all);
    for (uint32_t i = 0; i < n; ++i) {
      const PosWord* w = around + open[i];
      const uint32_t t1 = tags[open[i] - 1], t2 = tags[open[i] - 2];
      if (t1 != t1_[i] || t2 != t2_[i]) {
        std::memcpy(all[i], sums[i], sizeof sums[i]);
        Asking again(m, known, asked_);
        pos_features<kPosTags>(w, t1, t2, m.affixes[w->cls], [&](uint64_t sum) { again(sum, i); });
        find_asked<lanes>(m, again.end());
        add_found<lanes>(m, all);
      }
      tags[open[i]] = best<lanes>(m, known, all[i], w->cls);
    }
  }

  // Adds what words contribute to the sums by themselves.
  template <uint32_t lanes>
  static void begin(const int16_t* __restrict own, const PosWord* w, int16_t* __restrict sums) {
    const int8_t* __restrict a = w[kPosNearAt[0]].self->near[0];
    const int8_t* __restrict b = w[kPosNearAt[1]].self->near[1];
    const int8_t* __restrict c = w[kPosNearAt[2]].self->near[2];
    const int8_t* __restrict d = w[kPosNearAt[3]].self->near[3];
    for (uint32_t k = 0; k < lanes; ++k) sums[k] = int16_t(own[k] + a[k] + b[k] + c[k] + d[k]);
  }

  template <uint32_t size>
  static void prefetch(const void* at) {
    for (uint32_t k = 0; k < size; k += 64) __builtin_prefetch(static_cast<const char*>(at) + k);
    __builtin_prefetch(static_cast<const char*>(at) + size - 1);
  }

  void prefetch_asked(const PosModel& m, const Ask* end) const {
    for (const Ask* a = asked_; a != end; ++a) __builtin_prefetch(m.bucket(a->what));
  }

  // Looks up the features asked for; those with rows go to a list of their own.
  template <uint32_t lanes>
  void find_asked(const PosModel& m, const Ask* end) {
    Ask* found_end = asked_;
    for (const Ask* a = asked_; a != end; ++a) {
      bool found;
      const uint32_t feature = m.find(a->what, found), word = a->word;
      __builtin_prefetch(m.block(feature));
      *found_end = Ask{feature, word};
      found_end += found;
    }
    Ask *row_end = rows_, *block_end = asked_;
    for (const Ask* a = asked_; a != found_end; ++a) {
      const Ask ask = *a;
      const uint8_t* at = m.block(ask.what);
      uint32_t row;
      std::memcpy(&row, at + PosModel::kInBlock, 4);
      const uint32_t has_row = PosModel::has_row(at);
      row &= 0 - has_row;
      prefetch<lanes>(m.rows + size_t(row) * lanes);
      *row_end = Ask{row, ask.word};
      *block_end = ask;
      row_end += has_row;
      block_end += 1 - has_row;
    }
    block_end_ = block_end;
    row_end_ = row_end;
  }

  // Adds the weights of the features found.
  template <uint32_t lanes>
  void add_found(const PosModel& m, Sums<lanes>& sums) {
    const Ask *const block_end = block_end_, *const row_end = row_end_;
    for (const Ask* a = asked_; a != block_end; ++a)
      PosModel::add_block(m.block(a->what), sums[a->word]);
    for (const Ask* a = rows_; a != row_end; ++a)
      add_row<lanes>(m.rows + size_t(a->what) * lanes, sums[a->word]);
  }
  template <uint32_t lanes>
  static void add_row(const int8_t* __restrict row, int16_t* __restrict sums) {
#if SEGMENTER_SSE4
    for (uint32_t k = 0; k < lanes; k += 8) {
      __m128i* const to = reinterpret_cast<__m128i*>(sums + k);
      const __m128i by =
          _mm_cvtepi8_epi16(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(row + k)));
      _mm_storeu_si128(to, _mm_add_epi16(_mm_loadu_si128(to), by));
    }
#else
    for (uint32_t k = 0; k < lanes; ++k) sums[k] = int16_t(sums[k] + row[k]);
#endif
  }

  // The tag of the largest sum among those of a class; the first of equals.
  template <uint32_t lanes>
  static uint8_t best(const PosModel& m, const PosKnown& known, const int16_t* sums, uint32_t cls) {
    // most words may have two to four tags, and how many is unpredictable
    const uint32_t tags = known.first_tags()[cls];
    if (__builtin_expect(known.has_more(cls), 0))
      return uint8_t(best_of_many<lanes>(sums, m.masks[cls]));
    uint32_t best = tags & 0xFF;
    int32_t most = sums[best];
    for (uint32_t k = 8; k < 32; k += 8) {
      const uint32_t tag = tags >> k & 0xFF;
      const int32_t sum = sums[tag];
      best = sum > most ? tag : best;
      most = std::max(most, sum);
    }
    return uint8_t(best);
  }
  template <uint32_t lanes>
  static uint32_t best_of_many(const int16_t* sums, uint64_t mask) {
    uint32_t least = ~uint32_t(0);  // how far a sum is below the maximum << 8 | its tag
#if SEGMENTER_SSE4
    const __m128i bits = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128),
                  top = _mm_set1_epi16(INT16_MAX);
    for (uint32_t k = 0; k < lanes; k += 8) {
      const __m128i in = _mm_and_si128(_mm_set1_epi16(int16_t(mask >> k & 0xFF)), bits);
      const __m128i out = _mm_cmpeq_epi16(in, _mm_setzero_si128());
      const __m128i sum = _mm_loadu_si128(reinterpret_cast<const __m128i*>(sums + k));
      const __m128i lacks = _mm_or_si128(_mm_sub_epi16(top, sum), out);
      const uint32_t found = uint32_t(_mm_cvtsi128_si32(_mm_minpos_epu16(lacks)));
      least = std::min(least, (found & 0xFFFF) << 8 | (k + (found >> 16)));
    }
#else
    for (; mask; mask &= mask - 1) {
      const uint32_t tag = uint32_t(__builtin_ctzll(mask));
      least = std::min(least, uint32_t(INT16_MAX - sums[tag]) << 8 | tag);
    }
#endif
    return least & 0xFF;
  }

  static constexpr int16_t kNone[64] = {};
  // ends of what is found, in asked_ and rows_
  const Ask *block_end_ = nullptr, *row_end_ = nullptr;
  const int16_t* own_[kWords];
  uint32_t t1_[kWords], t2_[kWords];
  Ask asked_[kWords * kPosFeatures + 1], rows_[kWords * kPosFeatures + 1];
};

}  // namespace segmenter
