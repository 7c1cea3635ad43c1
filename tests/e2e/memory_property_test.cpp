// Networks nobody thought of: is every memory plan proven by runs, and never below its bound?
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/targets/cpp/project.hpp"

#include "cases.hpp"
#include "drawn.hpp"
#include "e2e/graph_export.hpp"
#include "passes/random_net.hpp"

namespace n2d2 {
namespace {

/// Networks, and how many of them every run takes; the others are drawn.
constexpr uint64_t kCases = cases(5'000), kCore = 250;

constexpr std::array kStrategies{"None", "OptimizeMaxLifetimeMinSizeFirst", "OptimizeMaxLifetimeMaxSizeFirst",
                                 "OptimizeMaxHoleMaxLifetimeFirst", "OptimizeBest"};

targets::cpp::Options random_options(Rng& rng, int bits) {
  targets::cpp::Options options;
  options.bits = bits;
  targets::cpp::Parameters& p = options.parameters;
  p.include_input_in_buffer = rng.chance(0.8);
  p.optimize_no_branch_concat = rng.chance(0.8);
  p.optimize_buffer_memory = rng.chance(0.9);
  p.memory_alignment = rng.chance(0.7) ? 1 : static_cast<int>(2 + rng.below(15));
  p.memory_search_nodes = rng.chance(0.1) ? 0 : 2'000;
  if (rng.chance(0.4)) p.memory_manager_strategy = kStrategies[rng.below(kStrategies.size())];
  return options;
}

targets::Request request_of(const targets::cpp::Options& options) {
  return {options.bits, RescaleMode::FloatingPoint, true, false};
}

struct Counts {
  uint64_t planned = 0;
  int at_bound = 0;
  int streamed = 0, within = 0, refused = 0;            ///< with budgets
  int rows = 0, whole = 0;                              ///< with inputs row by row, and where that cannot be
  int tiled = 0, uncut = 0;                             ///< with layers in slices, and where that cannot be
  int in_parts = 0, parts_in_turns = 0, too_small = 0;  ///< with two memories
};

using Budget = targets::cpp::MemoryBudget;

/// A plan within a budget that may be out of reach: then the least plan needs more, too.
void prove_within(const e2e::GraphExport& exported, targets::cpp::Options options, memory::Bytes most,
                  const Tensor& sample, Rng& rng, Counts& counts) {
  options.parameters.memory_budget = {Budget::Kind::Least, 0};
  const e2e::GraphExport of_least = e2e::planned(exported.logical, request_of(options), options.parameters);
  const targets::cpp::Project& least = of_least.project();
  least.check_memory(sample);
  EXPECT_LE(least.memory().peak, most);
  counts.streamed += least.program().regions.empty() ? 0 : 1;
  const memory::Bytes budget =
      least.memory().peak / 2 + static_cast<memory::Bytes>(rng.below(static_cast<uint64_t>(most)));
  options.parameters.memory_budget = {Budget::Kind::Bytes, std::max<memory::Bytes>(budget, 1)};
  try {
    const e2e::GraphExport of_within =
        e2e::planned(exported.logical, request_of(options), options.parameters);
    const targets::cpp::Project& within = of_within.project();
    within.check_memory(sample);
    EXPECT_LE(within.memory().peak, options.parameters.memory_budget.bytes);
    ++counts.within;
  } catch (const ExportError& error) {
    EXPECT_NE(std::string(error.what()).find("MemoryBudget="), std::string::npos) << error.what();
    EXPECT_LT(options.parameters.memory_budget.bytes, least.memory().peak) << error.what();
    ++counts.refused;
  }
}

/// A plan of an input that comes row by row: every layer has its bytes in poisoned memory, and in that of the
/// whole input.
void prove_rows(const e2e::GraphExport& exported, targets::cpp::Options options,
                const targets::cpp::Project& whole, const Tensor& sample, Rng& rng, Counts& counts) {
  options.parameters.include_input_in_buffer = options.parameters.stream_input = true;
  if (rng.chance(0.5))
    options.parameters.memory_budget = {
        Budget::Kind::Bytes, 2 * whole.memory().peak + 1 + sample.elements() * int64_t{sizeof(float)}};
  try {
    const e2e::GraphExport of_rows = e2e::planned(exported.logical, request_of(options), options.parameters);
    const targets::cpp::Project& rows = of_rows.project();
    rows.check_memory(sample);
    const std::vector<Tensor> found = rows.host_run(sample), expected = whole.host_run(sample);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << "output " << i;
    const program::Program& program = rows.program();
    EXPECT_EQ(program.map_of(program.input()).region, 0);
    ++counts.rows;
  } catch (const ExportError& error) {
    EXPECT_NE(std::string(error.what()).find("StreamInput=1: "), std::string::npos) << error.what();
    ++counts.whole;
  }
}

/// Layers that follow each other in slices: every layer has its bytes in poisoned memory, with a budget or
/// without.
void prove_tiles(const e2e::GraphExport& exported, targets::cpp::Options options,
                 const targets::cpp::Project& whole, const Tensor& sample, Rng& rng, Counts& counts) {
  const program::Program& of_whole = whole.program();
  const auto calls = of_whole.calls.size();
  if (calls < 2) return;
  const size_t first = rng.below(calls - 1), end = std::min(calls, first + 2 + rng.below(4));
  for (size_t c = first; c < end; ++c) {
    targets::cpp::LayerSection section{of_whole.name_of(of_whole.calls[c]), {}, {}};
    section.values.tiles = 2 + static_cast<int>(first % 3);
    options.parameters.layers.push_back(std::move(section));
  }
  if (rng.chance(0.3)) options.parameters.memory_budget = {Budget::Kind::Least, 0};
  try {
    const e2e::GraphExport of_tiles = e2e::planned(exported.logical, request_of(options), options.parameters);
    const targets::cpp::Project& tiles = of_tiles.project();
    tiles.check_memory(sample);
    const std::vector<Tensor> found = tiles.host_run(sample), expected = whole.host_run(sample);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << "output " << i;
    const auto& regions = tiles.program().regions;
    counts.tiled += std::any_of(regions.begin(), regions.end(), [](const auto& r) { return r.is_tiled(); });
  } catch (const ExportError& error) {
    EXPECT_NE(std::string(error.what()).find("Tiles="), std::string::npos) << error.what();
    ++counts.uncut;
  }
}

/// Two memories that have room for a part of what the network wants, with layers in turns: each is as small
/// as it is said to be, and every layer has its bytes, or one of them is named.
void prove_memories(const e2e::GraphExport& exported, targets::cpp::Options options,
                    const targets::cpp::Project& whole, const Tensor& sample, Rng& rng, Counts& counts) {
  const auto any_size = [&](double most) {
    return 1 + static_cast<memory::Bytes>(rng.uniform() * most * static_cast<double>(whole.memory().peak));
  };
  targets::cpp::Parameters& p = options.parameters;
  p.memories = {{.name = "fast", .size = any_size(0.8)}, {.name = "slow", .size = any_size(2)}};
  for (const program::Call& call : whole.program().calls)
    if (rng.chance(0.5)) {
      const std::vector<std::string> section =
          std::array<std::vector<std::string>, 3>{{{"fast"}, {"fast", "slow"}, {"slow"}}}[rng.below(3)];
      p.layers.push_back({whole.program().name_of(call), {}, {{}, section}});
    }
  p.memory_budget = {rng.chance(0.5) ? Budget::Kind::Least : Budget::Kind::Bytes, 1 << 30};
  try {
    const e2e::GraphExport of_parts = e2e::planned(exported.logical, request_of(options), options.parameters);
    const targets::cpp::Project& parts = of_parts.project();
    parts.check_memory(sample);
    for (size_t m = 0; m < p.memories.size(); ++m)
      EXPECT_LE(parts.memory().memories.at(m).peak, p.memories[m].size) << p.memories[m].name;
    const std::vector<Tensor> found = parts.host_run(sample), expected = whole.host_run(sample);
    for (size_t i = 0; i < found.size(); ++i) EXPECT_TRUE(found[i] == expected[i]) << "output " << i;
    counts.parts_in_turns += parts.program().regions.empty() ? 0 : 1;
    ++counts.in_parts;
  } catch (const ExportError& error) {
    EXPECT_NE(std::string(error.what()).find(": memory '"), std::string::npos) << error.what();
    ++counts.too_small;
  }
}

/// One network: planned, validated, run in poisoned memory, compared with a run without reuse.
void prove(uint64_t seed, Counts& counts) {
  Rng rng(seed, "memory of a network");
  testing::RandomNet random(seed, testing::RandomNet::Kind::Integer);
  graph::Graph& graph = random.net().graph;
  const Tensor sample = testing::random_tensor(graph.value(random.net().data).type.shape, rng);
  const int bits = std::array{8, 8, 16, -32}[rng.below(4)];
  const targets::cpp::Options options = random_options(rng, bits);
  const e2e::GraphExport exported = e2e::export_graph(graph, sample, request_of(options), options.parameters);
  const targets::cpp::Project& project = exported.project();
  project.check_memory(sample);
  const targets::cpp::MemorySummary& memory = project.memory();
  EXPECT_GE(memory.peak, memory.lower_bound);
  ++counts.planned;
  counts.at_bound += memory.peak == memory.lower_bound ? 1 : 0;
  prove_within(exported, options, memory.peak, sample, rng, counts);
  if (rng.chance(0.1)) prove_rows(exported, options, project, sample, rng, counts);
  if (rng.chance(0.2)) prove_tiles(exported, options, project, sample, rng, counts);
  if (rng.chance(0.2)) prove_memories(exported, options, project, sample, rng, counts);
}

TEST(MemoryOfRandomNetworks, IsProvenByPoisonedRuns) {
  const log::Capture quiet;
  Counts counts;
  for (uint64_t seed = 0; seed < kCases && !HasFailure(); ++seed) {
    if (!is_drawn("memory of a network", seed, kCore)) continue;
    SCOPED_TRACE("seed " + std::to_string(seed));
    try {
      prove(seed, counts);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  std::printf(
      "%d networks planned and proven, %d of them at their lower bound; with random budgets %d within them, "
      "%d refused; "
      "%d of the least plans run layers in turns; %d inputs come row by row, %d cannot; %d have layers in "
      "slices, %d others cannot; %d fit in two memories, %d of them with layers in turns, %d others do not\n",
      static_cast<int>(counts.planned), counts.at_bound, counts.within, counts.refused, counts.streamed,
      counts.rows, counts.whole, counts.tiled, counts.uncut, counts.in_parts, counts.parts_in_turns,
      counts.too_small);
  EXPECT_GT(counts.within, 0);
  EXPECT_GT(counts.refused, 0);
  EXPECT_GT(counts.streamed, 0);
  EXPECT_GT(counts.rows, 0);
  EXPECT_GT(counts.whole, 0);
  EXPECT_GT(counts.tiled, 0);
  EXPECT_GT(counts.uncut, 0);
  EXPECT_GT(counts.parts_in_turns, 0);
  EXPECT_GT(counts.too_small, 0);
}

}  // namespace
}  // namespace n2d2
