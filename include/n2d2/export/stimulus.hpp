// What goes with an export to try it on?
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

/// What a program must give for one sample 1,C,H,W in the element type of the network input: every activation
/// by its name in the graph, N,C,H,W (compute::Judge::run).
using Judge = std::function<std::map<std::string, Tensor>(const Tensor& sample)>;

/// What an export knows about the data of its network.
struct Samples {
  std::vector<Stimulus> stimuli;
  /// What becomes of the bytes of a picture.
  PixelTable pixels = {};
  /// For each output of the network, the name of each class; empty: they have none.
  std::vector<std::vector<std::string>> labels = {};
  /// What people want to know of the run that makes the export, and what that is.
  std::vector<std::pair<std::string, std::string>> about = {};
  /// What the export was made of, as JSON; empty: nobody says.
  std::string provenance = {};
  /// Makes reference values and checksums; never null where there is something to refer to.
  Judge judge = nullptr;

  Samples() = default;
  /// Samples of unknown origin.
  explicit Samples(std::vector<Stimulus> some, Judge judged_by = nullptr)
      : stimuli(std::move(some)), judge(std::move(judged_by)) {}
};

/// Files that other modules made: path inside the export, content.
using ExtraFiles = std::vector<std::pair<std::string, std::string>>;

}  // namespace n2d2::exporter
