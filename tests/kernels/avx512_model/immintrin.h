// Answers: what do the AVX-512 and AMX instructions of the kernels do? Plain loops in place of the compiler's
// header, so that forms for AVX-512 run, and are compared, on any x86 machine.
//
// Only what export/CPP/kernels uses. Source: the operation sections of Intel's Software Developer's Manual,
// volume 2;
// `maskz` leaves zeros, `mask` the first argument where a mask has no bit.
#pragma once

#include <emmintrin.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

typedef long long __m512i __attribute__((vector_size(64), may_alias));
typedef float __m512 __attribute__((vector_size(64), may_alias));
typedef long long __m256i __attribute__((vector_size(32), may_alias));
typedef uint16_t __mmask16;
typedef uint32_t __mmask32;
typedef uint64_t __mmask64;
typedef uint8_t __mmask8;

namespace avx512_model {

// The elements of a vector of `bytes` bytes.
template <class T, int bytes = 64>
struct Of {
  enum { kCount = bytes / static_cast<int>(sizeof(T)) };
  T at[bytes / sizeof(T)];

  Of() { memset(at, 0, sizeof at); }
  template <class Vector>
  explicit Of(const Vector& v) {
    static_assert(sizeof(Vector) == bytes, "another size");
    memcpy(at, &v, sizeof at);
  }
  template <class Vector = __m512i>
  Vector vector() const {
    static_assert(sizeof(Vector) == bytes, "another size");
    Vector v;
    memcpy(&v, at, sizeof v);
    return v;
  }
};

inline bool has(uint64_t mask, int i) {
  return (mask >> i & 1) != 0;
}

template <class T, int bytes>
Of<T, bytes> masked(uint64_t mask, const Of<T, bytes>& otherwise, const Of<T, bytes>& v) {
  Of<T, bytes> out = otherwise;
  for (int i = 0; i < Of<T, bytes>::kCount; ++i)
    if (has(mask, i)) out.at[i] = v.at[i];
  return out;
}

template <class T, int bytes>
Of<T, bytes> load(uint64_t mask, const void* from, Of<T, bytes> out = Of<T, bytes>()) {
  for (int i = 0; i < Of<T, bytes>::kCount; ++i)
    if (has(mask, i)) memcpy(&out.at[i], static_cast<const T*>(from) + i, sizeof(T));
  return out;
}

// In each 128-bit part, the elements of its low or high half, in turns.
template <class T>
__m512i unpack(uint64_t mask, __m512i first, __m512i second, int high) {
  const Of<T> a(first), b(second);
  Of<T> out;
  const int n = 16 / static_cast<int>(sizeof(T));
  for (int part = 0; part < 4; ++part)
    for (int i = 0; i < n / 2; ++i) {
      out.at[part * n + 2 * i] = a.at[part * n + high * n / 2 + i];
      out.at[part * n + 2 * i + 1] = b.at[part * n + high * n / 2 + i];
    }
  return masked(mask, Of<T>(), out).vector();
}

// In each 128-bit part, the elements of a and then of b, saturated.
template <class From, class To>
__m512i pack(__m512i first, __m512i second, From lowest, From highest) {
  const Of<From> a(first), b(second);
  Of<To> out;
  const int n = 16 / static_cast<int>(sizeof(From));
  for (int part = 0; part < 4; ++part)
    for (int i = 0; i < 2 * n; ++i) {
      const From x = i < n ? a.at[part * n + i] : b.at[part * n + i - n];
      out.at[part * 2 * n + i] = static_cast<To>(x < lowest ? lowest : (x > highest ? highest : x));
    }
  return out.vector();
}

template <class T, class Part>
Of<T> repeated(const Part& part) {
  Of<T> out;
  for (size_t i = 0; i < 64 / sizeof(Part); ++i)
    memcpy(reinterpret_cast<char*>(out.at) + i * sizeof(Part), &part, sizeof(Part));
  return out;
}

template <class Use>
__m512i lanes(__m512i first, __m512i second, const Use& use) {
  const Of<uint32_t> a(first), b(second);
  Of<uint32_t> out;
  for (int i = 0; i < 16; ++i) out.at[i] = use(a.at[i], b.at[i]);
  return out.vector();
}
template <class Use>
__m512 floats(__m512 first, __m512 second, const Use& use) {
  const Of<float> a(first), b(second);
  Of<float> out;
  for (int i = 0; i < 16; ++i) out.at[i] = use(a.at[i], b.at[i]);
  return out.template vector<__m512>();
}

}  // namespace avx512_model

