#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct LeakyConfig : Planes, RescaleFields<Bound> {
  Bound above = 1, below = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("above", above), v("below", below);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/leaky.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void leaky(const void* config, const Arrays& arrays);
void leaky(const void* config, const Arrays& arrays) {
  rescaled<LeakyConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::leaky(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/activation.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class Leaky final : public LayerKernel<Leaky, LeakyConfig> {
 public:
  std::string_view name() const override { return "leaky"; }
  std::string_view header() const override { return "leaky.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Relu"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& relu = *graph::as<ops::Relu>(node);
    if (relu.clamp()) return "it does not leak";
    if (relu.leak_slope < 0 && relu.clipping > 0) return "LeakSlope below 0 with Clipping";
    return check_rescaled_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return {factors_of(graph, node, 1.0F)};
  }
  template <class Bound>
  LeakyConfig<Bound> config_of(const Site& site) const {
    const auto& relu = *graph::as<ops::Relu>(site.node());
    LeakyConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, &site.constant(0));
    if constexpr (std::is_same_v<Bound, float>) {
      c.below = static_cast<float>(relu.leak_slope);
      if (relu.clipping > 0) c.hi = std::min(c.hi, static_cast<float>(relu.clipping));
    } else {
      c.above = ops::Relu::kTaps, c.below = relu.taps_below();
    }
    return c;
  }
};

}  // namespace

void register_leaky(program::KernelLibrary& library);
void register_leaky(program::KernelLibrary& library) {
  library.add(std::make_unique<Leaky>());
}

}  // namespace n2d2::targets::cpp

#endif
