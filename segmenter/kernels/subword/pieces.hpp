// The bytes of pieces by id, for decoding.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace segmenter {

class PieceBytes {
 public:
  bool contains(uint32_t id) const { return id < places_.size() && places_[id].present; }

  void set(uint32_t id, const char* data, size_t n) {
    if (id >= places_.size()) places_.resize(size_t(id) + 1);
    bytes_.resize(end_ + n + kStep);
    std::memcpy(&bytes_[end_], data, n);
    places_[id] = {end_, uint32_t(n), true};
    end_ += n;
  }

  size_t size(uint32_t id) const { return places_[id].size; }

  // Writes the bytes of ids that it contains; `out` has room for kStep more. Most pieces are short,
  // so copying a constant number of bytes is faster than copying the exact number.
  void join(const std::vector<uint32_t>& ids, char* out) const {
    for (uint32_t id : ids) {
      const Place& place = places_[id];
      const char* bytes = bytes_.data() + place.first;
      std::memcpy(out, bytes, kStep);
      if (place.size > kStep) std::memcpy(out + kStep, bytes + kStep, place.size - kStep);
      out += place.size;
    }
  }

  static constexpr size_t kStep = 16;

 private:
  struct Place {
    size_t first = 0;
    uint32_t size = 0;
    bool present = false;
  };
  std::vector<Place> places_;
  std::string bytes_;  // kStep more than are used
  size_t end_ = 0;
};

}  // namespace segmenter
