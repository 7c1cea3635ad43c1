// Layers on the last axis of tensors whose other axes are rows: Dense of Keras, Linear of PyTorch, Einsum.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/conv.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

constexpr int kSteps = 5, kIn = 4, kOut = 3;
/// Sums of four small numbers in float.
constexpr float kRounding = 1e-5F;

std::vector<float> spread(int count, int seed) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<float>((i * 37 + seed * 11) % 29 - 14) / 16);
  return out;
}
ImportOptions pixels() {
  ImportOptions options;
  options.keeps_channels_last = true;
  return options;
}
auto near(const std::vector<float>& expected) {
  return Pointwise(FloatNear(kRounding), expected);
}
std::string equation(const std::string& text) {
  return "attribute { name: 'equation' type: STRING s: '" + text + "' } ";
}

const std::vector<float> kMatrix = spread(kIn * kOut, 1), kBiases{1, -2, 0.5F};

/// Relu(x M + b) of each row of kIn numbers.
std::vector<float> dense(const std::vector<float>& x) {
  std::vector<float> out;
  for (size_t row = 0; row < x.size() / kIn; ++row)
    for (size_t o = 0; o < kOut; ++o) {
      float sum = kBiases[o];
      for (size_t k = 0; k < kIn; ++k) sum += x[row * kIn + k] * kMatrix[k * kOut + o];
      out.push_back(std::max(0.0F, sum));
    }
  return out;
}
/// Steps behind each other -> the map of a tensor N,T,C: its channels are the steps.
std::vector<float> planes(const std::vector<float>& rows, size_t columns) {
  std::vector<float> out;
  for (size_t c = 0; c < columns; ++c)
    for (size_t row = 0; row < rows.size() / columns; ++row) out.push_back(rows[row * columns + c]);
  return out;
}
std::string matrix() {
  return reals("m", {kIn, kOut}, kMatrix) + reals("b", {kOut}, kBiases) + integers("rows", {-1, kIn}) +
         integers("back", {1, kSteps, kOut}) + integers("open", {-1, kSteps, kOut});
}
const std::vector<float> kData = spread(kSteps * kIn, 7);

TEST(ImportRows, AProductOfRowsIsALayerOfEveryStep) {
  const std::string ends = input("x", {0, kSteps, kIn}) + output("y") + matrix();
  const std::string product = node("Reshape", {"x", "rows"}, "r") + node("MatMul", {"r", "m"}, "p");
  for (const std::string& body : {product + node("Reshape", {"p", "back"}, "q") +
                                      node("Add", {"q", "b"}, "s") + node("Relu", {"s"}, "y"),
                                  product + node("Reshape", {"p", "open"}, "q") +
                                      node("Add", {"b", "q"}, "s") + node("Relu", {"s"}, "y"),
                                  product + node("Add", {"p", "b"}, "s") + node("Relu", {"s"}, "f") +
                                      node("Reshape", {"f", "back"}, "y"),
                                  node("Reshape", {"x", "rows"}, "r") + node("Gemm", {"r", "m", "b"}, "g") +
                                      node("Reshape", {"g", "back"}, "q") + node("Relu", {"q"}, "y")}) {
    // Given as the file has it, and as pixels of kIn channels.
    EXPECT_THAT(Net(ends + body, {1, kSteps, 1, kIn}).run(kData), near(dense(kData))) << body;
    const Net net(ends + body, {1, kIn, 1, kSteps}, pixels());
    EXPECT_THAT(net.run(planes(kData, kIn)), near(planes(dense(kData), kOut))) << body;
    EXPECT_EQ(net.only<ops::Conv>().nb_outputs, kOut);
    EXPECT_THAT(net.types(), Not(Contains("Transpose"))) << body;
  }
}

