// Answers: in which order do words of pairs hold the inputs and weights of a window for the DSP instructions?
// Part of an exported project; may be used without condition.
//
// A run is what a row of the kernel has: n = kernel_w * channels of a group. Its elements are paired as
// UXTB16 makes pairs of four bytes: (4g, 4g + 2) and (4g + 1, 4g + 3). The last n % 4 elements are paired as
//   1: (4g, none)    2: (4g, 4g + 1)    3: (4g, 4g + 2), (4g + 1, none)
// A word has one pair, its first element in the low half. The words of a window are those of its rows,
// followed by zeros up to a multiple of 4.
//
// Inputs: 16 bits each. The words of the P pixels of a tile lie beside each other, [words][P].
// Weights: [groups][pairs of outputs][words]. A half of a word is the number 256 * a + b, where a and b are
// the weights of the even and the odd output for one input: its low byte is b, its high byte a - (b < 0).
// A group with an odd number of outputs has one more, whose weights are zeros. Biases, for each row of
// biases, and factors are padded the same way.
//
// It has no config fields; the exporter packs by it, too. Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

// The function is small rather than fast, and never inlined.
#if defined(__GNUC__)
#define N2D2_DSP_SMALL inline __attribute__((noinline, cold))
#else
#define N2D2_DSP_SMALL inline
#endif

namespace N2D2_EXPORT_NAMESPACE {

// Returns the words of a run of n elements.
N2D2_INLINE constexpr int run_words(int n) {
  return (n >> 2) * 2 + ((n & 3) + 1) / 2;
}

// Returns the words of a window of `rows` runs of n elements.
N2D2_INLINE constexpr int window_words(int rows, int n) {
  return (rows * run_words(n) + 3) / 4 * 4;
}

// Returns which half of its run's words element i of n is: 2 * word + half.
N2D2_INLINE constexpr int half_of(int i, int n) {
  return i / 4 * 4 + (n - i / 4 * 4 == 2 ? i % 4 : (i % 2) * 2 + i % 4 / 2);
}

// Returns the bytes of the words of a tile's pixels.
N2D2_INLINE constexpr int tile_bytes(int pixels, int words) {
  return 4 * pixels * words;
}

}  // namespace N2D2_EXPORT_NAMESPACE
