#include "host.hpp"
#include "planes_config.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/pool.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void average_pool_sums(const void* config, const Arrays& arrays);
void average_pool_sums(const void* config, const Arrays& arrays) {
  with_bytes(arrays, [&](const auto* in) {
    N2D2_EXPORT_NAMESPACE::average_pool_sums(*static_cast<const PlanesConfig<int>*>(config),
                                             rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in,
                                             static_cast<int32_t*>(arrays.out[0]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "step_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

class AveragePoolSums final : public PlanesStep<AveragePoolSums> {
 public:
  std::string_view name() const override { return "average_pool_sums"; }
  std::string_view header() const override { return "pool.hpp"; }
};

}  // namespace

void register_average_pool_sums(program::KernelLibrary& library);
void register_average_pool_sums(program::KernelLibrary& library) {
  library.add(std::make_unique<AveragePoolSums>());
}

}  // namespace n2d2::targets::cpp

#endif
