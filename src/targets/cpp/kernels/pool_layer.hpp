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
  /// Not where the factors of a channel depend on the pixel.
  program::Slicing slicing(const graph::Graph&, const graph::Node& node) const override {
    const bool has_one_factor = graph::as<ops::Pool>(node)->uncounted == Pads{};
    return {has_one_factor ? program::Slicing::Made::OfSame : program::Slicing::Made::Never};
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
    c.start = start_of(site.node());
    c.pad_value = pad_value(site.program.graph, site.node());
    if (pool.uncounted == Pads{} || pool.pooling == ops::Pooling::Max) return c;
    const Pads &all = pool.padding, &not_these = pool.uncounted;
    const Pads counted{all.left - not_these.left, all.top - not_these.top, all.right - not_these.right,
                       all.bottom - not_these.bottom};
    const Dims around = site.oriented(Dims{counted.left + counted.right, counted.top + counted.bottom});
    c.by_count = 1;
    c.counted_x = site.before_x(counted), c.counted_y = site.before_y(counted);
    c.counted_w = c.in_w + around.x, c.counted_h = c.in_h + around.y;
    return c;
  }
};

}  // namespace n2d2::targets::cpp
