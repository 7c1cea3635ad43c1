// Answers: which instruction sets and extensions does the compiler offer? No other header asks the compiler.
// Part of an exported project; may be used without condition.
//
// It has no config fields. It defines, where they hold:
//   N2D2_ISA_SSE2, N2D2_ISA_AVX2 (each with N2D2_VECTOR), N2D2_ISA_AVXVNNI, N2D2_ISA_AVX512 (F, BW, VL,
//   DQ), N2D2_ISA_AVX512_VNNI, N2D2_ISA_AMX (with it, Linux), N2D2_ISA_NEON (AArch64), N2D2_ISA_DOTPROD,
//   N2D2_ISA_I8MM (with DOTPROD), N2D2_ISA_DSP, N2D2_ISA_MVE (Cortex-M, little-endian; MVE with DSP),
//   N2D2_ISA_NOFPU (Cortex-M without floating-point unit; may be predefined, for tests),
//   N2D2_ISA_THUMB (any Cortex-M, with the assembler of GNU compilers)
//                    what the forms of kernels.list need; N2D2_PORTABLE switches all of them off
//   N2D2_PACKED      weights are read in the order of packed.hpp where the layer has them in that order
// and always:
//   N2D2_VECTOR      bytes of a vector of the compiler (own types, operators, no intrinsics), 16 or 32, that
//                    the machine computes at once; 0: portable forms are plain loops. May be predefined.
//   N2D2_LONG_PRODUCT  1: a product of 64 bits is one instruction; 0: it is a function (Cortex-M0, M0+, M23).
//                    May be predefined.
//   N2D2_SMALL       1: the compiler optimizes for size (-Os); 0: for speed
//   N2D2_LITTLE_ENDIAN  1: the first byte of a word is its lowest; 0: it is not, or the order is unknown
//   N2D2_INLINE      the function is always inlined
//   N2D2_APART       the function is never inlined, so that its variables do not add to those of its caller
//   N2D2_OPAQUE(p)   the compiler forgets what it knows of the pointer p, so that it does not load data of p
//                    ahead and keep them on the stack
//   N2D2_LOOP        before a loop of few steps: it is not unrolled, and the compiler may vectorise it
//   N2D2_ROLLED      before a loop: it is not unrolled where vector registers are few, so that its steps do
//                    not keep shared loads on the stack
//   N2D2_SHARED      inner loops that know no config: inlined into each layer, or one copy for all where
//                    N2D2_ONE_COPY is defined
//   N2D2_SHUFFLE     selects lanes of two vectors of Type by constants
//
// Two more macros may be predefined:
//   N2D2_THREADS_ALWAYS  layers that are too small for several threads have them, too, for tests
//   N2D2_FEW_TILES   kernels on packed weights have tiles of few sizes for small code; they are slower, the
//                    bytes are equal
#pragma once

#if !defined(N2D2_VECTOR)
#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 9)
#if defined(__AVX2__)
#define N2D2_VECTOR 32
#elif defined(__SSE2__) || (defined(__ARM_NEON) && !defined(__ARM_BIG_ENDIAN))
#define N2D2_VECTOR 16
#endif
#endif
#endif
#if !defined(N2D2_VECTOR)
#define N2D2_VECTOR 0
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_LITTLE_ENDIAN__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define N2D2_LITTLE_ENDIAN 1
#else
#define N2D2_LITTLE_ENDIAN 0
#endif

#if defined(__OPTIMIZE_SIZE__)
#define N2D2_SMALL 1
#else
#define N2D2_SMALL 0
#endif

#if !defined(N2D2_PORTABLE)
#if N2D2_VECTOR == 16 && defined(__SSE2__)
#define N2D2_ISA_SSE2
#endif
#if N2D2_VECTOR == 32 && defined(__AVX2__)
#define N2D2_ISA_AVX2
#if defined(__AVXVNNI__)
#define N2D2_ISA_AVXVNNI
#endif
#endif
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#define N2D2_ISA_AVX512
#if defined(__AVX512VNNI__)
#define N2D2_ISA_AVX512_VNNI
#if defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__x86_64__) && defined(__linux__)
#define N2D2_ISA_AMX
#endif
#endif
#endif
#if N2D2_VECTOR == 16 && defined(__aarch64__) && defined(__ARM_NEON)
#define N2D2_ISA_NEON
#if defined(__ARM_FEATURE_DOTPROD)
#define N2D2_ISA_DOTPROD
#if defined(__ARM_FEATURE_MATMUL_INT8)
#define N2D2_ISA_I8MM
#endif
#endif
#endif
#endif

#if !defined(N2D2_PORTABLE) && defined(__ARM_ARCH_PROFILE) && N2D2_LITTLE_ENDIAN
#if __ARM_ARCH_PROFILE == 'M' && defined(__ARM_FEATURE_SIMD32)
#define N2D2_ISA_DSP
#if defined(__ARM_FEATURE_MVE)
#define N2D2_ISA_MVE
#endif
#endif
#endif

#if !defined(N2D2_PORTABLE) && defined(__ARM_ARCH_PROFILE)
#if __ARM_ARCH_PROFILE == 'M' && !defined(__ARM_FP)
#define N2D2_ISA_NOFPU
#endif
#if __ARM_ARCH_PROFILE == 'M' && defined(__GNUC__)
#define N2D2_ISA_THUMB
#endif
#endif

#if !defined(N2D2_LONG_PRODUCT)
#if defined(__ARM_ARCH_ISA_THUMB) && __ARM_ARCH_ISA_THUMB == 1
#define N2D2_LONG_PRODUCT 0
#else
#define N2D2_LONG_PRODUCT 1
#endif
#endif

#if defined(N2D2_ISA_AVX512_VNNI) || defined(N2D2_ISA_AVX2) || defined(N2D2_ISA_NEON)
#define N2D2_PACKED
#endif

#if defined(__clang__)
#define N2D2_SHUFFLE(Type, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#elif defined(__GNUC__)
#define N2D2_SHUFFLE(Type, a, b, ...) __builtin_shuffle(a, b, Type{__VA_ARGS__})
#endif

#ifndef N2D2_INLINE
#if defined(__GNUC__)
#define N2D2_INLINE inline __attribute__((always_inline))
#else
#define N2D2_INLINE inline
#endif
#endif

#if defined(__GNUC__)
#define N2D2_APART inline __attribute__((noinline))
#else
#define N2D2_APART inline
#endif

// Hides where a pointer comes from. g++ 12 takes a loop for one without effect, and drops it with its
// function, that reads with a stride and writes without one in the same static array (-O1, -O2).
#if defined(__GNUC__)
#define N2D2_OPAQUE(p) __asm__("" : "+r"(p))
#else
#define N2D2_OPAQUE(p)
#endif

#if defined(__clang__)
#define N2D2_LOOP _Pragma("clang loop unroll(disable)")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define N2D2_LOOP _Pragma("GCC unroll 1")
#else
#define N2D2_LOOP
#endif
// With few registers and a short stack, loops are not unrolled, and a pixel is a function of its own.
#if N2D2_VECTOR == 32
#define N2D2_ROLLED
#define N2D2_OWN_FRAME N2D2_INLINE
#else
#define N2D2_ROLLED N2D2_LOOP
#define N2D2_OWN_FRAME N2D2_APART
#endif

#if defined(N2D2_ONE_COPY) && defined(__GNUC__)
#define N2D2_SHARED __attribute__((noinline))
#else
#define N2D2_SHARED N2D2_INLINE
#endif