// Loads and stores
inline __m128i _mm_maskz_loadu_epi8(__mmask16 m, const void* p) {
  return avx512_model::load<uint8_t, 16>(m, p).vector<__m128i>();
}
inline __m256i _mm256_loadu_si256(const __m256i* p) {
  return avx512_model::load<uint8_t, 32>(~0U, p).vector<__m256i>();
}
inline __m256i _mm256_maskz_loadu_epi8(__mmask32 m, const void* p) {
  return avx512_model::load<uint8_t, 32>(m, p).vector<__m256i>();
}
inline __m512i _mm512_mask_loadu_epi8(__m512i src, __mmask64 m, const void* p) {
  return avx512_model::load<uint8_t, 64>(m, p, avx512_model::Of<uint8_t>(src)).vector();
}
inline __m512i _mm512_maskz_loadu_epi8(__mmask64 m, const void* p) {
  return avx512_model::load<uint8_t, 64>(m, p).vector();
}
inline __m512i _mm512_maskz_loadu_epi32(__mmask16 m, const void* p) {
  return avx512_model::load<uint32_t, 64>(m, p).vector();
}
inline __m512 _mm512_maskz_loadu_ps(__mmask16 m, const void* p) {
  return avx512_model::load<float, 64>(m, p).vector<__m512>();
}
inline __m512i _mm512_loadu_si512(const void* p) {
  return avx512_model::load<uint8_t, 64>(~uint64_t{0}, p).vector();
}
inline __m512 _mm512_loadu_ps(const void* p) {
  return avx512_model::load<float, 64>(~uint64_t{0}, p).vector<__m512>();
}
inline void _mm512_storeu_si512(void* p, __m512i v) {
  memcpy(p, &v, sizeof v);
}
inline void _mm512_mask_storeu_epi8(void* p, __mmask64 m, __m512i v) {
  const avx512_model::Of<uint8_t> a(v);
  for (int i = 0; i < 64; ++i)
    if (avx512_model::has(m, i)) static_cast<uint8_t*>(p)[i] = a.at[i];
}
inline void _mm512_mask_cvtepi32_storeu_epi8(void* p, __mmask16 m, __m512i v) {
  const avx512_model::Of<uint32_t> a(v);
  for (int i = 0; i < 16; ++i)
    if (avx512_model::has(m, i)) static_cast<uint8_t*>(p)[i] = static_cast<uint8_t>(a.at[i]);
}

// Values
inline __m512i _mm512_setzero_si512() {
  return avx512_model::Of<uint8_t>().vector();
}
inline __m512i _mm512_set1_epi8(char c) {
  return avx512_model::repeated<uint8_t>(c).vector();
}
inline __m512i _mm512_set1_epi32(int32_t i) {
  return avx512_model::repeated<uint32_t>(i).vector();
}
inline __m512 _mm512_set1_ps(float f) {
  return avx512_model::repeated<float>(f).vector<__m512>();
}
inline __m512i _mm512_set_epi32(int p, int o, int n, int m, int l, int k, int j, int i, int h, int g, int f,
                                int e, int d, int c, int b, int a) {
  const int all[16] = {a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p};
  return avx512_model::load<uint32_t, 64>(0xffff, all).vector();
}
inline __m512 _mm512_castsi512_ps(__m512i v) {
  return avx512_model::Of<float>(v).vector<__m512>();
}

