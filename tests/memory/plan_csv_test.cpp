#include "n2d2/memory/plan_csv.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/memory/strategy.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

constexpr const char* kProblem =
    "# one convolution\n"
    "alignment,4\n"
    "memory,ram,1024,1\n"
    "buffer,input,0,1,3,4,5,6,0,,0,ram\n"
    "buffer,\"a,\"\"b\"\"\",0,1,2,2,5,6,1,,0,\n"
    "\n"
    "step,conv,\"a,\"\"b\"\"\",7,2,0,1,0\n"
    "read,input,Rows,1,1,3\n";

std::string error_of_problem(const std::string& text) {
  try {
    problem_from_csv(text, "p.csv");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of_plan(const std::string& text) {
  try {
    plan_from_csv(text, problem_from_csv(kProblem, "p.csv"), "plan.csv");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ProblemCsv, ReadsEveryField) {
  const Problem p = problem_from_csv(kProblem, "p.csv");
  EXPECT_EQ(p.alignment, 4);
  EXPECT_EQ(p.memories, (std::vector<Memory>{{"ram", 1024}}));
  ASSERT_EQ(p.buffers.size(), 2u);
  EXPECT_EQ(p.buffers[1].name, "a,\"b\"");
  EXPECT_TRUE(p.buffers[1].keep);
  EXPECT_EQ(p.buffers[0].pixel, 4);
  EXPECT_EQ(p.buffers[0].width, 5);
  EXPECT_EQ(p.steps[0].scratch, 7);
  EXPECT_EQ(p.steps[0].rows_per_step, 2);
  EXPECT_TRUE(p.steps[0].overlap);
  EXPECT_FALSE(p.steps[0].any_order);
  EXPECT_EQ(p.buffers[0].memories, (std::vector<MemoryId>{0}));
  EXPECT_EQ(p.steps[0].reads, (std::vector<Read>{{0, rows(3, 1, 1)}}));
}

TEST(ProblemCsv, RoundTripsNetworks) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed, "problem csv");
    Problem p = random_network(rng);
    if (seed % 2 == 1) {
      p.memories = {{"fast", 9}, {"slow", 0}};
      for (Step& step : p.steps)
        if (rng.chance(0.3)) step.scratch_memories = {1, 0};
    }
    EXPECT_EQ(problem_from_csv(problem_to_csv(p), "p.csv"), p) << "seed " << seed;
  }
}

TEST(ProblemCsv, ReadsLifetimesAlone) {
  const Problem p = problem_from_csv("id,lower,upper,size\r\nb1,0,3,4\r\nb2,3,9,8\r\n", "p.csv");
  ASSERT_EQ(p.buffers.size(), 2u);
  EXPECT_EQ(p.buffers[1].name, "b2");
  EXPECT_EQ(p.buffers[1].life, (Lifetime{3, 9}));
  EXPECT_EQ(p.buffers[1].size(), 8);
  EXPECT_TRUE(p.steps.empty());
}

TEST(ProblemCsv, NamesTheLineOfEveryMistake) {
  const std::string p = kProblem;
  EXPECT_EQ(error_of_problem(with(p, "alignment,4", "alignment,x")),
            "p.csv:2: alignment: expected an integer, got 'x'");
  EXPECT_EQ(error_of_problem(with(p, "memory,ram,1024,1", "memory,ram")),
            "p.csv:3: expected 4 fields (memory,name,capacity,alignment), got 2\n"
            "p.csv:4: expected the name of a memory above this line, got 'ram'");
  EXPECT_EQ(error_of_problem(with(p, "memory,ram", "memry,ram")),
            "p.csv:3: expected alignment, memory, buffer, step, write, scratch or read, got 'memry'\n"
            "p.csv:4: expected the name of a memory above this line, got 'ram'");
  EXPECT_EQ(error_of_problem(with(p, "6,0,,0", "6,yes,,0")), "p.csv:4: keep: expected 0 or 1, got 'yes'");
  EXPECT_EQ(error_of_problem(with(p, "6,0,,0", "6,0,x,0")),
            "p.csv:4: expected the name of a buffer, got 'x'");
  EXPECT_EQ(error_of_problem(with(p, "5,6,0", "5,99999999999,0")),
            "p.csv:4: height: expected an integer, got '99999999999'");
  EXPECT_EQ(error_of_problem(with(p, "Rows", "Columns")),
            "p.csv:8: window: expected one of Rows, Element, Whole, Same, got 'Columns'");
  EXPECT_EQ(error_of_problem("read,a,Rows,1,1,3\n"), "p.csv:1: expected a step before its first read");
  EXPECT_EQ(error_of_problem("scratch,a\n"), "p.csv:1: expected a step before the memories of its scratch");
  EXPECT_EQ(error_of_problem(with(p, "read,input", "scratch,fast ram\nread,input")),
            "p.csv:8: expected the name of a memory above this line, got 'fast'");
  EXPECT_EQ(error_of_problem("id,lower,upper,size\n0,1,2\n"),
            "p.csv:2: expected 4 fields (id,lower,upper,size), got 3");
  // A field has one pair of quotes.
  EXPECT_EQ(
      problem_from_csv("memory,ram,4,1\nbuffer,\"\"\r\"x\",0,1,1,1,1,1,0,,0,\n", "p.csv").buffers[0].name,
      "\"x\"");
  EXPECT_EQ(error_of_problem("memory,\"ram,4\n"),
            "p.csv:1: expected a closing '\"', got the end of the file\n"
            "p.csv:1: expected 4 fields (memory,name,capacity,alignment), got 2");
}

