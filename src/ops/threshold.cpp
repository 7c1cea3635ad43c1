#include "n2d2/ops/threshold.hpp"

#include <algorithm>

#include "n2d2/graph/turn.hpp"
#include "n2d2/tensor/interval.hpp"

#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

/// What becomes of the values above the threshold, or of the others.
enum class Becomes { Itself, Zero, Maximum, Bound };

struct Sides {
  Becomes below, above;
};

Sides sides_of(ThresholdOperation operation) {
  switch (operation) {
    case ThresholdOperation::Binary:
      return {Becomes::Zero, Becomes::Maximum};
    case ThresholdOperation::BinaryInverted:
      return {Becomes::Maximum, Becomes::Zero};
    case ThresholdOperation::Truncate:
      return {Becomes::Itself, Becomes::Bound};
    case ThresholdOperation::ToZero:
      return {Becomes::Zero, Becomes::Itself};
    case ThresholdOperation::ToZeroInverted:
      return {Becomes::Itself, Becomes::Zero};
  }
  throw InternalError("operation of a Threshold", __FILE__, __LINE__);
}

double made_of(const Threshold& op, Becomes becomes, double x) {
  switch (becomes) {
    case Becomes::Itself:
      return x;
    case Becomes::Zero:
      return 0;
    case Becomes::Maximum:
      return op.max_value;
    case Becomes::Bound:
      return op.threshold;
  }
  throw InternalError("side of a Threshold", __FILE__, __LINE__);
}

}  // namespace

double Threshold::value(double x) const {
  const Sides sides = sides_of(operation);
  return made_of(*this, x > threshold ? sides.above : sides.below, x);
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
  const Sides sides = sides_of(operation);
  const float* x = args.in[0]->data<float>();
  const float* d_y = args.d_out[0]->data<float>();
  float* d_x = args.d_in[0]->data<float>();
  for (int64_t i = 0; i < args.in[0]->elements(); ++i)
    d_x[i] = (x[i] > threshold ? sides.above : sides.below) == Becomes::Itself ? d_y[i] : 0.0F;
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
  const auto bound = static_cast<float>(threshold), most = static_cast<float>(max_value);
  const auto side = [&](Becomes becomes, const Clamp& itself) -> Clamp {
    if (becomes == Becomes::Itself) return itself;
    if (becomes == Becomes::Zero) return {0, 0};
    return becomes == Becomes::Maximum ? Clamp{most, most} : Clamp{bound, bound};
  };
  const Sides sides = sides_of(operation);
  return {unite(side(sides.below, {std::min(in[0].lo, bound), std::min(in[0].hi, bound)}),
                side(sides.above, {std::max(in[0].lo, bound), std::max(in[0].hi, bound)}))};
}

void Threshold::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

void register_threshold(graph::OperatorRegistry& registry);
void register_threshold(graph::OperatorRegistry& registry) {
  graph::register_operator<Threshold>(registry);
}

}  // namespace n2d2::ops
