#include "cases.hpp"
#include "random_parts.hpp"

namespace n2d2::delegates {
namespace {

constexpr uint64_t kCases = cases(1200, 40);

TEST(RandomPartsThatXnnpackComputes, KeepEveryByteOutside) {
  const Counts counts = prove_all(
      "xnnpack", kCases, {8},
      [](const graph::Graph& graph, Rng& rng) -> Delegates { return {xnnpack(random_layers(graph, rng))}; });
  EXPECT_GT(counts.parts, counts.networks);
  EXPECT_GT(counts.nodes_in_parts, counts.parts);
}

TEST(RandomPartsOfTwoDelegates, KeepEveryByteOutside) {
  const Counts counts =
      prove_all("two delegates", kCases / 4, {8}, [](const graph::Graph& graph, Rng& rng) -> Delegates {
        const std::string first = random_layers(graph, rng);
        const std::string second = random_layers(graph, rng);
        if (rng.chance(0.5)) return {xnnpack(first), loopback(second)};
        return {loopback(second), xnnpack(first)};
      });
  EXPECT_GT(counts.parts, counts.networks);
}

}  // namespace
}  // namespace n2d2::delegates
