#include "operator_testing.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace n2d2::ops::testing {

namespace {

/// Half the distance of the two points of a central difference; less than half the spacing of spread().
constexpr double kStep = 1.0 / 256;
/// Outputs are float: each is off by up to 6e-8 of its size, and the sum of some hundred of them is divided
/// by 2 kStep.
constexpr double kGradientTolerance = 2e-3;

std::vector<const Tensor*> pointers(const std::vector<Tensor>& tensors) {
  std::vector<const Tensor*> out;
  for (const Tensor& tensor : tensors) out.push_back(&tensor);
  return out;
}

Tensor output_for(const graph::Operator& op, const std::vector<Tensor>& in) {
  std::vector<Shape> shapes;
  for (const Tensor& tensor : in) shapes.push_back(tensor.shape());
  return Tensor(op.infer(shapes).at(0));
}

double loss(const graph::Operator& op, const std::vector<Tensor>& in, const Tensor& d_out, bool training) {
  const Tensor y = forward(op, in, training);
  double sum = 0;
  for (int64_t i = 0; i < y.elements(); ++i)
    sum += static_cast<double>(y.data<float>()[i]) * d_out.data<float>()[i];
  return sum;
}

}  // namespace

Tensor spread(const Shape& shape, uint64_t seed) {
  Tensor out(shape);
  Rng rng(seed, "spread");
  const std::vector<int64_t> order = shuffled(out.elements(), rng);
  const double spacing = 4.0 / static_cast<double>(out.elements());
  for (int64_t i = 0; i < out.elements(); ++i)
    out.data<float>()[i] = static_cast<float>((static_cast<double>(order[i]) + 0.5) * spacing - 2);
  return out;
}

Tensor forward(const graph::Operator& op, const std::vector<Tensor>& in, bool training,
               graph::RandomKey key) {
  Tensor y = output_for(op, in);
  Tensor* out = &y;
  std::vector<Tensor> saved;
  op.forward({pointers(in), {&out, 1}, training, key, training ? &saved : nullptr});
  return y;
}

std::vector<Tensor> backward(const graph::Operator& op, const std::vector<Tensor>& in, const Tensor& d_out,
                             bool training, graph::RandomKey key) {
  Tensor y = output_for(op, in);
  Tensor* out = &y;
  const Tensor* result = &y;
  const Tensor* seed = &d_out;
  std::vector<Tensor> saved, gradients;
  const std::vector<const Tensor*> inputs = pointers(in);
  op.forward({inputs, {&out, 1}, training, key, training ? &saved : nullptr});
  for (const Tensor& tensor : in) {
    gradients.emplace_back(tensor.shape());
    gradients.back().fill(1e9F);  // to be overwritten
  }
  std::vector<Tensor*> d_in;
  for (Tensor& tensor : gradients) d_in.push_back(&tensor);
  EXPECT_TRUE(op.backward({inputs, {&result, 1}, {&seed, 1}, d_in, key, training ? &saved : nullptr}));
  return gradients;
}

void expect_gradients(const graph::Operator& op, std::vector<Tensor> in, bool training,
                      const std::vector<size_t>& skip) {
  const Tensor d_out = spread(output_for(op, in).shape(), 99);
  const std::vector<Tensor> gradients = backward(op, in, d_out, training);
  for (size_t slot = 0; slot < in.size(); ++slot) {
    if (std::find(skip.begin(), skip.end(), slot) != skip.end()) continue;
    for (int64_t i = 0; i < in[slot].elements(); ++i) {
      float& x = in[slot].data<float>()[i];
      const float before = x;
      x = static_cast<float>(before + kStep);
      const double high = loss(op, in, d_out, training);
      x = static_cast<float>(before - kStep);
      const double low = loss(op, in, d_out, training);
      x = before;
      const double expected = (high - low) / (2 * kStep);
      ASSERT_NEAR(gradients[slot].data<float>()[i], expected, kGradientTolerance * (1 + std::abs(expected)))
          << op.type() << " input " << slot << " element " << i;
    }
  }
}

void expect_gradients(const graph::Operator& op, const std::vector<Shape>& shapes) {
  std::vector<Tensor> in;
  for (const Shape& shape : shapes) in.push_back(spread(shape, in.size()));
  expect_gradients(op, std::move(in));
}

std::string infer_error(const graph::Operator& op, const std::vector<Shape>& shapes) {
  try {
    op.infer(shapes);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

std::vector<float> values(const Tensor& tensor) {
  return {tensor.span().begin(), tensor.span().end()};
}

}  // namespace n2d2::ops::testing
