// Pads of zeros are a Padding, others a Border.
#include <numeric>

#include <gmock/gmock.h>

#include "n2d2/ops/border.hpp"

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string mode(const std::string& value) {
  return "attribute { name: 'mode' type: STRING s: '" + value + "' } ";
}

const Shape kRow{1, 1, 1, 3};
const std::vector<float> kValues{1, 2, 3};

std::string pad(const std::vector<int>& pads, const std::string& more, const std::string& value = "") {
  return ends({1, 1, 1, 3}) + integers("pads", pads) + value +
         node("Pad",
              value.empty() ? std::vector<std::string>{"x", "pads"}
                            : std::vector<std::string>{"x", "pads", "value"},
              "y", more);
}

const std::vector<int> kLeftRight{0, 0, 0, 2, 0, 0, 0, 1};

TEST(ImportPad, EveryMode) {
  EXPECT_THAT(Net(pad(kLeftRight, mode("reflect")), kRow).run(kValues), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(Net(pad(kLeftRight, mode("edge")), kRow).run(kValues), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(Net(pad(kLeftRight, "", reals("value", {}, {-1})), kRow).run(kValues),
              ElementsAre(-1, -1, 1, 2, 3, -1));
  const std::string attribute_value = "attribute { name: 'value' type: FLOAT f: 9 } ";
  const std::string old =
      ends({1, 1, 1, 3}) +
      node("Pad", {"x"}, "y",
           attribute("pads", std::vector<int64_t>{0, 0, 0, 2, 0, 0, 0, 1}) + attribute_value);
  EXPECT_THAT(Net(old, kRow, {}, 10).run(kValues), ElementsAre(9, 9, 1, 2, 3, 9));
}

/// Columns of N,C are channels, whose borders are those of a row.
TEST(ImportPad, ColumnsOfRowsHaveBorders) {
  const auto padded = [](const std::vector<int>& pads, const std::string& more,
                         const std::string& value = "") {
    return Net(input("x", {1, 3}) + output("y") + integers("pads", pads) + value +
                   node("Pad", {"x", "pads", value.empty() ? "" : "value"}, "y", more),
               {1, 3, 1, 1})
        .run(kValues);
  };
  EXPECT_THAT(padded({0, 2, 0, 1}, mode("reflect")), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THAT(padded({0, 1, 0, 2}, mode("edge")), ElementsAre(1, 1, 2, 3, 3, 3));
  EXPECT_THAT(padded({0, 1, 0, 0}, "", reals("value", {}, {-1})), ElementsAre(-1, 1, 2, 3));
  EXPECT_THAT(padded({0, 0, 0, 0}, mode("edge")), ElementsAre(1, 2, 3));
}

TEST(ImportPad, ZerosAndPadsOfNothingNeedNoBorder) {
  EXPECT_THAT(Net(pad(kLeftRight, mode("constant"), reals("value", {}, {0})), kRow).types(),
              ElementsAre("Padding"));
  EXPECT_THAT(Net(pad({0, 0, 0, 0, 0, 0, 0, 0}, mode("edge")), kRow).types(), ElementsAre());
  const Net edge(pad(kLeftRight, mode("edge"), reals("value", {}, {5})), kRow);
  EXPECT_EQ(edge.only<ops::Border>().value, 0);
}

TEST(ImportPad, RefusesTensorsOfMoreAxes) {
  EXPECT_THAT(findings(ends() + integers("five", {1, 2, 2, 2, 4}) + node("Reshape", {"x", "five"}, "r") +
                       integers("pads", {0, 0, 0, 0, 1, 0, 0, 0, 0, 1}) + node("Pad", {"r", "pads"}, "y")),
              HasSubstr("pads 1x2x2x2x4, expected N,C or N,C,L or N,C,H,W"));
}

TEST(ImportPad, RefusesWhatNoLayerDoes) {
  EXPECT_THAT(findings(pad(kLeftRight, mode("wrap")), kRow), HasSubstr("mode 'wrap' is not imported"));
  EXPECT_THAT(findings(pad(kLeftRight, "", reals("value", {2}, {1, 2})), kRow),
              HasSubstr("2 values, expected one"));
  EXPECT_THAT(findings(pad({0, 0, 0, -1, 0, 0, 0, 1}, mode("edge")), kRow),
              HasSubstr("crops, and pads with something else than zeros"));
  EXPECT_THAT(findings(pad({0, 1, 0, 0, 0, 0, 0, 0}, mode("edge")), kRow),
              HasSubstr("pads the channels with something else than zeros"));
  EXPECT_THAT(findings(pad({0, 0, 0, 3, 0, 0, 0, 0}, mode("reflect")), kRow),
              HasSubstr("has no mirror image of 0 rows, 3 columns"));
  EXPECT_THAT(findings(pad({1, 0, 0, 0, 0, 0, 0, 0}, ""), kRow), HasSubstr("pads the batch"));
}

}  // namespace
}  // namespace n2d2::onnx
