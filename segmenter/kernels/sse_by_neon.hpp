// The instructions of SSE2 to SSE4.1 that the kernels are written with, by NEON: one text of every kernel for both.
// Each does what the instruction of its name does, to the bit; only those that are used are here, and immediate
// operands are constants.  Included by compiler.hpp for 64-bit ARM, compiled by GCC or Clang.
#pragma once
#include <arm_neon.h>

#include <cstdint>

#define SEGMENTER_INLINE inline __attribute__((always_inline))

namespace segmenter {

using __m128i = int32x4_t;
using __m128 = float32x4_t;

// Vectors of 16 bytes, whatever they hold.
template <class V>
SEGMENTER_INLINE V lanes(__m128i a) {
  return V(a);
}
template <class V>
SEGMENTER_INLINE __m128i whole(V a) {
  return __m128i(a);
}

SEGMENTER_INLINE __m128i _mm_setzero_si128() { return vdupq_n_s32(0); }
SEGMENTER_INLINE __m128i _mm_set1_epi8(char x) { return whole(vdupq_n_s8(int8_t(x))); }
SEGMENTER_INLINE __m128i _mm_set1_epi16(short x) { return whole(vdupq_n_s16(x)); }
SEGMENTER_INLINE __m128i _mm_set1_epi32(int x) { return vdupq_n_s32(x); }
SEGMENTER_INLINE __m128i _mm_setr_epi32(int a, int b, int c, int d) { return __m128i{a, b, c, d}; }
SEGMENTER_INLINE __m128i _mm_set_epi32(int d, int c, int b, int a) { return __m128i{a, b, c, d}; }
SEGMENTER_INLINE __m128i _mm_setr_epi16(short a, short b, short c, short d, short e, short f,
                                        short g, short h) {
  return whole(int16x8_t{a, b, c, d, e, f, g, h});
}
SEGMENTER_INLINE __m128i _mm_setr_epi8(int a, int b, int c, int d, int e, int f, int g, int h,
                                       int i, int j, int k, int l, int m, int n, int o, int p) {
  return whole(int8x16_t{int8_t(a), int8_t(b), int8_t(c), int8_t(d), int8_t(e), int8_t(f),
                         int8_t(g), int8_t(h), int8_t(i), int8_t(j), int8_t(k), int8_t(l),
                         int8_t(m), int8_t(n), int8_t(o), int8_t(p)});
}
SEGMENTER_INLINE __m128i _mm_cvtsi32_si128(int x) { return __m128i{x, 0, 0, 0}; }
SEGMENTER_INLINE int _mm_cvtsi128_si32(__m128i a) { return vgetq_lane_s32(a, 0); }
SEGMENTER_INLINE int64_t _mm_cvtsi128_si64(__m128i a) {
  return vgetq_lane_s64(lanes<int64x2_t>(a), 0);
}
#define _mm_extract_epi32(a, k) vgetq_lane_s32(a, k)

SEGMENTER_INLINE __m128i _mm_loadu_si128(const __m128i* at) {
  return whole(vld1q_u8(reinterpret_cast<const uint8_t*>(at)));
}
SEGMENTER_INLINE __m128i _mm_load_si128(const __m128i* at) { return _mm_loadu_si128(at); }
SEGMENTER_INLINE __m128i _mm_loadl_epi64(const __m128i* at) {
  return whole(vcombine_u8(vld1_u8(reinterpret_cast<const uint8_t*>(at)), vdup_n_u8(0)));
}
SEGMENTER_INLINE __m128 _mm_loadu_ps(const float* at) { return vld1q_f32(at); }
SEGMENTER_INLINE void _mm_storeu_si128(__m128i* at, __m128i a) {
  vst1q_u8(reinterpret_cast<uint8_t*>(at), lanes<uint8x16_t>(a));
}
SEGMENTER_INLINE void _mm_store_si128(__m128i* at, __m128i a) { _mm_storeu_si128(at, a); }
SEGMENTER_INLINE void _mm_storel_epi64(__m128i* at, __m128i a) {
  vst1_u8(reinterpret_cast<uint8_t*>(at), vget_low_u8(lanes<uint8x16_t>(a)));
}
constexpr int _MM_HINT_T0 = 3;
#define _mm_prefetch(at, hint) __builtin_prefetch(at, 0, hint)

SEGMENTER_INLINE __m128 _mm_castsi128_ps(__m128i a) { return __m128(a); }
SEGMENTER_INLINE __m128i _mm_castps_si128(__m128 a) { return __m128i(a); }

SEGMENTER_INLINE __m128i _mm_and_si128(__m128i a, __m128i b) { return vandq_s32(a, b); }
SEGMENTER_INLINE __m128i _mm_or_si128(__m128i a, __m128i b) { return vorrq_s32(a, b); }
SEGMENTER_INLINE __m128i _mm_andnot_si128(__m128i a, __m128i b) { return vbicq_s32(b, a); }
SEGMENTER_INLINE __m128i _mm_cmpeq_epi8(__m128i a, __m128i b) {
  return whole(vceqq_s8(lanes<int8x16_t>(a), lanes<int8x16_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_cmpeq_epi16(__m128i a, __m128i b) {
  return whole(vceqq_s16(lanes<int16x8_t>(a), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_cmpeq_epi32(__m128i a, __m128i b) { return whole(vceqq_s32(a, b)); }
SEGMENTER_INLINE __m128i _mm_cmpgt_epi16(__m128i a, __m128i b) {
  return whole(vcgtq_s16(lanes<int16x8_t>(a), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_cmpgt_epi32(__m128i a, __m128i b) { return whole(vcgtq_s32(a, b)); }
SEGMENTER_INLINE int _mm_testz_si128(__m128i a, __m128i b) {
  return vmaxvq_u32(lanes<uint32x4_t>(vandq_s32(a, b))) == 0;
}

// The sign of every lane, the first lane's lowest.
SEGMENTER_INLINE int _mm_movemask_epi8(__m128i a) {
  const uint8x16_t bits{1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  uint8x16_t v = vandq_u8(vcltzq_s8(lanes<int8x16_t>(a)), bits);
  v = vpaddq_u8(v, v);
  v = vpaddq_u8(v, v);
  v = vpaddq_u8(v, v);
  return vgetq_lane_u16(vreinterpretq_u16_u8(v), 0);
}
SEGMENTER_INLINE int _mm_movemask_ps(__m128 a) {
  return int(vaddvq_u32(vandq_u32(vcltzq_s32(__m128i(a)), uint32x4_t{1, 2, 4, 8})));
}

SEGMENTER_INLINE __m128i _mm_add_epi16(__m128i a, __m128i b) {
  return whole(vaddq_s16(lanes<int16x8_t>(a), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_add_epi32(__m128i a, __m128i b) { return vaddq_s32(a, b); }
SEGMENTER_INLINE __m128i _mm_adds_epi16(__m128i a, __m128i b) {
  return whole(vqaddq_s16(lanes<int16x8_t>(a), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_sub_epi8(__m128i a, __m128i b) {
  return whole(vsubq_s8(lanes<int8x16_t>(a), lanes<int8x16_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_sub_epi16(__m128i a, __m128i b) {
  return whole(vsubq_s16(lanes<int16x8_t>(a), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_sub_epi32(__m128i a, __m128i b) { return vsubq_s32(a, b); }
SEGMENTER_INLINE __m128i _mm_subs_epu8(__m128i a, __m128i b) {
  return whole(vqsubq_u8(lanes<uint8x16_t>(a), lanes<uint8x16_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_max_epu8(__m128i a, __m128i b) {
  return whole(vmaxq_u8(lanes<uint8x16_t>(a), lanes<uint8x16_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_min_epu8(__m128i a, __m128i b) {
  return whole(vminq_u8(lanes<uint8x16_t>(a), lanes<uint8x16_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_max_epi32(__m128i a, __m128i b) { return vmaxq_s32(a, b); }
SEGMENTER_INLINE __m128i _mm_max_epu32(__m128i a, __m128i b) {
  return whole(vmaxq_u32(lanes<uint32x4_t>(a), lanes<uint32x4_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_min_epu32(__m128i a, __m128i b) {
  return whole(vminq_u32(lanes<uint32x4_t>(a), lanes<uint32x4_t>(b)));
}
// The least of eight numbers without signs, and behind it where it first stands.
SEGMENTER_INLINE __m128i _mm_minpos_epu16(__m128i a) {
  const uint16x8_t v = lanes<uint16x8_t>(a), places{0, 1, 2, 3, 4, 5, 6, 7};
  const uint16_t least = vminvq_u16(v);
  const uint16_t place = vminvq_u16(vornq_u16(places, vceqq_u16(v, vdupq_n_u16(least))));
  return __m128i{int(uint32_t(place) << 16 | least), 0, 0, 0};
}
// Sums of two products next to each other.
SEGMENTER_INLINE __m128i _mm_madd_epi16(__m128i a, __m128i b) {
  const int16x8_t x = lanes<int16x8_t>(a), y = lanes<int16x8_t>(b);
  return vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y));
}
// The same of unsigned by signed bytes, saturating.
SEGMENTER_INLINE __m128i _mm_maddubs_epi16(__m128i a, __m128i b) {
  const uint8x16_t x = lanes<uint8x16_t>(a);
  const int8x16_t y = lanes<int8x16_t>(b);
  const int16x8_t low = vmulq_s16(int16x8_t(vmovl_u8(vget_low_u8(x))), vmovl_s8(vget_low_s8(y)));
  const int16x8_t high = vmulq_s16(int16x8_t(vmovl_high_u8(x)), vmovl_high_s8(y));
  return whole(vqaddq_s16(vuzp1q_s16(low, high), vuzp2q_s16(low, high)));
}

// A constant count of bits: the compiler has instructions for it.
SEGMENTER_INLINE __m128i _mm_slli_epi16(__m128i a, int bits) {
  return whole(lanes<uint16x8_t>(a) << uint16_t(bits));
}
SEGMENTER_INLINE __m128i _mm_srli_epi16(__m128i a, int bits) {
  return whole(lanes<uint16x8_t>(a) >> uint16_t(bits));
}
SEGMENTER_INLINE __m128i _mm_srai_epi16(__m128i a, int bits) {
  return whole(lanes<int16x8_t>(a) >> int16_t(bits));
}
SEGMENTER_INLINE __m128i _mm_srli_epi32(__m128i a, int bits) {
  return whole(lanes<uint32x4_t>(a) >> uint32_t(bits));
}
// Bytes.
#define _mm_srli_si128(a, n) whole(vextq_u8(lanes<uint8x16_t>(a), vdupq_n_u8(0), n))
#define _mm_slli_si128(a, n) whole(vextq_u8(vdupq_n_u8(0), lanes<uint8x16_t>(a), 16 - (n)))
#define _mm_alignr_epi8(a, b, n) whole(vextq_u8(lanes<uint8x16_t>(b), lanes<uint8x16_t>(a), n))

SEGMENTER_INLINE __m128i _mm_packs_epi16(__m128i a, __m128i b) {
  return whole(vqmovn_high_s16(vqmovn_s16(lanes<int16x8_t>(a)), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_packus_epi16(__m128i a, __m128i b) {
  return whole(vqmovun_high_s16(vqmovun_s16(lanes<int16x8_t>(a)), lanes<int16x8_t>(b)));
}
SEGMENTER_INLINE __m128i _mm_packs_epi32(__m128i a, __m128i b) {
  return whole(vqmovn_high_s32(vqmovn_s32(a), b));
}
SEGMENTER_INLINE __m128i _mm_packus_epi32(__m128i a, __m128i b) {
  return whole(vqmovun_high_s32(vqmovun_s32(a), b));
}
SEGMENTER_INLINE __m128i _mm_cvtepi16_epi32(__m128i a) {
  return vmovl_s16(vget_low_s16(lanes<int16x8_t>(a)));
}
SEGMENTER_INLINE __m128i _mm_cvtepi8_epi16(__m128i a) {
  return whole(vmovl_s8(vget_low_s8(lanes<int8x16_t>(a))));
}
SEGMENTER_INLINE __m128i _mm_cvtepu8_epi32(__m128i a) {
  return whole(vmovl_u16(vget_low_u16(vmovl_u8(vget_low_u8(lanes<uint8x16_t>(a))))));
}

// A place of 128 and more gives 0; the others count by their four low bits.
SEGMENTER_INLINE __m128i _mm_shuffle_epi8(__m128i a, __m128i places) {
  return whole(
      vqtbl1q_u8(lanes<uint8x16_t>(a), vandq_u8(lanes<uint8x16_t>(places), vdupq_n_u8(0x8F))));
}
#define _MM_SHUFFLE(d, c, b, a) ((d) << 6 | (c) << 4 | (b) << 2 | (a))
// Two lanes of a, then two of b.
template <int kPlaces, class V>
SEGMENTER_INLINE V shuffled(V a, V b) {
  constexpr int k0 = kPlaces & 3, k1 = kPlaces >> 2 & 3, k2 = 4 + (kPlaces >> 4 & 3),
                k3 = 4 + (kPlaces >> 6 & 3);
#if defined(__clang__)
  return __builtin_shufflevector(a, b, k0, k1, k2, k3);
#else
  return __builtin_shuffle(a, b, int32x4_t{k0, k1, k2, k3});
#endif
}
#define _mm_shuffle_epi32(a, places) shuffled<places>(a, a)
#define _mm_shuffle_ps(a, b, places) shuffled<places>(a, b)

}  // namespace segmenter
