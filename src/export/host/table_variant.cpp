#include "variant.hpp"

#define N2D2_HOST_TEXT_OF(name) #name
#define N2D2_HOST_TEXT(name) N2D2_HOST_TEXT_OF(name)

namespace n2d2::exporter::host::N2D2_HOST_VARIANT {

void conv2d(const cpp::ConvConfig<int>&, Types, const Arrays&);
void conv2d_float(const cpp::ConvConfig<float>&, const Arrays&);
void conv2d_depthwise(const cpp::ConvConfig<int>&, Types, const Arrays&);
void conv2d_depthwise_float(const cpp::ConvConfig<float>&, const Arrays&);
void fc(const cpp::FcConfig<int>&, Types, const Arrays&);
void fc_float(const cpp::FcConfig<float>&, const Arrays&);
void max_pool(const cpp::PoolConfig<int>&, Types, const Arrays&);
void max_pool_float(const cpp::PoolConfig<float>&, const Arrays&);
void average_pool(const cpp::PoolConfig<int>&, Types, const Arrays&);
void average_pool_float(const cpp::PoolConfig<float>&, const Arrays&);
void scaling(const cpp::ScalingConfig<int>&, Types, const Arrays&);
void scaling_float(const cpp::ScalingConfig<float>&, const Arrays&);
void sum(const cpp::ScalingConfig<int>&, Types, std::span<const OperandConfig<int32_t>>,
         std::span<const void* const>, void*);
void sum_float(const cpp::ScalingConfig<float>&, std::span<const OperandConfig<float>>,
               std::span<const void* const>, void*);
void concat_part(const ConcatConfig&, Types, const Arrays&);
void pad_map(const PaddingConfig&, Types, const Arrays&);
void reshape_copy(const ReshapeConfig&, Types, const Arrays&);

const Kernels& table();
const Kernels& table() {
  static constexpr Kernels kTable{N2D2_HOST_TEXT(N2D2_HOST_VARIANT),
                                  conv2d,
                                  conv2d_float,
                                  conv2d_depthwise,
                                  conv2d_depthwise_float,
                                  fc,
                                  fc_float,
                                  max_pool,
                                  max_pool_float,
                                  average_pool,
                                  average_pool_float,
                                  scaling,
                                  scaling_float,
                                  sum,
                                  sum_float,
                                  concat_part,
                                  pad_map,
                                  reshape_copy};
  return kTable;
}

}  // namespace n2d2::exporter::host::N2D2_HOST_VARIANT
