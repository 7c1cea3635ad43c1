#include <gtest/gtest.h>

#include "net.hpp"

namespace n2d2::testing {
namespace {

TEST(RemoveUnused, DropsChainsThatNothingReads) {
  Net net(Shape{1, 2, 3, 3});
  const ValueId kept = net.conv("kept", net.data, 2, 1);
  net.relu("end", net.conv("dead", kept, 3, 1));
  net.graph.set_outputs({kept});
  EXPECT_EQ(run_pass(net.graph, "remove_unused"), 2);
  EXPECT_TRUE(net.has("kept"));
  EXPECT_FALSE(net.has("dead"));
  EXPECT_EQ(run_pass(net.graph, "remove_unused"), 0);
}

TEST(RemoveUnused, KeepsOutputsThatAreReadToo) {
  Net net(Shape{1, 2, 3, 3});
  const ValueId first = net.conv("first", net.data, 2, 1);
  const ValueId last = net.relu("last", first);
  net.graph.set_outputs({first, last});
  EXPECT_EQ(run_pass(net.graph, "remove_unused"), 0);
}

}  // namespace
}  // namespace n2d2::testing
