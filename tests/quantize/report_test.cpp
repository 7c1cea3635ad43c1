#include "n2d2/quantize/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace n2d2::quantize {
namespace {

TEST(Report, IsParsableAndComplete) {
  QuantReport report;
  report.options.bits = 4;
  report.samples = 100;
  LayerReport input;
  input.name = "data";
  input.type = "input";
  input.threshold = 0.5;
  LayerReport conv;
  conv.name = "conv \"1\"";
  conv.type = "Conv";
  conv.weight_scales = {0.5F, 0.25F};
  conv.accumulator_bits = 32;
  conv.accumulator_bound = 1000;
  conv.accumulator_headroom_bits = 21;
  conv.dead_outputs = {1};
  conv.notes = {"all weights are 0 for output 1"};
  report.layers = {input, conv};
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json["bits"], 4);
  EXPECT_EQ(json["samples"], 100);
  EXPECT_EQ(json["rescaling"], "Floating-point");
  EXPECT_EQ(json["rescale_per_output"], true);
  EXPECT_EQ(json["activation_clipping"], "MSE");
  EXPECT_FALSE(json.contains("activation_quantile"));
  report.options.activation_clipping = "Quantile";
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["activation_quantile"], 0.9999);
  ASSERT_EQ(json["layers"].size(), 2U);
  EXPECT_EQ(json["layers"][0]["threshold"], 0.5);
  EXPECT_FALSE(json["layers"][0].contains("weight_scales"));
  EXPECT_FALSE(json["layers"][0].contains("accumulator_bound"));
  EXPECT_EQ(json["layers"][1]["name"], "conv \"1\"");
  EXPECT_EQ(json["layers"][1]["weight_scales"][1], 0.25);
  EXPECT_EQ(json["layers"][1]["dead_outputs"][0], 1);
  EXPECT_EQ(json["layers"][1]["accumulator_headroom_bits"], 21);
  EXPECT_EQ(json["layers"][1]["notes"][0], "all weights are 0 for output 1");
}

}  // namespace
}  // namespace n2d2::quantize