// Places
inline __m512i _mm512_maskz_unpacklo_epi8(__mmask64 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint8_t>(m, a, b, 0);
}
inline __m512i _mm512_maskz_unpackhi_epi8(__mmask64 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint8_t>(m, a, b, 1);
}
inline __m512i _mm512_maskz_unpacklo_epi16(__mmask32 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint16_t>(m, a, b, 0);
}
inline __m512i _mm512_maskz_unpackhi_epi16(__mmask32 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint16_t>(m, a, b, 1);
}
inline __m512i _mm512_maskz_unpacklo_epi32(__mmask16 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint32_t>(m, a, b, 0);
}
inline __m512i _mm512_maskz_unpackhi_epi32(__mmask16 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint32_t>(m, a, b, 1);
}
inline __m512i _mm512_maskz_unpacklo_epi64(__mmask8 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint64_t>(m, a, b, 0);
}
inline __m512i _mm512_maskz_unpackhi_epi64(__mmask8 m, __m512i a, __m512i b) {
  return avx512_model::unpack<uint64_t>(m, a, b, 1);
}
inline __m512i _mm512_packs_epi32(__m512i a, __m512i b) {
  return avx512_model::pack<int32_t, int16_t>(a, b, -32768, 32767);
}
inline __m512i _mm512_packs_epi16(__m512i a, __m512i b) {
  return avx512_model::pack<int16_t, int8_t>(a, b, -128, 127);
}
inline __m512i _mm512_packus_epi16(__m512i a, __m512i b) {
  return avx512_model::pack<int16_t, uint8_t>(a, b, 0, 255);
}
inline __m512i _mm512_maskz_shuffle_i32x4(__mmask16 m, __m512i a, __m512i b, int order) {
  const avx512_model::Of<uint32_t> from[2] = {avx512_model::Of<uint32_t>(a), avx512_model::Of<uint32_t>(b)};
  avx512_model::Of<uint32_t> out;
  for (int part = 0; part < 4; ++part)
    for (int i = 0; i < 4; ++i) out.at[part * 4 + i] = from[part / 2].at[(order >> 2 * part & 3) * 4 + i];
  return avx512_model::masked(m, avx512_model::Of<uint32_t>(), out).vector();
}
inline __m512i _mm512_maskz_permutexvar_epi32(__mmask16 m, __m512i order, __m512i v) {
  const avx512_model::Of<uint32_t> to(order), a(v);
  avx512_model::Of<uint32_t> out;
  for (int i = 0; i < 16; ++i) out.at[i] = a.at[to.at[i] & 15];
  return avx512_model::masked(m, avx512_model::Of<uint32_t>(), out).vector();
}
inline __m512i _mm512_mask_broadcast_i32x4(__m512i otherwise, __mmask16 m, __m128i part) {
  return avx512_model::masked(m, avx512_model::Of<uint32_t>(otherwise),
                              avx512_model::repeated<uint32_t>(part))
      .vector();
}
inline __m512i _mm512_maskz_broadcast_i32x4(__mmask16 m, __m128i part) {
  return _mm512_mask_broadcast_i32x4(_mm512_setzero_si512(), m, part);
}
inline __m512i _mm512_mask_broadcast_i64x4(__m512i otherwise, __mmask8 m, __m256i part) {
  return avx512_model::masked(m, avx512_model::Of<uint64_t>(otherwise),
                              avx512_model::repeated<uint64_t>(part))
      .vector();
}
inline __m512i _mm512_maskz_broadcast_i64x4(__mmask8 m, __m256i part) {
  return _mm512_mask_broadcast_i64x4(_mm512_setzero_si512(), m, part);
}
inline __m128i _mm512_maskz_extracti32x4_epi32(__mmask8 m, __m512i v, int part) {
  return avx512_model::load<uint32_t, 16>(m, avx512_model::Of<uint32_t>(v).at + 4 * part).vector<__m128i>();
}

