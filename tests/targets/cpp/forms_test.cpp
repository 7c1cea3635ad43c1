// Which form of a kernel computes a layer: names, what fits, whose word counts.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "choose/choose_forms.hpp"
#include "planned_network.hpp"

namespace n2d2::targets::cpp {
namespace {

/// The forms that fit a node, and why the others do not.
std::string fitting(const graph::Graph& graph, const std::string& layer, Machine machine = Machine::Generic) {
  std::string out;
  for (const graph::NodeId id : graph.schedule())
    if (graph.node(id).name == layer)
      for (const program::Choice& choice : choices_for(kernels(), graph, graph.node(id), machine))
        out += fmt::format("{}{}\n", choice.form.name, choice.why_not.empty() ? "" : ": " + choice.why_not);
  return out;
}

std::string zeros(int64_t count) {
  std::string out;
  for (int64_t i = 0; i < count; ++i) out += " 1";
  return out;
}

/// A convolution "y" of `in_c` channels of 4 x 4 pixels.
graph::Graph convolution(int in_c, int out_c, int kernel, int groups, const std::string& type = "u8") {
  const bool is_float = type == "f32", is_wide = type == "u16";
  const int window = kernel * kernel * in_c / groups, size = 4 - kernel + 1;
  const std::string quant = is_float ? "" : fmt::format(" quant({} unsigned -1 1)", is_wide ? 16 : 8);
  const std::string text = fmt::format(
      "input sp : {0} 1x{1}x4x4 nhwc{8}\nconstant w : {9} {2}x{3}x{4}x{4} nhwc ={5}\nconstant b : {10} {2} "
      "={6}\n"
      "y : {0} 1x{2}x{7}x{7} nhwc{8} = Conv(sp, w, b) NbOutputs=\"{2}\" KernelDims=\"{4} {4}\" "
      "Groups=\"{11}\"{12}\noutput y\n",
      type, in_c, out_c, in_c / groups, kernel, zeros(int64_t{out_c} * window), zeros(out_c), size, quant,
      is_float  ? "f32"
      : is_wide ? "i16"
                : "i8",
      is_float  ? "f32"
      : is_wide ? "i64"
                : "i32",
      groups, is_float ? "" : " rescale=\"Floating-point 0 255 0 : 0.01 :\"");
  return graph::from_text(text, ops::registry(), "net.txt");
}

TEST(Forms, OfAConvolutionDependOnItsChannels) {
  EXPECT_EQ(fitting(convolution(32, 4, 3, 1), "y"),
            "rows: not one input channel per group\npixels: not one input channel per group\n"
            "matrix\npacked\ndot\n");
  EXPECT_EQ(fitting(convolution(4, 4, 3, 1), "y"),
            "rows: not one input channel per group\npixels: not one input channel per group\n"
            "matrix: 4 channels in windows of 36 make no rows of a matrix\npacked\ndot\n");
  EXPECT_EQ(fitting(convolution(36, 4, 1, 1), "y"),
            "rows: not one input channel per group\npixels: not one input channel per group\n"
            "matrix: 36 channels in windows of 36 make no rows of a matrix\npacked\ndot\n");
  EXPECT_EQ(fitting(convolution(62, 4, 3, 1), "y"),
            "rows: not one input channel per group\npixels: not one input channel per group\n"
            "matrix: windows of 564 bytes, of channels that are no multiple of 4, are more than 448\n"
            "packed: windows of 564 bytes, of channels that are no multiple of 4, are more than 448\ndot\n");
}

TEST(Forms, OfGroupsAreThoseOfPlainWeights) {
  EXPECT_EQ(fitting(convolution(8, 8, 3, 2), "y"),
            "rows: not one input channel per group\npixels: not one input channel per group\n"
            "matrix: weights of 2 groups are not packed\npacked: weights of 2 groups are not packed\ndot\n");
  EXPECT_EQ(fitting(convolution(8, 8, 3, 8), "y"),
            "rows\npixels\nmatrix: weights of 8 groups are not packed\n"
            "packed: weights of 8 groups are not packed\ndot\n");
  EXPECT_EQ(fitting(convolution(8, 16, 3, 8), "y"),
            "rows: it makes 16 outputs of 8 channels\npixels\nmatrix: weights of 8 groups are not packed\n"
            "packed: weights of 8 groups are not packed\ndot\n");
}

TEST(Forms, OfOtherElementsHaveNoPackedWeights) {
  EXPECT_EQ(fitting(convolution(8, 8, 3, 8, "u16"), "y"),
            "rows: its elements are no bytes\npixels\nmatrix: weights of 8 groups are not packed\n"
            "packed: weights of 8 groups are not packed\ndot\n");
  EXPECT_EQ(fitting(convolution(4, 4, 3, 1, "u16"), "y"),
            "rows: not one input channel per group\npixels: not one input channel per group\n"
            "matrix: its weights are no bytes\npacked: its weights are no bytes\ndot\n");
  const std::string other = "floats of a depthwise convolution are added in another order\n";
  EXPECT_EQ(
      fitting(convolution(8, 8, 3, 8, "f32"), "y"),
      "rows: its elements are no bytes\npixels\nmatrix: " + other + "packed: " + other + "dot: " + other);
}

TEST(Forms, OfATargetAreThoseItHas) {
  const graph::Graph graph = convolution(32, 4, 3, 1);
  EXPECT_NE(fitting(graph, "y", Machine::Arm64)
                .find("matrix: Target=arm64 has no instructions for matrices\npacked\n"),
            std::string::npos);
  EXPECT_NE(fitting(graph, "y", Machine::CortexM)
                .find("packed: Target=cortex-m has no kernels on packed weights\ndot\n"),
            std::string::npos);
}

TEST(Forms, HaveOneNameEach) {
  for (const std::string& type : kernels().operators()) {
    std::set<std::string_view> known;
    for (const program::Kernel* kernel : kernels().kernels()) {
      const auto types = kernel->operators();
      if (std::find(types.begin(), types.end(), type) == types.end()) continue;
      for (const program::Form& form : kernel->forms())
        EXPECT_TRUE(known.insert(form.name).second) << type << " " << form.name;
    }
  }
  const std::vector<std::string> names = form_names(kernels());
  for (const char* name : {"dot", "matrix", "max_pool", "packed", "pixels", "rows"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

LayerSection section(const std::string& mask, const std::string& form, int line) {
  LayerSection out{mask, {"p.ini", line}, {}};
  out.values.kernel.name = form;
  out.kernel_at = {"p.ini", line + 1};
  return out;
}

/// What the network's one convolution is computed by; or the error.
std::string chosen(const graph::Graph& graph, const std::vector<LayerSection>& sections,
                   Options options = {}) {
  options.parameters.layers = sections;
  try {
    const PlannedNetwork network = plan_network(graph, {{graph.outputs().at(0), 4}}, options);
    const std::vector<FormOfCall> calls = forms_of_calls(network.program(), network.why);
    return fmt::format("{} {}: {}", calls.back().kernel, calls.back().form, calls.back().why);
  } catch (const ExportError& error) {
    return error.what();
  }
}

TEST(ChooseForms, TakesTheFirstThatFitsWhereNobodyAsks) {
  EXPECT_EQ(chosen(convolution(32, 4, 3, 1), {}), "conv2d matrix: the first that fits");
  EXPECT_EQ(chosen(convolution(4, 4, 3, 1), {}), "conv2d packed: the first that fits");
  EXPECT_EQ(chosen(convolution(8, 8, 3, 8), {}), "conv2d_depthwise rows: the first that fits");
  Options cortex;
  cortex.parameters.machine = Machine::CortexM;
  EXPECT_EQ(chosen(convolution(32, 4, 3, 1), {}, cortex), "conv2d dot: the first that fits");
}

TEST(ChooseForms, TakesWhatIsAskedOfTheLayer) {
  EXPECT_EQ(chosen(convolution(4, 4, 3, 1), {section("y", "dot", 3)}), "conv2d dot: asked for by [y]");
  EXPECT_EQ(chosen(convolution(8, 8, 3, 8), {section("y", "dot", 3)}), "conv2d dot: asked for by [y]");
  EXPECT_EQ(chosen(convolution(8, 8, 3, 8), {section("y*", "pixels", 3)}),
            "conv2d_depthwise pixels: asked for by [y*]");
  EXPECT_EQ(chosen(convolution(4, 4, 3, 1), {section("y", "auto", 3), section("default", "dot", 5)}),
            "conv2d packed: the first that fits");
}

TEST(ChooseForms, SaysWhyAFormDoesNotFitTheLayer) {
  EXPECT_EQ(chosen(convolution(8, 8, 3, 2), {section("y", "packed", 3)}),
            "p.ini:4: [y] Kernel: 'packed' does not compute this Conv: weights of 2 groups are not packed\n"
            "  hint: these do: auto, dot");
}

TEST(ChooseForms, LeavesLayersAloneThatAWishDoesNotFit) {
  const graph::Graph both = graph::from_text(
      "input sp : u8 1x4x4x4 nhwc quant(8 unsigned -1 1)\nconstant w : i8 8x4x1x1 nhwc =" + zeros(32) +
          "\nconstant b : i32 8 =" + zeros(8) + "\nconstant v : i8 8x1x1x1 nhwc =" + zeros(8) +
          "\nx : u8 1x8x4x4 nhwc quant(8 unsigned -1 1) = Conv(sp, w, b) NbOutputs=\"8\" KernelDims=\"1 1\" "
          "rescale=\"Floating-point 0 255 0 : 0.01 :\"\n"
          "y : u8 1x8x4x4 nhwc quant(8 unsigned -1 1) = Conv(x, v, b) NbOutputs=\"8\" KernelDims=\"1 1\" "
          "Groups=\"8\" rescale=\"Floating-point 0 255 0 : 0.01 :\"\noutput y\n",
      ops::registry(), "net.txt");
  EXPECT_EQ(
      chosen(both, {section("default", "packed", 3)}),
      "conv2d_depthwise rows: the first that fits; 'packed' of [default] does not: weights of 8 groups are "
      "not packed");
  EXPECT_EQ(
      chosen(both, {section("y*", "packed", 3)}),
      "p.ini:4: [y*] Kernel: 'packed' computes none of its layers: Conv [y]: weights of 8 groups are not "
      "packed");
  EXPECT_EQ(
      chosen(both, {section("default", "max_pool", 3)}),
      "p.ini:4: [default] Kernel: 'max_pool' computes none of its layers: Conv [x]: a Conv has no such form");
}

TEST(FormsCsv, QuotesWhatHasCommas) {
  EXPECT_EQ(
      forms_csv({{"a,b", "conv2d", "dot", "the first, \"packed\" does not fit"}, {"c", "fc", "packed", "x"}}),
      "layer,kernel,form,why\n"
      "\"a,b\",conv2d,dot,\"the first, \"\"packed\"\" does not fit\"\nc,fc,packed,x\n");
}

}  // namespace
}  // namespace n2d2::targets::cpp
