#include "block_config.hpp"

namespace n2d2::targets::cpp {

/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using SpaceConfigOf = BlockConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/depth_to_space.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void space_to_depth(const void* config, const Arrays& arrays);
void space_to_depth(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const BlockConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::space_to_depth(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

namespace n2d2::targets::cpp {

namespace {

class SpaceToDepth final : public LayerKernel<SpaceToDepth, SpaceConfigOf> {
 public:
  std::string_view name() const override { return "space_to_depth"; }
  std::string_view header() const override { return "depth_to_space.hpp"; }
  std::vector<std::string_view> operators() const override { return {"DepthToSpace"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (!graph::as<ops::DepthToSpace>(node)->to_depth) return "the other direction";
    return refuses_to_move(graph, node);
  }
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const Dims block = graph::as<ops::DepthToSpace>(node)->block();
    const Shape& in = graph.value(node.inputs[0]).type.shape;
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    return contract_of(1, rows_window(in, out, block, block, {1, 1}, {}));
  }
  template <class Bound>
  BlockConfig config_of(const Site& site) const {
    BlockConfig c;
    set_block(c, site);
    return c;
  }
};

}  // namespace

void register_space_to_depth(program::KernelLibrary& library);
void register_space_to_depth(program::KernelLibrary& library) {
  library.add(std::make_unique<SpaceToDepth>());
}

}  // namespace n2d2::targets::cpp

#endif