// Arithmetic
inline __m512i _mm512_add_epi32(__m512i a, __m512i b) {
  return avx512_model::lanes(a, b, [](uint32_t x, uint32_t y) { return x + y; });
}
inline __m512i _mm512_set1_epi64(long long i) {
  return avx512_model::repeated<uint64_t>(i).vector();
}
inline __m512i _mm512_add_epi64(__m512i a, __m512i b) {
  return a + b;
}
inline __m512i _mm512_maskz_mul_epi32(__mmask8 m, __m512i a, __m512i b) {
  const avx512_model::Of<int32_t> x(a), y(b);
  avx512_model::Of<int64_t> out;
  for (int i = 0; i < 8; ++i) out.at[i] = int64_t{x.at[2 * i]} * y.at[2 * i];
  return avx512_model::masked(m, avx512_model::Of<int64_t>(), out).vector();
}
template <class Use>
__m512i avx512_model_quads(__mmask8 m, __m512i first, __m512i second, const Use& use) {
  const avx512_model::Of<int64_t> a(first), b(second);
  avx512_model::Of<int64_t> out;
  for (int i = 0; i < 8; ++i) out.at[i] = use(a.at[i], b.at[i]);
  return avx512_model::masked(m, avx512_model::Of<int64_t>(), out).vector();
}
inline __m512i _mm512_maskz_min_epi64(__mmask8 m, __m512i a, __m512i b) {
  return avx512_model_quads(m, a, b, [](int64_t x, int64_t y) { return x < y ? x : y; });
}
inline __m512i _mm512_maskz_max_epi64(__mmask8 m, __m512i a, __m512i b) {
  return avx512_model_quads(m, a, b, [](int64_t x, int64_t y) { return x > y ? x : y; });
}
inline __m512i _mm512_maskz_srli_epi64(__mmask8 m, __m512i v, unsigned n) {
  return avx512_model_quads(
      m, v, v, [n](int64_t x, int64_t) { return static_cast<int64_t>(static_cast<uint64_t>(x) >> n); });
}
inline __m512i _mm512_maskz_slli_epi64(__mmask8 m, __m512i v, unsigned n) {
  return avx512_model_quads(
      m, v, v, [n](int64_t x, int64_t) { return static_cast<int64_t>(static_cast<uint64_t>(x) << n); });
}
inline __m512i _mm512_maskz_sra_epi64(__mmask8 m, __m512i v, __m128i count) {
  const int n = _mm_cvtsi128_si32(count);
  return avx512_model_quads(m, v, v, [n](int64_t x, int64_t) { return x >> n; });
}
inline __m512i _mm512_mask_mov_epi32(__m512i otherwise, __mmask16 m, __m512i v) {
  return avx512_model::masked(m, avx512_model::Of<uint32_t>(otherwise), avx512_model::Of<uint32_t>(v))
      .vector();
}
inline __m512i _mm512_maskz_cvtepi8_epi32(__mmask16 m, __m128i v) {
  const avx512_model::Of<int8_t, 16> a(v);
  avx512_model::Of<int32_t> out;
  for (int i = 0; i < 16; ++i) out.at[i] = a.at[i];
  return avx512_model::masked(m, avx512_model::Of<int32_t>(), out).vector();
}
inline __m512i _mm512_maskz_cvtepu8_epi32(__mmask16 m, __m128i v) {
  const avx512_model::Of<uint8_t, 16> a(v);
  avx512_model::Of<int32_t> out;
  for (int i = 0; i < 16; ++i) out.at[i] = a.at[i];
  return avx512_model::masked(m, avx512_model::Of<int32_t>(), out).vector();
}
inline __m512i _mm512_sub_epi32(__m512i a, __m512i b) {
  return avx512_model::lanes(a, b, [](uint32_t x, uint32_t y) { return x - y; });
}
inline __m512i _mm512_xor_si512(__m512i a, __m512i b) {
  return avx512_model::lanes(a, b, [](uint32_t x, uint32_t y) { return x ^ y; });
}
inline __m512i _mm512_and_si512(__m512i a, __m512i b) {
  return a & b;
}
inline __m512i _mm512_setr_epi64(long long a, long long b, long long c, long long d, long long e, long long f,
                                 long long g, long long h) {
  const __m512i v = {a, b, c, d, e, f, g, h};
  return v;
}
inline __m512i _mm512_maskz_sllv_epi64(__mmask8 m, __m512i v, __m512i counts) {
  const avx512_model::Of<uint64_t> a(v), n(counts);
  avx512_model::Of<uint64_t> out;
  for (int i = 0; i < 8; ++i)
    if (n.at[i] < 64) out.at[i] = a.at[i] << n.at[i];
  return avx512_model::masked(m, avx512_model::Of<uint64_t>(), out).vector();
}
inline __m512i _mm512_dpbusd_epi32(__m512i sum, __m512i x, __m512i w) {
  avx512_model::Of<uint32_t> out(sum);
  const avx512_model::Of<uint8_t> a(x);
  const avx512_model::Of<int8_t> b(w);
  for (int i = 0; i < 64; ++i) out.at[i / 4] += static_cast<uint32_t>(a.at[i] * b.at[i]);
  return out.vector();
}
inline __m512 _mm512_mul_ps(__m512 a, __m512 b) {
  return avx512_model::floats(a, b, [](float x, float y) { return x * y; });
}
inline __m512 _mm512_maskz_max_ps(__mmask16 m, __m512 a, __m512 b) {
  const __m512 all = avx512_model::floats(a, b, [](float x, float y) { return x > y ? x : y; });
  return avx512_model::masked(m, avx512_model::Of<float>(), avx512_model::Of<float>(all)).vector<__m512>();
}
inline __m512 _mm512_maskz_min_ps(__mmask16 m, __m512 a, __m512 b) {
  const __m512 all = avx512_model::floats(a, b, [](float x, float y) { return x < y ? x : y; });
  return avx512_model::masked(m, avx512_model::Of<float>(), avx512_model::Of<float>(all)).vector<__m512>();
}
inline __m512 _mm512_maskz_cvtepi32_ps(__mmask16 m, __m512i v) {
  const avx512_model::Of<int32_t> a(v);
  avx512_model::Of<float> out;
  for (int i = 0; i < 16; ++i)
    if (avx512_model::has(m, i)) out.at[i] = static_cast<float>(a.at[i]);
  return out.vector<__m512>();
}
inline __m512i _mm512_maskz_cvtps_epi32(__mmask16 m, __m512 v) {
  const avx512_model::Of<float> a(v);
  avx512_model::Of<int32_t> out;
  for (int i = 0; i < 16; ++i)
    if (avx512_model::has(m, i))
      out.at[i] =
          a.at[i] >= -0x1p31F && a.at[i] < 0x1p31F ? static_cast<int32_t>(lrintf(a.at[i])) : INT32_MIN;
  return out.vector<__m512i>();
}

