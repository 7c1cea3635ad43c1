// An exported QDQ model, read again and exported as a program, computes the same integers as the first
// program.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/onnx/importer.hpp"
#include "n2d2/onnx/writer.hpp"

#include "e2e/exported.hpp"
#include "e2e/graph_export.hpp"
#include "e2e/networks.hpp"

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

class OnnxRoundTrip : public testing::TestWithParam<std::tuple<NamedIni, bool>> {};

TEST_P(OnnxRoundTrip, KeepsEveryInteger) {
  const log::Capture quiet;
  const auto& [net, per_output] = GetParam();
  Settings settings;
  settings.parameters.output_bits = 8;  // as ONNX has them
  settings.per_output = per_output;
  const Exported first = run_pipeline(ini_of(net), settings);
  const graph::Graph& graph = first.quantized;
  const GraphExport second = exported_file(onnx::write_model(graph, {onnx::Form::Qdq, "1"}),
                                           graph.value(graph.inputs().at(0)).type.shape);
  const targets::cpp::Project& again = second.project();
  for (const exporter::Stimulus& stimulus : first.stimuli) {
    const std::vector<Tensor> expected = first.project->host_run(stimulus.input);
    const std::vector<Tensor> found = again.host_run(stimulus.input);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << stimulus.name;
  }
  EXPECT_EQ(again.weights_bytes(), first.project->weights_bytes());
}

INSTANTIATE_TEST_SUITE_P(Networks, OnnxRoundTrip,
                         testing::Combine(testing::ValuesIn(networks_of_onnx()), testing::Bool()),
                         [](const auto& info) {
                           return fmt::format("{}_{}", std::get<0>(info.param).name,
                                              std::get<1>(info.param) ? "per_output" : "per_layer");
                         });

}  // namespace
}  // namespace n2d2::e2e
