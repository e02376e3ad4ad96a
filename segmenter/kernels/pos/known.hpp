// What a tagger adds to its file in memory: which features exist, and what words contribute by
// themselves.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "pos/pos.hpp"

namespace segmenter {

// Words are looked up once, by one thread at a time; results never move and serve all threads. What
// a word adds to the sums of its neighbours takes up to 256 bytes, one row for each place; to its
// own 8 bytes, or two per tag if it may have more than four.
class PosKnown {
 public:
  static constexpr uint32_t kFirst = 4;

  void begin(const PosModel& model, size_t n_slots) {
    model_ = &model;
    guards_.assign(model.n_buckets, 0);
    for (size_t b = 0; b < guards_.size(); ++b)
      for (uint32_t k = 0; k < PosModel::kPlaces; ++k)
        guards_[b] |= uint64_t(1) << (model.table[b * PosModel::kBucket + k] & 63);
    first_tags_.assign(model.n_classes, 0);
    for (uint32_t c = 0; c < model.n_classes; ++c) {
      uint64_t mask = model.masks[c];
      const uint32_t first = uint32_t(__builtin_ctzll(mask));
      for (uint32_t k = 0; k < kFirst; ++k, mask &= mask - 1)
        first_tags_[c] |= (mask ? uint32_t(__builtin_ctzll(mask)) : first) << (8 * k);
      if (mask) first_tags_[c] |= kMore;
    }
    by_slot_.assign(n_slots, nullptr);
    none_.assign(kPosNears * model.lanes(), 0);
    for (uint16_t cls = 0; cls < kShapes; ++cls) {
      PosWord word;
      word.cls = cls;
      shapes_[cls] = near(word);
    }
  }
  void look_up(PosWord& word) {
    const PosModel& m = *model_;
    word.only = uint8_t(m.single(word.cls));
    word.own = nullptr;
    if (word.id == 0 || word.id >= by_slot_.size()) {
      word.near = shapes_[word.cls];
      return;
    }
    const Self*& self = by_slot_[word.id];
    if (__builtin_expect(!self, 0)) {
      selves_.push_back(make(word));
      self = &selves_.back();
    }
    word.near = self->near;
    word.own = self->own;
  }
  PosWord boundary() {
    PosWord word;
    look_up(word);
    return word;
  }
  // Nine in ten features without weights end here: a bit per feature of a bucket.
  uint32_t may_exist(uint32_t half) const {
    return guards_[uint64_t(half) * model_->n_buckets >> 32] >> (half & 63) & 1;
  }
  // For each class its first four tags, one byte each; if it has fewer, the first repeated.
  const uint32_t* first_tags() const { return first_tags_.data(); }
  static bool has_more(uint32_t first_tags) { return first_tags & kMore; }

 private:
  struct Self {
    const int8_t* near;  // [kPosNears][lanes()]
    const int16_t* own;  // of each tag of its class, in their order; at least kFirst of them
  };
  static constexpr uint32_t kMore = 0x80;  // in the first tag, which is below 64
  static constexpr size_t kChunk = 1 << 14;
  static constexpr int16_t kAbsent = -0x4000;  // below every sum
  const PosModel* model_ = nullptr;
  std::vector<uint64_t> guards_;
  std::vector<uint32_t> first_tags_;
  std::vector<const Self*> by_slot_;
  std::deque<Self> selves_;
  const int8_t* shapes_[kShapes] = {};  // near, of words outside the trie
  std::vector<int8_t> none_;
  std::vector<std::unique_ptr<int8_t[]>> chunks_;
  size_t left_ = 0;

  int8_t* room(size_t size) {  // aligned to two bytes
    size = (size + 1) / 2 * 2;
    if (left_ < size) {
      chunks_.emplace_back(new int8_t[kChunk]);
      left_ = kChunk;
    }
    left_ -= size;
    return chunks_.back().get() + left_;
  }
  // The weights of one feature, as they are added.
  void add(uint64_t sum, int16_t* sums) const {
    bool found;
    const uint32_t feature = model_->find(pos_half(sum), found);
    if (found) model_->add(feature, sums);
  }
  // Two features each, of the word and of its class; together they stay in 8 bits.
  const int8_t* near(const PosWord& word) {
    const uint32_t lanes = model_->lanes();
    int8_t rows[kPosNears * 64];
    bool any = false;
    for (uint32_t i = 0; i < kPosNears; ++i) {
      int16_t sums[64] = {};
      add(pos_sum(kPosNearPattern + i, word.id), sums);
      add(pos_sum(kPosNearClass + i, word.cls), sums);
      for (uint32_t k = 0; k < lanes; ++k) {
        any |= sums[k] != 0;
        rows[i * lanes + k] = int8_t(std::clamp<int>(sums[k], -128, 127));
      }
    }
    if (!any) return none_.data();
    int8_t* out = room(kPosNears * lanes);
    std::copy(rows, rows + kPosNears * lanes, out);
    return out;
  }
  SEGMENTER_NOINLINE Self make(const PosWord& word) {
    const PosModel& m = *model_;
    Self out{near(word), nullptr};
    uint64_t mask = m.masks[word.cls];
    if (!(mask & (mask - 1))) return out;
    int16_t sums[64] = {};
    const PosWord around[5] = {{}, {}, word, {}, {}};
    pos_features<kPosOwn>(around + 2, 0, 0, m.affixes[word.cls],
                          [&](uint64_t sum) { add(sum, sums); });
    const uint32_t n = std::max(kFirst, uint32_t(__builtin_popcountll(mask)));
    int16_t* own = reinterpret_cast<int16_t*>(room(2 * n));
    for (uint32_t k = 0; k < n; ++k, mask &= mask - 1)
      own[k] = mask ? sums[__builtin_ctzll(mask)] : kAbsent;
    out.own = own;
    return out;
  }
};

}  // namespace segmenter
