#include "operands.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct ProductConfig : Planes, RescaleFields<Bound> {
  int is_fixed = 0, multiplier = 0;
  float factor = 1;
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("is_fixed", is_fixed), v("multiplier", multiplier), v("factor", factor);
    if (start != 0) v("start", start);
  }
};
/// Config of one operand, alike for integers and floats.
struct ZeroedFactorConfig : FactorConfig {
  int zero = 0;
  template <class V>
  void visit(V&& v) const {
    FactorConfig::visit(v);
    if (zero != 0) v("zero", zero);
  }
};
template <class>
using FactorConfigOf = ZeroedFactorConfig;

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/product.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void product(const void* config, const Arrays& arrays);
void product(const void* config, const Arrays& arrays) {
  using Integers = OnOperands<ProductConfig<int>, ZeroedFactorConfig>;
  using Floats = OnOperands<ProductConfig<float>, ZeroedFactorConfig>;
  with_operands<Integers, Floats, false>(config, arrays, [&](const auto& c, auto* out, const auto& operands) {
    N2D2_EXPORT_NAMESPACE::product(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), out, operands);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "elemwise_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class Product final : public ElemWiseKernel<Product, ProductConfig, FactorConfigOf> {
 public:
  static constexpr ops::ElemWiseOperation kOperation = ops::ElemWiseOperation::Prod;
  static constexpr bool kMixed = false;
  std::string_view name() const override { return "product"; }
  std::string_view header() const override { return "product.hpp"; }
  std::string refuses_operands(const graph::Graph&, const graph::Node&, const ops::ElemWise&) const {
    return {};
  }
  template <class Bound>
  ProductConfig<Bound> layer_of(const Site& site) const {
    ProductConfig<Bound> out;
    if (!site.node().rescale) return out;
    const Rescale& rescale = *site.node().rescale;
    out.start = rescale.start;
    out.is_fixed = rescale.multiplier.empty() ? 0 : 1;
    if (out.is_fixed)
      out.multiplier = rescale.multiplier.at(0);
    else
      out.factor = rescale.factor.at(0);
    return out;
  }
  template <class Factor>
  ZeroedFactorConfig operand_of(const Site& site, size_t input) const {
    ZeroedFactorConfig out;
    out.zero = zero_of_operand(site, input);
    return out;
  }
};

}  // namespace

void register_product(program::KernelLibrary& library);
void register_product(program::KernelLibrary& library) {
  library.add(std::make_unique<Product>());
}

}  // namespace n2d2::targets::cpp

#endif
