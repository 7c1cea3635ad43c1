// Which buffers move together, and which steps touch them?
#pragma once

#include <vector>

#include "n2d2/memory/plan.hpp"

namespace n2d2::memory {

/// A buffer that is inside no other, and all those inside it.
struct Family {
  BufferId root = kNone;
  std::vector<BufferId> members;  ///< ascending, the root included
  std::vector<StepId> writers;    ///< steps that write a member, ascending, each once
  std::vector<StepId> readers;    ///< steps that read a member, ascending, each once
  bool keep = false;              ///< a member is wanted after the last step
  /// Nothing of it is there before the first writer: no member comes from outside.
  bool made_inside = false;
};

struct Families {
  std::vector<Family> all;     ///< in order of their roots
  std::vector<int> of_buffer;  ///< index into all
  std::vector<Bytes> place;    ///< of buffer i: its first byte, counted from the first byte of its root
};
Families families_of(const Problem& problem);

/// Whether one of the buffers is the other, or lies in it, directly or not.
bool related(const Problem& problem, BufferId a, BufferId b);

/// The view of a member when the root lies `offset` bytes into its space, rows from byte `wrap` on at the
/// start of the space (0: straight). Nothing when a view cannot say it: a row of the member crosses the wrap,
/// or the rows behind it do not start where the space does.
std::optional<View> view_of_member(const Buffer& member, Bytes place, Bytes offset, Bytes wrap);

}  // namespace n2d2::memory
