// Which bytes of the arenas hold nothing that is still needed?
#pragma once

#include <vector>

#include "memory_map.hpp"

namespace n2d2::exporter {

/// `count` pieces of `size` bytes, `stride` bytes apart.
struct FreeBytes {
  memory::MemoryId memory = 0;
  memory::Bytes offset = 0, size = 0, stride = 0;
  int64_t count = 1;
  friend bool operator==(const FreeBytes&, const FreeBytes&) = default;
};

/// The bytes that hold neither a value that was written before `step` nor one that came from outside, as far as
/// that step or a later one needs it. Lanes are counted byte by byte. At the number of steps only the kept
/// values remain.
std::vector<FreeBytes> free_bytes(const MemoryMap& map, memory::StepId step);

}  // namespace n2d2::exporter
