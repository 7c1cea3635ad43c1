#include "n2d2/ops/reshape.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

/// The values of an H,W,C map stay in their order if channels and number of pixels stay, or if there is one
/// channel or one pixel before and after.
std::string accepts(const graph::Graph& graph, const graph::Node& node) {
  const Shape& in = graph.value(node.inputs[0]).type.shape;
  const Shape& out = graph.value(node.outputs[0]).type.shape;
  const auto flat = [](const Shape& s) { return s.h() * s.w() == 1 || s.c() == 1; };
  if (in.c() != out.c() && !(flat(in) && flat(out)))
    return fmt::format("{} to {} would move bytes of an H,W,C map", in.text(), out.text());
  return check_types(graph, node, 1);
}

ExportNode make(const NodeView& view) {
  ExportNode node;
  if (view.calls.empty()) return node;
  host::ReshapeConfig c;
  set_planes(c, view);
  const host::Types types = types_of(view);
  node.calls.push_back(make_call("reshape_copy", "reshape.hpp", c, {input_argument(0), output_argument()},
                                 [c, types, run = host::kernels().reshape_copy](const HostArgs& args) {
                                   run(c, types, {args.inputs[0], args.output, nullptr, nullptr, nullptr});
                                 }));
  return node;
}

}  // namespace

void register_reshape(ExportLib& registry);
void register_reshape(ExportLib& registry) {
  registry.add("Reshape",
               {"reshape_copy", accepts, 0,
                [](const graph::Graph&, const graph::Node&) { return contract_of(1, whole_window()); }, make,
                Placement::Alias});
}

}  // namespace n2d2::exporter::cpp
