// The fingerprint of a segmenter, and SHA-256 (FIPS 180-4) for its parts.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace segmenter {

// The version of the rules that cut texts; part of every fingerprint.
constexpr int kRules = 13;

// An index stores a fingerprint to know when to rebuild: equal fingerprints give equal boundaries
// on every text. `model`: digests of lexicon and models; `user`, `atoms`: "" if there are none.
inline std::string fingerprint(const std::string& model, const std::string& decoder,
                               const std::string& oov, uint32_t skip, bool variants,
                               const std::string& user, const std::string& atoms) {
  const char* const skipped[] = {"none", "space", "punct", "punct+space"};
  return "segmenter-zh/rules-" + std::to_string(kRules) + " model=" + model +
         " decoder=" + decoder + " oov=" + oov + " skip=" + skipped[skip & 3] +
         (variants ? "" : " variants=off") + (user.empty() ? "" : " user=" + user) +
         (atoms.empty() ? "" : " atoms=" + atoms);
}

// 64 hexadecimal digits.
inline std::string sha256(std::string_view text) {
  // the first 32 bits of the fractional parts of the roots of the first primes
  static const auto roots = [] {
    std::array<uint32_t, 72> out{};  // 64 cube roots, then 8 square roots
    auto bits = [](long double root) {
      return uint32_t((root - std::floor(root)) * 4294967296.0L);
    };
    for (uint32_t n = 2, n_roots = 0; n_roots < 64; ++n) {
      bool prime = true;
      for (uint32_t d = 2; d * d <= n; ++d) prime &= n % d != 0;
      if (!prime) continue;
      out[n_roots] = bits(std::cbrt(static_cast<long double>(n)));
      if (n_roots < 8) out[64 + n_roots] = bits(std::sqrt(static_cast<long double>(n)));
      ++n_roots;
    }
    return out;
  }();
  std::vector<uint8_t> padded(text.begin(), text.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  for (int k = 56; k >= 0; k -= 8) padded.push_back(uint8_t(uint64_t(text.size()) * 8 >> k));
  uint32_t hash[8];
  std::copy_n(roots.begin() + 64, 8, hash);
  auto rotate_right = [](uint32_t x, int n) { return x >> n | x << (32 - n); };
  for (size_t block = 0; block < padded.size(); block += 64) {
    uint32_t schedule[64], state[8];
    for (size_t i = 0; i < 16; ++i) {
      const uint8_t* const p = &padded[block + 4 * i];
      schedule[i] = uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 | p[3];
    }
    for (size_t i = 16; i < 64; ++i)
      schedule[i] = schedule[i - 16] +
                    (rotate_right(schedule[i - 15], 7) ^ rotate_right(schedule[i - 15], 18) ^
                     schedule[i - 15] >> 3) +
                    schedule[i - 7] +
                    (rotate_right(schedule[i - 2], 17) ^ rotate_right(schedule[i - 2], 19) ^
                     schedule[i - 2] >> 10);
    std::memcpy(state, hash, sizeof hash);
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t t1 =
          state[7] +
          (rotate_right(state[4], 6) ^ rotate_right(state[4], 11) ^ rotate_right(state[4], 25)) +
          ((state[4] & state[5]) ^ (~state[4] & state[6])) + roots[i] + schedule[i];
      const uint32_t t2 =
          (rotate_right(state[0], 2) ^ rotate_right(state[0], 13) ^ rotate_right(state[0], 22)) +
          ((state[0] & state[1]) ^ (state[0] & state[2]) ^ (state[1] & state[2]));
      std::memmove(state + 1, state, 7 * sizeof *state);
      state[4] += t1;
      state[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) hash[i] += state[i];
  }
  std::string out;
  for (uint32_t word : hash)
    for (int k = 28; k >= 0; k -= 4) out += "0123456789abcdef"[word >> k & 15];
  return out;
}

}  // namespace segmenter
