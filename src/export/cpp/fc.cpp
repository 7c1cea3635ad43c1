#include "n2d2/ops/fc.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

template <class Bound>
FcConfig<Bound> config_of(const NodeView& view, int64_t factor_count) {
  FcConfig<Bound> c;
  set_planes(c, view);
  set_rescale<Bound>(c, view, factor_count);
  c.parallel = view.parallel ? 1 : 0;
  return c;
}

host::Arrays arrays(const HostArgs& args, const std::vector<ExportParameter>& p) {
  return {args.inputs[0], args.output, p[0].data.raw(), p[1].data.raw(), p[2].data.raw()};
}

ExportNode make(const NodeView& view) {
  int64_t factor_count = 0;
  ExportNode node;
  node.parameters.push_back({"weights", *view.input(1).constant, false});
  node.parameters.push_back(biases_of(view, 2, graph::as<ops::Fc>(view.node)->nb_outputs));
  node.parameters.push_back(factors_of(view, 1.0F, factor_count));
  const auto p = share(node);
  const std::vector<Argument> arguments{input_argument(0), output_argument(), parameter_argument(0),
                                        parameter_argument(1), parameter_argument(2)};
  const host::Kernels& kernels = host::kernels();
  if (is_float(view)) {
    const auto c = config_of<float>(view, factor_count);
    node.calls.push_back(
        make_call("fc", "fc.hpp", c, arguments,
                  [c, p, run = kernels.fc_float](const HostArgs& args) { run(c, arrays(args, *p)); }));
  } else {
    const auto c = config_of<int>(view, factor_count);
    const host::Types types = types_of(view);
    node.calls.push_back(make_call(
        "fc", "fc.hpp", c, arguments,
        [c, p, types, run = kernels.fc](const HostArgs& args) { run(c, types, arrays(args, *p)); }));
  }
  return node;
}

}  // namespace

void register_fc(ExportLib& registry);
void register_fc(ExportLib& registry) {
  registry.add(
      "Fc", {"fc", [](const graph::Graph& g, const graph::Node& n) { return check_types(g, n, 1); }, 0,
             [](const graph::Graph&, const graph::Node&) { return contract_of(1, whole_window()); }, make});
}

}  // namespace n2d2::exporter::cpp
