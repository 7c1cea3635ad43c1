// Recurrent layers whose state comes from outside, or leaves them.
#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "n2d2/ops/recurrent.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::Contains;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;

/// Sums of a few numbers in float, through four steps.
constexpr float kRounding = 1e-6F;
constexpr int kUnits = 2, kChannels = 3;

struct Cell {
  std::string type;
  int gates;
  std::string more = {};
};
const std::vector<Cell>& cells() {
  static const std::vector<Cell> all{
      {"LSTM", 4}, {"GRU", 3}, {"GRU", 3, attribute("linear_before_reset", 1)}, {"RNN", 1}};
  return all;
}

std::vector<float> drawn(int count, int seed) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(0.9F * std::sin(static_cast<float>(7 * i + 3 * seed + 1)));
  return out;
}

/// Weights w, r, b of each direction behind each other.
std::string weights(const Cell& cell, int directions, const std::string& mark = "") {
  const int rows = cell.gates * kUnits;
  const auto part = [&](const std::string& name, const std::vector<int>& dims, int each, int seed) {
    std::vector<float> values;
    for (int d = 0; d < directions; ++d) {
      const std::vector<float> one = drawn(each, seed + (mark == "2" ? 10 : 10 * d));
      values.insert(values.end(), one.begin(), one.end());
    }
    return reals(name + mark, dims, values);
  };
  return part("w", {directions, rows, kChannels}, rows * kChannels, 1) +
         part("r", {directions, rows, kUnits}, rows * kUnits, 2) +
         part("b", {directions, 2 * rows}, 2 * rows, 3);
}

/// A layer over `from` with its state of before, and its outputs named `to` + y, h, c.
std::string layer(const Cell& cell, const std::string& from, const std::string& state, const std::string& to,
                  const std::string& mark = "", const std::string& direction = "forward") {
  std::vector<std::string> inputs{from, "w" + mark, "r" + mark, "b" + mark};
  if (!state.empty()) {
    inputs.insert(inputs.end(), {"", state + "h"});
    if (cell.type == "LSTM") inputs.push_back(state + "c");
  }
  std::string more = "output: '" + to + "h' ";
  if (cell.type == "LSTM") more += "output: '" + to + "c' ";
  more += "attribute { name: 'direction' type: STRING s: '" + direction + "' } ";
  return node(cell.type, inputs, to + "y", more + attribute("hidden_size", kUnits) + cell.more);
}
std::string cut(const std::string& from, int first, int end, const std::string& to) {
  return integers(to + "0", {first}) + integers(to + "1", {end}) +
         node("Slice", {from, to + "0", to + "1"}, to);
}
std::string joined(const std::vector<std::string>& from, const std::string& to, int axis) {
  return node("Concat", from, to, attribute("axis", axis));
}

ImportOptions pixels() {
  ImportOptions options;
  options.keeps_channels_last = true;
  return options;
}
std::vector<float> run(const std::string& text) {
  return Net(text, {1, kChannels, 1, 4}, pixels(), 14).run(drawn(4 * kChannels, 9));
}

// The operator over four steps is the definition; two and two steps, the state handed on, are layers of other
// networks.
TEST(ImportStates, ASequenceInTwoPartsIsTheWholeOne) {
  for (const Cell& cell : cells()) {
    SCOPED_TRACE(cell.type + cell.more);
    const std::string begin = ends({4, 1, kChannels}) + weights(cell, 1);
    const std::string whole = begin + layer(cell, "x", "", "all") + node("Identity", {"ally"}, "y");
    const std::string parts = begin + cut("x", 0, 2, "front") + cut("x", 2, 4, "back") +
                              layer(cell, "front", "", "a") + layer(cell, "back", "a", "b") +
                              joined({"ay", "by"}, "y", 0);
    const Net net(parts, {1, kChannels, 1, 4}, pixels(), 14);
    EXPECT_THAT(net.types(), Contains("Nonlinearity"));
    EXPECT_THAT(run(parts), Pointwise(FloatNear(kRounding), run(whole)));
  }
}

// Both directions at once, and each as a layer of its own.
TEST(ImportStates, EachDirectionHasItsOwnState) {
  for (const Cell& cell : cells()) {
    SCOPED_TRACE(cell.type + cell.more);
    const std::string begin = ends({4, 1, kChannels}) + weights(cell, 2) + weights(cell, 1, "1") +
                              weights(cell, 1, "2") + cut("x", 0, 2, "front") + cut("x", 2, 4, "back") +
                              layer(cell, "front", "", "f", "1") + layer(cell, "front", "", "g", "2");
    const std::string state =
        joined({"fh", "gh"}, "sh", 0) + (cell.type == "LSTM" ? joined({"fc", "gc"}, "sc", 0) : "");
    const std::string both =
        begin + state + layer(cell, "back", "s", "b", "", "bidirectional") + node("Identity", {"by"}, "y");
    const std::string apart = begin + layer(cell, "back", "f", "p", "1") +
                              layer(cell, "back", "g", "q", "2", "reverse") + joined({"py", "qy"}, "y", 1);
    EXPECT_THAT(run(both), Pointwise(FloatNear(kRounding), run(apart)));
    const std::string last =
        begin + state + layer(cell, "back", "s", "b", "", "bidirectional") + node("Identity", {"bh"}, "y");
    const std::string each = begin + layer(cell, "back", "f", "p", "1") +
                             layer(cell, "back", "g", "q", "2", "reverse") + joined({"ph", "qh"}, "y", 0);
    EXPECT_THAT(run(last), Pointwise(FloatNear(kRounding), run(each)));
  }
}

