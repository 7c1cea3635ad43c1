// The integer interpreter and the kernels that ship give the same bytes, layer by layer.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"

#include "e2e/exported.hpp"
#include "e2e/networks.hpp"
#include "e2e/output_networks.hpp"
#include "left_to_release.hpp"

namespace n2d2::e2e {
namespace {

struct Case {
  NamedIni net;
  int bits;
  RescaleMode rescaling;
};

class IntegerExecutor : public testing::TestWithParam<Case> {};

TEST_P(IntegerExecutor, EqualsTheHostRunInEveryLayer) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  Settings settings;
  settings.bits = GetParam().bits;
  settings.rescaling = GetParam().rescaling;
  const Exported net = run_pipeline(ini_of(GetParam().net), settings);
  const compute::IntegerExecutor judge(net.quantized);
  for (const exporter::Stimulus& stimulus : net.stimuli) {
    const auto layers = net.project->host_run_layers(stimulus.input);
    const auto values = judge.run(to_layout(layers.at(0).tensor, Layout::Nchw));
    EXPECT_EQ(layers.size(), values.size());
    for (const targets::cpp::LayerOutput& layer : layers) {
      const auto id = net.quantized.find_value(layer.value);
      ASSERT_TRUE(id) << layer.value;
      EXPECT_TRUE(to_layout(layer.tensor, Layout::Nchw) == values.at(*id)) << layer.value;
    }
  }
}

TEST_P(IntegerExecutor, EqualsTheHostRunOfABatch) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  Settings settings;
  settings.bits = GetParam().bits;
  settings.rescaling = GetParam().rescaling;
  const Exported net = run_pipeline(ini_of(GetParam().net), settings);
  const Shape& shape = net.stimuli.at(0).input.shape();
  const auto count = static_cast<int64_t>(net.stimuli.size());
  Tensor batch(shape.with_batch(count));
  for (int64_t n = 0; n < count; ++n)
    std::copy_n(net.stimuli[static_cast<size_t>(n)].input.data<float>(), shape.elements(),
                batch.data<float>() + n * shape.elements());
  const graph::ValueId input = net.quantized.inputs().at(0);
  const Tensor steps = quantize::quantize_input(batch, *net.quantized.value(input).type.quant);
  EXPECT_EQ(compute::IntegerExecutor(net.quantized).outputs(steps), net.project->host_run(batch));
}

/// Outputs of all widths, of layers of all widths: the same bytes, and the outputs have them.
TEST(OutputBits, EqualTheHostRunInEveryLayer) {
  const log::Capture quiet;
  for (const NamedIni& net : {kLenet, kResidual, kLastPool, kLastSum, kLastMap, kSegments, kSegmentsBetween})
    for (const int bits : {5, 8, 16})
      for (const int of_output : {16, 32}) {
        SCOPED_TRACE(fmt::format("{} of {} bits, outputs of {}", net.name, bits, of_output));
        Settings settings;
        settings.bits = bits;
        settings.parameters.output_bits = of_output;
        const Exported exported = run_pipeline(ini_of(net), settings);
        const graph::Value& output = exported.quantized.value(exported.quantized.outputs().at(0));
        EXPECT_EQ(output.type.quant->bits, of_output);
        const compute::IntegerExecutor judge(exported.quantized);
        const auto layers = exported.project->host_run_layers(exported.stimuli[0].input);
        const auto values = judge.run(to_layout(layers.at(0).tensor, Layout::Nchw));
        for (const targets::cpp::LayerOutput& layer : layers)
          EXPECT_TRUE(to_layout(layer.tensor, Layout::Nchw) ==
                      values.at(*exported.quantized.find_value(layer.value)))
              << layer.value;
        exported.project->check_memory(exported.stimuli[0].input);
      }
}