// Tiles: what volume 2 calls palette 1. Bytes and rows beyond the shape of a register are zero.
namespace avx512_model {

struct Tiles {
  int rows[8], bytes[8];
  uint8_t at[8][16][64];
};
inline Tiles& tiles() {
  static thread_local Tiles all;
  return all;
}

template <class A, class B>
void dot_tiles(int to, int first, int second) {
  Tiles& t = tiles();
  for (int m = 0; m < t.rows[to]; ++m)
    for (int n = 0; n < t.bytes[to] / 4; ++n) {
      uint32_t sum;
      memcpy(&sum, t.at[to][m] + 4 * n, 4);
      for (int k = 0; k < t.bytes[first]; ++k) {
        const int x = static_cast<A>(t.at[first][m][k]),
                  w = static_cast<B>(t.at[second][k / 4][4 * n + k % 4]);
        sum += static_cast<uint32_t>(x * w);
      }
      memcpy(t.at[to][m] + 4 * n, &sum, 4);
    }
}

}  // namespace avx512_model

inline void _tile_loadconfig(const void* config) {
  const auto* bytes = static_cast<const uint8_t*>(config);
  avx512_model::Tiles& t = avx512_model::tiles();
  memset(&t, 0, sizeof t);
  for (int i = 0; i < 8; ++i) {
    uint16_t row_bytes;
    memcpy(&row_bytes, bytes + 16 + 2 * i, 2);
    t.bytes[i] = row_bytes, t.rows[i] = bytes[48 + i];
  }
}
inline void _tile_release() {
  memset(&avx512_model::tiles(), 0, sizeof(avx512_model::Tiles));
}
inline void _tile_zero(int tile) {
  memset(avx512_model::tiles().at[tile], 0, 16 * 64);
}
inline void _tile_loadd(int tile, const void* from, long stride) {
  avx512_model::Tiles& t = avx512_model::tiles();
  _tile_zero(tile);
  for (int m = 0; m < t.rows[tile]; ++m)
    memcpy(t.at[tile][m], static_cast<const uint8_t*>(from) + m * stride, t.bytes[tile]);
}
inline void _tile_stored(int tile, void* to, long stride) {
  avx512_model::Tiles& t = avx512_model::tiles();
  for (int m = 0; m < t.rows[tile]; ++m)
    memcpy(static_cast<uint8_t*>(to) + m * stride, t.at[tile][m], t.bytes[tile]);
}
inline void _tile_dpbusd(int to, int first, int second) {
  avx512_model::dot_tiles<uint8_t, int8_t>(to, first, second);
}
inline void _tile_dpbssd(int to, int first, int second) {
  avx512_model::dot_tiles<int8_t, int8_t>(to, first, second);
}

// Registers that no machine here has cannot be named; the kernels' assembly only orders loads, and asks a
// system for tiles, which then gives them.
#define __asm__(...)
