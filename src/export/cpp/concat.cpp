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
  int offset = 0;
  for (size_t i = 0; i < view.node.inputs.size(); ++i) {
    host::ConcatConfig c;
    c.set_in(view.inputs[i]);
    c.set_out(view.output);
    c.out_offset = offset;
    offset += view.inputs[i].channels;
    const host::Types types = types_of(view, i);
    KernelCall call =
        make_call("concat_part", "concat.hpp", c, {input_argument(static_cast<int>(i)), output_argument()},
                  [c, types, i, run = host::kernels().concat_part](const HostArgs& args) {
                    run(c, types, {args.inputs[i], args.output, nullptr, nullptr, nullptr});
                  });
    call.suffix = i == 0 ? "" : fmt::format("_{}", i);
    node.calls.push_back(std::move(call));
  }
  return node;
}

}  // namespace

void register_concat(ExportLib& registry);
void register_concat(ExportLib& registry) {
  registry.add("Concat",
               {"concat_part", accepts, 0,
                [](const graph::Graph&, const graph::Node&, size_t) { return whole_window(); }, make});
}

}  // namespace n2d2::exporter::cpp
