#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct LayerNormConfig : Planes, RescaleFields<Bound> {
  int centered = 1, zero = 0;
  float epsilon = 0;
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("centered", centered), v("epsilon", epsilon);
    if (start != 0) v("start", start);
    if (zero != 0) v("zero", zero);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/layer_norm.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void layer_norm(const void* config, const Arrays& arrays);
void layer_norm(const void* config, const Arrays& arrays) {
  const auto rows = rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays);
  if (arrays.types.in == DataType::F32)
    return N2D2_EXPORT_NAMESPACE::layer_norm(
        *static_cast<const LayerNormConfig<float>*>(config), rows, static_cast<const float*>(arrays.in[0]),
        static_cast<float*>(arrays.out[0]), static_cast<const float*>(arrays.constants[0]),
        static_cast<const float*>(arrays.constants[1]));
  with_integers(arrays.types, [&]<class In, class Out>() {
    with_factors(arrays, 0, [&](const auto* factors) {
      N2D2_EXPORT_NAMESPACE::layer_norm(
          *static_cast<const LayerNormConfig<int>*>(config), rows, static_cast<const In*>(arrays.in[0]),
          static_cast<Out*>(arrays.out[0]), factors, static_cast<const int32_t*>(arrays.constants[1]));
    });
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/layer_norm.hpp"

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Scales and biases of a float network as pairs behind four fields that integers have.
Tensor float_terms(const graph::Graph& graph, const graph::Node& node) {
  const Tensor& scales = *graph.value(node.inputs.at(1)).constant;
  Tensor out(Shape{scales.elements() + 2, 2});
  out.fill(0);
  for (int64_t c = 0; c < scales.elements(); ++c) {
    out.data<float>()[2 * c + 4] = scales.data<float>()[c];
    if (node.inputs.size() > 2)
      out.data<float>()[2 * c + 5] = graph.value(node.inputs[2]).constant->data<float>()[c];
  }
  return out;
}

class LayerNormKernel final : public LayerKernel<LayerNormKernel, LayerNormConfig> {
 public:
  std::string_view name() const override { return "layer_norm"; }
  std::string_view header() const override { return "layer_norm.hpp"; }
  std::vector<std::string_view> operators() const override { return {"LayerNorm"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, element_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return {factors_of(graph, node, 1.0F),
            {"terms",
             node.rescale ? graph.value(node.inputs.at(1)).constant
                          : std::make_shared<const Tensor>(float_terms(graph, node)),
             false}};
  }
  template <class Bound>
  LayerNormConfig<Bound> config_of(const Site& site) const {
    const auto& norm = *graph::as<ops::LayerNorm>(site.node());
    LayerNormConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    c.centered = norm.centered ? 1 : 0;
    c.epsilon = static_cast<float>(norm.epsilon);
    c.start = start_of(site.node());
    const auto& quant = site.program.graph.value(site.node().inputs.at(0)).type.quant;
    if (quant) c.zero = static_cast<int>(quant->zero_point);
    return c;
  }
};

}  // namespace

void register_layer_norm(program::KernelLibrary& library);
void register_layer_norm(program::KernelLibrary& library) {
  library.add(std::make_unique<LayerNormKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
