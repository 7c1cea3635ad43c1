// One layer a kernel, in the forms that matter to places and rows.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/program/plan.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

namespace n2d2::program {

/// Planned with the kernels of `-export CPP`.
inline Planned planned(graph::Graph graph, std::vector<Output> outputs, const MemorySettings& settings = {}) {
  const Lowering lowering(std::move(graph), std::move(outputs), targets::cpp::kernels(),
                          [](const graph::Node& node, const std::string& reasons) {
                            ADD_FAILURE() << node.name << ": " << reasons;
                          });
  return plan(lowering, settings, "test");
}

struct Layer {
  const char* name;
  Shape input, output;
  std::string
      op;  ///< "@w" stands for weights and biases, "@t" for a table of outputs, "@p" for powers of a softmax
  Shape weights = {};  ///< O,I,KH,KW of a Conv, O,I of an Fc
  const char* rescale = "Floating-point 0 255 0 : 0.013 :";
  DataType type = DataType::U8;  ///< of both maps
  friend void PrintTo(const Layer& layer, std::ostream* out) { *out << layer.name; }
};

inline std::string constants_of(const Layer& layer, Rng& rng) {
  if (layer.weights.rank() == 0) return {};
  const auto values = [&](int64_t count, int range) {
    std::string out;
    for (int64_t i = 0; i < count; ++i)
      out += fmt::format(" {}", static_cast<int>(rng.below(static_cast<uint64_t>(range))) - range / 2);
    return out;
  };
  return fmt::format("constant w : i8 {}{} ={}\nconstant b : i32 {} ={}\n", layer.weights.text(),
                     layer.weights.rank() == 4 ? " nhwc" : "", values(layer.weights.elements(), 200),
                     layer.weights[0], values(layer.weights[0], 900));
}

/// Makes "@t" and "@p" of the operator text names of constants, and returns their lines.
inline std::string tables_of(const Layer& layer, std::string& op) {
  std::string out;
  if (const size_t at = op.find("@t"); at != std::string::npos) {
    op.replace(at, 2, "t");
    out = fmt::format("constant t : {} 1x256 =", to_string(layer.type));
    for (int i = 0; i < 256; ++i) out += fmt::format(" {}", i * 77 % 128);
    out += "\n";
  }
  if (const size_t at = op.find("@p"); at != std::string::npos) {
    op.replace(at, 2, "p");
    out += "constant p : i32 1x4 = 65536 30000 9000 100\n";
  }
  return out;
}

inline Planned planned_of(const Layer& layer) {
  Rng rng(5);
  std::string op = layer.op;
  if (const size_t at = op.find("@w"); at != std::string::npos) op.replace(at, 2, "w, b");
  const std::string tables = tables_of(layer, op);
  const bool is_signed = layer.type == DataType::I8;
  const std::string scale = is_signed ? "quant(8 signed -1 1)" : "quant(8 unsigned -1 1)";
  const std::string text =
      fmt::format("input sp : {0} {1} nhwc {2}\n{3}y : {0} {4} nhwc {2} = {5} rescale=\"{6}\"\noutput y\n",
                  to_string(layer.type), layer.input.text(), scale, constants_of(layer, rng) + tables,
                  layer.output.text(), op, layer.rescale);
  graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return planned(std::move(graph), {{output, 2}});
}

/// Integers of every size that the input holds.
inline Tensor sample_of(const Layer& layer) {
  Rng rng(7);
  Tensor out(layer.input, layer.type);
  auto* bytes = static_cast<uint8_t*>(out.raw());
  for (int64_t i = 0; i < out.elements(); ++i) bytes[i] = static_cast<uint8_t>(rng.below(256));
  return out;
}

/// a = Pool(sp), y = x + Conv(a), with x = `addend`: "sp" or "a". Integers of one scale.
inline graph::Graph residual(const std::string& addend) {
  const std::string type = " : u8 1x3x5x4 nhwc quant(8 unsigned -1 1)";
  const Layer conv{"", {}, {}, "", {3, 3, 3, 3}};
  Rng rng(9);
  return graph::from_text("input sp" + type + "\n" + constants_of(conv, rng) + "a" + type +
                              " = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\nc" + type +
                              " = Conv(a, w, b) NbOutputs=\"3\" KernelDims=\"3 3\" Padding=\"1 1 1 1\" "
                              "rescale=\"Floating-point 0 255 0 : 0.013 :\"\ny" +
                              type + " = ElemWise(" + addend +
                              ", c) Operation=\"Sum\" rescale=\"Fixed-point32 0 255 2 : : 3 2\"\noutput y\n",
                          ops::registry(), "net.txt");
}

inline std::vector<Layer> layers() {
  const auto with = [](const char* outputs, const char* keys) {
    return fmt::format("Conv(sp, @w) NbOutputs=\"{}\" {}", outputs, keys);
  };
  return {
      {"conv", {1, 3, 7, 5}, {1, 4, 7, 5}, with("4", "KernelDims=\"3 3\" Padding=\"1 1 1 1\""), {4, 3, 3, 3}},
      {"conv_stride",
       {1, 3, 9, 4},
       {1, 5, 5, 2},
       with("5", "KernelDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 1\""),
       {5, 3, 3, 3}},
      {"conv_far",
       {1, 2, 9, 4},
       {1, 2, 5, 4},
       with("2", "KernelDims=\"1 3\" Dilation=\"1 2\""),
       {2, 2, 3, 1}},
      {"conv_pointwise", {1, 6, 6, 5}, {1, 3, 6, 5}, with("3", "KernelDims=\"1 1\""), {3, 6, 1, 1}},
      {"conv_one_row",
       {1, 3, 1, 12},
       {1, 4, 1, 6},
       with("4", "KernelDims=\"3 1\" Stride=\"2 1\" Padding=\"1 0 1 0\""),
       {4, 3, 1, 3}},
      {"conv_to_one_row",
       {1, 3, 3, 6},
       {1, 3, 1, 6},
       with("3", "KernelDims=\"3 3\" Padding=\"1 0 1 0\""),
       {3, 3, 3, 3}},
      {"conv_from_one_row",
       {1, 3, 1, 6},
       {1, 3, 3, 6},
       with("3", "KernelDims=\"1 1\" Padding=\"0 1 0 1\""),
       {3, 3, 1, 1}},
      {"conv_large",
       {1, 70, 4, 3},
       {1, 80, 4, 3},
       with("80", "KernelDims=\"3 3\" Padding=\"1 1 1 1\""),
       {80, 70, 3, 3},
       "Floating-point 0 255 0 : 0.0005 :"},
      {"depthwise",
       {1, 8, 7, 5},
       {1, 8, 7, 5},
       with("8", "KernelDims=\"3 3\" Padding=\"1 1 1 1\" Groups=\"8\""),
       {8, 1, 3, 3}},
      {"depthwise_stride",
       {1, 6, 8, 6},
       {1, 12, 4, 3},
       with("12", "KernelDims=\"2 2\" Stride=\"2 2\" Groups=\"6\""),
       {12, 1, 2, 2}},
      {"max_pool",
       {1, 5, 8, 6},
       {1, 5, 4, 3},
       "Pool(sp) PoolDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 1\" Pooling=\"Max\""},
      {"max_pool_wide",
       {1, 70, 5, 3},
       {1, 70, 5, 3},
       "Pool(sp) PoolDims=\"3 3\" Padding=\"1 1 1 1\" Pooling=\"Max\""},
      {"average_pool",
       {1, 5, 6, 6},
       {1, 5, 3, 3},
       "Pool(sp) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Average\"",
       {},
       "Floating-point 0 255 0 : 0.25 :"},
      {"padding",
       {1, 3, 5, 4},
       {1, 3, 8, 5},
       "Padding(sp) TopPadding=\"1\" BottomPadding=\"2\" LeftPadding=\"0\" RightPadding=\"1\""},
      {"crop",
       {1, 3, 8, 5},
       {1, 3, 5, 4},
       "Padding(sp) TopPadding=\"-2\" BottomPadding=\"-1\" LeftPadding=\"-1\" RightPadding=\"0\""},
      {"padding_one_row",
       {1, 4, 1, 6},
       {1, 4, 1, 9},
       "Padding(sp) TopPadding=\"0\" BottomPadding=\"0\" LeftPadding=\"2\" RightPadding=\"1\""},
      {"scaling", {1, 9, 4, 5}, {1, 9, 4, 5}, "Relu(sp)", {}, "Floating-point 0 255 0 : 0.5 :"},
      {"scaling_one_row", {1, 30, 1, 5}, {1, 30, 1, 5}, "Relu(sp)", {}, "Floating-point 0 255 0 : 0.5 :"},
      {"leaky",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "Relu(sp) LeakSlope=\"0.3\"",
       {},
       "Floating-point -128 127 0 : 2e-5 :",
       DataType::I8},
      {"sum",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "ElemWise(sp, sp) Operation=\"Sum\"",
       {},
       "Fixed-point32 0 255 2 : : 1 1"},
      {"sum_one_pixel",
       {1, 200, 1, 1},
       {1, 200, 1, 1},
       "ElemWise(sp, sp) Operation=\"Sum\"",
       {},
       "Fixed-point32 0 255 2 : : 1 1"},
      {"product",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "ElemWise(sp, sp) Operation=\"Prod\"",
       {},
       "Floating-point 0 255 0 : 0.004 :"},
      {"product_one_row",
       {1, 9, 1, 5},
       {1, 9, 1, 5},
       "ElemWise(sp, sp) Operation=\"Prod\"",
       {},
       "Fixed-point32 0 255 8 : : 1"},
      {"average_counted",
       {1, 5, 6, 6},
       {1, 5, 4, 3},
       "Pool(sp) PoolDims=\"2 3\" Stride=\"2 2\" Padding=\"0 1 0 2\" UncountedPadding=\"0 1 0 1\" "
       "Pooling=\"Average\"",
       {},
       "Floating-point 0 255 0 : 1 0.5 0.33333334 0.25 0.2 0.16666667 :"},
      {"look_up", {1, 9, 4, 5}, {1, 9, 4, 5}, "Nonlinearity(sp, @t) Function=\"Tanh\""},
      {"look_up_signed",
       {1, 9, 1, 5},
       {1, 9, 1, 5},
       "Nonlinearity(sp, @t) Function=\"Tanh\"",
       {},
       "Floating-point 0 255 0 : 1 :",
       DataType::I8},
      {"softmax", {1, 6, 4, 5}, {1, 6, 4, 5}, "Softmax(sp, @p)", {}, "Floating-point 0 255 0 : 1.5e-5 :"},
      {"softmax_groups",
       {1, 6, 1, 5},
       {1, 6, 1, 5},
       "Softmax(sp, @p) GroupSize=\"3\"",
       {},
       "Floating-point 0 255 0 : 1.5e-5 :"},
      {"resize_nearest",
       {1, 3, 4, 5},
       {1, 3, 7, 3},
       "Resize(sp) OutputWidth=\"3\" OutputHeight=\"7\" Mode=\"NearestNeighbor\""},
      {"resize_nearest_one_row",
       {1, 3, 1, 5},
       {1, 3, 1, 9},
       "Resize(sp) OutputWidth=\"9\" OutputHeight=\"1\" Mode=\"NearestNeighbor\""},
      {"resize_linear",
       {1, 3, 4, 5},
       {1, 3, 7, 9},
       "Resize(sp) OutputWidth=\"9\" OutputHeight=\"7\" Mode=\"BilinearTF\" Positions=\"HalfPixel\"",
       {},
       "Floating-point 0 255 0 : 9.5367431640625e-7 :"},
      {"resize_linear_one_row",
       {1, 3, 1, 5},
       {1, 3, 1, 9},
       "Resize(sp) OutputWidth=\"9\" OutputHeight=\"1\" Mode=\"BilinearTF\" Positions=\"HalfPixel\"",
       {},
       "Floating-point 0 255 0 : 9.5367431640625e-7 :"},
      {"concat_part", {1, 3, 4, 3}, {1, 3, 4, 3}, "Concat(sp)"},
      {"fc", {1, 4, 3, 3}, {1, 20, 1, 1}, "Fc(sp, @w) NbOutputs=\"20\"", {20, 36}},
  };
}

}  // namespace n2d2::program