/// Bytes of pictures around 0 are their own integers. A sum and a convolution whose borders have biases stay
/// apart.
TEST(ZeroPoint, IsThatOfThePictures) {
  const log::Capture quiet;
  Settings settings;
  const Exported net = run_pipeline(ini_of(kCentred), settings);
  const QuantParams& quant = *net.quantized.value(net.quantized.inputs().at(0)).type.quant;
  EXPECT_EQ(quant.zero_point, 127.5);
  EXPECT_FALSE(quant.is_signed);
  const Tensor& sample = net.stimuli.at(0).input;
  const Tensor steps = quantize::quantize_input(sample, quant);
  for (int64_t i = 0; i < sample.elements(); ++i)
    ASSERT_EQ((static_cast<float>(steps.data<uint8_t>()[i]) - 127.5F) / 127.5F, sample.data<float>()[i]);
  const auto rows_of = [&](const char* node) {
    const graph::Node& conv = net.quantized.node(*net.quantized.find_node(node));
    return net.quantized.value(conv.inputs.at(2)).type.shape;
  };
  EXPECT_EQ(rows_of("small"), (Shape{4, 6}));
  EXPECT_EQ(rows_of("large"), (Shape{16, 6}));
  EXPECT_EQ(rows_of("point"), (Shape{6}));
  EXPECT_EQ(rows_of("direct"), (Shape{10}));
  settings.parameters.input_zero_point = false;
  const Exported without = run_pipeline(ini_of(kCentred), settings);
  EXPECT_EQ(without.quantized.value(without.quantized.inputs().at(0)).type.quant->zero_point, 0);
  EXPECT_EQ(without.project->memory().peak, net.project->memory().peak);
}

/// The scores of classes in 32 bits, without a wish, also those of each pixel; layers of 16 bits stay as they
/// are.
TEST(OutputBits, AreThoseOfTheSumsWhereAClassIsFormed) {
  const log::Capture quiet;
  const auto bits_of = [](const NamedIni& net, int bits) {
    Settings settings;
    settings.bits = bits;
    const Exported exported = run_pipeline(ini_of(net), settings);
    return exported.quantized.value(exported.quantized.outputs().at(0)).type.quant->bits;
  };
  EXPECT_EQ(bits_of(kLenet, 8), 32);
  EXPECT_EQ(bits_of(kLenet, 4), 32);
  EXPECT_EQ(bits_of(kLenet, 16), 16);
  EXPECT_EQ(bits_of(kLastMap, 8), 32);
  EXPECT_EQ(bits_of(kLastMap, 16), 16);
  for (const NamedIni& net : {kSegments, kSegmentsBetween}) EXPECT_EQ(bits_of(net, 8), 32) << net.name;
  for (const NamedIni& net : {kSegmentsMoved, kSegmentsOfMaxima}) EXPECT_EQ(bits_of(net, 8), 8) << net.name;
}

TEST(OutputBits, SayWhichOutputCannotHaveThem) {
  log::Capture log;
  Settings settings;
  const Exported plain = run_pipeline(ini_of(kLastMax), settings);
  EXPECT_EQ(plain.quantized.value(plain.quantized.outputs().at(0)).type.quant->bits, 8);
  EXPECT_EQ(log.text(log::Level::Warning), "");
  EXPECT_EQ(log.text(), "output 'max' has 8 bits instead of 32: [max] Pool adds nothing up\n");
  {
    const log::Capture of_map;
    run_pipeline(ini_of(kSegmentsOfMaxima), {});
    run_pipeline(ini_of(kSegmentsMoved), {});
    EXPECT_EQ(of_map.text(),
              "output 'max' has 8 bits instead of 32: [max] Pool adds nothing up\n"
              "output 'up' has 8 bits instead of 32: [up] Resize: resize_linear: another mode; "
              "resize_nearest: output is i32\n");
  }
  settings.parameters.output_bits = 16;
  run_pipeline(ini_of(kLastMax), settings);
  EXPECT_EQ(log.text(log::Level::Warning),
            "OutputNbBits=16: output 'max' has 8 bits instead of 16: [max] Pool adds nothing up\n");
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}_int{}_{}", c.net.name, c.bits, mode_name(c.rescaling));
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const NamedIni& net : networks())
    for (const int bits : {4, 8, 16})
      for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32})
        out.push_back({net, bits, mode});
  for (const RescaleMode mode :
       {RescaleMode::FixedPoint16, RescaleMode::SingleShift, RescaleMode::DoubleShift})
    out.push_back({kDepthwise, 8, mode});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Networks, IntegerExecutor, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace n2d2::e2e
