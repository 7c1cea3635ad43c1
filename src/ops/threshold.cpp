#include "n2d2/ops/threshold.hpp"

#include <algorithm>

#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

using Operation = ThresholdOperation;

std::optional<double> Threshold::above() const {
  if (operation == Operation::ToZero) return {};
  if (operation == Operation::Truncate) return threshold;
  return operation == Operation::Binary ? max_value : 0;
}

std::optional<double> Threshold::below() const {
  if (operation == Operation::Truncate || operation == Operation::ToZeroInverted) return {};
  return operation == Operation::BinaryInverted ? max_value : 0;
}

std::vector<Shape> Threshold::infer(std::span<const Shape> in) const {
  return {expect_one_map(has_table(in) ? in.first(1) : in)};
}

void Threshold::forward(const graph::ForwardArgs& args) const {
  const float* x = args.in[0]->data<float>();
  float* y = args.out[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i) y[i] = static_cast<float>(value(x[i]));
}

bool Threshold::backward(const graph::BackwardArgs& args) const {
  if (!args.d_in[0]) return true;
  const bool keeps_above = !above(), keeps_below = !below();
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i)
    d_x[i] = (x[i] > threshold ? keeps_above : keeps_below) ? d_y[i] : 0.0F;
  return true;
}

graph::IntegerForm Threshold::integer_form(std::span<const Shape>) const {
  graph::IntegerForm form;
  form.scale = graph::ScaleOf::Own;
  form.table = [this](const graph::TableArgs& args) {
    return table_of_outputs(args, 1, [this](double x, int64_t) { return value(x); });
  };
  return form;
}

void Threshold::integers(const graph::IntegerArgs& args) const {
  look_up_each(args);
}

std::vector<Clamp> Threshold::range(std::span<const Clamp> in, std::span<const Shape>) const {
  const auto bound = static_cast<float>(threshold);
  const auto side = [](const std::optional<double>& set, const Clamp& kept) {
    return set ? Clamp{static_cast<float>(*set), static_cast<float>(*set)} : kept;
  };
  return {unite(side(below(), {std::min(in[0].lo, bound), std::min(in[0].hi, bound)}),
                side(above(), {std::max(in[0].lo, bound), std::max(in[0].hi, bound)}))};
}

void Threshold::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_threshold(graph::OperatorRegistry& registry);
void register_threshold(graph::OperatorRegistry& registry) {
  graph::register_operator<Threshold>(registry);
}

}  // namespace n2d2::ops
