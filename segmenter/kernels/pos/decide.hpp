// Decides the tags of words that may have several; see pos/pos.hpp.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "compiler.hpp"
#include "pos/known.hpp"
#include "pos/pos.hpp"

namespace segmenter {

// The two largest sums among the tags of a class; of equal sums the first counts as larger. A sum
// and its tag are one number.
class PosTop {
 public:
  // By differences, because GCC compiles minima and maxima to branches, and which tag leads is
  // unpredictable.
  void add(int32_t sum, uint32_t tag) {
    const int32_t key = sum * kTags + int32_t(kTags - 1 - tag);
    const int32_t ahead = below(best_ - key);
    best_ -= ahead;
    second_ -= below(second_ - (key + ahead));
  }
  uint32_t tag() const { return kTags - 1 - (uint32_t(best_) & (kTags - 1)); }
  int32_t margin() const { return (best_ >> kBits) - (second_ >> kBits); }

 private:
  static constexpr int kBits = 6, kTags = 1 << kBits;
  static constexpr int32_t kLeast = -(1 << 29);
  static int32_t below(int32_t x) { return x & (x >> 31); }  // min(x, 0)
  int32_t best_ = kLeast, second_ = kLeast;
};

class PosDecider {
 public:
  PosDecider(const PosModel& m, const PosKnown& cache) : m_(m), cache_(cache), lanes_(m.lanes()) {}

  // Decides a tag by the features that see one word alone; returns whether they do so by a margin.
  bool decide_alone(const PosWord* w, uint8_t& tag) {
    PosTop top;
    const uint32_t tags = cache_.first_tags()[w->cls];
    if (__builtin_expect(!PosKnown::has_more(tags) && w->own_sums, 1)) {
      // most words may have two to four tags, and how many is unpredictable
      const int8_t *const a = near(w, 0), *const b = near(w, 1), *const c = near(w, 2),
                          *const d = near(w, 3);
      for (uint32_t k = 0; k < PosKnown::kFirst; ++k) {
        const uint32_t t = tags >> (8 * k) & 0xFF;
        top.add(w->own_sums[k] + a[t] + b[t] + c[t] + d[t], t);
      }
    } else {
      first_sums(w);
      top = top_of(w->cls);
    }
    tag = uint8_t(top.tag());
    return top.margin() >= m_.margin;
  }
  // Decides a tag by all features, after the tags t2 and t1.
  uint8_t decide_in_context(const PosWord* w, uint32_t t1, uint32_t t2) {
    first_sums(w);
    add<kPosSecond>(w, t1, t2);
    return uint8_t(top_of(w->cls).tag());
  }

 private:
  const int8_t* near(const PosWord* w, uint32_t i) const {
    return w[kPosNearOffsets[i]].near_sums + i * lanes_;
  }
  // Looks features up and adds their weights.
  template <uint32_t parts>
  void add(const PosWord* w, uint32_t t1, uint32_t t2) {
    uint32_t halves[kPosFeatures + 1], *halves_end = halves;
    // branch-free, because which features have weights is unpredictable
    pos_features<parts>(w, t1, t2, m_.affixes[w->cls], [&](uint64_t sum) {
      const uint32_t half = pos_half(sum);
      *halves_end = half;
      halves_end += cache_.may_exist(half);
    });
    // buckets, blocks and rows lie anywhere in the file: all are prefetched before one is read
    for (const uint32_t* p = halves; p != halves_end; ++p) __builtin_prefetch(m_.bucket(*p));
    uint32_t features[kPosFeatures + 1], *features_end = features;
    for (const uint32_t* p = halves; p != halves_end; ++p) {
      bool found;
      *features_end = m_.find(*p, found);
      __builtin_prefetch(m_.block(*features_end));
      features_end += found;
    }
    for (const uint32_t* p = features; p != features_end; ++p)
      if (PosModel::has_row(m_.block(*p))) __builtin_prefetch(m_.row(m_.block(*p)));
    for (const uint32_t* p = features; p != features_end; ++p) m_.add(*p, sums_);
  }
  void first_sums(const PosWord* w) {
    const int8_t *const a = near(w, 0), *const b = near(w, 1), *const c = near(w, 2),
                        *const d = near(w, 3);
    for (uint32_t k = 0; k < lanes_; ++k) sums_[k] = int16_t(a[k] + b[k] + c[k] + d[k]);
    if (!w->own_sums) return add<kPosOwn>(w, 0, 0);
    uint32_t k = 0;
    for (uint64_t mask = m_.masks[w->cls]; mask; mask &= mask - 1)
      sums_[__builtin_ctzll(mask)] += w->own_sums[k++];
  }
  PosTop top_of(uint32_t cls) const {
    PosTop top;
    for (uint64_t mask = m_.masks[cls]; mask; mask &= mask - 1) {
      const uint32_t tag = uint32_t(__builtin_ctzll(mask));
      top.add(sums_[tag], tag);
    }
    return top;
  }

  const PosModel& m_;
  const PosKnown& cache_;
  const uint32_t lanes_;
  int16_t sums_[64];  // up to kPosFeatures weights of 8 bits each
};

}  // namespace segmenter
