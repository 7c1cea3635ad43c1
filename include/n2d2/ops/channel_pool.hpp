// What is pooling over channels? The maximum or the mean of some channels at each position.
#pragma once

#include "n2d2/ops/pool.hpp"

namespace n2d2::ops {

/// Input N,C,H,W, output N,NbOutputs,H,W: output o is the maximum or the mean of the channels c with
/// Connections[c * NbOutputs + o] = 1, at least one for every output. Behind a Pool of the same kind it is a
/// pool over the union of the windows of these channels.
struct ChannelPool final : graph::OperatorBase<ChannelPool> {
  static constexpr const char* kType = "ChannelPool";
  Pooling pooling = Pooling::Max;
  int nb_outputs = 0;
  /// C x NbOutputs, row-major.
  std::vector<int> connections;

  template <class V>
  static void fields(V&& v) {
    v("Pooling", &ChannelPool::pooling, required, help("what is taken of the channels"));
    v("NbOutputs", &ChannelPool::nb_outputs, required, at_least(1), help("channels of the result"));
    v("Connections", &ChannelPool::connections, required, at_least(0), at_most(1),
      help("table channels x outputs"));
  }
  /// Channels that output o reads, in their order.
  std::vector<int64_t> sources(int64_t output) const;

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  std::vector<Clamp> range(std::span<const Clamp> in, std::span<const Shape> shapes) const override;
  void turned(graph::TurnedNode& node) const override;
};

}  // namespace n2d2::ops
