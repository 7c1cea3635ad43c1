// Attentions whose tokens are the first axis, the batch the second, against plain loops.
#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attention.hpp"
#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

/// An attention in (token, batch, feature), as nn.MultiheadAttention computes it without batch_first: batches
/// and heads are one axis. `end` makes "y" of "z", (token, batch, feature); `masked` makes "m" of the scores
/// "s", (head, query, key).
std::string tokens_first(const std::string& end, const std::string& masked = "") {
  const auto perm = [](const std::string& from, const std::string& to, std::vector<int64_t> order) {
    return node("Transpose", {from}, to, attribute("perm", std::move(order)));
  };
  const std::vector<int> square{kFeatures, kFeatures};
  std::string text = input("x", {1, kTokens, kFeatures}) + output("y") + reals("wq", square, kQueries) +
                     reals("wk", square, kKeys) + reals("wv", square, kValues) +
                     reals("root", {}, {static_cast<float>(std::sqrt(static_cast<double>(kSize)))}) +
                     integers("split", {kTokens, kHeads, kSize}) +
                     integers("joined", {kTokens, 1, kFeatures}) + perm("x", "xt", {1, 0, 2});
  for (const std::string of : {"q", "k", "v"})
    text += node("MatMul", {"xt", "w" + of}, of) + node("Reshape", {of, "split"}, of + "s") +
            perm(of + "s", of + "h", {1, 0, 2});
  return text + node("Div", {"qh", "root"}, "qd") + perm("kh", "kt", {0, 2, 1}) +
         node("MatMul", {"qd", "kt"}, "s") + masked +
         node("Softmax", {masked.empty() ? "s" : "m"}, "p", attribute("axis", -1)) +
         node("MatMul", {"p", "vh"}, "o") + perm("o", "ot", {1, 0, 2}) +
         node("Reshape", {"ot", "joined"}, "z") + end;
}

const std::string kBack = node("Transpose", {"z"}, "y", attribute("perm", std::vector<int64_t>{1, 0, 2}));

TEST(TokensFirst, TokensMayBeTheFirstAxis) {
  const std::vector<float> x = spread(kTokens * kFeatures, 7);
  const Matrix in = matrix(x, kFeatures);
  const Matrix a = attended(times(in, matrix(kQueries, kFeatures)), times(in, matrix(kKeys, kFeatures)),
                            times(in, matrix(kValues, kFeatures)));
  const std::vector<float> found = Net(tokens_first(kBack), {1, kTokens, 1, kFeatures}).run(x);
  ASSERT_EQ(found.size(), static_cast<size_t>(kTokens * kFeatures));
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(static_cast<double>(found[i]), a[i / kFeatures][i % kFeatures], kRounding) << i;
}

