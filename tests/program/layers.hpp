// How is a layer of a kernel planned alone?
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
  /// "@w" stands for weights and biases, "@t" for a table of outputs, "@p" for powers of a softmax, "@s" for
  /// a slope a channel, "@q" for the constants of a recurrent layer, "@n" for the terms of a normalization,
  /// "@k" for a constant of the size of the output, "@f" for an integer around a map, "@c" for a curve over
  /// sums of squares, "@l" for powers and logarithms.
  std::string op;
  Shape weights = {};  ///< O,I,KH,KW of a Conv, O,I of an Fc, rows, I and units of a recurrent layer
  const char* rescale = "Floating-point 0 255 0 : 0.013 :";
  DataType type = DataType::U8;  ///< of both maps
  friend void PrintTo(const Layer& layer, std::ostream* out) { *out << layer.name; }
};

/// Weights, recurrent weights, and a table or biases.
inline std::string constants_of_sequence(const Layer& layer, Rng& rng) {
  const bool is_float = layer.type == DataType::F32;
  const auto matrix = [&](const char* name, int64_t rows, int64_t columns) {
    std::string out = fmt::format("constant {} : {} {}x{} =", name, is_float ? "f32" : "i8", rows, columns);
    for (int64_t i = 0; i < rows * columns; ++i) {
      const int drawn = static_cast<int>(rng.below(200)) - 100;
      out += is_float ? fmt::format(" {}", drawn / 128.0) : fmt::format(" {}", drawn);
    }
    return out + "\n";
  };
  const int64_t rows = layer.weights[0];
  std::string out = matrix("qw", rows, layer.weights[1]) + matrix("qr", rows, layer.weights[2]);
  if (is_float) {
    out += fmt::format("constant qt : f32 {} =", 2 * rows);
    for (int64_t i = 0; i < 2 * rows; ++i)
      out += fmt::format(" {}", static_cast<double>(rng.below(64)) / 64 - 0.5);
    return out + "\n";
  }
  out += fmt::format("constant qt : i32 {}x4 = 20 0 0 0", rows + 1);
  for (int64_t i = 0; i < rows; ++i)
    out +=
        fmt::format(" {} {} {} {}", 500000 + rng.below(2000000), 500000 + rng.below(2000000),
                    static_cast<int>(rng.below(90000)) - 45000, static_cast<int>(rng.below(90000)) - 45000);
  return out + "\n";
}

inline std::string constants_of(const Layer& layer, Rng& rng) {
  if (layer.weights.rank() == 0) return {};
  if (layer.weights.rank() == 3) return constants_of_sequence(layer, rng);
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

/// Makes names of constants of all "@" but "@w" of the operator text, and returns the lines of the constants.
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
  if (const size_t at = op.find("@n"); at != std::string::npos) {
    op.replace(at, 2, "n");
    const bool is_float = layer.type == DataType::F32;
    out += is_float ? fmt::format("constant n : f32 {} =", layer.output.c())
                    : fmt::format("constant n : i32 {}x2 = 900 0 16 0", layer.output.c() + 2);
    for (int64_t k = 0; k < layer.output.c(); ++k)
      out += is_float ? fmt::format(" {}", 0.25 * static_cast<double>(k - 2))
                      : fmt::format(" {} {}", 400'000 * (k % 5 - 1), 30'000 * (k % 3));
    out += "\n";
  }
  if (const size_t at = op.find("@s"); at != std::string::npos) {
    op.replace(at, 2, "s");
    out += fmt::format("constant s : f32 1x{}x1x1 =", layer.output.c());
    for (int64_t k = 0; k < layer.output.c(); ++k)
      out += fmt::format(" {}", 0.25 * static_cast<double>(k - 2));
    out += "\n";
  }
  if (const size_t at = op.find("@k"); at != std::string::npos) {
    op.replace(at, 2, "k");
    out += fmt::format("constant k : u8 {} nhwc quant(8 unsigned -1 1) =", layer.output.text());
    for (int64_t i = 0; i < layer.output.elements(); ++i) out += fmt::format(" {}", i * 29 % 256);
    out += "\n";
  }
  const auto rows = [&](const char* name, int count, int length, int first, int step) {
    out += fmt::format("constant {} : i32 {}x{} =", name, count, length);
    for (int i = 0; i < count * length; ++i)
      out += fmt::format(" {}", std::max(1, first - step * (i % length)));
    out += "\n";
  };
  if (const size_t at = op.find("@c"); at != std::string::npos) {
    op.replace(at, 2, "c");
    rows("c", 1, 1024, 4194304, 4000);
  }
  if (const size_t at = op.find("@l"); at != std::string::npos) {
    op.replace(at, 2, "l");
    rows("l", 2, 256, 65536, 300);
  }
  if (const size_t at = op.find("@f"); at != std::string::npos) {
    op.replace(at, 2, "f");
    out += "constant f : u8 1x1 = 201\n";
  }
  return out;
}

inline Planned planned_of(const Layer& layer) {
  Rng rng(5);
  std::string op = layer.op;
  if (const size_t at = op.find("@w"); at != std::string::npos) op.replace(at, 2, "w, b");
  if (const size_t at = op.find("@q"); at != std::string::npos) op.replace(at, 2, "qw, qr, qt");
  const std::string tables = tables_of(layer, op);
  const bool is_float = layer.type == DataType::F32;
  const std::string scale = is_float                     ? ""
                            : layer.type == DataType::I8 ? " quant(8 signed -1 1)"
                                                         : " quant(8 unsigned -1 1)";
  const std::string rescale = is_float ? "" : fmt::format(" rescale=\"{}\"", layer.rescale);
  const std::string text = fmt::format(
      "input sp : {0} {1} nhwc{2}\n{3}y : {0} {4} nhwc{2} = {5}{6}\noutput y\n", to_string(layer.type),
      layer.input.text(), scale, constants_of(layer, rng) + tables, layer.output.text(), op, rescale);
  graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return planned(std::move(graph), {{output, 2}});
}

/// Integers of every size that the input of a program holds; floats of both signs.
inline Tensor sample_of(const Program& program) {
  const TensorType& type = program.graph.value(program.input()).type;
  Rng rng(7);
  Tensor out(type.shape, type.dtype);
  for (int64_t i = 0; i < out.elements(); ++i) {
    const uint64_t byte = rng.below(256);
    if (type.dtype == DataType::F32)
      out.data<float>()[i] = static_cast<float>(byte) / 64 - 2;
    else
      static_cast<uint8_t*>(out.raw())[i] = static_cast<uint8_t>(byte);
  }
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

}  // namespace n2d2::program
