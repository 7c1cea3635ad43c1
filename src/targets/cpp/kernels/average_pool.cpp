#include "host.hpp"
#include "pool_config.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/pool.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void average_pool(const void* config, const Arrays& arrays);
void average_pool(const void* config, const Arrays& arrays) {
  rescaled<PoolConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::average_pool(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "pool_layer.hpp"

namespace n2d2::targets::cpp {

namespace {

class AveragePool final : public PoolLayer<AveragePool> {
 public:
  static constexpr ops::Pooling kPooling = ops::Pooling::Average;
  std::string_view name() const override { return "average_pool"; }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    Constant factors = factors_of(graph, node, 1.0F);
    const auto& pool = *graph::as<ops::Pool>(node);
    const int64_t most = pool.uncounted == Pads{} ? 1 : int64_t{pool.kernel.x} * pool.kernel.y;
    N2D2_CHECK(factors.data->elements() == 1 || factors.data->elements() == most,
               "average pool '{}' with {} factors", node.name, factors.data->elements());
    return {std::move(factors)};
  }
  /// The rows can be added up where the window is the whole map, without padding.
  program::Slicing slicing(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& pool = *graph::as<ops::Pool>(node);
    const TensorType& in = graph.value(node.inputs[0]).type;
    const Shape& out = graph.value(node.outputs[0]).type.shape;
    const int64_t taps = in.shape.h() * in.shape.w(), highest = std::numeric_limits<uint8_t>::max();
    const bool fits = size_bytes(in.dtype) == 1 && out.h() * out.w() == 1 && pool.padding == Pads{} &&
                      pool.uncounted == Pads{} && int64_t{pool.kernel.x} * pool.kernel.y == taps &&
                      taps * highest <= std::numeric_limits<int32_t>::max();
    program::Slicing found = PoolLayer::slicing(graph, node);
    if (fits) found.sums_of_rows = "average_pool_sums";
    return found;
  }
};

}  // namespace

void register_average_pool(program::KernelLibrary& library);
void register_average_pool(program::KernelLibrary& library) {
  library.add(std::make_unique<AveragePool>());
}

}  // namespace n2d2::targets::cpp

#endif
