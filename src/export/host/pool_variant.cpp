#include "../../../export/CPP/kernels/pool.hpp"
#include "variant.hpp"

namespace n2d2::exporter::host::N2D2_HOST_VARIANT {

namespace kernels = N2D2_EXPORT_NAMESPACE;

void max_pool(const cpp::PoolConfig<int>& c, Types types, const Arrays& a);
void max_pool_float(const cpp::PoolConfig<float>& c, const Arrays& a);
void average_pool(const cpp::PoolConfig<int>& c, Types types, const Arrays& a);
void average_pool_float(const cpp::PoolConfig<float>& c, const Arrays& a);

void max_pool(const cpp::PoolConfig<int>& c, Types types, const Arrays& a) {
  with_types(types, [&]<class In, class Out>() {
    kernels::max_pool(c, static_cast<const In*>(a.in), static_cast<Out*>(a.out));
  });
}

void max_pool_float(const cpp::PoolConfig<float>& c, const Arrays& a) {
  kernels::max_pool(c, static_cast<const float*>(a.in), static_cast<float*>(a.out));
}

void average_pool(const cpp::PoolConfig<int>& c, Types types, const Arrays& a) {
  with_arrays(types, a, [&](auto... arrays) { kernels::average_pool(c, arrays...); });
}

void average_pool_float(const cpp::PoolConfig<float>& c, const Arrays& a) {
  with_float_arrays(a, [&](auto... arrays) { kernels::average_pool(c, arrays...); });
}

}  // namespace n2d2::exporter::host::N2D2_HOST_VARIANT
