// UTF-8 decoded for the kernels: code points of 2 or 4 bytes, and their offsets in the bytes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "capacity.hpp"
#include "compiler.hpp"
#include "text.hpp"
#include "utf8.hpp"

namespace segmenter {

class Utf8Text {
 public:
  // Starts a text. At most `room` characters will follow (a byte is at most one); offsets count
  // from byte `base`; no byte from `limit` on is read.
  void start(const uint8_t* text, size_t base, size_t limit, size_t room) {
    text_ = text;
    base_ = base;
    limit_ = limit;
    room_ = room + 1;
    length_ = 0;
    is_wide_ = false;
    capacity_.grow(room_, room_, [&](size_t size) {
      offsets_.resize(size);
      narrow_.resize(size);
    });
    offsets_[0] = 0;
  }
  // Appends the characters of bytes [at, end). Returns -1, or the offset of the first byte that is
  // not UTF-8.
  int64_t append(size_t begin, size_t end) {
    if (!is_wide_) {
      int64_t bad = narrow(begin, end);
      if (bad >= 0) return bad;
    }
    for (; begin < end; ++length_) {
      uint32_t length = decode_utf8(text_ + begin, end - begin, wide_[length_]);
      if (!length) return int64_t(begin);
      offsets_[length_] = uint32_t(begin - base_);
      begin += length;
    }
    offsets_[length_] = uint32_t(end - base_);
    return -1;
  }
  // Appends a line end that is not in the bytes.
  void separate() {
    if (is_wide_) wide_[length_] = '\n';
    else narrow_[length_] = '\n';
    offsets_[length_ + 1] = offsets_[length_];
    ++length_;
  }

  Text text() const {
    return is_wide_ ? Text{wide_.data(), 4, length_} : Text{narrow_.data(), 2, length_};
  }
  size_t length() const { return length_; }
  // The first byte of character k, counted from `base`; for k = length(), the end.
  const uint32_t* offsets() const { return offsets_.data(); }

 private:
  const uint8_t* text_ = nullptr;
  size_t base_ = 0, limit_ = 0, room_ = 0, length_ = 0;
  bool is_wide_ = false;  // whether a character is beyond the basic plane
  Capacity capacity_;     // of narrow_ and offsets_
  std::vector<uint16_t> narrow_;
  std::vector<uint32_t> wide_, offsets_;

#if SEGMENTER_SSE4
  // Decodes four characters of three bytes (lead bytes E1..EF except ED) at p, where 16 bytes may
  // be read; false, without a result, if they are anything else.
  static bool four_of_three(const uint8_t* p, uint32_t offset, uint16_t* chars, uint32_t* offsets) {
    const __m128i raw = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    // lanes of 32 bits: third byte lowest, then second, first
    const __m128i v =
        _mm_shuffle_epi8(raw, _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1));
    const __m128i lead = _mm_srli_epi32(v, 16);
    __m128i fits =
        _mm_cmpeq_epi32(_mm_and_si128(v, _mm_set1_epi32(0xF0C0C0)), _mm_set1_epi32(0xE08080));
    __m128i rare = _mm_or_si128(_mm_cmpeq_epi32(lead, _mm_set1_epi32(0xE0)),
                                _mm_cmpeq_epi32(lead, _mm_set1_epi32(0xED)));
    if (_mm_movemask_epi8(_mm_andnot_si128(rare, fits)) != 0xFFFF) return false;
    __m128i cp =
        _mm_or_si128(_mm_and_si128(v, _mm_set1_epi32(0x3F)),
                     _mm_or_si128(_mm_and_si128(_mm_srli_epi32(v, 2), _mm_set1_epi32(0xFC0)),
                                  _mm_and_si128(_mm_srli_epi32(v, 4), _mm_set1_epi32(0xF000))));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(chars), _mm_packus_epi32(cp, cp));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(offsets),
                     _mm_add_epi32(_mm_set1_epi32(int(offset)), _mm_setr_epi32(0, 3, 6, 9)));
    return true;
  }
#endif

  // As append(), up to the first character beyond the basic plane; `begin` is where it stopped.
  int64_t narrow(size_t& begin, size_t end) {
    uint16_t* const chars = narrow_.data();
    uint32_t* const offsets = offsets_.data();
    size_t character = length_, byte = begin;
    int64_t bad = -1;
    while (byte < end) {
#if SEGMENTER_SSE4
      while (end - byte >= 12 && limit_ - byte >= 16 &&
             four_of_three(text_ + byte, uint32_t(byte - base_), &chars[character],
                           &offsets[character])) {
        character += 4;
        byte += 12;
      }
      if (byte >= end) break;
#endif
      const uint8_t* p = text_ + byte;
      uint32_t lead = p[0], code_point;
      offsets[character] = uint32_t(byte - base_);
      if (lead - 0xE1u < 0x0Fu && lead != 0xED && end - byte >= 3 &&
          ((p[1] ^ 0x80) | (p[2] ^ 0x80)) < 0x40) {
        // E1..EF except ED: every well-formed sequence is a plain character; nearly all text
        chars[character++] =
            uint16_t((lead & 0x0F) << 12 | uint32_t(p[1] & 0x3F) << 6 | (p[2] & 0x3F));
        byte += 3;
        continue;
      }
      uint32_t length = decode_utf8(p, end - byte, code_point);
      if (!length) {
        bad = int64_t(byte);
        break;
      }
      if (code_point > 0xFFFF) {
        is_wide_ = true;
        if (wide_.size() < room_) wide_.resize(room_);
        for (size_t c = 0; c < character; ++c) wide_[c] = chars[c];
        break;
      }
      chars[character++] = uint16_t(code_point);
      byte += length;
    }
    length_ = character;
    begin = byte;
    return bad;
  }
};

}  // namespace segmenter
