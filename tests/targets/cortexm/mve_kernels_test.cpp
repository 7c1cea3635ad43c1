// Which layers do the kernels for MVE take, and what scratch do they declare?
#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

#include "cortexm/layouts/mve.hpp"
#include "cortexm/library.hpp"

namespace n2d2::targets::cortexm::mve {

namespace {

/// A convolution of maps of 8 x 8 pixels.
struct Conv {
  int channels = 4, outputs = 4, groups = 1;
  std::string kernel = "3 3", rescale = "Floating-point 0 255 0 : 0.01 :", type = "u8", more = {};
  std::string out = "6x6";

  graph::Graph graph() const {
    const auto space = kernel.find(' ');
    const std::string taps = kernel.substr(space + 1) + "x" + kernel.substr(0, space);
    const int64_t count = int64_t{outputs} * (channels / groups) * (kernel[0] - '0') * (kernel[2] - '0');
    const std::string quant = type == "u16"  ? " quant(16 unsigned -1 1)"
                              : type == "i8" ? " quant(8 signed -1 1)"
                                             : " quant(8 unsigned -1 1)";
    std::string weights, biases;
    for (int64_t i = 0; i < count; ++i) weights += " 1";
    for (int i = 0; i < outputs; ++i) biases += " 0";
    const std::string text = fmt::format(
        "input sp : {0} 1x{1}x8x8 nhwc{2}\nconstant w : {3} {4}x{5}x{6} nhwc ={7}\n"
        "constant b : {8} {4} ={9}\ny : {0} 1x{4}x{10} nhwc{2} = Conv(sp, w, b) NbOutputs=\"{4}\" "
        "KernelDims=\"{11}\" Groups=\"{12}\"{13} rescale=\"{14}\"\noutput y\n",
        type, channels, quant, type == "u16" ? "i16" : "i8", outputs, channels / groups, taps, weights,
        type == "u16" ? "i64" : "i32", biases, out, kernel, groups, more, rescale);
    return graph::from_text(text, ops::registry(), "net.txt");
  }
};

/// Why a kernel does not take the layer, "" if it does.
std::string refusal(std::string_view kernel, const Conv& conv) {
  const graph::Graph graph = conv.graph();
  return kernels_of(Family::Mve).find(kernel)->refuses(graph, graph.node(graph.schedule().front()));
}

Conv depthwise(std::string kernel, std::string out, std::string more = {}) {
  return {
      4, 4, 4, std::move(kernel), "Floating-point 0 255 0 : 0.01 :", "u8", std::move(more), std::move(out)};
}

TEST(MveKernels, TakeConvolutionsOfBytes) {
  EXPECT_EQ(refusal("conv2d_mve", {}), "");
  EXPECT_EQ(refusal("conv2d_mve", {4, 6, 2}), "");
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Floating-point -128 127 0 : 0.01 :", "i8"}), "");
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Floating-point 0 65535 0 : 0.01 :", "u16"}),
            "its maps are no bytes");
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 4}), "a vector of weights would have one channel");
}

TEST(MveKernels, RefuseBoundsInsideOfTheType) {
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Floating-point 0 200 0 : 0.01 :"}),
            "its outputs are bounded by 0 and 200, not by the bounds of their type");
}

TEST(MveKernels, WantMultipliersThatHaveAnEqualOfShift32) {
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Fixed-point32 0 255 32 : : 1000000"}), "");
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Fixed-point32 0 255 34 : : 1000000"}), "");
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Fixed-point32 0 255 34 : : 1000001"}),
            "the factor 1000001 needs its shift of 34 bits, not 32");
  EXPECT_EQ(refusal("conv2d_mve", {4, 4, 1, "3 3", "Fixed-point32 0 255 20 : : 1000000"}),
            "the factor 1000000 with a shift of 20 bits is not below one half");
}

TEST(MveKernels, TakeDepthwiseConvolutionsOfUpTo3By4Taps) {
  EXPECT_EQ(refusal("depthwise_mve", depthwise("3 3", "6x6")), "");
  EXPECT_EQ(refusal("depthwise_mve", depthwise("4 2", "7x5")), "");
  EXPECT_EQ(refusal("depthwise_mve", depthwise("3 4", "5x6")),
            "its kernel has 4 rows and 3 columns, at most 3 and 4 are served");
  EXPECT_EQ(refusal("depthwise_mve", depthwise("3 3", "2x2", " StrideDims=\"3 3\"")),
            "its stride of 3 and dilation of 1 along a row are above 2 and 4");
  EXPECT_EQ(refusal("depthwise_mve", {}), "not one input channel per group");
  EXPECT_EQ(refusal("depthwise_mve", {4, 8, 4}), "it makes 8 outputs of 4 channels");
}

TEST(MveKernels, DeclareTheirScratch) {
  const graph::Graph graph = Conv{}.graph();
  const auto& kernel = *kernels_of(Family::Mve).find("conv2d_mve");
  EXPECT_EQ(kernel.contract(graph, graph.node(graph.schedule().front())).scratch,
            scratch_bytes(Windows{4, 36, 1}, 2));
}

}  // namespace

}  // namespace n2d2::targets::cortexm::mve
