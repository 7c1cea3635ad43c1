// Answers: how are weights of 4, 2 and 1 bits stored?
// Part of an exported project; may be used without condition.
//
// It has no config fields. A field of kBits bits holds the upper bits of a weight, whose lower ones are 0
// (kOdd = 0), or a 1 followed by zeros (kOdd = 1; the field counts from the lowest weight then):
//   4 bits   0: -128, -112, ... 112      1: -120, -104, ... 120
//   2 bits   0: -128, -64, 0, 64         1: -96, -32, 32, 96
//   1 bit                                1: -64, 64
// Odd weights have no zero: packed, they are of windows whose rows are whole groups.
// Two orders, both lowest bits first. In the order of windows, a byte holds neighbouring weights, and each
// output begins with a byte. In that of packed.hpp, byte i of the n bytes of a group (64 weights) holds
// weights i, i + n, i + 2 n ... of it, so that a shift and a mask make vectors of them.
// Stack, Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// A byte of weights.
template <int kBits, int kOdd>
struct Narrow {
  enum {
    kFields = 8 / kBits,
    kMask = 0xff & ~((1 << (8 - kBits)) - 1),        // of the upper bits
    kFlipped = kOdd ? 0x80 | (1 << (7 - kBits)) : 0  // bits that differ in the weight
  };
  uint8_t fields;

  // Returns weight i of an order that begins at `from`.
  static N2D2_INLINE int8_t weight(const Narrow* from, ptrdiff_t i) {
    const unsigned at = static_cast<unsigned>(i) % kFields;
    const unsigned upper = static_cast<unsigned>(from[i / kFields].fields) << (8 - kBits - at * kBits);
    return static_cast<int8_t>(static_cast<uint8_t>((upper & kMask) ^ kFlipped));
  }
};

// Returns an array of bytes as what it holds.
template <int kBits, int kOdd>
N2D2_INLINE const Narrow<kBits, kOdd>* narrow(const uint8_t* bytes) {
  return reinterpret_cast<const Narrow<kBits, kOdd>*>(bytes);
}

// What an array of weights holds: the type of a weight, elements for n weights, and the place of one of them.
template <class Weight>
struct WeightsIn {
  typedef Weight Value;
  typedef const Weight* Pointer;
  enum { kFields = 1 };
  static N2D2_INLINE ptrdiff_t whole(ptrdiff_t n) { return n; }
  static N2D2_INLINE Pointer at(const Weight* weights, ptrdiff_t i) { return weights + i; }
};

// A place in an order of narrow weights.
template <int kBits, int kOdd>
struct NarrowPointer {
  const Narrow<kBits, kOdd>* start;
  ptrdiff_t first;  // weights from there

  N2D2_INLINE int8_t operator[](ptrdiff_t i) const { return Narrow<kBits, kOdd>::weight(start, first + i); }
  friend N2D2_INLINE NarrowPointer operator+(NarrowPointer p, ptrdiff_t n) {
    p.first += n;
    return p;
  }
};

template <int kBits, int kOdd>
struct WeightsIn<Narrow<kBits, kOdd> > {
  typedef int8_t Value;
  typedef NarrowPointer<kBits, kOdd> Pointer;
  enum { kFields = Narrow<kBits, kOdd>::kFields };
  // Returns n, rounded up to whole bytes.
  static N2D2_INLINE ptrdiff_t whole(ptrdiff_t n) { return (n + kFields - 1) / kFields * kFields; }
  static N2D2_INLINE Pointer at(const Narrow<kBits, kOdd>* weights, ptrdiff_t i) {
    const Pointer p = {weights, i};
    return p;
  }
};

}  // namespace N2D2_EXPORT_NAMESPACE
