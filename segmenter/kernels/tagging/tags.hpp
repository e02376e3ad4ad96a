// Tag schemes: which tags begin and end a word, and which may follow which (the same table in
// Python: segmenter/tagging/scheme.py).
#pragma once
#include <cstdint>

namespace segmenter {

template <int T>
struct Tags;
template <>
struct Tags<4> {  // B M E S
  static constexpr bool begins(int t) { return t == 0 || t == 3; }
  static constexpr bool ends(int t) { return t >= 2; }
  static constexpr bool follows(int a, int b) { return (a <= 1) == (b == 1 || b == 2); }
  static int gold(uint32_t at, uint32_t len) {
    return len == 1 ? 3 : at == 0 ? 0 : at + 1 == len ? 2 : 1;
  }
};
template <>
struct Tags<6> {  // B B2 B3 M E S
  static constexpr bool begins(int t) { return t == 0 || t == 5; }
  static constexpr bool ends(int t) { return t >= 4; }
  static constexpr bool follows(int a, int b) {
    return a == 0   ? b == 1 || b == 4
           : a == 1 ? b == 2 || b == 4
           : a <= 3 ? b == 3 || b == 4
                    : begins(b);
  }
  static int gold(uint32_t at, uint32_t len) {
    return len == 1 ? 5 : at + 1 == len ? 4 : at < 3 ? int(at) : 3;
  }
};

}  // namespace segmenter
