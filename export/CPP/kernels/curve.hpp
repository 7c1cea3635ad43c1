// Answers: what is a function of a large sum of integers, of which a small table is kept?
// Part of an exported project; may be used without condition.
//
// It has no config fields. An entry stands for each sum below 128, then 64 entries for each octave. The value
// between two entries is on the line between them, rounded down.
// Stack: none of note. Scratch: none.
#pragma once

#include "plane.hpp"

namespace N2D2_EXPORT_NAMESPACE {

// Returns the value at `sum`; the table begins with entry `first` of the curve.
template <class Sum>
N2D2_INLINE int32_t on_curve(const int32_t* table, int first, Sum sum) {
  int shift = 0;
  while ((sum >> shift) > 127) ++shift;
  const int entry = 64 * shift + static_cast<int>(sum >> shift) - first;
  const int64_t part = static_cast<int64_t>(sum) & ((static_cast<int64_t>(1) << shift) - 1);
  const int64_t low = table[entry];
  return static_cast<int32_t>(low + (((table[entry + 1] - low) * part) >> shift));
}

}  // namespace N2D2_EXPORT_NAMESPACE
