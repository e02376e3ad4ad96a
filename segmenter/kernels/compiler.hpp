// What GCC and Clang have as builtins and attributes, for compilers that have not: the kernels are
// written with their names.  MSVC has instructions for them under other names.
#pragma once

// SEGMENTER_NOINLINE: a loop of its own, so that the register allocator sees one.
#if defined(__GNUC__) || defined(__clang__)
#define SEGMENTER_NOINLINE __attribute__((noinline))
#else
#if defined(_MSC_VER)
#include <intrin.h>
#define SEGMENTER_NOINLINE __declspec(noinline)
#else
#define SEGMENTER_NOINLINE
#endif

#define __builtin_expect(value, likely) (value)
#define __builtin_prefetch(...) ((void)0)

inline int __builtin_ctz(unsigned x) {  // undefined for 0, as GCC's
#if defined(_MSC_VER)
  unsigned long at;
  _BitScanForward(&at, x);
  return int(at);
#else
  int n = 0;
  for (; !(x & 1); x >>= 1) ++n;
  return n;
#endif
}

inline int __builtin_ctzll(unsigned long long x) {
  const unsigned low = unsigned(x);
  return low ? __builtin_ctz(low) : 32 + __builtin_ctz(unsigned(x >> 32));
}

inline int __builtin_popcountll(unsigned long long x) {  // Warren, Hacker's Delight, 5-1
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return int(x * 0x0101010101010101u >> 56);
}
#endif
