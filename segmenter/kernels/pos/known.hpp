// What a tagger adds to its file in memory: which features exist, and what words contribute by
// themselves.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "pos/pos.hpp"

namespace segmenter {

// What the features of one word alone add to the sums of tags.
struct PosSelf {
  const int8_t* near[kPosNears];  // [lanes()] for the word's neighbours, by kPosNearAt
  const int16_t* own;             // [lanes()] for the word; nullptr: look its features up
};

// Words are looked up once, by one thread at a time; results never move and serve all threads. A
// word with a choice of tags takes 150 to 300 bytes, others 50 to 150.
class PosKnown {
 public:
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
      for (uint32_t k = 0; k < 4; ++k, mask &= mask - 1)
        first_tags_[c] |= (mask ? uint32_t(__builtin_ctzll(mask)) : first) << (8 * k);
      if (mask) first_tags_[c] |= kMore;
    }
    by_slot_.assign(n_slots, nullptr);
    none_.assign(model.lanes(), 0);
    unknown_ = make(PosWord());
    unknown_.own = nullptr;
  }
  // For a word outside the trie.
  const PosSelf* unknown() const { return &unknown_; }
  void look_up(PosWord& word) {
    word.self = &unknown_;
    if (word.id == 0 || word.id >= by_slot_.size()) return;
    const PosSelf*& self = by_slot_[word.id];
    if (__builtin_expect(!self, 0)) {
      selves_.push_back(make(word));
      self = &selves_.back();
    }
    word.self = self;
  }
  // For each bucket, one bit per feature: nine in ten features without weights end here.
  const uint64_t* guards() const { return guards_.data(); }
  // For each class its first four tags, one byte each; if it has fewer, the first repeated.
  const uint32_t* first_tags() const { return first_tags_.data(); }
  bool has_more(uint32_t cls) const { return first_tags_[cls] & kMore; }

 private:
  static constexpr uint32_t kMore = 0x80;  // in the first tag, which is below 64
  static constexpr size_t kChunk = 1 << 14;
  const PosModel* model_ = nullptr;
  std::vector<uint64_t> guards_;
  std::vector<uint32_t> first_tags_;
  std::vector<const PosSelf*> by_slot_;
  std::deque<PosSelf> selves_;
  std::vector<int8_t> none_;
  PosSelf unknown_{};
  std::vector<std::unique_ptr<int8_t[]>> chunks_;
  size_t left_ = 0;

  int8_t* room(size_t size) {  // zeroed, aligned to two bytes
    if (left_ < size) {
      chunks_.emplace_back(new int8_t[kChunk]());
      left_ = kChunk;
    }
    left_ -= size;
    return chunks_.back().get() + left_;
  }
  SEGMENTER_NOINLINE PosSelf make(const PosWord& word) {
    const PosModel& m = *model_;
    PosSelf out;
    bool found;
    for (uint32_t i = 0; i < kPosNears; ++i) {
      const uint32_t feature = m.find(pos_half(pos_sum(kPosNearPattern + i, word.id)), found);
      const uint8_t* block = m.block(feature);
      if (!found) out.near[i] = none_.data();
      else if (PosModel::has_row(block)) out.near[i] = m.row(block);
      else {
        int8_t* row = room(m.lanes());
        PosModel::add_block(block, row);
        out.near[i] = row;
      }
    }
    out.own = nullptr;
    if (m.single(word.cls) != kNoTag) return out;
    int16_t* own = reinterpret_cast<int16_t*>(room(2 * m.lanes()));
    const PosWord around[5] = {{}, {}, word, {}, {}};
    pos_features<kPosOwn>(around + 2, 0, 0, m.affixes[word.cls], [&](uint64_t sum) {
      const uint32_t feature = m.find(pos_half(sum), found);
      if (found) m.add(feature, own);
    });
    out.own = own;
    return out;
  }
};

}  // namespace segmenter
