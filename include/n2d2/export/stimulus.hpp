// What goes with an export to try it on?
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "n2d2/tensor/pixel_table.hpp"
#include "n2d2/tensor/tensor.hpp"

namespace n2d2::exporter {

/// A stimulus as the network sees it and the expected class per target position.
struct Stimulus {
  Tensor input;  ///< 1,C,H,W f32 after preprocessing
  /// Per target, H*W classes row-major, -1: ignored; none where the input itself is wanted.
  std::vector<std::vector<int32_t>> expected;
  std::string name;  ///< original file or record
};

/// What an export is told about the data of its network.
struct Samples {
  std::vector<Stimulus> stimuli;
  /// What becomes of the bytes of a picture.
  PixelTable pixels = {};
  /// For each output of the network, the name of each class; empty: they have none.
  std::vector<std::vector<std::string>> labels = {};
  /// What people want to know of the run that makes the export, and what that is.
  std::vector<std::pair<std::string, std::string>> about = {};

  Samples() = default;
  /// Samples of unknown origin.
  Samples(std::vector<Stimulus> some)
      : stimuli(std::move(some)) {}  // NOLINT: a list of them is what most callers have
};

/// Files that other modules made: path inside the export, content.
using ExtraFiles = std::vector<std::pair<std::string, std::string>>;

}  // namespace n2d2::exporter
