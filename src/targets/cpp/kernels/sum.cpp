#include "operands.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct SumConfig : Planes, RescaleFields<Bound> {
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    if (start != 0) v("start", start);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void sum(const void* config, const Arrays& arrays);
void sum(const void* config, const Arrays& arrays) {
  using Integers = OnOperands<SumConfig<int>, SummandConfig<int32_t>>;
  using Floats = OnOperands<SumConfig<float>, SummandConfig<float>>;
  with_operands<Integers, Floats>(config, arrays, [&](const auto& c, auto* out, const auto& operands) {
    N2D2_EXPORT_NAMESPACE::sum(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), out, operands);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "elemwise_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class Sum final : public ElemWiseKernel<Sum, SumConfig, SummandConfig> {
 public:
  static constexpr ops::ElemWiseOperation kOperation = ops::ElemWiseOperation::Sum;
  static constexpr bool kMixed = true;
  std::string_view name() const override { return "sum"; }
  std::string_view header() const override { return "elemwise.hpp"; }
  std::string refuses_operands(const graph::Graph& graph, const graph::Node& node,
                               const ops::ElemWise& op) const {
    const int64_t channels = graph.value(node.outputs[0]).type.shape.c();
    for (size_t i = 0; i < node.inputs.size(); ++i)
      for (int64_t c = 0; c < channels; ++c) {
        if (op.shift(i, c) != 0) return "Shifts other than 0";
        if (op.weight(i, c) != op.weight(i, 0)) return "Weights that differ between channels";
      }
    return {};
  }
  template <class Bound>
  SumConfig<Bound> layer_of(const Site& site) const {
    SumConfig<Bound> out;
    out.start = start_of(site.node());
    return out;
  }
  template <class Factor>
  SummandConfig<Factor> operand_of(const Site& site, size_t input) const {
    SummandConfig<Factor> out;
    out.multiplier = sum_multiplier<Factor>(site.node(), input);
    return out;
  }
};

}  // namespace

void register_sum(program::KernelLibrary& library);
void register_sum(program::KernelLibrary& library) {
  library.add(std::make_unique<Sum>());
}

}  // namespace n2d2::targets::cpp

#endif
