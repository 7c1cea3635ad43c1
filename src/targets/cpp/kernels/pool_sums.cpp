#include "host.hpp"

namespace n2d2::targets::cpp {

template <class Bound>
struct PoolSumsConfig : Planes {
  template <class V>
  void visit(V&& v) const {
    visit_planes(v);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/pool_rows.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void pool_sums(const void* config, const Arrays& arrays);
void pool_sums(const void* config, const Arrays& arrays) {
  const auto run = [&](const auto* in) {
    N2D2_EXPORT_NAMESPACE::pool_sums(*static_cast<const PoolSumsConfig<int>*>(config),
                                     rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), in,
                                     static_cast<int32_t*>(arrays.out[0]));
  };
  if (arrays.types.in == DataType::U8) return run(static_cast<const uint8_t*>(arrays.in[0]));
  if (arrays.types.in == DataType::I8) return run(static_cast<const int8_t*>(arrays.in[0]));
  no_kernel(arrays.types);
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "layer.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Chosen by split_pools alone: the running sums of an average pool.
class PoolSums final : public LayerKernel<PoolSums, PoolSumsConfig> {
 public:
  std::string_view name() const override { return "pool_sums"; }
  std::string_view header() const override { return "pool_rows.hpp"; }
  std::vector<std::string_view> operators() const override { return {}; }
  std::string refuses(const graph::Graph&, const graph::Node&) const override {
    return "an average pool is split in it and pool_mean, no layer is it";
  }
  Contract contract(const graph::Graph&, const graph::Node& node) const override {
    throw InternalError(fmt::format("'{}' is no split pool", node.name), __FILE__, __LINE__);
  }
  template <class Bound>
  PoolSumsConfig<Bound> config_of(const Site& site) const {
    PoolSumsConfig<Bound> c;
    set_planes(c, site);
    return c;
  }
};

}  // namespace

void register_pool_sums(program::KernelLibrary& library);
void register_pool_sums(program::KernelLibrary& library) {
  library.add(std::make_unique<PoolSums>());
}

}  // namespace n2d2::targets::cpp

#endif
