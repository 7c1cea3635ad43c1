// Attentions, normalizations and what exporters of older operator sets write for them, against plain loops.
#include "attention.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/layer_norm.hpp"
#include "n2d2/ops/matmul.hpp"
#include "n2d2/ops/nonlinearity.hpp"
#include "n2d2/ops/softmax.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// x of tokens x features times the three matrices: "q", "k", "v".
std::string three() {
  const std::vector<int> square{kFeatures, kFeatures};
  return input("x", {1, kTokens, kFeatures}) + output("y") + reals("wq", square, kQueries) +
         reals("wk", square, kKeys) + reals("wv", square, kValues) + node("MatMul", {"x", "wq"}, "q") +
         node("MatMul", {"x", "wk"}, "k") + node("MatMul", {"x", "wv"}, "v") +
         reals("root", {}, {static_cast<float>(std::sqrt(static_cast<double>(kSize)))}) +
         integers("split", {1, kTokens, kHeads, kSize}) + integers("joined", {1, kTokens, kFeatures});
}
/// (batch, token, feature) -> (batch, head, token, feature of the head).
std::string heads(const std::string& of) {
  return node("Reshape", {of, "split"}, of + "s") +
         node("Transpose", {of + "s"}, of + "h", attribute("perm", std::vector<int64_t>{0, 2, 1, 3}));
}
std::string turned(const std::string& of) {
  return node("Transpose", {of}, of + "t", attribute("perm", std::vector<int64_t>{0, 1, 3, 2}));
}
std::string joined(const std::string& of) {
  return node("Transpose", {of}, of + "j", attribute("perm", std::vector<int64_t>{0, 2, 1, 3})) +
         node("Reshape", {of + "j", "joined"}, "y");
}
std::string equation(const std::string& text) {
  return "attribute { name: 'equation' type: STRING s: '" + text + "' } ";
}

/// Rounds `of` to 16 bits, as "<of>r".
std::string rounded(const std::string& of) {
  return node("QuantizeLinear", {of, "step", "zero"}, of + "q") +
         node("DequantizeLinear", {of + "q", "step", "zero"}, of + "r");
}

void expect_attention(const std::string& text, int opset = 13, double tolerance = kRounding) {
  const std::vector<float> x = spread(kTokens * kFeatures, 7);
  const Net net(text, {1, kTokens, 1, kFeatures}, {}, opset);
  const Matrix in = matrix(x, kFeatures);
  const Matrix wanted = attended(times(in, matrix(kQueries, kFeatures)), times(in, matrix(kKeys, kFeatures)),
                                 times(in, matrix(kValues, kFeatures)));
  const std::vector<float> found = net.run(x);
  ASSERT_EQ(found.size(), static_cast<size_t>(kTokens * kFeatures));
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]), wanted[i / kFeatures][i % kFeatures], tolerance) << i;
  EXPECT_EQ(net.only<ops::Softmax>().group_size, kTokens);
  EXPECT_EQ(net.only<ops::MatMul>().groups, kHeads);
  // The input and the output are turned, as the file has features last.
  const std::vector<std::string> types = net.types();
  EXPECT_LE(std::count(types.begin(), types.end(), "Transpose"), 4) << ::testing::PrintToString(types);
}

TEST(Attention, OfHeadsIsOnePairOfProducts) {
  expect_attention(three() + heads("q") + heads("k") + heads("v") + turned("kh") +
                   node("MatMul", {"qh", "kht"}, "s") + node("Div", {"s", "root"}, "d") +
                   node("Softmax", {"d"}, "p", attribute("axis", -1)) + node("MatMul", {"p", "vh"}, "o") +
                   joined("o"));
}

TEST(Attention, QueriesMayBeScaledBefore) {
  expect_attention(three() + heads("q") + heads("k") + heads("v") + node("Div", {"qh", "root"}, "qd") +
                   turned("kh") + node("MatMul", {"qd", "kht"}, "s") +
                   node("Softmax", {"s"}, "p", attribute("axis", 3)) + node("MatMul", {"p", "vh"}, "o") +
                   joined("o"));
}

