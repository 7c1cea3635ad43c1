#include "memory_check.hpp"

#include <gtest/gtest.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/memory/validate.hpp"
#include "n2d2/ops/all.hpp"

#include "free_bytes.hpp"

namespace n2d2::exporter {
namespace {

/// sp -> a -> b, and a, b concatenated in c, which d reads; 2 x 1 pixels of one byte each, so every byte counts.
PlannedNetwork network() {
  const std::string type = " : u8 1x1x1x2 nhwc quant(8 unsigned -1 1)";
  const std::string both = " : u8 1x2x1x2 nhwc quant(8 unsigned -1 1)";
  const std::string pool = " PoolDims=\"1 1\" Pooling=\"Max\"\n";
  graph::Graph graph = graph::from_text("input sp" + type + "\na" + type + " = Pool(sp)" + pool + "b" + type +
                                            " = Pool(a)" + pool + "c" + both + " = Concat(a, b)\nd" + both +
                                            " = Pool(c)" + pool + "output d\n",
                                        ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return plan_network(std::move(graph), {{output, 2}}, {});
}

Tensor sample() {
  Tensor out(Shape{1, 1, 1, 2});
  out.data<float>()[0] = 3, out.data<float>()[1] = 200;
  return out;
}

TEST(FreeBytes, CountLanesByteByByte) {
  const MemoryMap map = without_reuse(network().memory);  // env 0..1, c with its lanes 2..5, d 6..9
  using Free = std::vector<FreeBytes>;
  EXPECT_EQ(free_bytes(map, 0), (Free{{0, 2, 8, 8, 1}}));
  EXPECT_EQ(free_bytes(map, 1), (Free{{0, 0, 2, 2, 1}, {0, 3, 1, 1, 1}, {0, 5, 5, 5, 1}}));
  EXPECT_EQ(free_bytes(map, 2), (Free{{0, 0, 2, 2, 1}, {0, 6, 4, 4, 1}}));
  EXPECT_EQ(free_bytes(map, 3), (Free{{0, 0, 6, 6, 1}}));
}

TEST(FreeBytes, PiecesAtOneDistanceAreOneEntry) {
  MemoryMap map = without_reuse(network().memory);
  map.problem.buffers[0].width = map.problem.buffers[0].height = 2;  // env: four pixels, two bytes apart
  map.problem.buffers[0].pixel = 2;
  map.plan.views[0].pixel = 2, map.plan.views[0].row = 4, map.plan.views[0].width = 2,
  map.plan.views[0].height = 2;
  EXPECT_EQ(free_bytes(map, 0), (std::vector<FreeBytes>{{0, 1, 1, 2, 3}, {0, 7, 3, 3, 1}}));
}

TEST(WithoutReuse, IsValidAndSharesNothing) {
  const PlannedNetwork planned = network();
  const MemoryMap map = without_reuse(planned.memory);
  EXPECT_TRUE(memory::validate(map.problem, map.plan).empty());
  EXPECT_EQ(map.plan.peaks[0], 10);
  EXPECT_LT(planned.memory.plan.peaks[0], 10);
}

std::string finding(const PlannedNetwork& planned) {
  try {
    check_memory(planned, sample());
  } catch (const ExportError& error) {
    return error.what();
  }
  return "none";
}

TEST(CheckMemory, AcceptsAPlannedNetwork) {
  EXPECT_EQ(finding(network()), "none");
}

/// Wraps the kernel of a cell: `spoil(output)` runs after it.
void after_kernel(PlannedNetwork& planned, size_t cell, std::function<void(uint8_t*)> spoil) {
  KernelCall& call = planned.cells.at(cell).code.calls.at(0);
  call.host = [run = call.host, spoil](const HostArgs& args) {
    run(args);
    spoil(static_cast<uint8_t*>(args.output));
  };
}

TEST(CheckMemory, FindsAByteOutsideTheArena) {
  PlannedNetwork planned = network();
  const auto past = planned.memory.plan.peaks[0] - planned.memory.place(planned.cells.at(1).output).offset;
  after_kernel(planned, 1, [past](uint8_t* output) { output[past] = 1; });
  EXPECT_EQ(finding(planned),
            "export CPP: [b] writes outside the arena\n"
            "export CPP: [b] writes outside the arena");
}

TEST(CheckMemory, FindsAValueThatComesFromFreeMemory) {
  PlannedNetwork planned = network();
  // Before b has run, its lane holds nothing: a kernel that looks at it sees the pattern.
  const KernelCall original = planned.cells.at(1).code.calls.at(0);
  planned.cells.at(1).code.calls.at(0).host = [original](const HostArgs& args) {
    auto* output = static_cast<uint8_t*>(args.output);
    const uint8_t stale = output[0];
    original.host(args);
    output[0] ^= stale & 1;
  };
  EXPECT_NE(finding(planned).find("[b] has another output when free memory holds 0xA5"), std::string::npos)
      << finding(planned);
}

}  // namespace
}  // namespace n2d2::exporter
