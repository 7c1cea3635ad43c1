// Whose byte does an address hold? A memory as a map of runs, for the validator.
#pragma once

#include <map>
#include <optional>

#include "n2d2/memory/problem.hpp"

namespace n2d2::memory {

class Shadow {
 public:
  /// Bytes [address, address + size) become bytes position, position + 1, ... of the owner.
  void write(Bytes address, Bytes size, int owner, Bytes position) {
    cut(address);
    cut(address + size);
    auto at = runs_.erase(runs_.lower_bound(address), runs_.lower_bound(address + size));
    if (at != runs_.begin()) {
      auto& [start, previous] = *std::prev(at);
      const Bytes length = address - start;
      if (previous.end == address && previous.owner == owner && previous.position + length == position) {
        previous.end = address + size;
        return;
      }
    }
    runs_.emplace_hint(at, address, Run{address + size, owner, position});
  }

  struct Found {
    int owner;  ///< kNone: nobody has written here
    Bytes address;
  };
  /// The first byte of [address, address + size) that is not the expected one.
  std::optional<Found> mismatch(Bytes address, Bytes size, int owner, Bytes position) const {
    const Bytes end = address + size;
    auto at = runs_.upper_bound(address);
    if (at != runs_.begin()) --at;
    for (Bytes next = address; next < end; ++at) {
      while (at != runs_.end() && at->second.end <= next) ++at;
      if (at == runs_.end() || at->first > next) return Found{kNone, next};
      const Run& run = at->second;
      if (run.owner != owner || run.position + (next - at->first) != position + (next - address))
        return Found{run.owner, next};
      next = run.end;
    }
    return std::nullopt;
  }

 private:
  struct Run {
    Bytes end;
    int owner;
    Bytes position;
  };

  /// No run reaches across the address.
  void cut(Bytes address) {
    auto at = runs_.lower_bound(address);
    if (at == runs_.begin()) return;
    --at;
    Run& run = at->second;
    if (run.end <= address) return;
    const Run tail{run.end, run.owner, run.position + (address - at->first)};
    run.end = address;
    runs_.emplace(address, tail);
  }

  std::map<Bytes, Run> runs_;  // by first address; disjoint
};

}  // namespace n2d2::memory
