#include "n2d2/ops/pool.hpp"

#include "binding.hpp"

namespace n2d2::exporter::cpp {

namespace {

template <class Bound>
PoolConfig<Bound> config_of(const NodeView& view) {
  const auto& pool = *graph::as<ops::Pool>(view.node);
  PoolConfig<Bound> c;
  set_planes(c, view);
  set_rescale<Bound>(c, view, 1);
  c.pool_w = pool.kernel.x, c.pool_h = pool.kernel.y;
  c.stride_x = pool.stride.x, c.stride_y = pool.stride.y;
  c.pad_x = pool.padding.left, c.pad_y = pool.padding.top;
  c.count_zeros = pool.count_zeros ? 1 : 0;
  c.parallel = view.parallel ? 1 : 0;
  return c;
}

ExportNode make_max(const NodeView& view) {
  ExportNode node;
  const std::vector<Argument> arguments{input_argument(0), output_argument()};
  if (is_float(view)) {
    const auto c = config_of<float>(view);
    node.calls.push_back(make_call("max_pool", "pool.hpp", c, arguments,
                                   [c, run = host::kernels().max_pool_float](const HostArgs& args) {
                                     run(c, {args.inputs[0], args.output, nullptr, nullptr, nullptr});
                                   }));
  } else {
    const auto c = config_of<int>(view);
    const host::Types types = types_of(view);
    node.calls.push_back(make_call("max_pool", "pool.hpp", c, arguments,
                                   [c, types, run = host::kernels().max_pool](const HostArgs& args) {
                                     run(c, types, {args.inputs[0], args.output, nullptr, nullptr, nullptr});
                                   }));
  }
  return node;
}

ExportNode make_average(const NodeView& view) {
  int64_t factor_count = 0;
  ExportNode node;
  node.parameters.push_back(factors_of(view, 1.0F, factor_count));
  N2D2_CHECK(factor_count == 1, "average pool '{}' with {} factors", view.node.name, factor_count);
  const auto p = share(node);
  const std::vector<Argument> arguments{input_argument(0), output_argument(), parameter_argument(0)};
  if (is_float(view)) {
    const auto c = config_of<float>(view);
    node.calls.push_back(
        make_call("average_pool", "pool.hpp", c, arguments,
                  [c, p, run = host::kernels().average_pool_float](const HostArgs& args) {
                    run(c, {args.inputs[0], args.output, nullptr, nullptr, (*p)[0].data.raw()});
                  }));
  } else {
    const auto c = config_of<int>(view);
    const host::Types types = types_of(view);
    node.calls.push_back(
        make_call("average_pool", "pool.hpp", c, arguments,
                  [c, p, types, run = host::kernels().average_pool](const HostArgs& args) {
                    run(c, types, {args.inputs[0], args.output, nullptr, nullptr, (*p)[0].data.raw()});
                  }));
  }
  return node;
}

std::string accepts(const graph::Graph& graph, const graph::Node& node, ops::Pooling pooling) {
  if (graph::as<ops::Pool>(node)->pooling != pooling) return "another kind of pooling";
  return check_types(graph, node, 1);
}

Contract contract(const graph::Graph& graph, const graph::Node& node) {
  const auto& pool = *graph::as<ops::Pool>(node);
  return contract_of(
      1, rows_window(graph.value(node.inputs[0]).type.shape, graph.value(node.outputs[0]).type.shape,
                     pool.kernel, pool.stride, {1, 1}, pool.padding));
}

}  // namespace

void register_pool(ExportLib& registry);
void register_pool(ExportLib& registry) {
  registry.add("Pool",
               {"max_pool",
                [](const graph::Graph& g, const graph::Node& n) { return accepts(g, n, ops::Pooling::Max); },
                0, contract, make_max});
  registry.add("Pool", {"average_pool",
                        [](const graph::Graph& g, const graph::Node& n) {
                          return accepts(g, n, ops::Pooling::Average);
                        },
                        0, contract, make_average});
}

}  // namespace n2d2::exporter::cpp
