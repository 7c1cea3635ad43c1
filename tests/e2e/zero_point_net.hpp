// Which network has zero points inside that an ONNX file holds, too?
#pragma once

#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/pool.hpp"

#include "e2e/graph_export.hpp"
#include "passes/net.hpp"

namespace n2d2::e2e {

/// Linear layers whose values are seldom below 0, their sum, and layers with padding that read it.
inline graph::Graph zero_point_net() {
  testing::Net net{Shape{1, 3, 9, 8}};
  const graph::ValueId first = net.conv("first", net.data, 8, 3), second = net.conv("second", first, 8, 1);
  ops::Conv padded;
  padded.kernel = {3, 3}, padded.padding = {1, 1, 1, 1}, padded.nb_outputs = 8;
  ops::Conv depthwise = padded;
  depthwise.groups = 8;
  ops::Pool average;
  average.pooling = ops::Pooling::Average;
  average.kernel = average.stride = {2, 2}, average.padding = {1, 0, 0, 1};
  const graph::ValueId sum = net.sum("sum", {first, second}, {1, 1});
  const graph::ValueId filtered = net.conv("padded", net.conv("depthwise", sum, depthwise), padded);
  net.graph.set_outputs({net.fc("last", net.layer("average", average, {filtered}), 4)});
  for (const auto& [name, bias] : {std::pair("first", 1.5F), std::pair("second", 4.0F),
                                   std::pair("depthwise", 1.5F), std::pair("padded", 9.0F)})
    for (float& b : net.parameter(name, 2)) b = bias;
  return net.graph;
}

/// Exported with scores of 8 bits, as ONNX has them.
inline GraphExport zero_point_export() {
  Rng rng(11, "zero points of a file");
  targets::cpp::Parameters parameters;
  parameters.output_bits = 8;
  return export_graph(zero_point_net(), testing::random_tensor(Shape{4, 3, 9, 8}, rng, -1, 1), {},
                      parameters);
}

}  // namespace n2d2::e2e
