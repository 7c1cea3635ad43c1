#include "channel_reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace n2d2::quantize {

namespace {

using graph::ScaleOf;

/// Above it not every integer is a double.
const double kExact = std::ldexp(1, 53);

/// Sums of intervals of integers; once one is not exact, it is without bounds.
Interval bounded(Interval x) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return -kExact < x.lo && x.hi < kExact ? x : Interval{-kInf, kInf};
}

Interval united(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

double magnitude(const Interval& x) {
  return std::max(-x.lo, x.hi);
}

template <class W, class B>
std::vector<Interval> weighted_sums(const Tensor& weights, const Tensor& biases,
                                    const graph::IntegerForm& form, const std::vector<Interval>& in) {
  const int64_t outputs = weights.shape()[0], row = weights.elements() / outputs, inputs = row / form.taps;
  const int64_t outputs_of_group = outputs / form.groups;
  const auto* w = weights.data<W>();
  std::vector<Interval> out;
  for (int64_t o = 0; o < outputs; ++o) {
    Interval sum;
    for (int64_t i = 0; i < row; ++i) {
      const Interval& x = in.at(static_cast<size_t>(o / outputs_of_group * inputs + i / form.taps));
      const auto weight = static_cast<double>(*w++);
      sum.lo += std::min({0.0, weight * x.lo, weight * x.hi});
      sum.hi += std::max({0.0, weight * x.lo, weight * x.hi});
    }
    Interval bias{static_cast<double>(biases.data<B>()[o]), static_cast<double>(biases.data<B>()[o])};
    for (int64_t kind = o; kind < biases.elements(); kind += outputs) {
      const auto b = static_cast<double>(biases.data<B>()[kind]);
      bias = united(bias, {b, b});
    }
    out.push_back(bounded({sum.lo + bias.lo, sum.hi + bias.hi}));
  }
  return out;
}

}  // namespace

Interval hull(const std::vector<Interval>& intervals) {
  Interval all = intervals.at(0);
  for (const Interval& x : intervals) all = united(all, x);
  return all;
}

int64_t rounded(int64_t sum, int32_t multiplier, int shift, int64_t lo, int64_t hi) {
  const int64_t half = shift > 0 ? int64_t{1} << (shift - 1) : 0;
  return std::clamp((sum * multiplier + half) >> shift, lo, hi);
}

ChannelReach::ChannelReach(const graph::Graph& graph, const Scales& scales) : graph_(graph), scales_(scales) {
  for (const graph::ValueId id : graph.inputs()) values_[id] = everything(id);
}

ChannelReach::Channels ChannelReach::everything(graph::ValueId id) const {
  const QuantParams quant = scales_.at(id).quant_params();
  return Channels(static_cast<size_t>(graph_.value(id).type.shape.c()),
                  {static_cast<double>(quant.lowest()), static_cast<double>(quant.highest())});
}

/// What taps see of input 0, those outside it among them.
ChannelReach::Channels ChannelReach::read(const graph::Node& node, const graph::IntegerForm& form) const {
  Channels in = values_.at(node.inputs.at(0));
  const double zero = form.reads_zeros ? scales_.at(node.inputs[0]).zero_point : 0;
  if (zero != 0)
    for (Interval& x : in) x = united(x, {zero, zero});
  return in;
}

std::vector<Interval> ChannelReach::sums(const graph::Node& node, const graph::IntegerForm& form,
                                         const IntegerParameters& parameters) const {
  const Channels in = read(node, form);
  const Tensor &weights = parameters.weights, &biases = parameters.biases;
  if (weights.dtype() != DataType::I8) return weighted_sums<int16_t, int64_t>(weights, biases, form, in);
  return biases.dtype() == DataType::I32 ? weighted_sums<int8_t, int32_t>(weights, biases, form, in)
                                         : weighted_sums<int8_t, int64_t>(weights, biases, form, in);
}

std::vector<Interval> ChannelReach::sums(const graph::Node& node, const graph::IntegerForm& form) const {
  std::vector<Interval> out;
  for (const Interval& x : read(node, form)) {
    // In proportion: what is 0 stays 0.
    const bool is_zero = form.by_channel && magnitude(x) == 0;
    const double all = form.unit ? form.unit->largest : static_cast<double>(form.taps) * magnitude(x);
    out.push_back(is_zero ? Interval{} : bounded({-all, all}));
  }
  return form.by_channel ? out : std::vector<Interval>{hull(out)};
}

void ChannelReach::note(const graph::Node& node, const graph::IntegerForm& form,
                        const std::vector<Interval>& sums) {
  Channels& out = values_[node.outputs.at(0)];
  if (form.scale == ScaleOf::OfInput)
    out = moved(node, form);
  else if (form.scale == ScaleOf::Shared)
    out = joined(node);
  else
    out = rounded(node, form, sums);
}

/// Zeros, or an integer of a table, may stand between what is moved.
ChannelReach::Channels ChannelReach::moved(const graph::Node& node, const graph::IntegerForm& form) const {
  if (form.table) return everything(node.outputs.at(0));
  const auto channels = static_cast<size_t>(graph_.value(node.outputs.at(0)).type.shape.c());
  Channels out = values_.at(node.inputs.at(0));
  for (Interval& x : out) x = united(x, {});
  if (form.by_channel && out.size() == channels) return out;
  return Channels(channels, hull(out));
}

ChannelReach::Channels ChannelReach::joined(const graph::Node& node) const {
  Channels out;
  for (const graph::ValueId branch : node.inputs)
    out.insert(out.end(), values_.at(branch).begin(), values_.at(branch).end());
  const auto channels = static_cast<size_t>(graph_.value(node.outputs.at(0)).type.shape.c());
  return out.size() == channels ? out : Channels(channels, hull(out));
}

ChannelReach::Channels ChannelReach::rounded(const graph::Node& node, const graph::IntegerForm& form,
                                             const Channels& sums) const {
  Channels out = everything(node.outputs.at(0));
  if (sums.empty() || !node.rescale || node.rescale->multiplier.empty()) return out;
  const Rescale& r = *node.rescale;
  const auto ends = [&](const Interval& sum, int32_t multiplier) {
    const auto at = [&](double x) {
      return static_cast<double>(quantize::rounded(static_cast<int64_t>(x), multiplier, r.shift, r.lo, r.hi));
    };
    return std::isfinite(sum.lo) ? hull({{at(sum.lo), at(sum.lo)}, {at(sum.hi), at(sum.hi)}})
                                 : Interval{static_cast<double>(r.lo), static_cast<double>(r.hi)};
  };
  for (size_t c = 0; c < out.size(); ++c) {
    const Interval& sum = sums.size() == 1 ? sums[0] : sums.at(c);
    std::vector<Interval> all;
    if (form.weighted)
      all.push_back(ends(sum, r.multiplier.at(c)));
    else  // which of the factors a pixel takes is the operator's
      for (const int32_t multiplier : r.multiplier) all.push_back(ends(sum, multiplier));
    out[c] = hull(all);
  }
  return out;
}

}  // namespace n2d2::quantize
