// Which kernels are there to test, in which layers? This is the one table of kernels.
//
// tests/program runs each case in any plan and in any ranges of rows. tests/targets compares the fields of
// its configs with its header. tests/kernels holds its call to the stack. ConfigFields fails for a kernel
// that has no case.
#pragma once

#include <functional>

#include "n2d2/program/loop_nest.hpp"
#include "n2d2/targets/cpp/kernels.hpp"

#include "grown_networks.hpp"
#include "layers.hpp"

namespace n2d2::program {

inline std::string conv_text(const char* outputs, const char* keys) {
  return fmt::format("Conv(sp, @w) NbOutputs=\"{}\" {}", outputs, keys);
}

/// Convolutions and fully connected layers.
inline std::vector<Layer> convolutions() {
  return {
      {"conv",
       {1, 3, 7, 5},
       {1, 4, 7, 5},
       conv_text("4", "KernelDims=\"3 3\" Padding=\"1 1 1 1\""),
       {4, 3, 3, 3}},
      {"conv_stride",
       {1, 3, 9, 4},
       {1, 5, 5, 2},
       conv_text("5", "KernelDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 1\""),
       {5, 3, 3, 3}},
      {"conv_far",
       {1, 2, 9, 4},
       {1, 2, 5, 4},
       conv_text("2", "KernelDims=\"1 3\" Dilation=\"1 2\""),
       {2, 2, 3, 1}},
      {"conv_pointwise", {1, 6, 6, 5}, {1, 3, 6, 5}, conv_text("3", "KernelDims=\"1 1\""), {3, 6, 1, 1}},
      {"conv_large",
       {1, 70, 4, 3},
       {1, 80, 4, 3},
       conv_text("80", "KernelDims=\"3 3\" Padding=\"1 1 1 1\""),
       {80, 70, 3, 3},
       "Floating-point 0 255 0 : 0.0005 :"},
      {"depthwise",
       {1, 8, 7, 5},
       {1, 8, 7, 5},
       conv_text("8", "KernelDims=\"3 3\" Padding=\"1 1 1 1\" Groups=\"8\""),
       {8, 1, 3, 3}},
      {"depthwise_stride",
       {1, 6, 8, 6},
       {1, 12, 4, 3},
       conv_text("12", "KernelDims=\"2 2\" Stride=\"2 2\" Groups=\"6\""),
       {12, 1, 2, 2}},
      {"fc", {1, 4, 3, 3}, {1, 20, 1, 1}, "Fc(sp, @w) NbOutputs=\"20\"", {20, 36}},
  };
}

/// Convolutions of maps of one row, which are stored as columns.
inline std::vector<Layer> convolutions_of_one_row() {
  return {
      {"conv_one_row",
       {1, 3, 1, 12},
       {1, 4, 1, 6},
       conv_text("4", "KernelDims=\"3 1\" Stride=\"2 1\" Padding=\"1 0 1 0\""),
       {4, 3, 1, 3}},
      {"conv_to_one_row",
       {1, 3, 3, 6},
       {1, 3, 1, 6},
       conv_text("3", "KernelDims=\"3 3\" Padding=\"1 0 1 0\""),
       {3, 3, 3, 3}},
      {"conv_from_one_row",
       {1, 3, 1, 6},
       {1, 3, 3, 6},
       conv_text("3", "KernelDims=\"1 1\" Padding=\"0 1 0 1\""),
       {3, 3, 1, 1}},
  };
}

inline std::vector<Layer> pools() {
  return {
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
      {"average_counted",
       {1, 5, 6, 6},
       {1, 5, 4, 3},
       "Pool(sp) PoolDims=\"2 3\" Stride=\"2 2\" Padding=\"0 1 0 2\" UncountedPadding=\"0 1 0 1\" "
       "Pooling=\"Average\"",
       {},
       "Floating-point 0 255 0 : 1 0.5 0.33333334 0.25 0.2 0.16666667 :"},
  };
}

/// Layers that move or resample values.
inline std::vector<Layer> moves() {
  return {
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
      {"border_of_one_value",
       {1, 3, 4, 5},
       {1, 3, 7, 6},
       "Border(sp, @f) Mode=\"Constant\" TopPadding=\"1\" BottomPadding=\"2\" RightPadding=\"1\""},
      {"concat_part", {1, 3, 4, 3}, {1, 3, 4, 3}, "Concat(sp)"},
      {"transpose_rows_stay", {1, 3, 4, 5}, {1, 5, 4, 3}, "Transpose(sp) Perm=\"2 1 0\""},
      {"transpose_turns", {1, 3, 4, 5}, {1, 4, 5, 3}, "Transpose(sp) Perm=\"2 0 1\""},
      {"transpose_one_row", {1, 3, 1, 5}, {1, 5, 1, 3}, "Transpose(sp) Perm=\"2 1 0\""},
      {"transpose_from_one_row", {1, 3, 1, 5}, {1, 3, 5, 1}, "Transpose(sp) Perm=\"1 0 2\""},
      {"transpose_to_one_row", {1, 1, 4, 5}, {1, 4, 1, 5}, "Transpose(sp) Perm=\"0 2 1\""},
      {"depth_to_space", {1, 12, 3, 2}, {1, 3, 6, 4}, "DepthToSpace(sp) BlockSize=\"2\""},
      {"depth_to_space_cropped",
       {1, 12, 3, 4},
       {1, 2, 7, 7},
       "DepthToSpace(sp) BlockSize=\"2\" BlockRows=\"3\" Order=\"CRD\" Crop=\"1 2 0 0\""},
      {"depth_to_space_one_row",
       {1, 6, 1, 5},
       {1, 2, 1, 13},
       "DepthToSpace(sp) BlockSize=\"3\" BlockRows=\"1\" Order=\"CRD\" Crop=\"1 0 1 0\""},
      {"depth_to_space_cropped_to_one_row",
       {1, 12, 1, 5},
       {1, 2, 1, 9},
       "DepthToSpace(sp) BlockSize=\"2\" BlockRows=\"3\" Order=\"CRD\" Crop=\"1 2 0 0\""},
      {"space_to_depth", {1, 3, 6, 4}, {1, 12, 3, 2}, "DepthToSpace(sp) BlockSize=\"2\" ToDepth=\"1\""},
      {"space_to_depth_one_row",
       {1, 2, 1, 15},
       {1, 6, 1, 5},
       "DepthToSpace(sp) BlockSize=\"3\" BlockRows=\"1\" Order=\"CRD\" ToDepth=\"1\""},
      {"reshape_map", {1, 3, 4, 2}, {1, 2, 3, 4}, "Reshape(sp) Dims=\"4 3 2\""},
      {"reshape_map_to_one_row", {1, 3, 4, 2}, {1, 4, 1, 6}, "Reshape(sp) Dims=\"6 1 4\""},
      {"border_mirrored",
       {1, 3, 4, 5},
       {1, 3, 8, 8},
       "Border(sp) Mode=\"Reflect\" TopPadding=\"3\" BottomPadding=\"1\" RightPadding=\"3\""},
      {"border_of_edges_one_row",
       {1, 3, 1, 5},
       {1, 3, 1, 12},
       "Border(sp) Mode=\"Edge\" LeftPadding=\"3\" RightPadding=\"4\""},
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
  };
}

/// Layers that compute each value of its own pixel alone.
inline std::vector<Layer> pointwise_layers() {
  return {
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
       "Fixed-point32 0 255 2 -9 : : 1 1"},
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
      {"sum_with_constant",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "ElemWise(sp, @k) Operation=\"Sum\" ConstantsFrom=\"1\"",
       {},
       "Fixed-point32 0 255 2 : : 1 1"},
      {"maximum",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "ElemWise(sp, sp, @k) Operation=\"Max\" ConstantsFrom=\"2\"",
       {},
       "Fixed-point32 0 255 2 -9 : : 3 4 2"},
      {"minimum_one_row",
       {1, 9, 1, 5},
       {1, 9, 1, 5},
       "ElemWise(sp, @k) Operation=\"Min\" ConstantsFrom=\"1\"",
       {},
       "Fixed-point32 0 255 2 : : 3 4"},
      {"product_one_row",
       {1, 9, 1, 5},
       {1, 9, 1, 5},
       "ElemWise(sp, sp) Operation=\"Prod\"",
       {},
       "Fixed-point32 0 255 8 : : 1"},
  };
}

