// Which axes of a tensor do the bytes of a map hold? What was reshaped and transposed, and did not move.
#pragma once

#include <optional>

#include "read/array.hpp"

namespace n2d2::onnx {

/// The values of a map in the order (y, x, channel) are a tensor of these extents, none of them 1. Axis i of
/// the tensor of the file is `axes[i]` of them, joined in this order; none: one element.
///
/// Heads of an attention, (batch, head, position, feature) in the file, are the bytes of (position, head x
/// feature): extents {positions, heads, features}, axes {}, {1}, {0}, {2}.
struct Split {
  Extents extents;
  std::vector<std::vector<size_t>> axes;

  int64_t extent(const std::vector<size_t>& of) const;
  Extents dims() const;
  /// Axes of the file in the order of the file, joined.
  std::vector<size_t> order() const;
  /// Whether the bytes lie in the order of the file.
  bool is_in_order() const;
  /// Whether these are the last of the extents.
  bool is_last(const std::vector<size_t>& of) const;

  Split transposed(const std::vector<size_t>& order) const;
  /// Nothing where extents would be torn.
  std::optional<Split> reshaped(const Extents& dims) const;
  /// The last axis, whose extents are the last ones, with another extent.
  Split with_last(int64_t extent) const;
  /// An axis of the file with another extent, which is one of the extents; 1: it becomes one element.
  Split with_extent(size_t axis, int64_t extent) const;
  Split without_axis(size_t axis) const;

  friend bool operator==(const Split&, const Split&) = default;
};

/// A tensor of these extents whose bytes lie in its order.
Split split_in_order(const Extents& dims);
/// A tensor N,C,... whose map has the axes behind C as pixels.
Split split_of_map(const Extents& dims);

}  // namespace n2d2::onnx
