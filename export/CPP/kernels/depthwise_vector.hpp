// Answers: how are the taps of a block of byte channels added with the compiler's vectors?
// Part of an exported project; included by conv_depthwise.hpp where N2D2_VECTOR is not 0.
//
// It has no config fields. A product of bytes fits 16 bits. Even and odd channels have their own 32-bit sums.
// Stack, Scratch: as conv_depthwise.hpp.
#pragma once

#include "conv_depthwise.hpp"
#include "words.hpp"

namespace N2D2_EXPORT_NAMESPACE {

template <class In>
struct WordDepthwise {
  enum { kBlock = kWords };
  static N2D2_INLINE const char* name() { return "depthwise_vector"; }

  template <bool whole, int T>
  static N2D2_INLINE void add(const TapGroup<T, In>& group, const int8_t* weights, int out_c, int first,
                              int32_t* sums) {
    WordSums even = {}, odd = {};
    const int count = whole ? T : group.count;
    for (int t = 0; t < count; ++t) {
      const int tap = whole ? t : group.tap[t];
      const Words x = WordLoad<In>::full(group.x[t] + first);
      const Words w = WordLoad<int8_t>::full(weights + static_cast<ptrdiff_t>(tap) * out_c + first);
      const WordSums pair = reinterpret_cast<WordSums>(x * w);
      even += (pair << 16) >> 16;
      odd += pair >> 16;
    }
#if N2D2_VECTOR == 32
    const WordSums low = N2D2_SHUFFLE(WordSums, even, odd, 0, 8, 1, 9, 2, 10, 3, 11);
    const WordSums high = N2D2_SHUFFLE(WordSums, even, odd, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    const WordSums low = N2D2_SHUFFLE(WordSums, even, odd, 0, 4, 1, 5);
    const WordSums high = N2D2_SHUFFLE(WordSums, even, odd, 2, 6, 3, 7);
#endif
    UnalignedSums* to = reinterpret_cast<UnalignedSums*>(sums);
    to[0] += low;
    to[1] += high;
  }
};

template <>
struct DepthwiseBlock<uint8_t, int8_t, int32_t> : WordDepthwise<uint8_t> {};
template <>
struct DepthwiseBlock<int8_t, int8_t, int32_t> : WordDepthwise<int8_t> {};

}  // namespace N2D2_EXPORT_NAMESPACE
