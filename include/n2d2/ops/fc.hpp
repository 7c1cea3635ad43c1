// What is a fully connected layer?
#pragma once

#include "n2d2/graph/operator.hpp"

namespace n2d2::ops {

/// Inputs: data N,C,H,W; weights O, C*H*W with the input flattened as (channel, y, x); optionally biases O.
/// Output N,O,1,1.
///
/// With Normalize each row of the weights is taken as a vector of length 1 (normalize.hpp); a pass puts such
/// rows in place before an export. DropConnect below 1 keeps each connection of a sample with that
/// probability while learning, and divides what it keeps by it, so that nothing changes afterwards (Wan et
/// al. 2013, scaled as Dropout is).
struct Fc final : graph::OperatorBase<Fc> {
  static constexpr const char* kType = "Fc";
  int nb_outputs = 0;
  bool normalize = false;
  double drop_connect = 1;

  template <class V>
  static void fields(V&& v) {
    v("NbOutputs", &Fc::nb_outputs, required, at_least(1), help("outputs"));
    v("Normalize", &Fc::normalize, in_config, help("weights of each output as a vector of length 1"));
    v("DropConnect", &Fc::drop_connect, in_config, at_least(0.001), at_most(1),
      help("part of the connections that is kept while learning"));
  }

  std::vector<Shape> infer(std::span<const Shape> in) const override;
  void forward(const graph::ForwardArgs& args) const override;
  bool backward(const graph::BackwardArgs& args) const override;
  graph::IntegerForm integer_form(std::span<const Shape> in) const override;
  void integers(const graph::IntegerArgs& args) const override;
  void turned(graph::TurnedNode& node) const override;
  std::string_view input_role(size_t slot) const override;

 private:
  class Weights;
  void weights_gradient(const graph::BackwardArgs& args, Weights& weights) const;
};

}  // namespace n2d2::ops
