#include "golden/fixed_network.hpp"

#include <algorithm>

#include "n2d2/compute/judge.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

namespace n2d2::golden {

namespace {

/// `count` integers of [-range, range] in a fixed order.
std::string integers(int64_t count, int range) {
  std::string out;
  for (int64_t i = 0; i < count; ++i)
    out += fmt::format(" {}", (i * i * 7 + i * 5 + 3) % (2 * range + 1) - range);
  return out;
}

std::string parameters(const std::string& layer, const Shape& weights) {
  return fmt::format("constant {0}_w : i8 {1}{2} ={3}\nconstant {0}_b : i32 {4} ={5}\n", layer,
                     weights.text(), weights.rank() == 4 ? " nhwc" : "", integers(weights.elements(), 9),
                     weights[0], integers(weights[0], 90));
}

std::string layer(const std::string& name, const std::string& shape, const std::string& op,
                  const std::string& rescale) {
  return fmt::format("{} : u8 {} nhwc quant(8 unsigned -1 1) = {}{}\n", name, shape, op,
                     rescale.empty() ? "" : " rescale=\"" + rescale + "\"");
}

std::string network_text() {
  return "input sp : u8 1x1x8x8 nhwc quant(8 unsigned -1 1)\n" + parameters("conv1", {4, 1, 3, 3}) +
         parameters("left", {2, 4, 1, 1}) + parameters("right", {2, 4, 3, 3}) + parameters("fc1", {6, 16}) +
         layer("conv1", "1x4x4x4",
               "Conv(sp, conv1_w, conv1_b) NbOutputs=\"4\" KernelDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 "
               "1\"",
               "Floating-point 0 255 0 : 0.0625 0.03125 0.0625 0.125 :") +
         layer("left", "1x2x4x4", "Conv(conv1, left_w, left_b) NbOutputs=\"2\" KernelDims=\"1 1\"",
               "Floating-point 0 255 0 : 0.25 :") +
         layer("right", "1x2x4x4",
               "Conv(conv1, right_w, right_b) NbOutputs=\"2\" KernelDims=\"3 3\" Padding=\"1 1 1 1\"",
               "Fixed-point32 0 255 12 : : 300 500") +
         layer("join", "1x4x4x4", "Concat(left, right)", "") +
         layer("sum1", "1x4x4x4", "ElemWise(conv1, join) Operation=\"Sum\"",
               "Fixed-point32 0 255 4 : : 9 7") +
         layer("pool1", "1x4x2x2", "Pool(sum1) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Max\"", "") +
         "fc1 : i8 1x6x1x1 nhwc quant(8 signed -1 1) = Fc(pool1, fc1_w, fc1_b) NbOutputs=\"6\" "
         "rescale=\"Floating-point -128 127 0 : 0.03125 :\"\noutput fc1\n";
}

Tensor sample(int index) {
  Tensor out(Shape{1, 1, 8, 8});
  for (int i = 0; i < 64; ++i)
    out.data<float>()[i] = static_cast<float>((i * (17 + 6 * index) + (i * i * (3 + index)) / 5) % 256);
  return out;
}

int32_t best_class(const Tensor& scores) {
  const auto* values = scores.data<int8_t>();
  return static_cast<int32_t>(std::max_element(values, values + scores.elements()) - values);
}

}  // namespace

targets::cpp::Project fixed_project(targets::cpp::Parameters parameters) {
  graph::Graph graph = graph::from_text(network_text(), ops::registry(), "fixed_network");
  const graph::ValueId output = graph.outputs().at(0);
  targets::cpp::Options options;
  options.parameters = std::move(parameters);
  options.parameters.reference_stimuli = 4;
  return targets::cpp::prepare(std::move(graph), {{output, 6}}, options);
}

exporter::Samples judged_samples(const targets::cpp::Project& project,
                                 std::vector<exporter::Stimulus> stimuli) {
  const auto judge = std::make_shared<const compute::Judge>(project.program().graph);
  return exporter::Samples(std::move(stimuli), [judge](const Tensor& sample) { return judge->run(sample); });
}

std::vector<exporter::Stimulus> fixed_stimuli(const targets::cpp::Project& project) {
  std::vector<exporter::Stimulus> out;
  for (int i = 0; i < 4; ++i) {
    const Tensor input = sample(i);
    const int32_t found = best_class(project.host_run(input).front());
    out.push_back({input, {{i < 3 ? found : (found + 1) % 6}}, fmt::format("sample{}", i)});
  }
  return out;
}

}  // namespace n2d2::golden
