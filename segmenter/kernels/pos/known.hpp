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

// A word is looked up once, by one thread at a time; results never move and serve all threads. The
// sums that a word adds to its neighbours take up to 256 bytes, one row for each offset, or
// nothing if every word of its class adds the same; its own sums take 8 bytes, or two per tag if
// it may have more than four. Words outside the trie are identified by the fields that their own
// features see.
class PosKnown {
 public:
  static constexpr uint32_t kFirst = 4;

  PosKnown();
  PosKnown(const PosKnown&) = delete;
  PosKnown& operator=(const PosKnown&) = delete;
  ~PosKnown();

  void begin(const PosModel& model, size_t n_slots);
  void look_up(PosWord& word) {
    const PosModel& m = *model_;
    word.only = uint8_t(m.single(word.cls));
    word.own_sums = nullptr;
    if (word.id == 0 || word.id >= by_slot_.size()) {
      word.near_sums = shapes_[word.cls];
      if (word.id == 0 && word.only == kNoTag) word.own_sums = own_of_unknown(word);
      return;
    }
    uint32_t& number = by_slot_[word.id];
    if (__builtin_expect(!number, 0)) number = add_word(word);
    const Sums& sums = sums_of_words_[number - 1];
    word.near_sums = sums.near_sums;
    word.own_sums = sums.own_sums;
  }
  PosWord boundary() {
    PosWord word;
    look_up(word);
    return word;
  }
  // Rejects nine in ten features without weights, by one bit per feature of a bucket.
  uint32_t may_exist(uint32_t half) const {
    return guards_[uint64_t(half) * model_->n_buckets >> 32] >> (half & 63) & 1;
  }
  // For each class its first four tags, one byte each; if it has fewer, the first repeated.
  const uint32_t* first_tags() const { return first_tags_.data(); }
  static bool has_more(uint32_t first_tags) { return first_tags & kMore; }
  // The approximate memory of the words looked up so far.
  size_t bytes() const {
    return (near_rows_.chunks.size() + own_sums_.chunks.size()) * kChunk +
           sums_of_words_.size() * sizeof(Sums) + unknown_words_.size() * kUnknownBytes;
  }

 private:
  struct Sums {
    const int8_t* near_sums;  // [kPosNears][lanes()]
    const int16_t* own_sums;  // one per tag of its class, in their order; at least kFirst
  };
  // The fields that distinguish words outside the trie.
  struct UnknownWord {
    uint16_t fields[5];
    explicit UnknownWord(const PosWord& word)
        : fields{word.cls, word.first, word.second, word.before_last, word.last} {}
    bool operator==(const UnknownWord& other) const {
      return std::equal(fields, fields + 5, other.fields);
    }
  };
  struct UnknownHash {
    size_t operator()(const UnknownWord& word) const {
      uint64_t h = 0;
      for (uint16_t x : word.fields) h = pos_sum(x, h);
      return size_t(pos_key(h));
    }
  };
  // a word with its sums takes 100 bytes
  static constexpr size_t kMaxUnknownWords = 1 << 15, kUnknownBytes = 64;
  static constexpr uint32_t kMore = 0x80;  // in the first tag, which is below 64
  static constexpr size_t kChunk = 1 << 14;
  static constexpr int16_t kAbsent = -0x4000;  // below every sum
  const PosModel* model_ = nullptr;
  std::vector<uint64_t> guards_;
  std::vector<uint32_t> first_tags_;
  std::vector<uint32_t> by_slot_;  // numbers in sums_of_words_, from 1; 0: not looked up yet
  std::unordered_map<UnknownWord, const int16_t*, UnknownHash> unknown_words_;
  const int8_t* shapes_[kShapes] = {};     // near sums of words outside the trie
  std::vector<const int8_t*> class_near_;  // near sums of words without such features of their own
  struct alignas(64) Line {
    int8_t values[64];
  };
  // Memory whose addresses never change.
  template <class T>
  struct Arena {
    std::vector<std::unique_ptr<T[]>> chunks;
    size_t n_free = 0;
    T* allocate(size_t n) {
      if (n_free < n) {
        chunks.push_back(std::make_unique<T[]>(kChunk / sizeof(T)));
        n_free = kChunk / sizeof(T);
      }
      n_free -= n;
      return chunks.back().get() + n_free;
    }
  };
  std::vector<Sums> sums_of_words_;
  Arena<Line> near_rows_;
  Arena<int16_t> own_sums_;

  bool add(uint64_t sum, int16_t* sums) const;
  const int8_t* near(const PosWord& word);
  uint32_t add_word(const PosWord& word);
  const int16_t* own_of_unknown(const PosWord& word);
  const int16_t* own_sums(const PosWord& word);
};

}  // namespace segmenter
