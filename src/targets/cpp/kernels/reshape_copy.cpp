#include "host.hpp"

namespace n2d2::targets::cpp {

struct ReshapeConfig : Planes {
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
  }
};
/// Config for integers and floats alike: the kernel moves values unchanged.
template <class Bound>
using ReshapeConfigOf = ReshapeConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/reshape.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void reshape_copy(const void* config, const Arrays& arrays);
void reshape_copy(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const ReshapeConfig*>(config);
  moved(arrays, [&](auto* in, auto* out) {
    N2D2_EXPORT_NAMESPACE::reshape_copy(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/reshape.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class ReshapeCopy final : public LayerKernel<ReshapeCopy, ReshapeConfigOf> {
 public:
  std::string_view name() const override { return "reshape_copy"; }
  std::string_view header() const override { return "reshape.hpp"; }
  std::vector<std::string_view> operators() const override { return {"PixelReshape", "Reshape"}; }
  program::Placement placement() const override { return program::Placement::Alias; }
  /// A PixelReshape leaves all bytes in place. The values of an H,W,C map stay in their order under a Reshape
  /// if channels and number of pixels stay, or if there is one channel or one pixel before and after.
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const Shape& in = graph.value(node.inputs[0]).type.shape;
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    const auto flat = [](const Shape& s) { return s.h() * s.w() == 1 || s.c() == 1; };
    if (graph::as<ops::Reshape>(node) && in.c() != out.c() && !(flat(in) && flat(out)))
      return fmt::format("{} to {} would move bytes of an H,W,C map", in.text(), out.text());
    const auto type = [&](graph::ValueId id) { return graph.value(id).type.dtype; };
    if (type(node.inputs[0]) == DataType::I32 && type(node.outputs[0]) == DataType::I32) return {};
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, whole_window());
  }
  template <class Bound>
  ReshapeConfig config_of(const Site& site) const {
    ReshapeConfig c;
    set_planes(c, site);
    return c;
  }
};

}  // namespace

void register_reshape_copy(program::KernelLibrary& library);
void register_reshape_copy(program::KernelLibrary& library) {
  library.add(std::make_unique<ReshapeCopy>());
}

}  // namespace n2d2::targets::cpp

#endif
