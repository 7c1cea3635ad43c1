#include "n2d2/memory/validate.hpp"

#include <gtest/gtest.h>

#include "n2d2/memory/strategy.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

using Kind = Violation::Kind;

/// One step from `input` to `output`, the input at byte `in`, the output at byte `out` of an arena.
struct Pair {
  Problem problem;
  Plan plan;

  Pair(const Net& net, Bytes in, Bytes out) : problem(Net(net).done()), plan(plan_apart(problem)) {
    plan.scan_of_step.assign(problem.steps.size(), Scan::TopDown);
    at(0, in);
    at(1, out);
  }
  void at(size_t buffer, Bytes offset) {
    plan.spaces[static_cast<size_t>(plan.views[buffer].space)].offset = offset;
    plan.peaks = {0};
    for (const Space& s : plan.spaces) plan.peaks = {std::max(plan.peaks[0], s.offset + s.size)};
  }
  bool valid() const { return validate(problem, plan).empty(); }
  std::string text() const {
    const auto found = validate(problem, plan);
    return found.size() == 1 ? found[0].text : std::to_string(found.size()) + " violations";
  }
};

Net one_step(Window window, int height, int width, Bytes used, int out_height, int out_width,
             Bytes out_used) {
  Net net;
  const BufferId input = net.map("in", height, width, used);
  const BufferId output = net.layer("out", {{input, window}}, out_height, out_width, out_used);
  net.problem.buffers[static_cast<size_t>(output)].keep = true;
  return net;
}

Net chain() {
  Net net;
  const BufferId input = net.map("input", 1, 1, 10);
  const BufferId a = net.layer("a", {{input, whole()}}, 1, 1, 20);
  const BufferId b = net.layer("b", {{a, whole()}}, 1, 1, 30);
  net.problem.buffers[static_cast<size_t>(b)].keep = true;
  return net;
}

TEST(Validate, AcceptsDisjointBuffers) {
  const Problem p = chain().done();
  EXPECT_TRUE(validate(p, plan_apart(p)).empty());
}

TEST(Validate, RejectsAnOutputOnItsInput) {
  Pair pair(chain(), 0, 9);
  EXPECT_EQ(pair.text(), "step 0 'a': row 0 of 'input' when it is read holds 'a' at byte 9");
  EXPECT_EQ(validate(pair.problem, pair.plan)[0].kind, Kind::Overwritten);
  EXPECT_EQ(validate(pair.problem, pair.plan)[0].buffer, 0);
  EXPECT_EQ(validate(pair.problem, pair.plan)[0].step, 0);
}

TEST(Validate, ConvolutionMayTrailItsInputByItsMargin) {
  // 3x3, stride 1, pad 1: g = (m + 2) Lo - ((m + 1) - p) Li with m = 1
  const Bytes row = 5 * 2, margin = 3 * row - (2 - 1) * row;
  const Net net = one_step(rows(3, 1, 1), 6, 5, 2, 6, 5, 2);
  EXPECT_TRUE(Pair(net, margin, 0).valid());
  EXPECT_FALSE(Pair(net, margin - 1, 0).valid());
  EXPECT_FALSE(Pair(net, 0, 1).valid());
}

TEST(Validate, BottomUpMirrorsTopDown) {
  const Bytes row = 5 * 2, margin = 2 * row;
  const Net net = one_step(rows(3, 1, 1), 6, 5, 2, 6, 5, 2);
  Pair above(net, 0, margin);
  EXPECT_FALSE(above.valid());
  above.plan.scan_of_step[0] = Scan::BottomUp;
  EXPECT_TRUE(above.valid());
  above.at(1, margin - 1);
  EXPECT_FALSE(above.valid());
}

TEST(Validate, RowsComputedTogetherNeedALargerMargin) {
  const Bytes row = 5 * 2;
  Net net = one_step(rows(3, 1, 1), 6, 5, 2, 6, 5, 2);
  net.problem.steps[0].rows_per_step = 2;
  EXPECT_FALSE(Pair(net, 2 * row, 0).valid());
  EXPECT_TRUE(Pair(net, 3 * row, 0).valid());
}

