// Operators that constants alone are computed with. Their values are those of ONNX's node tests
// (runners.onnx_node); here are integers of 64 bits, what is left out, and what is refused.
#include <limits>

#include <gmock/gmock.h>

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string text_attribute(const std::string& name, const std::string& value) {
  return "attribute { name: '" + name + "' type: STRING s: '" + value + "' } ";
}
/// An initializer of int64 of any extents.
std::string wide(const std::string& name, const std::vector<int>& dims, const std::vector<int64_t>& values) {
  std::string text = "initializer { name: '" + name + "' data_type: 7";
  for (const int extent : dims) text += " dims: " + std::to_string(extent);
  for (const int64_t value : values) text += " int64_data: " + std::to_string(value);
  return text + " } ";
}
/// `data` is 0 1 2 / 3 4 5, `whole` the same in integers.
std::string values() {
  return reals("data", {2, 3}, {0, 1, 2, 3, 4, 5}) + wide("whole", {2, 3}, {0, 1, 2, 3, 4, 5});
}

/// What the constant 'c' becomes beside a network that does not read it.
Imported imported_of(const std::string& nodes, int opset) {
  graph::Graph graph;
  const auto x = graph.add_input("x", {{1, 2, 1, 1}, DataType::F32, Layout::Nchw, {}});
  const Model model = model_of(
      input("x", {1, 2}) + output("y") + output("c") + node("Relu", {"x"}, "y") + values() + nodes, opset);
  return import_model(graph, model, {x});
}
std::vector<float> reals_of(const std::string& nodes, int opset = 16) {
  const Imported imported = imported_of(nodes, opset);
  const auto span = imported.constants.at("c").span<float>();
  return {span.begin(), span.end()};
}
std::vector<int64_t> integers_of(const std::string& nodes, int opset = 16) {
  const Imported imported = imported_of(nodes, opset);
  const auto span = imported.constants.at("c").span<int64_t>();
  return {span.begin(), span.end()};
}
std::string refusal_of(const std::string& nodes, int opset = 16) {
  try {
    imported_of(nodes, opset);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "no findings";
}

TEST(FoldMasks, ACausalMaskOfTriluAndWhereIsAConstant) {
  const std::string mask = reals("one", {2, 2}, {1, 1, 1, 1}) + wide("k", {}, {1}) +
                           node("Trilu", {"one", "k"}, "u", attribute("upper", 1)) +
                           node("Cast", {"u"}, "is", attribute("to", 9)) + reals("low", {}, {-100}) +
                           reals("none", {}, {0}) + node("Where", {"is", "low", "none"}, "c");
  EXPECT_THAT(reals_of(mask), ElementsAre(0, -100, 0, 0));
}

TEST(FoldMasks, DiagonalsFarOutsideLeaveNothingOrAll) {
  const int64_t far = std::numeric_limits<int64_t>::max();
  EXPECT_THAT(integers_of(wide("k", {}, {far}) + node("Trilu", {"whole", "k"}, "c")),
              ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(integers_of(wide("k", {}, {-far - 1}) + node("Trilu", {"whole", "k"}, "c")),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(refusal_of(wide("v", {2}, {1, 2}) + node("Trilu", {"v"}, "c")),
              HasSubstr("node 'c' (Trilu): a part of 2, expected a matrix"));
}

TEST(FoldMasks, AUnitMatrixHasTheTypeOfTheConstantItIsLike) {
  EXPECT_THAT(integers_of(node("EyeLike", {"whole"}, "c", attribute("k", 1))), ElementsAre(0, 1, 0, 0, 0, 1));
  EXPECT_THAT(reals_of(node("EyeLike", {"data"}, "c")), ElementsAre(1, 0, 0, 0, 1, 0));
  EXPECT_THAT(reals_of(node("EyeLike", {"x"}, "c")), ElementsAre(1, 0)) << "the extents of data are known";
}

TEST(FoldMasks, ARunningSumOfIntegersIsExact) {
  const int64_t much = (int64_t{1} << 60) + 1;
  EXPECT_THAT(integers_of(wide("v", {3}, {much, much, much}) + wide("a", {}, {0}) +
                          node("CumSum", {"v", "a"}, "c", attribute("reverse", 1))),
              ElementsAre(3 * much, 2 * much, much));
  EXPECT_THAT(refusal_of(wide("a", {2}, {0, 1}) + node("CumSum", {"data", "a"}, "c")),
              HasSubstr("node 'c' (CumSum): the axis has extents 2, expected one integer"));
}

TEST(FoldMasks, OneHotLeavesIndicesOutsideOff) {
  EXPECT_THAT(reals_of(wide("i", {3}, {0, -1, 7}) + wide("d", {}, {2}) + reals("v", {2}, {0, 5}) +
                       node("OneHot", {"i", "d", "v"}, "c")),
              ElementsAre(5, 0, 0, 5, 0, 0));
  EXPECT_THAT(refusal_of(wide("i", {1}, {0}) + wide("d", {}, {0}) + reals("v", {2}, {0, 5}) +
                         node("OneHot", {"i", "d", "v"}, "c")),
              HasSubstr("the depth is no number of 1 to 2^25"));
}

TEST(FoldMasks, SequencesAreReversedByTheirLengths) {
  const auto reversed = [](const std::vector<int64_t>& lengths) {
    return wide("l", {static_cast<int>(lengths.size())}, lengths) +
           node("ReverseSequence", {"data", "l"}, "c",
                attribute("batch_axis", 0) + attribute("time_axis", 1));
  };
  EXPECT_THAT(reals_of(reversed({2, 3})), ElementsAre(1, 0, 2, 5, 4, 3));
  EXPECT_THAT(refusal_of(reversed({2, 4})), HasSubstr("a length of 4, expected 0 to 3"));
  EXPECT_THAT(refusal_of(reversed({2})), HasSubstr("lengths of 1 beside sequences of 2x3"));
}

TEST(FoldMasks, AWindowOfOneElementAndHugeOnes) {
  EXPECT_THAT(reals_of(wide("n", {}, {1}) + node("HannWindow", {"n"}, "c", attribute("periodic", 0)), 17),
              ElementsAre(0));
  EXPECT_THAT(refusal_of(wide("n", {}, {int64_t{1} << 40}) + node("HannWindow", {"n"}, "c"), 17),
              HasSubstr("a window of 1099511627776, expected 0 to 2^25"));
}

TEST(FoldPicks, AnIndexOutsideIsRefused) {
  EXPECT_THAT(refusal_of(wide("i", {1, 3}, {0, 2, 0}) + node("GatherElements", {"data", "i"}, "c")),
              HasSubstr("index 2 of an axis of 2"));
  EXPECT_THAT(refusal_of(wide("i", {1, 2}, {0, -4}) + node("GatherND", {"data", "i"}, "c")),
              HasSubstr("index -4 of an axis of 3"));
  EXPECT_THAT(
      refusal_of(wide("i", {2, 4}, {0, 0, 0, 0, 0, 0, 0, 0}) + node("GatherElements", {"data", "i"}, "c")),
      HasSubstr("indices of 2x4 into 2x3"));
  EXPECT_THAT(refusal_of(wide("i", {1, 3}, {0, 0, 0}) + node("GatherND", {"data", "i"}, "c")),
              HasSubstr("indices of 1x3 into 2x3"));
}

TEST(FoldPicks, UpdatesTakeAPlaceOrAreJoined) {
  const auto written = [](const std::string& reduction) {
    return wide("i", {2, 1}, {1, 1}) + wide("u", {2, 3}, {9, 9, 9, -7, 7, 7}) +
           node("ScatterND", {"whole", "i", "u"}, "c", text_attribute("reduction", reduction));
  };
  EXPECT_THAT(integers_of(written("none")), ElementsAre(0, 1, 2, -7, 7, 7));
  EXPECT_THAT(integers_of(written("add")), ElementsAre(0, 1, 2, 5, 20, 21));
  EXPECT_THAT(integers_of(written("max")), ElementsAre(0, 1, 2, 9, 9, 9));
  EXPECT_THAT(integers_of(written("min")), ElementsAre(0, 1, 2, -7, 4, 5));
  EXPECT_THAT(refusal_of(written("mean")), HasSubstr("reduction 'mean' is not imported"));
  EXPECT_THAT(refusal_of(wide("i", {1, 1}, {0}) + wide("u", {3}, {1, 2, 3}) +
                         node("ScatterND", {"whole", "i", "u"}, "c")),
              HasSubstr("updates of 3, expected 1x3"));
  EXPECT_THAT(refusal_of(wide("i", {1, 1}, {0}) + node("ScatterND", {"whole", "i", "data"}, "c")),
              HasSubstr("data and updates are of two types"));
}

TEST(FoldPicks, AConditionLongerThanItsAxisIsRefused) {
  const std::string condition = integers_of_type(9, "b", {3}, {0, 1, 1});
  EXPECT_THAT(reals_of(condition + node("Compress", {"data", "b"}, "c", attribute("axis", 1))),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(refusal_of(condition + node("Compress", {"data", "b"}, "c", attribute("axis", 0))),
              HasSubstr("a condition of 3 for an axis of 2"));
}

TEST(FoldNumbers, RestsHaveTheSignOfTheDivisorOrOfTheDividend) {
  const auto rest = [](int64_t a, int64_t b, int fmod) {
    return wide("a", {1}, {a}) + wide("b", {1}, {b}) + node("Mod", {"a", "b"}, "c", attribute("fmod", fmod));
  };
  const int64_t much = (int64_t{1} << 60) + 1, least = std::numeric_limits<int64_t>::min();
  EXPECT_THAT(integers_of(rest(-7, 3, 0)), ElementsAre(2));
  EXPECT_THAT(integers_of(rest(-7, 3, 1)), ElementsAre(-1));
  EXPECT_THAT(integers_of(rest(7, -3, 0)), ElementsAre(-2));
  EXPECT_THAT(integers_of(rest(much, int64_t{1} << 59, 0)), ElementsAre(1));
  EXPECT_THAT(integers_of(rest(least, -1, 0)), ElementsAre(0));
  EXPECT_THAT(refusal_of(rest(1, 0, 0)), HasSubstr("an integer is divided by 0"));
  EXPECT_THAT(refusal_of(node("Mod", {"data", "data"}, "c")), HasSubstr("of real numbers asks for fmod=1"));
}

TEST(FoldNumbers, BitsAreThoseOfTheFilesType) {
  const auto shifted = [](int by, const std::string& direction) {
    return integers_of_type(2, "a", {1}, {200}) + integers_of_type(2, "b", {1}, {by}) +
           node("BitShift", {"a", "b"}, "c", text_attribute("direction", direction));
  };
  EXPECT_THAT(integers_of(shifted(1, "LEFT")), ElementsAre(144));
  EXPECT_THAT(integers_of(shifted(3, "RIGHT")), ElementsAre(25));
  EXPECT_THAT(refusal_of(shifted(8, "LEFT")), HasSubstr("a shift by 8 of integers up to 255"));
  EXPECT_THAT(refusal_of(shifted(1, "UP")), HasSubstr("direction 'UP', expected LEFT or RIGHT"));
  EXPECT_THAT(refusal_of(node("BitShift", {"whole", "whole"}, "c", text_attribute("direction", "LEFT"))),
              HasSubstr("expected unsigned integers of the file"));
  EXPECT_THAT(integers_of(integers_of_type(2, "a", {1}, {200}) + node("BitwiseNot", {"a"}, "c"), 18),
              ElementsAre(55));
  EXPECT_THAT(
      integers_of(wide("a", {1}, {12}) + wide("b", {2}, {10, 3}) + node("BitwiseXor", {"a", "b"}, "c"), 18),
      ElementsAre(6, 15));
}

TEST(FoldNumbers, FunctionsAndPowersOfIntegersAreExact) {
  const int64_t much = (int64_t{1} << 60) + 1;
  EXPECT_THAT(integers_of(wide("a", {2}, {-much, 3}) + node("Abs", {"a"}, "c")), ElementsAre(much, 3));
  EXPECT_THAT(integers_of(wide("a", {2}, {-much, 3}) + node("Sign", {"a"}, "c")), ElementsAre(-1, 1));
  EXPECT_THAT(integers_of(wide("a", {2}, {3, -2}) + wide("p", {}, {39}) + node("Pow", {"a", "p"}, "c")),
              ElementsAre(4052555153018976267, -549755813888));
  EXPECT_THAT(refusal_of(wide("a", {1}, {0}) + reals("p", {}, {-1}) + node("Pow", {"a", "p"}, "c")),
              HasSubstr("a power of integers is inf"));
}

TEST(FoldNumbers, TheLargestComeFirstAndEqualOnesKeepTheirOrder) {
  const std::string five = reals("v", {5}, {1, 3, 2, 3, 0}) + wide("k", {1}, {3});
  EXPECT_THAT(reals_of(five + node("TopK", {"v", "k"}, "c")), ElementsAre(3, 3, 2));
  const std::string indices = "node { op_type: 'TopK' input: 'v' input: 'k' output: 't' output: 'c' } ";
  EXPECT_THAT(integers_of(five + indices), ElementsAre(1, 3, 2));
  EXPECT_THAT(refusal_of(reals("v", {2}, {1, 3}) + wide("k", {1}, {3}) + node("TopK", {"v", "k"}, "c")),
              HasSubstr("3 elements of an axis of 2"));
}

TEST(FoldProducts, PositionsOfRotaryEmbeddingsAreConstants) {
  EXPECT_THAT(reals_of(reals("f", {1, 2, 1}, {1, 0.5F}) + reals("p", {1, 1, 3}, {0, 1, 2}) +
                       node("MatMul", {"f", "p"}, "c")),
              ElementsAre(0, 1, 2, 0, 0.5F, 1));
}

TEST(FoldProducts, EinsumTakesAnyNumberOfOperandsAndAxesUnderDots) {
  const auto product = [](const std::string& equation, const std::vector<std::string>& operands) {
    return node("Einsum", operands, "c", text_attribute("equation", equation));
  };
  EXPECT_THAT(integers_of(product("ij,ij,kj->k", {"whole", "whole", "whole"})), ElementsAre(75, 240));
  EXPECT_THAT(reals_of(product("...i->...", {"data"})), ElementsAre(3, 12));
  EXPECT_THAT(reals_of(product("ij->", {"data"})), ElementsAre(15));
  EXPECT_THAT(reals_of(product("ji", {"data"})), ElementsAre(0, 3, 1, 4, 2, 5)) << "letters are sorted";
  EXPECT_THAT(refusal_of(product("ij->k", {"data"})), HasSubstr("has no single axis 'k' for its result"));
  EXPECT_THAT(refusal_of(product("ijk->i", {"data"})), HasSubstr("'ijk' does not fit an operand of rank 2"));
  EXPECT_THAT(refusal_of(product("ij,ij->i", {"data"})), HasSubstr("beside 1 operands"));
  EXPECT_THAT(refusal_of(product("ij,ji->i", {"data", "data"})), HasSubstr("axes of 2 and 3 elements"));
}

TEST(FoldProducts, ASmallFileIsNotWorthAllTheTimeThereIs) {
  const std::string large =
      wide("n", {2}, {2048, 2048}) + node("ConstantOfShape", {"n"}, "m") + node("MatMul", {"m", "m"}, "c");
  EXPECT_THAT(refusal_of(large), HasSubstr("takes more than 2^28 multiplications"));
  EXPECT_THAT(refusal_of(node("MatMul", {"data", "data"}, "c")), HasSubstr("the product of 2x3 and 2x3"));
  EXPECT_THAT(refusal_of(wide("d", {}, {1 << 24}) + wide("i", {4}, {0, 0, 0, 0}) + reals("v", {2}, {0, 1}) +
                         node("OneHot", {"i", "d", "v"}, "c")),
              HasSubstr("has more than 2^25 elements"));
}

TEST(FoldProducts, GemmTurnsBothMatrices) {
  EXPECT_THAT(reals_of(reals("b", {2, 1}, {1, 2}) + reals("add", {1}, {10}) +
                       node("Gemm", {"data", "b", "add"}, "c", attribute("transA", 1))),
              ElementsAre(16, 19, 22));
}

TEST(CastLike, GivesConstantsTheTypeOfAConstantOrOfData) {
  EXPECT_THAT(integers_of(integers_of_type(9, "t", {1}, {1}) + reals("v", {2}, {0.5F, 0}) +
                          node("CastLike", {"v", "t"}, "c")),
              ElementsAre(1, 0))
      << "truths";
  EXPECT_THAT(
      integers_of(wide("t", {1}, {1}) + reals("v", {2}, {0.5F, -3.5F}) + node("CastLike", {"v", "t"}, "c")),
      ElementsAre(0, -3));
  EXPECT_THAT(integers_of(integers_of_type(2, "t", {1}, {1}) + wide("v", {2}, {257, -1}) +
                          node("CastLike", {"v", "t"}, "c")),
              ElementsAre(1, 255));
  EXPECT_THAT(reals_of(node("CastLike", {"whole", "x"}, "c")), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Fold, WhatIsOfConstantsAloneIsRefusedForData) {
  EXPECT_THAT(findings(ends() + wide("k", {}, {1}) + node("Trilu", {"x", "k"}, "y")),
              HasSubstr("node 'y' (Trilu): depends on the network's input, and is only understood on"));
}

}  // namespace
}  // namespace n2d2::onnx
