// Maps a text to character ids, eight positions at a time, and finds ids of a range.
#pragma once
#include <cstddef>
#include <cstdint>

#include "compiler.hpp"
#include "lexicon/lexicon.hpp"

namespace segmenter {

// Bits of a MarkedMap's entries above the ids: characters to look at, and characters that matter
// only between letters or digits, or beside each other.
constexpr uint16_t kMarkedChar = 0x4000, kJoiningChar = 0x2000;
constexpr uint32_t kMarkedIds = 0x1FFF;

// The lowest bit above `id_bits`, from which on map_text() keeps the bits apart.
template <uint32_t id_bits>
constexpr int kApartOf = id_bits == kMarkedIds   ? 13
                         : id_bits == kSignedIds ? 14
                                                 : 15;

// Writes the character ids (the bits `id_bits` of map entries) of positions [begin, end), and to
// `not_canonical` the bits above them: bit 15; for a map with signs bits 14 and 15; for a MarkedMap
// bits 13 to 15. part_signs() separates these. Returns the bits above the ids of all entries, or-ed
// together.
template <uint32_t id_bits = kIdBits, class Char>
uint32_t map_text(const CharMap& map, const Char* text, uint32_t begin, uint32_t end,
                  uint16_t* __restrict ids, uint8_t* __restrict not_canonical) {
  constexpr int kApart = kApartOf<id_bits>;
  auto entry = [&](size_t k) -> uint16_t {
    return sizeof(Char) < 4 ? map.bmp[text[k]] : map(uint32_t(text[k]));
  };
  size_t k = begin;
#if SEGMENTER_SSE
  const __m128i low = _mm_set1_epi16(short(id_bits)), zero = _mm_setzero_si128();
  __m128i entries = zero;
  auto map_eight = [&](size_t first) {
    auto cell = [&](size_t i) { return short(entry(first + i)); };
    __m128i v =
        _mm_setr_epi16(cell(0), cell(1), cell(2), cell(3), cell(4), cell(5), cell(6), cell(7));
    entries = _mm_or_si128(entries, v);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(not_canonical + first),
                     _mm_packus_epi16(_mm_srli_epi16(v, kApart), zero));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(ids + first), _mm_and_si128(v, low));
  };
  if (end - begin >= 8) {
    for (; k + 8 <= end; k += 8) map_eight(k);
    if (k < end) map_eight(end - 8);  // overlaps the last eight: no loop for the remainder
    auto highest = [](__m128i v) { return (_mm_movemask_epi8(v) & 0xAAAA) != 0; };
    const uint32_t any_not_canonical = uint32_t(highest(entries)) << 15;
    if (id_bits != kMarkedIds) return any_not_canonical;
    return any_not_canonical | uint32_t(highest(_mm_slli_epi16(entries, 1))) << 14 |
           uint32_t(highest(_mm_slli_epi16(entries, 2))) << 13;
  }
#endif
  uint32_t all_entries = 0;
  for (; k < end; ++k) {
    uint32_t cell = entry(k);
    all_entries |= cell;
    not_canonical[k] = uint8_t(cell >> kApart);
    ids[k] = uint16_t(cell & id_bits);
  }
  return all_entries & ~id_bits;
}

// After map_text() with a map that has signs, whose bit is the lowest above the ids: leaves bit 15
// in `not_canonical` and calls sign(k) for every sign at k < n, in order. Writes up to 16 bytes
// past the end of `not_canonical`.
template <uint32_t id_bits, class Sign>
void part_signs(uint8_t* not_canonical, uint32_t n, Sign&& sign) {
  constexpr int kHighest = 15 - kApartOf<id_bits>;
  for (uint32_t k = 0; k < n; k += 16) {
#if SEGMENTER_SSE
    __m128i* const bytes = reinterpret_cast<__m128i*>(not_canonical + k);
    const __m128i v = _mm_loadu_si128(bytes);
    uint32_t signs = uint32_t(_mm_movemask_epi8(_mm_slli_epi16(v, 7)));
    _mm_storeu_si128(bytes, _mm_and_si128(_mm_srli_epi16(v, kHighest), _mm_set1_epi8(1)));
#else
    uint32_t signs = 0;
    for (uint32_t i = 0; i < 16; ++i) {
      signs |= uint32_t(not_canonical[k + i] & 1) << i;
      not_canonical[k + i] = not_canonical[k + i] >> kHighest & 1;
    }
#endif
    if (__builtin_expect(signs == 0, 1)) continue;
    if (n - k < 16) signs &= (1u << (n - k)) - 1;
    for (; signs; signs &= signs - 1) sign(k + uint32_t(__builtin_ctz(signs)));
  }
}

// Finds ids in [low, high), sixteen positions at a time.
class IdRange {
 public:
#if SEGMENTER_SSE
  IdRange(uint32_t low, uint32_t high)
      : below_(_mm_set1_epi16(short(int(low) - 1))), high_(_mm_set1_epi16(short(high))) {}
  uint32_t sixteen(const uint16_t* ids) const {  // one bit per position
    auto in_range = [&](const uint16_t* eight) {
      const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(eight));
      return _mm_and_si128(_mm_cmpgt_epi16(v, below_), _mm_cmpgt_epi16(high_, v));
    };
    return uint32_t(_mm_movemask_epi8(_mm_packs_epi16(in_range(ids), in_range(ids + 8))));
  }

 private:
  __m128i below_, high_;
#else
  IdRange(uint32_t low, uint32_t high) : low_(low), n_(high - low) {}
  uint32_t sixteen(const uint16_t* ids) const {
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 16; ++i) mask |= uint32_t(ids[i] - low_ < n_) << i;
    return mask;
  }

 private:
  uint32_t low_, n_;
#endif
};

// Calls f(k) for every position k < n with an id in [1, bound), in order. Reads up to 16 ids past
// the end.
template <class F>
void each_id_below(const uint16_t* ids, uint32_t n, uint32_t bound, F&& f) {
  if (bound <= 1) return;
  const IdRange range(1, bound);
  for (uint32_t k = 0; k < n; k += 16) {
    uint32_t mask = range.sixteen(ids + k);
    if (n - k < 16) mask &= (1u << (n - k)) - 1;
    for (; mask; mask &= mask - 1) f(k + uint32_t(__builtin_ctz(mask)));
  }
}

}  // namespace segmenter
