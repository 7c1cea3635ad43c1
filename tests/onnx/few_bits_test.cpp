// Files with integers of few bits: INT4 and UINT4, Clips of integers, and the operators of QONNX.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/ops/fake_quantize.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kUint4 = 21, kInt4 = 22, kUint2 = 25, kInt2 = 26;
const Shape kTwo{1, 2, 1, 1};

QuantParams scales_of_weights(const Net& net) {
  for (const graph::NodeId id : net.graph.schedule())
    if (net.graph.node(id).inputs.size() > 1)
      if (const auto& quant = net.graph.value(net.graph.node(id).inputs[1]).type.quant) return *quant;
  return {};
}

/// x (1x2) times the matrix "wr" that `weights` makes.
std::string product(const std::string& weights, const std::string& more = "") {
  return ends({1, 2}) + weights + node("Gemm", {"x", "wr"}, "y", attribute("transB", 1)) + more;
}

// ---- types of 4 and 2 bits -------------------------------------------------------------------------------

std::string raw(int type, const std::vector<int>& dims, const std::string& bytes) {
  std::string text = "initializer { name: 'w' data_type: " + std::to_string(type);
  for (const int extent : dims) text += " dims: " + std::to_string(extent);
  return text + " raw_data: '" + bytes + "' } ";
}

/// The integers of a tensor, by an Add to zeros.
std::vector<float> read_as_reals(const std::string& tensor, int count) {
  const std::string text = ends({1, count}) + tensor + reals("one", {}, {1}) +
                           node("DequantizeLinear", {"w", "one"}, "r") + node("Add", {"x", "r"}, "y");
  return Net(text, {1, count, 1, 1}, {}, 25).run(std::vector<float>(static_cast<size_t>(count), 0));
}

TEST(FewBits, FourBitsShareAByteLowBitsFirst) {
  // 0x21 0xF8: 1, 2, 8, 15
  EXPECT_THAT(read_as_reals(raw(kUint4, {1, 4}, "\\x21\\xF8"), 4), ElementsAre(1, 2, 8, 15));
  EXPECT_THAT(read_as_reals(raw(kInt4, {1, 4}, "\\x21\\xF8"), 4), ElementsAre(1, 2, -8, -1));
  // An odd count leaves the upper half of the last byte over, whatever it holds.
  EXPECT_THAT(read_as_reals(raw(kInt4, {1, 3}, "\\x87\\xA9"), 3), ElementsAre(7, -8, -7));
  EXPECT_THAT(read_as_reals(raw(kInt4, {1, 1}, "\\x0F"), 1), ElementsAre(-1));
  // int32_data holds bytes, too.
  EXPECT_THAT(read_as_reals(integers_of_type(kInt4, "w", {1, 3}, {0x87, 0x09}), 3), ElementsAre(7, -8, -7));
}

TEST(FewBits, TwoBitsAreFourToAByte) {
  EXPECT_THAT(read_as_reals(raw(kUint2, {1, 5}, "\\xE4\\x02"), 5), ElementsAre(0, 1, 2, 3, 2));
  EXPECT_THAT(read_as_reals(raw(kInt2, {1, 4}, "\\xE4"), 4), ElementsAre(0, 1, -2, -1));
}

TEST(FewBits, BytesMustBeAsManyAsTheElementsTake) {
  const auto of = [](int type, const std::string& bytes) {
    return findings(ends({1, 2}) + raw(type, {3}, bytes) + node("Add", {"x", "w"}, "y"), kTwo, {}, 21);
  };
  EXPECT_THAT(of(kInt4, "a"), HasSubstr("tensor 'w' holds 1 bytes, its extents ask for 2"));
  EXPECT_THAT(of(kInt4, "abc"), HasSubstr("tensor 'w' holds 3 bytes, its extents ask for 2"));
  EXPECT_THAT(of(23, "ab"), HasSubstr("tensor 'w' has element type FLOAT4E2M1, which is not read\n"
                                      "  hint: integers and floats of 16 bits and more are"));
}

