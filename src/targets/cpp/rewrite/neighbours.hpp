// Which calls and maps may a rewrite of neighbouring calls take away?
#pragma once

#include <algorithm>

#include "n2d2/program/kernel.hpp"

namespace n2d2::targets::cpp {

/// The one call of a layer, of all its rows.
inline bool is_whole(const program::Call& call, std::string_view kernel) {
  return call.kernel->name() == kernel && call.rows == program::Rows{} && call.suffix.empty() &&
         call.out.size() == 1;
}

/// One call reads it, once; nobody else reads or holds a byte of it.
inline bool is_between(const program::Program& program, program::ViewId id) {
  const program::View& view = program.view(id);
  int64_t readers = 0;
  for (const program::Call& call : program.calls) readers += std::count(call.in.begin(), call.in.end(), id);
  return readers == 1 && !view.keep && view.host == program::kNone &&
         std::none_of(program.views.begin(), program.views.end(),
                      [&](const program::View& other) { return other.host == id; });
}

}  // namespace n2d2::targets::cpp
