#include "n2d2/ops/part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

#include "ops/operator_testing.hpp"

namespace n2d2::ops {
namespace {

using ::testing::ElementsAre;
using testing::infer_error;

/// Reads a and b; sum and half leave.
Part part(const std::string& weights = "1 1") {
  return Part(
      graph::from_text("input a : f32 1x1x1x2\ninput b : f32 1x1x1x2\n"
                       "sum : f32 1x1x1x2 = ElemWise(a, b) Operation=\"Sum\" Weights=\"" +
                           weights +
                           "\" clamp=\"0 5\"\n"
                           "half : f32 1x1x1x2 = Scaling(sum) Factor=\"0.5\"\n"
                           "output sum\noutput half\n",
                       registry()));
}

TEST(Part, ComputesWhatItsNodesCompute) {
  const Part op = part();
  const Tensor a = Tensor::from({2, 1, 1, 2}, {1, 2, 3, 4}), b = Tensor::from({2, 1, 1, 2}, {-2, 1, 1, 5});
  Tensor sum(a.shape()), half(a.shape());
  const std::vector<const Tensor*> in{&a, &b};
  const std::vector<Tensor*> out{&sum, &half};
  op.forward({in, out, false, {}, nullptr});
  EXPECT_THAT(sum.span<float>(), ElementsAre(0, 3, 4, 5));
  EXPECT_THAT(half.span<float>(), ElementsAre(0, 1.5, 2, 2.5));
}

TEST(Part, SaysWhichInputIsWrong) {
  EXPECT_EQ(infer_error(part(), {{1, 1, 1, 2}}), "expected 2 inputs, got 1");
  EXPECT_EQ(infer_error(part(), {{1, 1, 1, 2}, {1, 1, 2, 2}}), "input 1 is 1x1x2x2, the part takes 1x1x1x2");
}

TEST(Part, EqualsItsCloneAndNoOtherPart) {
  EXPECT_TRUE(part().equals(*part().clone()));
  EXPECT_FALSE(part().equals(part("1 2")));
  EXPECT_THAT(part().fields_text(), ElementsAre(std::pair<std::string, std::string>("Nodes", "sum half")));
}

}  // namespace
}  // namespace n2d2::ops
