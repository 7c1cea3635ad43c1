#include "cpp/kernels/fc_config.hpp"
#include "dsp_layer.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/fc_dsp.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void fc_dsp(const void* config, const cpp::Arrays& arrays);
void fc_dsp(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::fc_dsp(*static_cast<const cpp::FcConfig<int>*>(config),
                                  N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                  arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/fc.hpp"

namespace n2d2::targets::cortexm {

namespace dsp {

namespace {

/// The map as the kernel of a window, in the orientation of the call.
dsp::Filters window_filters(const graph::Graph& graph, const graph::Node& node) {
  const Shape& map = graph.value(node.inputs[0]).type.shape;
  const auto h = static_cast<int>(map.h()), w = static_cast<int>(map.w());
  const bool turned = program::is_turned(graph, node);
  return {static_cast<int>(graph::as<ops::Fc>(node)->nb_outputs), turned ? w : h, turned ? h : w,
          static_cast<int>(map.c()), 1};
}

class FcDsp final : public cpp::LayerKernel<FcDsp, cpp::FcConfig> {
 public:
  std::string_view name() const override { return "fc_dsp"; }
  std::string_view header() const override { return "fc_dsp.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Fc"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (const std::string why = refuses_bytes(graph, node, INT32_MIN); !why.empty()) return why;
    return refuses_weights(graph, node, window_filters(graph, node),
                           *graph.value(node.inputs.at(1)).constant);
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    cpp::Contract out = cpp::contract_of(1, cpp::whole_window());
    out.scratch = static_cast<memory::Bytes>(dsp::scratch_bytes(window_filters(graph, node), 1));
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const std::vector<cpp::Constant> plain{
        {"weights", graph.value(node.inputs.at(1)).constant},
        cpp::biases_of(graph, node, 2, graph::as<ops::Fc>(node)->nb_outputs),
        cpp::factors_of(graph, node, 1.0F)};
    return packed_constants(plain, graph, node, window_filters(graph, node), 1);
  }
  template <class Bound>
  cpp::FcConfig<Bound> config_of(const cpp::Site& site) const {
    cpp::FcConfig<Bound> c;
    cpp::set_planes(c, site);
    cpp::set_rescale<Bound>(c, site, &site.constant(2));
    set_packed_rescale(c, site.node());
    return c;
  }
};

}  // namespace

}  // namespace dsp

void register_fc_dsp(program::KernelLibrary& library);
void register_fc_dsp(program::KernelLibrary& library) {
  library.add(std::make_unique<dsp::FcDsp>());
}

}  // namespace n2d2::targets::cortexm

#endif
