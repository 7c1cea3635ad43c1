#include "n2d2/ops/concat.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

std::string accepts(const graph::Graph& graph, const graph::Node& node) {
  const TensorType& out = graph.value(node.outputs[0]).type;
  for (const graph::ValueId input : node.inputs) {
    const TensorType& in = graph.value(input).type;
    if (in.dtype != out.dtype)
      return fmt::format("'{}' is {}, the output {}", graph.value(input).name, to_string(in.dtype),
                         to_string(out.dtype));
    if (in.quant && out.quant && in.quant->scale != out.quant->scale)
      return fmt::format("'{}' has another scale than the output", graph.value(input).name);
  }
  return check_types(graph, node, node.inputs.size());
}

ExportNode make(const NodeView& view) {
  ExportNode node;
  for (const CallView& part : view.calls) {
    const auto i = static_cast<size_t>(part.slot);
    host::ConcatConfig c;
    c.set_in(view.inputs.at(i));
    c.set_out(view.output);
    c.set_order(part.scan);
    for (size_t before = 0; before < i; ++before) c.out_offset += view.inputs[before].channels;
    const host::Types types = types_of(view, i);
    KernelCall call =
        make_call("concat_part", "concat.hpp", c, {input_argument(static_cast<int>(i)), output_argument()},
                  [c, types, i, run = host::kernels().concat_part](const HostArgs& args) {
                    run(c, types, {args.inputs[i], args.output, nullptr, nullptr, nullptr});
                  });
    call.suffix = fmt::format("_in{}", i);
    node.calls.push_back(std::move(call));
  }
  return node;
}

}  // namespace

void register_concat(ExportLib& registry);
void register_concat(ExportLib& registry) {
  const auto contract = [](const graph::Graph&, const graph::Node& node) {
    return contract_of(node.inputs.size(), element_window());
  };
  registry.add("Concat", {"concat_part", accepts, 0, contract, make, Placement::Parts});
}

}  // namespace n2d2::exporter::cpp