TEST(FewBits, WeightsOfFourBitsKeepTheirIntegersAndTheirWidth) {
  const auto quant_of = [](int type, const std::string& zero) {
    const Net net(product(raw(type, {2, 2}, "\\x21\\x87") + reals("s", {2}, {0.5F, 0.25F}) +
                          integers_of_type(type, "z", {2}, {std::stoi(zero)}) +
                          node("DequantizeLinear", {"w", "s", "z"}, "wr", attribute("axis", 0))),
                  kTwo, {}, 21);
    return std::pair(scales_of_weights(net), net.run({1, 10}));
  };
  const auto [quant, out] = quant_of(kInt4, "0");  // 1, 2 times 0.5; 7, -8 times 0.25
  EXPECT_EQ(quant, (QuantParams{4, true, 0, {0.5, 0.25}}));
  EXPECT_THAT(out, ElementsAre(10.5F, 1.75F - 20));
  const auto [around, sums] = quant_of(kUint4, "136");  // zero points 8 and 8
  EXPECT_EQ(around, (QuantParams{4, true, 0, {0.5, 0.25}}));
  EXPECT_THAT(sums, ElementsAre(-3.5F - 30, -0.25F));  // -7, -6 times 0.5; -1, 0 times 0.25
  EXPECT_EQ(quant_of(kUint4, "0").first.bits, 5) << "0 to 15 take five bits with a sign";
}

TEST(FewBits, ValuesOfFourBitsAreRoundedToTheirIntegers) {
  const auto text = [](const std::string& zero, const std::string& more) {
    return ends({1, 2}) + reals("s", {}, {0.5F}) + zero + node("QuantizeLinear", {"x", "s", "z"}, "q", more) +
           node("DequantizeLinear", {"q", "s", "z"}, "y");
  };
  const Net net(text(integers_of_type(kUint4, "z", {}, {0}), ""), kTwo, {}, 21);
  EXPECT_THAT(net.types(), ElementsAre("FakeQuantize"));
  EXPECT_EQ(net.only<ops::FakeQuantize>().bounds, (std::vector<int>{0, 15}));
  EXPECT_EQ(net.only<ops::FakeQuantize>().bits, 8);
  EXPECT_THAT(net.run({1.2F, 100}), ElementsAre(1, 7.5F));
  EXPECT_THAT(Net(text(integers_of_type(kInt4, "z", {}, {0}), ""), kTwo, {}, 21).run({-1.2F, -100}),
              ElementsAre(-1, -4));
  EXPECT_THAT(Net(text(integers_of_type(kUint4, "z", {}, {3}), ""), kTwo, {}, 21).run({-100, 100}),
              ElementsAre(-1.5F, 6));
  // output_dtype in place of a zero point
  const std::string typed = ends({1, 2}) + reals("s", {}, {0.5F}) +
                            node("QuantizeLinear", {"x", "s"}, "q", attribute("output_dtype", kInt4)) +
                            node("DequantizeLinear", {"q", "s"}, "y");
  EXPECT_THAT(Net(typed, kTwo, {}, 21).run({-1.2F, 100}), ElementsAre(-1, 3.5F));
  EXPECT_THAT(findings(text(integers_of_type(kInt4, "z", {}, {0}), attribute("block_size", 2)), kTwo, {}, 21),
              HasSubstr("attribute 'block_size' is 2, only 0 is imported"));
}

TEST(FewBits, ValuesOfSixteenBitsHaveTheirWidth) {
  const Net net(ends({1, 2}) + reals("s", {}, {0.5F}) + integers_of_type(5, "z", {}, {0}) +
                    node("QuantizeLinear", {"x", "s", "z"}, "q") +
                    node("DequantizeLinear", {"q", "s", "z"}, "y"),
                kTwo, {}, 21);
  EXPECT_EQ(net.only<ops::FakeQuantize>().bits, 16);
  EXPECT_THAT(net.run({1e6F, -1e6F}), ElementsAre(16383.5F, -16384));
}

TEST(FewBits, AClipOfWeightsSaysTheirWidth) {
  const auto bits = [](int least, int most) {
    return scales_of_weights(Net(product(integers_of_type(3, "w", {2, 2}, {1, -1, 0, 1}) +
                                         reals("s", {}, {0.5F}) + s8("z", 0) + s8("lo", least) +
                                         s8("hi", most) + node("Clip", {"w", "lo", "hi"}, "c") +
                                         node("DequantizeLinear", {"c", "s", "z"}, "wr")),
                                 kTwo))
        .bits;
  };
  EXPECT_EQ(bits(-127, 127), 8);
  EXPECT_EQ(bits(-8, 7), 4);
  EXPECT_EQ(bits(-7, 7), 4);
  EXPECT_EQ(bits(-1, 1), 2);
}

