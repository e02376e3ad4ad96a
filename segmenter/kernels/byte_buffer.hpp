// A buffer of bytes that grows.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace segmenter {

// Grows without being zeroed. It may begin in memory that the caller lends,
// which saves a copy of the result (and touching its pages first) if the guessed size suffices.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (own_) std::free(data_);
  }
  void lend(char* memory, size_t n) {  // before the first write
    data_ = memory;
    capacity_ = n;
  }
  bool lent() const { return !own_ && data_; }  // whether everything still lies in the lent memory
  char* reserve(size_t more) {                  // room for `more` bytes after the end
    if (size_ + more > capacity_) {
      size_t cap = size_ + more + capacity_ / 2;
      void* p = own_ ? std::realloc(data_, cap) : std::malloc(cap);
      if (!p) throw std::bad_alloc();
      if (!own_ && size_) std::memcpy(p, data_, size_);
      own_ = true;
      data_ = static_cast<char*>(p);
      capacity_ = cap;
    }
    return data_ + size_;
  }
  void grew(const char* end) { size_ = size_t(end - data_); }
  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
  bool own_ = false;
};

}  // namespace segmenter
