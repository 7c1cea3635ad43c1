#include "host.hpp"

namespace n2d2::targets::cpp {

struct NearestConfig : Planes {
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
  }
};
template <class>
using NearestConfigOf = NearestConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/resize.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void resize_nearest(const void* config, const Arrays& arrays);
void resize_nearest(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const NearestConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::resize_nearest(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out,
                                          static_cast<const int32_t*>(arrays.constants[0]),
                                          static_cast<const int32_t*>(arrays.constants[1]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "resize_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class ResizeNearest final : public LayerKernel<ResizeNearest, NearestConfigOf> {
 public:
  std::string_view name() const override { return "resize_nearest"; }
  std::string_view header() const override { return "resize.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Border", "Resize"}; }
  /// A Border of pixels of the map shows some of them again.
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto* resize = graph::as<ops::Resize>(node);
    if (resize && resize->mode != ops::ResizeMode::NearestNeighbor) return "another mode";
    const auto* border = graph::as<ops::Border>(node);
    if (border && border->mode == ops::BorderMode::Constant) return "only Mode=Reflect and Mode=Edge";
    return refuses_to_move(graph, node);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, whole_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const ResizeAxes axes = axes_of(graph, node);
    return {sources_constant("rows", axes.rows), sources_constant("columns", axes.columns)};
  }
  template <class Bound>
  NearestConfig config_of(const Site& site) const {
    NearestConfig c;
    set_planes(c, site);
    return c;
  }
};

}  // namespace

void register_resize_nearest(program::KernelLibrary& library);
void register_resize_nearest(program::KernelLibrary& library) {
  library.add(std::make_unique<ResizeNearest>());
}

}  // namespace n2d2::targets::cpp

#endif
