// What the words of a short text will need of memory, asked for while the text is scored.
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
  static constexpr size_t kCharacters = 64;  // of a longer text nothing is asked for ahead

  // `table`: what the caller will read of each word, by slot (Request::shared); null: nothing.
  void begin(const void* const* table) { table_ = table; }
  // Of each stretch: forgets the words of the one before.
  void begin_stretch() { n_ = next_ = 0; }
  bool any() const { return table_; }
  // The entry of a word that may be in the path.
  void fetch_entry(size_t slot) const { __builtin_prefetch(table_ + slot); }
  // Such a word of two characters, if it is one.
  void note(bool is_word, size_t slot) {
    slots_[n_] = uint32_t(slot);
    n_ += size_t(is_word);
  }
  // Such a word of more.
  void note_longer(size_t slot) {
    fetch_entry(slot);
    if (n_ < kMost) slots_[n_++] = uint32_t(slot);
  }
  // What the entries of the words noted since point to; the entries are there by now, or soon.
  void fetch_objects() {
    for (; next_ < n_; ++next_) __builtin_prefetch(table_[slots_[next_]], 1);
  }

 private:
  static constexpr size_t kMost = 2 * kCharacters;  // pairs alone are at most half of it

  const void* const* table_ = nullptr;
  size_t n_ = 0, next_ = 0;
  uint32_t slots_[kMost];
};

}  // namespace segmenter
