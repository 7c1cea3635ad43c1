#include "n2d2/training/loss.hpp"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/ops/activation.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/softmax.hpp"

namespace n2d2::training {
namespace {

Tensor random_tensor(const Shape& shape, uint64_t seed) {
  Tensor t(shape);
  Rng rng(seed);
  for (float& v : t.span()) v = static_cast<float>(rng.normal());
  return t;
}

/// Probabilities over channels, naive.
Tensor softmax(const Tensor& x) {
  const Shape& s = x.shape();
  const int64_t area = s.h() * s.w();
  Tensor y(s);
  for (int64_t n = 0; n < s.n(); ++n)
    for (int64_t p = 0; p < area; ++p) {
      double sum = 0;
      for (int64_t c = 0; c < s.c(); ++c)
        sum += std::exp(double{x.data<float>()[(n * s.c() + c) * area + p]});
      for (int64_t c = 0; c < s.c(); ++c) {
        const int64_t i = (n * s.c() + c) * area + p;
        y.data<float>()[i] = static_cast<float>(std::exp(double{x.data<float>()[i]}) / sum);
      }
    }
  return y;
}

/// The step and the tolerance of central differences of float32 values near 1.
constexpr float kStep = 1e-2F;
constexpr double kTolerance = 2e-4;

void expect_gradient(const Tensor& x, const Tensor& gradient,
                     const std::function<double(const Tensor&)>& loss) {
  for (int64_t i = 0; i < x.elements(); ++i) {
    Tensor above = x, below = x;
    above.data<float>()[i] += kStep;
    below.data<float>()[i] -= kStep;
    const double slope = (loss(above) - loss(below)) / (2 * double{kStep});
    EXPECT_NEAR(gradient.data<float>()[i], slope, kTolerance) << "element " << i;
  }
}

TEST(Loss, CrossEntropyGradientAtTheInputOfTheSoftmaxIsItsSlope) {
  const Tensor x = random_tensor(Shape{3, 4, 1, 1}, 1);
  const std::vector<int> classes{2, 0, 3};
  expect_gradient(x, cross_entropy(softmax(x), classes, {}).gradient,
                  [&](const Tensor& at) { return cross_entropy(softmax(at), classes, {}).loss; });
}

TEST(Loss, CrossEntropyOfPositionsWeighsEachByTheInverseOfTheirNumber) {
  const Tensor x = random_tensor(Shape{2, 3, 2, 2}, 2);
  const std::vector<int> classes{1, 2};
  const LossResult found = cross_entropy(softmax(x), classes, {});
  expect_gradient(x, found.gradient,
                  [&](const Tensor& at) { return cross_entropy(softmax(at), classes, {}).loss; });
  double expected = 0;
  for (int n = 0; n < 2; ++n)
    for (int p = 0; p < 4; ++p)
      expected -= std::log(softmax(x).data<float>()[(n * 3 + classes[static_cast<size_t>(n)]) * 4 + p]) / 4.0;
  EXPECT_NEAR(found.loss, expected, 1e-6);
}

Tensor logistic(const Tensor& x) {
  Tensor y(x.shape());
  for (int64_t i = 0; i < x.elements(); ++i)
    y.data<float>()[i] = static_cast<float>(1 / (1 + std::exp(-double{x.data<float>()[i]})));
  return y;
}

TEST(Loss, BinaryCrossEntropyGradientAtTheInputOfTheLogisticIsItsSlope) {
  const std::vector<int> classes{2, 0, 1};
  const Tensor x = random_tensor(Shape{3, 3, 2, 1}, 6);
  for (const TargetValues values : {TargetValues{1, 0}, TargetValues{0.9, 0.1}})
    expect_gradient(x, binary_cross_entropy(logistic(x), classes, values).gradient, [&](const Tensor& at) {
      return binary_cross_entropy(logistic(at), classes, values).loss;
    });
  const Tensor one = random_tensor(Shape{2, 1, 1, 1}, 7);
  expect_gradient(one, binary_cross_entropy(logistic(one), std::vector<int>{0, 1}, {}).gradient,
                  [&](const Tensor& at) {
                    return binary_cross_entropy(logistic(at), std::vector<int>{0, 1}, {}).loss;
                  });
}

TEST(Loss, BinaryCrossEntropyIsFiniteWhereAnOutputIsZeroOrOne) {
  const Tensor y = Tensor::from(Shape{1, 2, 1, 1}, {0, 1});
  EXPECT_EQ(binary_cross_entropy(y, std::vector<int>{1}, {}).loss, 0);
  EXPECT_NEAR(binary_cross_entropy(y, std::vector<int>{0}, {}).loss, 2 * 87.3, 0.2);
}

TEST(Loss, SquaredErrorGradientIsItsSlope) {
  const Tensor x = random_tensor(Shape{3, 4, 2, 1}, 3);
  const std::vector<int> classes{2, 0, 3};
  const TargetValues values{0.9, -0.8};
  expect_gradient(x, squared_error(x, classes, values).gradient,
                  [&](const Tensor& at) { return squared_error(at, classes, values).loss; });
}

TEST(Loss, SquaredErrorByHand) {
  const Tensor y = Tensor::from(Shape{1, 2, 1, 1}, {0.5F, 0.25F});
  const std::vector<int> classes{1};
  const LossResult found = squared_error(y, classes, {2, -1});
  EXPECT_FLOAT_EQ(found.gradient.span()[0], 1.5F);
  EXPECT_FLOAT_EQ(found.gradient.span()[1], -1.75F);
  EXPECT_DOUBLE_EQ(found.loss, 0.5 * (1.5 * 1.5 + 1.75 * 1.75));
}

TEST(Loss, CrossEntropyGradientIsOutputMinusWantedForAnyTargetValue) {
  const Tensor y = Tensor::from(Shape{1, 2, 1, 1}, {0.75F, 0.25F});
  const std::vector<int> classes{0};
  const LossResult found = cross_entropy(y, classes, {0.9, 0.1});
  EXPECT_FLOAT_EQ(found.gradient.span()[0], -0.15F);
  EXPECT_FLOAT_EQ(found.gradient.span()[1], 0.15F);
  EXPECT_NEAR(found.loss, -0.9 * std::log(0.75) - 0.1 * std::log(0.25), 1e-12);
}

TEST(Loss, IgnoresSamplesWithoutClass) {
  const Tensor y = random_tensor(Shape{3, 2, 1, 1}, 4);
  const std::vector<int> none{-1, -1, -1}, one{-1, 1, -1};
  EXPECT_EQ(squared_error(y, none, {}).loss, 0);
  EXPECT_TRUE(squared_error(y, none, {}).gradient == Tensor(y.shape()));
  const LossResult found = squared_error(y, one, {});
  EXPECT_EQ(found.gradient.span()[0], 0);
  EXPECT_NE(found.gradient.span()[2], 0);
  EXPECT_EQ(found.gradient.span()[4], 0);
}

TEST(Loss, OneOutputWantsTheTargetValueForClassOne) {
  const Tensor y = Tensor::from(Shape{2, 1, 1, 1}, {0.25F, 0.25F});
  const std::vector<int> classes{0, 1};
  const LossResult found = squared_error(y, classes, {1, 0});
  EXPECT_FLOAT_EQ(found.gradient.span()[0], 0.25F);
  EXPECT_FLOAT_EQ(found.gradient.span()[1], -0.75F);
}

TEST(Loss, IsFiniteForAProbabilityOfZeroAndNotForNotANumber) {
  const std::vector<int> classes{0};
  EXPECT_NEAR(cross_entropy(Tensor::from(Shape{1, 2, 1, 1}, {0, 1}), classes, {}).loss, 87.3, 0.1);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(cross_entropy(Tensor::from(Shape{1, 2, 1, 1}, {1, nan}), classes, {}).loss));
}

TEST(Loss, RefusesAClassThatIsNoOutput) {
  const Tensor y(Shape{1, 3, 1, 1});
  const std::vector<int> beyond{3}, two{0, 1};
  EXPECT_THROW(squared_error(y, beyond, {}), InternalError);
  EXPECT_THROW(squared_error(y, two, {}), InternalError);
}

TEST(Loss, FollowsFromTheLayerTheTargetIsOn) {
  graph::Graph graph;
  const auto data = graph.add_input("data", {Shape{1, 3, 1, 1}, DataType::F32, Layout::Nchw, {}});
  const auto relu = graph.node(graph.add(std::make_unique<ops::Relu>(), "relu", {data})).outputs[0];
  auto with_loss = std::make_unique<ops::Softmax>();
  with_loss->with_loss = true;
  const auto soft = graph.node(graph.add(std::move(with_loss), "soft", {relu})).outputs[0];
  const auto plain = graph.node(graph.add(std::make_unique<ops::Softmax>(), "plain", {relu})).outputs[0];
  EXPECT_EQ(loss_of(graph, soft), Loss::CrossEntropy);
  EXPECT_EQ(loss_of(graph, plain), Loss::SquaredError);
  ops::Nonlinearity logistic;
  const auto alone =
      graph.node(graph.add(std::make_unique<ops::Nonlinearity>(logistic), "alone", {relu})).outputs[0];
  logistic.with_loss = true;
  const auto binary =
      graph.node(graph.add(std::make_unique<ops::Nonlinearity>(logistic), "binary", {relu})).outputs[0];
  EXPECT_EQ(loss_of(graph, alone), Loss::SquaredError);
  EXPECT_EQ(loss_of(graph, binary), Loss::BinaryCrossEntropy);
  EXPECT_EQ(seeded_value(graph, binary, Loss::BinaryCrossEntropy), relu);
  EXPECT_EQ(loss_of(graph, relu), Loss::SquaredError);
  EXPECT_EQ(loss_of(graph, data), Loss::SquaredError);
  EXPECT_EQ(seeded_value(graph, soft, Loss::CrossEntropy), relu);
  EXPECT_EQ(seeded_value(graph, plain, Loss::SquaredError), plain);
  EXPECT_THROW(seeded_value(graph, relu, Loss::CrossEntropy), InternalError);
}

TEST(Loss, PositionsHaveClassesOfTheirOwn) {
  // 2 outputs, 1x4 positions: class 0 twice, class 1 once, one that does not count.
  const Tensor y = Tensor::from(Shape{1, 2, 1, 4}, {0.5F, 1, 0.25F, 9, 0, 0.5F, 1, 9});
  const LossResult found = squared_error(y, std::vector<int>{0, 0, 1, -1}, {1, 0});
  // Class 0: weight 1/2 each; class 1: weight 1.
  const double expected = 0.5 * (0.5 * (0.25 + 0) + 0.5 * (0 + 0.25)) + 0.5 * (0.0625 + 0);
  EXPECT_NEAR(found.loss, expected, 1e-7);
  const std::vector<float> gradient{-0.25F, 0, 0.25F, 0, 0, 0.25F, 0, 0};
  for (size_t i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(found.gradient.span<float>()[i], gradient[i], 1e-7) << i;
}

TEST(Loss, MapsOfOneClassAreAsOneLabel) {
  const Tensor y = Tensor::from(Shape{1, 2, 1, 2}, {0.5F, 1, 0.25F, 0.5F});
  const LossResult map = cross_entropy(y, std::vector<int>{1, 1}, {}),
                   label = cross_entropy(y, std::vector<int>{1}, {});
  EXPECT_EQ(map.loss, label.loss);
  EXPECT_TRUE(map.gradient == label.gradient);
}

TEST(Loss, DataWeighByTheirBins) {
  // Bins of 0.1: 0.01 and 0.02 share one, 0.95 and 3 the last.
  const Tensor wanted = Tensor::from(Shape{1, 1, 1, 5}, {0.01F, 0.02F, 0.95F, 3, -0.5F});
  const Tensor output = Tensor::from(Shape{1, 5, 1, 1}, {1.01F, 0.02F, 0.95F, 2, 0.5F});
  const LossResult found = squared_error_of_data(output, wanted);
  EXPECT_NEAR(found.loss, 0.5 * (0.5 * 1 + 0.5 * 1 + 1), 1e-6);
  const std::vector<float> gradient{0.5F, 0, 0, -0.5F, 1};
  for (size_t i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(found.gradient.span<float>()[i], gradient[i], 1e-6) << i;
  EXPECT_EQ(found.gradient.shape(), output.shape());
}

}  // namespace
}  // namespace n2d2::training
