#include "n2d2/ops/scaling.hpp"

#include "n2d2/ops/activation.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

/// Scaling of a float network: the operator's own factors; else those of the rescaling.
ExportParameter factors(const NodeView& view, int64_t& count) {
  const auto* op = graph::as<ops::Scaling>(view.node);
  if (!is_float(view) || op == nullptr) return factors_of(view, 1.0F, count);
  Tensor data(Shape{static_cast<int64_t>(op->factor.size())});
  std::copy(op->factor.begin(), op->factor.end(), data.data<float>());
  count = data.elements();
  return {"factors", std::move(data), true};
}

template <class Bound>
ScalingConfig<Bound> config_of(const NodeView& view, int64_t factor_count) {
  ScalingConfig<Bound> c;
  set_planes(c, view);
  set_rescale<Bound>(c, view, factor_count);
  if constexpr (std::is_same_v<Bound, float>) {
    Clamp clamp;
    if (const auto* relu = graph::as<ops::Relu>(view.node)) clamp = *relu->clamp();
    if (const auto* saturation = graph::as<ops::Saturation>(view.node)) clamp = saturation->clamp();
    c.lo = std::max(c.lo, clamp.lo), c.hi = std::min(c.hi, clamp.hi);
  }
  return c;
}

ExportNode make(const NodeView& view) {
  int64_t factor_count = 0;
  ExportNode node;
  node.parameters.push_back(factors(view, factor_count));
  const auto p = share(node);
  const std::vector<Argument> arguments{input_argument(0), output_argument(), parameter_argument(0)};
  if (is_float(view)) {
    const auto c = config_of<float>(view, factor_count);
    node.calls.push_back(
        make_call("scaling", "scaling.hpp", c, arguments,
                  [c, p, run = host::kernels().scaling_float](const HostArgs& args) {
                    run(c, {args.inputs[0], args.output, nullptr, nullptr, (*p)[0].data.raw()});
                  }));
  } else {
    const auto c = config_of<int>(view, factor_count);
    const host::Types types = types_of(view);
    node.calls.push_back(
        make_call("scaling", "scaling.hpp", c, arguments,
                  [c, p, types, run = host::kernels().scaling](const HostArgs& args) {
                    run(c, types, {args.inputs[0], args.output, nullptr, nullptr, (*p)[0].data.raw()});
                  }));
  }
  return node;
}

std::string accepts_activation(const graph::Graph& graph, const graph::Node& node) {
  if (const auto* relu = graph::as<ops::Relu>(node); relu != nullptr && !relu->clamp())
    return "LeakSlope other than 0 has no kernel";
  return check_types(graph, node, 1);
}

}  // namespace

void register_scaling(ExportLib& registry);
void register_scaling(ExportLib& registry) {
  const auto contract = [](const graph::Graph&, const graph::Node&) {
    return contract_of(1, element_window());
  };
  registry.add("Scaling",
               {"scaling", [](const graph::Graph& g, const graph::Node& n) { return check_types(g, n, 1); },
                0, contract, make});
  registry.add("Relu", {"scaling", accepts_activation, 0, contract, make});
  registry.add("Saturation", {"scaling", accepts_activation, 0, contract, make});
}

}  // namespace n2d2::exporter::cpp
