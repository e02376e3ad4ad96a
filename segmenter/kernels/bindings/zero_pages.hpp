// Large tables of zeros that cost nothing until they are touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace segmenter {

// One table. On Linux it lies in pages of 2 MB, if the system gives them: look-ups in any order in
// thousands of small pages wait for page tables more than for the memory itself.
class ZeroPages {
 public:
  ZeroPages() = default;
  ZeroPages(const ZeroPages&) = delete;
  ZeroPages& operator=(const ZeroPages&) = delete;
  ~ZeroPages() { release(); }

  // The table's memory, aligned to a cache line; what it was before is gone.
  void* reserve(size_t bytes) {
    release();
#if defined(__linux__)
    if (bytes >= kHuge) {
      void* const got =
          mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (got == MAP_FAILED) throw std::bad_alloc();
      memory_ = got;
      mapped_ = bytes + kHuge;
      void* const from = aligned(got, kHuge);
      madvise(from, bytes, MADV_HUGEPAGE);  // a wish
      return from;
    }
#endif
    memory_ = std::calloc(bytes + kLine, 1);
    if (!memory_) throw std::bad_alloc();
    return aligned(memory_, kLine);
  }
  void release() {
#if defined(__linux__)
    if (mapped_) munmap(memory_, mapped_);
    else std::free(memory_);
    mapped_ = 0;
#else
    std::free(memory_);
#endif
    memory_ = nullptr;
  }

 private:
  static constexpr size_t kHuge = size_t(1) << 21, kLine = 64;
  static void* aligned(void* p, size_t to) {
    return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(p) + to - 1) / to * to);
  }
  void* memory_ = nullptr;
#if defined(__linux__)
  size_t mapped_ = 0;
#endif
};

}  // namespace segmenter
