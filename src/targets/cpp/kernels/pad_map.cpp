#include "host.hpp"

namespace n2d2::targets::cpp {

struct PaddingConfig : Planes {
  int left = 0, top = 0;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
    v("left", left), v("top", top);
  }
};
/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using PaddingConfigOf = PaddingConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/padding.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void pad_map(const void* config, const Arrays& arrays);
void pad_map(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const PaddingConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::pad_map(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/padding.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class PadMap final : public LayerKernel<PadMap, PaddingConfigOf> {
 public:
  std::string_view name() const override { return "pad_map"; }
  std::string_view header() const override { return "padding.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Padding"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 1);
  }
  /// Output row r reads input row r - top. A crop reads one below its window's first row; the rows between
  /// belong to the window, for a window does not start above row r * stride - pad.
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& padding = *graph::as<ops::Padding>(node);
    const Shape& in = graph.value(node.inputs[0]).type.shape;
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    const int before = program::is_turned(graph, node) ? padding.left : padding.top;
    const int cropped = std::max(0, -before) + 1;
    Pads pads;
    pads.left = pads.top = std::max(0, before);
    return contract_of(1, rows_window(in, out, {cropped, cropped}, {1, 1}, {1, 1}, pads));
  }
  template <class Bound>
  PaddingConfig config_of(const Site& site) const {
    const auto& padding = *graph::as<ops::Padding>(site.node());
    PaddingConfig c;
    set_planes(c, site);
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
