#include "n2d2/passes/recipe.hpp"

#include <gtest/gtest.h>

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

using Chain = std::vector<std::string>;

/// A recipe that only looks: the names of the chains that it is shown, "" for a link that is absent.
struct Seen {
  std::vector<Chain> chains;

  passes::Recipe recipe(const std::string& chain) {
    return {"look", chain, [this](graph::Graph& graph, std::span<const graph::NodeId> nodes) {
              Chain names;
              for (const graph::NodeId id : nodes) names.push_back(id ? graph.node(id).name : "");
              chains.push_back(names);
              return false;
            }};
  }
};

std::vector<Chain> chains_of(Net& net, const std::string& chain) {
  Seen seen;
  const std::vector<passes::Recipe> recipes{seen.recipe(chain)};
  EXPECT_EQ(passes::fuse(net.graph, recipes), 0);
  return seen.chains;
}

struct RecipeTest : ::testing::Test {
  Net net{Shape{1, 2, 4, 4}};
};

TEST_F(RecipeTest, ShowsTheLongestChainFromEachFirstLink) {
  ValueId x = net.padding("pad", net.data, {1, 1, 1, 1});
  x = net.conv("a", x, 3, 3);
  x = net.conv("b", net.relu("relu", x), 3, 1);
  net.graph.set_outputs({net.relu("last", x)});
  EXPECT_EQ(chains_of(net, "Padding? Conv Relu?"),
            (std::vector<Chain>{{"pad", "a", "relu"}, {"", "a", "relu"}, {"", "b", "last"}}));
  EXPECT_EQ(chains_of(net, "Conv Relu Conv"), (std::vector<Chain>{{"a", "relu", "b"}}));
  EXPECT_EQ(chains_of(net, "Fc? Pool?"), std::vector<Chain>{});
}

TEST_F(RecipeTest, KeepsToValuesThatNobodyElseReads) {
  const ValueId a = net.conv("a", net.data, 2, 1);
  const ValueId b = net.relu("b", a);
  net.graph.set_outputs({net.sum("sum", {a, b}, {1, 1})});
  EXPECT_EQ(chains_of(net, "Conv Relu"), std::vector<Chain>{});
  EXPECT_EQ(chains_of(net, "Relu ElemWise"), (std::vector<Chain>{{"b", "sum"}}));
  net.graph.set_outputs({b, net.graph.outputs()[0]});
  EXPECT_EQ(chains_of(net, "Relu ElemWise"), std::vector<Chain>{});
}

TEST_F(RecipeTest, FusesUntilNoChainIsLeft) {
  ValueId x = net.data;
  for (int i = 0; i < 4; ++i) x = net.relu("r" + std::to_string(i), x);
  net.graph.set_outputs({net.fc("fc", x, 2)});
  const auto join = [](graph::Graph& graph, std::span<const graph::NodeId> nodes) {
    graph.bypass(nodes[1]);
    return true;
  };
  std::vector<std::string> told;
  passes::PassContext context;
  context.after_pass = [&](std::string_view name, int count, const graph::Graph&) {
    told.push_back(std::string(name) + " " + std::to_string(count));
  };
  const std::vector<passes::Recipe> recipes{{"one_relu", "Relu Relu", join}};
  EXPECT_EQ(passes::fuse(net.graph, recipes, context), 3);
  EXPECT_EQ(net.graph.nodes().size(), 2U);
  EXPECT_EQ(told, std::vector<std::string>{"one_relu 3"});
}

TEST_F(RecipeTest, ARecipeThatFindsItsOwnResultIsNamed) {
  net.graph.set_outputs({net.relu("r", net.data)});
  const std::vector<passes::Recipe> recipes{
      {"endless", "Relu", [](graph::Graph&, std::span<const graph::NodeId>) { return true; }}};
  try {
    passes::fuse(net.graph, recipes);
    FAIL();
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("recipe 'endless' finds its own result again"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace n2d2::testing
