// The states of the lexicon at every character, and their weights.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "compiler.hpp"
#include "interrupt.hpp"
#include "tagging/emissions.hpp"
#include "tagging/model.hpp"

namespace segmenter {

// Lexicon states: at every position, by group of the lexicon's words, the longest word that begins
// here, that goes on here and that ends here, each in steps of 0 (none) to 5. Each combination has
// weights of its own.
class LexiconStates {
 public:
  static constexpr size_t kBytes = 16;  // of a position: [group][begins, goes on, ends, unused]

  void reserve(size_t n) {
    if (bytes_.size() < (n + 2) * kBytes) bytes_.resize((n + n / 2 + 16) * kBytes);
  }
  void clear(size_t n) { std::memset(bytes_.data(), 0, n * kBytes); }
  uint8_t* data() { return bytes_.data(); }
  const uint8_t* position(size_t j) const { return bytes_.data() + kBytes * j; }

  // Adds a word of `len` characters that begins at j; `groups`: a bit for each group it belongs
  // to.
  void add_word(uint32_t j, uint32_t len, uint32_t groups) {
    if (!groups) return;
    const uint32_t step = std::min(len, 6u) - 1;
    uint8_t* cell = bytes_.data() + size_t(j) * kBytes;
#if SEGMENTER_SSE4
    const auto& rows = patterns().rows[groups][step];
    for (uint32_t k = 0; k < len; ++k, cell += kBytes) {
      const uint8_t* pattern = rows[k == 0 ? 0 : k + 1 == len ? 2 : 1];
      __m128i* target = reinterpret_cast<__m128i*>(cell);
      _mm_storeu_si128(target,
                       _mm_max_epu8(_mm_loadu_si128(target),
                                    _mm_load_si128(reinterpret_cast<const __m128i*>(pattern))));
    }
#else
    for (uint32_t g = 0; g < kTagGroups; ++g) {
      if (!(groups >> g & 1)) continue;
      for (uint32_t k = 0; k < len; ++k) {
        uint8_t& v = cell[kBytes * k + 4 * g + (k == 0 ? 0 : k + 1 == len ? 2 : 1)];
        v = std::max(v, uint8_t(step));
      }
    }
#endif
  }

  // The row of weights of a group's state, from its bytes.
  static uint32_t code(const uint8_t* state) { return (state[0] * 6u + state[1]) * 6u + state[2]; }

#if SEGMENTER_SSE4
  // The bytes that a word adds to a position: [groups][step][begins, goes on, ends].
  struct Patterns {
    alignas(16) uint8_t rows[8][6][3][16];
    alignas(16) uint8_t pair_rows[8][16];  // where a word of two characters begins: [groups]
    Patterns() {
      std::memset(rows, 0, sizeof rows);
      for (uint32_t mask = 0; mask < 8; ++mask)
        for (uint32_t step = 0; step < 6; ++step)
          for (uint32_t role = 0; role < 3; ++role)
            for (uint32_t g = 0; g < kTagGroups; ++g)
              if (mask >> g & 1) rows[mask][step][role][4 * g + role] = uint8_t(step);
      for (uint32_t mask = 0; mask < 8; ++mask) std::memcpy(pair_rows[mask], rows[mask][1][0], 16);
    }
  };

  static const Patterns& patterns() {
    static const Patterns table;
    return table;
  }

  // Adds the weights of the states of G groups to the four sums of a position.
  template <int G>
  static __m128i add_states(__m128i sum, const uint8_t* states, const int16_t* weights) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(states));
    const __m128i codes =
        _mm_madd_epi16(_mm_maddubs_epi16(v, _mm_set1_epi32(0x00010624)), _mm_set1_epi16(1));
    auto weights_of = [&](uint64_t code, uint32_t g) {
      return _mm_loadl_epi64(
          reinterpret_cast<const __m128i*>(weights + (g * size_t(kTagStates) + code) * 4));
    };
    const uint64_t low_codes = uint64_t(_mm_cvtsi128_si64(codes));
    sum = _mm_adds_epi16(sum, weights_of(low_codes & 0xFFFFFFFF, 0));
    if constexpr (G > 1) sum = _mm_adds_epi16(sum, weights_of(low_codes >> 32, 1));
    if constexpr (G > 2)
      sum = _mm_adds_epi16(sum, weights_of(uint32_t(_mm_extract_epi32(codes, 2)), 2));
    return sum;
  }
#endif

 private:
  std::vector<uint8_t> bytes_;
};

// Adds the weights of Emissions::states to the sums.
inline void complete(const TaggerModel& m, Emissions& scores) {
#if SEGMENTER_SSE4
  if (!scores.states) return;
  Interrupt::for_each(scores.n, [&](size_t j) {
    __m128i* const cell = reinterpret_cast<__m128i*>(scores.sums + 4 * j);
    const uint8_t* const states = scores.states + LexiconStates::kBytes * j;
    __m128i sum = _mm_loadl_epi64(cell);
    if (m.groups == 1) sum = LexiconStates::add_states<1>(sum, states, m.state);
    else if (m.groups == 2) sum = LexiconStates::add_states<2>(sum, states, m.state);
    else sum = LexiconStates::add_states<3>(sum, states, m.state);
    _mm_storel_epi64(cell, sum);
  });
  scores.states = nullptr;
#endif
}

}  // namespace segmenter
