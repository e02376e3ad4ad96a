// The kernels use builtins and attributes of GCC and Clang. Other compilers get definitions here;
// MSVC has the same instructions under other names.
#pragma once
#include <cstdint>

// SEGMENTER_NOINLINE: compiles a loop as a function of its own, so that the register allocator
// handles it alone.
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

inline int __builtin_ctz(unsigned x) {  // undefined for 0, like GCC's
#if defined(_MSC_VER)
  unsigned long index;
  _BitScanForward(&index, x);
  return int(index);
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

// SEGMENTER_SSE, SEGMENTER_SSE4, SEGMENTER_LITTLE_ENDIAN: whether these intrinsics and shortcuts
// may be used.
#if defined(__AARCH64EL__) && defined(__ARM_NEON) && defined(__GNUC__) && \
    !defined(SEGMENTER_PORTABLE)
#define SEGMENTER_SSE 1
#define SEGMENTER_SSE4 1
// SIMDe (MIT licence) implements SSE instructions by NEON, so that kernels have one text for both
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/sse4.1.h>

// SIMDe sets four lanes one by one; the compiler knows shorter ways: 4% fewer instructions in
// `fast`.
#undef _mm_shuffle_epi32
template <int kPlaces>
inline __m128i shuffled(int32x4_t a) {
  constexpr int k0 = kPlaces & 3, k1 = kPlaces >> 2 & 3, k2 = kPlaces >> 4 & 3,
                k3 = kPlaces >> 6 & 3;
#if defined(__clang__)
  return vreinterpretq_s64_s32(__builtin_shufflevector(a, a, k0, k1, k2, k3));
#else
  return vreinterpretq_s64_s32(__builtin_shuffle(a, int32x4_t{k0, k1, k2, k3}));
#endif
}
#define _mm_shuffle_epi32(a, places) shuffled<places>(vreinterpretq_s32_s64(a))
#else
#if defined(__SSE2__) && !defined(SEGMENTER_PORTABLE)
#define SEGMENTER_SSE 1
#include <emmintrin.h>
#else
#define SEGMENTER_SSE 0
#endif
#if defined(__SSE4_1__) && !defined(SEGMENTER_PORTABLE)
#define SEGMENTER_SSE4 1
#include <smmintrin.h>
#else
#define SEGMENTER_SSE4 0
#endif
#endif
#if !defined(SEGMENTER_PORTABLE) && \
    (defined(_WIN32) || (defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__))
#define SEGMENTER_LITTLE_ENDIAN 1
#else
#define SEGMENTER_LITTLE_ENDIAN 0
#endif

namespace segmenter {

// `yes` if `choice` is not 0, else `no`, by a conditional move where the compiler can be made to
// emit one. Left alone, GCC 12 emits a branch on a nearly random condition, and a misprediction
// costs more than either load.
template <class T>
inline const T* without_branch(uint32_t choice, const T* yes, const T* no) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
  __asm__("testl %1, %1\n\tcmovne %2, %0" : "+r"(no) : "r"(choice), "r"(yes) : "cc");
  return no;
#elif defined(__aarch64__) && defined(__GNUC__) && !defined(SEGMENTER_PORTABLE)
  __asm__("cmp %w1, #0\n\tcsel %0, %2, %0, ne" : "+r"(no) : "r"(choice), "r"(yes) : "cc");
  return no;
#else
  return choice ? yes : no;
#endif
}

}  // namespace segmenter
