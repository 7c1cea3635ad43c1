// Does every plan that validate accepts run to the same bytes? Each kernel alone, its input and output at random
// places of one ring, straight and wrapped, in each order.
#include <algorithm>
#include <map>
#include <ostream>

#include <gtest/gtest.h>

#include "n2d2/base/random.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/memory/plan_csv.hpp"
#include "n2d2/memory/validate.hpp"
#include "n2d2/ops/all.hpp"

#include "host_run.hpp"
#include "memory_check.hpp"

namespace n2d2::exporter {
namespace {

using memory::Bytes;

struct Layer {
  const char* name;
  Shape input, output;
  std::string op;      ///< "@w" stands for weights and biases
  Shape weights = {};  ///< O,I,KH,KW of a Conv, O,I of an Fc
  const char* rescale = "Floating-point 0 255 0 : 0.013 :";
  friend void PrintTo(const Layer& layer, std::ostream* out) { *out << layer.name; }
};

std::string constants(const Layer& layer, Rng& rng) {
  if (layer.weights.rank() == 0) return {};
  const auto values = [&](int64_t count, int range) {
    std::string out;
    for (int64_t i = 0; i < count; ++i)
      out += fmt::format(" {}", static_cast<int>(rng.below(static_cast<uint64_t>(range))) - range / 2);
    return out;
  };
  return fmt::format("constant w : i8 {}{} ={}\nconstant b : i32 {} ={}\n", layer.weights.text(),
                     layer.weights.rank() == 4 ? " nhwc" : "", values(layer.weights.elements(), 200),
                     layer.weights[0], values(layer.weights[0], 900));
}

PlannedNetwork network_of(const Layer& layer) {
  Rng rng(5);
  std::string op = layer.op;
  if (const size_t at = op.find("@w"); at != std::string::npos) op.replace(at, 2, "w, b");
  const std::string scale = "quant(8 unsigned -1 1)";
  const std::string text = fmt::format(
      "input sp : u8 {} nhwc {}\n{}y : u8 {} nhwc {} = {} rescale=\"{}\"\noutput y\n", layer.input.text(),
      scale, constants(layer, rng), layer.output.text(), scale, op, layer.rescale);
  graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
  const auto output = graph.outputs().at(0);
  return plan_network(std::move(graph), {{output, 2}}, {});
}

Tensor sample_of(const Layer& layer) {
  Rng rng(7);
  Tensor out(layer.input);
  for (int64_t i = 0; i < out.elements(); ++i) out.data<float>()[i] = static_cast<float>(rng.below(256));
  return out;
}

bool holds_others(const memory::Problem& problem, const memory::Buffer& buffer) {
  const auto id = &buffer - problem.buffers.data();
  return std::any_of(problem.buffers.begin(), problem.buffers.end(),
                     [&](const memory::Buffer& b) { return b.inside && b.inside->buffer == id; });
}

/// Every buffer anywhere in one ring that is too small for all of them; about every third one wraps.
memory::Plan random_plan(const MemoryMap& map, Rng& rng) {
  const auto& buffers = map.problem.buffers;
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
  plan.spaces.push_back({0, 0, ring, {0, memory::duration(map.problem)}});
  const bool in_place = rng.chance(0.2);
  for (const memory::Buffer& b : buffers) {
    memory::View view{0, pick(0, ring - b.size()), b.pixel, b.row(), 0, b.width, b.height};
    if (in_place) view.offset = 0;
    if (b.inside) {
      view.offset = plan.views[static_cast<size_t>(b.inside->buffer)].offset + b.inside->offset;
    } else if (b.height > 1 && rng.chance(0.3) && !holds_others(map.problem, b)) {
      view.wrap = b.row() * pick(1, b.height - 1);
      view.offset = pick(std::min(b.size() - view.wrap, ring - view.wrap), ring - view.wrap);
    }
    plan.views.push_back(view);
  }
  for (size_t t = 0; t < map.problem.steps.size(); ++t) {
    plan.scan_of_step.push_back(static_cast<memory::Scan>(rng.below(3)));
    plan.scratch_of_step.push_back(memory::kNone);
  }
  return plan;
}

std::vector<Layer> layers() {
  const auto with = [](const char* outputs, const char* keys) {
    return fmt::format("Conv(sp, @w) NbOutputs=\"{}\" {}", outputs, keys);
  };
  return {
      {"conv", {1, 3, 7, 5}, {1, 4, 7, 5}, with("4", "KernelDims=\"3 3\" Padding=\"1 1 1 1\""), {4, 3, 3, 3}},
      {"conv_stride",
       {1, 3, 9, 4},
       {1, 5, 5, 2},
       with("5", "KernelDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 1\""),
       {5, 3, 3, 3}},
      {"conv_far",
       {1, 2, 9, 4},
       {1, 2, 5, 4},
       with("2", "KernelDims=\"1 3\" Dilation=\"1 2\""),
       {2, 2, 3, 1}},
      {"conv_pointwise", {1, 6, 6, 5}, {1, 3, 6, 5}, with("3", "KernelDims=\"1 1\""), {3, 6, 1, 1}},
      {"conv_one_row",
       {1, 3, 1, 12},
       {1, 4, 1, 6},
       with("4", "KernelDims=\"3 1\" Stride=\"2 1\" Padding=\"1 0 1 0\""),
       {4, 3, 1, 3}},
      {"conv_to_one_row",
       {1, 3, 3, 6},
       {1, 3, 1, 6},
       with("3", "KernelDims=\"3 3\" Padding=\"1 0 1 0\""),
       {3, 3, 3, 3}},
      {"conv_from_one_row",
       {1, 3, 1, 6},
       {1, 3, 3, 6},
       with("3", "KernelDims=\"1 1\" Padding=\"0 1 0 1\""),
       {3, 3, 1, 1}},
      {"conv_large",
       {1, 70, 4, 3},
       {1, 80, 4, 3},
       with("80", "KernelDims=\"3 3\" Padding=\"1 1 1 1\""),
       {80, 70, 3, 3},
       "Floating-point 0 255 0 : 0.0005 :"},
      {"depthwise",
       {1, 8, 7, 5},
       {1, 8, 7, 5},
       with("8", "KernelDims=\"3 3\" Padding=\"1 1 1 1\" Groups=\"8\""),
       {8, 1, 3, 3}},
      {"depthwise_stride",
       {1, 6, 8, 6},
       {1, 12, 4, 3},
       with("12", "KernelDims=\"2 2\" Stride=\"2 2\" Groups=\"6\""),
       {12, 1, 2, 2}},
      {"max_pool",
       {1, 5, 8, 6},
       {1, 5, 4, 3},
       "Pool(sp) PoolDims=\"3 3\" Stride=\"2 2\" Padding=\"1 1 1 1\" Pooling=\"Max\""},
      {"max_pool_wide",
       {1, 70, 5, 3},
       {1, 70, 5, 3},
       "Pool(sp) PoolDims=\"3 3\" Padding=\"1 1 1 1\" Pooling=\"Max\""},
      {"average_pool",
       {1, 5, 6, 6},
       {1, 5, 3, 3},
       "Pool(sp) PoolDims=\"2 2\" Stride=\"2 2\" Pooling=\"Average\"",
       {},
       "Floating-point 0 255 0 : 0.25 :"},
      {"padding",
       {1, 3, 5, 4},
       {1, 3, 8, 5},
       "Padding(sp) TopPadding=\"1\" BottomPadding=\"2\" LeftPadding=\"0\" RightPadding=\"1\""},
      {"crop",
       {1, 3, 8, 5},
       {1, 3, 5, 4},
       "Padding(sp) TopPadding=\"-2\" BottomPadding=\"-1\" LeftPadding=\"-1\" RightPadding=\"0\""},
      {"padding_one_row",
       {1, 4, 1, 6},
       {1, 4, 1, 9},
       "Padding(sp) TopPadding=\"0\" BottomPadding=\"0\" LeftPadding=\"2\" RightPadding=\"1\""},
      {"scaling", {1, 9, 4, 5}, {1, 9, 4, 5}, "Relu(sp)", {}, "Floating-point 0 255 0 : 0.5 :"},
      {"scaling_one_row", {1, 30, 1, 5}, {1, 30, 1, 5}, "Relu(sp)", {}, "Floating-point 0 255 0 : 0.5 :"},
      {"sum",
       {1, 9, 4, 5},
       {1, 9, 4, 5},
       "ElemWise(sp, sp) Operation=\"Sum\"",
       {},
       "Fixed-point32 0 255 2 : : 1 1"},
      {"sum_one_pixel",
       {1, 200, 1, 1},
       {1, 200, 1, 1},
       "ElemWise(sp, sp) Operation=\"Sum\"",
       {},
       "Fixed-point32 0 255 2 : : 1 1"},
      {"concat_part", {1, 3, 4, 3}, {1, 3, 4, 3}, "Concat(sp)"},
      {"fc", {1, 4, 3, 3}, {1, 20, 1, 1}, "Fc(sp, @w) NbOutputs=\"20\"", {20, 36}},
  };
}

class AnyPlan : public testing::TestWithParam<Layer> {};

TEST_P(AnyPlan, ThatIsAcceptedGivesTheSameBytes) {
  const Layer& layer = GetParam();
  const PlannedNetwork network = network_of(layer);
  const Tensor sample = sample_of(layer);
  const Tensor expected =
      run_layers(with_memory(network, without_reuse(network.memory)), sample).back().tensor;
  Rng rng(11, layer.name);
  int accepted = 0, overlapping = 0;
  std::map<memory::Scan, int> by_scan;
  MemoryMap map = network.memory;
  for (int i = 0; i < 4000; ++i) {
    map.plan = random_plan(map, rng);
    if (!memory::validate(map.problem, map.plan).empty()) continue;
    ++accepted;
    Bytes all = 0;
    for (const memory::Buffer& b : map.problem.buffers) all += b.inside ? 0 : b.size();
    if (map.plan.peaks[0] < all) ++overlapping, ++by_scan[map.plan.scan_of_step[0]];
    const Tensor found = run_layers(with_memory(network, map), sample).back().tensor;
    ASSERT_TRUE(found == expected) << memory::plan_to_csv(map.problem, map.plan);
  }
  RecordProperty("accepted", accepted);
  RecordProperty("overlapping", overlapping);
  EXPECT_GE(accepted, 1);
  const bool whole = map.problem.steps[0].reads[0].window.kind == memory::Window::Kind::Whole;
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
}  // namespace n2d2::exporter
