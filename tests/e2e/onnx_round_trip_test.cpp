// An exported QDQ model, read again and exported as a program, computes the same integers as the first
// program.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/onnx/importer.hpp"
#include "n2d2/onnx/writer.hpp"

#include "e2e/exported.hpp"
#include "e2e/graph_export.hpp"
#include "e2e/networks.hpp"
#include "e2e/zero_point_net.hpp"

namespace n2d2::e2e {
namespace {

/// The integer network that a QDQ file holds, without calibration.
GraphExport exported_file(const std::string& file, const Shape& input) {
  const onnx::Model model = onnx::parse_model(file, "model.onnx");
  graph::Graph graph;
  const auto x = graph.add_input("sp", {input, DataType::F32, Layout::Nchw, {}});
  const onnx::Imported imported = onnx::import_model(graph, model, {x});
  std::vector<graph::ValueId> outputs;
  for (const std::string& name : model.outputs()) outputs.push_back(imported.values.at(name));
  graph.set_outputs(outputs);
  return export_graph(std::move(graph), Tensor(input), {}, {});
}

/// The program of a file gives the bytes of the program that the file is of.
void expect_same(const Exported& first, const std::string& file) {
  const graph::Graph& graph = first.quantized;
  const GraphExport second = exported_file(file, graph.value(graph.inputs().at(0)).type.shape);
  const targets::cpp::Project& again = second.project();
  for (const exporter::Stimulus& stimulus : first.stimuli) {
    const std::vector<Tensor> expected = first.project->host_run(stimulus.input);
    const std::vector<Tensor> found = again.host_run(stimulus.input);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << stimulus.name;
  }
  EXPECT_EQ(again.weights_bytes(), first.project->weights_bytes());
}

class OnnxRoundTrip : public ::testing::TestWithParam<std::tuple<NamedIni, bool>> {};

TEST_P(OnnxRoundTrip, KeepsEveryInteger) {
  const log::Capture quiet;
  const auto& [net, per_output] = GetParam();
  Settings settings;
  settings.parameters.input_zero_point = false;  // as of an ONNX export
  settings.parameters.output_bits = 8;           // as ONNX has them
  settings.per_output = per_output;
  const Exported first = run_pipeline(ini_of(net), settings);
  expect_same(first, onnx::write_model(first.quantized, {onnx::Form::Qdq, "1"}));
}

INSTANTIATE_TEST_SUITE_P(Networks, OnnxRoundTrip,
                         ::testing::Combine(::testing::ValuesIn(networks_of_onnx()), ::testing::Bool()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param).name,
                                              std::get<1>(info.param) ? "per_output" : "per_layer");
                         });

/// Weights of 4, 3 and 2 bits, which operator set 21 holds two a byte, beside some of 8.
TEST(OnnxRoundTripOfFewBits, KeepsEveryInteger) {
  const log::Capture quiet;
  Settings settings;
  settings.parameters.input_zero_point = false;  // as of an ONNX export
  settings.parameters.output_bits = 8;
  for (const auto& [layer, bits] : {std::pair("conv2", 4), std::pair("fc1", 3), std::pair("fc2", 2)}) {
    targets::cpp::LayerSection section{layer, {}, {}};
    section.values.weight_bits = bits;
    settings.parameters.layers.push_back(section);
  }
  const Exported first = run_pipeline(ini_of(kLenet), settings);
  const std::string file =
      onnx::write_model(first.quantized, {onnx::Form::Qdq, "1", onnx::kWrittenOpsetOfFewBits});
  expect_same(first, file);
  EXPECT_LT(file.size(), onnx::write_model(first.quantized, {onnx::Form::Qdq, "1"}).size());
}

TEST(OnnxRoundTripOfZeroPoints, KeepsEveryInteger) {
  const log::Capture quiet;
  const GraphExport first = zero_point_export();
  for (const char* name : {"first", "second", "sum", "depthwise", "average"})
    EXPECT_NE(first.logical.value(*first.logical.find_value(name)).type.quant->zero_point, 0) << name;
  const Shape& shape = first.logical.value(first.logical.inputs().at(0)).type.shape;
  const GraphExport second = exported_file(onnx::write_model(first.logical, {onnx::Form::Qdq, "1"}), shape);
  Rng rng(12, "samples");
  for (int i = 0; i < 20; ++i) {
    const Tensor sample = testing::random_tensor(shape, rng, -1, 1);
    const std::vector<Tensor> expected = first.project().host_run(sample);
    const std::vector<Tensor> found = second.project().host_run(sample);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t o = 0; o < found.size(); ++o) EXPECT_TRUE(found[o] == expected[o]) << "sample " << i;
  }
  EXPECT_EQ(second.project().weights_bytes(), first.project().weights_bytes());
}

}  // namespace
}  // namespace n2d2::e2e
