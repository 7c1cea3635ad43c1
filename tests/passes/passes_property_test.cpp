// Do passes keep what a network computes, whatever the network is, and is the second run a no-op?
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/passes/pipelines.hpp"

#include "cases.hpp"
#include "passes/net.hpp"
#include "passes/random_net.hpp"

namespace n2d2::testing {
namespace {

constexpr uint64_t kNetworks = cases(500, 4);
/// Float rounding through up to a dozen layers, relative to the largest output.
constexpr double kTolerance = 2e-4;

/// Every second network takes the weights of its Fc layers as unit vectors.
void normalize_fc(Net& net, uint64_t seed) {
  if (seed % 2 == 0) return;
  for (const NodeId id : net.graph.nodes())
    if (const auto* fc = graph::as<ops::Fc>(net.graph.node(id))) {
      auto normalized = std::make_unique<ops::Fc>(*fc);
      normalized->normalize = true;
      net.graph.replace(id, std::move(normalized), net.graph.node(id).inputs);
    }
}

/// Runs a list of passes on random networks: same outputs, and nothing left to do.
void check_passes(const std::vector<std::string_view>& names) {
  const log::Capture quiet;
  int rewrites = 0;
  for (uint64_t seed = 0; seed < kNetworks; ++seed) {
    RandomNet random(seed, RandomNet::Kind::Shuffled);
    Net& net = random.net();
    normalize_fc(net, seed);
    const std::string before = graph::to_text(net.graph, graph::Values::All);
    const Tensor input = random_tensor(net.graph.value(net.data).type.shape.with_batch(2), net.rng, -2, 2);
    const std::vector<Tensor> expected = evaluate(net.graph, input);
    rewrites += passes::run(net.graph, names);
    ASSERT_LT(distance(expected, evaluate(net.graph, input)), kTolerance)
        << "seed " << seed << "\n"
        << before << "\nbecame\n"
        << graph::to_text(net.graph, graph::Values::All);
    const std::string after = graph::to_text(net.graph, graph::Values::All);
    passes::run(net.graph, names);
    ASSERT_EQ(graph::to_text(net.graph, graph::Values::All), after) << "second run, seed " << seed;
  }
  EXPECT_GT(rewrites, 0) << "no network had anything to rewrite";
}

/// adapt_layout and remove_terminal_softmax change values on purpose and have tests of their own.
std::vector<std::string> value_keeping_passes() {
  std::vector<std::string> names;
  for (const std::string& name : passes::registry().names())
    if ((*passes::registry().find(name))->keeps_values()) names.push_back(name);
  return names;
}

class EveryPass : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryPass, KeepsTheFunctionAndHasNothingToDoTwice) {
  check_passes({GetParam()});
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryPass, ::testing::ValuesIn(value_keeping_passes()),
                         [](const auto& info) { return info.param; });

TEST(FloatPipeline, KeepsTheFunctionAndHasNothingToDoTwice) {
  check_passes(passes::float_pipeline());
}

TEST(InferencePipeline, KeepsTheFunctionAndHasNothingToDoTwice) {
  check_passes(passes::inference_pipeline());
}

}  // namespace
}  // namespace n2d2::testing
