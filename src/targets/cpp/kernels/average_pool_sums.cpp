#include "host.hpp"
#include "planes_config.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct PoolSumsConfig : PlanesConfig<Bound> {
  int64_t start = 0;
  template <class V>
  void visit(V&& v) const {
    PlanesConfig<Bound>::visit(v);
    if (start != 0) v("start", start);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/pool.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void average_pool_sums(const void* config, const Arrays& arrays);
void average_pool_sums(const void* config, const Arrays& arrays) {
  with_bytes(arrays, [&](const auto* in) {
    N2D2_EXPORT_NAMESPACE::average_pool_sums(*static_cast<const PoolSumsConfig<int>*>(config),
                                             rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in,
                                             static_cast<int32_t*>(arrays.out[0]));
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "step_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

class AveragePoolSums final : public StepKernel<AveragePoolSums, PoolSumsConfig> {
 public:
  std::string_view name() const override { return "average_pool_sums"; }
  std::string_view header() const override { return "pool.hpp"; }
  template <class Bound>
  PoolSumsConfig<Bound> config_of(const Site& site) const {
    PoolSumsConfig<Bound> c;
    set_planes(c, site);
    c.start = start_of(site.node());
    return c;
  }
};

}  // namespace

void register_average_pool_sums(program::KernelLibrary& library);
void register_average_pool_sums(program::KernelLibrary& library) {
  library.add(std::make_unique<AveragePoolSums>());
}

}  // namespace n2d2::targets::cpp

#endif