/// One number for each query and key, the same for all heads; or others for each head.
TEST(TokensFirst, MasksAreAddedToTheScoresOfHeads) {
  const std::vector<float> x = spread(kTokens * kFeatures, 7), mask = spread(kTokens * kTokens, 5);
  const Matrix in = matrix(x, kFeatures);
  const Matrix a = attended(times(in, matrix(kQueries, kFeatures)), times(in, matrix(kKeys, kFeatures)),
                            times(in, matrix(kValues, kFeatures)), matrix(mask, kTokens));
  std::vector<float> twice = mask;
  twice.insert(twice.end(), mask.begin(), mask.end());
  for (const std::string& masked :
       {reals("mask", {1, kTokens, kTokens}, mask) + node("Add", {"s", "mask"}, "m"),
        reals("mask", {kTokens, kTokens}, mask) + node("Add", {"mask", "s"}, "m"),
        reals("mask", {kHeads, kTokens, kTokens}, twice) + node("Add", {"s", "mask"}, "m")}) {
    const std::vector<float> found = Net(tokens_first(kBack, masked), {1, kTokens, 1, kFeatures}).run(x);
    ASSERT_EQ(found.size(), static_cast<size_t>(kTokens * kFeatures));
    for (size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(static_cast<double>(found[i]), a[i / kFeatures][i % kFeatures], kRounding) << i << masked;
  }
}

/// Means over the tokens of what is done with the attention `a` and the tokens x.
void expect_means(const std::string& end, const std::function<double(double a, double x)>& of,
                  int opset = 13) {
  const std::vector<float> x = spread(kTokens * kFeatures, 7);
  const Matrix in = matrix(x, kFeatures);
  const Matrix a = attended(times(in, matrix(kQueries, kFeatures)), times(in, matrix(kKeys, kFeatures)),
                            times(in, matrix(kValues, kFeatures)));
  const std::vector<float> found = Net(tokens_first(end), {1, kTokens, 1, kFeatures}, {}, opset).run(x);
  ASSERT_EQ(found.size(), static_cast<size_t>(kFeatures));
  for (size_t c = 0; c < kFeatures; ++c) {
    double mean = 0;
    for (size_t t = 0; t < kTokens; ++t) mean += of(a[t][c], in[t][c]) / kTokens;
    EXPECT_NEAR(static_cast<double>(found[c]), mean, kRounding) << c;
  }
}

TEST(TokensFirst, OfFirstTokensIsAddedToThemAndReduced) {
  const std::string sum = node("Add", {"z", "xt"}, "r");
  const auto added = [](double a, double x) { return a + x; };
  expect_means(sum + node("ReduceMean", {"r"}, "y",
                          attribute("axes", std::vector<int64_t>{0}) + attribute("keepdims", int64_t{0})),
               added);
  expect_means(sum + integers("first", {0}) + node("ReduceMean", {"r", "first"}, "m") +
                   integers("flat", {1, kFeatures}) + node("Reshape", {"m", "flat"}, "y"),
               added, 18);
  expect_means(integers("matrix", {kTokens, kFeatures}) + node("Reshape", {"ot", "matrix"}, "om") +
                   reals("one", {kFeatures, kFeatures},
                         [] {
                           std::vector<float> out(kFeatures * kFeatures, 0);
                           for (size_t i = 0; i < kFeatures; ++i) out[i * (kFeatures + 1)] = 2;
                           return out;
                         }()) +
                   node("Gemm", {"om", "one"}, "og") + node("Reshape", {"og", "joined"}, "oz") +
                   node("Add", {"xt", "oz"}, "r") +
                   node("ReduceMean", {"r"}, "y",
                        attribute("axes", std::vector<int64_t>{0}) + attribute("keepdims", int64_t{0})),
               [](double a, double x) { return 2 * a + x; });
}

TEST(TokensFirst, OfFirstTokensIsNormalized) {
  const std::vector<float> x = spread(kTokens * kFeatures, 7);
  const std::vector<float> plain =
      Net(tokens_first(node("Add", {"z", "xt"}, "r") +
                       node("Transpose", {"r"}, "y", attribute("perm", std::vector<int64_t>{1, 0, 2}))),
          {1, kTokens, 1, kFeatures})
          .run(x);
  const std::string norm = reals("g", {kFeatures}, std::vector<float>(kFeatures, 1)) +
                           node("Add", {"z", "xt"}, "r") +
                           node("LayerNormalization", {"r", "g"}, "n", attribute("axis", -1)) +
                           node("Transpose", {"n"}, "y", attribute("perm", std::vector<int64_t>{1, 0, 2}));
  const Net net(tokens_first(norm), {1, kTokens, 1, kFeatures}, {}, 17);
  EXPECT_THAT(net.types(), Contains("LayerNorm"));
  const std::vector<float> found = net.run(x);
  for (size_t t = 0; t < kTokens; ++t) {
    double mean = 0, variance = 0;
    for (size_t c = 0; c < kFeatures; ++c) mean += static_cast<double>(plain[t * kFeatures + c]) / kFeatures;
    for (size_t c = 0; c < kFeatures; ++c)
      variance += std::pow(static_cast<double>(plain[t * kFeatures + c]) - mean, 2) / kFeatures;
    for (size_t c = 0; c < kFeatures; ++c)
      EXPECT_NEAR(found[t * kFeatures + c],
                  (static_cast<double>(plain[t * kFeatures + c]) - mean) / std::sqrt(variance + 1e-5), 1e-4);
  }
}

TEST(TokensFirst, WhatMixesTheBatchOfFirstTokensIsRefused) {
  EXPECT_THAT(
      findings(tokens_first(node("Add", {"z", "xt"}, "r") +
                            node("ReduceMean", {"r"}, "y", attribute("axes", std::vector<int64_t>{1}))),
               {1, kTokens, 1, kFeatures}),
      HasSubstr("node 'y' (ReduceMean): reads a tensor of 5x1x6 whose batch is axis 1"));
  EXPECT_THAT(findings(tokens_first(node("Add", {"z", "xt"}, "r") +
                                    reals("g", {1, kFeatures}, std::vector<float>(kFeatures, 1)) +
                                    node("LayerNormalization", {"r", "g"}, "y", attribute("axis", 1))),
                       {1, kTokens, 1, kFeatures}, {}, 17),
              HasSubstr("node 'y' (LayerNormalization): reads a tensor of 5x1x6 whose batch is axis 1"));
}

}  // namespace
}  // namespace n2d2::onnx
