#include "block_config.hpp"

namespace n2d2::targets::cpp {

struct DepthConfig : BlockConfig {
  int left = 0, top = 0;
  template <class V>
  void visit(V&& v) const {
    BlockConfig::visit(v);
    v("left", left), v("top", top);
  }
};
/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using DepthConfigOf = DepthConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/depth_to_space.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void depth_to_space(const void* config, const Arrays& arrays);
void depth_to_space(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const DepthConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::depth_to_space(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

namespace n2d2::targets::cpp {

namespace {

class DepthToSpace final : public LayerKernel<DepthToSpace, DepthConfigOf> {
 public:
  std::string_view name() const override { return "depth_to_space"; }
  std::string_view header() const override { return "depth_to_space.hpp"; }
  std::vector<std::string_view> operators() const override { return {"DepthToSpace"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph::as<ops::DepthToSpace>(node)->to_depth) return "the other direction";
    return refuses_to_move(graph, node);
  }
  /// Several rows of the output read one row of the input, which no window of whole strides says.
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, whole_window());
  }
  template <class Bound>
  DepthConfig config_of(const Site& site) const {
    DepthConfig c;
    set_block(c, site);
    const Pads& crop = graph::as<ops::DepthToSpace>(site.node())->crop;
    c.left = site.before_x(crop), c.top = site.before_y(crop);
    return c;
  }
};

}  // namespace

void register_depth_to_space(program::KernelLibrary& library);
void register_depth_to_space(program::KernelLibrary& library) {
  library.add(std::make_unique<DepthToSpace>());
}

}  // namespace n2d2::targets::cpp

#endif
