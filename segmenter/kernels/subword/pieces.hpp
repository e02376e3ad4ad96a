// The bytes of pieces by id, for decoding.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace segmenter {

class PieceBytes {
 public:
  bool knows(uint32_t number) const { return number < places_.size() && places_[number].known; }

  void set(uint32_t number, const char* data, size_t n) {
    if (number >= places_.size()) places_.resize(size_t(number) + 1);
    bytes_.resize(end_ + n + kStep);
    std::memcpy(&bytes_[end_], data, n);
    places_[number] = {end_, uint32_t(n), true};
    end_ += n;
  }

  // The number of bytes that known ids make.
  size_t size(const std::vector<uint32_t>& ids) const {
    size_t total = 0;
    for (uint32_t id : ids) total += places_[id].size;
    return total;
  }

  // Writes size(ids) bytes. Most pieces are short: copying a constant number of bytes is faster
  // than copying the right number, where there is room for it.
  void join(const std::vector<uint32_t>& ids, char* to) const {
    const char* const end = to + size(ids);
    for (uint32_t id : ids) {
      const Place& place = places_[id];
      const char* from = bytes_.data() + place.first;
      if (place.size <= kStep && size_t(end - to) >= kStep) std::memcpy(to, from, kStep);
      else if (place.size) std::memcpy(to, from, place.size);
      to += place.size;
    }
  }

 private:
  static constexpr size_t kStep = 16;
  struct Place {
    size_t first = 0;
    uint32_t size = 0;
    bool known = false;
  };
  std::vector<Place> places_;
  std::string bytes_;  // kStep more than are used
  size_t end_ = 0;
};

}  // namespace segmenter
