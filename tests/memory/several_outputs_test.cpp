// Steps that write several buffers, from the problem to the plan.
#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/order.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/memory/validate.hpp"

#include "byte_replay.hpp"
#include "every_plan.hpp"
#include "original_rings.hpp"
#include "place/margin.hpp"
#include "problems.hpp"
#include "rings/rings.hpp"

namespace n2d2::memory {
namespace {

/// in -> (left, right) by one step, then both are added.
Problem split_and_join(Window window = rows(1)) {
  Net net;
  const BufferId in = net.map("in", 4, 2, 2);
  const BufferId left = net.map("left", 4, 2, 1), right = net.map("right", 4, 2, 1);
  net.step("split", {{in, window}}, std::vector{left, right});
  net.layer("sum", {{left, element()}, {right, element()}}, 4, 2, 1);
  net.problem.buffers.back().keep = true;
  return net.done();
}

std::string only_fault(const Problem& problem) {
  const auto found = faults(problem);
  return found.size() == 1 ? found[0].text : std::to_string(found.size()) + " faults";
}

std::string verdict(const Problem& problem, const Plan& plan) {
  const auto found = validate(problem, plan);
  EXPECT_EQ(found.empty(), !ByteReplay(problem, plan).loses_a_byte());
  return found.empty() ? "valid" : found.front().text;
}

/// Every root at its place in one memory.
Plan at(const Problem& problem, const std::vector<Bytes>& offsets, Scan scan) {
  Plan plan = plan_apart(problem);
  plan.peaks = {0};
  for (size_t b = 0; b < offsets.size(); ++b) {
    Space& space = plan.spaces[static_cast<size_t>(plan.views[b].space)];
    space.offset = offsets[b];
    plan.peaks[0] = std::max(plan.peaks[0], space.offset + space.size);
  }
  plan.scan_of_step.assign(problem.steps.size(), scan);
  return plan;
}

TEST(SeveralOutputs, AllBeginToLiveInTheirStep) {
  Problem p = split_and_join();
  EXPECT_EQ(p.buffers[1].life, (Lifetime{0, 2}));
  EXPECT_EQ(p.buffers[2].life, (Lifetime{0, 2}));
  EXPECT_EQ(only_fault(p), "0 faults");
  p.steps[1].reads.pop_back();
  derive_lifetimes(p);
  EXPECT_EQ(p.buffers[2].life, (Lifetime{0, 1}));
}

TEST(SeveralOutputs, FaultsNameWhatOneStepMayNotWrite) {
  Problem p = split_and_join();
  p.steps[0].writes = {1, 1};
  EXPECT_EQ(faults(p).front().text, "step 'split': writes 'left' twice");
  p = split_and_join();
  p.steps[0].writes = {1, 9};
  EXPECT_EQ(only_fault(p), "step 'split': writes buffer number 9, which does not exist");
  p = split_and_join();
  p.steps[0].writes = {1, 0};
  EXPECT_EQ(faults(p).front().text, "step 'split': reads 'in', which it writes");
  p = split_and_join();
  p.buffers[2].inside = Inside{1, 0};
  derive_lifetimes(p);
  EXPECT_EQ(only_fault(p), "buffer 'right': shares bytes with 'left'; one step would write them");
}

TEST(SeveralOutputs, GoPixelByPixelOnlyOnEqualMaps) {
  Problem p = split_and_join(element());
  p.buffers[2].height = 2;
  p.steps.pop_back();
  derive_lifetimes(p);
  EXPECT_EQ(only_fault(p),
            "step 'split': element by element needs equal maps: 'in' is 2 x 4, 'right' is 2 x 2");
  p.steps[0].reads[0].window = rows(1);
  EXPECT_EQ(only_fault(p), "0 faults");
  p.steps[0].raster_order = true;
  EXPECT_EQ(only_fault(p), "step 'split': raster order needs equal maps: 'left' is 2 x 4, 'right' is 2 x 2");
}

TEST(SeveralOutputs, HaveARecordEachBehindTheFirst) {
  const Problem p = split_and_join();
  const std::string text = problem_to_csv(p);
  EXPECT_NE(text.find("step,split,left,0,1,0,1,0\nwrite,right\nread,in,Rows,1,0,1\n"
                      "step,sum,sum,0,1,0,1,0\nread,left,Element,1,0,1\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(problem_from_csv(text, "p.csv"), p);
  const auto error = [](const std::string& problem) -> std::string {
    try {
      problem_from_csv(problem, "p.csv");
    } catch (const ConfigError& found) {
      return found.what();
    }
    return "no error";
  };
  EXPECT_EQ(error("buffer,a,0,1,1,1,1,1,0,,0,\nwrite,a\n"),
            "p.csv:2: expected a step that writes a buffer before it writes another");
  EXPECT_EQ(error("buffer,a,0,1,1,1,1,1,0,,0,\nstep,s,,0,1,0,1,0\nwrite,a\n"),
            "p.csv:3: expected a step that writes a buffer before it writes another");
  EXPECT_EQ(error("buffer,a,0,1,1,1,1,1,0,,0,\nstep,s,a,0,1,0,1,0\nwrite,b\n"),
            "p.csv:3: expected the name of a buffer, got 'b'");
}

TEST(SeveralOutputs, ArePlanesOfOneCell) {
  const Problem p = split_and_join();
  const std::string map = memory_map_csv(p, plan_apart(p));
  EXPECT_NE(map.find("\nsplit,0,ram,"), std::string::npos) << map;
  EXPECT_NE(map.find("\nsplit,1,ram,"), std::string::npos) << map;
}

TEST(SeveralOutputs, EachHasItsOwnMarginToADyingInput) {
  // rows of 4 bytes in, of 2 and of 2 bytes out
  const auto relations = relations_of(split_and_join());
  ASSERT_GE(relations.size(), 2u);
  for (const size_t i : {0, 1}) {
    EXPECT_EQ(relations[i].dying, 0);
    EXPECT_EQ(relations[i].born, static_cast<BufferId>(i) + 1);
    EXPECT_EQ(relations[i].top_down, -2);
    EXPECT_EQ(relations[i].bottom_up, 10);
  }
}

TEST(SeveralOutputs, OverlapTheirInputInOneScan) {
  Problem p = split_and_join();
  p.steps.pop_back();
  p.buffers.pop_back();
  p.buffers[1].keep = p.buffers[2].keep = true;
  derive_lifetimes(p);
  EXPECT_EQ(verdict(p, at(p, {10, 8, 0}, Scan::TopDown)), "valid");
  EXPECT_EQ(verdict(p, at(p, {10, 0, 8}, Scan::TopDown)), "valid");
  EXPECT_EQ(verdict(p, at(p, {0, 10, 18}, Scan::BottomUp)), "valid");
  // left where it must run top-down, right where it must run bottom-up
  EXPECT_EQ(verdict(p, at(p, {2, 0, 12}, Scan::TopDown)),
            "step 0 'split': row 2 of 'in' when it is read holds 'right' at byte 12");
  EXPECT_EQ(verdict(p, at(p, {2, 0, 12}, Scan::BottomUp)),
            "step 0 'split': row 1 of 'in' when it is read holds 'left' at byte 6");
  const Plan best = solve(p, "OptimizeExact");
  EXPECT_EQ(verdict(p, best), "valid");
  EXPECT_EQ(best.peaks[0], 26);
  EXPECT_EQ(lower_bound(p), 26);
  EXPECT_FALSE(fits_below(p, 26));
}

TEST(SeveralOutputs, ShareNoByteWithEachOther) {
  const Problem p = split_and_join();
  EXPECT_EQ(verdict(p, at(p, {0, 16, 24, 32}, Scan::TopDown)), "valid");
  EXPECT_EQ(verdict(p, at(p, {0, 16, 23, 32}, Scan::TopDown)),
            "step 0 'split': row 0 of 'right' when its step ends holds 'left' at byte 23");
  EXPECT_EQ(verdict(p, at(p, {0, 16, 23, 32}, Scan::Any)),
            "step 0 'split': row 3 of 'left' when its step ends holds 'right' at byte 23");
}

TEST(SeveralOutputs, WorkInPlaceOnTwoInputs) {
  Net net;
  const BufferId a = net.map("a", 3, 2, 2), b = net.map("b", 3, 2, 2);
  const BufferId sum = net.map("sum", 3, 2, 2), difference = net.map("difference", 3, 2, 2);
  net.step("both", {{a, element()}, {b, element()}}, std::vector{sum, difference});
  net.problem.buffers[static_cast<size_t>(sum)].keep = true;
  net.problem.buffers[static_cast<size_t>(difference)].keep = true;
  const Problem p = net.done();
  EXPECT_EQ(verdict(p, at(p, {0, 12, 12, 0}, Scan::TopDown)), "valid");
  EXPECT_EQ(lower_bound(p), 24);
  const Plan plan = solve(p, kDefaultStrategy);
  EXPECT_EQ(plan.peaks[0], 24);
  EXPECT_EQ(verdict(p, plan), "valid");
}

/// One row of the first output at a time: of 2 rows, one comes with every second.
TEST(SeveralOutputs, GetTheSameShareOfTheirRows) {
  Net net;
  const BufferId in = net.map("in", 4, 1, 4);
  const BufferId all = net.map("all", 4, 1, 1), half = net.map("half", 2, 1, 4);
  net.step("split", {{in, rows(1)}}, std::vector{all, half});
  net.problem.buffers[static_cast<size_t>(all)].keep = true;
  net.problem.buffers[static_cast<size_t>(half)].keep = true;
  const Problem p = net.done();
  ASSERT_EQ(relations_of(p).size(), 2u);
  EXPECT_EQ(relations_of(p)[1].top_down, 0);
  EXPECT_EQ(verdict(p, at(p, {0, 16, 0}, Scan::TopDown)), "valid");
  EXPECT_EQ(verdict(p, at(p, {0, 16, 1}, Scan::TopDown)),
            "step 0 'split': row 1 of 'in' when it is read holds 'half' at byte 4");
  // bottom-up its row 1 is there when rows 3 and 2 have been read
  EXPECT_EQ(relations_of(p)[1].bottom_up, 12);
  EXPECT_EQ(verdict(p, at(p, {0, 20, 12}, Scan::BottomUp)), "valid");
  EXPECT_NE(verdict(p, at(p, {0, 20, 11}, Scan::BottomUp)), "valid");
}

TEST(SeveralOutputs, NoScratchOfTheirStepIsOverwrittenByAnyOfThem) {
  Problem p = split_and_join();
  p.steps[0].scratch = 4;
  Plan plan = plan_apart(p);
  const auto scratch = static_cast<size_t>(plan.scratch_of_step[0]);
  EXPECT_EQ(verdict(p, plan), "valid");
  plan.spaces[scratch].offset = plan.spaces[static_cast<size_t>(plan.views[2].space)].offset + 1;
  plan.peaks = {0};
  for (const Space& space : plan.spaces) plan.peaks[0] = std::max(plan.peaks[0], space.offset + space.size);
  EXPECT_EQ(verdict(p, plan), "step 0 'split': its scratch is overwritten by 'right' at byte " +
                                  std::to_string(plan.spaces[scratch].offset));
}

TEST(SeveralOutputs, LieApartFromTheirInputsInRings) {
  const Problem p = split_and_join();
  for (const auto rings : {plan_rings, plan_original}) {
    const Plan plan = rings(p, "None");
    EXPECT_EQ(verdict(p, plan), "valid");
    EXPECT_GE(plan.peaks[0], 16 + 8 + 8);
  }
}

TEST(SeveralOutputs, OfAStepOrderItsReadersBehindIt) {
  Net net;
  const BufferId in = net.map("in", 1, 1, 4);
  const BufferId a = net.map("a", 1, 1, 4), b = net.map("b", 1, 1, 4);
  net.step("split", {{in, whole()}}, std::vector{a, b});
  net.layer("of_b", {{b, whole()}}, 1, 1, 1);
  net.layer("of_a", {{a, whole()}}, 1, 1, 1);
  const Problem p = net.done();
  const std::vector<StepId> swapped{0, 2, 1}, early{1, 0, 2};
  EXPECT_EQ(reordered(p, swapped).steps[1].name, "of_a");
  EXPECT_THROW(reordered(p, early), InternalError);
}

}  // namespace
}  // namespace n2d2::memory
