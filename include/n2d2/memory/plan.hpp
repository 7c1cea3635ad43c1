// Where does every buffer go?
//
//   address ^        +-----------+
//           |        |  space 1  |            a space moves as one: a buffer and those inside it
//     space |  +-----+---+       |
//    offset +--|  space 0 |------+
//           |  +---------+
//           +--------------------------> step
//              first     end
#pragma once

#include <vector>

#include "n2d2/memory/problem.hpp"

namespace n2d2::memory {

using SpaceId = int;  ///< index into Plan::spaces

/// A block of one memory, reserved during its life. Spaces of which one ends in the step in which the other
/// starts may share bytes as far as the windows of that step allow.
struct Space {
  MemoryId memory = 0;
  Bytes offset = 0, size = 0;
  Lifetime life;
  friend bool operator==(const Space&, const Space&) = default;
};

/// The image of one buffer in its space: pixel (x, y) starts at o = y*row + x*pixel bytes after the start of
/// the view; from o = wrap on, the view continues at the start of its space (wrap 0: straight).
///
///   space  |  rows wrap/row ... | free |  row 0, 1, ... wrap/row - 1  |
///          0                           offset                 offset + wrap
struct View {
  SpaceId space = kNone;
  Bytes offset = 0;          ///< inside the space
  Bytes pixel = 0, row = 0;  ///< pitches
  Bytes wrap = 0;            ///< a multiple of row, or 0
  int width = 1, height = 1;
  friend bool operator==(const View&, const View&) = default;
};

/// The order in which a step writes the rows of its output. Any: nothing may depend on it, so the output
/// shares no byte with the inputs.
enum class Scan { TopDown, BottomUp, Any };

struct Plan {
  std::vector<Space> spaces;
  std::vector<View> views;  ///< of buffer i at index i
  std::vector<Scan> scan_of_step;
  std::vector<SpaceId> scratch_of_step;  ///< kNone: the step has no scratch
  std::vector<Bytes> peaks;              ///< of each memory: largest end of a space, 0 without any
  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The two straight pieces of a view as addresses in its memory; the second has size 0 when it is straight.
struct Pieces {
  Bytes start = 0, size = 0, wrap_start = 0, wrap_size = 0;
  friend bool operator==(const Pieces&, const Pieces&) = default;
};
Pieces pieces(const Plan& plan, BufferId buffer);

}  // namespace n2d2::memory
