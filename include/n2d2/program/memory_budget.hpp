// How many bytes may all memories together take?
#pragma once

#include "n2d2/memory/problem.hpp"

namespace n2d2::program {

/// One fact from the key MemoryBudget to the planner.
struct MemoryBudget {
  enum class Kind { Unlimited, Bytes, Least };
  Kind kind = Kind::Unlimited;
  memory::Bytes bytes = 0;  ///< Bytes only, > 0

  static MemoryBudget of(memory::Bytes bytes) { return {Kind::Bytes, bytes}; }
  static MemoryBudget least() { return {Kind::Least, 0}; }
  bool is_limited() const { return kind != Kind::Unlimited; }
  /// Whether a plan of so many bytes is good enough; never for Least, of which a smaller one may be found.
  bool holds(memory::Bytes peak) const {
    return kind == Kind::Unlimited || (kind == Kind::Bytes && peak <= bytes);
  }
  friend bool operator==(const MemoryBudget&, const MemoryBudget&) = default;
};

}  // namespace n2d2::program
