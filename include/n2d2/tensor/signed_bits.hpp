// How many bits does a signed integer need?
#pragma once

#include <cstdint>

namespace n2d2 {

/// Fewest bits, at least 2, of a signed integer that holds both.
constexpr int signed_bits(int64_t lowest, int64_t highest) {
  int bits = 2;
  while (lowest < -(int64_t{1} << (bits - 1)) || highest >= int64_t{1} << (bits - 1)) ++bits;
  return bits;
}

}  // namespace n2d2
