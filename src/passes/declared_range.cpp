#include "n2d2/passes/declared_range.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/border.hpp"
#include "n2d2/ops/dropout.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/fake_quantize.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/padding.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/scaling.hpp"
#include "n2d2/ops/softmax.hpp"

namespace n2d2::passes {

namespace {

using graph::as;

Clamp unite(const Clamp& a, const Clamp& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

/// Factor times interval; 0 times infinity is 0.
Clamp times(double factor, const Clamp& range) {
  if (factor == 0) return {0, 0};
  const auto a = static_cast<float>(factor * range.lo), b = static_cast<float>(factor * range.hi);
  return {std::min(a, b), std::max(a, b)};
}

Clamp of_pool(const ops::Pool& pool, const Clamp& in) {
  const bool pads = pool.padding != Pads{};
  const bool sees_zeros = pads && (pool.pooling == ops::Pooling::Average || pool.count_zeros);
  return sees_zeros ? unite(in, {0, 0}) : in;
}

/// Mirrored and repeated pixels are those of the map.
Clamp of_border(const ops::Border& border, const Clamp& in) {
  const auto value = static_cast<float>(border.value);
  return border.mode == ops::BorderMode::Constant ? unite(in, {value, value}) : in;
}

Clamp of_relu(const ops::Relu& relu, const Clamp& in) {
  if (const auto clamp = relu.clamp()) return compose(in, *clamp);
  const Clamp leaked = times(relu.leak_slope, {std::min(in.lo, 0.0F), std::min(in.hi, 0.0F)});
  const Clamp kept{std::max(in.lo, 0.0F), std::max(in.hi, 0.0F)};
  Clamp out = unite(leaked, kept);
  if (relu.clipping > 0 && relu.leak_slope >= 0) out.hi = std::min(out.hi, static_cast<float>(relu.clipping));
  return out;
}

Clamp of_sum(const ops::ElemWise& sum, const std::vector<Clamp>& in, int64_t channels) {
  Clamp all;
  for (int64_t c = 0; c < channels; ++c) {
    Clamp total{0, 0};
    for (size_t i = 0; i < in.size(); ++i) {
      const Clamp part = times(sum.weight(i, c), in[i]);
      const auto shift = static_cast<float>(sum.shift(i, c));
      total = {total.lo + part.lo + shift, total.hi + part.hi + shift};
    }
    all = c == 0 ? total : unite(all, total);
  }
  return all;
}

/// `in` are the ranges of the inputs that are no constants.
Clamp of_elemwise(const ops::ElemWise& op, const std::vector<Clamp>& in, int64_t channels) {
  using Operation = ops::ElemWiseOperation;
  if (op.operation == Operation::EuclideanSum) return {0, Clamp{}.hi};
  if (op.constants_from > 0) return {};
  if (op.operation == Operation::Sum) return of_sum(op, in, channels);
  if (op.operation != Operation::Max && op.operation != Operation::Min) return {};
  Clamp all = in[0];
  for (const Clamp& range : in)
    all = op.operation == Operation::Max ? Clamp{std::max(all.lo, range.lo), std::max(all.hi, range.hi)}
                                         : Clamp{std::min(all.lo, range.lo), std::min(all.hi, range.hi)};
  return all;
}

Clamp of_scaling(const ops::Scaling& scaling, const Clamp& in) {
  Clamp all = times(scaling.factor.front(), in);
  for (const double factor : scaling.factor) all = unite(all, times(factor, in));
  return all;
}

/// Rounding reaches the next step outside the interval.
Clamp of_rounding(const ops::FakeQuantize& round, const Clamp& in) {
  Clamp all;
  for (size_t k = 0; k < std::max(round.scale.size(), round.zero_point.size()); ++k) {
    const auto channel = static_cast<int64_t>(k);
    const float step = round.step(channel);
    const ops::FakeQuantize::Steps steps = round.steps(channel);
    const Clamp grid{static_cast<float>(steps.least) * step, static_cast<float>(steps.most) * step};
    const Clamp rounded = compose({std::floor(in.lo / step) * step, std::ceil(in.hi / step) * step}, grid);
    all = k == 0 ? rounded : unite(all, rounded);
  }
  return all;
}

/// A value with a scale lies on its grid.
Clamp on_grid(const Clamp& range, const std::optional<QuantParams>& quant) {
  if (!quant) return range;
  const float step = quant->scale.at(0);
  return compose(range,
                 {static_cast<float>(quant->lowest()) * step, static_cast<float>(quant->highest()) * step});
}

Clamp of_node(const graph::Node& node, const std::vector<Clamp>& in, int64_t channels) {
  if (const auto* pool = as<ops::Pool>(node)) return of_pool(*pool, in[0]);
  if (const auto* relu = as<ops::Relu>(node)) return of_relu(*relu, in[0]);
  if (const auto* saturation = as<ops::Saturation>(node)) return compose(in[0], saturation->clamp());
  if (const auto* function = as<ops::Nonlinearity>(node)) return function->range();
  if (const auto* op = as<ops::ElemWise>(node)) return of_elemwise(*op, in, channels);
  if (const auto* scaling = as<ops::Scaling>(node)) return of_scaling(*scaling, in[0]);
  if (as<ops::Padding>(node)) return unite(in[0], {0, 0});
  if (const auto* border = as<ops::Border>(node)) return of_border(*border, in[0]);
  if (const auto* round = as<ops::FakeQuantize>(node)) return of_rounding(*round, in[0]);
  if (as<ops::Dropout>(node)) return in[0];
  if (as<ops::Softmax>(node)) return {0, 1};
  if (as<ops::LogSoftmax>(node)) return {Clamp{}.lo, 0};
  switch (node.op->quant_rule()) {
    case graph::QuantRule::KeepsScale:
    case graph::QuantRule::SharesScale: {
      Clamp all = in[0];
      for (const Clamp& range : in) all = unite(all, range);
      return all;
    }
    default:
      return {};
  }
}

}  // namespace

Clamp compose(const Clamp& inner, const Clamp& outer) {
  return {std::min(std::max(inner.lo, outer.lo), outer.hi), std::min(std::max(inner.hi, outer.lo), outer.hi)};
}

DeclaredRanges declared_ranges(const graph::Graph& graph, const Clamp& input) {
  DeclaredRanges ranges;
  for (const graph::ValueId id : graph.inputs()) ranges[id] = on_grid(input, graph.value(id).type.quant);
  for (const graph::NodeId id : graph.schedule()) {
    const graph::Node& node = graph.node(id);
    std::vector<Clamp> in;
    for (const graph::ValueId value : node.inputs)
      if (!graph.value(value).is_constant()) in.push_back(ranges.at(value));
    N2D2_CHECK(!in.empty(), "node '{}' reads no data", node.name);
    const graph::ValueId out = node.outputs.at(0);
    Clamp range = of_node(node, in, graph.value(out).type.shape.c());
    if (node.clamp) range = compose(range, *node.clamp);
    for (const graph::ValueId value : node.outputs) ranges[value] = Clamp{};
    ranges[out] = on_grid(range, graph.value(out).type.quant);
  }
  return ranges;
}

}  // namespace n2d2::passes
