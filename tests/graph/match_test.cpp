#include "match.hpp"

#include <gtest/gtest.h>

#include "toy_operator.hpp"

namespace n2d2::graph {
namespace {

std::string names(const Graph& g, const std::vector<Chain>& chains) {
  std::string out;
  for (const Chain& chain : chains) {
    for (const NodeId id : chain) out += id ? g.node(id).name : "-";
    out += ' ';
  }
  return out;
}

TEST(Match, FindsChainsWithOptionalSteps) {
  Graph g;
  const ValueId in = g.add_input("data", image(1, 2, 2));
  const ValueId a = add_toy(g, "a", {in});
  const ValueId b = add_other(g, "b", a);
  const ValueId c = add_toy(g, "c", {b});
  g.set_outputs({c});
  EXPECT_EQ(names(g, match(g, "Toy -> Other?")), "ab c- ");
  EXPECT_EQ(names(g, match(g, "Toy -> Other")), "ab ");
  EXPECT_EQ(names(g, match(g, "Toy|Other -> Toy")), "bc ");
}

TEST(Match, StopsAtValuesWithSeveralUsesAndAtOutputs) {
  Graph g;
  const ValueId in = g.add_input("data", image(1, 2, 2));
  const ValueId a = add_toy(g, "a", {in});
  const ValueId b = add_other(g, "b", a);
  add_other(g, "c", a);
  g.set_outputs({b});
  EXPECT_EQ(names(g, match(g, "Toy -> Other")), "");
}

}  // namespace
}  // namespace n2d2::graph
