#include "conv_config.hpp"
#include "host.hpp"

namespace n2d2::targets::cpp {

/// The call, and the layers it computes.
template <class Bound>
struct BottleneckConfig : Planes {
  int slices = 1;
  BorderedConfig<Bound> expand, project;
  DepthwiseConfig<Bound> depthwise;
  template <class V>
  void visit(V&& v) const {
    visit_planes(v), v("slices", slices);
  }
};

}  // namespace n2d2::targets::cpp

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/conv_bottleneck.hpp"
#include "fused_kernel.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

namespace {

template <class In, class Out, class Factor>
void run(const void* config, const Arrays& a) {
  const auto& c = *static_cast<const BottleneckConfig<int>*>(config);
  N2D2_EXPORT_NAMESPACE::conv2d_bottleneck(
      c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(a), static_cast<const In*>(a.in[0]),
      static_cast<Out*>(a.out[0]), static_cast<uint8_t*>(a.scratch), layer_of<Factor>(c.expand, a, 0),
      layer_of<Factor>(c.depthwise, a, 3), layer_of<Factor>(c.project, a, 6));
}

template <class In, class Out>
void run(const void* config, const Arrays& a) {
  a.types.fixed_point ? run<In, Out, int32_t>(config, a) : run<In, Out, float>(config, a);
}

}  // namespace

void conv2d_bottleneck(const void* config, const Arrays& arrays);
void conv2d_bottleneck(const void* config, const Arrays& arrays) {
  const bool to_signed = arrays.types.out == DataType::I8;
  if (arrays.types.in == DataType::U8)
    return to_signed ? run<uint8_t, int8_t>(config, arrays) : run<uint8_t, uint8_t>(config, arrays);
  if (arrays.types.in == DataType::I8)
    return to_signed ? run<int8_t, int8_t>(config, arrays) : run<int8_t, uint8_t>(config, arrays);
  no_kernel(arrays.types);
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "../../../../export/CPP/kernels/slices_scratch.hpp"
#include "conv_layer.hpp"
#include "fused_kernel.hpp"

namespace n2d2::targets::cpp {

namespace {

/// Packed maps of a slice: the rows of a window that come round in a ring, or one row.
program::Plane slice_plane(int width, int height, int slice, int ring) {
  const int64_t row = int64_t{width} * slice;
  return {width, height, slice, slice, row, ring, 0, ring * row};
}

/// Chosen by fuse_bottlenecks alone.
class Conv2dBottleneck final : public FusedKernel<Conv2dBottleneck, BottleneckConfig> {
 public:
  std::string_view name() const override { return "conv2d_bottleneck"; }
  std::string_view header() const override { return "conv_bottleneck.hpp"; }
  Config config(const Program& program, const Call& call) const override {
    const auto c = config_of<int>({program, call});
    return {
        print_config(c), {}, {print_config(c.expand), print_config(c.depthwise), print_config(c.project)}};
  }

  template <class Bound>
  BottleneckConfig<Bound> config_of(const Site& site) const {
    const int slice = site.call.slice;
    const Shape& between = shape_of(site, site.call.layers.at(0).node);
    BottleneckConfig<Bound> c;
    set_planes(c, site);
    c.slices = static_cast<int>(between.c()) / slice;
    c.expand = bordered_config<Bound>({site.program, layer(site.call, 0)});
    static_cast<ConvConfig<Bound>&>(c.depthwise) = conv_config<Bound>({site.program, layer(site.call, 1)});
    c.project = bordered_config<Bound>({site.program, layer(site.call, 2)});
    const int reach = (c.depthwise.kernel_h - 1) * c.depthwise.dilation_y + 1;
    N2D2_CHECK(N2D2_Export::bottleneck_scratch(c.out_w, c.out_c, reach, static_cast<int>(between.w()),
                                               slice) == site.call.contract.scratch,
               "'{}' has scratch for other windows", site.node().name);
    const program::Plane window =
        slice_plane(static_cast<int>(between.w()), static_cast<int>(between.h()), slice, reach);
    const program::Plane row = slice_plane(c.out_w, c.out_h, slice, 1);
    c.expand.set_out(window), c.depthwise.set_in(window);
    c.depthwise.set_out(row), c.project.set_in(row);
    c.expand.bottom_up = c.depthwise.bottom_up = 0;
    c.expand.ordered = c.depthwise.ordered = 1;
    return c;
  }

 private:
  static const Shape& shape_of(const Site& site, graph::NodeId node) {
    const graph::Graph& graph = site.program.graph;
    return graph.value(graph.node(node).outputs.at(0)).type.shape;
  }
};

}  // namespace

void register_conv2d_bottleneck(program::KernelLibrary& library);
void register_conv2d_bottleneck(program::KernelLibrary& library) {
  library.add(std::make_unique<Conv2dBottleneck>());
}

}  // namespace n2d2::targets::cpp

#endif