/// Products of a map with itself.
inline std::vector<Layer> products_of_maps() {
  return {
      {"matmul_transposed",
       {1, 6, 4, 5},
       {1, 40, 4, 5},
       "MatMul(sp, sp) Groups=\"2\" Transposed=\"1\"",
       {},
       "Floating-point 0 255 0 9 : 0.001 :"},
      {"matmul",
       {1, 24, 4, 3},
       {1, 24, 4, 3},
       "MatMul(sp, sp) Groups=\"2\"",
       {},
       "Fixed-point32 0 255 9 : : 1"},
      {"matmul_one_row",
       {1, 10, 1, 5},
       {1, 10, 1, 5},
       "MatMul(sp, sp) Groups=\"2\"",
       {},
       "Floating-point -128 127 0 : 0.001 :",
       DataType::I8},
      {"matmul_in_floats",
       {1, 6, 1, 5},
       {1, 15, 1, 5},
       "MatMul(sp, sp) Groups=\"3\" Transposed=\"1\" Factor=\"0.5\"",
       {},
       "",
       DataType::F32},
  };
}

/// Functions, by table and in floats.
inline std::vector<Layer> functions() {
  return {
      {"look_up", {1, 9, 4, 5}, {1, 9, 4, 5}, "Nonlinearity(sp, @t) Function=\"Tanh\""},
      {"look_up_signed",
       {1, 9, 1, 5},
       {1, 9, 1, 5},
       "Nonlinearity(sp, @t) Function=\"Tanh\"",
       {},
       "Floating-point 0 255 0 : 1 :",
       DataType::I8},
      {"lstm",
       {1, 7, 1, 5},
       {1, 6, 1, 5},
       "Recurrent(sp, @q) HiddenSize=\"6\"",
       {24, 7, 6},
       "Fixed-point32 -128 127 30 : : 8192",
       DataType::I8},
      {"lstm_both_ways_last_step",
       {1, 5, 4, 1},
       {1, 6, 1, 1},
       "Recurrent(sp, @q) HiddenSize=\"3\" Direction=\"Both\" LastStep=\"1\"",
       {24, 5, 3},
       "Floating-point -128 127 0 : 7.6e-6 :",
       DataType::I8},
      {"gru",
       {1, 7, 1, 5},
       {1, 6, 1, 5},
       "Recurrent(sp, @q) Cell=\"GRU\" HiddenSize=\"6\" Direction=\"Reverse\"",
       {18, 7, 6},
       "Fixed-point32 -128 127 30 : : 8192",
       DataType::I8},
      {"gru_linear",
       {1, 7, 1, 5},
       {1, 6, 1, 5},
       "Recurrent(sp, @q) Cell=\"GRU\" HiddenSize=\"6\" LinearBeforeReset=\"1\"",
       {18, 7, 6},
       "Fixed-point32 -128 127 30 : : 8192",
       DataType::I8},
      {"rnn",
       {1, 7, 1, 5},
       {1, 6, 1, 5},
       "Recurrent(sp, @q) Cell=\"RNN\" HiddenSize=\"6\"",
       {6, 7, 6},
       "Fixed-point32 -128 127 30 : : 8192",
       DataType::I8},
      {"gru_in_floats",
       {1, 7, 1, 5},
       {1, 6, 1, 5},
       "Recurrent(sp, @q) Cell=\"GRU\" HiddenSize=\"6\"",
       {18, 7, 6},
       "",
       DataType::F32},
      {"softmax", {1, 6, 4, 5}, {1, 6, 4, 5}, "Softmax(sp, @p)", {}, "Floating-point 0 255 0 : 1.5e-5 :"},
      {"softmax_groups",
       {1, 6, 1, 5},
       {1, 6, 1, 5},
       "Softmax(sp, @p) GroupSize=\"3\"",
       {},
       "Floating-point 0 255 0 : 1.5e-5 :"},
      {"layer_norm",
       {1, 6, 4, 5},
       {1, 6, 4, 5},
       "LayerNorm(sp, @n)",
       {},
       "Floating-point 0 255 0 40 : 0.001 :"},
      {"layer_norm_one_row",
       {1, 6, 1, 5},
       {1, 6, 1, 5},
       "LayerNorm(sp, @n) Centered=\"0\"",
       {},
       "Fixed-point32 -128 127 10 : : 1",
       DataType::I8},
      {"layer_norm_in_floats", {1, 9, 4, 5}, {1, 9, 4, 5}, "LayerNorm(sp, @n)", {}, "", DataType::F32},
      {"lrn", {1, 9, 4, 5}, {1, 9, 4, 5}, "LRN(sp, @c) N=\"4\"", {}, "Floating-point 0 255 0 : 2.4e-7 :"},
      {"lrn_one_row", {1, 2, 1, 5}, {1, 2, 1, 5}, "LRN(sp) N=\"9\"", {}, "", DataType::F32},
      {"log_softmax",
       {1, 6, 4, 5},
       {1, 6, 4, 5},
       "LogSoftmax(sp, @l)",
       {},
       "Floating-point -128 127 0 : 1e-3 :",
       DataType::I8},
      {"function", {1, 9, 4, 5}, {1, 9, 4, 5}, "Nonlinearity(sp) Function=\"Tanh\"", {}, "", DataType::F32},
      {"prelu", {1, 9, 4, 5}, {1, 9, 4, 5}, "PRelu(sp, @s)", {}, "", DataType::F32},
      {"threshold",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "Threshold(sp) Operation=\"Truncate\" Threshold=\"0.25\"",
       {},
       "",
       DataType::F32},
  };
}

