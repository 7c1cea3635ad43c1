// What does an ONNX model become? A model on one input, imported, run and asked for its findings; for tests.
#pragma once

#include <string>
#include <vector>

#include "n2d2/compute/executor.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/onnx/importer.hpp"

#include "onnx_text.hpp"

namespace n2d2::onnx {

/// A model on one input, imported.
struct Net {
  graph::Graph graph;
  Imported imported;

  explicit Net(const std::string& text, const Shape& shape = {1, 2, 4, 4}, const ImportOptions& options = {},
               int opset = 13) {
    const Model model = model_of(text, opset);
    const auto x = graph.add_input("sp", {shape, DataType::F32, Layout::Nchw, {}});
    imported = import_model(graph, model, {x}, options);
    graph.set_outputs({imported.values.at(model.outputs().at(0))});
    graph::verify(graph);
  }

  std::vector<std::string> types() const {
    std::vector<std::string> out;
    for (const graph::NodeId id : graph.schedule()) out.emplace_back(graph.op(id).type());
    return out;
  }
  template <class Op>
  const Op& only() const {
    for (const graph::NodeId id : graph.schedule())
      if (const auto* op = graph::as<Op>(graph.node(id))) return *op;
    throw ModelError("no such node");
  }
  std::vector<float> run(const std::vector<float>& in) const {
    compute::Executor executor(graph, {.backend = compute::Backend::Reference});
    executor.forward(Tensor::from(graph.value(graph.inputs().at(0)).type.shape, in));
    const Tensor out = executor.read(graph.outputs().at(0));
    return {out.span().begin(), out.span().end()};
  }
};

inline std::string findings(const std::string& text, const Shape& shape = {1, 2, 4, 4},
                            const ImportOptions& options = {}, int opset = 13) {
  try {
    Net(text, shape, options, opset);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no findings";
}

inline std::string ends(const std::vector<int>& dims = {1, 2, 4, 4}) {
  return input("x", dims) + output("y");
}

}  // namespace n2d2::onnx
