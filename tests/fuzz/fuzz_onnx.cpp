// Any bytes given as an ONNX file end with a ModelError or with a graph that holds together.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "n2d2/base/error.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/onnx/importer.hpp"

namespace {

using namespace n2d2;

/// What the file asks for, as far as it is sane.
Shape shape_of(const onnx::GraphInput& input) {
  Shape shape{1, 1, 1, 1};
  for (size_t i = 1; i < input.dims.size(); ++i) {
    const size_t axis = input.dims.size() == 3 && i == 2 ? 3 : i;
    if (axis < 4 && input.dims[i] > 0 && input.dims[i] <= 256) shape[axis] = input.dims[i];
  }
  return shape;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 8192) return 0;
  try {
    const onnx::Model model = onnx::parse_model({reinterpret_cast<const char*>(data), size}, "fuzz.onnx");
    graph::Graph graph;
    std::vector<graph::ValueId> inputs;
    for (size_t i = 0; i < model.inputs().size(); ++i)
      inputs.push_back(graph.add_input("input " + std::to_string(i),
                                       {shape_of(model.inputs()[i]), DataType::F32, Layout::Nchw, {}}));
    onnx::import_model(graph, model, inputs);
    graph::verify(graph);
  } catch (const ModelError&) {
  }
  return 0;
}