// ---- QONNX -----------------------------------------------------------------------------------------------

const std::string kDomain = " domain: 'qonnx.custom_op.general' ";

std::string switches(int is_signed, int narrow, const std::string& mode = "ROUND") {
  return attribute("signed", is_signed) + attribute("narrow", narrow) +
         "attribute { name: 'rounding_mode' type: STRING s: '" + mode + "' } ";
}

/// `in` rounded to y with "s", "z" and "b" of `constants`.
std::string quant(const std::string& in, const std::string& out, const std::string& more) {
  return node("Quant", {in, "s", "z", "b"}, out, kDomain + more);
}
std::string grid(float scale, float zero, float bits) {
  return reals("s", {}, {scale}) + reals("z", {}, {zero}) + reals("b", {}, {bits});
}

TEST(Qonnx, QuantOfDataRounds) {
  const auto run = [](float zero, float bits, int is_signed, int narrow) {
    return Net(ends({1, 4}) + grid(0.5F, zero, bits) + quant("x", "y", switches(is_signed, narrow)),
               {1, 4, 1, 1})
        .run({0.75F, 1.25F, -100, 100});
  };
  EXPECT_THAT(run(0, 4, 1, 0), ElementsAre(1, 1, -4, 3.5F));  // 1.5 and 2.5 steps, to even
  EXPECT_THAT(run(0, 4, 1, 1), ElementsAre(1, 1, -3.5F, 3.5F));
  EXPECT_THAT(run(0, 2, 0, 0), ElementsAre(1, 1, 0, 1.5F));
  EXPECT_THAT(run(0, 1, 0, 0), ElementsAre(0.5F, 0.5F, 0, 0.5F));
  EXPECT_THAT(run(0, 7, 1, 1), ElementsAre(1, 1, -31.5F, 31.5F));
  EXPECT_THAT(run(0, 8, 1, 0), ElementsAre(1, 1, -64, 63.5F));
  EXPECT_THAT(run(2, 4, 0, 0), ElementsAre(1, 1, -1, 6.5F));
  EXPECT_THAT(run(0, 16, 1, 0), ElementsAre(1, 1, -100, 100));
}

TEST(Qonnx, AReluAndAnUnsignedQuantAreAClampAndARounding) {
  const Net net(ends({1, 4}) + grid(0.5F, 0, 2) + node("Relu", {"x"}, "r") + quant("r", "y", switches(0, 0)),
                {1, 4, 1, 1});
  EXPECT_THAT(net.types(), ElementsAre("Relu", "FakeQuantize"));
  EXPECT_THAT(net.run({0.7F, 1.2F, -100, 100}), ElementsAre(0.5F, 1, 0, 1.5F));
}

TEST(Qonnx, QuantOfWeightsKeepsIntegersAndScales) {
  const std::string weights = reals("w", {2, 2}, {0.6F, -9, 0.3F, 0.1F}) + reals("s", {2, 1}, {0.5F, 0.25F}) +
                              reals("z", {}, {0}) + reals("b", {}, {3}) + quant("w", "wr", switches(1, 1));
  const Net net(product(weights), kTwo);  // 1, -3 times 0.5; 1, 0 times 0.25
  EXPECT_EQ(scales_of_weights(net), (QuantParams{3, true, 0, {0.5, 0.25}}));
  EXPECT_THAT(net.run({1, 10}), ElementsAre(0.5F - 15, 0.25F));
  EXPECT_THAT(net.types(), ElementsAre("Fc"));
}

TEST(Qonnx, WeightsMayRoundInAnyWay) {
  const auto run = [](const std::string& mode) {
    return Net(product(reals("w", {2, 2}, {2.5F, -2.5F, 1.7F, -1.2F}) + grid(1, 0, 4) +
                       quant("w", "wr", switches(1, 0, mode))),
               kTwo)
        .run({1, 100});
  };
  EXPECT_THAT(run("ROUND"), ElementsAre(2 - 200, 2 - 100));
  EXPECT_THAT(run("half_even"), ElementsAre(2 - 200, 2 - 100));
  EXPECT_THAT(run("CEIL"), ElementsAre(3 - 200, 2 - 100));
  EXPECT_THAT(run("FLOOR"), ElementsAre(2 - 300, 1 - 200));
  EXPECT_THAT(run("UP"), ElementsAre(3 - 300, 2 - 200));
  EXPECT_THAT(run("DOWN"), ElementsAre(2 - 200, 1 - 100));
  EXPECT_THAT(run("HALF_UP"), ElementsAre(3 - 300, 2 - 100));
  EXPECT_THAT(run("HALF_DOWN"), ElementsAre(2 - 200, 2 - 100));
}

