#include "n2d2/ops/elemwise.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

std::string accepts(const graph::Graph& graph, const graph::Node& node) {
  const auto& op = *graph::as<ops::ElemWise>(node);
  if (op.operation != ops::ElemWiseOperation::Sum)
    return "only Operation=Sum has a kernel, not " + ValueText<ops::ElemWiseOperation>::print(op.operation);
  if (op.constants_from > 0) return "a constant operand";
  const Shape& out = graph.value(node.outputs[0]).type.shape;
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (const Shape& in = graph.value(node.inputs[i]).type.shape; !(in == out))
      return fmt::format(
          "input {} has shape {}, the output {}: repeated elements have no kernel, give all operands one "
          "size",
          i, in.text(), out.text());
  if (node.inputs.size() > host::kMaxOperands)
    return fmt::format("{} inputs, the kernel is run in process with at most {}", node.inputs.size(),
                       host::kMaxOperands);
  const int64_t channels = graph.value(node.outputs[0]).type.shape.c();
  for (size_t i = 0; i < node.inputs.size(); ++i)
    for (int64_t c = 0; c < channels; ++c) {
      if (op.shift(i, c) != 0) return "Shifts other than 0";
      if (op.weight(i, c) != op.weight(i, 0)) return "Weights that differ between channels";
    }
  return check_types(graph, node, node.inputs.size());
}

template <class Factor>
std::vector<host::OperandConfig<Factor>> operands_of(const NodeView& view) {
  const auto& op = *graph::as<ops::ElemWise>(view.node);
  std::vector<host::OperandConfig<Factor>> out;
  for (size_t i = 0; i < view.node.inputs.size(); ++i) {
    host::OperandConfig<Factor> operand;
    operand.set_in(view.inputs[i]);
    const DataType type = view.input(i).type.dtype;
    operand.is_signed = type == DataType::I8 || type == DataType::I16 ? 1 : 0;
    if constexpr (std::is_same_v<Factor, float>)
      operand.multiplier = static_cast<float>(op.weight(i, 0));
    else
      operand.multiplier = view.node.rescale->multiplier.at(i);
    out.push_back(operand);
  }
  return out;
}

template <class Factor>
ExportNode make_of(const NodeView& view) {
  using Bound = std::conditional_t<std::is_same_v<Factor, float>, float, int>;
  ScalingConfig<Bound> c;
  c.set_in(view.output);
  c.set_out(view.output);
  c.set_order(view.calls.at(0).scan);
  set_rescale<Bound>(c, view, 1);
  const auto operands = operands_of<Factor>(view);
  std::vector<Argument> arguments{output_argument()};
  std::vector<std::pair<std::string, ConfigFields>> configs;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string suffix = fmt::format("_in{}", i);
    arguments.push_back({Argument::Kind::Operand, static_cast<int>(i), suffix});
    configs.emplace_back(suffix, print_config(operands[i]));
  }
  ExportNode node;
  if constexpr (std::is_same_v<Factor, float>) {
    node.calls.push_back(make_call("sum", "elemwise.hpp", c, arguments,
                                   [c, operands, run = host::kernels().sum_float](const HostArgs& args) {
                                     run(c, operands, args.inputs, args.output);
                                   }));
  } else {
    const host::Types types = types_of(view);
    node.calls.push_back(make_call("sum", "elemwise.hpp", c, arguments,
                                   [c, operands, types, run = host::kernels().sum](const HostArgs& args) {
                                     run(c, types, operands, args.inputs, args.output);
                                   }));
  }
  node.calls.back().operand_configs = std::move(configs);
  return node;
}

}  // namespace

void register_elemwise(ExportLib& registry);
void register_elemwise(ExportLib& registry) {
  registry.add("ElemWise", {"sum", accepts, 0,
                            [](const graph::Graph&, const graph::Node& node) {
                              return contract_of(node.inputs.size(), element_window());
                            },
                            [](const NodeView& view) {
                              return is_float(view) ? make_of<float>(view) : make_of<int32_t>(view);
                            }});
}

}  // namespace n2d2::exporter::cpp
