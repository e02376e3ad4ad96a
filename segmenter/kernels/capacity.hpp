// The capacity of columns that grow together.
#pragma once
#include <cstddef>

namespace segmenter {

// Grows only when all columns have grown: after a failed allocation the columns have different
// sizes, and the next call grows all of them again.
class Capacity {
 public:
  Capacity() = default;
  Capacity(const Capacity&) = delete;  // a copy of the columns may have no room
  Capacity& operator=(const Capacity&) = delete;

  size_t size() const { return size_; }
  // If there is no room for n items, calls resize(size), which makes room for `size` >= n items in
  // every column.
  template <class Resize>
  void grow(size_t n, size_t size, Resize&& resize) {
    if (__builtin_expect(n <= size_, 1)) return;
    size_ = 0;
    resize(size);
    size_ = size;
  }

 private:
  size_t size_ = 0;
};

}  // namespace segmenter
