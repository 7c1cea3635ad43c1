// Do learnt quantizers become scales and integers without another number?
#include "n2d2/loader/freeze.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/fake_quantize.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An Fc of two outputs with these lines, which the target is on.
std::string fc(const std::string& lines) {
  return kInput + "[fc]\nInput=sp\nType=Fc\nNbOutputs=10\n" + lines + "[fc.Target]\n";
}

struct Frozen {
  Network net;
  graph::Graph graph;
  std::string warnings;

  explicit Frozen(const std::string& text) : net(network_of(text)) {
    fill(net);
    graph = net.graph;
    log::Capture capture;
    freeze(net, net.graph, graph);
    warnings = capture.text(log::Level::Warning);
  }
  const graph::Value& weights() const { return graph.value(*graph.find_value("fc_weights")); }
};

/// Every weight is a whole number of steps, between these.
void expect_integers(const graph::Value& weights, double lowest, double highest) {
  ASSERT_TRUE(weights.type.quant.has_value());
  const auto step = static_cast<double>(weights.type.quant->scale.at(0));
  for (const float w : weights.constant->span<float>()) {
    const double q = static_cast<double>(w) / step;
    EXPECT_NEAR(q, std::round(q), 1e-4);
    EXPECT_GE(std::round(q), lowest);
    EXPECT_LE(std::round(q), highest);
  }
}

TEST(Freeze, WeightsAreIntegersOfTheFewestBitsThatHoldThem) {
  const std::string sat = "QWeight=SAT\nQWeight.Range=15\nQWeight.QuantMode=";
  const Frozen symmetric(fc(sat + "Symmetric\n"));
  EXPECT_EQ(symmetric.weights().type.quant->bits, 4);
  EXPECT_FLOAT_EQ(symmetric.weights().type.quant->scale.at(0), 1.0F / 7);
  expect_integers(symmetric.weights(), -7, 7);
  const Frozen asymmetric(fc(sat + "Asymmetric\n"));
  EXPECT_EQ(asymmetric.weights().type.quant->bits, 4);
  expect_integers(asymmetric.weights(), -8, 7);
  const Frozen codebook(fc(sat + "Default\n"));
  EXPECT_EQ(codebook.weights().type.quant->bits, 5);
  EXPECT_FLOAT_EQ(codebook.weights().type.quant->scale.at(0), 1.0F / 15);
  expect_integers(codebook.weights(), -15, 15);
  const Frozen binary(fc("QWeight=SAT\nQWeight.Range=1\n"));
  EXPECT_EQ(binary.weights().type.quant->bits, 2);
  expect_integers(binary.weights(), -1, 1);
}

TEST(Freeze, LearntStepsMayBeOnesOfOutputs) {
  const Frozen lsq(fc("QWeight=LSQ\nQWeight.Range=7\nQWeight.PerChannel=1\n"));
  ASSERT_TRUE(lsq.weights().type.quant.has_value());
  EXPECT_EQ(lsq.weights().type.quant->bits, 3);
  EXPECT_EQ(lsq.weights().type.quant->axis, 0);
  EXPECT_EQ(lsq.weights().type.quant->scale.size(), 10U);
}

TEST(Freeze, MoreThanEightBitsAreSaidWithTheShareThatChanges) {
  const Frozen wide(fc("QWeight=SAT\n"));
  EXPECT_FALSE(wide.weights().type.quant.has_value());
  EXPECT_THAT(wide.warnings, HasSubstr("[fc] Fc: integers from -255 to 255 need 9 bits"));
  EXPECT_THAT(wide.warnings, HasSubstr("% of the weights change when they are rounded to 8 bits"));
}

TEST(Freeze, AnActivationIsRoundedToItsGrid) {
  const Frozen sat(fc("ActivationFunction=Linear\nQAct=SAT\nQAct.Range=15\nQAct.Alpha=6\n"));
  for (const graph::NodeId id : sat.graph.nodes())
    if (const auto* round = graph::as<ops::FakeQuantize>(sat.graph.node(id))) {
      EXPECT_FLOAT_EQ(round->step(0), 0.4F);
      EXPECT_THAT(round->bounds, ElementsAre(0, 15));
      EXPECT_FALSE(round->is_signed);
      EXPECT_EQ(round->bits, 8);
      return;
    }
  FAIL() << "nothing rounds";
}

TEST(Freeze, AGridThatNothingHasLearntIsAnError) {
  try {
    const Frozen lsq(fc("ActivationFunction=Linear\nQAct=LSQ\nQAct.Range=15\n"));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_THAT(error.what(), HasSubstr("its grid has not been learnt yet"));
  }
}

}  // namespace
}  // namespace n2d2::loader
