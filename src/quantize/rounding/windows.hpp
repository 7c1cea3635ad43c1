// Which inputs does each output of a Conv or an Fc multiply with a row of its weights?
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "n2d2/graph/graph.hpp"

namespace n2d2::quantize {

/// The windows of a layer over its input, whose elements lie in the order of a row of the weights: channel of
/// the group, y, x. Padding is 0.
struct Windows {
  Shape in;  ///< of one sample
  Dims kernel{1, 1}, stride{1, 1}, dilation{1, 1};
  int64_t left = 0, top = 0;
  int64_t out_w = 1, out_h = 1;
  int64_t groups = 1;

  int64_t channels() const { return in.c() / groups; }
  int64_t taps() const { return int64_t{kernel.x} * kernel.y; }
  /// Elements of a window: those of one group.
  int64_t size() const { return channels() * taps(); }
  int64_t positions() const { return out_w * out_h; }

  /// Writes the windows of all groups at a position, size() elements each, as multiples of `unit`, rounded to
  /// halves of it.
  void read(std::span<const float> sample, Layout layout, int64_t position, float unit, float* to) const;
};

/// None where the node is no Conv of all connections and no Fc.
std::optional<Windows> windows_of(const graph::Graph& graph, const graph::Node& node);

}  // namespace n2d2::quantize
