// What goes with an export to try it on?
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/tensor/tensor.hpp"

namespace n2d2::exporter {

/// A stimulus as the network sees it and the expected class per target position.
struct Stimulus {
  Tensor input;                                ///< 1,C,H,W f32 after preprocessing
  std::vector<std::vector<int32_t>> expected;  ///< per target, H*W classes row-major, -1: ignored
  std::string name;                            ///< original file or record
};

/// Files that other modules made: path inside the export, content.
using ExtraFiles = std::vector<std::pair<std::string, std::string>>;

}  // namespace n2d2::exporter
