// Does every plan that validate accepts run to the same bytes? Each kernel alone, its input and output at random
// places of one ring, straight and wrapped, in each order. And do both checkers agree?
#include <algorithm>
#include <map>

#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/validate.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/program/validate.hpp"
#include "n2d2/targets/cpp/combine_sums.hpp"

#include "layers.hpp"

namespace n2d2::program {
namespace {

bool holds_others(const memory::Problem& problem, const memory::Buffer& buffer) {
  const auto id = &buffer - problem.buffers.data();
  return std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [&](const memory::Buffer& b) { return b.inside && b.inside->buffer == id; });
}

/// Every buffer anywhere in one ring that is too small for all of them; about every third one wraps.
memory::Plan random_plan(const memory::Problem& problem, Rng& rng) {
  const auto& buffers = problem.buffers;
  Bytes most = 0, all = 0;
  for (const memory::Buffer& b : buffers) {
    most = std::max(most, b.size());
    if (!b.inside) all += b.size();
  }
  const auto pick = [&](Bytes lo, Bytes hi) {
    return lo + static_cast<Bytes>(rng.below(static_cast<uint64_t>(hi - lo + 1)));
  };
  const Bytes ring = pick(most, all + all / 3);
  memory::Plan plan;
  plan.peaks = {ring};
  plan.spaces.push_back({0, 0, ring, {0, memory::duration(problem)}});
  const bool in_place = rng.chance(0.2);
  for (const memory::Buffer& b : buffers) {
    memory::View view{0, pick(0, ring - b.size()), b.pixel, b.row(), 0, b.width, b.height};
    if (in_place) view.offset = 0;
    if (b.inside) {
      view.offset = plan.views[static_cast<size_t>(b.inside->buffer)].offset + b.inside->offset;
    } else if (b.height > 1 && rng.chance(0.3) && !holds_others(problem, b)) {
      view.wrap = b.row() * pick(1, b.height - 1);
      view.offset = pick(std::min(b.size() - view.wrap, ring - view.wrap), ring - view.wrap);
    }
    plan.views.push_back(view);
  }
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    plan.scan_of_step.push_back(static_cast<memory::Scan>(rng.below(3)));
    plan.scratch_of_step.push_back(memory::kNone);
  }
  return plan;
}

/// A sum that is one call with its convolution: also where the output lies exactly on the addend.
TEST(AnyPlanOfACombinedSum, ThatIsAcceptedGivesTheSameBytes) {
  graph::Graph graph = residual("sp");
  const auto output = graph.outputs().at(0);
  MemorySettings settings;
  settings.peephole.combiners.push_back(targets::cpp::combine_sums());
  const Planned network = planned(std::move(graph), {{output, 2}}, settings);
  const memory::Problem& problem = network.problem;
  ASSERT_EQ(problem.steps.size(), 2U);
  Rng rng(13);
  Tensor sample(Shape{1, 3, 5, 4}, DataType::U8);
  for (uint8_t& x : sample.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
  const Tensor expected = run_layers(without_reuse(network).program, sample).back().tensor;
  int accepted = 0, on_addend = 0;
  for (int i = 0; i < 20'000; ++i) {
    memory::Plan plan = random_plan(problem, rng);
    if (rng.chance(0.3)) plan.views[2] = plan.views[0];
    const Planned other = placed(network.program, std::move(plan));
    const bool is_valid = memory::validate(problem, other.plan).empty();
    ASSERT_EQ(validate(other.program).empty(), is_valid) << memory::plan_to_csv(problem, other.plan);
    if (!is_valid) continue;
    ++accepted, on_addend += other.plan.views[2] == other.plan.views[0] ? 1 : 0;
    ASSERT_TRUE(run_layers(other.program, sample).back().tensor == expected)
        << memory::plan_to_csv(problem, other.plan);
  }
  EXPECT_GE(accepted, 100);
  EXPECT_GE(on_addend, 20);
}

class AnyPlan : public testing::TestWithParam<Layer> {};

TEST_P(AnyPlan, ThatIsAcceptedGivesTheSameBytes) {
  const Layer& layer = GetParam();
  const Planned network = planned_of(layer);
  const Tensor sample = sample_of(layer);
  const Tensor expected = run_layers(without_reuse(network).program, sample).back().tensor;
  Rng rng(11, layer.name);
  int accepted = 0, overlapping = 0;
  std::map<memory::Scan, int> by_scan;
  const memory::Problem& problem = network.problem;
  for (int i = 0; i < 4000; ++i) {
    const Planned other = placed(network.program, random_plan(problem, rng));
    const bool is_valid = memory::validate(problem, other.plan).empty();
    const auto found_in_calls = validate(other.program);
    ASSERT_EQ(found_in_calls.empty(), is_valid)
        << memory::plan_to_csv(problem, other.plan) << (is_valid ? found_in_calls.front() : "");
    if (!is_valid) continue;
    ++accepted;
    Bytes all = 0;
    for (const memory::Buffer& b : problem.buffers) all += b.inside ? 0 : b.size();
    if (other.plan.peaks[0] < all) ++overlapping, ++by_scan[other.plan.scan_of_step[0]];
    const Tensor found = run_layers(other.program, sample).back().tensor;
    ASSERT_TRUE(found == expected) << memory::plan_to_csv(problem, other.plan);
  }
  RecordProperty("accepted", accepted);
  RecordProperty("overlapping", overlapping);
  EXPECT_GE(accepted, 1);
  const bool whole = problem.steps[0].reads[0].window.kind == memory::Window::Kind::Whole;
  if (whole) {
    EXPECT_EQ(overlapping, 0);
  } else {
    EXPECT_GE(by_scan[memory::Scan::TopDown], 1);
    EXPECT_GE(by_scan[memory::Scan::BottomUp], 1);
  }
  EXPECT_EQ(by_scan[memory::Scan::Any], 0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, AnyPlan, testing::ValuesIn(layers()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace n2d2::program
