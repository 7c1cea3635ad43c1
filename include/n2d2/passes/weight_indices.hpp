// Which weights of a Conv or Fc read a channel?
#pragma once

#include "n2d2/graph/graph.hpp"
#include "n2d2/ops/conv.hpp"

namespace n2d2::passes {

/// Whether the node is a Conv or an Fc: integers have weights (IntegerForm::weighted). Its inputs are data,
/// weights and perhaps biases.
bool has_weights(const graph::Graph& graph, const graph::Node& node);

/// Where the weights of a Conv (O,C/groups,KH,KW) or of an Fc (O, C H W of the map it flattens) lie in their
/// tensor.
class WeightIndices {
 public:
  /// `channels` are those of the map that it reads, before anything flattens it. InternalError for other
  /// layers. Not to be kept when the graph changes.
  WeightIndices(const graph::Graph& graph, const graph::Node& node, int64_t channels);

  int64_t outputs() const { return outputs_; }
  int64_t groups() const { return groups_; }
  /// Weights of one output, and those of them that read one channel.
  int64_t row() const { return row_; }
  int64_t taps() const { return row_ / (channels_ / groups_); }
  /// Calls body(output, index) for each weight that reads input channel c.
  template <class Body>
  void for_channel(int64_t c, const Body& body) const {
    const int64_t in_of_group = channels_ / groups_, out_of_group = outputs_ / groups_;
    const int64_t taps = row_ / in_of_group, group = c / in_of_group;
    for (int64_t o = group * out_of_group; o < (group + 1) * out_of_group; ++o) {
      if (conv_ && !conv_->is_connected(c, o)) continue;
      const int64_t first = o * row_ + (c - group * in_of_group) * taps;
      for (int64_t t = 0; t < taps; ++t) body(o, static_cast<size_t>(first + t));
    }
  }
  /// Calls body(channel, first) for each input channel that an output reads: those are taps() weights from
  /// `first` on.
  template <class Body>
  void for_output(int64_t o, const Body& body) const {
    const int64_t in_of_group = channels_ / groups_, out_of_group = outputs_ / groups_;
    const int64_t begin = o / out_of_group * in_of_group;
    for (int64_t c = begin; c < begin + in_of_group; ++c)
      if (!conv_ || conv_->is_connected(c, o)) body(c, static_cast<size_t>(o * row_ + (c - begin) * taps()));
  }

 private:
  const ops::Conv* conv_;
  int64_t outputs_, channels_, groups_, row_;  // row_: weights of one output
};

}  // namespace n2d2::passes
