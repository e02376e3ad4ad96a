// Replacements of characters, up to three characters each. A bit marks the many that stay
// unchanged.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

namespace segmenter {

class Replacements {
 public:
  static constexpr uint64_t kUnknown = 0, kOdd = ~uint64_t(0);
  Replacements()
      : unchanged_(0x110000 / 64, 0),
        table_(static_cast<uint64_t*>(std::calloc(0x110000, sizeof(uint64_t))), std::free) {
    if (!table_) throw std::bad_alloc();
  }
  // If `n` is above 3, only the caller's steps can replace the character.
  void set(uint32_t cp, const uint32_t* replacement, size_t n) {
    uint64_t entry = uint64_t(1) << 63;
    for (size_t i = 0; i < n && i < 3; ++i) entry |= uint64_t(replacement[i] + 1) << (21 * i);
    if (cp >= 0x110000) return;
    table_.get()[cp] = n > 3 ? kOdd : entry;
    if (n == 1 && replacement[0] == cp) unchanged_[cp >> 6] |= uint64_t(1) << (cp & 63);
  }
  bool same(uint32_t cp) const { return unchanged_[cp >> 6] >> (cp & 63) & 1; }
  uint64_t operator[](uint32_t cp) const { return table_.get()[cp]; }

 private:
  std::vector<uint64_t> unchanged_;
  std::unique_ptr<uint64_t, void (*)(void*)> table_;
};

}  // namespace segmenter
