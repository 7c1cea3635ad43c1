#include "n2d2/graph/graph.hpp"

#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"

#include "toy_operator.hpp"

namespace n2d2::graph {
namespace {

class GraphTest : public testing::Test {
 protected:
  GraphTest() {
    in = g.add_input("data", image(2, 4, 4));
    a = add_toy(g, "a", {in}, 3);
    b = add_toy(g, "b", {a});
    c = add_toy(g, "c", {a});
    d = add_toy(g, "d", {b, c});
    g.set_outputs({d});
  }
  Graph g;
  ValueId in, a, b, c, d;
};

TEST_F(GraphTest, InfersShapesAndKnowsUses) {
  verify(g);
  EXPECT_EQ(g.value(d).type.shape, (Shape{1, 6, 4, 4}));
  EXPECT_EQ(g.value(a).uses.size(), 2U);
  EXPECT_FALSE(g.has_single_use(a));
  EXPECT_FALSE(g.has_single_use(d));
}

TEST_F(GraphTest, SchedulesInOrderOfCreation) {
  std::string order;
  for (const NodeId id : g.schedule()) order += g.node(id).name;
  EXPECT_EQ(order, "abcd");
}

TEST_F(GraphTest, BypassConnectsUsersToTheInput) {
  g.bypass(*g.find_node("b"));
  verify(g);
  EXPECT_EQ(g.node(*g.find_node("d")).inputs[0], a);
  EXPECT_FALSE(g.find_value("b"));
}

TEST_F(GraphTest, BypassOfTheLastNodeMovesTheOutput) {
  const ValueId e = add_toy(g, "e", {d});
  g.set_outputs({e});
  g.bypass(*g.find_node("e"));
  verify(g);
  EXPECT_EQ(g.outputs(), std::vector<ValueId>{d});
}

TEST_F(GraphTest, EraseRefusesAUsedNode) {
  EXPECT_THROW(g.erase(*g.find_node("a")), InternalError);
}

TEST_F(GraphTest, EraseDropsConstantsNobodyUsesAnyMore) {
  const ValueId w = g.add_constant("w", Tensor(Shape{3}));
  const NodeId e = g.add(std::make_unique<Toy>(), "e", {d, w});
  g.erase(e);
  EXPECT_FALSE(g.find_value("w"));
  verify(g);
}

TEST_F(GraphTest, ReplaceInfersShapesDownstream) {
  auto op = std::make_unique<Toy>();
  op->scale = 5;
  g.replace(*g.find_node("a"), std::move(op), {in});
  verify(g);
  EXPECT_EQ(g.value(d).type.shape.c(), 10);
}

TEST_F(GraphTest, InsertBeforeChangesOneEdgeOnly) {
  const NodeId d_node = *g.find_node("d");
  g.insert_before({d_node, 1}, std::make_unique<Other>(), "x");
  verify(g);
  EXPECT_EQ(g.node(g.producer(d_node, 1)).name, "x");
  EXPECT_EQ(g.node(g.producer(d_node, 0)).name, "b");
}

TEST_F(GraphTest, CopiesAreIndependent) {
  Graph copy = g;
  copy.bypass(*copy.find_node("b"));
  verify(copy);
  verify(g);
  EXPECT_TRUE(g.find_node("b"));
}

TEST_F(GraphTest, MutableConstantDoesNotReachCopies) {
  const ValueId w = g.add_constant("w", Tensor(Shape{1}));
  const Graph copy = g;
  g.mutable_constant(w).data<float>()[0] = 4;
  EXPECT_EQ(copy.value(w).constant->data<float>()[0], 0);
  EXPECT_EQ(g.value(w).constant->data<float>()[0], 4);
}

TEST_F(GraphTest, ErrorsOfOperatorsNameNodeAndPlace) {
  try {
    g.add(std::make_unique<Toy>(), "bad", {}, {"net.ini", 12});
    FAIL() << "did not throw";
  } catch (const ModelError& e) {
    EXPECT_STREQ(e.what(), "net.ini:12: [bad] Toy: no input");
  }
}

TEST_F(GraphTest, UniqueNamesCountUp) {
  EXPECT_EQ(g.unique_name("z"), "z");
  EXPECT_EQ(g.unique_name("a"), "a_2");
}

TEST_F(GraphTest, NamesAreUnique) {
  EXPECT_THROW(add_toy(g, "a", {in}), InternalError);
}

}  // namespace
}  // namespace n2d2::graph
