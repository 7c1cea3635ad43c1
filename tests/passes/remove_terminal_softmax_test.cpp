#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/ops/log_softmax.hpp"
#include "n2d2/ops/nonlinearity.hpp"

#include "passes/net.hpp"

namespace n2d2::testing {
namespace {

TEST(RemoveTerminalSoftmax, MovesTheOutputToItsInputAndSaysSo) {
  Net net(Shape{1, 2, 4, 4});
  net.graph.set_outputs({net.softmax("softmax", net.fc("fc1", net.data, 5))});
  log::Capture log;
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 1);
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).name, "fc1");
  EXPECT_NE(log.text().find(
                "[softmax] Softmax ends the network and is left out; the outputs are those of 'fc1', the "
                "class order stays"),
            std::string::npos)
      << log.text();
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 0);
}

TEST(RemoveTerminalSoftmax, TakesItsLogarithmForOneToo) {
  Net net(Shape{1, 2, 4, 4});
  net.graph.set_outputs({net.layer("log", ops::LogSoftmax(), {net.fc("fc1", net.data, 5)})});
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 1);
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).name, "fc1");
}

TEST(RemoveTerminalSoftmax, LeavesALogisticWhoseOutputsAreComparedWithAThreshold) {
  Net net(Shape{1, 2, 4, 4});
  net.graph.set_outputs({net.layer("logistic", ops::Nonlinearity(), {net.fc("fc1", net.data, 5)})});
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 0);
}

TEST(RemoveTerminalSoftmax, SeesThroughReshapes) {
  Net net(Shape{1, 2, 4, 4});
  const ValueId softmax = net.softmax("softmax", net.fc("fc1", net.data, 4));
  net.graph.set_outputs({net.reshape("reshape", softmax, {2, 2, 1})});
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 1);
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).name, "reshape");
}

TEST(RemoveTerminalSoftmax, LeavesASoftmaxInsideTheNetwork) {
  Net net(Shape{1, 2, 4, 4});
  const ValueId softmax = net.softmax("attention", net.fc("fc1", net.data, 4));
  net.graph.set_outputs({softmax, net.fc("fc2", softmax, 2)});
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 0);
  EXPECT_TRUE(net.has("attention"));
}

TEST(RemoveTerminalSoftmax, LeavesASoftmaxWhoseScoresAreAnOutputToo) {
  Net net(Shape{1, 2, 4, 4});
  const ValueId scores = net.fc("fc1", net.data, 4);
  net.graph.set_outputs({scores, net.softmax("softmax", scores)});
  EXPECT_EQ(run_pass(net.graph, "remove_terminal_softmax"), 0);
  EXPECT_TRUE(net.has("softmax"));
}

TEST(RemoveTerminalSoftmax, RefusesWhenTheOutputIsComparedWithTheInput) {
  Net net(Shape{1, 2, 1, 1});
  net.graph.set_outputs({net.softmax("softmax", net.fc("fc1", net.data, 2))});
  passes::PassContext context;
  context.data_is_target = true;
  try {
    run_pass(net.graph, "remove_terminal_softmax", context);
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(
        error.what(),
        "net.ini:7: [softmax] Softmax ends the network and is compared with the input (DataAsTarget): it "
        "cannot be left out\n  hint: end the network with the layer before it");
  }
}

}  // namespace
}  // namespace n2d2::testing
