#include "integer_table.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/softmax.hpp"
#include "n2d2/tensor/integer_types.hpp"

namespace n2d2::quantize {

namespace {

template <class T>
void clamp_as(Tensor& table, const Bounds& bounds) {
  for (int64_t i = 0; i < table.elements(); ++i) {
    T& entry = table.data<T>()[i];
    entry = static_cast<T>(std::clamp<int64_t>(entry, bounds.lo, bounds.hi));
  }
}

template <class T>
Bounds extremes_as(const Tensor& table) {
  const auto entries = table.span<T>();
  const auto [lo, hi] = std::minmax_element(entries.begin(), entries.end());
  return {static_cast<int64_t>(*lo), static_cast<int64_t>(*hi)};
}

/// Calls f.template operator()<T>() for the type of the entries.
template <class F>
auto with_entries(DataType type, F f) {
  switch (type) {
    case DataType::I8:
      return f.template operator()<int8_t>();
    case DataType::U8:
      return f.template operator()<uint8_t>();
    case DataType::I16:
      return f.template operator()<int16_t>();
    case DataType::U16:
      return f.template operator()<uint16_t>();
    case DataType::I32:
      return f.template operator()<int32_t>();
    default:
      throw InternalError(fmt::format("a table of {}", to_string(type)), __FILE__, __LINE__);
  }
}

Bounds extremes(const Tensor& table) {
  return with_entries(table.dtype(), [&]<class T>() { return extremes_as<T>(table); });
}

std::string fault_of_outputs(const Tensor& table, const TensorType& out, int bits) {
  const int64_t entries = int64_t{1} << bits;
  if (table.shape()[1] != entries || (table.shape()[0] != 1 && table.shape()[0] != out.shape.c()))
    return fmt::format("of {}, expected {} entries in 1 row or {}", table.shape().text(), entries,
                       out.shape.c());
  if (table.dtype() != out.dtype)
    return fmt::format("of {}, expected {}", to_string(table.dtype()), to_string(out.dtype));
  const Bounds found = extremes(table);
  if (found.lo < out.quant->lowest() || found.hi > out.quant->highest())
    return fmt::format("from {} to {}, expected entries within {} and {}", found.lo, found.hi,
                       out.quant->lowest(), out.quant->highest());
  return {};
}

std::string fault_of_one(const Tensor& table, const TensorType& out) {
  if (table.elements() != 1) return fmt::format("of {}, expected one entry", table.shape().text());
  if (table.dtype() != out.dtype)
    return fmt::format("of {}, expected {}", to_string(table.dtype()), to_string(out.dtype));
  const Bounds found = extremes(table);
  if (found.lo < out.quant->lowest() || found.hi > out.quant->highest())
    return fmt::format("of {}, expected an integer within {} and {}", found.lo, out.quant->lowest(),
                       out.quant->highest());
  return {};
}

/// What is summed up starts at the largest entry, and none is 0.
std::string fault_of_summands(const Tensor& table, const Tensor& made) {
  if (table.dtype() != DataType::I32)
    return fmt::format("of {}, expected {}", to_string(table.dtype()), to_string(DataType::I32));
  const int32_t first = *made.data<int32_t>();
  const Bounds found = extremes(table);
  if (table.shape()[0] == 1 && *table.data<int32_t>() == first && found.lo >= 1 && found.hi == first)
    return {};
  return fmt::format("of {} from {} to {}, expected one row that starts with {} and stays within 1 and {}",
                     table.shape().text(), found.lo, found.hi, first, first);
}

std::vector<const Tensor*> constants_of(const graph::Graph& graph, const graph::Node& node) {
  std::vector<const Tensor*> out;
  for (size_t slot = 1; slot < node.inputs.size(); ++slot)
    out.push_back(graph.value(node.inputs[slot]).constant.get());
  return out;
}

}  // namespace

void set_table(graph::Graph& graph, graph::NodeId id, const graph::IntegerForm& form, const QuantParams& in,
               const QuantParams& out, const Bounds& bounds) {
  const graph::Node& node = graph.node(id);
  Tensor table = form.table({in, out, constants_of(graph, node)});
  if (form.factors.empty()) with_entries(table.dtype(), [&]<class T>() { clamp_as<T>(table, bounds); });
  const graph::ValueId constant =
      graph.add_constant(graph.unique_name(node.name + "_table"), std::move(table));
  graph.replace(id, node.op->clone(), {node.inputs.at(0), constant});
}

void set_parameters(graph::Graph& graph, graph::NodeId id, const graph::IntegerForm& form,
                    const QuantParams& in, const QuantParams& out, std::vector<double> means) {
  const graph::Node& node = graph.node(id);
  std::vector<graph::ValueId> inputs{node.inputs.at(0)};
  for (Tensor& made : form.parameters({in, out, constants_of(graph, node), std::move(means)})) {
    const std::string_view role = node.op->input_role(inputs.size());
    inputs.push_back(
        graph.add_constant(graph.unique_name(fmt::format("{}_{}", node.name, role)), std::move(made)));
  }
  graph.replace(id, node.op->clone(), inputs);
}

/// Entries that are read beside each other: those of the same scale, whose last bits may be others.
std::string fault_of_curve(const Tensor& table, const Tensor& made) {
  if (table.dtype() != DataType::I32 || table.shape() != made.shape())
    return fmt::format("of {} {}, expected {} {}", to_string(table.dtype()), table.shape().text(),
                       to_string(DataType::I32), made.shape().text());
  for (int64_t i = 0; i < table.elements(); ++i) {
    const auto found = static_cast<double>(table.data<int32_t>()[i]),
               wanted = static_cast<double>(made.data<int32_t>()[i]);
    if (std::abs(found - wanted) > 2 + 1e-6 * wanted)
      return fmt::format("with entry {} of {}, expected {}", i, found, wanted);
  }
  return {};
}

std::string fault_of_table(const graph::Graph& graph, const graph::Node& node,
                           const graph::IntegerForm& form) {
  const auto is_table = [&](graph::ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.is_constant() && value.type.dtype != DataType::F32 && value.type.dtype != DataType::I64 &&
           value.type.shape.rank() == 2;
  };
  if (node.inputs.size() != 2 || !is_table(node.inputs[1])) return "expected a table of integers as input 1";
  const Tensor& table = *graph.value(node.inputs[1]).constant;
  const QuantParams& in = *graph.value(node.inputs[0]).type.quant;
  const TensorType& out = graph.value(node.outputs.at(0)).type;
  std::string fault;
  if (form.of_table)
    fault = form.of_table->fault(table);
  else if (form.scale == graph::ScaleOf::OfInput)
    fault = fault_of_one(table, out);
  else if (form.factors.empty())
    fault = fault_of_outputs(table, out, in.bits);
  else if (graph::as<ops::Softmax>(node) != nullptr)
    fault = fault_of_summands(table, form.table({in, *out.quant, {}}));
  else
    fault = fault_of_curve(table, form.table({in, *out.quant, {}}));
  return fault.empty() ? "" : "table " + fault;
}

std::string fault_of_parameters(const graph::Graph& graph, const graph::Node& node,
                                const graph::IntegerForm& form) {
  const std::vector<const Tensor*> parameters = constants_of(graph, node);
  for (size_t i = 0; i < parameters.size(); ++i)
    if (parameters[i] == nullptr) return fmt::format("expected a constant as input {}", i + 1);
  return form.parameter_fault(parameters);
}

}  // namespace n2d2::quantize
