#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include "n2d2/graph/text.hpp"

#include "text_parts.hpp"

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
    if (type.quant->zero_point != 0) out += " zero " + print_real(type.quant->zero_point);
    out += ")";
  }
  return out;
}

template <class T>
std::string print_elements(const Tensor& tensor) {
  std::string out;
  char buffer[64];
  for (const T v : tensor.span<T>()) {
    out += ' ';
    out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  }
  return out;
}

std::string print_content(const Tensor& tensor, Values values) {
  if (values == Values::Hash) return " # " + hash_text(tensor);
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
  std::string out = fmt::format(" rescale=\"{} {} {} {}", ValueText<RescaleMode>::print(rescale.mode),
                                rescale.lo, rescale.hi, rescale.shift);
  if (rescale.start != 0) out += " " + std::to_string(rescale.start);
  out += " :";
  for (const float factor : rescale.factor) out += " " + print_number(factor);
  out += " :";
  for (const int32_t multiplier : rescale.multiplier) out += " " + std::to_string(multiplier);
  return out + "\"";
}

enum class Folders { Print, LeaveOut };

std::string print_origin(const SourceLocation& origin, Folders folders) {
  if (origin.file.empty()) return {};
  const std::string file =
      folders == Folders::Print ? origin.file : std::filesystem::path(origin.file).filename().string();
  return fmt::format(" @ {}:{}", name_text(file), origin.line);
}

std::string print_node(const Graph& graph, const Node& node, Folders folders) {
  std::string out = name_text(node.name);
  for (size_t i = 0; i < node.outputs.size(); ++i)
    out += (i == 0 ? " : " : ", ") + print_type(graph.value(node.outputs[i]).type);
  out += fmt::format(" = {}(", node.op->type());
  for (size_t i = 0; i < node.inputs.size(); ++i)
    out += (i == 0 ? "" : ", ") + name_text(graph.value(node.inputs[i]).name);
  out += ")";
  for (const auto& [name, text] : node.op->fields_text())
    out += fmt::format(" {}=\"{}\"", name, escaped(text));
  if (node.clamp)
    out += fmt::format(" clamp=\"{} {}\"", print_number(node.clamp->lo), print_number(node.clamp->hi));
  if (node.rescale) out += print_rescale(*node.rescale);
  if (!node.delegate.empty()) out += fmt::format(" delegate=\"{}\"", escaped(node.delegate));
  return out + print_origin(node.origin, folders);
}

/// Constants stand right before the first node that reads them.
class Printer {
 public:
  Printer(const Graph& graph, Values values, Folders folders)
      : graph_(graph), values_(values), folders_(folders) {}

  std::string run() {
    for (const ValueId id : graph_.inputs())
      out_ +=
          fmt::format("input {} : {}\n", name_text(graph_.value(id).name), print_type(graph_.value(id).type));
    for (const NodeId id : graph_.schedule()) {
      const Node& node = graph_.node(id);
      for (const ValueId input : node.inputs) constant(graph_.value(input));
      out_ += print_node(graph_, node, folders_) + "\n";
    }
    for (const ValueId id : graph_.outputs()) constant(graph_.value(id));
    for (const ValueId id : graph_.outputs())
      out_ += fmt::format("output {}\n", name_text(graph_.value(id).name));
    return std::move(out_);
  }

 private:
  void constant(const Value& value) {
    if (!value.is_constant() || !printed_.insert(value.id).second) return;
    out_ += fmt::format("constant {} : {}", name_text(value.name), print_type(value.type));
    out_ += print_content(*value.constant, values_);
    out_ += '\n';
  }

  const Graph& graph_;
  Values values_;
  Folders folders_;
  std::set<ValueId> printed_;
  std::string out_;
};

}  // namespace

std::string to_text(const Graph& graph, Values values) {
  return Printer(graph, values, Folders::Print).run();
}

std::string to_text_without_folders(const Graph& graph) {
  return Printer(graph, Values::Hash, Folders::LeaveOut).run();
}

}  // namespace n2d2::graph
