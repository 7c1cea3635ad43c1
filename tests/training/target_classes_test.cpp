#include <gtest/gtest.h>

#include "n2d2/ops/target_bias.hpp"

#include "training/small_nets.hpp"

namespace n2d2::training {
namespace {

/// Two classes; `bias` is added to the score of the right one while learning.
SmallNet margin_net(float bias) {
  SmallNet net(Shape{1, 2, 1, 1});
  net.fc("fc", 2);
  auto op = std::make_unique<ops::TargetBias>();
  op->bias = bias;
  net.add(std::move(op), "bias", {net.constant("classes", Shape{4}, -1, false)});
  net.softmax();
  return net;
}

double first_loss(float bias, compute::Backend backend) {
  SmallNet net = margin_net(bias);
  TrainerOptions options = reference_options(4);
  options.backend = backend;
  Trainer trainer(net.graph, net.solvers("SGD", {}), net.targets(), options);
  const Tensor batch = Tensor::from(Shape{4, 2, 1, 1}, {1, 2, -1, 0.5F, 0, 3, -2, 1});
  return trainer.step(batch, std::vector<int>{0, 1, 1, 0}, 0);
}

TEST(TargetClasses, AMarginMakesTheRightClassHarderToReach) {
  for (const auto backend : {compute::Backend::Reference, compute::Backend::OneDnn}) {
    const double plain = first_loss(0, backend);
    EXPECT_GT(first_loss(-1, backend), plain + 0.1);
    EXPECT_LT(first_loss(1, backend), plain - 0.1);
  }
}

}  // namespace
}  // namespace n2d2::training
