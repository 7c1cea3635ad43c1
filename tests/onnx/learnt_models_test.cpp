// Linear models and the Normalizer of scikit-learn (ai.onnx.ml), against plain loops.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

/// Sums of three small numbers and a function of them in float.
constexpr float kRounding = 1e-5F;
const std::string kMl = " domain: 'ai.onnx.ml' ";
const std::vector<float> kFeatures{0.5F, -2, 3};

std::string list(const std::string& name, const std::vector<float>& values) {
  std::string text = "attribute { name: '" + name + "' type: FLOATS";
  for (const float value : values) text += " floats: " + std::to_string(value);
  return text + " } ";
}
std::string word(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}
std::string words(const std::string& name, const std::vector<std::string>& values) {
  std::string text = "attribute { name: '" + name + "' type: STRINGS";
  for (const std::string& value : values) text += " strings: '" + value + "'";
  return text + " } ";
}
std::string text_of(const std::string& nodes) {
  return input("x", {0, 3}) + output("y") + nodes;
}
std::vector<float> run(const std::string& nodes) {
  const log::Capture quiet;
  return Net(text_of(nodes), {1, 3, 1, 1}, {}, 15).run(kFeatures);
}
auto near(const std::vector<float>& expected) {
  return Pointwise(FloatNear(kRounding), expected);
}
std::string classifier(const std::string& more) {
  return "node { op_type: 'LinearClassifier' input: 'x' output: 'label' output: 'y' " + kMl + more + " } ";
}
std::string refused(const std::string& nodes) {
  return findings(text_of(nodes), {1, 3, 1, 1}, {}, 15);
}
float logistic(float x) {
  return 1 / (1 + std::exp(-x));
}

const std::vector<float> kTwoRows{1, 2, -1, 0.5F, 0, 4};  // sums of -6.5 and 12.25
const std::vector<float> kOneRow{0.5F, 1, 1};             // a sum of 1.25

TEST(LearntModels, ALinearRegressorIsALayer) {
  EXPECT_THAT(run(node("LinearRegressor", {"x"}, "y", kMl + list("coefficients", kOneRow))), near({1.25F}));
  EXPECT_THAT(
      run(node("LinearRegressor", {"x"}, "y",
               kMl + list("coefficients", kTwoRows) + list("intercepts", {1, -2}) + attribute("targets", 2))),
      near({-5.5F, 10.25F}));
  EXPECT_THAT(run(node("LinearRegressor", {"x"}, "y",
                       kMl + list("coefficients", kOneRow) + word("post_transform", "LOGISTIC"))),
              near({logistic(1.25F)}));
}

TEST(LearntModels, ScoresOfALinearClassifierAreALayerAndItsFunction) {
  const std::string labels = attribute("classlabels_ints", std::vector<int64_t>{3, 7});
  const std::string rows = list("coefficients", kTwoRows) + list("intercepts", {6, -12}) + labels +
                           attribute("multi_class", 1);  // sums of -0.5 and 0.25
  EXPECT_THAT(run(classifier(rows)), near({-0.5F, 0.25F}));
  EXPECT_THAT(run(classifier(rows + word("post_transform", "LOGISTIC"))),
              near({logistic(-0.5F), logistic(0.25F)}));
  EXPECT_THAT(run(classifier(rows + word("post_transform", "SOFTMAX"))),
              near({logistic(-0.75F), logistic(0.75F)}));
  EXPECT_THAT(run(classifier(list("coefficients", kTwoRows) + words("classlabels_strings", {"a", "b"}))),
              near({-6.5F, 12.25F}));
}

/// Coefficients of the second class alone.
TEST(LearntModels, TwoClassesMayHaveOneRow) {
  const std::string row =
      list("coefficients", kOneRow) + list("intercepts", {-1}) + words("classlabels_strings", {"no", "yes"});
  EXPECT_THAT(run(classifier(row + word("post_transform", "LOGISTIC"))),
              near({logistic(-0.25F), logistic(0.25F)}));
  EXPECT_THAT(refused(classifier(row)),
              HasSubstr("node 'label' (ai.onnx.ml.LinearClassifier): one score for two classes is read with "
                        "post_transform LOGISTIC alone"));
}

TEST(LearntModels, ANormalizerDividesRows) {
  const auto normalized = [](const std::string& norm) {
    return run(node("Normalizer", {"x"}, "y", kMl + word("norm", norm)));
  };
  EXPECT_THAT(normalized("MAX"), near({0.5F / 3, -2.0F / 3, 1}));
  EXPECT_THAT(run(node("Normalizer", {"x"}, "y", kMl)), near({0.5F / 3, -2.0F / 3, 1}));
  EXPECT_THAT(normalized("L1"), near({0.5F / 5.5F, -2 / 5.5F, 3 / 5.5F}));
  const float length = std::sqrt(13.25F);
  EXPECT_THAT(normalized("L2"), near({0.5F / length, -2 / length, 3 / length}));
}

TEST(LearntModels, AreRefusedWithWhatIsNotRead) {
  EXPECT_THAT(refused(node("Normalizer", {"x"}, "y", kMl + word("norm", "L3"))),
              HasSubstr("node 'y' (ai.onnx.ml.Normalizer): norm 'L3' is not read, expected MAX, L1 or L2"));
  EXPECT_THAT(refused(node("Normalizer", {"x"}, "y", kMl + attribute("more", 1))),
              HasSubstr("expected one input, and no attributes but those of ai.onnx.ml"));
  EXPECT_THAT(refused(node("LinearRegressor", {"x"}, "y",
                           kMl + list("coefficients", kOneRow) + word("post_transform", "PROBIT"))),
              HasSubstr("post_transform 'PROBIT' is not read, expected NONE, LOGISTIC or SOFTMAX"));
  EXPECT_THAT(refused(node("LinearRegressor", {"x"}, "y",
                           kMl + list("coefficients", kOneRow) + attribute("targets", 2))),
              HasSubstr("3 coefficients and 0 intercepts for 2 results"));
  EXPECT_THAT(refused(node("LinearRegressor", {"x"}, "y", kMl + attribute("coefficients", 1))),
              HasSubstr("attribute 'coefficients' is no list of real numbers"));
  EXPECT_THAT(refused(output("label") +
                      classifier(list("coefficients", kTwoRows) + attribute("classlabels_ints", {3, 5}))),
              HasSubstr("(ArgMax): depends on the network's input, and is only understood on constants\n"
                        "  hint: do this in the program that calls the network: '-outputs "));
}

}  // namespace
}  // namespace n2d2::onnx
