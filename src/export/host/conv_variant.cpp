#include "../../../export/CPP/kernels/conv.hpp"
#include "../../../export/CPP/kernels/fc.hpp"
#include "variant.hpp"

namespace n2d2::exporter::host::N2D2_HOST_VARIANT {

namespace kernels = N2D2_EXPORT_NAMESPACE;

void conv2d(const cpp::ConvConfig<int>& c, Types types, const Arrays& a);
void conv2d_float(const cpp::ConvConfig<float>& c, const Arrays& a);
void fc(const cpp::FcConfig<int>& c, Types types, const Arrays& a);
void fc_float(const cpp::FcConfig<float>& c, const Arrays& a);

void conv2d(const cpp::ConvConfig<int>& c, Types types, const Arrays& a) {
  with_weighted_arrays(types, a, [&](auto... arrays) { kernels::conv2d(c, arrays...); });
}

void conv2d_float(const cpp::ConvConfig<float>& c, const Arrays& a) {
  with_weighted_float_arrays(a, [&](auto... arrays) { kernels::conv2d(c, arrays...); });
}

void fc(const cpp::FcConfig<int>& c, Types types, const Arrays& a) {
  with_weighted_arrays(types, a, [&](auto... arrays) { kernels::fc(c, arrays...); });
}

void fc_float(const cpp::FcConfig<float>& c, const Arrays& a) {
  with_weighted_float_arrays(a, [&](auto... arrays) { kernels::fc(c, arrays...); });
}

}  // namespace n2d2::exporter::host::N2D2_HOST_VARIANT
