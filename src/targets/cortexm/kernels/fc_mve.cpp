#include "cpp/kernels/fc_config.hpp"
#include "mve_layer.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP_CortexM/kernels/fc_mve.hpp"

namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT {

void fc_mve(const void* config, const cpp::Arrays& arrays);
void fc_mve(const void* config, const cpp::Arrays& arrays) {
  with_byte_arrays(arrays, [&](auto*... data) {
    N2D2_EXPORT_NAMESPACE::fc_mve(*static_cast<const cpp::FcConfig<int>*>(config),
                                  N2D2_EXPORT_NAMESPACE::Rows{arrays.first_row, arrays.rows}, data...,
                                  arrays.scratch);
  });
}

}  // namespace n2d2::targets::cortexm::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/fc.hpp"

namespace n2d2::targets::cortexm {

namespace {

class FcMve final : public cpp::LayerKernel<FcMve, cpp::FcConfig> {
 public:
  std::string_view name() const override { return "fc_mve"; }
  std::string_view header() const override { return "fc_mve.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Fc"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return mve::refuses_integers(graph, node);
  }
  cpp::Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    cpp::Contract out = cpp::contract_of(1, cpp::whole_window());
    out.scratch = mve::scratch_bytes(windows_of(graph, node), 1);
    return out;
  }
  std::vector<cpp::Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    return mve::packed(graph, node, windows_of(graph, node),
                       {{"weights", graph.value(node.inputs.at(1)).constant},
                        cpp::biases_of(graph, node, 2, graph::as<ops::Fc>(node)->nb_outputs),
                        cpp::factors_of(graph, node, 1.0F)});
  }
  template <class Bound>
  cpp::FcConfig<Bound> config_of(const cpp::Site& site) const {
    cpp::FcConfig<Bound> c;
    cpp::set_planes(c, site);
    cpp::set_rescale<Bound>(c, site, &site.constant(2));
    set_packed_rescale(c, site.node());
    return c;
  }

 private:
  static mve::Windows windows_of(const graph::Graph& graph, const graph::Node& node) {
    const Shape& map = graph.value(node.inputs[0]).type.shape;
    return {static_cast<int>(graph::as<ops::Fc>(node)->nb_outputs),
            static_cast<int>(map.h() * map.w() * map.c()), 1};
  }
};

}  // namespace

void register_fc_mve(program::KernelLibrary& library);
void register_fc_mve(program::KernelLibrary& library) {
  library.add(std::make_unique<FcMve>());
}

}  // namespace n2d2::targets::cortexm

#endif
