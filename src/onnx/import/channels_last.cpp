#include "channels_last.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "n2d2/ops/reshape.hpp"
#include "n2d2/ops/transpose.hpp"

#include "importer.hpp"

namespace n2d2::onnx {

bool can_be_channels_last(const Extents& dims) {
  return dims.size() == 3 || dims.size() == 4;
}

Extents channels_first(const Extents& dims) {
  Extents out{dims.front(), dims.back()};
  out.insert(out.end(), dims.begin() + 1, dims.end() - 1);
  return out;
}

Extents channels_last(const Extents& dims) {
  Extents out{dims.front()};
  out.insert(out.end(), dims.begin() + 2, dims.end());
  out.push_back(dims[1]);
  return out;
}

bool puts_channels_first(const std::vector<size_t>& order) {
  return order == std::vector<size_t>{0, 3, 1, 2} || order == std::vector<size_t>{0, 2, 1};
}

bool puts_channels_last(const std::vector<size_t>& order) {
  return order == std::vector<size_t>{0, 2, 3, 1} || order == std::vector<size_t>{0, 2, 1};
}

std::optional<Array> constant_channels_first(const Array& constant, size_t rank) {
  if (constant.size() == 1) return constant;
  if (constant.dims.size() > rank) return std::nullopt;
  Extents dims(rank - constant.dims.size(), 1);
  dims.insert(dims.end(), constant.dims.begin(), constant.dims.end());
  Array out = constant.like(channels_first(dims));
  const int64_t batch = dims.front(), channels = dims.back(),
                pixels = batch * channels == 0 ? 0 : out.size() / (batch * channels);
  for (int64_t n = 0; n < batch; ++n)
    for (int64_t p = 0; p < pixels; ++p)
      for (int64_t c = 0; c < channels; ++c)
        out.take((n * channels + c) * pixels + p, constant, (n * pixels + p) * channels + c);
  return out;
}

bool takes_elements(std::string_view type) {
  static const std::set<std::string_view> kTypes{"Abs",
                                                 "Acos",
                                                 "Acosh",
                                                 "Asin",
                                                 "Asinh",
                                                 "Atan",
                                                 "Atanh",
                                                 "Cast",
                                                 "Ceil",
                                                 "Celu",
                                                 "Clip",
                                                 "Cos",
                                                 "Cosh",
                                                 "DequantizeLinear",
                                                 "Dropout",
                                                 "Elu",
                                                 "Erf",
                                                 "Exp",
                                                 "Floor",
                                                 "Gelu",
                                                 "HardSigmoid",
                                                 "HardSwish",
                                                 "Identity",
                                                 "IntQuant",
                                                 "LeakyRelu",
                                                 "Log",
                                                 "Mish",
                                                 "Neg",
                                                 "Pow",
                                                 "Quant",
                                                 "QuantizeLinear",
                                                 "Reciprocal",
                                                 "Relu",
                                                 "Round",
                                                 "Selu",
                                                 "Shrink",
                                                 "Sigmoid",
                                                 "Sign",
                                                 "Sin",
                                                 "Sinh",
                                                 "Softplus",
                                                 "Softsign",
                                                 "Sqrt",
                                                 "Swish",
                                                 "Tan",
                                                 "Tanh",
                                                 "ThresholdedRelu"};
  return kTypes.contains(type);
}

bool joins_elements(std::string_view type) {
  static const std::set<std::string_view> kTypes{"Add", "Div", "Max", "Mean", "Min", "Mul", "Sub", "Sum"};
  return kTypes.contains(type);
}

std::optional<FileNode> Importer::over_channels(const FileNode& node) const {
  if ((node.type != "Softmax" && node.type != "LogSoftmax") || node.inputs.empty()) return std::nullopt;
  const auto found = operands_.find(node.inputs[0]);
  if (found == operands_.end() || !found->second.channels_last) return std::nullopt;
  const auto rank = static_cast<int64_t>(found->second.dims.size());
  const auto axis = node.attributes.find("axis");
  const int64_t along = axis != node.attributes.end() ? axis->second.integer : node.opset < 13 ? 1 : -1;
  if (along != -1 && along != rank - 1) return std::nullopt;
  FileNode out = node;
  out.opset = std::max<int64_t>(node.opset, 13);  // over one axis alone
  Attribute& first = out.attributes["axis"];
  first.kind = Attribute::Kind::Int;
  first.integer = 1;
  return out;
}

bool Importer::show_channels_first(Node& node, bool is_over_channels) {
  const FileNode& file = node.file();
  const bool joins = joins_elements(file.type);
  if (!joins && !is_over_channels && !takes_elements(file.type)) return false;
  size_t rank = 0;
  for (const std::string& name : file.inputs)
    if (!name.empty() && operands_.find(name)->second.channels_last)
      rank = std::max(rank, operands_.find(name)->second.dims.size());
  if (rank == 0) return false;
  std::map<size_t, Operand> shown;
  for (size_t slot = 0; slot < file.inputs.size(); ++slot) {
    if (file.inputs[slot].empty()) continue;
    Operand operand = node.peek(slot);
    if (operand.is_constant()) {
      const bool is_one = operand.array->size() <= 1;
      const auto turned = is_one  ? std::nullopt
                          : joins ? constant_channels_first(*operand.array, rank)
                                  : std::nullopt;
      if (!is_one && !turned) return false;
      if (turned) {
        operand.array = std::make_shared<const Array>(*turned);
        operand.dims = operand.array->dims;
      }
    } else {
      if (!operand.channels_last || operand.dims.size() != rank) return false;
      operand.dims = channels_first(operand.dims);
      operand.channels_last = false;
    }
    shown[slot] = std::move(operand);
  }
  node.show(std::move(shown));
  return true;
}

void Importer::turn_outputs(const FileNode& node) {
  for (const std::string& name : node.outputs) {
    const auto found = operands_.find(name);
    if (found == operands_.end() || found->second.is_constant()) continue;
    found->second.dims = channels_last(found->second.dims);
    found->second.channels_last = true;
    imported_.dims[name] = found->second.dims;
  }
}

const Operand& Importer::straight(const std::string& name) {
  Operand& operand = operands_.find(name)->second;
  if (operand.split) make_straight(name, operand);
  if (!operand.channels_last) return operand;
  const Shape shape = graph_.value(operand.value).type.shape, wanted = map_shape(operand.dims);
  operand.channels_last = false;
  if (shape == wanted && shape.elements() == shape.c()) return operand;
  const ops::Transpose turn =
      operand.dims.size() == 3 ? ops::transpose_of({3, 2, 1}) : ops::transpose_of({2, 3, 1});
  auto flat = std::make_unique<ops::Reshape>();
  flat->dims = {static_cast<int>(wanted.w()), static_cast<int>(wanted.h()), static_cast<int>(wanted.c())};
  std::unique_ptr<graph::Operator> op = std::move(flat);
  if (turn.moves(shape)) op = turn.clone();
  const graph::NodeId node = graph_.add(std::move(op), graph_.unique_name(name), {operand.value}, origin_);
  nodes_.insert(node);
  --names_[operand.value];
  operand.value = graph_.node(node).outputs.at(0);
  ++names_[operand.value];
  imported_.values[name] = operand.value;
  for (Layer& layer : imported_.layers)
    if (layer.output == name && !layer.node) layer.node = node;
  return operand;
}

}  // namespace n2d2::onnx
