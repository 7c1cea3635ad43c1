// What is a part of a graph that a delegate computes? One operator with the graph of its nodes inside.
#pragma once

#include "n2d2/graph/graph.hpp"

namespace n2d2::ops {

/// Inputs and outputs are those of the graph, in its order. It stands in no INI and no ONNX file: it is made
/// of nodes that a delegate claims, and is not registered.
struct Part final : graph::Operator {
  static constexpr const char* kType = "Part";
  graph::Graph graph;

  Part() = default;
  explicit Part(graph::Graph of) : graph(std::move(of)) {}

  std::string_view type() const override { return kType; }
  std::unique_ptr<graph::Operator> clone() const override { return std::make_unique<Part>(*this); }
  /// Returns true when `other` is a Part whose graph has the same nodes with the same constants.
  bool equals(const graph::Operator& other) const override;
  /// The names of its nodes; graph text holds no part that can be read back.
  std::vector<std::pair<std::string, std::string>> fields_text() const override;
  void read(const KeySource&, const KeySource&, Diagnostics&) override {}
  std::vector<Shape> infer(std::span<const Shape> in) const override;
  /// Runs the nodes of the part in schedule order. The graph of the part must be a float graph.
  void forward(const graph::ForwardArgs& args) const override;
};

}  // namespace n2d2::ops
