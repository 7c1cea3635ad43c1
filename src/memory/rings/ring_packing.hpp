// Where does each ring land when others may use the bytes it leaves free?
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "problem/families.hpp"

namespace n2d2::memory {

/// Bytes [start, end).
struct Extent {
  Bytes start = 0, end = 0;
};

/// A space during its life, time by time.
struct Ring {
  Bytes size = 0, hole = 0;  ///< hole: most unused bytes at a step that writes here
  int first = 0;
  std::vector<std::vector<Extent>>
      taken;  ///< at time first + i: what others must leave alone, from its start
  int length() const { return static_cast<int>(taken.size()); }
};

/// First fit of the rings in this order: the lowest aligned offset each, at which no two rings take a byte at
/// the same time.
std::vector<Bytes> place_rings(std::span<const Ring> rings, std::span<const int> order, Bytes alignment);

/// Order of placement under an `Optimize...First` strategy; empty for another name.
std::vector<int> ring_order(std::span<const Ring> rings, std::string_view strategy);

Bytes peak_of(std::span<const Ring> rings, std::span<const Bytes> offsets);

/// The offsets under a strategy as plan_rings knows them; `none` are those of "None".
std::vector<Bytes> pack_rings(std::span<const Ring> rings, std::string_view strategy, Bytes alignment,
                              std::vector<Bytes> none);

}  // namespace n2d2::memory
