// The tables that a tagger computes in memory from its file: which features exist, and the sums of the
// features that see a single word.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "pos/pos.hpp"

namespace segmenter {

// Words are looked up once, by one thread at a time; results never move and serve all threads. What
// a word adds to the sums of its neighbours takes up to 256 bytes, one row for each place, or nothing
// if it is what every word of its class adds; to its own 8 bytes, or two per tag if it may have more
// than four. Words outside the trie are known by what their own features see of them.
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
    by_slot_.assign(n_slots, 0);
    class_near_.assign(model.n_classes, nullptr);
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
      if (word.id == 0 && word.only == kNoTag) word.own = own_of_stranger(word);
      return;
    }
    uint32_t& number = by_slot_[word.id];
    if (__builtin_expect(!number, 0)) {
      selves_.push_back(make(word));
      number = uint32_t(selves_.size());
    }
    const Self& self = selves_[number - 1];
    word.near = self.near;
    word.own = self.own;
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
  // What the words that were looked up take, about.
  size_t bytes() const {
    return (rows_.chunks.size() + sums_.chunks.size()) * kChunk + selves_.size() * sizeof(Self) +
           strangers_.size() * kStranger;
  }

 private:
  struct Self {
    const int8_t* near;  // [kPosNears][lanes()]
    const int16_t* own;  // of each tag of its class, in their order; at least kFirst of them
  };
  // What tells words outside the trie from each other.
  struct Stranger {
    uint16_t of[5];
    explicit Stranger(const PosWord& word)
        : of{word.cls, word.first, word.second, word.before_last, word.last} {}
    bool operator==(const Stranger& other) const { return std::equal(of, of + 5, other.of); }
  };
  struct Hash {
    size_t operator()(const Stranger& word) const {
      uint64_t h = 0;
      for (uint16_t x : word.of) h = pos_sum(x, h);
      return size_t(pos_key(h));
    }
  };
  // with their sums 100 bytes each
  static constexpr size_t kMostStrangers = 1 << 15, kStranger = 64;
  static constexpr uint32_t kMore = 0x80;  // in the first tag, which is below 64
  static constexpr size_t kChunk = 1 << 14;
  static constexpr int16_t kAbsent = -0x4000;  // below every sum
  const PosModel* model_ = nullptr;
  std::vector<uint64_t> guards_;
  std::vector<uint32_t> first_tags_;
  std::vector<uint32_t> by_slot_;  // numbers in selves_, from 1; 0: not looked up yet
  std::unordered_map<Stranger, const int16_t*, Hash> strangers_;
  const int8_t* shapes_[kShapes] = {};     // near, of words outside the trie
  std::vector<const int8_t*> class_near_;  // near, of words that have no such features themselves
  struct alignas(64) Line {
    int8_t of[64];
  };
  // Memory that stays where it is.
  template <class T>
  struct Kept {
    std::vector<std::unique_ptr<T[]>> chunks;
    size_t left = 0;
    T* room(size_t n) {
      if (left < n) {
        chunks.push_back(std::make_unique<T[]>(kChunk / sizeof(T)));
        left = kChunk / sizeof(T);
      }
      left -= n;
      return chunks.back().get() + left;
    }
  };
  std::vector<Self> selves_;
  Kept<Line> rows_;
  Kept<int16_t> sums_;

  // Adds the weights of one feature; false: it has none.
  bool add(uint64_t sum, int16_t* sums) const {
    bool found;
    const uint32_t feature = model_->find(pos_half(sum), found);
    if (found) model_->add(feature, sums);
    return found;
  }
  // Two features each, of the word and of its class; together they stay in 8 bits.
  const int8_t* near(const PosWord& word) {
    int16_t sums[kPosNears][64] = {};
    bool of_word = false;
    for (uint32_t i = 0; i < kPosNears; ++i)
      of_word |= add(pos_sum(kPosNearPattern + i, word.id), sums[i]);
    const int8_t*& shared = class_near_[word.cls];
    if (!of_word && shared) return shared;
    const uint32_t lanes = model_->lanes();
    int8_t* const rows = rows_.room(kPosNears * lanes / sizeof(Line))->of;
    for (uint32_t i = 0; i < kPosNears; ++i) {
      add(pos_sum(kPosNearClass + i, word.cls), sums[i]);
      for (uint32_t k = 0; k < lanes; ++k)
        rows[i * lanes + k] = int8_t(std::clamp<int>(sums[i][k], -128, 127));
    }
    if (!of_word) shared = rows;
    return rows;
  }
  SEGMENTER_NOINLINE Self make(const PosWord& word) {
    const uint64_t mask = model_->masks[word.cls];
    return Self{near(word), mask & (mask - 1) ? own(word) : nullptr};
  }
  // nullptr: too many are known.
  SEGMENTER_NOINLINE const int16_t* own_of_stranger(const PosWord& word) {
    const Stranger stranger(word);
    const auto known = strangers_.find(stranger);
    if (known != strangers_.end()) return known->second;
    if (strangers_.size() == kMostStrangers) return nullptr;
    return strangers_.emplace(stranger, own(word)).first->second;
  }
  const int16_t* own(const PosWord& word) {
    const PosModel& m = *model_;
    uint64_t mask = m.masks[word.cls];
    int16_t sums[64] = {};
    const PosWord around[5] = {{}, {}, word, {}, {}};
    pos_features<kPosOwn>(around + 2, 0, 0, m.affixes[word.cls],
                          [&](uint64_t sum) { add(sum, sums); });
    const uint32_t n = std::max(kFirst, uint32_t(__builtin_popcountll(mask)));
    int16_t* const out = sums_.room(n);
    for (uint32_t k = 0; k < n; ++k, mask &= mask - 1)
      out[k] = mask ? sums[__builtin_ctzll(mask)] : kAbsent;
    return out;
  }
};

}  // namespace segmenter