TEST(Validate, RasterOrderNeedsLessThanARow) {
  Net net = one_step(rows(1), 4, 4, 2, 4, 4, 2);
  EXPECT_FALSE(Pair(net, 2, 0).valid());
  net.problem.steps[0].raster_order = true;
  EXPECT_TRUE(Pair(net, 2, 0).valid());
  EXPECT_FALSE(Pair(net, 1, 0).valid());
}

TEST(Validate, ElementwiseMayWorkInPlace) {
  const Net net = one_step(element(), 3, 3, 4, 3, 3, 4);
  EXPECT_TRUE(Pair(net, 0, 0).valid());
  EXPECT_TRUE(Pair(net, 1, 0).valid());
  EXPECT_FALSE(Pair(net, 0, 1).valid());
  EXPECT_TRUE(Pair(one_step(element(), 3, 3, 4, 3, 3, 1), 0, 0).valid()) << "narrowing";
  EXPECT_FALSE(Pair(one_step(element(), 3, 3, 1, 3, 3, 4), 0, 0).valid()) << "widening";
  EXPECT_EQ(Pair(one_step(element(), 1, 1, 2, 1, 1, 4), 0, 0).text(),
            "step 0 'out': row 0 of 'in' when it is read holds 'out' at byte 0");
}

/// Four elements of two bytes, made of four of one: the space between them holds for one element after the
/// other alone.
TEST(Validate, ElementwiseIsJudgedUpToTheLastElementButOne) {
  const Net net = one_step(element(), 1, 1, 4, 1, 1, 8);
  EXPECT_EQ(Pair(net, 2, 0).text(), "step 0 'out': row 0 of 'in' when it is read holds 'out' at byte 2");
  EXPECT_TRUE(Pair(net, 3, 0).valid());
  EXPECT_FALSE(Pair(net, 1, 0).valid());
}

TEST(Validate, InAnyOrderInsideARowOutputsLieOnTheInputOrARowAway) {
  const Net net = one_step(same(), 3, 3, 4, 3, 3, 4);
  EXPECT_TRUE(Pair(net, 0, 0).valid());
  EXPECT_FALSE(Pair(net, 1, 0).valid());
  EXPECT_FALSE(Pair(net, 4, 0).valid());
  EXPECT_TRUE(Pair(net, 12, 0).valid());
  EXPECT_FALSE(Pair(net, 0, 1).valid());
  EXPECT_FALSE(Pair(one_step(same(), 3, 3, 4, 3, 3, 2), 0, 0).valid()) << "narrowing";
}

TEST(Validate, UnsafeMarginOfTheOriginalIsFound) {
  // 8x8x1 -> 4x4x4 by 3x3/s2/p1 in a ring of 80 bytes.
  Net net = one_step(rows(3, 2, 1), 8, 8, 1, 4, 4, 4);
  Problem p = net.done();
  Plan plan = plan_apart(p);
  plan.scan_of_step = {Scan::TopDown};
  plan.spaces = {{0, 0, 80, {0, 1}}};
  plan.peaks = {80};
  plan.views[0].space = plan.views[1].space = 0;
  plan.views[1].offset = 64;
  plan.views[1].wrap = 16;
  const auto found = validate(p, plan);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "step 0 'out': row 1 of 'in' when it is read holds 'out' at byte 8");
  plan.spaces[0].size = 96;  // one more row
  plan.peaks = {96};
  plan.views[1].wrap = 32;
  EXPECT_TRUE(validate(p, plan).empty());
}

TEST(Validate, LanesOfAConcatenationMayInterleave) {
  Net net;
  const BufferId input = net.map("input", 2, 2, 1);
  const BufferId host = net.map("host", 2, 2, 3, 4);
  net.step("left", {{input, rows(1)}}, net.lane("left", host, 0, 1));
  net.step("right", {{input, rows(1)}}, net.lane("right", host, 1, 2));
  net.layer("next", {{host, rows(1)}}, 2, 2, 1);
  net.problem.buffers.back().keep = true;
  const Problem p = net.done();
  Plan plan = plan_apart(p);
  EXPECT_EQ(plan.views[2].space, plan.views[3].space);
  EXPECT_TRUE(validate(p, plan).empty());
  plan.views[3].offset = 0;
  EXPECT_FALSE(validate(p, plan).empty());
}

