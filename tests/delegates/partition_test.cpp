#include "n2d2/delegates/partition.hpp"

#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

namespace n2d2::delegates {
namespace {

/// Two paths from a to d, and a tail:   a -> b -> d -> e,   a -> c -> d
graph::Graph diamond() {
  return graph::from_text(
      "input data : f32 1x2x4x4\n"
      "a : f32 1x2x4x4 = Relu(data)\n"
      "b : f32 1x2x4x4 = Relu(a)\n"
      "c : f32 1x2x4x4 = Relu(a)\n"
      "d : f32 1x2x4x4 = ElemWise(b, c) Operation=\"Sum\"\n"
      "e : f32 1x2x4x4 = Relu(d)\n"
      "output e\n",
      ops::registry());
}

NodeSet nodes(const graph::Graph& graph, std::string_view names) {
  NodeSet out;
  for (const char name : names) out.insert(graph.find_node(std::string(1, name)).value());
  return out;
}

std::vector<std::string> findings(const graph::Graph& graph, const std::vector<Partition>& partitions) {
  Diagnostics found;
  check_partitions(graph, partitions, "export X", found);
  std::vector<std::string> out;
  for (const Diagnostic& error : found.errors()) out.push_back(error.message);
  return out;
}

using Texts = std::vector<std::string>;

TEST(CheckPartitions, TakesConvexRegionsOfSeveralDelegates) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "ab"), nodes(g, "e")}}, {"q", {nodes(g, "cd")}}}), Texts{});
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "abcde")}}}), Texts{});
  EXPECT_EQ(findings(g, {}), Texts{});
}

TEST(CheckPartitions, RefusesAnEmptyRegion) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "a"), {}}}}), Texts{"export X: delegate 'p': region 1 is empty"});
}

TEST(CheckPartitions, RefusesANodeThatIsNotThere) {
  EXPECT_EQ(findings(diamond(), {{"p", {{graph::NodeId{99}}}}}),
            Texts{"export X: delegate 'p': region 0 names node 99, which is not there"});
}

TEST(CheckPartitions, RefusesANodeThatIsTakenTwice) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "ab")}}, {"q", {nodes(g, "e"), nodes(g, "bd")}}}),
            Texts{"export X: delegate 'q': region 1 takes [b], which region 0 of 'p' has taken"});
}

TEST(CheckPartitions, RefusesARegionInPieces) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "ae")}}}),
            (Texts{"export X: delegate 'p': region 0 is in pieces: nothing joins [a] to [e]",
                   "export X: delegate 'p': region 0 is left and entered again: [a], [c], [d], [e]"}));
}

TEST(CheckPartitions, JoinsReadersOfOneValue) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "bc")}}}), Texts{});
}

TEST(CheckPartitions, RefusesARegionThatAPathLeavesAndEntersAgain) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {nodes(g, "abd")}}}),
            Texts{"export X: delegate 'p': region 0 is left and entered again: [a], [c], [d]"});
}

TEST(CheckPartitions, RefusesRegionsThatWaitForEachOther) {
  const graph::Graph g = graph::from_text(
      "input data : f32 1x2x4x4\n"
      "a : f32 1x2x4x4 = Relu(data)\n"
      "b : f32 1x2x4x4 = Relu(data)\n"
      "c : f32 1x2x4x4 = ElemWise(a, b) Operation=\"Sum\"\n"
      "d : f32 1x2x4x4 = ElemWise(b, a) Operation=\"Sum\"\n"
      "output c\noutput d\n",
      ops::registry());
  EXPECT_EQ(
      findings(g, {{"p", {nodes(g, "ac")}}, {"q", {nodes(g, "bd")}}}),
      Texts{
          "export X: delegate 'p': region 0 ([a], [c]) waits for values that wait for it, by region 0 of 'q' "
          "([b], [d])"});
}

TEST(CheckPartitions, TellsEverythingAtOnce) {
  const graph::Graph g = diamond();
  EXPECT_EQ(findings(g, {{"p", {{}, nodes(g, "abd")}}, {"q", {nodes(g, "c"), nodes(g, "c")}}}).size(), 3U);
}

TEST(GrowRegions, TakesTheWholeGraph) {
  const graph::Graph g = diamond();
  const auto all = [](const graph::Node&) { return true; };
  EXPECT_EQ(grow_regions(g, {}, all), std::vector<NodeSet>{nodes(g, "abcde")});
}

TEST(GrowRegions, DoesNotReachAroundANodeThatIsNotTaken) {
  const graph::Graph g = diamond();
  const auto not_c = [](const graph::Node& node) { return node.name != "c"; };
  EXPECT_EQ(grow_regions(g, {}, not_c), (std::vector<NodeSet>{nodes(g, "ab"), nodes(g, "de")}));
}

TEST(GrowRegions, DoesNotReachAroundAnEarlierRegion) {
  const graph::Graph g = diamond();
  const std::vector<NodeSet> taken{nodes(g, "cd")};
  const auto all = [](const graph::Node&) { return true; };
  EXPECT_EQ(grow_regions(g, taken, all), (std::vector<NodeSet>{nodes(g, "ab"), nodes(g, "e")}));
}

}  // namespace
}  // namespace n2d2::delegates
