#include "n2d2/ops/elemwise.hpp"

#include "checks.hpp"

namespace n2d2::ops {

namespace {

double coefficient(const std::vector<double>& list, CoeffMode mode, size_t input, int64_t channel,
                   double missing) {
  const size_t index = mode == CoeffMode::PerLayer   ? 0
                       : mode == CoeffMode::PerInput ? input
                                                     : static_cast<size_t>(channel);
  return index < list.size() ? list[index] : missing;
}

void expect_count(std::string_view field, size_t count, size_t most, std::string_view what) {
  if (count > most)
    throw ModelError(fmt::format("{} has {} values, expected at most {} ({})", field, count, most, what));
}

}  // namespace

double ElemWise::weight(size_t input, int64_t channel) const {
  return coefficient(weights, coeff_mode, input, channel, 1);
}

double ElemWise::shift(size_t input, int64_t channel) const {
  return coefficient(shifts, coeff_mode, input, channel, 0);
}

std::vector<Shape> ElemWise::infer(std::span<const Shape> in) const {
  if (operation != ElemWiseOperation::Sum)
    throw ModelError(fmt::format("Operation {} is not supported, expected Sum",
                                 ValueText<ElemWiseOperation>::print(operation)));
  expect_inputs(in, 1, static_cast<size_t>(-1));
  for (size_t i = 0; i < in.size(); ++i) {
    expect_map(in, i);
    if (!(in[i] == in[0]))
      throw ModelError(fmt::format("input {} has shape {}, input 0 has {}", i, in[i].text(), in[0].text()));
  }
  const bool per_layer = coeff_mode == CoeffMode::PerLayer, per_input = coeff_mode == CoeffMode::PerInput;
  const size_t most = per_layer ? 1 : per_input ? in.size() : static_cast<size_t>(in[0].c());
  const std::string_view what = per_layer ? "one a layer" : per_input ? "one an input" : "one a channel";
  expect_count("Weights", weights.size(), most, what);
  expect_count("Shifts", shifts.size(), most, what);
  return {in[0]};
}

void ElemWise::forward(const graph::ForwardArgs& args) const {
  const Shape& shape = args.out[0]->shape();
  const int64_t planes = shape.n() * shape.c(), pixels = shape.h() * shape.w();
  for (int64_t plane = 0; plane < planes; ++plane)
    for (int64_t p = plane * pixels; p < (plane + 1) * pixels; ++p) {
      double sum = 0;
      for (size_t i = 0; i < args.in.size(); ++i) {
        const int64_t c = plane % shape.c();
        sum += weight(i, c) * args.in[i]->data<float>()[p] + shift(i, c);
      }
      args.out[0]->data<float>()[p] = static_cast<float>(sum);
    }
}

bool ElemWise::backward(const graph::BackwardArgs& args) const {
  const Shape& shape = args.d_out[0]->shape();
  const int64_t planes = shape.n() * shape.c(), pixels = shape.h() * shape.w();
  const float* d_y = args.d_out[0]->data<float>();
  for (size_t i = 0; i < args.d_in.size(); ++i) {
    if (!args.d_in[i]) continue;
    float* d_x = args.d_in[i]->data<float>();
    for (int64_t plane = 0; plane < planes; ++plane) {
      const double w = weight(i, plane % shape.c());
      for (int64_t p = plane * pixels; p < (plane + 1) * pixels; ++p) d_x[p] = static_cast<float>(w * d_y[p]);
    }
  }
  return true;
}

void register_elemwise(graph::OperatorRegistry& registry);
void register_elemwise(graph::OperatorRegistry& registry) {
  graph::register_operator<ElemWise>(registry);
}

}  // namespace n2d2::ops
