// Does a whole network give the same bytes when every layer is run in random ranges of rows?
#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/program/validate.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/targets/cpp/project.hpp"

#include "e2e/exported.hpp"
#include "e2e/networks.hpp"
#include "program/cut.hpp"

namespace n2d2::e2e {
namespace {

std::string conv(const std::string& name, const std::string& input, int outputs, int kernel, int stride,
                 bool depthwise) {
  return fmt::format(
      "[{}] he\nInput={}\nType=Conv\nKernelDims={} {}\nStride={}\nPadding={}\nNbOutputs={}\n"
      "{}ActivationFunction=Rectifier\nActivationFunction.Clipping=6\n",
      name, input, kernel, kernel, stride, kernel / 2, outputs,
      depthwise ? "Mapping.ChannelsPerGroup=1\n" : "");
}

/// MobileNet v1 of width 0.25 on pictures of 96 x 96 (Howard et al. 2017, table 1).
std::string mobilenet_v1() {
  std::string head = kHead;
  for (const char* size : {"Width=16", "Height=16"})
    head.replace(head.find(size), std::string(size).size(),
                 std::string(size).substr(0, std::string(size).find('=')) + "=96");
  head.replace(head.find("Learn=24"), 8, "Learn=2");
  std::string text = head + "[sp]\nSizeX=96\nSizeY=96\nBatchSize=2\n" + conv("c0", "sp", 8, 3, 2, false);
  const std::vector<std::pair<int, int>> blocks{{16, 1},  {32, 2},  {32, 1},  {64, 2},  {64, 1},
                                                {128, 2}, {128, 1}, {128, 1}, {128, 1}, {128, 1},
                                                {128, 1}, {256, 2}, {256, 1}};
  int channels = 8;
  std::string last = "c0";
  for (size_t b = 0; b < blocks.size(); ++b) {
    const auto [outputs, stride] = blocks[b];
    const std::string dw = fmt::format("dw{}", b), pw = fmt::format("pw{}", b);
    text += conv(dw, last, channels, 3, stride, true) + conv(pw, dw, outputs, 1, 1, false);
    channels = outputs;
    last = pw;
  }
  return text + "[gap]\nInput=" + last +
         "\nType=Pool\nPoolDims=3 3\nStride=3\nNbOutputs=256\nPooling=Average\nMapping.Size=1\n"
         "[fc] he\nInput=gap\nType=Fc\nNbOutputs=10\n[fc.Target]\n";
}

void expect_same_in_pieces(const std::string& ini, int runs) {
  const Exported exported = run_pipeline(ini, {});
  const program::Program& program = exported.project->program();
  const TensorType& type = program.graph.value(program.input()).type;
  const Tensor values = quantize::quantize_input(exported.stimuli.at(0).input, *type.quant);
  const auto whole = program::run_layers(program, values);
  Rng rng(17, "row ranges");
  for (int run = 0; run < runs; ++run) {
    const program::Program pieces = program::cut(program, [&](const auto& p, const program::Call& call) {
      std::vector<program::Rows> out;
      const int height = p.view(call.out.at(0)).h;
      for (int first = 0; first < height; first += out.back().count)
        out.push_back({first, 1 + static_cast<int>(rng.below(static_cast<uint64_t>(height - first)))});
      return out;
    });
    ASSERT_TRUE(program::validate(pieces).empty()) << program::validate(pieces).front();
    const auto found = program::run_layers(pieces, values);
    ASSERT_EQ(found.size(), whole.size());
    for (size_t i = 0; i < whole.size(); ++i)
      ASSERT_TRUE(found[i].tensor == whole[i].tensor) << (found[i].cell ? found[i].cell->name : "env");
  }
}

TEST(RowRanges, OfLenetGiveTheSameBytes) {
  expect_same_in_pieces(ini_of(kLenet), 20);
}

TEST(RowRanges, OfMobilenetV1GiveTheSameBytes) {
  expect_same_in_pieces(mobilenet_v1(), 5);
}

}  // namespace
}  // namespace n2d2::e2e
