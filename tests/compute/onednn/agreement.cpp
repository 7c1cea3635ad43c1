#include "agreement.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace n2d2::compute::testing {

namespace {

void expect_near(const Tensor& actual, const Tensor& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  double largest = 1e-3, difference = 0;
  for (int64_t i = 0; i < expected.elements(); ++i) {
    const double a = actual.data<float>()[i], e = expected.data<float>()[i];
    largest = std::max(largest, std::abs(e));
    difference = std::isfinite(a) ? std::max(difference, std::abs(a - e)) : 1e30;
  }
  EXPECT_LE(difference, tolerance * largest) << what;
}

}  // namespace

void expect_agreement(const Network& network, int64_t samples, double tolerance) {
  const Shape sample = network.graph.value(network.graph.inputs()[0]).type.shape;
  const Tensor x = random_tensor(sample.with_batch(samples), 77);
  for (const bool training : {false, true}) {
    const Pass reference = run(network, {Backend::Reference, training, 1}, x, 3);
    const Pass fast = run(network, {Backend::OneDnn, training, 1}, x, 3);
    expect_near(fast.output, reference.output, tolerance, training ? "output while training" : "output");
    for (size_t i = 0; i < reference.gradients.size(); ++i)
      expect_near(fast.gradients[i], reference.gradients[i], tolerance,
                  "gradient of " + network.graph.value(network.parameters[i]).name);
  }
}

}  // namespace n2d2::compute::testing