/// Layers that one call computes alone.
inline std::vector<Layer> single_layers() {
  std::vector<Layer> out;
  for (const auto group :
       {convolutions, convolutions_of_one_row, pools, moves, pointwise_layers, products_of_maps, functions})
    for (Layer& layer : group()) out.push_back(std::move(layer));
  return out;
}

/// A lane that is reshaped to other channels cannot stay in place.
inline Planned copied_reshape() {
  const std::string pool = " : u8 1x1x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n";
  std::string text = "input sp : u8 1x1x2x2 nhwc @\na" + pool + "b" + pool +
                     "c : u8 1x2x2x2 nhwc @ = Concat(a, b)\n"
                     "r : u8 1x4x1x1 nhwc @ = Reshape(a) Dims=\"1 1 4\"\noutput c\noutput r\n";
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, "quant(8 unsigned -1 0.5)");
  graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return planned(std::move(graph), {{output, 2}});
}

/// The program with loop nests of all its chains, of slices of so many channels at most.
inline Program nested(Program program, int channels) {
  Peephole rewrites;
  for (const Chain& chain : chains_of(program))
    rewrites.combiners.push_back(loop_nest(chain, channels, targets::cpp::kernels()));
  rewrite(program, rewrites);
  return program;
}

/// The loop nest of a convolution, a depthwise one and one of 1 x 1.
inline Planned loop_nest_of_maps() {
  Networks n({"sp", 2, 3, 4});
  const Map a = n.conv({"sp", 2, 3, 4}, 4, 1, 1, 0), b = n.conv(a, 4, 3, 1, 1, 4);
  return with_plan(nested(n.program({n.conv(b, 3, 1, 1, 0)}), 2));
}

