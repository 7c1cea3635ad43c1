// Which bytes of the memories hold nothing that is still needed?
#pragma once

#include <vector>

#include "n2d2/program/program.hpp"

namespace n2d2::program {

/// `count` pieces of `size` bytes, `stride` bytes apart.
struct FreeBytes {
  memory::MemoryId memory = 0;
  Bytes offset = 0, size = 0, stride = 0;
  int64_t count = 1;
  friend bool operator==(const FreeBytes&, const FreeBytes&) = default;
};

/// Before each call, and after the last one: the bytes that hold neither a value that was written before nor
/// one that came from outside, as far as that call or a later one needs it. Lanes are counted byte by byte.
/// After the last call only the kept values and states remain. The program has places; maps are needed as
/// wholes. A region is one call here:
/// there is nothing before its second call and those that follow.
std::vector<std::vector<FreeBytes>> free_bytes(const Program& program);

}  // namespace n2d2::program
