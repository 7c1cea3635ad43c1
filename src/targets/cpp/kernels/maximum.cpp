#include "extreme_config.hpp"

#ifdef N2D2_HOST_VARIANT

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void maximum(const void* config, const Arrays& arrays);
void maximum(const void* config, const Arrays& arrays) {
  using Integers = OnOperands<ExtremeConfig<int>, ChoiceConfig<int32_t>>;
  using Floats = OnOperands<ExtremeConfig<float>, ChoiceConfig<float>>;
  with_operands<Integers, Floats>(config, arrays, [&](const auto& c, auto* out, const auto& operands) {
    N2D2_EXPORT_NAMESPACE::maximum(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), out, operands);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "extreme_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class Maximum final : public ExtremeLayer<Maximum> {
 public:
  static constexpr ops::ElemWiseOperation kOperation = ops::ElemWiseOperation::Max;
  std::string_view name() const override { return "maximum"; }
};

}  // namespace

void register_maximum(program::KernelLibrary& library);
void register_maximum(program::KernelLibrary& library) {
  library.add(std::make_unique<Maximum>());
}

}  // namespace n2d2::targets::cpp

#endif
