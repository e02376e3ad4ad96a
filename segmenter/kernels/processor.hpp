// Sets of vector instructions: which ones this compiler can build, and which ones the processor
// runs.
#pragma once
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#if !defined(SEGMENTER_PORTABLE) && (defined(__x86_64__) || defined(_M_X64))
#define SEGMENTER_NETWORK_X86 1
#include <immintrin.h>
#if defined(_MSC_VER)
#include <intrin.h>
#else
#include <cpuid.h>
#endif
// compilers that know AVX-VNNI
#if defined(_MSC_VER) ? _MSC_VER >= 1930      \
: defined(__clang__)  ? __clang_major__ >= 13 \
                      : __GNUC__ >= 11
#define SEGMENTER_NETWORK_AVX_VNNI 1
#else
#define SEGMENTER_NETWORK_AVX_VNNI 0
#endif
// A program on Linux asks for the registers of AMX; other systems are not known here.
#if defined(__linux__) && \
    (defined(__clang__) ? __clang_major__ >= 12 : defined(__GNUC__) && __GNUC__ >= 11)
#define SEGMENTER_NETWORK_AMX 1
#include <sys/syscall.h>
#include <unistd.h>
#else
#define SEGMENTER_NETWORK_AMX 0
#endif
#else
#define SEGMENTER_NETWORK_X86 0
#define SEGMENTER_NETWORK_AMX 0
#endif

#if !defined(SEGMENTER_PORTABLE) && defined(__aarch64__) && defined(__ARM_NEON)
#define SEGMENTER_NETWORK_NEON 1
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
// Compilers that know SDOT (Armv8.2-A); those for Apple's processors assume it.
#if defined(__ARM_FEATURE_DOTPROD) ||                              \
    (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9) || \
    (defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ >= 16)
#define SEGMENTER_NETWORK_SDOT 1
#else
#define SEGMENTER_NETWORK_SDOT 0
#endif
#else
#define SEGMENTER_NETWORK_NEON 0
#endif

#if defined(_MSC_VER)
#define SEGMENTER_NETWORK_INLINE static __forceinline
#define SEGMENTER_NETWORK_INLINE_MEMBER __forceinline
#define SEGMENTER_NETWORK_APART static __declspec(noinline)
#else
#define SEGMENTER_NETWORK_APART static __attribute__((noinline))
#define SEGMENTER_NETWORK_INLINE static inline __attribute__((always_inline))
#define SEGMENTER_NETWORK_INLINE_MEMBER inline __attribute__((always_inline))
#endif
// Unrolls a loop of few rounds, each of which has registers of its own.
#if defined(__clang__)
#define SEGMENTER_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define SEGMENTER_UNROLL _Pragma("GCC unroll 8")
#else
#define SEGMENTER_UNROLL
#endif

#if SEGMENTER_NETWORK_X86
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of what its own <avx512fintrin.h> leaves undefined on purpose (its bug 105593)
#define SEGMENTER_WIDE_WARNINGS                                                        \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wuninitialized\"") \
      _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define SEGMENTER_WIDE_WARNINGS_END _Pragma("GCC diagnostic pop")
#define SEGMENTER_PREFER_WIDE ",prefer-vector-width=512"
#define SEGMENTER_TARGET(NAMES) _Pragma("GCC push_options") SEGMENTER_PRAGMA(GCC target(NAMES))
#define SEGMENTER_TARGET_END _Pragma("GCC pop_options")
#elif defined(__clang__)
#define SEGMENTER_PREFER_WIDE ""
#define SEGMENTER_TARGET(NAMES) \
  SEGMENTER_PRAGMA(clang attribute push(__attribute__((target(NAMES))), apply_to = function))
#define SEGMENTER_TARGET_END _Pragma("clang attribute pop")
#else
#define SEGMENTER_TARGET(NAMES)
#define SEGMENTER_TARGET_END
#endif
#if !defined(SEGMENTER_WIDE_WARNINGS)
#define SEGMENTER_WIDE_WARNINGS
#define SEGMENTER_WIDE_WARNINGS_END
#endif
#define SEGMENTER_PRAGMA(...) _Pragma(#__VA_ARGS__)
// dot(sums, inputs, weights): adds to each sum four products of an unsigned and a signed byte. Given the
// intrinsic, GCC 12's partial redundancy elimination keeps a copy of every sum in memory.
#if defined(__GNUC__) && !defined(__clang__)
#define SEGMENTER_DOT(VECTOR, MNEMONIC, REGISTERS, INTRINSIC)                        \
  SEGMENTER_NETWORK_INLINE VECTOR dot_bytes(VECTOR s, VECTOR x, VECTOR w) {          \
    __asm__(MNEMONIC " %2, %1, %0" : "+" REGISTERS(s) : REGISTERS(x), REGISTERS(w)); \
    return s;                                                                        \
  }
#else
#define SEGMENTER_DOT(VECTOR, MNEMONIC, REGISTERS, INTRINSIC)               \
  SEGMENTER_NETWORK_INLINE VECTOR dot_bytes(VECTOR s, VECTOR x, VECTOR w) { \
    return INTRINSIC(s, x, w);                                              \
  }
