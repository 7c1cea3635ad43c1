// Does every plan that validate accepts run to the same bytes? Each kernel alone, its input and output at
// random places of one ring, straight and wrapped, in each order. And do both checkers agree?
#include <algorithm>
#include <map>

#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/validate.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/program/validate.hpp"

#include "kernel_cases.hpp"

namespace n2d2::program {
namespace {

bool holds_others(const memory::Problem& problem, const memory::Buffer& buffer) {
  const auto id = &buffer - problem.buffers.data();
  return std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [&](const memory::Buffer& b) { return b.inside && b.inside->buffer == id; });
}

/// Places every buffer anywhere in one ring that is too small for all of them, at a multiple of `element`
/// bytes. About every third one wraps.
memory::Plan random_plan(const memory::Problem& problem, Bytes element, Rng& rng) {
  const auto& buffers = problem.buffers;
  Bytes most = 0, all = 0;
  for (const memory::Buffer& b : buffers) {
    most = std::max(most, b.size());
    if (!b.inside) all += b.size();
  }
  for (const memory::Step& step : problem.steps) most = std::max(most, step.scratch), all += step.scratch;
  const auto pick = [&](Bytes lo, Bytes hi) {
    return lo + element * static_cast<Bytes>(rng.below(static_cast<uint64_t>((hi - lo) / element + 1)));
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
      view.wrap = b.row() * (1 + static_cast<Bytes>(rng.below(static_cast<uint64_t>(b.height - 1))));
      view.offset = pick(std::min(b.size() - view.wrap, ring - view.wrap), ring - view.wrap);
    }
    plan.views.push_back(view);
  }
  for (size_t t = 0; t < problem.steps.size(); ++t) {
    plan.scan_of_step.push_back(static_cast<memory::Scan>(rng.below(3)));
    const Bytes scratch = problem.steps[t].scratch;
    plan.scratch_of_step.push_back(scratch > 0 ? static_cast<int>(plan.spaces.size()) : memory::kNone);
    const int time = static_cast<int>(t);
    if (scratch > 0) plan.spaces.push_back({0, pick(0, ring - scratch), scratch, {time, time + 1}});
  }
  return plan;
}

class AnyPlan : public testing::TestWithParam<Layer> {};

TEST_P(AnyPlan, ThatIsAcceptedGivesTheSameBytes) {
  const Layer& layer = GetParam();
  const Planned network = planned_of(layer);
  const Tensor sample = sample_of(network.program);
  const Tensor expected = run_layers(without_reuse(network).program, sample).back().tensor;
  Rng rng(11, layer.name);
  int accepted = 0, overlapping = 0;
  std::map<memory::Scan, int> by_scan;
  const memory::Problem& problem = network.problem;
  const auto element = static_cast<Bytes>(size_bytes(layer.type));
  for (int i = 0; i < 4000; ++i) {
    const Planned other = placed(network.program, random_plan(problem, element, rng));
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
  const auto& reads = problem.steps[0].reads;
  const bool whole = std::any_of(reads.begin(), reads.end(), [](const auto& read) {
    return read.window.kind == memory::Window::Kind::Whole;
  });
  if (whole) {
    EXPECT_EQ(overlapping, 0);
  } else {
    EXPECT_GE(by_scan[memory::Scan::TopDown], 1);
    EXPECT_GE(by_scan[memory::Scan::BottomUp], 1);
  }
  EXPECT_EQ(by_scan[memory::Scan::Any], 0);
}

INSTANTIATE_TEST_SUITE_P(Kernels, AnyPlan, testing::ValuesIn(single_layers()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace n2d2::program
