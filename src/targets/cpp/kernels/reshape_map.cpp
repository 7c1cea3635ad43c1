#include "host.hpp"

namespace n2d2::targets::cpp {

struct ReshapeMapConfig : Planes {
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
  }
};
/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using ReshapeMapConfigOf = ReshapeMapConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/reshape.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void reshape_map(const void* config, const Arrays& arrays);
void reshape_map(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const ReshapeMapConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::reshape_map(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// A Reshape that moves bytes of an H,W,C map, behind reshape_copy, which takes all others.
class ReshapeMap final : public LayerKernel<ReshapeMap, ReshapeMapConfigOf> {
 public:
  std::string_view name() const override { return "reshape_map"; }
  std::string_view header() const override { return "reshape.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Reshape"}; }
  int priority() const override { return -1; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return refuses_to_move(graph, node);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, whole_window());
  }
  template <class Bound>
  ReshapeMapConfig config_of(const Site& site) const {
    ReshapeMapConfig c;
    set_planes(c, site);
    return c;
  }
};

}  // namespace

void register_reshape_map(program::KernelLibrary& library);
void register_reshape_map(program::KernelLibrary& library) {
  library.add(std::make_unique<ReshapeMap>());
}

}  // namespace n2d2::targets::cpp

#endif
