#include "conv_config.hpp"
#include "host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/partial_sums.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void conv2d_sums(const void* config, const Arrays& arrays);
void conv2d_sums(const void* config, const Arrays& arrays) {
  with_bytes(arrays, [&](const auto* in) {
    N2D2_EXPORT_NAMESPACE::conv2d_sums(
        *static_cast<const BorderedConfig<int>*>(config), rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in,
        static_cast<int32_t*>(arrays.out[0]), static_cast<const int8_t*>(arrays.constants[0]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "conv_layer.hpp"
#include "step_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

class Conv2dSums final : public StepKernel<Conv2dSums, BorderedConfig> {
 public:
  std::string_view name() const override { return "conv2d_sums"; }
  std::string_view header() const override { return "partial_sums.hpp"; }
  template <class Bound>
  BorderedConfig<Bound> config_of(const Site& site) const {
    BorderedConfig<Bound> c;
    set_windows<Bound>(c, site);
    return c;
  }
};

}  // namespace

void register_conv2d_sums(program::KernelLibrary& library);
void register_conv2d_sums(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2dSums>());
}

}  // namespace n2d2::targets::cpp

#endif
