// Answers: how does AVX2 add and round a few bytes, each with a multiplier?
// Part of an exported project; may be used without condition.
//
// It has no config fields; it is a form of kernels.list for sums of elemwise.hpp with 8-bit outputs, 16 at a
// time. It adds in 32 bits where the multipliers say that every sum fits, else in 64.
// Stack: 64 bytes where a run is shorter. Scratch: none.
#pragma once

#include <immintrin.h>

#include "elemwise.hpp"
#include "rescale_avx2.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// 16 integers, and 16 sums of products.
struct Avx2Values {
  __m256i part[2];
};
struct Avx2Sums32 {
  __m256i part[2];
};
struct Avx2Sums64 {
  Avx2Wide part[2];
};

N2D2_INLINE void set_all(Avx2Sums32& sum, int64_t start) {
  sum.part[0] = sum.part[1] = _mm256_set1_epi32(static_cast<int32_t>(start));
}
N2D2_INLINE void set_all(Avx2Sums64& sum, int64_t start) {
  sum.part[0].even = sum.part[0].odd = sum.part[1].even = sum.part[1].odd = _mm256_set1_epi64x(start);
}

N2D2_INLINE void add_products(Avx2Sums32& sum, const Avx2Values& x, int32_t multiplier) {
  for (int i = 0; i < 2; ++i)
    sum.part[i] = _mm256_add_epi32(sum.part[i], _mm256_mullo_epi32(x.part[i], _mm256_set1_epi32(multiplier)));
}
N2D2_INLINE void add_products(Avx2Sums64& sum, const Avx2Values& x, int32_t multiplier) {
  for (int i = 0; i < 2; ++i) {
    const Avx2Wide p = products_of(x.part[i], _mm256_set1_epi32(multiplier));
    sum.part[i].even = _mm256_add_epi64(sum.part[i].even, p.even);
    sum.part[i].odd = _mm256_add_epi64(sum.part[i].odd, p.odd);
  }
}

// Returns (sum + h) >> shift inside [lo, hi]; no sum exceeds `magnitude`.
template <class Bounds>
N2D2_INLINE Avx2Values finished(const Bounds& bounds, const Avx2Sums32& sum, int64_t) {
  const int f = bounds.shift;
  const bool fits = f > 0 && f < 32;  // others are of sums in 64 bits
  const __m256i half = _mm256_set1_epi32(fits ? 1 << (fits ? f - 1 : 0) : 0);
  const __m256i lo = _mm256_set1_epi32(bounds.lo), hi = _mm256_set1_epi32(bounds.hi);
  Avx2Values y;
  for (int i = 0; i < 2; ++i) {
    const __m256i v = _mm256_sra_epi32(_mm256_add_epi32(sum.part[i], half), _mm_cvtsi32_si128(f));
    y.part[i] = _mm256_min_epi32(_mm256_max_epi32(v, lo), hi);
  }
  return y;
}
template <class Bounds>
N2D2_INLINE Avx2Values finished(const Bounds& bounds, const Avx2Sums64& sum, int64_t magnitude) {
  const bool fits = (magnitude >> bounds.shift) < INT32_MAX;  // rounding adds one at most
  const Avx2Values y = {{rounded(bounds, sum.part[0], fits), rounded(bounds, sum.part[1], fits)}};
  return y;
}

// Returns whether sums up to this magnitude, after rounding, fit 32 bits.
N2D2_INLINE bool fits_32(int64_t magnitude, int shift) {
  return shift < 31 && magnitude + (static_cast<int64_t>(1) << (shift < 31 ? shift : 0)) <= INT32_MAX;
}
// Returns the magnitude of a product of a value up to `largest`.
N2D2_INLINE int64_t magnitude_of(int32_t multiplier, int largest) {
  const int64_t m = multiplier;
  return (m < 0 ? -m : m) * largest;
}

// Returns n bytes as integers, followed by zeros.
template <class Byte>
N2D2_INLINE Avx2Values widened_16(const Byte* from, int n, bool is_signed) {
  static_assert(sizeof(Byte) == 1, "bytes");
  Byte some[16] = {};
  if (n < 16) {
    for (int i = 0; i < n; ++i) some[i] = from[i];
    from = some;
  }
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  const __m128i upper = _mm_srli_si128(bytes, 8);
  const Avx2Values v = {{is_signed ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes),
                         is_signed ? _mm256_cvtepi8_epi32(upper) : _mm256_cvtepu8_epi32(upper)}};
  return v;
}

struct Avx2Adding {
  template <class Sums, class P, class In>
  static N2D2_INLINE void run(Sums* sum, const Plane& dst, int y, int x, int first, int n,
                              const Operand<P, In>& o) {
    const Beside<In> from = beside(o, dst, y, x, first);
    const bool is_signed = o.c.is_signed != 0;
    if (from.step == 0) {
      const __m256i all =
          _mm256_set1_epi32(is_signed ? static_cast<int32_t>(static_cast<int8_t>(from.data[0]))
                                      : static_cast<int32_t>(static_cast<uint8_t>(from.data[0])));
      const Avx2Values v = {{all, all}};
      add_products(*sum, v, o.c.multiplier);
    } else {
      add_products(*sum, widened_16(from.data, n, is_signed), o.c.multiplier);
    }
  }
};

// Adds up a magnitude that no sum of the operands' products exceeds.
struct Avx2Magnitude {
  template <class P, class In>
  static N2D2_INLINE void run(int64_t* sum, const Plane&, int, int, int, int, const Operand<P, In>& o) {
    *sum += magnitude_of(o.c.multiplier, o.c.is_signed ? 128 : 255);
  }
};

template <class Out>
struct Avx2SumOfBytes {
  enum { kThere = 1 };
  template <class Sums, class C, class... Operands>
  static N2D2_INLINE void add(const C& c, int64_t magnitude, Out* out, const Plane& dst, int y, int x,
                              int first, int n, const Operands&... operands) {
    Sums sum;
    set_all(sum, start_of(c));
    join_operands<Avx2Adding>(&sum, dst, y, x, first, n, operands...);
    const Avx2Values v = finished(c, sum, magnitude);
    store_bytes(narrowed<Out>(v.part[0], v.part[1]), n, out);
  }
  template <class C, class... Operands>
  static N2D2_INLINE void run(const C& c, Out* out, const Plane& dst, int y, int x, int first, int n,
                              const Operands&... operands) {
    const int64_t start = start_of(c);
    int64_t magnitude = start < 0 ? -start : start;
    join_operands<Avx2Magnitude>(&magnitude, dst, y, x, first, n, operands...);
    if (fits_32(magnitude, c.shift))
      add<Avx2Sums32>(c, magnitude, out, dst, y, x, first, n, operands...);
    else
      add<Avx2Sums64>(c, magnitude, out, dst, y, x, first, n, operands...);
  }
};
#if !defined(N2D2_ISA_AVX512)  // sum_avx512.hpp has it
template <>
struct ElemwiseForm<Adding, uint8_t> : Avx2SumOfBytes<uint8_t> {};
template <>
struct ElemwiseForm<Adding, int8_t> : Avx2SumOfBytes<int8_t> {};
#endif

}  // namespace N2D2_EXPORT_NAMESPACE
