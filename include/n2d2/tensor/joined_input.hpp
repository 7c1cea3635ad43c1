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
};

}  // namespace n2d2
