// Prefetches the memory that the words of a short text need, while the text is scored.
//
// The tables lie outside the second-level cache. A long text waits for many look-ups at once; a short one
// would wait for a chain of them, record after pilot, entry after record, object after entry, and
// that is more than half of its time.
#pragma once
#include <cstddef>
#include <cstdint>

#include "compiler.hpp"

namespace segmenter {

class WordPrefetch {
 public:
  static constexpr size_t kCharacters = 64;  // longer texts prefetch nothing

  // `table`: pointers to the caller's objects by slot (Request::shared); null: no prefetching.
  void begin(const void* const* table) { table_ = table; }
  // Begins a stretch: forgets the words of the one before.
  void begin_stretch() { n_ = n_fetched_ = 0; }
  bool active() const { return table_; }
  // Prefetches the entry of a word that may be in the path.
  void fetch_entry(size_t slot) const { __builtin_prefetch(table_ + slot); }
  // Notes two characters, if they are a word.
  void add_pair(bool is_word, size_t slot) {
    slots_[n_] = uint32_t(slot);
    n_ += size_t(is_word);
  }
  // Notes a word of three or more characters and prefetches its entry.
  void add_longer(size_t slot) {
    fetch_entry(slot);
    if (n_ < kCapacity) slots_[n_++] = uint32_t(slot);
  }
  // Prefetches the objects of the words noted since the last call; their entries have arrived by
  // now, or nearly.
  void fetch_objects() {
    for (; n_fetched_ < n_; ++n_fetched_) __builtin_prefetch(table_[slots_[n_fetched_]], 1);
  }

 private:
  static constexpr size_t kCapacity = 2 * kCharacters;  // pairs alone are at most half of it

  const void* const* table_ = nullptr;
  size_t n_ = 0, n_fetched_ = 0;
  uint32_t slots_[kCapacity];
};

}  // namespace segmenter
