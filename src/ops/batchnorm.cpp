#include "n2d2/ops/batchnorm.hpp"

#include <array>
#include <cmath>

#include "n2d2/graph/turn.hpp"

#include "checks.hpp"
#include "integer_loops.hpp"

namespace n2d2::ops {

namespace {

constexpr std::array<std::string_view, 5> kRoles{"", "scales", "biases", "means", "variances"};

struct Extents {
  int64_t batch, channels, pixels;
  int64_t count() const { return batch * pixels; }
};

Extents extents(const Shape& s) {
  return {s.n(), s.c(), s.h() * s.w()};
}

/// Calls value(i) for every element index of channel c.
template <class Value>
void for_channel(const Extents& e, int64_t c, Value&& value) {
  for (int64_t n = 0; n < e.batch; ++n) {
    const int64_t first = (n * e.channels + c) * e.pixels;
    for (int64_t p = 0; p < e.pixels; ++p) value(first + p);
  }
}

/// Mean and biased variance of each channel, in two passes.
void batch_statistics(const Extents& e, const float* x, float* mean, float* variance) {
  for (int64_t c = 0; c < e.channels; ++c) {
    double sum = 0, squares = 0;
    for_channel(e, c, [&](int64_t i) { sum += x[i]; });
    const double m = sum / static_cast<double>(e.count());
    for_channel(e, c, [&](int64_t i) { squares += (x[i] - m) * (x[i] - m); });
    mean[c] = static_cast<float>(m);
    variance[c] = static_cast<float>(squares / static_cast<double>(e.count()));
  }
}

double inverse_deviation(float variance, double epsilon) {
  return 1.0 / std::sqrt(static_cast<double>(variance) + epsilon);
}

}  // namespace

std::string_view BatchNorm::input_role(size_t slot) const {
  return slot < kRoles.size() ? kRoles[slot] : std::string_view();
}

std::vector<Shape> BatchNorm::infer(std::span<const Shape> in) const {
  expect_inputs(in, 5, 5);
  expect_map(in, 0);
  for (size_t slot = 1; slot < 5; ++slot) {
    if (in[slot].rank() == 1 && in[slot][0] != in[0].c())
      throw ModelError(
          fmt::format("input 0 has {} channels, {} expect {}", in[0].c(), kRoles[slot], in[slot][0]));
    expect_parameter(in, slot, kRoles[slot], {in[0].c()});
  }
  return {in[0]};
}

void BatchNorm::forward(const graph::ForwardArgs& args) const {
  const Extents e = extents(args.in[0]->shape());
  const float* x = args.in[0]->data<float>();
  const float* scales = args.in[1]->data<float>();
  const float* biases = args.in[2]->data<float>();
  Tensor means = *args.in[3], variances = *args.in[4];
  const bool of_batch = args.training && mixes_samples();
  if (of_batch) batch_statistics(e, x, means.data<float>(), variances.data<float>());
  float* y = args.out[0]->data<float>();
  for (int64_t c = 0; c < e.channels; ++c) {
    const double mean = means.data<float>()[c];
    const double factor = scales[c] * inverse_deviation(variances.data<float>()[c], epsilon);
    for_channel(e, c, [&](int64_t i) { y[i] = static_cast<float>((x[i] - mean) * factor + biases[c]); });
  }
  if (!args.saved) return;
  args.saved->clear();
  if (of_batch) {
    args.saved->push_back(std::move(means));
    args.saved->push_back(std::move(variances));
  }
}

bool BatchNorm::backward(const graph::BackwardArgs& args) const {
  const Extents e = extents(args.in[0]->shape());
  const bool of_batch = args.saved && args.saved->size() == 2;
  const float* means = (of_batch ? args.saved->at(0) : *args.in[3]).data<float>();
  const float* variances = (of_batch ? args.saved->at(1) : *args.in[4]).data<float>();
  const float* x = args.in[0]->data<float>();
  const float* scales = args.in[1]->data<float>();
  const float* d_out = args.d_out[0]->data<float>();
  for (int64_t c = 0; c < e.channels; ++c) {
    const double mean = means[c], inverse = inverse_deviation(variances[c], epsilon);
    double sum = 0, sum_x = 0;  // of the gradient, and of the gradient times the normalized input
    for_channel(e, c, [&](int64_t i) {
      sum += d_out[i];
      sum_x += d_out[i] * (x[i] - mean) * inverse;
    });
    if (args.d_in[1]) args.d_in[1]->data<float>()[c] = static_cast<float>(sum_x);
    if (args.d_in[2]) args.d_in[2]->data<float>()[c] = static_cast<float>(sum);
    if (!args.d_in[0]) continue;
    const double count = static_cast<double>(e.count());
    const double offset = of_batch ? sum / count : 0, slope = of_batch ? sum_x / count : 0;
    float* d_x = args.d_in[0]->data<float>();
    for_channel(e, c, [&](int64_t i) {
      const double normalized = (x[i] - mean) * inverse;
      d_x[i] = static_cast<float>(scales[c] * inverse * (d_out[i] - offset - normalized * slope));
    });
  }
  return true;
}

void BatchNorm::absorb(const std::vector<Tensor>& saved, std::span<Tensor* const> in,
                       const Shape& batch) const {
  if (saved.size() != 2) return;
  const Extents e = extents(batch);
  const double count = static_cast<double>(e.count());
  const double unbiased = count > 1 ? count / (count - 1) : 1;
  for (int64_t c = 0; c < e.channels; ++c) {
    float& mean = in[3]->data<float>()[c];
    float& variance = in[4]->data<float>()[c];
    mean = static_cast<float>((1 - momentum) * mean + momentum * saved[0].data<float>()[c]);
    variance =
        static_cast<float>((1 - momentum) * variance + momentum * unbiased * saved[1].data<float>()[c]);
  }
}

graph::IntegerForm BatchNorm::integer_form(std::span<const Shape>) const {
  return not_removed();
}

void BatchNorm::turned(graph::TurnedNode& node) const {
  if (const auto channels = node.keep_channels())
    for (size_t slot = 1; slot < node.constants.size(); ++slot)
      node.changed[slot] = graph::with_columns(node.constant(slot), 1, *channels);
}

void register_batchnorm(graph::OperatorRegistry& registry);
void register_batchnorm(graph::OperatorRegistry& registry) {
  graph::register_operator<BatchNorm>(registry);
}

}  // namespace n2d2::ops
