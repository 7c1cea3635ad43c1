// The integer interpreter and the kernels that ship give the same bytes, layer by layer.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/integer.hpp"

#include "e2e/networks.hpp"
#include "e2e/pipeline.hpp"

namespace n2d2::e2e {
namespace {

struct Case {
  NamedIni net;
  int bits;
  RescaleMode rescaling;
};

class IntegerExecutor : public testing::TestWithParam<Case> {};

TEST_P(IntegerExecutor, EqualsTheHostRunInEveryLayer) {
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

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}_int{}_{}", c.net.name, c.bits,
                     c.rescaling == RescaleMode::FloatingPoint ? "floating" : "fixed32");
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const NamedIni& net : networks())
    for (const int bits : {4, 8, 16})
      for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32})
        out.push_back({net, bits, mode});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Networks, IntegerExecutor, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace n2d2::e2e
