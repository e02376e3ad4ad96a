// A position in a UTF-8 text: its line, and offsets in units. No rule of the engine looks across
// a line feed, so the word at the position depends on this line alone
// (segmenter/core/places.py).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "capi/segmenter.h"
#include "open/refused.hpp"

namespace segmenter {

class Place {
 public:
  // `whole`: words may contain line ends, so that the line is the whole text.
  Place(const char* utf8, size_t size, size_t offset, int unit, bool whole)
      : text_(utf8), size_(size), unit_(unit), whole_(whole) {
    size_t passed = 0;
    if (unit == SEGMENTER_UTF8_BYTES) {
      passed = byte = offset < size ? offset : size;
      while (byte > 0 && byte < size && inside(byte)) --byte;
    } else {
      while (byte < size && passed + units_at(byte) <= offset) {
        passed += units_at(byte);
        byte = next(byte);
      }
    }
    if (byte == size && passed < offset)
      throw Refused(
          SEGMENTER_BAD_ARGUMENT, "offset",
          std::to_string(offset) + " is beyond the text's end, " + std::to_string(passed));
  }

  size_t byte = 0;  // where the place is

  // Where the line of the character at a byte begins, and where it ends, its line end included.
  size_t line_start(size_t at) const {
    if (whole_) return 0;
    while (at > 0 && text_[at - 1] != '\n') --at;
    return at;
  }
  size_t line_end(size_t at) const {
    if (whole_) return size_;
    while (at < size_ && text_[at] != '\n') ++at;
    return at < size_ ? at + 1 : size_;
  }

  // How many units the bytes from `from` to `to` are.
  size_t units(size_t from, size_t to) const {
    if (unit_ == SEGMENTER_UTF8_BYTES) return to - from;
    size_t sum = 0;
    for (; from < to; ++from)
      if (!inside(from)) sum += units_at(from);
    return sum;
  }

 private:
  const char* const text_;
  const size_t size_;
  const int unit_;
  const bool whole_;

  bool inside(size_t at) const { return (uint8_t(text_[at]) & 0xC0) == 0x80; }
  size_t next(size_t at) const {
    do ++at;
    while (at < size_ && inside(at));
    return at;
  }
  size_t units_at(size_t at) const {
    return unit_ == SEGMENTER_UTF16_UNITS && uint8_t(text_[at]) >= 0xF0 ? 2 : 1;
  }
};

}  // namespace segmenter
