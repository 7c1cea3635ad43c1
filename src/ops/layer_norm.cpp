#include "n2d2/ops/layer_norm.hpp"

#include <algorithm>
#include <cmath>

#include "n2d2/graph/turn.hpp"

#include "channel_groups.hpp"
#include "checks.hpp"
#include "table.hpp"

namespace n2d2::ops {

namespace {

constexpr int kLargestBits = 24, kReciprocalBits = 61, kRootBits = 60;
constexpr double kMostEpsilon = 0x1p60;

/// Returns the largest integer whose square is at most x, for x below 2^62.
int64_t whole_root(int64_t x) {
  auto root = static_cast<int64_t>(std::sqrt(static_cast<double>(x)));
  while (root * root > x) --root;
  while ((root + 1) * (root + 1) <= x) ++root;
  return root;
}

/// Scales and biases of each channel; none: 1 and 0.
struct Affine {
  std::vector<double> scale, bias;
  explicit Affine(const std::vector<const Tensor*>& constants) {
    const auto scales = constants.at(0)->span<float>();
    scale.assign(scales.begin(), scales.end());
    bias.assign(scale.size(), 0);
    if (constants.size() > 1) std::copy_n(constants[1]->data<float>(), bias.size(), bias.begin());
  }
};

/// The exponent u at which the largest value fits 2^kLargestBits units of 2^-u.
int unit_exponent(const Affine& affine) {
  constexpr int kMost = 40;
  double largest = 0;
  for (size_t c = 0; c < affine.scale.size(); ++c)
    largest =
        std::max(largest, std::sqrt(static_cast<double>(affine.scale.size())) * std::abs(affine.scale[c]) +
                              std::abs(affine.bias[c]));
  if (largest == 0) return 0;
  return std::clamp(kLargestBits - static_cast<int>(std::ceil(std::log2(largest))), -kMost, kMost);
}

Tensor terms_of(const graph::TableArgs& args, double epsilon) {
  const Affine affine(args.constants);
  const auto channels = static_cast<int64_t>(affine.scale.size());
  const double units = static_cast<double>(channels) / step_of(args.in);
  const auto added = static_cast<int64_t>(std::llround(std::min(epsilon * units * units, kMostEpsilon)));
  const int unit = unit_exponent(affine);
  Tensor table(Shape{channels + 2, 2}, DataType::I32);
  int32_t* to = table.data<int32_t>();
  const auto put = [&](int64_t value) { *to++ = static_cast<int32_t>(value); };
  put(added & ((int64_t{1} << LayerNorm::kLowBits) - 1)), put(added >> LayerNorm::kLowBits);
  put(unit), put(0);
  for (size_t c = 0; c < affine.scale.size(); ++c) {
    put(std::llround(std::ldexp(affine.scale[c], unit + LayerNorm::kFactorBits - LayerNorm::kNormBits)));
    put(std::llround(std::ldexp(affine.bias[c], unit)));
  }
  return table;
}

/// Why a table cannot be one of these.
std::string fault_of_terms(const Tensor& table, int64_t channels) {
  if (table.dtype() != DataType::I32 || table.shape() != Shape{channels + 2, 2})
    return fmt::format("of {} {}, expected {} {}", to_string(table.dtype()), table.shape().text(),
                       to_string(DataType::I32), Shape{channels + 2, 2}.text());
  const int32_t* terms = table.data<int32_t>();
  if (terms[0] < 0 || terms[0] >> LayerNorm::kLowBits != 0 || terms[1] < 0 ||
      terms[1] > 1 << LayerNorm::kLowBits)
    return fmt::format("that adds {} and {} 2^{} to variances", terms[0], terms[1], LayerNorm::kLowBits);
  const double root = std::sqrt(static_cast<double>(channels)), most = std::ldexp(1, kLargestBits) + 2;
  for (int64_t c = 1; c <= channels; ++c) {
    const double factor =
        std::ldexp(static_cast<double>(terms[2 * c + 2]), LayerNorm::kNormBits - LayerNorm::kFactorBits);
    if (root * std::abs(factor) + std::abs(static_cast<double>(terms[2 * c + 3])) > most + root)
      return fmt::format("with factor {} and offset {}, which go beyond 2^{}", terms[2 * c + 2],
                         terms[2 * c + 3], kLargestBits);
  }
  return {};
}

}  // namespace

std::vector<Shape> LayerNorm::infer(std::span<const Shape> in) const {
  if (has_table(in)) return {expect_one_map(in.first(1))};
  expect_inputs(in, 2, 3);
  expect_map(in, 0);
  expect_parameter(in, 1, "scales", Shape{in[0].c()});
  if (in.size() > 2) expect_parameter(in, 2, "biases", Shape{in[0].c()});
  return {in[0]};
}

void LayerNorm::forward(const graph::ForwardArgs& args) const {
  const Shape& s = args.in[0]->shape();
  const int64_t pixels = s.h() * s.w(), size = s.c();
  const float* x = args.in[0]->data<float>();
  const float* scale = args.in[1]->data<float>();
  const float* bias = args.in.size() > 2 ? args.in[2]->data<float>() : nullptr;
  float* y = args.out[0]->data<float>();
  const auto count = static_cast<double>(size);
  for_groups(s, size, [&](int64_t first) {
    double sum = 0, squares = 0;
    for (int64_t k = 0; centered && k < size; ++k) sum += static_cast<double>(x[first + k * pixels]);
    const double mean = sum / count;
    for (int64_t k = 0; k < size; ++k) {
      const double off = static_cast<double>(x[first + k * pixels]) - mean;
      squares += off * off;
    }
    const double length = std::sqrt(squares / count + epsilon);
    for (int64_t k = 0; k < size; ++k) {
      const double off = static_cast<double>(x[first + k * pixels]) - mean;
      const double norm = length > 0 ? off / length : 0;
      y[first + k * pixels] = static_cast<float>(norm * static_cast<double>(scale[k]) +
                                                 (bias != nullptr ? static_cast<double>(bias[k]) : 0));
    }
  });
}

graph::IntegerForm LayerNorm::integer_form(std::span<const Shape> in) const {
  const int64_t channels = in[0].c();
  if (channels > kMostChannels)
    return graph::no_integers(fmt::format("over {} channels it has no integer form", channels),
                              fmt::format("up to {} channels it has", kMostChannels));
  graph::IntegerForm form = graph::rescaled_values({1});
  form.taps = 0;  // a zero point of the data is taken off before anything else
  form.starts = form.reads_zeros = true;
  form.table = [epsilon = epsilon](const graph::TableArgs& args) { return terms_of(args, epsilon); };
  form.of_table =
      graph::OfTable{[](const Tensor& table) {
                       const int unit = table.data<int32_t>()[2];
                       return graph::Unit{std::ldexp(1.0, -unit), std::ldexp(1.0, kLargestBits + 1)};
                     },
                     [channels](const Tensor& table) { return fault_of_terms(table, channels); }};
  return form;
}

void LayerNorm::integers(const graph::IntegerArgs& args) const {
  const graph::Integers &in = *args.in[0], &terms = *args.in[kTableSlot];
  const Shape& s = in.shape;
  const int64_t pixels = s.h() * s.w(), size = s.c();
  const int64_t added = terms[0] + (terms[1] << kLowBits);
  for_groups(s, size, [&](int64_t first) {
    int64_t sum = 0, squares = 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t q = in[first + k * pixels] - in.zero;
      sum += centered ? q : 0;
      squares += q * q;
    }
    const int64_t spread = size * squares - sum * sum + added;
    int half = 0;
    while (spread > 0 && spread << (2 * half) < int64_t{1} << kRootBits) ++half;
    const int64_t reciprocal =
        spread > 0 ? (int64_t{1} << kReciprocalBits) / whole_root(spread << (2 * half)) : 0;
    for (int64_t k = 0; k < size; ++k) {
      const int64_t i = first + k * pixels, off = size * (in[i] - in.zero) - sum;
      const int64_t norm = (off * reciprocal) >> (kReciprocalBits - half - kNormBits);
      const int64_t value = ((norm * terms[2 * k + 4]) >> kFactorBits) + terms[2 * k + 5];
      (*args.out[0])[i] = args.rounding.sum(value, k);
    }
  });
}

/// Positions are normalized alike, wherever they are.
void LayerNorm::turned(graph::TurnedNode& node) const {
  if (const auto channels = node.keep_channels())
    for (size_t slot = 1; slot < node.constants.size(); ++slot)
      node.changed[slot] = graph::with_columns(node.constant(slot), 1, *channels);
}

void register_layer_norm(graph::OperatorRegistry& registry);
void register_layer_norm(graph::OperatorRegistry& registry) {
  graph::register_operator<LayerNorm>(registry);
}

}  // namespace n2d2::ops
