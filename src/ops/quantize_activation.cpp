#include "n2d2/ops/quantize_activation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "held_rounding.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

/// Where the gradient passes to x, and what an element adds to the gradient of the step.
struct Slopes {
  bool passes;
  float of_step;
};

Slopes slopes_at(const QuantizeActivation& op, const QuantizeActivation::Grid& grid, float x) {
  const float v = x / grid.step;
  const bool is_sat = op.method == QuantizeMethod::SAT;
  const bool is_high = is_sat ? x >= grid.clip : v >= grid.highest;
  const bool is_low = is_sat ? x <= 0 : v <= grid.lowest;
  const bool passes = is_sat ? !is_low && x <= grid.clip : !is_low && !is_high;
  if (is_high) return {passes, grid.highest};
  return {passes, is_low ? grid.lowest : std::nearbyint(v) - v};
}

/// The threshold of 1,000 that has the least squared error, on at most 65,536 values; in steps of the grid.
/// Calibration after learning searches thresholds so, on a histogram.
float best_step(std::span<const float> x, double lowest, double highest) {
  constexpr size_t kMost = 65536;
  constexpr int kThresholds = 1000;
  const size_t stride = std::max<size_t>(1, x.size() / kMost);
  double most = 0;
  for (size_t i = 0; i < x.size(); i += stride)
    most = std::max(most, double{x[i]} > 0 ? x[i] / highest : lowest < 0 ? x[i] / lowest : 0);
  double best = 0, least_error = std::numeric_limits<double>::infinity();
  for (int k = kThresholds; k > 0 && most > 0; --k) {
    const double s = most * k / kThresholds;
    double error = 0;
    for (size_t i = 0; i < x.size() && error < least_error; i += stride) {
      const double off = std::clamp(std::nearbyint(x[i] / s), lowest, highest) * s - x[i];
      error += off * off;
    }
    if (error >= least_error) continue;
    best = s;
    least_error = error;
  }
  return static_cast<float>(best);
}

}  // namespace

QuantizeActivation::Grid QuantizeActivation::grid(float learnt) const {
  Grid out;
  out.lowest = static_cast<float>(is_signed ? -(levels + 1) / 2 : 0);
  out.highest = static_cast<float>(is_signed ? (levels - 1) / 2 : levels);
  out.step = learnt;
  out.parts = static_cast<float>(parts);
  if (method == QuantizeMethod::SAT) {
    out.clip = std::abs(learnt);
    out.sign = learnt < 0 ? -1.0F : 1.0F;
    out.step = static_cast<float>(double{out.clip} / levels);
  }
  return out;
}

double QuantizeActivation::gradient_factor(double count) const {
  if (method == QuantizeMethod::SAT) return 1.0 / levels;
  return 1 / std::sqrt(count * grid(1).highest);
}

float QuantizeActivation::first_value(std::span<const float> x) const {
  const Grid on = grid(1);
  double step = 0;
  if (init == StepInit::Calibrated) {
    step = best_step(x, on.lowest, on.highest);
  } else {
    double sum = 0;
    for (const float value : x) sum += std::abs(double{value});
    step = 2 * sum / static_cast<double>(x.size()) / std::sqrt(double{on.highest});
  }
  if (!(step > 0)) step = 1;
  return static_cast<float>(method == QuantizeMethod::SAT ? step * levels : step);
}

std::vector<Shape> QuantizeActivation::infer(std::span<const Shape> in) const {
  expect_inputs(in, 2, 2);
  expect_map(in, 0);
  expect_parameter(in, 1, input_role(1), Shape{1});
  if (is_signed && method == QuantizeMethod::SAT)
    throw ModelError("Signed is 1, expected 0 with Method=SAT: its integers are not negative");
  if (is_signed && (levels % 2 == 0 || levels < 3))
    throw ModelError(fmt::format("Range is {}, expected an odd integer >= 3 with Signed=1", levels));
  return {in[0]};
}

void QuantizeActivation::forward(const graph::ForwardArgs& args) const {
  const std::span<const float> x = args.in[0]->span();
  float* y = args.out[0]->data<float>();
  float learnt = args.in[1]->data<float>()[0];
  if (measures && args.training && learnt == 0) {
    learnt = first_value(x);
    if (args.saved != nullptr) *args.saved = {Tensor::from(Shape{1}, {learnt})};
  }
  const Grid on = grid(learnt);
  for (size_t i = 0; i < x.size(); ++i) {
    float v = std::clamp(x[i] / on.step, on.lowest, on.highest);
    if (on.parts > 1) v = std::nearbyint(v * on.parts) / on.parts;
    y[i] = std::nearbyint(v) * on.step;
  }
}

bool QuantizeActivation::backward(const graph::BackwardArgs& args) const {
  const std::span<const float> x = args.in[0]->span();
  const float* d_y = args.d_out[0]->data<float>();
  const Grid on = grid(args.in[1]->data<float>()[0]);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const Slopes slopes = slopes_at(*this, on, x[i]);
    if (args.d_in[0]) args.d_in[0]->data<float>()[i] = slopes.passes ? d_y[i] : 0.0F;
    sum += double{d_y[i]} * slopes.of_step;
  }
  if (args.d_in[1])
    args.d_in[1]->data<float>()[0] =
        static_cast<float>(sum * gradient_factor(static_cast<double>(x.size())) * on.sign);
  return true;
}

/// The factor of the gradient of an LSQ step is one on how fast the step follows the learnt number.
std::unique_ptr<graph::Operator> QuantizeActivation::surrogate(std::span<const Tensor* const> in) const {
  auto out = std::make_unique<HeldRounding>();
  const float at = in[1]->data<float>()[0];
  const Grid on = grid(at);
  for (const float x : in[0]->span()) {
    const double v = double{x} / on.step;
    const double bound = v >= on.highest ? on.highest : on.lowest;
    const bool is_inside = v > on.lowest && v < on.highest;
    out->is_inside.push_back(is_inside ? 1 : 0);
    out->held.push_back(is_inside ? std::nearbyint(v) - v : bound);
  }
  if (method == QuantizeMethod::SAT) {
    out->step = [r = double(levels)](float alpha) { return std::abs(double{alpha}) / r; };
  } else {
    const double factor = gradient_factor(static_cast<double>(in[0]->elements()));
    out->step = [=](float step) { return at + factor * (double{step} - at); };
  }
  return out;
}

graph::IntegerForm QuantizeActivation::integer_form(std::span<const Shape>) const {
  return graph::no_integers("its step is learnt and was not frozen before quantization",
                            "passes freeze learnt quantizers before an export");
}

std::vector<Clamp> QuantizeActivation::range(std::span<const Clamp>, std::span<const Shape>) const {
  if (is_signed) return {Clamp{}};
  return {Clamp{0, Clamp{}.hi}};
}

void QuantizeActivation::turned(graph::TurnedNode& node) const {
  node.keep_order();
}

std::string_view QuantizeActivation::input_role(size_t slot) const {
  if (slot != 1) return "";
  return method == QuantizeMethod::SAT ? "SAT_Alpha" : "LSQ_StepSize";
}

void QuantizeActivation::absorb(const std::vector<Tensor>& saved, std::span<Tensor* const> in,
                                const Shape&) const {
  if (measures && saved.size() == 1) *in[1] = saved[0];
}

void register_quantize_activation(graph::OperatorRegistry& registry);
void register_quantize_activation(graph::OperatorRegistry& registry) {
  graph::register_operator<QuantizeActivation>(registry);
}

}  // namespace n2d2::ops
