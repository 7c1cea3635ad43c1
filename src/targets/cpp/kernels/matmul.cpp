#include "operands.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct MatMulConfig : Planes, RescaleFields<Bound> {
  int transposed = 0, groups = 1, depth = 1, is_fixed = 0, multiplier = 0;
  float factor = 1;
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("transposed", transposed), v("groups", groups), v("depth", depth);
    v("is_fixed", is_fixed), v("multiplier", multiplier), v("factor", factor);
    if (start != 0) v("start", start);
  }
};
/// Config of one matrix, alike for integers and floats.
struct MatrixConfig : FactorConfig {
  int zero = 0;
  template <class V>
  void visit(V&& v) const {
    FactorConfig::visit(v);
    if (zero != 0) v("zero", zero);
  }
};
/// What the host form takes.
template <class Bound>
struct MatMulCall {
  MatMulConfig<Bound> layer;
  MatrixConfig a, b;
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/matmul.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

template <class In, class Out, class Bound>
void multiply_maps(const MatMulCall<Bound>& c, const Arrays& arrays) {
  N2D2_EXPORT_NAMESPACE::matmul(c.layer, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays),
                                static_cast<Out*>(arrays.out[0]),
                                N2D2_EXPORT_NAMESPACE::operand(c.a, static_cast<const In*>(arrays.in[0])),
                                N2D2_EXPORT_NAMESPACE::operand(c.b, static_cast<const In*>(arrays.in[1])));
}

void matmul(const void* config, const Arrays& arrays);
void matmul(const void* config, const Arrays& arrays) {
  switch (arrays.types.out) {
    case DataType::F32:
      return multiply_maps<float, float>(*static_cast<const MatMulCall<float>*>(config), arrays);
    case DataType::U8:
      return multiply_maps<uint8_t, uint8_t>(*static_cast<const MatMulCall<int>*>(config), arrays);
    case DataType::I8:
      return multiply_maps<uint8_t, int8_t>(*static_cast<const MatMulCall<int>*>(config), arrays);
    case DataType::U16:
      return multiply_maps<uint16_t, uint16_t>(*static_cast<const MatMulCall<int>*>(config), arrays);
    case DataType::I16:
      return multiply_maps<uint16_t, int16_t>(*static_cast<const MatMulCall<int>*>(config), arrays);
    default:
      no_kernel(arrays.types);
  }
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/matmul.hpp"

#include "layer.hpp"
#include "sum_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class MatMulKernel final : public program::Kernel {
 public:
  std::string_view name() const override { return "matmul"; }
  std::string_view header() const override { return "matmul.hpp"; }
  std::vector<std::string_view> operators() const override { return {"MatMul"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_types(graph, node, 2);
  }
  /// Row by row of the first matrix, each with all of the second.
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    Contract out;
    out.windows = {Window{Window::Kind::Rows, 1, 0, 1}, whole_window()};
    return out;
  }
  Config config(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float()) return printed(call_of<float>(site));
    return printed(call_of<int>(site));
  }
  HostCall host(const Program& program, const Call& call) const override {
    const Site site{program, call};
    if (site.is_float())
      return bound_host(name(), std::make_shared<const MatMulCall<float> >(call_of<float>(site)), site);
    return bound_host(name(), std::make_shared<const MatMulCall<int> >(call_of<int>(site)), site);
  }

 private:
  template <class Bound>
  static Config printed(const MatMulCall<Bound>& call) {
    return {print_config(call.layer), {print_config(call.a), print_config(call.b)}};
  }
  static MatrixConfig matrix(const Site& site, size_t i) {
    MatrixConfig out;
    out.set_in(program::plane_of(site.in(i)));
    out.is_signed = is_signed(site.in(i).type);
    const auto& quant = site.program.graph.value(site.node().inputs.at(i)).type.quant;
    if (quant) out.zero = static_cast<int>(quant->zero_point);
    return out;
  }
  template <class Bound>
  static MatMulCall<Bound> call_of(const Site& site) {
    const auto& op = *graph::as<ops::MatMul>(site.node());
    MatMulCall<Bound> out{{}, matrix(site, 0), matrix(site, 1)};
    MatMulConfig<Bound>& c = out.layer;
    set_planes(c, site);
    c.set_in(program::plane_of(site.out()));
    set_rescale<Bound>(c, site, nullptr);
    c.transposed = op.transposed ? 1 : 0;
    c.groups = op.groups;
    c.depth = static_cast<int>(op.depth(site.program.graph.value(site.node().inputs[0]).type.shape));
    c.factor = static_cast<float>(op.factor);
    if (!site.node().rescale) return out;
    const Rescale& rescale = *site.node().rescale;
    c.start = rescale.start;
    c.is_fixed = rescale.multiplier.empty() ? 0 : 1;
    c.factor = c.is_fixed ? 1 : rescale.factor.at(0);
    c.multiplier = c.is_fixed ? rescale.multiplier.at(0) : 0;
    return out;
  }
};

}  // namespace

void register_matmul(program::KernelLibrary& library);
void register_matmul(program::KernelLibrary& library) {
  library.add(std::make_unique<MatMulKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
