#include "host.hpp"
#include "pool_config.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/pool.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void max_pool(const void* config, const Arrays& arrays);
void max_pool(const void* config, const Arrays& arrays) {
  plain<PoolConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::max_pool(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "pool_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class MaxPool final : public PoolLayer<MaxPool> {
 public:
  static constexpr ops::Pooling kPooling = ops::Pooling::Max;
  std::string_view name() const override { return "max_pool"; }
};

}  // namespace

void register_max_pool(program::KernelLibrary& library);
void register_max_pool(program::KernelLibrary& library) {
  library.add(std::make_unique<MaxPool>());
}

}  // namespace n2d2::targets::cpp

#endif
