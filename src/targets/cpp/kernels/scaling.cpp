#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct ScalingConfig : Planes, RescaleFields<Bound> {
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/scaling.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void scaling(const void* config, const Arrays& arrays);
void scaling(const void* config, const Arrays& arrays) {
  rescaled<ScalingConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::scaling(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/scaling.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class ScalingKernel final : public LayerKernel<ScalingKernel, ScalingConfig> {
 public:
  std::string_view name() const override { return "scaling"; }
  std::string_view header() const override { return "scaling.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Relu", "Saturation", "Scaling"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (const auto* relu = graph::as<ops::Relu>(node); relu != nullptr && !relu->clamp())
      return "LeakSlope other than 0";
    return check_rescaled_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  /// Scaling of a float network: the operator's own factors; else those of the rescaling.
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const auto* op = graph::as<ops::Scaling>(node);
    if (graph.value(node.outputs.at(0)).type.dtype != DataType::F32 || op == nullptr)
      return {factors_of(graph, node, 1.0F)};
    Tensor data(Shape{static_cast<int64_t>(op->factor.size())});
    std::copy(op->factor.begin(), op->factor.end(), data.data<float>());
    return {{"factors", std::make_shared<const Tensor>(std::move(data)), true}};
  }
  template <class Bound>
  ScalingConfig<Bound> config_of(const Site& site) const {
    ScalingConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, &site.constant(0));
    if constexpr (std::is_same_v<Bound, float>) {
      Clamp clamp;
      if (const auto* relu = graph::as<ops::Relu>(site.node())) clamp = *relu->clamp();
      if (const auto* saturation = graph::as<ops::Saturation>(site.node())) clamp = saturation->clamp();
      c.lo = std::max(c.lo, clamp.lo), c.hi = std::min(c.hi, clamp.hi);
    }
    return c;
  }
};

}  // namespace

void register_scaling(program::KernelLibrary& library);
void register_scaling(program::KernelLibrary& library) {
  library.add(std::make_unique<ScalingKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
