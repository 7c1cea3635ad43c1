// Which pixels of the input does a Resize or a Border read, as the kernels take them?
#pragma once

#include "n2d2/ops/border.hpp"
#include "n2d2/ops/resize.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

/// Source pixels of each output row and column, as the views count rows and columns: a map of one row is a
/// column there.
struct ResizeAxes {
  std::vector<ops::ResizeSource> rows, columns;
};

inline ResizeAxes axes_of(const graph::Graph& graph, const graph::Node& node) {
  const Shape& in = graph.value(node.inputs[0]).type.shape;
  ResizeAxes axes;
  if (const auto* border = graph::as<ops::Border>(node)) {
    for (const int64_t row : border->rows(in)) axes.rows.push_back({row, row, 0});
    for (const int64_t column : border->columns(in)) axes.columns.push_back({column, column, 0});
  } else {
    const auto& op = *graph::as<ops::Resize>(node);
    axes = {op.rows(in), op.columns(in)};
  }
  if (program::is_turned(graph, node)) std::swap(axes.rows, axes.columns);
  return axes;
}

/// First and second pixel of each.
inline Constant sources_constant(const char* role, const std::vector<ops::ResizeSource>& sources) {
  Tensor out(Shape{static_cast<int64_t>(sources.size()), 2}, DataType::I32);
  int32_t* to = out.data<int32_t>();
  for (const ops::ResizeSource& source : sources) {
    *to++ = static_cast<int32_t>(source.first);
    *to++ = static_cast<int32_t>(source.second);
  }
  return {role, std::make_shared<const Tensor>(std::move(out)), false};
}

}  // namespace n2d2::targets::cpp
