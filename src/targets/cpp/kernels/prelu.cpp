#include "host.hpp"

namespace n2d2::targets::cpp {

struct PReluConfig : Planes, RescaleFields<float> {
  template <class V>
  void visit(V&& v) const {
    visit_planes(v), visit_rescale(v);
  }
};
template <class>
using PReluConfigOf = PReluConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/prelu.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void prelu(const void* config, const Arrays& arrays);
void prelu(const void* config, const Arrays& arrays) {
  N2D2_EXPORT_NAMESPACE::prelu(*static_cast<const PReluConfig*>(config),
                               rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays),
                               static_cast<const float*>(arrays.in[0]), static_cast<float*>(arrays.out[0]),
                               static_cast<const float*>(arrays.constants[0]));
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// In a float network; an integer one looks its values up.
class PReluKernel final : public LayerKernel<PReluKernel, PReluConfigOf> {
 public:
  std::string_view name() const override { return "prelu"; }
  std::string_view header() const override { return "prelu.hpp"; }
  std::vector<std::string_view> operators() const override { return {"PRelu"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph.value(node.outputs[0]).type.dtype != DataType::F32) return "integers are looked up";
    const Shape& slopes = graph.value(node.inputs.at(1)).type.shape;
    if (slopes.h() * slopes.w() != 1) return "slopes that vary along height or width";
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return {{"slopes", graph.value(node.inputs.at(1)).constant, true}};
  }
  template <class Bound>
  PReluConfig config_of(const Site& site) const {
    PReluConfig c;
    set_planes(c, site);
    set_rescale<float>(c, site, &site.constant(0));
    return c;
  }
};

}  // namespace

void register_prelu(program::KernelLibrary& library);
void register_prelu(program::KernelLibrary& library) {
  library.add(std::make_unique<PReluKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
