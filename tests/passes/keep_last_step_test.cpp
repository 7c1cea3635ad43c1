#include <gtest/gtest.h>

#include "n2d2/ops/recurrent.hpp"

#include "net.hpp"

namespace n2d2::testing {
namespace {

/// A GRU of two units over five steps of three channels, then a crop.
struct Steps {
  Net net{Shape{1, 3, 1, 5}};
  graph::ValueId steps, last;

  Steps(ops::Direction direction, const Pads& crop) {
    ops::Recurrent op;
    op.cell = ops::Cell::Gru, op.hidden = 2, op.direction = direction;
    steps = net.layer("gru", op,
                      {net.data, constant("w", {op.rows(), 3}), constant("r", {op.rows(), 2}),
                       constant("b", {2 * op.rows()})});
    last = net.padding("crop", steps, crop);
    net.graph.set_outputs({last});
  }
  graph::ValueId constant(const std::string& name, const Shape& shape) {
    return net.constant(name, random_tensor(shape, net.rng));
  }
};

TEST(KeepLastStep, ACropOfTheOtherStepsIsPartOfTheLayer) {
  Steps forward(ops::Direction::Forward, {-4, 0, 0, 0});
  EXPECT_EQ(change(forward.net, "keep_last_step"), 0);
  EXPECT_FALSE(forward.net.has("crop"));
  Steps reverse(ops::Direction::Reverse, {0, 0, -4, 0});
  EXPECT_EQ(change(reverse.net, "keep_last_step"), 0);
  EXPECT_FALSE(reverse.net.has("crop"));
}

TEST(KeepLastStep, OtherStepsAndOtherReadersKeepAllStates) {
  Steps first(ops::Direction::Forward, {0, 0, -4, 0});
  EXPECT_EQ(run_pass(first.net.graph, "keep_last_step"), 0);
  Steps two(ops::Direction::Forward, {-3, 0, 0, 0});
  EXPECT_EQ(run_pass(two.net.graph, "keep_last_step"), 0);
  Steps both(ops::Direction::Both, {-4, 0, 0, 0});
  EXPECT_EQ(run_pass(both.net.graph, "keep_last_step"), 0);
  Steps framed(ops::Direction::Forward, {-4, 1, 0, 0});
  EXPECT_EQ(run_pass(framed.net.graph, "keep_last_step"), 0);
  Steps read(ops::Direction::Forward, {-4, 0, 0, 0});
  read.net.graph.set_outputs({read.last, read.steps});
  EXPECT_EQ(run_pass(read.net.graph, "keep_last_step"), 0);
}

}  // namespace
}  // namespace n2d2::testing
