#include "host.hpp"
#include "planes_config.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/partial_sums.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void fc_sums(const void* config, const Arrays& arrays);
void fc_sums(const void* config, const Arrays& arrays) {
  with_bytes(arrays, [&](const auto* in) {
    N2D2_EXPORT_NAMESPACE::fc_sums(
        *static_cast<const PlanesConfig<int>*>(config), rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in,
        static_cast<int32_t*>(arrays.out[0]), static_cast<const int8_t*>(arrays.constants[0]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "step_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

class FcSums final : public PlanesStep<FcSums> {
 public:
  std::string_view name() const override { return "fc_sums"; }
  std::string_view header() const override { return "partial_sums.hpp"; }
};

}  // namespace

void register_fc_sums(program::KernelLibrary& library);
void register_fc_sums(program::KernelLibrary& library) {
  library.add(std::make_unique<FcSums>());
}

}  // namespace n2d2::targets::cpp

#endif
