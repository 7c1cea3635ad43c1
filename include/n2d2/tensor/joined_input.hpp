// Which elements of a network's input are one input of the file that the network comes from?
#pragma once

#include <cstdint>
#include <string>

namespace n2d2 {

/// A network has one input. Where its file has several, they lie in it one behind the other, each in the
/// order of the file.
struct JoinedInput {
  std::string name;   ///< in the file
  int64_t first = 0;  ///< element of the network's input
  int64_t size = 0;   ///< in elements
  /// The output of the file that this input has in the next run; empty: it is no state. Its map has the
  /// elements in the order of the file: channel, row, column.
  std::string state_of = {};
  /// Which output of the network that is; -1: none.
  int target = -1;
};

}  // namespace n2d2