/// Roundings of one scale do not care where values lie, not even where these have no batch.
TEST(Attention, MayBeRoundedAtEachTensor) {
  constexpr double kSteps = 2e-3;  // of 2^-12, and what becomes of them
  const std::vector<int64_t> order{0, 2, 1, 3};
  const auto heads_of = [&](const std::string& of) {
    return rounded(of) + node("Reshape", {of + "r", "split"}, of + "s") + rounded(of + "s") +
           node("Transpose", {of + "sr"}, of + "h", attribute("perm", order)) + rounded(of + "h");
  };
  expect_attention(
      three() + reals("step", {}, {1.0F / 4096}) + integers_of_type(5, "zero", {}, {0}) + heads_of("q") +
          heads_of("k") + heads_of("v") + integers("alone", {-1, kTokens, kSize}) +
          integers("again", {1, kHeads, kSize, kTokens}) + node("Reshape", {"khr", "alone"}, "ka") +
          rounded("ka") + node("Transpose", {"kar"}, "kb", attribute("perm", std::vector<int64_t>{0, 2, 1})) +
          rounded("kb") + node("Reshape", {"kbr", "again"}, "kt") + rounded("kt") +
          node("MatMul", {"qhr", "ktr"}, "s") + rounded("s") + node("Div", {"sr", "root"}, "d") +
          rounded("d") + node("Softmax", {"dr"}, "p", attribute("axis", -1)) + rounded("p") +
          node("MatMul", {"pr", "vhr"}, "o") + rounded("o") +
          node("Transpose", {"or"}, "oj", attribute("perm", order)) + rounded("oj") +
          node("Reshape", {"ojr", "joined"}, "y"),
      21, kSteps);
}

/// As torch.export writes it: keys are one matrix for each head while they are turned.
TEST(Attention, KeysMayBeTurnedWithoutTheirBatch) {
  expect_attention(three() + heads("q") + heads("k") + heads("v") + integers("alone", {-1, kTokens, kSize}) +
                   integers("again", {1, kHeads, kSize, kTokens}) + node("Reshape", {"kh", "alone"}, "ka") +
                   node("Transpose", {"ka"}, "kb", attribute("perm", std::vector<int64_t>{0, 2, 1})) +
                   node("Reshape", {"kb", "again"}, "kht") + node("MatMul", {"qh", "kht"}, "s") +
                   node("Div", {"s", "root"}, "d") + node("Softmax", {"d"}, "p", attribute("axis", -1)) +
                   node("MatMul", {"p", "vh"}, "o") + joined("o"));
}

/// As nn.MultiheadAttention of PyTorch ends: T,N,heads,d becomes rows of a matrix.
TEST(Attention, HeadsMayBeJoinedAsRowsWithoutTheirBatch) {
  std::vector<float> one(kFeatures * kFeatures, 0);
  for (size_t i = 0; i < kFeatures; ++i) one[i * kFeatures + i] = 1;
  expect_attention(three() + heads("q") + heads("k") + heads("v") + turned("kh") +
                   node("MatMul", {"qh", "kht"}, "s") + node("Div", {"s", "root"}, "d") +
                   node("Softmax", {"d"}, "p", attribute("axis", -1)) + node("MatMul", {"p", "vh"}, "o") +
                   reals("one", {kFeatures, kFeatures}, one) + integers("rows", {kTokens, kFeatures}) +
                   node("Transpose", {"o"}, "t", attribute("perm", std::vector<int64_t>{2, 0, 1, 3})) +
                   node("Reshape", {"t", "rows"}, "r") + node("Gemm", {"r", "one"}, "g") +
                   node("Reshape", {"g", "joined"}, "y"));
}

TEST(Attention, IsAnEinsum) {
  expect_attention(three() + heads("q") + heads("k") + heads("v") +
                   node("Einsum", {"qh", "kh"}, "s", equation("bhid, bhjd -> bhij")) +
                   node("Div", {"s", "root"}, "d") + node("Softmax", {"d"}, "p", attribute("axis", -1)) +
                   node("Einsum", {"p", "vh"}, "o", equation("bhij,bhjd->bhid")) + joined("o"));
}

TEST(Attention, HeadsMayStayBehindPositions) {
  expect_attention(
      three() + node("Reshape", {"q", "split"}, "qs") + node("Reshape", {"k", "split"}, "ks") +
      node("Reshape", {"v", "split"}, "vs") + node("Einsum", {"qs", "ks"}, "s", equation("bihd,bjhd->bhij")) +
      node("Div", {"s", "root"}, "d") + node("Softmax", {"d"}, "p", attribute("axis", -1)) +
      node("Einsum", {"p", "vs"}, "o", equation("bhij,bjhd->bihd")) + node("Reshape", {"o", "joined"}, "y"));
}