TEST(ImportStates, ManyStepsAreRefused) {
  const Cell& lstm = cells()[0];
  const auto refused = [&](const std::string& body) {
    return findings(ends({17, 1, kChannels}) + weights(lstm, 1) + body, {1, kChannels, 1, 17}, pixels(), 14);
  };
  EXPECT_THAT(
      refused(layer(lstm, "x", "", "a") + node("Identity", {"ac"}, "y")),
      HasSubstr("the state comes from outside or leaves the layer, and there are 17 steps, at most 16 are "
                "imported then\n"
                "  hint: export the model without the last cell state, or with fewer steps a call"));
  const Cell& rnn = cells()[3];
  EXPECT_THAT(
      findings(ends({17, 1, kChannels}) + weights(rnn, 1) + layer(rnn, "x", "", "a") +
                   layer(rnn, "x", "a", "b") + node("Identity", {"by"}, "y"),
               {1, kChannels, 1, 17}, pixels(), 14),
      HasSubstr("hint: export the model without an initial state, each sample is a whole sequence then"));
  EXPECT_THAT(refused(layer(lstm, "x", "", "a") + node("Identity", {"ah"}, "y")), HasSubstr("no findings"))
      << "the operator itself has the last state";
}

TEST(ImportStates, AStateOfOtherExtentsIsRefused) {
  const Cell& rnn = cells()[3];
  EXPECT_THAT(findings(ends({4, 1, kChannels}) + weights(rnn, 1) + cut("x", 0, 1, "front") +
                           layer(rnn, "x", "", "a") + joined({"ah", "ah"}, "bh", 0) +
                           layer(rnn, "front", "b", "c") + node("Identity", {"cy"}, "y"),
                       {1, kChannels, 1, 4}, pixels(), 14),
              HasSubstr("the initial state (input 5) is 1x2x2, expected 1x1x2"));
}

/// h + 2 c and h - c, one behind the other, of a state of h and c (2,1,3), whose second axis is the batch.
std::string stacked(const std::string& parts, int batch = 1) {
  return input("x", {2, batch, 3}) + output("y") + reals("two", {}, {2}) + integers("zero", {0}) + parts +
         node("Mul", {"c", "two"}, "d") + node("Add", {"h", "d"}, "a") + node("Sub", {"h", "c"}, "s") +
         node("Unsqueeze", {"a", "zero"}, "a1") + node("Unsqueeze", {"s", "zero"}, "s1") +
         joined({"a1", "s1"}, "y", 0);
}
std::string picked(const std::string& to, int index) {
  return integers_of_type(6, "at" + to, {}, {index}) + node("Gather", {"x", "at" + to}, to);
}
std::string cut_off(const std::string& to, int first) {
  return cut("x", first, first + 1, to + "2") + node("Squeeze", {to + "2", "zero"}, to);
}

TEST(ImportStates, WhatIsCutAtAxis0HasItsBatchAtAxis1) {
  const std::string branch = "node { op_type: 'If' input: 'yes' output: 'h' " +
                             ("attribute { name: 'then_branch' type: GRAPH g { " +
                              node("Gather", {"x", "ath"}, "th") + "output { name: 'th' } } } ") +
                             ("attribute { name: 'else_branch' type: GRAPH g { " + node("Relu", {"x"}, "eh") +
                              "output { name: 'eh' } } } } ");
  const std::string decided = integers_of_type(9, "yes", {}, {1}) + integers_of_type(6, "ath", {}, {0});
  for (const std::string& parts :
       {picked("h", 0) + picked("c", 1), cut_off("h", 0) + cut_off("c", 1),
        std::string("node { op_type: 'Split' input: 'x' output: 'h2' output: 'c2' } ") +
            node("Squeeze", {"h2", "zero"}, "h") + node("Squeeze", {"c2", "zero"}, "c"),
        decided + branch + cut_off("c", 1)})
    for (const int batch : {1, 0}) {
      const Net net(stacked(parts, batch), {1, 2, 1, 3}, {}, 13);
      EXPECT_THAT(net.run({1, 2, 3, 4, 5, 6}), testing::ElementsAre(9, 12, 15, -3, -3, -3)) << parts;
      EXPECT_EQ(net.imported.batch.at("y"), 1U);
    }
}

/// A state of four axes, whose last one is cut first.
TEST(ImportStates, StatesOfManyAxesHaveTheirBatchAtAxis1) {
  const Cell& lstm = cells()[0];
  const std::string text = input("x", {1, 1, kChannels}) + input("s", {2, 1, kUnits, 2}) + output("y") +
                           weights(lstm, 1) + integers_of_type(6, "i0", {}, {0}) +
                           integers_of_type(6, "i1", {}, {1}) +
                           node("Gather", {"s", "i0"}, "hs", attribute("axis", 3)) +
                           node("Gather", {"s", "i1"}, "cs", attribute("axis", 3)) + cut("hs", 0, 1, "ah") +
                           cut("cs", 0, 1, "ac") + layer(lstm, "x", "a", "b") + node("Identity", {"bh"}, "y");
  const Model model = model_of(text, 14);
  EXPECT_EQ(model.inputs()[1].batch, 1U);
  EXPECT_EQ(model.inputs()[1].dims, (std::vector<int64_t>{1, 2, kUnits, 2}));
  graph::Graph graph;
  const auto x = graph.add_input("x", {{1, kChannels, 1, 1}, DataType::F32, Layout::Nchw, {}});
  const auto s = graph.add_input("s", {{1, 2, kUnits, 2}, DataType::F32, Layout::Nchw, {}});
  EXPECT_NO_THROW(import_model(graph, model, {x, s}, pixels()));
}

}  // namespace
}  // namespace n2d2::onnx
