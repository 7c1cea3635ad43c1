#include "dsp_conv_layer.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/conv2d_dsp.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void conv2d_dsp(const void* config, const cpp::Arrays& arrays);
void conv2d_dsp(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::conv2d_dsp(*static_cast<const ConvDspConfig<int>*>(config),
                                      N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                      arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

namespace n2d2::targets::cortexm {

namespace dsp {

namespace {

class Conv2dDsp final : public Conv2dTiles<Conv2dDsp, 4> {
 public:
  std::string_view name() const override { return "conv2d_dsp"; }
};

}  // namespace

}  // namespace dsp

void register_conv2d_dsp(program::KernelLibrary& library);
void register_conv2d_dsp(program::KernelLibrary& library) {
  library.add(std::make_unique<dsp::Conv2dDsp>());
}

}  // namespace n2d2::targets::cortexm

#endif
