#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct SoftmaxConfig : Planes, RescaleFields<Bound> {
  int group = 1, entries = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("group", group), v("entries", entries);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/softmax.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void softmax_map(const void* config, const Arrays& arrays);
void softmax_map(const void* config, const Arrays& arrays) {
  rescaled<SoftmaxConfig>(config, arrays, [&](const auto& c, auto* in, auto* out, auto* factors) {
    N2D2_EXPORT_NAMESPACE::softmax_map(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out, factors,
                                       static_cast<const int32_t*>(arrays.constants[1]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/softmax.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class SoftmaxMap final : public LayerKernel<SoftmaxMap, SoftmaxConfig> {
 public:
  std::string_view name() const override { return "softmax_map"; }
  std::string_view header() const override { return "softmax.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Softmax"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  /// A float network has no table; its one entry is not read.
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const bool has_table = node.inputs.size() > 1;
    return {factors_of(graph, node, 1.0F),
            {"powers",
             has_table ? graph.value(node.inputs[1]).constant
                       : std::make_shared<const Tensor>(Shape{1}, DataType::I32),
             false}};
  }
  template <class Bound>
  SoftmaxConfig<Bound> config_of(const Site& site) const {
    const auto& softmax = *graph::as<ops::Softmax>(site.node());
    SoftmaxConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    c.group = softmax.group_size > 0 ? softmax.group_size : c.out_c;
    c.entries = static_cast<int>(site.constant(1).data->elements());
    return c;
  }
};

}  // namespace

void register_softmax_map(program::KernelLibrary& library);
void register_softmax_map(program::KernelLibrary& library) {
  library.add(std::make_unique<SoftmaxMap>());
}

}  // namespace n2d2::targets::cpp

#endif
