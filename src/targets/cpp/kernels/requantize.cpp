#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct RequantizeConfig : Planes, RescaleFields<Bound> {
  int small_factors = 0;
  bool has_biases = false;  // of no kernel: the factors follow biases
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
    v("small_factors", small_factors);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/requantize.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

namespace {

template <class Out, class Factor>
void run(const RequantizeConfig<int>& c, const Arrays& a, Out* out, const Factor* factors) {
  const auto rows = rows_of<N2D2_EXPORT_NAMESPACE::Rows>(a);
  const auto* sums = static_cast<const int32_t*>(a.in[0]);
  if (c.has_biases)
    N2D2_EXPORT_NAMESPACE::requantize(c, rows, sums, out, static_cast<const int32_t*>(a.constants[0]),
                                      factors);
  else
    N2D2_EXPORT_NAMESPACE::requantize(c, rows, sums, out, factors);
}

}  // namespace

void requantize(const void* config, const Arrays& arrays);
void requantize(const void* config, const Arrays& arrays) {
  const auto& c = *static_cast<const RequantizeConfig<int>*>(config);
  const int place = c.has_biases ? 1 : 0;
  const auto narrow = [&](auto* out) {
    with_factors(arrays, place, [&](const auto* factors) { run(c, arrays, out, factors); });
  };
  const auto wide = [&](auto* out) {
    if (!arrays.types.fixed_point) no_kernel(arrays.types);
    run(c, arrays, out, static_cast<const int32_t*>(arrays.constants[place]));
  };
  switch (arrays.types.out) {
    case DataType::U8:
      return narrow(static_cast<uint8_t*>(arrays.out[0]));
    case DataType::I8:
      return narrow(static_cast<int8_t*>(arrays.out[0]));
    case DataType::U16:
      return narrow(static_cast<uint16_t*>(arrays.out[0]));
    case DataType::I16:
      return narrow(static_cast<int16_t*>(arrays.out[0]));
    case DataType::I32:
      return wide(static_cast<int32_t*>(arrays.out[0]));
    default:
      no_kernel(arrays.types);
  }
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "step_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Makes the outputs of a layer of its sums: the last step of a loop nest, or of an average that adds rows
/// up.
class Requantize final : public StepKernel<Requantize, RequantizeConfig> {
 public:
  std::string_view name() const override { return "requantize"; }
  std::string_view header() const override { return "requantize.hpp"; }
  template <class Bound>
  RequantizeConfig<Bound> config_of(const Site& site) const {
    const Constant& factors = site.constant(site.call.constants.size() - 1);
    RequantizeConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, &factors);
    c.has_biases = site.call.constants.size() > 1;
    c.small_factors = has_small_factors(factors) ? 1 : 0;
    return c;
  }
};

}  // namespace

void register_requantize(program::KernelLibrary& library);
void register_requantize(program::KernelLibrary& library) {
  library.add(std::make_unique<Requantize>());
}

}  // namespace n2d2::targets::cpp

#endif
