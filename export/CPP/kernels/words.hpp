// Answers: how are bytes loaded into vectors of 16-bit elements, and which of the lanes count?
// Part of an exported project; included where N2D2_VECTOR is not 0.
//
// It has no config fields. Nothing beyond the requested elements is read.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// 16-bit elements, and the 32-bit sums of their pairs.
typedef int16_t Words __attribute__((vector_size(N2D2_VECTOR)));
typedef int32_t WordSums __attribute__((vector_size(N2D2_VECTOR)));
typedef int32_t UnalignedSums __attribute__((vector_size(N2D2_VECTOR), aligned(4), may_alias));

enum { kWords = N2D2_VECTOR / 2 };

// Widens bytes to words with the compiler's vectors; an instruction set may replace it.
struct PlainWiden {
#if N2D2_VECTOR == 32
  template <class T, class Bytes>
  static N2D2_INLINE Words bytes(Bytes v) {
    return __builtin_convertvector(v, Words);
  }
#else
  // Moves each byte to the upper half, then shifts it down with or without its sign.
  template <class T, class Bytes>
  static N2D2_INLINE Words bytes(Bytes v) {
    typedef uint8_t Vector __attribute__((vector_size(N2D2_VECTOR)));
    typedef uint64_t Halves __attribute__((vector_size(N2D2_VECTOR)));
    const Halves halves = {reinterpret_cast<uint64_t>(v), 0};
    const Vector low = reinterpret_cast<Vector>(halves), none = {};
    if (static_cast<T>(-1) > static_cast<T>(0))
      return reinterpret_cast<Words>(
          N2D2_SHUFFLE(Vector, low, none, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23));
    return reinterpret_cast<Words>(
               N2D2_SHUFFLE(Vector, none, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)) >>
           8;
  }
#endif
};

// Loads elements of type T.
template <class T, class Widen = PlainWiden>
struct WordLoad {
  typedef T Bytes __attribute__((vector_size(kWords)));
  typedef T Unaligned __attribute__((vector_size(kWords), aligned(1), may_alias));
  typedef uint32_t Dword __attribute__((aligned(1), may_alias));
  typedef uint64_t Qword __attribute__((aligned(1), may_alias));
  typedef uint32_t Dwords __attribute__((vector_size(kWords)));
  typedef uint64_t Qwords __attribute__((vector_size(kWords)));

  static N2D2_INLINE Words widen(Bytes v) { return Widen::template bytes<T>(v); }

  static N2D2_INLINE Words full(const T* p) {
    return widen(static_cast<Bytes>(*reinterpret_cast<const Unaligned*>(p)));
  }
  // Loads n < kWords elements, some of them twice, at the places that WordMask::part names.
  static N2D2_INLINE Words part(const T* p, int n) {
    if (n >= 8) {
      Qwords v = {};
      v[0] = *reinterpret_cast<const Qword*>(p);
      v[kWords / 8 - 1] = *reinterpret_cast<const Qword*>(p + n - 8);
      return widen(reinterpret_cast<Bytes>(v));
    }
    Dwords v = {};
    if (n >= 4) {
      v[0] = *reinterpret_cast<const Dword*>(p);
      v[1] = *reinterpret_cast<const Dword*>(p + n - 4);
    } else {
      const uint32_t a = static_cast<uint8_t>(p[0]), b = static_cast<uint8_t>(p[n / 2]);
      v[0] = a | b << 8 | static_cast<uint32_t>(static_cast<uint8_t>(p[n - 1])) << 16;
    }
    return widen(reinterpret_cast<Bytes>(v));
  }
};

// Has ones in the lanes that count. rest: the last n lanes of a step; part: WordLoad::part of n elements.
struct WordMask {
  typedef int16_t Unaligned __attribute__((vector_size(N2D2_VECTOR), aligned(2), may_alias));
  static N2D2_INLINE Words at(const int16_t* p) { return *reinterpret_cast<const Unaligned*>(p); }
  static N2D2_INLINE Words rest(int n) {
    static const int16_t ones[2 * 16] = {0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
                                         -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    return at(ones + 16 - kWords + n);
  }
  static N2D2_INLINE Words part(int n) {
    static const int16_t pieces[16][16] = {{},
                                           {-1},
                                           {-1, -1},
                                           {-1, -1, -1},
                                           {-1, -1, -1, -1},
                                           {-1, -1, -1, -1, 0, 0, 0, -1},
                                           {-1, -1, -1, -1, 0, 0, -1, -1},
                                           {-1, -1, -1, -1, 0, -1, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, -1, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, -1, -1, -1, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1},
                                           {-1, -1, -1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1}};
    return at(pieces[n]);
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
