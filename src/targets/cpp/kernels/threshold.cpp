#include "host.hpp"

namespace n2d2::targets::cpp {

struct ThresholdConfig : Planes, RescaleFields<float> {
  float threshold = 0, above = 0, below = 0;
  int keeps_above = 0, keeps_below = 0;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v), visit_rescale(v);
    v("threshold", threshold), v("above", above), v("below", below);
    v("keeps_above", keeps_above), v("keeps_below", keeps_below);
  }
};
template <class>
using ThresholdConfigOf = ThresholdConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/threshold.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void threshold(const void* config, const Arrays& arrays);
void threshold(const void* config, const Arrays& arrays) {
  N2D2_EXPORT_NAMESPACE::threshold(
      *static_cast<const ThresholdConfig*>(config), rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays),
      static_cast<const float*>(arrays.in[0]), static_cast<float*>(arrays.out[0]));
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include <cmath>
#include <limits>

#include "n2d2/ops/threshold.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// The largest float that is not above a number: floats are above both or above neither.
float at_most(double bound) {
  const auto nearest = static_cast<float>(bound);
  return nearest > bound ? std::nextafter(nearest, -std::numeric_limits<float>::infinity()) : nearest;
}

/// In a float network; an integer one looks its values up.
class ThresholdKernel final : public LayerKernel<ThresholdKernel, ThresholdConfigOf> {
 public:
  std::string_view name() const override { return "threshold"; }
  std::string_view header() const override { return "threshold.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Threshold"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph.value(node.outputs[0]).type.dtype != DataType::F32) return "integers are looked up";
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  template <class Bound>
  ThresholdConfig config_of(const Site& site) const {
    const auto& op = *graph::as<ops::Threshold>(site.node());
    ThresholdConfig c;
    set_planes(c, site);
    set_rescale<float>(c, site, nullptr);
    const std::optional<double> above = op.above(), below = op.below();
    c.threshold = at_most(op.threshold);
    c.above = static_cast<float>(above.value_or(0)), c.below = static_cast<float>(below.value_or(0));
    c.keeps_above = !above, c.keeps_below = !below;
    return c;
  }
};

}  // namespace

void register_threshold(program::KernelLibrary& library);
void register_threshold(program::KernelLibrary& library) {
  library.add(std::make_unique<ThresholdKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
