#include <cmath>

#include "n2d2/graph/text.hpp"

namespace n2d2::graph {

namespace {

std::string print_number(float value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return print_real(value);
}

std::string print_type(const TensorType& type) {
  std::string out = to_string(type.dtype) + " " + type.shape.text();
  if (type.layout != Layout::Nchw) out += " " + ValueText<Layout>::print(type.layout);
  if (type.quant) {
    out += fmt::format(" quant({} {} {}", type.quant->bits, type.quant->is_signed ? "signed" : "unsigned",
                       type.quant->axis);
    for (const float scale : type.quant->scale) out += " " + print_number(scale);
    if (!type.quant->threshold.empty()) out += " of";
    for (const double threshold : type.quant->threshold) out += " " + print_real(threshold);
    out += ")";
  }
  return out;
}

template <class T>
std::string print_elements(const Tensor& tensor) {
  std::string out;
  for (const T v : tensor.span<T>()) {
    if constexpr (std::is_same_v<T, float>)
      out += " " + print_number(v);
    else
      out += " " + std::to_string(v);
  }
  return out;
}

std::string print_content(const Tensor& tensor, Values values) {
  if (values == Values::Hash) {
    const auto bytes = static_cast<size_t>(tensor.bytes());
    return fmt::format(" # {:016x}", hash_bytes({static_cast<const char*>(tensor.raw()), bytes}));
  }
  switch (tensor.dtype()) {
    case DataType::F32:
      return " =" + print_elements<float>(tensor);
    case DataType::I8:
      return " =" + print_elements<int8_t>(tensor);
    case DataType::U8:
      return " =" + print_elements<uint8_t>(tensor);
    case DataType::I16:
      return " =" + print_elements<int16_t>(tensor);
    case DataType::U16:
      return " =" + print_elements<uint16_t>(tensor);
    case DataType::I32:
      return " =" + print_elements<int32_t>(tensor);
    case DataType::I64:
      return " =" + print_elements<int64_t>(tensor);
  }
  return {};
}

std::string print_rescale(const Rescale& rescale) {
  std::string out = fmt::format(" rescale=\"{} {} {} {} :", ValueText<RescaleMode>::print(rescale.mode),
                                rescale.lo, rescale.hi, rescale.shift);
  for (const float factor : rescale.factor) out += " " + print_number(factor);
  out += " :";
  for (const int32_t multiplier : rescale.multiplier) out += " " + std::to_string(multiplier);
  return out + "\"";
}

std::string print_node(const Graph& graph, const Node& node) {
  std::string out = node.name;
  for (size_t i = 0; i < node.outputs.size(); ++i)
    out += (i == 0 ? " : " : ", ") + print_type(graph.value(node.outputs[i]).type);
  out += fmt::format(" = {}(", node.op->type());
  for (size_t i = 0; i < node.inputs.size(); ++i)
    out += (i == 0 ? "" : ", ") + graph.value(node.inputs[i]).name;
  out += ")";
  for (const auto& [name, text] : node.op->fields_text()) out += fmt::format(" {}=\"{}\"", name, text);
  if (node.clamp)
    out += fmt::format(" clamp=\"{} {}\"", print_number(node.clamp->lo), print_number(node.clamp->hi));
  if (node.rescale) out += print_rescale(*node.rescale);
  if (!node.delegate.empty()) out += fmt::format(" delegate=\"{}\"", node.delegate);
  if (!node.origin.file.empty()) out += fmt::format(" @ {}:{}", node.origin.file, node.origin.line);
  return out;
}

}  // namespace

std::string to_text(const Graph& graph, Values values) {
  std::string out;
  for (const ValueId id : graph.inputs())
    out += fmt::format("input {} : {}\n", graph.value(id).name, print_type(graph.value(id).type));
  for (const NodeId id : graph.schedule()) {
    const Node& node = graph.node(id);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const Value& value = graph.value(node.inputs[slot]);
      if (!value.is_constant() || value.uses.front() != Use{id, static_cast<int>(slot)}) continue;
      out += fmt::format("constant {} : {}{}\n", value.name, print_type(value.type),
                         print_content(*value.constant, values));
    }
    out += print_node(graph, node) + "\n";
  }
  for (const ValueId id : graph.outputs()) out += fmt::format("output {}\n", graph.value(id).name);
  return out;
}

}  // namespace n2d2::graph
