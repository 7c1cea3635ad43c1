#include "cases.hpp"
#include "random_parts.hpp"

namespace n2d2::delegates {
namespace {

constexpr uint64_t kCases = cases(1200, 40);

TEST(RandomPartsOfRandomNetworks, KeepEveryByteOutside) {
  const Counts counts =
      prove_all("loopback", kCases, {8, 8, 16, -32}, [](const graph::Graph& graph, Rng& rng) -> Delegates {
        const std::string layers = random_layers(graph, rng);
        return {loopback(layers, rng.chance(0.3) ? "1" : "0")};
      });
  EXPECT_GT(counts.parts, counts.networks);
  EXPECT_GT(counts.nodes_in_parts, counts.parts * 3 / 2);
  EXPECT_GT(counts.parts_of_several_inputs, counts.networks / 20);
  EXPECT_GT(counts.parts_of_several_outputs, counts.networks / 10);
}

}  // namespace
}  // namespace n2d2::delegates