TEST(ImportRows, FunctionsBetweenTheReshapesSeeTheRows) {
  const std::string ends = input("x", {1, kSteps, kIn}) + output("y") + matrix() +
                           node("Reshape", {"x", "rows"}, "r") + node("MatMul", {"r", "m"}, "p") +
                           node("Add", {"p", "b"}, "s");
  for (const std::string& function :
       {node("LeakyRelu", {"s"}, "f"), node("HardSwish", {"s"}, "f"), node("Softplus", {"s"}, "f"),
        reals("low", {}, {0}) + node("Clip", {"s", "low"}, "f"), node("Elu", {"s"}, "f")}) {
    const std::string behind = node("Reshape", {"s", "back"}, "q") + function;
    const auto run = [&](const std::string& body) {
      return Net(ends + body, {1, kIn, 1, kSteps}, pixels(), 14).run(planes(kData, kIn));
    };
    std::string last = function;  // reads q, makes y
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"input: 's'", "input: 'q'"}, {"output: 'f'", "output: 'y'"}})
      last.replace(last.find(from), from.size(), to);
    EXPECT_THAT(run(function + node("Reshape", {"f", "back"}, "y")),
                near(run(node("Reshape", {"s", "back"}, "q") + last)))
        << function;
  }
}

TEST(ImportRows, StepsInFrontOfTheBatchAreRowsToo) {
  const std::vector<float> w = spread(2 * kIn, 3), n = spread(2 * kOut, 4);
  const std::string text =
      input("x", {kSteps, 1, kIn}) + output("y") + reals("w", {1, 2, kIn}, w) +
      reals("v", {1, 2, 2}, {0.5F, 0, 0, 0.5F}) + integers("one", {1}) + integers("rows", {-1, 2}) +
      reals("n", {2, kOut}, n) + reals("b", {kOut}, kBiases) + integers("steps", {kSteps, 1, kOut}) +
      reals("u", {1, 1, kOut}, {1, 1, 1}) + reals("t", {1, 1, 1}, {0.5F}) +
      node("RNN", {"x", "w", "v"}, "s", attribute("hidden_size", 2)) + node("Squeeze", {"s", "one"}, "h") +
      node("Reshape", {"h", "rows"}, "r") + node("Gemm", {"r", "n", "b"}, "p") +
      node("Reshape", {"p", "steps"}, "q") + node("RNN", {"q", "u", "t"}, "z", attribute("hidden_size", 1)) +
      node("Squeeze", {"z", "one"}, "y");
  std::vector<float> wanted;
  double h[2] = {0, 0}, g = 0;
  for (size_t step = 0; step < kSteps; ++step) {
    for (size_t unit = 0; unit < 2; ++unit) {
      double sum = 0.5 * h[unit];
      for (size_t k = 0; k < kIn; ++k) sum += static_cast<double>(kData[step * kIn + k] * w[unit * kIn + k]);
      h[unit] = std::tanh(sum);
    }
    double sum = 0.5 * g;
    for (size_t o = 0; o < kOut; ++o)
      sum += static_cast<double>(kBiases[o]) + h[0] * static_cast<double>(n[o]) +
             h[1] * static_cast<double>(n[kOut + o]);
    g = std::tanh(sum);
    wanted.push_back(static_cast<float>(g));
  }
  EXPECT_THAT(Net(text, {1, kIn, 1, kSteps}, pixels()).run(planes(kData, kIn)), near(wanted));
}

TEST(ImportRows, AnOutputOfRowsHasNoBatch) {
  const std::string text = input("x", {1, kSteps, kIn}) + output("p") + matrix() +
                           node("Reshape", {"x", "rows"}, "r") + node("MatMul", {"r", "m"}, "p");
  EXPECT_THAT(findings(text, {1, kIn, 1, kSteps}, pixels()),
              HasSubstr("net.onnx: output 'p': reads 5x3, whose axis 0 is not the batch\n"
                        "  hint: keep axis 0 in its place"));
}