TEST(Validate, KeptValuesMustSurviveToTheEnd) {
  Net net = chain();
  net.problem.buffers[0].keep = true;
  Pair pair(net, 0, 10);
  pair.at(2, 30);
  EXPECT_TRUE(pair.valid());
  pair.at(1, 30);
  pair.at(2, 0);
  EXPECT_EQ(pair.text(), "step 1 'b': row 0 of 'input' at the end of its life holds 'b' at byte 0");
}

/// input -> first -> last, element by element: a plan may put each output exactly on its input.
Net in_place_chain() {
  Net net;
  const BufferId input = net.map("input", 2, 2, 1);
  const BufferId first = net.layer("first", {{input, element()}}, 2, 2, 1);
  net.layer("last", {{first, element()}}, 2, 2, 1);
  return net;
}

/// What validate says of `net` with everything at byte 0 where `keep` is not set and where it is.
std::vector<std::string> without_and_with_keep(Net net, size_t kept) {
  std::vector<std::string> out;
  for (const bool keep : {false, true}) {
    net.problem.buffers[kept].keep = keep;
    Pair pair(net, 0, 0);
    for (size_t b = 2; b < pair.problem.buffers.size(); ++b)
      if (!pair.problem.buffers[b].inside) pair.at(b, 0);
    const auto found = validate(pair.problem, pair.plan);
    out.push_back(found.empty() ? "valid" : found.front().text);
  }
  return out;
}

using Verdicts = std::vector<std::string>;

TEST(Validate, AKeptInputIsNotOverwrittenByItsLastReader) {
  const Net net = one_step(element(), 2, 2, 1, 2, 2, 1);
  EXPECT_EQ(without_and_with_keep(net, 0),
            (Verdicts{"valid", "step 0 'out': row 0 of 'in' at the end of its life holds 'out' at byte 0"}));
}

TEST(Validate, AKeptMapIsNotOverwrittenByTheLastStepWhichReadsIt) {
  EXPECT_EQ(
      without_and_with_keep(in_place_chain(), 1),
      (Verdicts{"valid", "step 1 'last': row 0 of 'first' at the end of its life holds 'last' at byte 0"}));
}

TEST(Validate, AKeptMapIsNotOverwrittenLongAfterItsLastReader) {
  EXPECT_EQ(
      without_and_with_keep(in_place_chain(), 0),
      (Verdicts{"valid", "step 1 'last': row 0 of 'input' at the end of its life holds 'last' at byte 0"}));
}

TEST(Validate, AKeptAliasIsNotOverwrittenByTheReaderOfWhatItNames) {
  Net net = one_step(element(), 2, 2, 1, 2, 2, 1);
  net.map("flat", 1, 1, 4);
  net.problem.buffers.back().inside = Inside{0, 0};
  EXPECT_EQ(
      without_and_with_keep(net, 2),
      (Verdicts{"valid", "step 0 'out': row 0 of 'flat' at the end of its life holds 'out' at byte 0"}));
}

TEST(Validate, AKeptLaneIsNotOverwrittenByTheReaderOfItsHost) {
  Net net;
  const BufferId host = net.map("host", 2, 2, 2);
  net.layer("sum", {{host, element()}}, 2, 2, 2);
  net.lane("left", host, 0, 1);
  net.lane("right", host, 1, 1);
  EXPECT_EQ(
      without_and_with_keep(net, 3),
      (Verdicts{"valid", "step 0 'sum': row 0 of 'right' at the end of its life holds 'sum' at byte 1"}));
}

TEST(Validate, AKeptMapKeepsTheRowsItsLastReaderSkips) {
  // stride 2: row 1 is read by nobody, and scratch lies there
  Net net = one_step(rows(1, 2), 3, 1, 4, 2, 1, 4);
  net.problem.steps[0].scratch = 4;
  for (const bool keep : {false, true}) {
    net.problem.buffers[0].keep = keep;
    Pair pair(net, 0, 12);
    pair.plan.spaces[static_cast<size_t>(pair.plan.scratch_of_step[0])].offset = 4;
    pair.plan.peaks = {20};
    EXPECT_EQ(pair.text(),
              keep
                  ? "step 0 'out': row 1 of 'in' at the end of its life holds scratch of step 'out' at byte 4"
                  : "0 violations");
  }
}

