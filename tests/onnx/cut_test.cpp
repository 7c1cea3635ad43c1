// Operators that take parts of tensors, or repeat them.
#include "import/cut.hpp"

#include <numeric>

#include <gmock/gmock.h>

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Extents = std::vector<int64_t>;

const Shape kMap{1, 2, 2, 3};
/// 0 to 11, so that each value is its place.
const std::vector<float> kPlaces = [] {
  std::vector<float> places(12);
  std::iota(places.begin(), places.end(), 0.0F);
  return places;
}();

Net on_map(const std::string& nodes) {
  return Net(ends({1, 2, 2, 3}) + nodes, kMap);
}

std::string number(const std::string& name, int value) {
  return "initializer { name: '" + name + "' data_type: 7 int64_data: " + std::to_string(value) + " } ";
}

// ---- Gather
// ------------------------------------------------------------------------------------------------

TEST(ImportGather, OneElementTakesItsAxisAway) {
  const auto gather = [](int index, int64_t axis) {
    return on_map(number("i", index) + node("Gather", {"x", "i"}, "y", attribute("axis", axis)));
  };
  const Net column = gather(-1, 3);
  EXPECT_THAT(column.run(kPlaces), ElementsAre(2, 5, 8, 11));
  EXPECT_EQ(column.imported.dims.at("y"), (Extents{1, 2, 2}));
  EXPECT_THAT(gather(1, 2).run(kPlaces), ElementsAre(3, 4, 5, 9, 10, 11));
  const Net channel = gather(1, 1);
  EXPECT_THAT(channel.run(kPlaces), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_EQ(channel.imported.dims.at("y"), (Extents{1, 2, 3}));
}

TEST(ImportGather, TheLastStepOfASequenceIsACrop) {
  const Net net(input("x", {1, 2, 6}) + output("y") + number("i", -1) +
                    node("Gather", {"x", "i"}, "y", attribute("axis", 2)),
                {1, 2, 1, 6});
  EXPECT_THAT(net.types(), ElementsAre("Padding"));
  EXPECT_THAT(net.run(kPlaces), ElementsAre(5, 11));
  EXPECT_EQ(net.imported.dims.at("y"), (Extents{1, 2}));
}

TEST(ImportGather, ListsMayStepTurnRoundAndRepeat) {
  const auto gather = [](const std::vector<int>& index, int64_t axis) {
    return on_map(integers("i", index) + node("Gather", {"x", "i"}, "y", attribute("axis", axis)))
        .run(kPlaces);
  };
  EXPECT_THAT(gather({0, 2}, 3), ElementsAre(0, 2, 3, 5, 6, 8, 9, 11));
  EXPECT_THAT(gather({2, 0}, 3), ElementsAre(2, 0, 5, 3, 8, 6, 11, 9));
  EXPECT_THAT(gather({2, 0, 0}, -1), ElementsAre(2, 0, 0, 5, 3, 3, 8, 6, 6, 11, 9, 9));
  EXPECT_THAT(gather({1, 0}, 2), ElementsAre(3, 4, 5, 0, 1, 2, 9, 10, 11, 6, 7, 8));
  EXPECT_THAT(gather({1, 1}, 1), ElementsAre(6, 7, 8, 9, 10, 11, 6, 7, 8, 9, 10, 11));
}

TEST(ImportGather, RefusesTheBatchAndIndicesOutside) {
  const auto refusal = [](int index, int64_t axis) {
    return findings(ends({1, 2, 2, 3}) + integers("i", {index}) +
                        node("Gather", {"x", "i"}, "y", attribute("axis", axis)),
                    kMap);
  };
  EXPECT_EQ(refusal(0, 0),
            "net.onnx: node 'y' (Gather): gathers along the batch of 1x2x2x3\n"
            "  hint: keep axis 0 whole");
  EXPECT_EQ(refusal(3, 3), "net.onnx: node 'y' (Gather): index 3 of an axis of 3");
}

// ---- Slice
// -------------------------------------------------------------------------------------------------

TEST(ImportSlice, GoesBackwardsAlongRowsAndColumns) {
  const Net net = on_map(integers("s", {-1}) + integers("e", {-100}) + integers("a", {3}) +
                         integers("p", {-2}) + node("Slice", {"x", "s", "e", "a", "p"}, "y"));
  EXPECT_THAT(net.run(kPlaces), ElementsAre(2, 0, 5, 3, 8, 6, 11, 9));
}

TEST(ImportSlice, CutsTensorsOfMoreAxes) {
  const Net net = on_map(integers("five", {1, 2, 1, 2, 3}) + node("Reshape", {"x", "five"}, "v") +
                         integers("s", {0, 1}) + integers("e", {3, 2}) + integers("a", {4, 3}) +
                         integers("p", {2, 1}) + node("Slice", {"v", "s", "e", "a", "p"}, "y"));
  EXPECT_THAT(net.run(kPlaces), ElementsAre(3, 5, 9, 11));
  EXPECT_EQ(net.imported.dims.at("y"), (Extents{1, 2, 1, 1, 2}));
}

TEST(ImportSlice, RefusesTheBatch) {
  EXPECT_EQ(findings(ends({1, 2, 2, 3}) + integers("s", {0}) + integers("e", {0}) + integers("a", {0}) +
                         node("Slice", {"x", "s", "e", "a"}, "y"),
                     kMap),
            "net.onnx: node 'y' (Slice): cuts the batch of 1x2x2x3");
}

// ---- Expand and Tile
// -----------------------------------------------------------------------------------------

TEST(ImportExpand, RepeatsPixelsAndChannelsOfOne) {
  const auto expand = [](const std::vector<int>& dims, const std::vector<int>& to) {
    return Net(ends(dims) + integers("to", to) + node("Expand", {"x", "to"}, "y"),
               {1, dims[1], dims[2], dims[3]});
  };
  const Net gate = expand({1, 2, 1, 1}, {1, 2, 2, 3});
  EXPECT_THAT(gate.types(), ElementsAre("Resize", "Resize"));
  EXPECT_THAT(gate.run({3, 4}), ElementsAre(3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4));
  const Net mask = expand({1, 1, 1, 2}, {2, 1, 1});
  EXPECT_THAT(mask.types(), ElementsAre("Conv"));
  EXPECT_THAT(mask.run({3, 4}), ElementsAre(3, 4, 3, 4));
  EXPECT_EQ(mask.imported.dims.at("y"), (Extents{1, 2, 1, 2}));
}

TEST(ImportExpand, ToItsOwnExtentsIsNothing) {
  EXPECT_THAT(on_map(integers("to", {1, 2, 1, 3}) + node("Expand", {"x", "to"}, "y")).types(), IsEmpty());
}

TEST(ImportExpand, RefusesTheBatchAndMoreAxes) {
  const auto refusal = [](const std::vector<int>& to) {
    return findings(ends({1, 2, 2, 3}) + integers("to", to) + node("Expand", {"x", "to"}, "y"), kMap);
  };
  EXPECT_EQ(refusal({4, 1, 1, 1}), "net.onnx: node 'y' (Expand): repeats the batch of 1x2x2x3");
  EXPECT_THAT(refusal({2, 1, 1, 1, 1}), HasSubstr("1x2x2x3 becomes 2x1x2x2x3, whose batch is another axis"));
  EXPECT_THAT(refusal({1, 5, 1, 1}), HasSubstr("do not broadcast"));
}

TEST(ImportTile, RepeatsAnyAxisBehindTheBatch) {
  const auto tile = [](const std::vector<int>& times) {
    return on_map(integers("t", times) + node("Tile", {"x", "t"}, "y")).run(kPlaces);
  };
  EXPECT_THAT(tile({1, 1, 1, 1}), ::testing::ElementsAreArray(kPlaces));
  EXPECT_THAT(tile({1, 1, 1, 2}),
              ElementsAre(0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7, 8, 6, 7, 8, 9, 10, 11, 9, 10, 11));
  EXPECT_THAT(tile({1, 2, 1, 1}),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
}

TEST(ImportTile, OfConstantsIsAConstant) {
  const Net net(ends({1, 4}) + reals("c", {1, 2}, {1, 2}) + integers("t", {1, 2}) +
                    node("Tile", {"c", "t"}, "r") + node("Mul", {"x", "r"}, "y"),
                {1, 4, 1, 1});
  EXPECT_THAT(net.run({1, 1, 1, 1}), ElementsAre(1, 2, 1, 2));
}

TEST(ImportTile, RefusesTheBatchAndRepeatsThatDoNotFit) {
  const auto refusal = [](const std::vector<int>& times) {
    return findings(ends({1, 2, 2, 3}) + integers("t", times) + node("Tile", {"x", "t"}, "y"), kMap);
  };
  EXPECT_EQ(refusal({2, 1, 1, 1}), "net.onnx: node 'y' (Tile): repeats the batch of 1x2x2x3");
  EXPECT_EQ(refusal({1, 0, 1, 1}), "net.onnx: node 'y' (Tile): axis 1 is there 0 times");
  EXPECT_EQ(refusal({1, 2}), "net.onnx: node 'y' (Tile): 2 repeats of a tensor of rank 4");
}

TEST(ImportExpand, OfConstantsIsAConstant) {
  const Net net(ends({1, 4}) + reals("c", {1, 1}, {3}) + integers("e", {1, 4}) +
                    node("Expand", {"c", "e"}, "r") + node("Mul", {"x", "r"}, "y"),
                {1, 4, 1, 1});
  EXPECT_THAT(net.run({1, 2, 3, 4}), ElementsAre(3, 6, 9, 12));
}

TEST(Range, BackwardsMayStartAndEndAtTheFirst) {
  const auto elements = [](int64_t start, int64_t end, int64_t step) {
    const Range range = range_of(start, end, step, 4);
    return std::vector<int64_t>{range.start, range.count};
  };
  EXPECT_THAT(elements(-1, -4, -1), ElementsAre(3, 3));  // 3 2 1
  EXPECT_THAT(elements(-1, -5, -1), ElementsAre(3, 4));
  EXPECT_THAT(elements(-4, -5, -1), ElementsAre(0, 1));
  EXPECT_THAT(elements(-4, 4, 1), ElementsAre(0, 4));
  EXPECT_THAT(elements(-5, 4, 1), ElementsAre(0, 4));
}

}  // namespace
}  // namespace n2d2::onnx