/// The loop nest of two fully connected layers.
inline Planned loop_nest_of_vectors() {
  Networks n({"sp", 2, 3, 4});
  return with_plan(nested(n.program({n.fc(n.fc({"sp", 2, 3, 4}, 6), 3)}), 2));
}

/// The two calls of an average over a map.
inline Planned added_rows() {
  graph::Graph graph = graph::from_text(
      "input sp : u8 1x2x3x2 nhwc quant(8 unsigned -1 0.5)\n"
      "a : u8 1x2x1x1 nhwc quant(8 unsigned -1 0.5) = Pool(sp) PoolDims=\"2 3\" Pooling=\"Average\" "
      "rescale=\"Floating-point 0 255 0 : 0.16 :\"\noutput a\n",
      ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  MemorySettings settings;
  settings.peephole.expanders.push_back(running_sums(targets::cpp::kernels()));
  return planned(std::move(graph), {{output, 2}}, settings);
}

/// A program that calls a kernel.
struct KernelCase {
  std::string name;
  std::function<Planned()> planned;
  friend void PrintTo(const KernelCase& each, std::ostream* out) { *out << each.name; }
};

/// Single layers, and programs of several calls or of calls that only a rewrite makes.
inline std::vector<KernelCase> kernel_cases() {
  std::vector<KernelCase> out;
  for (const Layer& layer : single_layers())
    out.push_back({layer.name, [layer] { return planned_of(layer); }});
  out.push_back({"reshape", copied_reshape});
  out.push_back({"loop_nest_of_maps", loop_nest_of_maps});
  out.push_back({"loop_nest_of_vectors", loop_nest_of_vectors});
  out.push_back({"added_rows", added_rows});
  return out;
}

}  // namespace n2d2::program