#endif
#define SEGMENTER_DOT_OF_256 \
  SEGMENTER_DOT(__m256i, "%{vex%} vpdpbusd", "x", _mm256_dpbusd_avx_epi32)
#define SEGMENTER_DOT_OF_512 SEGMENTER_DOT(__m512i, "vpdpbusd", "v", _mm512_dpbusd_epi32)
#endif

#if SEGMENTER_NETWORK_SDOT
#if defined(__ARM_FEATURE_DOTPROD)
#define SEGMENTER_SDOT_TARGET
#define SEGMENTER_SDOT_TARGET_END
#elif defined(__clang__)
#define SEGMENTER_SDOT_TARGET \
  _Pragma("clang attribute push(__attribute__((target(\"dotprod\"))), apply_to = function)")
#define SEGMENTER_SDOT_TARGET_END _Pragma("clang attribute pop")
#else
#define SEGMENTER_SDOT_TARGET \
  _Pragma("GCC push_options") _Pragma("GCC target(\"arch=armv8.2-a+dotprod\")")
#define SEGMENTER_SDOT_TARGET_END _Pragma("GCC pop_options")
#endif
#endif

namespace segmenter {

// What the processor can do and the system allows.
struct Processor {
  bool avx2 = false, avx_vnni = false, vnni = false, sdot = false;
  Processor() {
#if SEGMENTER_NETWORK_NEON && defined(__APPLE__)
    sdot = true;  // every processor that macOS for arm64 supports has it
#elif SEGMENTER_NETWORK_NEON && defined(__linux__)
    sdot = getauxval(AT_HWCAP) >> 20 & 1;
#elif SEGMENTER_NETWORK_X86 && defined(__GNUC__)
    __builtin_cpu_init();
    avx2 = __builtin_cpu_supports("avx2");
    vnni = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
    unsigned a = 0, b = 0, c = 0, d = 0;  // only recent compilers know "avxvnni"
    avx_vnni = avx2 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && a &&
               __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 4 & 1);
#elif SEGMENTER_NETWORK_X86
    int r[4];
    __cpuid(r, 0);
    const int max_leaf = r[0];
    __cpuid(r, 1);
    const bool saved = (r[2] >> 27 & 1) && (_xgetbv(0) & 6) == 6;
    if (!saved || max_leaf < 7) return;
    const bool wide = (_xgetbv(0) & 0xE6) == 0xE6;
    __cpuidex(r, 7, 0);
    avx2 = r[1] >> 5 & 1;
    vnni = wide && (r[1] >> 16 & 1) && (r[1] >> 30 & 1) && (r[1] >> 31 & 1) && (r[2] >> 11 & 1);
    if (!avx2 || r[0] < 1) return;
    __cpuidex(r, 7, 1);
    avx_vnni = r[0] >> 4 & 1;
#endif
  }
  // Whether the processor runs a set of instructions; "portable", "sse4.1" and "neon" run wherever
  // they compile.
  bool runs(const char* set) const {
    const auto is = [&](const char* name) { return !std::strcmp(set, name); };
    return is("avx2")          ? avx2
           : is("avx-vnni")    ? avx_vnni
           : is("avx512-vnni") ? vnni
           : is("amx")         ? vnni && asks_for_amx()
           : is("neon-sdot")   ? sdot
                               : true;
  }

 private:
  // Whether the processor multiplies tiles of 8 bits, and the system lets this process do so. (It
  // does not if a signal stack is too small for the registers.)
  static bool asks_for_amx() {
#if SEGMENTER_NETWORK_AMX
    constexpr long kAsk = 0x1023, kTiles = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d >> 24 & 3) == 3 &&
           !syscall(SYS_arch_prctl, kAsk, kTiles);
#else
    return false;
#endif
  }
};

// Those sets of instructions of a network that this processor runs.
template <class InstructionSet>
std::vector<const InstructionSet*> runnable(std::initializer_list<const InstructionSet*> compiled) {
  static const Processor processor;
  std::vector<const InstructionSet*> sets;
  for (const InstructionSet* set : compiled)
    if (processor.runs(set->name)) sets.push_back(set);
  return sets;
}

// The sets of instructions that networks are compiled for, slowest first: each a namespace in that
// of the network.
#if SEGMENTER_NETWORK_X86 && SEGMENTER_NETWORK_AVX_VNNI
#define SEGMENTER_COMPILED_SETS                                                              \
  &portable::instructions, &sse::instructions, &avx2::instructions, &avx_vnni::instructions, \
      &vnni::instructions
#elif SEGMENTER_NETWORK_X86
#define SEGMENTER_COMPILED_SETS \
  &portable::instructions, &sse::instructions, &avx2::instructions, &vnni::instructions
#elif SEGMENTER_NETWORK_NEON && SEGMENTER_NETWORK_SDOT
#define SEGMENTER_COMPILED_SETS &portable::instructions, &neon::instructions, &sdot::instructions
#elif SEGMENTER_NETWORK_NEON
#define SEGMENTER_COMPILED_SETS &portable::instructions, &neon::instructions
#else
#define SEGMENTER_COMPILED_SETS &portable::instructions
#endif

}  // namespace segmenter
