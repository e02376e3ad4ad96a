// Memory that fails when it is told to, loaded before the library under test (LD_PRELOAD): the
// allocator of tests/allocations.py.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> made{0}, wrong{0};  // allocations, and those that failed, since fail_at()
std::atomic<long> first{0};           // the one that fails; 0: none does
std::atomic<bool> all{false};         // and all after it

void* allocated(std::size_t size, std::size_t alignment) noexcept {
  const long at = first;
  if (at) {
    const long now = ++made;
    if (now == at || (all && now > at)) {
      ++wrong;
      return nullptr;
    }
  }
  if (alignment)
    return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  return std::malloc(size ? size : 1);
}
void* or_throw(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

// The n-th allocation from now on fails, and if `on` is not 0 all after it; 0: none.
extern "C" void fail_at(long n, int on) {
  first = 0;
  made = wrong = 0;
  all = on != 0;
  first = n;
}
// How many have failed since.
extern "C" long failed() { return wrong; }

void* operator new(std::size_t size) { return or_throw(allocated(size, 0)); }
void* operator new[](std::size_t size) { return or_throw(allocated(size, 0)); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocated(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocated(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return or_throw(allocated(size, std::size_t(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return or_throw(allocated(size, std::size_t(alignment)));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
