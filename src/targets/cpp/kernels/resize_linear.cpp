#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct LinearConfig : Planes, RescaleFields<Bound> {
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    if (start != 0) v("start", start);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/resize.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

namespace {

template <class Part, class C, class In, class Out, class Factor>
void resize_by(const C& c, const Arrays& a, const In* in, Out* out, const Factor* factors) {
  N2D2_EXPORT_NAMESPACE::resize_linear(
      c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(a), in, out, factors,
      static_cast<const int32_t*>(a.constants[1]), static_cast<const Part*>(a.constants[2]),
      static_cast<const int32_t*>(a.constants[3]), static_cast<const Part*>(a.constants[4]));
}

}  // namespace

void resize_linear(const void* config, const Arrays& arrays);
void resize_linear(const void* config, const Arrays& arrays) {
  rescaled<LinearConfig>(config, arrays,
                         [&]<class In>(const auto& c, const In* in, auto* out, auto* factors) {
                           using Part = std::conditional_t<std::is_same_v<In, float>, float, int32_t>;
                           resize_by<Part>(c, arrays, in, out, factors);
                         });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "resize_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

Constant parts_constant(const char* role, const std::vector<ops::ResizeSource>& sources, bool is_float) {
  Tensor out(Shape{static_cast<int64_t>(sources.size())}, is_float ? DataType::F32 : DataType::I32);
  for (size_t i = 0; i < sources.size(); ++i)
    if (is_float)
      out.data<float>()[i] = static_cast<float>(sources[i].weight);
    else
      out.data<int32_t>()[i] = static_cast<int32_t>(ops::Resize::part_of(sources[i]));
  return {role, std::make_shared<const Tensor>(std::move(out)), false};
}

class ResizeLinear final : public LayerKernel<ResizeLinear, LinearConfig> {
 public:
  std::string_view name() const override { return "resize_linear"; }
  std::string_view header() const override { return "resize.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Resize"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph::as<ops::Resize>(node)->mode != ops::ResizeMode::BilinearTF) return "another mode";
    return check_rescaled_types(graph, node, 1);
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, whole_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const ResizeAxes axes = axes_of(graph, node);
    const bool is_float = graph.value(node.outputs[0]).type.dtype == DataType::F32;
    return {factors_of(graph, node, 1.0F), sources_constant("rows", axes.rows),
            parts_constant("down", axes.rows, is_float), sources_constant("columns", axes.columns),
            parts_constant("across", axes.columns, is_float)};
  }
  template <class Bound>
  LinearConfig<Bound> config_of(const Site& site) const {
    LinearConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    c.start = start_of(site.node());
    return c;
  }
};

}  // namespace

void register_resize_linear(program::KernelLibrary& library);
void register_resize_linear(program::KernelLibrary& library) {
  library.add(std::make_unique<ResizeLinear>());
}

}  // namespace n2d2::targets::cpp

#endif
