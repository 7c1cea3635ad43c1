#include "fc_config.hpp"
#include "host.hpp"

#ifdef N2D2_HOST_VARIANT

#include "../../../../export/CPP/kernels/fc.hpp"

namespace n2d2::targets::cpp::N2D2_HOST_VARIANT {

void fc(const void* config, const Arrays& arrays);
void fc(const void* config, const Arrays& arrays) {
  weighted<FcConfig>(config, arrays, [&](const auto& c, auto*... data) {
    N2D2_EXPORT_NAMESPACE::fc(c, rows_of<N2D2_EXPORT_NAMESPACE::Rows>(arrays), data...);
  });
}

}  // namespace n2d2::targets::cpp::N2D2_HOST_VARIANT

#else

#include "n2d2/ops/fc.hpp"

#include "layer.hpp"
#include "pack_weights.hpp"

namespace n2d2::targets::cpp {

namespace {

class Fc final : public LayerKernel<Fc, FcConfig> {
 public:
  std::string_view name() const override { return "fc"; }
  std::string_view header() const override { return "fc.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Fc"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return check_weighted_types(graph, node);
  }
  std::vector<program::Form> forms() const override {
    return {{"packed", "weights of 16 outputs beside each other", true, true},
            {"dot", "weights in the order of windows, a few outputs at a time"}};
  }
  std::string form_refuses(const graph::Graph& graph, const graph::Node& node,
                           std::string_view form) const override {
    if (form == "dot") return {};
    const std::string unpacked = not_packed(*graph.value(node.inputs.at(1)).constant);
    return unpacked.empty() && !reads_bytes(graph, node) ? "its inputs are no bytes" : unpacked;
  }
  Contract contract(const graph::Graph&, const graph::Node&) const override {
    return contract_of(1, whole_window());
  }
  std::vector<Constant> pack(const graph::Graph& graph, const graph::Node& node) const override {
    const std::shared_ptr<const Tensor> weights = graph.value(node.inputs.at(1)).constant;
    if (!reads_bytes(graph, node))
      return {{"weights", weights, false},
              biases_of(graph, node, 2, graph::as<ops::Fc>(node)->nb_outputs),
              factors_of(graph, node, 1.0F)};
    return {{"weights", weights, false, packed_window(*weights), fewest_bits(*weights, true)},
            biases_of(graph, node, 2, graph::as<ops::Fc>(node)->nb_outputs),
            factors_of(graph, node, 1.0F)};
  }
  program::Slicing slicing(const graph::Graph&, const graph::Node&) const override {
    return {program::Slicing::Made::OfAll, "fc_sums"};
  }
  template <class Bound>
  FcConfig<Bound> config_of(const Site& site) const {
    FcConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, &site.constant(2));
    c.parallel = site.call.parallel ? 1 : 0;
    c.packed = site.constant(0).packed != nullptr ? 1 : 0;
    c.small_factors = has_small_factors(site.constant(2)) ? 1 : 0;
    return c;
  }

 private:
  static bool reads_bytes(const graph::Graph& graph, const graph::Node& node) {
    return size_bytes(graph.value(node.inputs.at(0)).type.dtype) == 1;
  }
};

}  // namespace

void register_fc(program::KernelLibrary& library);
void register_fc(program::KernelLibrary& library) {
  library.add(std::make_unique<Fc>());
}

}  // namespace n2d2::targets::cpp

#endif
