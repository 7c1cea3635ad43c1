#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct PaddingConfig : Planes {
  int left = 0, top = 0;
  Bound fill{};
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
    v("left", left), v("top", top);
    if (fill != 0) v("fill", fill);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/padding.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void pad_map(const void* config, const Arrays& arrays);
void pad_map(const void* config, const Arrays& arrays) {
  const auto pad = [&](const auto& c) {
    moved(arrays, [&](auto* in, auto* out) {
      N2D2_EXPORT_NAMESPACE::pad_map(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
    });
  };
  if (arrays.types.in == DataType::F32)
    pad(*static_cast<const PaddingConfig<float>*>(config));
  else
    pad(*static_cast<const PaddingConfig<int>*>(config));
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/border.hpp"
#include "n2d2/ops/padding.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// What stands in front of the map, and what it is.
struct Around {
  int left = 0, top = 0;
  double value = 0;
};

Around around(const graph::Graph& graph, const graph::Node& node) {
  if (const auto* padding = graph::as<ops::Padding>(node)) return {padding->left, padding->top, 0};
  const auto& border = *graph::as<ops::Border>(node);
  double value = border.value;
  if (node.inputs.size() > 1)
    value = static_cast<double>(ops::fill_of(*graph.value(node.inputs[1]).constant));
  return {border.left, border.top, value};
}

class PadMap final : public LayerKernel<PadMap, PaddingConfig> {
 public:
  std::string_view name() const override { return "pad_map"; }
  std::string_view header() const override { return "padding.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Border", "Padding"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto* border = graph::as<ops::Border>(node);
    if (border == nullptr) return check_types(graph, node, 1);
    if (border->mode != ops::BorderMode::Constant) return "only Mode=Constant";
    if (std::isnan(border->value)) return "Value is no number";
    return refuses_to_move(graph, node);
  }
  /// Output row r reads input row r - top. A crop reads one below its window's first row; the rows between
  /// belong to the window, for a window does not start above row r * stride - pad.
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const Around padding = around(graph, node);
    const Shape& in = graph.value(node.inputs[0]).type.shape;
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    const int before = program::is_turned(graph, node) ? padding.left : padding.top;
    const int cropped = std::max(0, -before) + 1;
    Pads pads;
    pads.left = pads.top = std::max(0, before);
    return contract_of(1, rows_window(in, out, {cropped, cropped}, {1, 1}, {1, 1}, pads));
  }
  template <class Bound>
  PaddingConfig<Bound> config_of(const Site& site) const {
    const Around padding = around(site.program.graph, site.node());
    PaddingConfig<Bound> c;
    set_planes(c, site);
    c.fill = static_cast<Bound>(padding.value);
    c.left = site.call.turned ? padding.top : padding.left;
    c.top = site.call.turned ? padding.left : padding.top;
    return c;
  }
};

}  // namespace

void register_pad_map(program::KernelLibrary& library);
void register_pad_map(program::KernelLibrary& library) {
  library.add(std::make_unique<PadMap>());
}

}  // namespace n2d2::targets::cpp

#endif
