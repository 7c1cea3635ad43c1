#include "fc_config.hpp"
#include "host.hpp"

namespace n2d2::targets::cpp {

/// The call, and the layers it computes.
template <class Bound>
struct FcChainConfig : Planes {
  int slices = 1;
  bool first_is_fixed_point = false;  // of no kernel: the factors of the first layer are multipliers
  FcConfig<Bound> first, second;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v), v("slices", slices);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/fc_chain.hpp"
#include "fused_kernel.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

namespace {

template <class First, class Second, class In, class Out>
void run(const FcChainConfig<int>& c, const In* in, Out* out, const Arrays& a) {
  N2D2_EXPORT_NAMESPACE::fc_chain(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(a), in, out,
                                  static_cast<uint8_t*>(a.scratch), layer_of<First>(c.first, a, 0),
                                  layer_of<Second>(c.second, a, 3));
}

template <class Second, class In, class Out>
void run(const FcChainConfig<int>& c, const In* in, Out* out, const Arrays& a) {
  c.first_is_fixed_point ? run<int32_t, Second>(c, in, out, a) : run<float, Second>(c, in, out, a);
}

template <class In, class Out>
void run(const void* config, const Arrays& a) {
  const auto& c = *static_cast<const FcChainConfig<int>*>(config);
  const auto* in = static_cast<const In*>(a.in[0]);
  auto* out = static_cast<Out*>(a.out[0]);
  a.types.fixed_point ? run<int32_t>(c, in, out, a) : run<float>(c, in, out, a);
}

template <class In>
void run(const void* config, const Arrays& a) {
  if (is_wide(a.types) && !a.types.fixed_point) no_kernel(a.types);
  switch (a.types.out) {
    case DataType::U8:
      return run<In, uint8_t>(config, a);
    case DataType::I8:
      return run<In, int8_t>(config, a);
    case DataType::I16:
      return run<In, int16_t>(config, a);
    case DataType::I32:
      return run<In, int32_t>(config, a);
    default:
      no_kernel(a.types);
  }
}

}  // namespace

void fc_chain(const void* config, const Arrays& arrays);
void fc_chain(const void* config, const Arrays& arrays) {
  if (arrays.types.in == DataType::U8) return run<uint8_t>(config, arrays);
  if (arrays.types.in == DataType::I8) return run<int8_t>(config, arrays);
  no_kernel(arrays.types);
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "../../../../export/CPP/kernels/slices_scratch.hpp"
#include "fc_layer.hpp"
#include "fused_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Chosen by fuse_fc_chains alone.
class FcChainKernel final : public FusedKernel<FcChainKernel, FcChainConfig> {
 public:
  std::string_view name() const override { return "fc_chain"; }
  std::string_view header() const override { return "fc_chain.hpp"; }
  Config config(const Program& program, const Call& call) const override {
    const auto c = config_of<int>({program, call});
    return {print_config(c), {}, {print_config(c.first), print_config(c.second)}};
  }

  template <class Bound>
  FcChainConfig<Bound> config_of(const Site& site) const {
    const int slice = site.call.slice;
    FcChainConfig<Bound> c;
    set_planes(c, site);
    N2D2_CHECK(N2D2_Export::fc_chain_scratch(c.out_c, slice) == site.call.contract.scratch,
               "'{}' has scratch for other slices", site.node().name);
    const Call of_first = layer(site.call, 0), of_second = layer(site.call, 1);
    c.first = fc_config<Bound>({site.program, of_first});
    c.second = fc_config<Bound>({site.program, of_second});
    c.first_is_fixed_point =
        site.program.constant(of_first.constants, "factors").data->dtype() == DataType::I32;
    const program::Plane between{1, 1, slice, slice, slice, 0, 0, 0};
    c.slices = static_cast<int>(site.program.constant(of_first.constants, "biases").data->elements()) / slice;
    c.first.set_out(between), c.second.set_in(between);
    return c;
  }
};

}  // namespace

void register_fc_chain(program::KernelLibrary& library);
void register_fc_chain(program::KernelLibrary& library) {
  library.add(std::make_unique<FcChainKernel>());
}

}  // namespace n2d2::targets::cpp

#endif