TEST(ProblemCsv, NamesTheLineOfEveryFault) {
  const std::string p = kProblem;
  EXPECT_EQ(error_of_problem(with(p, "input,0,1,3,4", "input,0,1,5,4")),
            "p.csv:4: buffer 'input': expected 1 <= used <= pixel and width, height >= 1, got used 5, pixel "
            "4, 5 x 6");
  EXPECT_EQ(error_of_problem(with(p, ",7,2,0", ",7,0,0")),
            "p.csv:7: step 'conv': expected rows per step >= 1, got 0");
  EXPECT_EQ(error_of_problem(with(p, "alignment,4", "alignment,0")),
            "p.csv: alignment: expected 1 .. 1099511627776, got 0");
  EXPECT_EQ(error_of_problem("id,lower,upper,size\n0,1,1,5\n"),
            "p.csv:2: buffer '0': expected a lifetime 0 <= first < end, got [1, 1)");
}

TEST(PlanCsv, RoundTripsPlans) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Rng rng(seed, "plan csv");
    const Problem p = random_network(rng);
    Plan plan = solve(p, kDefaultStrategy);
    plan.scan_of_step.back() = Scan::BottomUp;
    EXPECT_EQ(plan_from_csv(plan_to_csv(p, plan), p, "plan.csv"), plan) << "seed " << seed;
    const PlanFile both = plan_file_from_csv(problem_to_csv(p) + plan_to_csv(p, plan), "both.csv");
    EXPECT_EQ(both.problem, p) << "seed " << seed;
    EXPECT_EQ(both.plan, plan) << "seed " << seed;
  }
}

TEST(PlanCsv, NamesTheLineOfEveryMistake) {
  const Problem p = problem_from_csv(kProblem, "p.csv");
  const std::string good = plan_to_csv(p, plan_apart(p));
  EXPECT_EQ(good,
            "peak,ram,187\n"
            "space,ram,0,120,0,1\n"
            "space,ram,120,60,0,1\n"
            "space,ram,180,7,0,1\n"
            "view,input,0,0,4,20,0,5,6\n"
            "view,\"a,\"\"b\"\"\",1,0,2,10,0,5,6\n"
            "scan,conv,Any,2\n");
  EXPECT_EQ(error_of_plan(good), "no error");
  EXPECT_EQ(error_of_plan(with(good, "peak", "top")),
            "plan.csv:1: expected peak, space, view or scan, got 'top'");
  EXPECT_EQ(error_of_plan(with(good, "ram", "rom")), "plan.csv:1: expected the name of a memory, got 'rom'");
  EXPECT_EQ(error_of_plan(with(good, "Any", "Down")),
            "plan.csv:7: order: expected one of TopDown, BottomUp, Any, got 'Down'");
  EXPECT_EQ(error_of_plan(with(good, "conv", "pool")),
            "plan.csv:7: expected the scan of step 'conv', got that of step 'pool'");
  EXPECT_EQ(error_of_plan(good + "scan,conv,TopDown,\n"),
            "plan.csv: expected 1 scans, one per step, got 2\n"
            "plan.csv:8: expected the scan of no further step, got that of step 'conv'");
  EXPECT_EQ(error_of_plan(with(good, "view,input,0,0,4,20,0,5,6\n", "")),
            "plan.csv: expected a view of buffer 'input', got none");
  EXPECT_EQ(error_of_plan(good + "view,input,0,0,4,20,0,5,6\n"),
            "plan.csv:8: expected one view of buffer 'input', got another");
}

}  // namespace
}  // namespace n2d2::memory
