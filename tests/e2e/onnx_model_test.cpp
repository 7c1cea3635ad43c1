// An exported ONNX model and the host run, layer by layer: each layer of the model is fed with the integers
// of the host run, so that what it differs by is its own.
#include <cmath>

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include "n2d2/base/log.hpp"
#include "n2d2/onnx/writer.hpp"

#include "e2e/exported.hpp"
#include "e2e/networks.hpp"
#include "e2e/zero_point_net.hpp"
#include "left_to_release.hpp"
#include "oracle/onnx_values.hpp"

namespace n2d2::e2e {
namespace {

::onnx::ModelProto written(const graph::Graph& graph, onnx::Form form) {
  ::onnx::ModelProto model;
  EXPECT_TRUE(model.ParseFromString(onnx::write_model(graph, {form, "1"})));
  return model;
}

template <class T>
oracle::Array widen_as(const Tensor& tensor) {
  const Tensor nchw = tensor.layout() == Layout::Nchw ? tensor : to_layout(tensor, Layout::Nchw);
  oracle::Array out{nchw.shape().dims(), {}};
  for (const T x : nchw.span<T>()) out.v.push_back(static_cast<double>(x));
  return out;
}

oracle::Array widen(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DataType::U8:
      return widen_as<uint8_t>(tensor);
    case DataType::I8:
      return widen_as<int8_t>(tensor);
    case DataType::U16:
      return widen_as<uint16_t>(tensor);
    case DataType::I16:
      return widen_as<int16_t>(tensor);
    default:
      return widen_as<float>(tensor);
  }
}

struct Case {
  NamedIni net;
  int bits;
  RescaleMode rescaling;
  bool per_output;
  onnx::Form form;
};

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return fmt::format("{}_int{}_{}_{}_{}", c.net.name, c.bits,
                     c.rescaling == RescaleMode::FloatingPoint ? "floating" : "fixed32",
                     c.per_output ? "per_output" : "per_layer", c.form == onnx::Form::Qdq ? "qdq" : "fake");
}

class IntegerModel : public ::testing::TestWithParam<Case> {};

/// How many integers the model was asked for, and how many of them were not those of the host run.
struct Compared {
  int64_t elements = 0, differ = 0;
};

/// Runs one sample, each layer fed with the integers of the host run; counts what is one step off.
void compare_layers(const ::onnx::ModelProto& model, const graph::Graph& graph,
                    const targets::cpp::Project& project, const Tensor& input, onnx::Form form, size_t least,
                    Compared& compared) {
  oracle::Arrays host;
  for (const targets::cpp::LayerOutput& layer : project.host_run_layers(input)) {
    oracle::Array array = widen(layer.tensor);
    if (form == onnx::Form::Qdq && layer.tensor.dtype() == DataType::I8)
      for (double& q : array.v) q += 128;
    const auto flat = static_cast<int64_t>(array.v.size());
    const graph::ValueId id = *graph.find_value(layer.value);
    if (graph.value(id).producer && graph.op(graph.value(id).producer).type() == "Fc") array.dims = {1, flat};
    host[layer.value + "_quantized"] = std::move(array);
  }
  const auto made = oracle::run_onnx(model, {{model.graph().input(0).name(), widen(input)}}, host);
  EXPECT_GE(host.size(), least);
  for (const auto& [tensor, expected] : host) {
    ASSERT_TRUE(made.contains(tensor)) << tensor;
    const std::vector<double>& found = made.at(tensor).v;
    ASSERT_EQ(found.size(), expected.v.size()) << tensor;
    for (size_t i = 0; i < found.size(); ++i) {
      const double steps = std::abs(found[i] - expected.v[i]);
      ASSERT_LE(steps, 1) << tensor << " " << i << ": " << found[i] << " instead of " << expected.v[i];
      compared.differ += steps > 0 ? 1 : 0;
    }
    compared.elements += static_cast<int64_t>(found.size());
  }
}

TEST_P(IntegerModel, EachLayerIsWithinOneStepOfTheHostRun) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  Settings settings;
  settings.parameters.input_zero_point = false;  // without histograms and tables of its own
  settings.parameters.output_bits = 8;           // as ONNX has them
  settings.bits = GetParam().bits;
  settings.rescaling = GetParam().rescaling;
  settings.per_output = GetParam().per_output;
  const Exported net = run_pipeline(ini_of(GetParam().net), settings);
  const ::onnx::ModelProto model = written(net.quantized, GetParam().form);
  Compared compared;
  for (const exporter::Stimulus& stimulus : net.stimuli)
    compare_layers(model, net.quantized, *net.project, stimulus.input, GetParam().form, 6, compared);
  RecordProperty("elements", static_cast<int>(compared.elements));
  RecordProperty("differ", static_cast<int>(compared.differ));
  // Ties that the two round apart: with random weights, a few in ten thousand; most in networks of 4 bits,
  // whose scales are coarse, and in sums, whose fixed-point form rounds half up.
  EXPECT_LE(compared.differ * 100, compared.elements) << "of " << compared.elements;
}

TEST(ModelOfZeroPoints, EachLayerIsWithinOneStepOfTheHostRun) {
  const log::Capture quiet;
  const GraphExport net = zero_point_export();
  const ::onnx::ModelProto model = written(net.logical, onnx::Form::Qdq);
  Compared compared;
  Rng rng(12, "samples");
  for (int i = 0; i < 10; ++i)
    compare_layers(model, net.logical, net.project(), testing::random_tensor(Shape{1, 3, 9, 8}, rng, -1, 1),
                   onnx::Form::Qdq, 7, compared);
  EXPECT_LE(compared.differ * 100, compared.elements) << "of " << compared.elements;
}

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const NamedIni& net : networks_of_onnx())
    for (const RescaleMode mode : {RescaleMode::FloatingPoint, RescaleMode::FixedPoint32})
      for (const bool per_output : {true, false}) {
        for (const int bits : {4, 8}) out.push_back({net, bits, mode, per_output, onnx::Form::Qdq});
        for (const int bits : {8, 16})
          out.push_back({net, bits, mode, per_output, onnx::Form::FakeQuantization});
      }
  return out;
}

INSTANTIATE_TEST_SUITE_P(Networks, IntegerModel, ::testing::ValuesIn(cases()), name_of);

class FloatModel : public ::testing::TestWithParam<NamedIni> {};

TEST_P(FloatModel, GivesTheValuesOfTheNetwork) {
  if (is_left_to_release()) GTEST_SKIP() << "not drawn";
  const log::Capture quiet;
  Settings settings;
  settings.parameters.input_zero_point = false;  // as of an ONNX export
  settings.bits = -32;
  const Exported net = run_pipeline(ini_of(GetParam()), settings);
  const ::onnx::ModelProto model = written(net.quantized, onnx::Form::Float);
  constexpr double kTolerance = 1e-4;  // float32 sums of a few hundred products of magnitude 1
  for (const exporter::Stimulus& stimulus : net.stimuli) {
    const auto made = oracle::run_onnx(model, {{model.graph().input(0).name(), widen(stimulus.input)}});
    for (const targets::cpp::LayerOutput& layer : net.project->host_run_layers(stimulus.input)) {
      if (!made.contains(layer.value)) continue;  // the input
      const std::vector<double> expected = widen(layer.tensor).v;
      ASSERT_EQ(made.at(layer.value).v.size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(made.at(layer.value).v[i], expected[i], kTolerance) << layer.value << " " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, FloatModel, ::testing::ValuesIn(networks_of_onnx()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace n2d2::e2e
