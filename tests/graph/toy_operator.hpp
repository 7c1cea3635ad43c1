// Operators for tests of the graph itself: shapes pass through, nothing is computed.
#pragma once

#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"

namespace n2d2::graph {

struct Toy final : OperatorBase<Toy> {
  static constexpr const char* kType = "Toy";
  int scale = 1;
  template <class V>
  static void fields(V&& v) {
    v("Scale", &Toy::scale, at_least(1));
  }
  std::vector<Shape> infer(std::span<const Shape> in) const override {
    if (in.empty()) throw ModelError("no input");
    Shape out = in[0];
    out[1] *= scale;
    return {out};
  }
  void forward(const ForwardArgs&) const override {}
};

struct Other final : OperatorBase<Other> {
  static constexpr const char* kType = "Other";
  template <class V>
  static void fields(V&&) {}
  std::vector<Shape> infer(std::span<const Shape> in) const override { return {in[0]}; }
  void forward(const ForwardArgs&) const override {}
};

inline TensorType image(int64_t c, int64_t h, int64_t w) {
  return {Shape{1, c, h, w}, DataType::F32, Layout::Nchw, {}};
}

inline ValueId add_toy(Graph& g, const std::string& name, std::vector<ValueId> in, int scale = 1) {
  auto op = std::make_unique<Toy>();
  op->scale = scale;
  return g.node(g.add(std::move(op), name, std::move(in), {"net.ini", 7})).outputs[0];
}

inline ValueId add_other(Graph& g, const std::string& name, ValueId in) {
  return g.node(g.add(std::make_unique<Other>(), name, {in})).outputs[0];
}

}  // namespace n2d2::graph
