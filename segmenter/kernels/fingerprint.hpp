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

// The version of the rules that cut a text; part of every fingerprint.
constexpr int kRules = 13;

// What an index stores to know when to rebuild: two that are equal give the same boundaries on every
// text. `model`: digests of lexicon and models; `user`, `atoms`: "" where there are none.
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
    for (uint32_t n = 2, found = 0; found < 64; ++n) {
      bool prime = true;
      for (uint32_t d = 2; d * d <= n; ++d) prime &= n % d != 0;
      if (!prime) continue;
      out[found] = bits(std::cbrt(static_cast<long double>(n)));
      if (found < 8) out[64 + found] = bits(std::sqrt(static_cast<long double>(n)));
      ++found;
    }
    return out;
  }();
  std::vector<uint8_t> padded(text.begin(), text.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  for (int k = 56; k >= 0; k -= 8) padded.push_back(uint8_t(uint64_t(text.size()) * 8 >> k));
  uint32_t h[8];
  std::copy_n(roots.begin() + 64, 8, h);
  auto turn = [](uint32_t x, int n) { return x >> n | x << (32 - n); };
  for (size_t at = 0; at < padded.size(); at += 64) {
    uint32_t w[64], v[8];
    for (size_t i = 0; i < 16; ++i) {
      const uint8_t* const p = &padded[at + 4 * i];
      w[i] = uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 | p[3];
    }
    for (size_t i = 16; i < 64; ++i)
      w[i] = w[i - 16] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
             (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
    std::memcpy(v, h, sizeof h);
    for (size_t i = 0; i < 64; ++i) {
      const uint32_t one = v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) +
                           ((v[4] & v[5]) ^ (~v[4] & v[6])) + roots[i] + w[i];
      const uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) +
                           ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
      std::memmove(v + 1, v, 7 * sizeof *v);
      v[4] += one;
      v[0] = one + two;
    }
    for (int i = 0; i < 8; ++i) h[i] += v[i];
  }
  std::string out;
  for (uint32_t word : h)
    for (int k = 28; k >= 0; k -= 4) out += "0123456789abcdef"[word >> k & 15];
  return out;
}

}  // namespace segmenter
