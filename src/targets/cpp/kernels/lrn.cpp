#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct LrnConfig : Planes, RescaleFields<Bound> {
  int before = 0, after = 0;
  float k = 1, alpha = 0, beta = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("before", before), v("after", after), v("k", k), v("alpha", alpha), v("beta", beta);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/lrn.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void lrn(const void* config, const Arrays& arrays);
void lrn(const void* config, const Arrays& arrays) {
  rescaled<LrnConfig>(config, arrays, [&](const auto& c, auto* in, auto* out, auto* factors) {
    N2D2_EXPORT_NAMESPACE::lrn(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in, out, factors,
                               static_cast<const int32_t*>(arrays.constants[1]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/lrn.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class LrnKernel final : public LayerKernel<LrnKernel, LrnConfig> {
 public:
  std::string_view name() const override { return "lrn"; }
  std::string_view header() const override { return "lrn.hpp"; }
  std::vector<std::string_view> operators() const override { return {"LRN"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, Window{Window::Kind::Rows, 1, 0, 1});
  }
  /// A float network has no table; its one entry is not read.
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const bool has_table = node.inputs.size() > 1;
    return {factors_of(graph, node, 1.0F),
            {"curve",
             has_table ? graph.value(node.inputs[1]).constant
                       : std::make_shared<const Tensor>(Shape{1}, DataType::I32),
             false}};
  }
  template <class Bound>
  LrnConfig<Bound> config_of(const Site& site) const {
    const auto& op = *graph::as<ops::Lrn>(site.node());
    LrnConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    c.before = (op.n - 1) / 2, c.after = op.n / 2;
    c.k = static_cast<float>(op.k), c.alpha = static_cast<float>(op.alpha);
    c.beta = static_cast<float>(op.beta);
    return c;
  }
};

}  // namespace

void register_lrn(program::KernelLibrary& library);
void register_lrn(program::KernelLibrary& library) {
  library.add(std::make_unique<LrnKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