TEST(Qonnx, BipolarWeightsAreOfTwoBits) {
  const Net net(product(reals("w", {2, 2}, {0.6F, -9, 0, -0.1F}) + reals("s", {}, {0.5F}) +
                        node("BipolarQuant", {"w", "s"}, "wr", kDomain)),
                kTwo);
  EXPECT_EQ(scales_of_weights(net), (QuantParams{2, true, -1, {0.5}}));
  EXPECT_THAT(net.run({1, 10}), ElementsAre(-4.5F, -4.5F));
  // A Quant of one signed bit is the same.
  const Net one(
      product(reals("w", {2, 2}, {0.6F, -9, 0, -0.1F}) + grid(0.5F, 0, 1) + quant("w", "wr", switches(1, 1))),
      kTwo);
  EXPECT_EQ(scales_of_weights(one), (QuantParams{2, true, -1, {0.5}}));
  EXPECT_THAT(one.run({1, 10}), ElementsAre(-4.5F, -4.5F));
}

TEST(Qonnx, AFactorOfALayerWithIntegersIsForTheirScales) {
  const std::string weights = reals("w", {2, 2}, {0.6F, -9, 0.3F, 0.1F}) + grid(0.5F, 0, 3);
  const auto text = [&](const std::string& weights_of) {
    return ends({1, 2}) + weights + quant("w", "wr", switches(1, 1)) + reals("f", {}, {4}) +
           node("Gemm", {"x", weights_of}, "g", attribute("transB", 1)) + node("Mul", {"g", "f"}, "y");
  };
  const Net net(text("wr"), kTwo);
  EXPECT_THAT(net.types(), ElementsAre("Fc", "BatchNorm"));
  EXPECT_THAT(net.run({1, 10}), ElementsAre(2 - 60, 2));
  EXPECT_THAT(Net(text("w"), kTwo).types(), ElementsAre("Fc", "Scaling"));
}

TEST(Qonnx, BiasesMayHaveThirtyTwoBits) {
  const std::string layer =
      ends({1, 2}) + reals("w", {1, 2}, {1, 2}) + reals("raw", {1}, {1000.3F}) + reals("s", {}, {0.0625F}) +
      reals("z", {}, {0}) + reals("b", {}, {32}) +
      node("Quant", {"raw", "s", "z", "b"}, "bias", " domain: 'onnx.brevitas' " + switches(1, 0)) +
      node("Gemm", {"x", "w", "bias"}, "y", attribute("transB", 1));
  EXPECT_THAT(Net(layer, kTwo).run({0, 0}), ElementsAre(1000.3125F));
}

TEST(Qonnx, ChannelsOfDataMayHaveScalesOfTheirOwn) {
  const std::string text = ends({1, 2, 1, 2}) + reals("s", {1, 2, 1, 1}, {0.5F, 0.25F}) +
                           reals("z", {}, {0}) + reals("b", {}, {4}) + quant("x", "y", switches(1, 0));
  EXPECT_THAT(Net(text, {1, 2, 1, 2}).run({0.6F, 100, 0.6F, 100}), ElementsAre(0.5F, 3.5F, 0.5F, 1.75F));
  const std::string rows = ends({1, 2, 1, 2}) + reals("s", {2}, {0.5F, 0.25F}) + reals("z", {}, {0}) +
                           reals("b", {}, {4}) + quant("x", "y", switches(1, 0));
  EXPECT_THAT(findings(rows, {1, 2, 1, 2}), HasSubstr("node 'y' (qonnx.custom_op.general.Quant): scales of 2 "
                                                      "for data of 1x2x1x2, only channels (axis 1)"));
}

