#include "conv_config.hpp"
#include "host.hpp"

namespace n2d2::targets::cpp {

/// A convolution, and what its output and the addend are to the sum.
template <class Bound>
struct ConvSumConfig : BorderedConfig<Bound> {
  Bound multiplier{}, addend_multiplier{}, sum_lo{}, sum_hi{};
  int sum_shift = 0, addend_is_signed = 0, addend_index = 0;
  std::ptrdiff_t addend_pixel = 0, addend_row = 0;
  int addend_ring = 0, addend_first = 0;
  std::ptrdiff_t addend_turn = 0;
  template <class V>
  void visit(V&& v) const {
    BorderedConfig<Bound>::visit(v);
    v("multiplier", multiplier), v("addend_multiplier", addend_multiplier);
    v("addend_is_signed", addend_is_signed), v("addend_index", addend_index);
    v("addend_pixel", addend_pixel), v("addend_row", addend_row), v("addend_ring", addend_ring);
    v("addend_first", addend_first), v("addend_turn", addend_turn);
    v("sum_lo", sum_lo), v("sum_hi", sum_hi), v("sum_shift", sum_shift);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/conv_sum.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void conv2d_sum(const void* config, const Arrays& arrays);
void conv2d_sum(const void* config, const Arrays& arrays) {
  weighted<ConvSumConfig, false>(
      config, arrays, [&]<class Out>(const auto& c, auto* in, Out* out, auto*... data) {
        N2D2_EXPORT_NAMESPACE::conv2d_sum(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in,
                                          static_cast<const Out*>(arrays.in[1]), out, data...);
      });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/targets/cpp/combine_sums.hpp"

#include "conv_layer.hpp"
#include "sum_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Chosen by combine_sums alone: the node of its calls is the sum.
class Conv2dSum final : public LayerKernel<Conv2dSum, ConvSumConfig> {
 public:
  std::string_view name() const override { return "conv2d_sum"; }
  std::string_view header() const override { return "conv_sum.hpp"; }
  std::vector<std::string_view> operators() const override { return {}; }
  std::vector<program::Form> forms() const override { return conv_forms(); }
  std::string refuses(const graph::Graph&, const graph::Node&) const override {
    return "two calls are combined to it, no layer is";
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    throw InternalError(fmt::format("'{}' is no combined call", node.name), __FILE__, __LINE__);
  }

  template <class Bound>
  ConvSumConfig<Bound> config_of(const Site& site) const {
    const graph::Node& sum = site.node();
    const graph::ValueId addend = site.in(1).value;
    const size_t index = sum.inputs.at(0) == addend ? 0 : 1;
    Call conv = site.call;
    conv.node = convolution_of(site.program, site.call);
    ConvSumConfig<Bound> c;
    static_cast<BorderedConfig<Bound>&>(c) = bordered_config<Bound>({site.program, conv});
    c.multiplier = sum_multiplier<Bound>(sum, 1 - index);
    c.addend_multiplier = sum_multiplier<Bound>(sum, index);
    c.addend_is_signed = is_signed(site.in(1).type), c.addend_index = static_cast<int>(index);
    const program::Plane plane = program::plane_of(site.in(1));
    c.addend_pixel = plane.pixel, c.addend_row = plane.row;
    c.addend_ring = plane.ring, c.addend_first = plane.first, c.addend_turn = plane.turn;
    std::tie(c.sum_lo, c.sum_hi) = bounds_of<Bound>(site);
    c.sum_shift = sum.rescale ? sum.rescale->shift : 0;
    return c;
  }
};

}  // namespace

void register_conv2d_sum(program::KernelLibrary& library);
void register_conv2d_sum(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2dSum>());
}

}  // namespace n2d2::targets::cpp

#endif
