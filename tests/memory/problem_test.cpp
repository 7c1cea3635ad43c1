#include "n2d2/memory/problem.hpp"

#include <gtest/gtest.h>

#include "problems.hpp"

namespace n2d2::memory {
namespace {

/// input -> a -> b, and c reads a and b.
Problem skip_network() {
  Net net;
  const BufferId input = net.map("input", 4, 4, 1);
  const BufferId a = net.layer("a", {{input, rows(3, 1, 1)}}, 4, 4, 2);
  const BufferId b = net.layer("b", {{a, rows(3, 1, 1)}}, 4, 4, 2);
  net.layer("c", {{a, element()}, {b, element()}}, 4, 4, 2);
  return net.done();
}

std::string only_fault(const Problem& problem) {
  const auto found = faults(problem);
  return found.size() == 1 ? found[0].text : std::to_string(found.size()) + " faults";
}

TEST(Lifetimes, ReachFromTheWriterToTheLastReader) {
  const Problem p = skip_network();
  EXPECT_EQ(p.buffers[0].life, (Lifetime{0, 1}));
  EXPECT_EQ(p.buffers[1].life, (Lifetime{0, 3}));
  EXPECT_EQ(p.buffers[2].life, (Lifetime{1, 3}));
  EXPECT_EQ(p.buffers[3].life, (Lifetime{2, 3}));
  EXPECT_TRUE(faults(p).empty());
}

TEST(Lifetimes, OfKeptBuffersReachTheEnd) {
  Problem p = skip_network();
  p.buffers[0].keep = true;
  derive_lifetimes(p);
  EXPECT_EQ(p.buffers[0].life, (Lifetime{0, 3}));
}

TEST(Lifetimes, OfLanesFollowTheirHost) {
  Net net;
  const BufferId input = net.map("input", 2, 2, 1);
  const BufferId host = net.map("host", 2, 2, 3);
  const BufferId left = net.lane("left", host, 0, 1), right = net.lane("right", host, 1, 2);
  net.step("left", {{input, rows(1)}}, left);
  net.step("right", {{input, rows(1)}}, right);
  net.layer("next", {{host, rows(1)}}, 2, 2, 1);
  const Problem p = net.done();
  EXPECT_EQ(p.buffers[static_cast<size_t>(left)].life, (Lifetime{0, 3}));
  EXPECT_EQ(p.buffers[static_cast<size_t>(right)].life, (Lifetime{1, 3}));
  EXPECT_EQ(p.buffers[static_cast<size_t>(host)].life, (Lifetime{0, 3}));
  EXPECT_EQ(root_of(p, right), host);
  EXPECT_TRUE(faults(p).empty());
}

TEST(Lifetimes, OfAnAliasExtendTheBufferItNames) {
  Net net;
  const BufferId input = net.map("input", 1, 1, 4);
  const BufferId a = net.layer("a", {{input, whole()}}, 2, 2, 1);
  const BufferId flat = net.map("flat", 1, 1, 4);
  net.problem.buffers.back().inside = Inside{a, 0};
  net.layer("b", {{input, whole()}}, 1, 1, 1);
  net.layer("c", {{flat, whole()}}, 1, 1, 1);
  const Problem p = net.done();
  EXPECT_EQ(p.buffers[static_cast<size_t>(a)].life, (Lifetime{0, 3}));
  EXPECT_EQ(p.buffers[static_cast<size_t>(flat)].life, (Lifetime{0, 3}));
  EXPECT_TRUE(faults(p).empty());
}

TEST(Lifetimes, OfBuffersNoStepTouchesStayAsTheyAre) {
  Problem p = skip_network();
  Buffer other;
  other.name = "other";
  other.used = other.pixel = 7;
  other.life = {1, 2};
  p.buffers.push_back(other);
  other.name = "unused";
  other.life = {};
  p.buffers.push_back(other);
  derive_lifetimes(p);
  EXPECT_EQ(p.buffers[4].life, (Lifetime{1, 2}));
  EXPECT_EQ(p.buffers[5].life, (Lifetime{0, 1}));
}

TEST(Lifetimes, OfKeptBuffersNoStepTouchesReachTheEnd) {
  Problem p = skip_network();
  Buffer other;
  other.name = "other";
  other.used = other.pixel = 7;
  other.keep = true;
  other.life = {1, 2};
  p.buffers.push_back(other);
  other.name = "unused";
  other.life = {};
  p.buffers.push_back(other);
  derive_lifetimes(p);
  EXPECT_EQ(p.buffers[4].life, (Lifetime{1, 3}));
  EXPECT_EQ(p.buffers[5].life, (Lifetime{0, 3}));
}

TEST(Faults, NameSizesThatCannotBe) {
  Problem p = skip_network();
  p.buffers[1].used = 3;
  EXPECT_EQ(only_fault(p),
            "buffer 'a': expected 1 <= used <= pixel and width, height >= 1, got used 3, pixel 2, 4 x 4");
  p = skip_network();
  p.buffers[1].pixel = Bytes{1} << 39;
  EXPECT_EQ(only_fault(p),
            "buffer 'a': expected at most 1099511627776 bytes, got 4 x 4 pixels of 549755813888");
  p = skip_network();
  p.buffers[1].name = "b";
  EXPECT_EQ(only_fault(p), "buffer 'b': another buffer has the same name");
}

TEST(Faults, NameWhatConcernsTheWholeProblem) {
  Problem p = skip_network();
  p.alignment = 0;
  EXPECT_EQ(only_fault(p), "alignment: expected 1 .. 1099511627776, got 0");
  p = skip_network();
  p.memories.clear();
  EXPECT_EQ(only_fault(p), "memories: expected at least 1, got none");
  p = skip_network();
  p.memories.push_back({p.memories[0].name, 1024});
  EXPECT_EQ(only_fault(p), "memory 'ram': another memory has the same name");
  p = skip_network();
  p.buffers[0].memories = {1};
  EXPECT_EQ(only_fault(p),
            "buffer '" + p.buffers[0].name + "': may lie in memory number 1, which does not exist");
  p = skip_network();
  p.memories[0].capacity = -1;
  EXPECT_EQ(only_fault(p), "memory 'ram': expected a capacity >= 0 and an alignment >= 1, got -1, 1");
}

TEST(Faults, NamePlacesInsideThatDoNotExistOrFit) {
  Problem p = skip_network();
  p.buffers[2].inside = Inside{9, 0};
  EXPECT_EQ(only_fault(p), "buffer 'b': is inside buffer number 9, which does not exist");
  p = skip_network();
  p.buffers[2].inside = Inside{2, 0};
  EXPECT_EQ(only_fault(p), "buffer 'b': is inside itself");
  p = skip_network();
  p.buffers[2].inside = Inside{1, 1};
  EXPECT_EQ(only_fault(p), "buffer 'b': 32 bytes at offset 1 do not fit into the 32 bytes of 'a'");
}

TEST(Faults, NameStepsThatReferToNothing) {
  Problem p = skip_network();
  p.steps[1].reads[0].buffer = 8;
  EXPECT_EQ(only_fault(p), "step 'b': reads buffer number 8, which does not exist");
  p = skip_network();
  p.steps[1].writes = {-3};
  EXPECT_EQ(only_fault(p), "step 'b': writes buffer number -3, which does not exist");
}

TEST(Faults, NameNumbersOfAStepThatCannotBe) {
  Problem p = skip_network();
  p.steps[0].scratch = -1;
  EXPECT_EQ(only_fault(p), "step 'a': expected 0 <= scratch <= 1099511627776, got -1");
  p = skip_network();
  p.steps[0].rows_per_step = 0;
  EXPECT_EQ(only_fault(p), "step 'a': expected rows per step >= 1, got 0");
  p = skip_network();
  p.steps[0].rows_per_step = 2;
  p.steps[0].raster_order = true;
  EXPECT_EQ(only_fault(p), "step 'a': raster order computes 1 row at a time, got 2 rows per step");
  p = skip_network();
  p.steps[0].reads[0].window.extent = 0;
  EXPECT_EQ(only_fault(p), "step 'a': window on 'input': expected stride >= 0 and extent >= 1, got 1 and 0");
}

TEST(Faults, NameElementwiseStepsOnUnequalMaps) {
  Problem p = skip_network();
  p.buffers[2].height = 3;
  EXPECT_EQ(only_fault(p), "step 'c': element by element needs equal maps: 'b' is 4 x 3, 'c' is 4 x 4");
}

TEST(Faults, NameAnOrderThatCannotRun) {
  Problem p = skip_network();
  p.steps[1].reads[0].buffer = 3;
  EXPECT_EQ(only_fault(p), "step 'b': reads 'c' before step 'c' has written it");
  p = skip_network();
  p.steps[2].writes = {1};
  p.steps[2].reads.erase(p.steps[2].reads.begin());
  EXPECT_EQ(only_fault(p), "step 'c': writes 'a', which step 'a' has written");
  p = skip_network();
  p.steps[1].reads[0].buffer = 2;
  EXPECT_EQ(faults(p).front().text, "step 'b': reads 'b', which it writes");
}

TEST(Faults, NameLifetimesThatAreTooShort) {
  Problem p = skip_network();
  p.buffers[1].life.end = 2;
  EXPECT_EQ(only_fault(p), "buffer 'a': its steps need it during [0, 3), its lifetime is [0, 2)");
  p.buffers[1].life.end = 3;
  p.buffers[0].keep = true;
  EXPECT_EQ(only_fault(p), "buffer 'input': its steps need it during [0, 3), its lifetime is [0, 1)");
  p = skip_network();
  p.buffers.push_back(p.buffers[0]);
  p.buffers.back().name = "other";
  EXPECT_EQ(only_fault(p), "0 faults");
  p.buffers.back().keep = true;  // no step has to do with it
  EXPECT_EQ(only_fault(p), "buffer 'other': it is kept to the end, step 3, its lifetime is [0, 1)");
  p = blocks({{8, 3, 3}});
  EXPECT_EQ(only_fault(p), "buffer 'a': expected a lifetime 0 <= first < end, got [3, 3)");
  p = blocks({{8, 0, 3}, {8, 1, 4}});
  p.buffers[1].inside = Inside{0, 0};
  EXPECT_EQ(only_fault(p), "buffer 'b': its lifetime [1, 4) exceeds that of 'a', which holds it");
}

TEST(Faults, FindNoneWhereAMapBeginsInTheGapBehindTheLastPixelOfAnother) {
  Net net;
  const BufferId input = net.map("input", 1, 2, 1), host = net.map("host", 1, 1, 6);
  const BufferId vector = net.lane("vector", host, 0, 2), map = net.lane("map", host, 2, 4);
  Buffer& rows = net.problem.buffers[static_cast<size_t>(map)];
  rows.height = 2, rows.used = rows.pixel = 2;
  net.step("vector", {{input, whole()}}, vector);
  net.step("map", {{input, whole()}}, map);
  EXPECT_TRUE(faults(net.done()).empty());
}

TEST(Faults, NameBytesTwoStepsWouldWrite) {
  Net net;
  const BufferId input = net.map("input", 2, 2, 1);
  const BufferId host = net.map("host", 2, 2, 3);
  const BufferId left = net.lane("left", host, 0, 2), right = net.lane("right", host, 1, 2);
  net.step("left", {{input, rows(1)}}, left);
  net.step("right", {{input, rows(1)}}, right);
  EXPECT_EQ(only_fault(net.done()), "buffer 'right': shares bytes with 'left'; two steps would write them");
}

}  // namespace
}  // namespace n2d2::memory