TEST(Qonnx, TruncIsImportedWhereItLeavesNothingOut) {
  const auto text = [](float to, float scale) {
    return ends({1, 2}) + grid(0.5F, 0, 4) + reals("in", {}, {4}) + reals("to", {}, {to}) +
           reals("ts", {}, {scale}) + quant("x", "q", switches(0, 0)) +
           node("Trunc", {"q", "ts", "z", "in", "to"}, "y",
                kDomain + "attribute { name: 'rounding_mode' type: STRING s: 'FLOOR' } ");
  };
  EXPECT_THAT(Net(text(4, 0.5F), kTwo).run({0.7F, 100}), ElementsAre(0.5F, 7.5F));
  EXPECT_THAT(
      findings(text(2, 0.5F), kTwo),
      HasSubstr("net.onnx: node 'y' (qonnx.custom_op.general.Trunc): leaves 2 of 4 bits, and integer "
                "layers round to the nearest\n  hint: replace it and the sum before it by an average"));
  EXPECT_THAT(findings(text(4, 0.25F), kTwo),
              HasSubstr("its data are no multiples of its scale\n  hint: a Quant of this scale"));
}

TEST(Qonnx, RefusesByNameWhatIntegersCannotDo) {
  const auto of = [](const std::string& constants, const std::string& more) {
    return findings(ends({1, 2}) + constants + quant("x", "y", more), kTwo);
  };
  EXPECT_THAT(
      of(grid(1, 0, 4), switches(1, 0, "FLOOR")),
      HasSubstr("net.onnx: node 'y' (qonnx.custom_op.general.Quant): rounding_mode FLOOR of data, only "
                "ROUND is imported\n  hint: train with activations that are rounded to the nearest"));
  EXPECT_THAT(of(grid(1, 0, 4), switches(1, 0, "odd")),
              HasSubstr("rounding_mode 'odd' is not known\n  hint: "));
  EXPECT_THAT(of(grid(1, 0, 17), switches(1, 0)),
              HasSubstr("17 bits between layers, expected at most 16\n  hint: quantize to 8 bits"));
  EXPECT_THAT(of(grid(1, 0, 1), switches(1, 0)), HasSubstr("data of one signed bit are -1 and 1"));
  EXPECT_THAT(of(grid(1, 0, 2.5F), switches(1, 0)), HasSubstr("bit width 2.5, expected a whole number"));
  EXPECT_THAT(of(grid(1, 0, 33), switches(1, 0)),
              HasSubstr("bit width 33, expected a whole number of 1 to 32"));
  EXPECT_THAT(of(grid(1, 0.5F, 8), switches(1, 0)), HasSubstr("zero point 0.5, expected a whole number"));
  EXPECT_THAT(of(grid(-1, 0, 8), switches(1, 0)), HasSubstr("scale -1, expected a positive number"));
  EXPECT_THAT(of(grid(1, 0, 8), attribute("signed", 1)),
              HasSubstr("has no attribute 'narrow'\n  hint: write it: 0 or 1"));
  EXPECT_THAT(of(reals("s", {}, {1}) + reals("z", {}, {0}) + reals("b", {2}, {4, 8}), switches(1, 0)),
              HasSubstr("several bit widths in one tensor"));
  EXPECT_THAT(
      findings(ends({1, 2}) + reals("s", {}, {1}) + node("BipolarQuant", {"x", "s"}, "y", kDomain), kTwo),
      HasSubstr("node 'y' (qonnx.custom_op.general.BipolarQuant): of data makes -1 and 1"));
  EXPECT_THAT(findings(product(reals("w", {2, 2}, {1, 2, 3, 4}) + reals("s", {2, 1, 1}, {1, 1}) +
                               reals("z", {}, {0}) + reals("b", {}, {4}) + quant("w", "wr", switches(1, 0))),
                       kTwo),
              HasSubstr("scales of 2x1x1 for data of 2x2"));
}

TEST(Qonnx, OperatorsOfOtherDomainsAreNotMeant) {
  const auto of = [](const std::string& domain) {
    return findings(
        ends({1, 2}) + grid(1, 0, 4) + node("Quant", {"x", "s", "z", "b"}, "y", domain + switches(1, 0)),
        kTwo);
  };
  EXPECT_THAT(of(""), HasSubstr("node 'y' (Quant): this operator is not imported"));
  EXPECT_THAT(of(" domain: 'mine' "), HasSubstr("node 'y' (mine.Quant): this operator is not imported"));
  EXPECT_EQ(of(" domain: 'finn.custom_op.general' "), "no findings");
  EXPECT_THAT(findings(ends({1, 2}) + node("Relu", {"x"}, "y", kDomain), kTwo),
              HasSubstr("node 'y' (qonnx.custom_op.general.Relu): this operator is not imported"));
}

}  // namespace
}  // namespace n2d2::onnx