TEST(ImportRows, AConstantMayBeTheLeftFactor) {
  const std::vector<float> w = spread(kOut * kSteps, 5);
  const std::string text = input("x", {1, kSteps, kIn}) + output("y") + reals("w", {kOut, kSteps}, w) +
                           reals("b", {kOut, 1}, kBiases) + node("MatMul", {"w", "x"}, "p") +
                           node("Add", {"p", "b"}, "y");
  std::vector<float> wanted;
  for (size_t o = 0; o < kOut; ++o)
    for (size_t c = 0; c < kIn; ++c) {
      float sum = kBiases[o];
      for (size_t k = 0; k < kSteps; ++k) sum += w[o * kSteps + k] * kData[k * kIn + c];
      wanted.push_back(sum);
    }
  const Net net(text, {1, kSteps, 1, kIn});
  EXPECT_THAT(net.types(), ElementsAre("Conv"));
  EXPECT_THAT(net.run(kData), near(wanted));
  EXPECT_THAT(Net(text, {1, kIn, 1, kSteps}, pixels()).run(planes(kData, kIn)), near(wanted));
  EXPECT_THAT(findings(input("x", {1, kSteps, kIn}) + output("y") + reals("w", {kOut, 3}, spread(9, 1)) +
                           node("MatMul", {"w", "x"}, "y"),
                       {1, kSteps, 1, kIn}),
              HasSubstr("node 'y' (MatMul): the product of 3x3 and 1x5x4, expected a matrix of 5 columns"));
}

TEST(ImportRows, AConstantOfAnEinsumIsAMatrix) {
  // x T,C by C,H,F, as a projection to heads, and back from H,F to O.
  const std::vector<float> split = spread(kIn * 2 * 3, 2), joint = spread(2 * 3 * kOut, 4);
  const std::string text = input("x", {1, kSteps, kIn}) + output("y") + reals("s", {kIn, 2, 3}, split) +
                           reals("j", {2, 3, kOut}, joint) +
                           node("Einsum", {"x", "s"}, "h", equation("abc,cde->abde")) +
                           reals("b", {2, 3}, spread(6, 6)) + node("Add", {"h", "b"}, "hb") +
                           node("Einsum", {"hb", "j"}, "y", equation("abcd,cde->abe"));
  std::vector<float> wanted;
  for (size_t t = 0; t < kSteps; ++t)
    for (size_t o = 0; o < kOut; ++o) {
      float sum = 0;
      for (size_t hf = 0; hf < 6; ++hf) {
        float head = spread(6, 6)[hf];
        for (size_t c = 0; c < kIn; ++c) head += kData[t * kIn + c] * split[c * 6 + hf];
        sum += head * joint[hf * kOut + o];
      }
      wanted.push_back(sum);
    }
  const Net net(text, {1, kIn, 1, kSteps}, pixels());
  EXPECT_THAT(net.run(planes(kData, kIn)), near(planes(wanted, kOut)));
  EXPECT_THAT(net.types(), Not(Contains("Transpose")));
  EXPECT_THAT(Net(text, {1, kSteps, 1, kIn}).run(kData), near(wanted));
}

TEST(ImportRows, AConstantOfAnEinsumMayStandFirstAndSumAnyAxis) {
  const std::vector<float> w = spread(kOut * kSteps, 5);
  const std::string text = input("x", {1, kSteps, kIn}) + output("y") + reals("w", {kOut, kSteps}, w) +
                           node("Einsum", {"w", "x"}, "y", equation("ot,ntc->noc"));
  std::vector<float> wanted;
  for (size_t o = 0; o < kOut; ++o)
    for (size_t c = 0; c < kIn; ++c) {
      float sum = 0;
      for (size_t t = 0; t < kSteps; ++t) sum += w[o * kSteps + t] * kData[t * kIn + c];
      wanted.push_back(sum);
    }
  EXPECT_THAT(Net(text, {1, kSteps, 1, kIn}).run(kData), near(wanted));
  EXPECT_THAT(
      findings(input("x", {1, kSteps, kIn}) + output("y") + reals("w", {kSteps, kIn}, spread(20, 1)) +
                   node("Einsum", {"x", "w"}, "y", equation("ntc,tc->nt")),
               {1, kSteps, 1, kIn}),
      HasSubstr("node 'y' (Einsum): the equation 'ntc,tc->nt': axis 't' of the constant is kept beside the "
                "same axis of the data"));
}

}  // namespace
}  // namespace n2d2::onnx