TEST(Attention, QueriesKeysAndValuesMayBePartsOfOneTensor) {
  std::vector<float> all;
  for (size_t row = 0; row < kFeatures; ++row)
    for (const std::vector<float>* part : {&kQueries, &kKeys, &kValues})
      all.insert(all.end(), part->begin() + static_cast<std::ptrdiff_t>(row) * kFeatures,
                 part->begin() + static_cast<std::ptrdiff_t>(row + 1) * kFeatures);
  const std::string whole = input("x", {1, kTokens, kFeatures}) + output("y") +
                            reals("w", {kFeatures, 3 * kFeatures}, all) + node("MatMul", {"x", "w"}, "qkv") +
                            integers("five", {1, kTokens, 3, kHeads, kSize}) +
                            integers("joined", {1, kTokens, kFeatures}) +
                            reals("root", {}, {static_cast<float>(std::sqrt(static_cast<double>(kSize)))});
  std::string picked;
  for (const std::string part : {"q", "k", "v"}) {
    const std::string index = std::to_string(part == "q" ? 0 : part == "k" ? 1 : 2);
    picked += "initializer { name: 'i" + part + "' data_type: 7 int64_data: " + index + " } " +
              node("Gather", {"t", "i" + part}, part + "h", attribute("axis", int64_t{0}));
  }
  expect_attention(whole + node("Reshape", {"qkv", "five"}, "r") +
                   node("Transpose", {"r"}, "t", attribute("perm", std::vector<int64_t>{2, 0, 3, 1, 4})) +
                   picked + turned("kh") + node("MatMul", {"qh", "kht"}, "s") +
                   node("Div", {"s", "root"}, "d") + node("Softmax", {"d"}, "p", attribute("axis", -1)) +
                   node("MatMul", {"p", "vh"}, "o") + joined("o"));
}

TEST(Attention, TokensMayBeRowsOfAMatrixThatIsNoBatch) {
  const std::string text =
      input("x", {1, 3, 4}) + output("y") + reals("w", {2, 4}, spread(8, 1)) + reals("b", {2}, {1, 2}) +
      reals("c", {4, 4}, spread(16, 2)) + integers("rows", {3, 4}) + integers("back", {1, 3, 2}) +
      node("MatMul", {"x", "c"}, "a") + node("Reshape", {"a", "rows"}, "r") +
      node("Gemm", {"r", "w", "b"}, "g", attribute("transB", 1)) + node("Reshape", {"g", "back"}, "y");
  const std::vector<float> x = spread(12, 3), y = Net(text, {1, 3, 1, 4}).run(x);
  const Matrix rows = times(matrix(x, 4), matrix(spread(16, 2), 4));
  ASSERT_EQ(y.size(), 6U);
  for (size_t i = 0; i < 6; ++i) {
    double wanted = i % 2 == 0 ? 1 : 2;
    for (size_t k = 0; k < 4; ++k)
      wanted += rows[i / 2][k] * static_cast<double>(spread(8, 1)[i % 2 * 4 + k]);
    EXPECT_NEAR(static_cast<double>(y[i]), wanted, kRounding);
  }
}

TEST(Attention, AFactorBehindTheProductIsItsOwn) {
  const Net net(three() + reals("half", {}, {0.5F}) +
                    node("Transpose", {"k"}, "kt", attribute("perm", std::vector<int64_t>{0, 2, 1})) +
                    node("MatMul", {"q", "kt"}, "s") + node("Mul", {"s", "half"}, "d") +
                    node("MatMul", {"d", "v"}, "y"),
                {1, kTokens, 1, kFeatures});
  EXPECT_EQ(net.only<ops::MatMul>().factor, 0.5);
  EXPECT_EQ(net.only<ops::MatMul>().groups, 1);
  EXPECT_THAT(net.types(), Not(Contains("Scaling")));
}

