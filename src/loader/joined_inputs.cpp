#include "joined_inputs.hpp"

#include <algorithm>

#include "n2d2/base/text.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/scaling.hpp"

namespace n2d2::loader {

namespace {

std::string text_of(const std::vector<int64_t>& dims) {
  std::vector<std::string> texts;
  for (const int64_t extent : dims) texts.push_back(extent < 0 ? "open" : std::to_string(extent));
  return join(texts, " x ");
}

/// The map of an input whose extents are known: channels first, though they may be last in the file.
std::optional<Shape> map_of(const onnx::GraphInput& input) {
  std::vector<int64_t> dims = input.dims;
  if (dims.size() < 2 || dims.size() > 4) return std::nullopt;
  if (input.channels_last) std::rotate(dims.begin() + 1, dims.end() - 1, dims.end());
  if (std::any_of(dims.begin() + 1, dims.end(), [](int64_t extent) { return extent < 1; }))
    return std::nullopt;
  dims.resize(dims.size() + 1);
  if (dims.size() == 3) return Shape{1, dims[1], 1, 1};
  if (dims.size() == 4) return Shape{1, dims[1], 1, dims[2]};
  return Shape{1, dims[1], dims[2], dims[3]};
}

class Cutter {
 public:
  Cutter(Builder& builder, const LayerSection& section, graph::ValueId joined)
      : b_(builder), where_(section.where), row_(joined) {}

  /// One row of pixels, out of which pieces are cut.
  void lay_out(const std::string& name, int64_t elements) {
    if (b_.net.graph.value(row_).type.shape.w() != elements)
      row_ = add(ops::pixel_reshape_to({1, 1, 1, elements}), name + "_row", row_);
    elements_ = elements;
  }

  graph::ValueId cut(const onnx::GraphInput& input, int64_t first, const Shape& shape, double factor) {
    ops::Padding crop;
    crop.left = static_cast<int>(-first);
    crop.right = static_cast<int>(first + shape.elements() - elements_);
    graph::ValueId out = row_;
    if (crop.left != 0 || crop.right != 0) out = add(crop.clone(), input.name + "_part", out);
    if (b_.net.graph.value(out).type.shape != shape) {
      // Bytes of the file's order: the map's own, or channel by channel.
      const bool lies = input.channels_last || shape.h() * shape.w() == 1 || shape.c() == 1;
      std::unique_ptr<graph::Operator> map;
      if (lies)
        map = ops::pixel_reshape_to(shape);
      else
        map = ops::reshape_to(shape);
      out = add(std::move(map), input.name + "_map", out);
    }
    if (factor == 1) return out;
    ops::Scaling scaling;
    scaling.factor = {factor};
    return add(scaling.clone(), input.name + "_scaled", out);
  }

 private:
  graph::ValueId add(std::unique_ptr<graph::Operator> op, const std::string& name, graph::ValueId in) {
    graph::Graph& graph = b_.net.graph;
    const graph::NodeId node = graph.add(std::move(op), b_.fresh_name(name), {in}, where_);
    return graph.node(node).outputs.at(0);
  }

  Builder& b_;
  SourceLocation where_;
  graph::ValueId row_;
  int64_t elements_ = 0;
};

}  // namespace

std::optional<std::vector<graph::ValueId>> cut_inputs(Builder& b, const LayerSection& section,
                                                      const onnx::Model& model, graph::ValueId joined,
                                                      const std::vector<double>& factors) {
  const auto error = [&](const std::string& message, const std::string& hint = {}) {
    b.diagnostics.error(section.where, fmt::format("[{}] {}", section.name, message), hint);
    return std::nullopt;
  };
  const std::vector<onnx::GraphInput>& inputs = model.inputs();
  if (!factors.empty() && factors.size() != inputs.size())
    return error(fmt::format("InputFactors: expected {} numbers, one for each input of the file, got {}",
                             inputs.size(), factors.size()));
  std::vector<Shape> shapes;
  std::vector<std::string> sizes;
  int64_t elements = 0;
  for (const onnx::GraphInput& input : inputs) {
    const auto shape = map_of(input);
    if (!shape)
      return error(
          fmt::format("JoinedInputs: input '{}' of the file is {}, expected a batch and one to three "
                      "fixed extents",
                      input.name, text_of(input.dims)));
    shapes.push_back(*shape);
    sizes.push_back(std::to_string(shape->elements()));
    elements += shape->elements();
  }
  const Shape given = b.net.graph.value(joined).type.shape;
  if (given != Shape{1, elements, 1, 1})
    return error(fmt::format("JoinedInputs: the inputs of the file have {} elements ({}), expected as many "
                             "channels of one pixel, the parent has {}",
                             elements, join(sizes, " + "), Shape{given.c(), given.h(), given.w()}.text()),
                 fmt::format("NbChannels={}, SizeX=1, SizeY=1", elements));
  Cutter cutter(b, section, joined);
  cutter.lay_out(section.name, elements);
  std::vector<graph::ValueId> values;
  int64_t first = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    values.push_back(cutter.cut(inputs[i], first, shapes[i], factors.empty() ? 1 : factors[i]));
    if (b.input == joined) b.net.inputs.push_back({inputs[i].name, first, shapes[i].elements()});
    first += shapes[i].elements();
  }
  return values;
}

namespace {

bool is_softmax(const graph::Graph& graph, graph::ValueId value) {
  const graph::NodeId producer = graph.value(value).producer;
  if (!producer) return false;
  const std::string_view type = graph.op(producer).type();
  return type == "Softmax" || type == "LogSoftmax";
}

}  // namespace

void keep_states(Builder& b, const LayerSection& section, const onnx::Model& model,
                 const onnx::Imported& imported, const std::string& states) {
  const auto error = [&](const std::string& message) {
    b.diagnostics.error(section.where, fmt::format("[{}] States: {}", section.name, message));
  };
  for (const auto& pair : onnx::state_pairs(model, states)) {
    const std::string &output = pair.first, &input = pair.second;
    const auto found = std::find_if(b.net.inputs.begin(), b.net.inputs.end(),
                                    [&](const JoinedInput& each) { return each.name == input; });
    const auto value = imported.values.find(output);
    if (found == b.net.inputs.end()) {
      error(fmt::format("input '{}' is no part of the network's input (JoinedInputs)", input));
    } else if (value == imported.values.end()) {
      error(fmt::format("output '{}' does not depend on the network's input", output));
    } else if (is_softmax(b.net.graph, value->second)) {
      error(fmt::format(
          "output '{}' is a Softmax, which exports leave out at the end of a network: it cannot be "
          "a state",
          output));
    } else if (const int64_t made = b.net.graph.value(value->second).type.shape.elements();
               made != found->size) {
      error(fmt::format("output '{}' has {} elements, input '{}' has {}", output, made, input, found->size));
    } else {
      found->state_of = output;
    }
  }
}

}  // namespace n2d2::loader
