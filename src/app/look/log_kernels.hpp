// What have the layers learnt? `-log-kernels` shows their weights.
#pragma once

#include <filesystem>

#include "n2d2/data/image.hpp"
#include "n2d2/graph/graph.hpp"

namespace n2d2::app {

/// The weights of one layer as windows of height x width values, a row of windows for each output, a window
/// for each channel that feeds it.
struct Kernels {
  int64_t outputs = 0, channels = 0, height = 0, width = 0;
  std::span<const float> values;  ///< outputs, channels, height, width
};

/// Returns the weights of a node whose second input is its weights. Kernels of a Conv or Deconv are windows
/// of its kernel size. The weights of an Fc are windows of its input map: one for each output and channel.
/// The graph must outlive the result.
Kernels kernels_of(const graph::Graph& graph, const graph::Node& node);

/// Zero is grey, the largest magnitude of the layer white where it is positive and black where it is
/// negative; kernels stand apart, each value is a square of 1 to 8 pixels. What would make a side longer than
/// `limit` pixels is left out, kernels as a whole.
data::Image kernels_picture(const Kernels& kernels, int limit = 4096);

/// `<layer>.dat` (a line a row of a kernel, below "# output o, channel c") and `<layer>.png` in `folder` for
/// each layer with weights. Says how many, and which pictures leave kernels out. ConfigError when a file
/// cannot be written.
void log_kernels(const graph::Graph& graph, const std::filesystem::path& folder);

}  // namespace n2d2::app
