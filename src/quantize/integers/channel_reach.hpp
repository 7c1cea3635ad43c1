// Which integers can each channel of a value hold, whatever the network is given?
#pragma once

#include <map>
#include <vector>

#include "n2d2/graph/graph.hpp"

#include "integer_parameters.hpp"
#include "scales/assign_scales.hpp"

namespace n2d2::quantize {

/// All integers from lo to hi; infinite where doubles do not hold them exactly.
struct Interval {
  double lo = 0, hi = 0;
};

/// Interval arithmetic along the schedule, on what is stored: a channel whose weights all round to nothing is
/// 0 for its readers, however large the scale of their weights. Bounds hold for every sample, not only for
/// those of calibration.
class ChannelReach {
 public:
  /// Inputs of the graph have all integers of their type.
  ChannelReach(const graph::Graph& graph, const Scales& scales);

  /// Sums of each output of a Conv or Fc. A tap may lie in the padding, where it adds 0.
  std::vector<Interval> sums(const graph::Node& node, const graph::IntegerForm& form,
                             const IntegerParameters& parameters) const;
  /// Sums that each channel of input 0 has in a node without weights (Addends::Taps); one of all channels
  /// where they mix.
  std::vector<Interval> sums(const graph::Node& node, const graph::IntegerForm& form) const;

  /// Takes note of the output of a node, whose rescale is set. `sums`: what sums() said, empty where nothing
  /// is known.
  void note(const graph::Node& node, const graph::IntegerForm& form, const std::vector<Interval>& sums);

  /// Intervals of a value, one for each channel.
  using Channels = std::vector<Interval>;
  /// Returns the intervals of a value that was noted, or of an input of the graph.
  const Channels& of(graph::ValueId id) const { return values_.at(id); }

 private:
  Channels everything(graph::ValueId id) const;
  Channels read(const graph::Node& node, const graph::IntegerForm& form) const;
  Channels moved(const graph::Node& node, const graph::IntegerForm& form) const;
  Channels joined(const graph::Node& node) const;
  Channels rounded(const graph::Node& node, const graph::IntegerForm& form, const Channels& sums) const;

  const graph::Graph& graph_;
  const Scales& scales_;
  std::map<graph::ValueId, Channels> values_;
};

/// The smallest interval that holds them all.
Interval hull(const std::vector<Interval>& intervals);

/// clamp((x multiplier + h) >> shift, lo, hi), h half of 1 << shift: how a sum of magnitude below 2^62 /
/// |multiplier| is rounded in fixed point.
int64_t rounded(int64_t sum, int32_t multiplier, int shift, int64_t lo, int64_t hi);

}  // namespace n2d2::quantize
