#include "../../../export/CPP/kernels/conv_depthwise.hpp"
#include "variant.hpp"

namespace n2d2::exporter::host::N2D2_HOST_VARIANT {

namespace kernels = N2D2_EXPORT_NAMESPACE;

void conv2d_depthwise(const cpp::ConvConfig<int>& c, Types types, const Arrays& a);
void conv2d_depthwise_float(const cpp::ConvConfig<float>& c, const Arrays& a);

void conv2d_depthwise(const cpp::ConvConfig<int>& c, Types types, const Arrays& a) {
  with_types(types, [&]<class In, class Out>() {
    const auto* weights = static_cast<const typename Net<In>::Weight*>(a.weights);
    const auto* biases = static_cast<const typename Net<In>::Sum*>(a.biases);
    const auto* in = static_cast<const In*>(a.in);
    auto* out = static_cast<Out*>(a.out);
    if (types.fixed_point)
      kernels::conv2d_depthwise(c, in, out, weights, biases, static_cast<const int32_t*>(a.factors));
    else
      kernels::conv2d_depthwise(c, in, out, weights, biases, static_cast<const float*>(a.factors));
  });
}

void conv2d_depthwise_float(const cpp::ConvConfig<float>& c, const Arrays& a) {
  kernels::conv2d_depthwise(c, static_cast<const float*>(a.in), static_cast<float*>(a.out),
                            static_cast<const float*>(a.weights), static_cast<const float*>(a.biases),
                            static_cast<const float*>(a.factors));
}

}  // namespace n2d2::exporter::host::N2D2_HOST_VARIANT
