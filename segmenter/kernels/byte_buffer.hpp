// A buffer of bytes that grows.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace segmenter {

// A buffer that is not zeroed when it grows. It may begin in memory that the caller lends: if that
// suffices, it saves a copy of the result, and touching its pages first.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() {
    if (owned_) std::free(data_);
  }
  void lend(char* memory, size_t n) {  // before the first write
    data_ = memory;
    capacity_ = n;
  }
  bool lent() const { return !owned_ && data_; }  // whether all bytes are in lent memory
  char* reserve(size_t n) {                       // room for `n` bytes after the end
    if (size_ + n > capacity_) {
      size_t capacity = size_ + n + capacity_ / 2;
      void* memory = owned_ ? std::realloc(data_, capacity) : std::malloc(capacity);
      if (!memory) throw std::bad_alloc();
      if (!owned_ && size_) std::memcpy(memory, data_, size_);
      owned_ = true;
      data_ = static_cast<char*>(memory);
      capacity_ = capacity;
    }
    return data_ + size_;
  }
  void set_end(const char* end) { size_ = size_t(end - data_); }
  const char* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
  bool owned_ = false;
};

}  // namespace segmenter
