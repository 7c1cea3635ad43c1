// What do the kernels of a pooling layer share beside their config?
#pragma once

#include "n2d2/ops/pool.hpp"

#include "layer.hpp"
#include "pool_config.hpp"

namespace n2d2::targets::cpp {

template <class Self>
class PoolLayer : public LayerKernel<Self, PoolConfig> {
 public:
  std::string_view header() const override { return "pool.hpp"; }
  std::vector<std::string_view> operators() const override { return {"Pool"}; }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    if (graph::as<ops::Pool>(node)->pooling != Self::kPooling) return "another kind of pooling";
    return Self::kPooling == ops::Pooling::Average ? check_rescaled_types(graph, node, 1)
                                                   : check_types(graph, node, 1);
  }
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    const auto& pool = *graph::as<ops::Pool>(node);
    return contract_of(
        1, rows_window(graph.value(node.inputs[0]).type.shape, graph.value(node.outputs[0]).type.shape,
                       pool.kernel, pool.stride, {1, 1}, pool.padding));
  }
  template <class Bound>
  PoolConfig<Bound> config_of(const Site& site) const {
    const auto& pool = *graph::as<ops::Pool>(site.node());
    PoolConfig<Bound> c;
    set_planes(c, site);
    set_rescale<Bound>(c, site, nullptr);
    const Dims kernel = site.oriented(pool.kernel), stride = site.oriented(pool.stride);
    c.pool_w = kernel.x, c.pool_h = kernel.y;
    c.stride_x = stride.x, c.stride_y = stride.y;
    c.pad_x = site.before_x(pool.padding), c.pad_y = site.before_y(pool.padding);
    c.count_zeros = pool.count_zeros ? 1 : 0;
    c.parallel = site.call.parallel ? 1 : 0;
    return c;
  }
};

}  // namespace n2d2::targets::cpp