TEST(Validate, ScratchMeetsNothingThatIsNeeded) {
  Net net = chain();
  net.problem.steps[0].scratch = 6;
  Pair pair(net, 0, 10);
  const auto scratch = static_cast<size_t>(pair.plan.scratch_of_step[0]);
  pair.at(2, 30);
  pair.plan.spaces[scratch].offset = 30;
  EXPECT_TRUE(pair.valid());
  pair.plan.spaces[scratch].offset = 29;
  EXPECT_EQ(pair.text(), "step 0 'a': its scratch is overwritten by 'a' at byte 29");
  pair.plan.spaces[scratch].offset = 4;
  EXPECT_EQ(pair.text(), "step 0 'a': row 0 of 'input' when it is read holds scratch of step 'a' at byte 4");
  pair.plan.spaces[scratch].offset = 30;
  pair.plan.spaces[scratch].size = 5;
  EXPECT_EQ(pair.text(), "step 'a' needs 6 bytes of scratch, its space has 5");
  pair.plan.spaces[scratch].size = 6;
  pair.plan.spaces[scratch].life = {1, 2};
  EXPECT_EQ(pair.text(), "step 0 'a' has its scratch in a space that lives during [1, 2)");
  pair.plan.scratch_of_step[0] = kNone;
  EXPECT_EQ(pair.text(), "step 'a' has its scratch in space -1, which does not exist");
}

TEST(Validate, BuffersWithoutStepsHoldTheirLives) {
  const Problem p = blocks({{10, 0, 3}, {10, 2, 5}, {10, 3, 4}});
  Plan plan = plan_apart(p);
  EXPECT_TRUE(validate(p, plan).empty());
  plan.spaces[1].offset = 9;
  plan.spaces[2].offset = 19;
  plan.peaks = {29};
  const auto found = validate(p, plan);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "time 2: row 0 of 'a' at the end of its life holds 'b' at byte 9");
}

TEST(Validate, NamesEveryBrokenNumberOfAPlan) {
  const Pair good(chain(), 0, 10);
  const auto broken = [&](auto change) {
    Pair pair = good;
    change(pair.plan);
    return pair.text();
  };
  EXPECT_EQ(broken([](Plan& p) { p.peaks[0] += 1; }),
            "the stated peak of memory 'ram' is 61 bytes, its spaces end at 60");
  EXPECT_EQ(broken([](Plan& p) { p.spaces[1].life.end = 1; }),
            "'a' lives during [0, 2), its space during [0, 1)");
  EXPECT_EQ(broken([](Plan& p) { p.views[1].space = 7; }), "'a' is in space 7, which does not exist");
  EXPECT_EQ(broken([](Plan& p) { p.views[1].pixel = 19; }),
            "'a' is 1 x 1 pixels of 20 bytes, its view 1 x 1 of 19, rows of 20");
  EXPECT_EQ(broken([](Plan& p) { p.views[1].wrap = 3; }),
            "'a' wraps after 3 bytes, expected whole rows of 20 and less than 20");
  EXPECT_EQ(broken([](Plan& p) { p.views[1].offset = 1; }),
            "'a' needs 20 bytes from 1 and 0 from 0, its space has 20");
  EXPECT_EQ(broken([](Plan& p) { p.spaces[1].memory = 1; }),
            "space 1 is in memory number 1, which does not exist");
  EXPECT_EQ(broken([](Plan& p) { p.views.pop_back(); }),
            "the plan has 2 views, 2 scans and 2 scratch spaces for 3 buffers and 2 steps");
}

TEST(Validate, NamesAlignmentAndCapacity) {
  Pair pair(chain(), 0, 10);
  pair.problem.alignment = 10;
  EXPECT_TRUE(pair.valid());
  pair.problem.alignment = 4;
  EXPECT_EQ(validate(pair.problem, pair.plan)[0].text, "space 1 starts at byte 10, not at a multiple of 4");
  pair.problem.alignment = 1;
  pair.problem.memories[0].capacity = 59;
  EXPECT_EQ(pair.text(), "space 2 occupies bytes 30 to 60 of memory 'ram', which has 59");
  pair.problem.memories[0].capacity = 60;
  EXPECT_TRUE(pair.valid());
}

}  // namespace
}  // namespace n2d2::memory