TEST(Attention, OtherProductsAreRefusedByName) {
  EXPECT_THAT(
      findings(three() + node("MatMul", {"q", "v"}, "y"), {1, kTokens, 1, kFeatures}),
      HasSubstr("node 'y' (MatMul): the product of 1x5x6 and 1x5x6: axes that belong together have extents 6 "
                "and 5"));
  EXPECT_THAT(findings(three() + heads("q") + node("MatMul", {"qh", "kt"}, "y") +
                           node("Transpose", {"k"}, "kt", attribute("perm", std::vector<int64_t>{0, 2, 1})),
                       {1, kTokens, 1, kFeatures}),
              HasSubstr("the product of 1x2x5x3 and 1x6x5: axes that belong together have extents 2 and 1"));
  const std::string two = input("x", {2, 3, 4}) + output("y") + node("Relu", {"x"}, "a");
  EXPECT_THAT(findings(two + node("MatMul", {"a", "x"}, "y"), {1, 3, 1, 4}),
              HasSubstr("expected the batch 1 on axis 0"));
  for (const char* text : {"bij->bji", "bii,bij->bj", "...ij,...jk->...ik"})
    EXPECT_THAT(
        findings(three() + node("Einsum", {"q", "k"}, "y", equation(text)), {1, kTokens, 1, kFeatures}),
        HasSubstr("the equation"))
        << text;
}

TEST(Attention, EmbeddingsByIndexAreRefusedByName) {
  EXPECT_THAT(
      findings(ends({1, 4}) + reals("table", {3, 2}, spread(6, 1)) + node("Gather", {"table", "x"}, "y"),
               {1, 4, 1, 1}),
      HasSubstr("node 'y' (Gather): picks from a constant by data, as embeddings of words do"));
}

// ---- normalizations -------------------------------------------------------------------------------------

const std::vector<float> kScale = spread(kFeatures, 4), kBias = spread(kFeatures, 5);

std::vector<double> normalized(const std::vector<float>& x, bool centered, double epsilon) {
  std::vector<double> out;
  for (size_t row = 0; row < x.size(); row += kFeatures) {
    double mean = 0, variance = 0;
    for (size_t i = 0; i < kFeatures; ++i) mean += centered ? static_cast<double>(x[row + i]) / kFeatures : 0;
    for (size_t i = 0; i < kFeatures; ++i)
      variance += std::pow(static_cast<double>(x[row + i]) - mean, 2) / kFeatures;
    for (size_t i = 0; i < kFeatures; ++i)
      out.push_back((static_cast<double>(x[row + i]) - mean) / std::sqrt(variance + epsilon) *
                        static_cast<double>(kScale[i]) +
                    (centered ? static_cast<double>(kBias[i]) : 0));
  }
  return out;
}

void expect_norm(const std::string& body, bool centered, int opset = 17) {
  const std::vector<float> x = spread(kTokens * kFeatures, 9);
  const Net net(input("x", {1, kTokens, kFeatures}) + output("y") + reals("g", {kFeatures}, kScale) +
                    reals("b", {kFeatures}, kBias) + reals("e", {}, {0.001F}) + reals("two", {}, {2}) +
                    reals("one", {}, {1}) + integers("last", {-1}) + body,
                {1, kTokens, 1, kFeatures}, {}, opset);
  EXPECT_EQ(net.only<ops::LayerNorm>().centered, centered);
  EXPECT_THAT(net.types(), ElementsAre("Transpose", "LayerNorm", "Transpose"));
  const std::vector<double> wanted = normalized(x, centered, 0.001);
  const std::vector<float> found = net.run(x);
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]), wanted[i], kRounding) << i;
}

const std::string kLast = attribute("axes", std::vector<int64_t>{-1});
const std::string kEpsilon = "attribute { name: 'epsilon' type: FLOAT f: 0.001 } ";

TEST(Normalizations, AreOneLayer) {
  expect_norm(node("LayerNormalization", {"x", "g", "b"}, "y", kEpsilon), true);
  expect_norm(node("RMSNormalization", {"x", "g"}, "y", kEpsilon + attribute("axis", 2)), false, 23);
}

