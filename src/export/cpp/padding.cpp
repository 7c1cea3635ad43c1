#include "n2d2/ops/padding.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

/// Output row r reads input row r - top. A crop reads one below its window's first row; the rows between belong to
/// the window, for a window does not start above row r * stride - pad.
Contract contract(const graph::Graph& graph, const graph::Node& node) {
  const auto& padding = *graph::as<ops::Padding>(node);
  const Shape& in = graph.value(node.inputs[0]).type.shape;
  const Shape& out = graph.value(node.outputs[0]).type.shape;
  const bool one_row = in.h() == 1;
  const int before = one_row ? padding.left : padding.top;
  const int cropped = std::max(0, -before) + 1;
  Pads pads;
  pads.left = pads.top = std::max(0, before);
  return contract_of(1, rows_window(in, out, {cropped, cropped}, {1, 1}, {1, 1}, pads));
}

ExportNode make(const NodeView& view) {
  const auto& padding = *graph::as<ops::Padding>(view.node);
  host::PaddingConfig c;
  set_planes(c, view);
  c.left = padding.left;
  c.top = padding.top;
  const host::Types types = types_of(view);
  ExportNode node;
  node.calls.push_back(make_call("pad_map", "padding.hpp", c, {input_argument(0), output_argument()},
                                 [c, types, run = host::kernels().pad_map](const HostArgs& args) {
                                   run(c, types, {args.inputs[0], args.output, nullptr, nullptr, nullptr});
                                 }));
  return node;
}

}  // namespace

void register_padding(ExportLib& registry);
void register_padding(ExportLib& registry) {
  registry.add("Padding",
               {"pad_map", [](const graph::Graph& g, const graph::Node& n) { return check_types(g, n, 1); },
                0, contract, make});
}

}  // namespace n2d2::exporter::cpp
