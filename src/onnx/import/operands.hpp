// How do the operands of one node lie beside each other? As maps whose extents are those of the result, or 1.
#pragma once

#include "node.hpp"

namespace n2d2::onnx {

/// A constant beside data of these extents as a map 1,C,H,W. Refused when it holds integers, has more axes
/// than the data, varies over the batch, or an extent is neither the data's nor 1. Elements that repeat along
/// some of the axes that share one axis of the map (the fourth and those behind it) are written out.
Tensor constant_map(const Array& constant, const Extents& data);

/// Extents of the result of tensors that depend on the data. Refused unless all have one rank and batch
/// extent, and extents that are equal or 1, the fourth and those behind it together.
Extents joint_extents(const std::vector<Extents>& operands);

}  // namespace n2d2::onnx