TEST(Normalizations, AreFoundWhereTheyAreWrittenOut) {
  const std::string mean = node("ReduceMean", {"x"}, "m", kLast) + node("Sub", {"x", "m"}, "d");
  const std::string root =
      node("ReduceMean", {"p"}, "v", kLast) + node("Add", {"v", "e"}, "a") + node("Sqrt", {"a"}, "r");
  const std::string ends = node("Mul", {"n", "g"}, "s") + node("Add", {"b", "s"}, "y");
  expect_norm(mean + node("Pow", {"d", "two"}, "p") + root + node("Div", {"d", "r"}, "n") + ends, true);
  expect_norm(mean + node("Sub", {"x", "m"}, "d2") + node("Mul", {"d2", "d2"}, "p") + root +
                  node("Div", {"d", "r"}, "n") + ends,
              true);
  expect_norm(node("ReduceMean", {"x", "last"}, "m") + node("Sub", {"x", "m"}, "d") +
                  node("Mul", {"d", "d"}, "p") + node("ReduceMean", {"p", "last"}, "v") +
                  node("Add", {"e", "v"}, "a") + node("Sqrt", {"a"}, "r") + node("Reciprocal", {"r"}, "i") +
                  node("Mul", {"d", "i"}, "n") + ends,
              true, 18);
  const std::string squares = node("Pow", {"x", "two"}, "p") + root;
  expect_norm(squares + node("Div", {"x", "r"}, "n") + node("Mul", {"g", "n"}, "y"), false);
  expect_norm(
      squares + node("Div", {"one", "r"}, "i") + node("Mul", {"x", "i"}, "n") + node("Mul", {"n", "g"}, "y"),
      false);
}

