#include <gtest/gtest.h>

#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/strategy.hpp"

#include "problems.hpp"

namespace n2d2::memory {
namespace {

/// 8x8x1 -> 4x4x4 wrapping in a ring of 96 bytes, then a pool above it.
struct Ring {
  Problem problem;
  Plan plan;

  Ring() {
    Net net;
    const BufferId input = net.map("env", 8, 8, 1);
    const BufferId conv = net.layer("conv", {{input, rows(3, 2, 1)}}, 4, 4, 4);
    net.layer("all", {{conv, whole()}}, 1, 1, 4);
    net.problem.steps[1].scratch = 16;
    net.problem.buffers.back().keep = true;
    problem = net.done();
    plan.spaces = {{0, 0, 96, {0, 2}}, {0, 96, 4, {1, 2}}, {0, 100, 16, {1, 2}}};
    plan.views = {{0, 0, 1, 8, 0, 8, 8}, {0, 64, 4, 16, 32, 4, 4}, {1, 0, 4, 4, 0, 1, 1}};
    plan.scan_of_step = {Scan::TopDown, Scan::BottomUp};
    plan.scratch_of_step = {kNone, 2};
    plan.peaks = {116};
  }
};

TEST(MemoryMap, CsvHasOneLinePerPlane) {
  const Ring ring;
  EXPECT_EQ(memory_map_csv(ring.problem, ring.plan),
            "cell,plane,memory,start,size,wrapStart,wrapSize,stride,length,count,scan,t0,t1\n"
            "env,0,ram,0,64,0,0,1,8,8,Any,0,1\n"
            "conv,0,ram,64,32,0,32,4,4,4,TopDown,0,2\n"
            "all,0,ram,96,4,0,0,4,1,1,BottomUp,1,2\n"
            "all,scratch,ram,100,16,0,0,16,1,1,Any,1,2\n");
}

TEST(MemoryMap, LogHasTheLineFormatOfTheOriginal) {
  const Ring ring;
  EXPECT_EQ(memory_map_log(ring.problem, ring.plan),
            "all:\n"
            "  0 96 (0x00000060U) -> 100 (0x00000064U) [4] @ 1\n"
            "  scratch 100 (0x00000064U) -> 116 (0x00000074U) [16] @ 1 to 1\n"
            "conv:\n"
            "  0 64 (0x00000040U) -> 96 (0x00000060U) + 0 (0x00000000U) -> 32 (0x00000020U) [64] @ 0\n"
            "env:\n"
            "  0 0 (0x00000000U) -> 64 (0x00000040U) [64] @ 0 to 0\n");
}

TEST(MemoryMap, JsonSaysTheSame) {
  const Problem p = blocks({{5, 0, 2}});
  EXPECT_EQ(memory_map_json(p, plan_apart(p)), R"({
  "peak": 5,
  "lowerBound": 5,
  "memories": [
    {
      "name": "ram",
      "capacity": 0
    }
  ],
  "planes": [
    {
      "cell": "a",
      "plane": "0",
      "memory": "ram",
      "start": 0,
      "size": 5,
      "wrapStart": 0,
      "wrapSize": 0,
      "stride": 5,
      "length": 1,
      "count": 1,
      "scan": "Any",
      "t0": 0,
      "t1": 2
    }
  ]
}
)");
}

TEST(MemoryMap, NamesWithCommasAreQuoted) {
  Problem p = blocks({{5, 0, 2}});
  p.buffers[0].name = "a,b";
  EXPECT_NE(memory_map_csv(p, plan_apart(p)).find("\n\"a,b\",0,"), std::string::npos);
}

}  // namespace
}  // namespace n2d2::memory
