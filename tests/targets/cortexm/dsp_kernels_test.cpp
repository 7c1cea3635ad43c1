// Which layers do the kernels for the DSP instructions take, and what do they make of multipliers?
#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

#include "cortexm/library.hpp"

namespace n2d2::targets::cortexm {

namespace {

struct Layer {
  int channels = 4, outputs = 4, kernel = 3, groups = 1, weight = 1;
  std::string type = "u8", rescale = "Floating-point 0 255 0 : 0.01 :";
};

std::string values(int64_t count, int value) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) out += " " + std::to_string(value);
  return out;
}

/// A convolution of maps of 6 x 6 pixels.
graph::Graph convolution(const Layer& l) {
  const int size = 7 - l.kernel, of_group = l.channels / l.groups;
  const bool is_wide = l.type == "u16", is_signed = l.type == "i8";
  const std::string quant =
      fmt::format(" quant({} {} -1 1)", is_wide ? 16 : 8, is_signed ? "signed" : "unsigned");
  const std::string text = fmt::format(
      "input sp : {0} 1x{1}x6x6 nhwc{2}\nconstant w : {3} {4}x{5}x{6}x{6} nhwc ={7}\nconstant b : {8} {4} "
      "={9}\n"
      "y : {0} 1x{4}x{10}x{10} nhwc{2} = Conv(sp, w, b) NbOutputs=\"{4}\" KernelDims=\"{6} {6}\" "
      "Groups=\"{11}\" "
      "rescale=\"{12}\"\noutput y\n",
      l.type, l.channels, quant, is_wide ? "i16" : "i8", l.outputs, of_group, l.kernel,
      values(int64_t{l.outputs} * of_group * l.kernel * l.kernel, l.weight), is_wide ? "i64" : "i32",
      values(l.outputs, 0), size, l.groups, l.rescale);
  return graph::from_text(text, ops::registry(), "net.txt");
}

/// Why a kernel does not take the layer, "" if it does.
std::string refused(std::string_view kernel, const Layer& layer) {
  const graph::Graph graph = convolution(layer);
  return kernels_of(Family::Dsp).find(kernel)->refuses(graph, graph.node(graph.schedule().front()));
}

TEST(DspKernels, TakeConvolutionsOfBytes) {
  EXPECT_EQ(refused("conv2d_dsp", {}), "");
  EXPECT_EQ(refused("conv2d_dsp", {4, 6, 2, 2}), "");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "i8", "Floating-point -128 127 0 : 0.01 :"}), "");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u16", "Floating-point 0 65535 0 : 0.01 :"}),
            "its maps are no bytes");
}

TEST(DspKernels, RefuseBoundsInsideOfTheType) {
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u8", "Floating-point 0 200 0 : 0.01 :"}),
            "its outputs end at 0 and 200, not where their type does");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "i8", "Floating-point 0 127 0 : 0.01 :"}),
            "its outputs end at 0 and 127, not where their type does");
}

TEST(DspKernels, RefuseSumsBeyond24Bits) {
  EXPECT_EQ(refused("conv2d_dsp", {260, 2, 1, 1, 127}),
            "sums of output 0 reach 8420100, more than 24 bits hold");
  EXPECT_EQ(refused("conv2d_dsp", {4, 2, 1, 1, -128}), "output 0 has a weight of -128 beside a negative one");
}

TEST(DspKernels, TakeDepthwiseOf3x3) {
  EXPECT_EQ(refused("depthwise_dsp", {4, 4, 3, 4}), "");
  EXPECT_EQ(refused("depthwise_dsp", {4, 4, 3, 4, -128}), "") << "weights have 16 bits";
  EXPECT_EQ(refused("depthwise_dsp", {4, 8, 3, 4}), "it makes 8 outputs of 4 channels");
  EXPECT_EQ(refused("depthwise_dsp", {4, 4, 5, 4}), "its kernel is 5 x 5, not 3 x 3");
  EXPECT_EQ(refused("depthwise_dsp", {4, 4, 3, 1}), "not one input channel per group");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 4}), "a word of it has two outputs of one input");
}

TEST(DspKernels, WantMultipliersOfShift32) {
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u8", "Fixed-point32 0 255 32 : : 1000000"}), "");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u8", "Fixed-point32 0 255 30 : : 1000000"}), "");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u8", "Fixed-point32 0 255 34 : : 1000000"}), "");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u8", "Fixed-point32 0 255 34 : : 1000001"}),
            "its multipliers of shift 34 are none of shift 32");
  EXPECT_EQ(refused("conv2d_dsp", {4, 4, 3, 1, 1, "u8", "Fixed-point32 0 255 20 : : 1000000"}),
            "its multipliers of shift 20 are none of shift 32");
}

TEST(DspKernels, OfSmallTilesHaveHalfOfTheScratchAndComeSecond) {
  const graph::Graph graph = convolution({16, 4, 3});
  const graph::Node& node = graph.node(graph.schedule().front());
  const program::KernelLibrary& library = kernels_of(Family::Dsp);
  std::string reasons;
  EXPECT_EQ(library.choose(graph, node, reasons)->name(), "conv2d_dsp");
  // 144 inputs are 72 words of a pixel; 3 bytes align them.
  EXPECT_EQ(library.find("conv2d_dsp")->contract(graph, node).scratch, 72 * 4 * 4 + 3);
  EXPECT_EQ(library.find("conv2d_dsp_small")->contract(graph, node).scratch, 72 * 4 * 2 + 3);
}

TEST(DspKernels, ShiftMultipliersToTheBit) {
  const graph::Graph graph = convolution({4, 3, 3, 1, 1, "u8", "Fixed-point32 0 255 30 : : 1000000"});
  const std::vector<program::Constant> packed =
      kernels_of(Family::Dsp).find("conv2d_dsp")->pack(graph, graph.node(graph.schedule().front()));
  ASSERT_EQ(packed.size(), 3U);
  const auto factors = packed.at(2).data->span<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(factors.begin(), factors.end()),
            (std::vector<int32_t>{4000000, 4000000, 4000000, 0}));
  EXPECT_EQ(packed.at(1).data->elements(), 4);
}

}  // namespace

}  // namespace n2d2::targets::cortexm