/// RMSNormalization has no biases: they are added behind it.
TEST(Normalizations, WithoutAMeanMayHaveBiasesBehindThem) {
  const std::vector<float> x = spread(kTokens * kFeatures, 9);
  for (const char* first : {"s", "b"}) {
    const std::vector<std::string> sum{first, *first == 's' ? "b" : "s"};
    const Net net(input("x", {1, kTokens, kFeatures}) + output("y") + reals("g", {kFeatures}, kScale) +
                      reals("b", {kFeatures}, kBias) + reals("e", {}, {0.001F}) + reals("two", {}, {2}) +
                      node("Pow", {"x", "two"}, "p") + node("ReduceMean", {"p"}, "v", kLast) +
                      node("Add", {"v", "e"}, "a") + node("Sqrt", {"a"}, "r") + node("Div", {"x", "r"}, "n") +
                      node("Mul", {"n", "g"}, "s") + node("Add", sum, "y"),
                  {1, kTokens, 1, kFeatures});
    EXPECT_FALSE(net.only<ops::LayerNorm>().centered);
    const std::vector<double> wanted = normalized(x, false, 0.001);
    const std::vector<float> found = net.run(x);
    for (size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(static_cast<double>(found[i]), wanted[i] + static_cast<double>(kBias[i % kBias.size()]),
                  kRounding)
          << i;
  }
}

/// As Keras writes it: x r + (b - m r), r being the scale of each feature already.
TEST(Normalizations, AreFoundWhereTheScaleMeetsTheMean) {
  const std::string root = node("ReduceMean", {"x"}, "m", kLast) + node("Sub", {"x", "m"}, "d") +
                           node("Mul", {"d", "d"}, "p") + node("ReduceMean", {"p"}, "v", kLast) +
                           node("Add", {"v", "e"}, "a") + node("Sqrt", {"a"}, "r") +
                           node("Reciprocal", {"r"}, "i") + node("Mul", {"i", "g"}, "f");
  const std::string times = node("Mul", {"x", "f"}, "xf") + node("Mul", {"f", "m"}, "mf");
  expect_norm(root + times + node("Sub", {"b", "mf"}, "o") + node("Add", {"xf", "o"}, "y"), true);
  const std::string without = root + times + node("Sub", {"xf", "mf"}, "u");
  expect_norm(without + node("Add", {"u", "b"}, "y"), true);
  expect_norm(
      root + times + node("Neg", {"mf"}, "o") + node("Add", {"o", "xf"}, "u") + node("Add", {"u", "b"}, "y"),
      true);
}

/// Standardized weights are constants.
TEST(Normalizations, OfConstantsAreConstants) {
  const std::string axes = attribute("axes", std::vector<int64_t>{1, 2, 3});
  const Net net(ends() + reals("w", {2, 2, 1, 1}, {1, 3, -2, 2}) + reals("e", {}, {0}) +
                node("ReduceMean", {"w"}, "m", axes) + node("Sub", {"w", "m"}, "d") +
                node("Mul", {"d", "d"}, "p") + node("ReduceMean", {"p"}, "v", axes) +
                node("Add", {"v", "e"}, "a") + node("Sqrt", {"a"}, "r") + node("Div", {"d", "r"}, "n") +
                node("Conv", {"x", "n"}, "y"));
  EXPECT_THAT(net.types(), ElementsAre("Conv"));
  EXPECT_THAT(net.graph.value(net.graph.node(net.graph.schedule().at(0)).inputs.at(1)).constant->span(),
              ElementsAre(-1, 1, -1, 1));
}

TEST(Normalizations, StayWrittenOutWhereOthersReadTheirParts) {
  const std::string text = input("x", {1, 2, 4}) + output("y") + output("r") + reals("e", {}, {0.001F}) +
                           node("Mul", {"x", "x"}, "p") + node("ReduceMean", {"p"}, "v", kLast) +
                           node("Add", {"v", "e"}, "a") + node("Sqrt", {"a"}, "r") +
                           node("Div", {"x", "r"}, "y");
  EXPECT_THAT(Net(text, {1, 2, 1, 4}).types(), Not(Contains("LayerNorm")));
}

TEST(Normalizations, OfTheChannelsOfAMapStayThere) {
  const std::string channels = attribute("axes", std::vector<int64_t>{1});
  const Net net(ends({1, 2, 4, 4}) + reals("e", {}, {0.001F}) + reals("g", {2, 1, 1}, {1, 2}) +
                node("ReduceMean", {"x"}, "m", channels) + node("Sub", {"x", "m"}, "d") +
                node("Mul", {"d", "d"}, "p") + node("ReduceMean", {"p"}, "v", channels) +
                node("Add", {"v", "e"}, "a") + node("Sqrt", {"a"}, "r") + node("Div", {"d", "r"}, "n") +
                node("Mul", {"n", "g"}, "y"));
  EXPECT_THAT(net.types(), ElementsAre("LayerNorm"));
}

TEST(Normalizations, MayGoOverAllAxes) {
  const Net net(ends({1, 2, 1, 2}) + reals("g", {2, 1, 2}, {1, 2, 3, 4}) +
                    node("LayerNormalization", {"x", "g"}, "y", kEpsilon + attribute("axis", 1)),
                {1, 2, 1, 2}, {}, 17);
  const std::vector<float> y = net.run({-1, 1, -1, 1});
  const auto one = static_cast<float>(1 / std::sqrt(1.001));
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(y[i], (i % 2 == 0 ? -one : one) * static_cast<float>(i + 1), 1e-6F);
}

TEST(Normalizations, OfOtherAxesAreRefused) {
  const std::string apart = node("LayerNormalization", {"x", "g"}, "y", attribute("axes", {1, 3}));
  EXPECT_THAT(findings(ends() + reals("g", {1}, {1}) + apart, {1, 2, 4, 4}, {}, 17),
              HasSubstr("normalizes axes 1x3 of 1x2x4x4, only the channels or all axes from one on are"));
  EXPECT_THAT(findings(ends() + reals("g", {3}, {1, 1, 1}) + node("LayerNormalization", {"x", "g"}, "y"),
                       {1, 2, 4, 4}, {}, 17),
              HasSubstr("scales have extents 3, expected 4 real numbers"));
}

// ---- Gelu -----------------------------------------------------------------------------------------------

void expect_gelu(const std::string& body, ops::Function function) {
  const Net net(ends({1, 2}) + reals("one", {}, {1}) + reals("half", {}, {0.5F}) +
                    reals("root", {}, {1.41421356F}) + reals("inverse", {}, {0.70710678F}) +
                    reals("three", {}, {3}) + reals("c", {}, {0.044715F}) +
                    reals("slope", {}, {0.79788456F}) + body,
                {1, 2, 1, 1});
  ASSERT_THAT(net.types(), ElementsAre("Nonlinearity"));
  EXPECT_EQ(net.only<ops::Nonlinearity>().function, function);
}

TEST(Gelu, IsFoundWhereItIsWrittenOut) {
  const std::string share =
      node("Div", {"x", "root"}, "a") + node("Erf", {"a"}, "e") + node("Add", {"e", "one"}, "s");
  expect_gelu(share + node("Mul", {"x", "s"}, "p") + node("Mul", {"p", "half"}, "y"), ops::Function::Gelu);
  expect_gelu(node("Mul", {"x", "half"}, "h") + share + node("Mul", {"h", "s"}, "y"), ops::Function::Gelu);
  expect_gelu(node("Mul", {"x", "inverse"}, "a") + node("Erf", {"a"}, "e") + node("Add", {"one", "e"}, "s") +
                  node("Mul", {"half", "s"}, "h") + node("Mul", {"h", "x"}, "y"),
              ops::Function::Gelu);
  const std::string gate = node("Mul", {"q", "slope"}, "b") + node("Tanh", {"b"}, "t") +
                           node("Add", {"t", "one"}, "s") + node("Mul", {"half", "x"}, "h") +
                           node("Mul", {"h", "s"}, "y");
  expect_gelu(
      node("Pow", {"x", "three"}, "k") + node("Mul", {"k", "c"}, "m") + node("Add", {"x", "m"}, "q") + gate,
      ops::Function::GeluTanh);
  expect_gelu(node("Mul", {"x", "x"}, "k") + node("Mul", {"k", "c"}, "m") + node("Add", {"one", "m"}, "n") +
                  node("Mul", {"x", "n"}, "q") + gate,
              ops::Function::GeluTanh);
}

TEST(Gelu, OtherConstantsAreNone) {
  const Net net(ends({1, 2}) + reals("one", {}, {1}) + reals("half", {}, {0.5F}) + reals("root", {}, {1.4F}) +
                    node("Div", {"x", "root"}, "a") + node("Erf", {"a"}, "e") +
                    node("Add", {"e", "one"}, "s") + node("Mul", {"x", "s"}, "p") +
                    node("Mul", {"p", "half"}, "y"),
                {1, 2, 1, 1});
  EXPECT_GT(net.types().size(), 1U);
}

// ---- tokens ---------------------------------------------------------------------------------------------

TEST(Tokens, AClassTokenAndPositionsAreOneConstant) {
  const std::vector<float> square = spread(16, 1);
  const Net net(input("x", {1, 3, 4}) + output("y") + reals("w", {4, 4}, square) +
                    reals("c", {1, 1, 4}, {1, 2, 3, 4}) + reals("p", {1, 4, 4}, spread(16, 2)) +
                    node("MatMul", {"x", "w"}, "a") + node("Concat", {"c", "a"}, "t", attribute("axis", 1)) +
                    node("Add", {"t", "p"}, "y"),
                {1, 3, 1, 4});
  EXPECT_THAT(net.types(), ElementsAre("Transpose", "Conv", "Padding", "ElemWise", "Transpose"));
  const std::vector<float> x = spread(12, 3), y = net.run(x), p = spread(16, 2);
  const Matrix rows = times(matrix(x, 4), matrix(square, 4));
  for (size_t i = 0; i < 16; ++i) {
    const double wanted = i < 4 ? static_cast<double>(i + 1) : rows[i / 4 - 1][i % 4];
    EXPECT_NEAR(static_cast<double>(y[i]), wanted + static_cast<double>(p[i]), kRounding);
  }
}

TEST(Tokens, OneAndTheirMeanAreVectors) {
  const std::string text = input("x", {1, 3, 4}) + output("y") + reals("w", {4, 4}, spread(16, 1)) +
                           node("MatMul", {"x", "w"}, "a");
  const std::string index = "initializer { name: 'i' data_type: 7 int64_data: 1 } ";
  const std::vector<float> x = spread(12, 3);
  const Matrix rows = times(matrix(x, 4), matrix(spread(16, 1), 4));
  const auto run = [&](const std::string& more) { return Net(text + more, {1, 3, 1, 4}).run(x); };
  const std::vector<float> one = run(index + node("Gather", {"a", "i"}, "y", attribute("axis", 1)));
  const std::vector<float> mean =
      run(node("ReduceMean", {"a"}, "y",
               attribute("axes", std::vector<int64_t>{1}) + attribute("keepdims", int64_t{0})));
  ASSERT_EQ(one.size(), 4U);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(static_cast<double>(one[i]), rows[1][i], kRounding);
    EXPECT_NEAR(static_cast<double>(mean[i]), (rows[0][i] + rows[1][i] + rows[2][i]) / 3, kRounding);
  }
}

}  // namespace
}  // namespace n2d2::onnx
