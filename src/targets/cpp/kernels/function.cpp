#include "host.hpp"

namespace n2d2::targets::cpp {

struct FunctionConfig : Planes, RescaleFields<float> {
  int function = 0;
  float alpha = 0, beta = 0;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v), visit_rescale(v);
    v("function", function), v("alpha", alpha), v("beta", beta);
  }
};
template <class>
using FunctionConfigOf = FunctionConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/function.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void function(const void* config, const Arrays& arrays);
void function(const void* config, const Arrays& arrays) {
  N2D2_EXPORT_NAMESPACE::function(
      *static_cast<const FunctionConfig*>(config), rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays),
      static_cast<const float*>(arrays.in[0]), static_cast<float*>(arrays.out[0]));
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/nonlinearity.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// In a float network; an integer one looks its values up.
class FunctionKernel final : public LayerKernel<FunctionKernel, FunctionConfigOf> {
 public:
  std::string_view name() const override { return "function"; }
  std::string_view header() const override { return "function.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Nonlinearity"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph.value(node.outputs[0]).type.dtype != DataType::F32) return "integers are looked up";
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  template <class Bound>
  FunctionConfig config_of(const Site& site) const {
    const auto& op = *graph::as<ops::Nonlinearity>(site.node());
    FunctionConfig c;
    set_planes(c, site);
    set_rescale<float>(c, site, nullptr);
    c.function = static_cast<int>(op.function);
    c.alpha = static_cast<float>(op.alpha), c.beta = static_cast<float>(op.beta);
    return c;
  }
};

}  // namespace

void register_function(program::KernelLibrary& library);
void register_function(program::KernelLibrary& library) {
  library.add(std::make_unique<FunctionKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
