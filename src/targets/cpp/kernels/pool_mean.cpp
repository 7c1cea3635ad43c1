#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct PoolMeanConfig : Planes, RescaleFields<Bound> {
  template <class V>
  void visit(V&& v) const {
    this->visit_planes(v), this->visit_rescale(v);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/pool_rows.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void pool_mean(const void* config, const Arrays& arrays);
void pool_mean(const void* config, const Arrays& arrays) {
  const auto run = [&](auto* out, const auto* factors) {
    N2D2_EXPORT_NAMESPACE::pool_mean(*static_cast<const PoolMeanConfig<int>*>(config),
                                     rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays),
                                     static_cast<const int32_t*>(arrays.in[0]), out, factors);
  };
  const auto narrow = [&](auto* out) {
    with_factors(arrays, 0, [&](const auto* factors) { run(out, factors); });
  };
  const auto* multipliers = static_cast<const int32_t*>(arrays.constants[0]);
  switch (arrays.types.out) {
    case DataType::U8:
      return narrow(static_cast<uint8_t*>(arrays.out[0]));
    case DataType::I8:
      return narrow(static_cast<int8_t*>(arrays.out[0]));
    case DataType::I16:
      return run(static_cast<int16_t*>(arrays.out[0]), multipliers);
    case DataType::I32:
      return run(static_cast<int32_t*>(arrays.out[0]), multipliers);
    default:
      no_kernel(arrays.types);
  }
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Chosen by split_pools alone: what the sums of a whole map become.
class PoolMean final : public LayerKernel<PoolMean, PoolMeanConfig> {
 public:
  std::string_view name() const override { return "pool_mean"; }
  std::string_view header() const override { return "pool_rows.hpp"; }
  std::vector<std::string_view> operators() const override { return {}; }
  std::string refuses(const graph::Graph&, const graph::Node&) const override {
    return "an average pool is split in pool_sums and it, no layer is it";
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    throw InternalError(fmt::format("'{}' is no split pool", node.name), __FILE__, __LINE__);
  }
  template <class Bound>
  PoolMeanConfig<Bound> config_of(const Site& site) const {
    PoolMeanConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    return c;
  }
};

}  // namespace

void register_pool_mean(program::KernelLibrary& library);
void register_pool_mean(program::KernelLibrary& library) {
  library.add(std::make_unique<PoolMean>());
}

}  // namespace n2d2::targets::cpp

#endif
