// Do the shipped kernels compute what a network of odd shapes means? Each is run by the kernels of one
// instruction set (N2D2_HOST_ISA) in poisoned memory and compared, layer by layer, with the judge of exports
// and with the oracle of the tests, which share no code with the kernels or with each other. ctest runs the
// program once for each instruction set, so that all of them give the same bytes.
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/compute/judge.hpp"
#include "n2d2/graph/integer_form.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/conv.hpp"
#include "n2d2/ops/elemwise.hpp"
#include "n2d2/ops/pixel_reshape.hpp"
#include "n2d2/ops/pool.hpp"
#include "n2d2/ops/reshape.hpp"
#include "n2d2/passes/pass.hpp"
#include "n2d2/passes/pipelines.hpp"
#include "n2d2/targets/cortexm/platform.hpp"
#include "n2d2/targets/cpp/project.hpp"

#include "cases.hpp"
#include "drawn.hpp"
#include "e2e/graph_export.hpp"
#include "e2e/odd_networks.hpp"
#include "oracle/naive_network.hpp"

namespace n2d2 {
namespace {

constexpr uint64_t kCases = cases(2'000), kOfBothSigns = cases(2'500), kChains = cases(400, 4),
                   kOfMoves = cases(1'000), kOfSequences = cases(1'000), kOfTokens = cases(600),
                   kOfJoins = cases(1'000);
/// Networks that every run of every instruction set takes; the others are drawn, other ones for each set.
constexpr uint64_t kCore = kCases / 20, kCoreOfBothSigns = kOfBothSigns / 50, kCoreOfChains = 50,
                   kCoreOfMoves = kOfMoves / 20, kCoreOfSequences = kOfSequences / 20,
                   kCoreOfTokens = kOfTokens / 20, kCoreOfJoins = kOfJoins / 20;

constexpr std::array kModes{RescaleMode::FloatingPoint, RescaleMode::FixedPoint32, RescaleMode::FixedPoint16,
                            RescaleMode::SingleShift, RescaleMode::DoubleShift};
constexpr size_t kModesOfZeroPoints = 3;  // factors, no shifts
constexpr std::array kForms{"", "dot", "packed", "matrix", "rows", "pixels"};

targets::cpp::Parameters random_parameters(Rng& rng) {
  using Budget = targets::cpp::MemoryBudget;
  targets::cpp::Parameters p;
  p.include_input_in_buffer = rng.chance(0.8);
  p.memory_alignment = rng.chance(0.8) ? 1 : 4;
  p.memory_search_nodes = 2'000;
  if (rng.chance(0.3)) p.memory_budget = {Budget::Kind::Least, 0};
  if (rng.chance(0.1)) p.machine = targets::cpp::Machine::CortexM;
  const std::string form = kForms[rng.below(kForms.size())];
  if (form.empty() || p.machine != targets::cpp::Machine::Generic) return p;
  targets::cpp::LayerSection section{"*", {}, {}};
  section.values.kernel.name = form;
  p.layers.push_back(section);
  return p;
}

/// That of CPP, or of a core of each family, whose kernels run as plain loops over the order of its weights.
targets::cpp::Platform random_platform(Rng& rng, targets::cpp::Parameters& parameters) {
  constexpr std::array kCores{"m0plus", "m4", "m55"};
  if (rng.chance(0.6)) return {};
  parameters.machine = targets::cpp::Machine::CortexM;
  parameters.layers.clear();
  return targets::cortexm::platform_of(kCores[rng.below(kCores.size())]);
}

/// Bits of some layers, at most those of the export, and of values more where there are weights.
void add_random_widths(const graph::Graph& graph, int most, Rng& rng, targets::cpp::Parameters& parameters) {
  const double wide = std::array{0.0, 0.3, 1.0}[rng.below(3)];
  const auto drawn = [&] { return 2 + static_cast<int>(rng.below(static_cast<uint64_t>(most) - 1)); };
  for (const graph::NodeId id : graph.schedule()) {
    targets::cpp::LayerSection section{graph.node(id).name, {}, {}};
    if (graph::integer_form(graph, graph.node(id)).weighted && rng.chance(wide)) {
      section.values.activation_bits = 9 + static_cast<int>(rng.below(8));
      parameters.layers.push_back(section);
      continue;
    }
    if (!rng.chance(0.4)) continue;
    if (rng.chance(0.7)) section.values.weight_bits = drawn();
    if (rng.chance(0.3)) section.values.activation_bits = drawn();
    parameters.layers.push_back(section);
  }
}

oracle::Map<int64_t> map_of(const Tensor& tensor) {
  const Tensor pixels = to_layout(tensor, Layout::Nhwc);
  const Shape& shape = tensor.shape();
  oracle::Map<int64_t> out(static_cast<int>(shape.h()), static_cast<int>(shape.w()),
                           static_cast<int>(shape.c()));
  for (int64_t i = 0; i < pixels.elements(); ++i) switch (pixels.dtype()) {
      case DataType::U8:
        out.v[static_cast<size_t>(i)] = pixels.data<uint8_t>()[i];
        break;
      case DataType::I8:
        out.v[static_cast<size_t>(i)] = pixels.data<int8_t>()[i];
        break;
      case DataType::U16:
        out.v[static_cast<size_t>(i)] = pixels.data<uint16_t>()[i];
        break;
      case DataType::I16:
        out.v[static_cast<size_t>(i)] = pixels.data<int16_t>()[i];
        break;
      default:
        out.v[static_cast<size_t>(i)] = pixels.data<int32_t>()[i];
    }
  return out;
}

/// What a network of odd shapes is exported as.
struct Case {
  int bits = 8, output_bits = 0;
  RescaleMode mode = RescaleMode::FloatingPoint;
};

Case random_case(Rng& rng) {
  Case c;
  c.bits = std::array{8, 8, 8, 5, 16, -32}[rng.below(6)];
  if (c.bits > 0) c.output_bits = std::array{0, c.bits > 8 ? 32 : 16, 32}[rng.below(3)];
  c.mode = kModes[rng.below(kModes.size())];
  return c;
}

/// With the form that the parameters wish for, where a layer has it.
e2e::GraphExport exported(const graph::Graph& graph, const Tensor& sample, const Case& c,
                          targets::cpp::Parameters parameters, const targets::cpp::Platform& platform) {
  const targets::Request asked{c.bits, c.mode, true, false};
  try {
    return e2e::export_graph(graph, sample, asked, parameters, platform);
  } catch (const ExportError& error) {
    if (std::string(error.what()).find("computes none of its layers") == std::string::npos) throw;
  } catch (const ConfigError& error) {
    // Widths that no kernel has, each in the words of its refusal.
    constexpr std::array kRefusals{"joins '", "has a table of bytes", "are held by the integers of its input",
                                   "need inputs of more than 8 bits"};
    const std::string text = error.what();
    if (std::none_of(kRefusals.begin(), kRefusals.end(),
                     [&](const char* words) { return text.find(words) != std::string::npos; }))
      throw;
  }
  parameters.layers.clear();
  return e2e::export_graph(graph, sample, asked, parameters, platform);
}

/// Whether passes leave a layer that computes.
bool computes(graph::Graph graph) {
  std::vector<std::string_view> names = passes::float_pipeline({});
  names.push_back("elide_transpose");
  passes::PassContext context;
  context.outputs_may_reshape = true;
  passes::run(graph, names, context);
  const auto nodes = graph.nodes();
  return std::any_of(nodes.begin(), nodes.end(), [&](graph::NodeId id) {
    const graph::Node& node = graph.node(id);
    return !graph::as<ops::Reshape>(node) && !graph::as<ops::PixelReshape>(node);
  });
}

/// Compares every layer; with_oracle: with the oracle, too.
void compare(const e2e::GraphExport& out, const Tensor& sample, bool with_oracle) {
  const graph::Graph& logical = out.logical;
  const targets::cpp::Project& project = out.project();
  project.check_memory(sample);
  std::vector<compute::NamedValue> found;
  for (targets::LayerOutput& layer : project.host_run_layers(sample))
    found.push_back({layer.value, std::move(layer.tensor)});
  const Tensor input = to_layout(found.at(0).tensor, Layout::Nchw);
  const auto judged = compute::Judge(logical).run(input);
  if (const auto d = compute::first_difference(found, judged))
    ADD_FAILURE() << d->name << " channel " << d->channel << " row " << d->row << " column " << d->column
                  << ": the judge has " << d->expected << ", the kernels " << d->found << " (" << d->count
                  << " differ)\n"
                  << graph::to_text(logical).substr(0, 4000);
  if (!with_oracle) return;
  const auto by_oracle = oracle::run_network(logical, map_of(input));
  for (const auto& [name, map] : by_oracle) EXPECT_EQ(map_of(judged.at(name)).v, map.v) << name;
}

/// How many networks have a zero point inside that a layer of this type makes (first) or reads (second).
using ZeroPoints = std::map<std::string, std::pair<int, int>>;

void count_zero_points(const graph::Graph& graph, ZeroPoints& counts) {
  const auto has_one = [&](graph::ValueId id) {
    const graph::Value& value = graph.value(id);
    return value.producer && value.type.quant && value.type.quant->zero_point != 0;
  };
  std::set<std::string> makers, readers;
  for (const graph::NodeId id : graph.nodes()) {
    const graph::Node& node = graph.node(id);
    std::string type(node.op->type());
    if (const auto* op = graph::as<ops::ElemWise>(node); op && op->operation == ops::ElemWiseOperation::Prod)
      type = "product";
    if (const auto* op = graph::as<ops::ElemWise>(node); op && op->is_extreme()) type = "extreme";
    if (const auto* conv = graph::as<ops::Conv>(node))
      if (const Shape& in = graph.value(node.inputs[0]).type.shape; conv->is_depthwise(in.c()))
        type = conv->pads_with_zero_point(in) ? "padded depthwise" : "depthwise";
    if (const auto* pool = graph::as<ops::Pool>(node))
      if (pool->pooling == ops::Pooling::Average)
        type = pool->padding == Pads{} ? "average" : "padded average";
    if (has_one(node.outputs.at(0))) makers.insert(type);
    if (std::any_of(node.inputs.begin(), node.inputs.end(), has_one)) readers.insert(type);
  }
  if (!makers.empty()) makers.insert("any"), readers.insert("any");
  for (const std::string& type : makers) ++counts[type].first;
  for (const std::string& type : readers) ++counts[type].second;
}

/// Counts zero points inside.
void prove(uint64_t seed, testing::OddNet::Kind kind, ZeroPoints& zero_points) {
  testing::OddNet odd(seed, kind);
  Rng& rng = odd.rng();
  Case c = random_case(rng);
  const bool has_both_signs = kind == testing::OddNet::Kind::BothSigns;
  if (has_both_signs) {
    c.bits = 8;
    c.mode = kModes[rng.below(kModesOfZeroPoints)];
  }
  if (kind == testing::OddNet::Kind::Tokens && rng.chance(0.5)) {
    c.bits = 8;
    c.mode = kModes[rng.below(kModesOfZeroPoints)];
  }
  SCOPED_TRACE(fmt::format("seed {}, {} bits, outputs of {}, {}", seed, c.bits, c.output_bits,
                           ValueText<RescaleMode>::print(c.mode)));
  const Tensor sample = testing::random_tensor(odd.input(), rng);
  if (!computes(odd.graph())) return;
  targets::cpp::Parameters parameters = random_parameters(rng);
  parameters.output_bits = c.output_bits;
  const targets::cpp::Platform platform = random_platform(rng, parameters);
  if (c.bits > 0 && rng.chance(has_both_signs ? 0.1 : 0.5))
    add_random_widths(odd.graph(), c.bits, rng, parameters);
  SCOPED_TRACE(platform.name + " " + platform.make_lines);
  const e2e::GraphExport out = exported(odd.graph(), sample, c, parameters, platform);
  compare(out, sample, c.bits > 0 && seed % 4 == 0);
  const program::Program& program = out.project().program();
  for (size_t call = 0; call < program.calls.size(); ++call)
    if (program.calls[call].kernel->name() == "recurrent") {
      EXPECT_EQ(program.region_of(static_cast<program::CallId>(call)), nullptr)
          << "all steps would be computed once a row";
    }
  count_zero_points(out.logical, zero_points);
}

/// Returns whether the least memory takes a loop nest.
bool prove_chain(uint64_t seed) {
  testing::OddNet odd(seed, testing::OddNet::Kind::Chain);
  Rng& rng = odd.rng();
  Case c = random_case(rng);
  c.bits = rng.chance(0.8) ? 8 : 5;
  SCOPED_TRACE(fmt::format("chain {}, {} bits, outputs of {}, {}", seed, c.bits, c.output_bits,
                           ValueText<RescaleMode>::print(c.mode)));
  const Tensor sample = testing::random_tensor(odd.input(), rng);
  targets::cpp::Parameters parameters;
  parameters.output_bits = c.output_bits;
  parameters.memory_budget = targets::cpp::MemoryBudget::least();
  parameters.include_input_in_buffer = rng.chance(0.8);
  const e2e::GraphExport out = exported(odd.graph(), sample, c, parameters, {});
  compare(out, sample, true);
  const auto& calls = out.project().program().calls;
  return std::any_of(calls.begin(), calls.end(), [](const auto& call) { return call.is_loop_nest(); });
}

std::string drawn_name(const char* kind) {
  const char* set = std::getenv("N2D2_HOST_ISA");
  return fmt::format("judged {} {}", kind, set == nullptr ? "" : set);
}

/// Heads of one pixel with values of 16 bits are joined: steps write parts of the map that leaves.
constexpr uint64_t kJoinedHeads = 443;
/// A layer reads a concatenation as a map of one channel.
constexpr uint64_t kViewOfAConcatenation = 881;

/// Proves the drawn networks of a kind and those that are always taken; returns how many.
uint64_t prove_drawn(const char* name, testing::OddNet::Kind kind, uint64_t count, uint64_t core,
                     ZeroPoints& zero_points) {
  const std::string drawn = drawn_name(name);
  uint64_t taken = 0;
  for (uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    const bool is_always = (kind == testing::OddNet::Kind::Layers && seed == kJoinedHeads) ||
                           (kind == testing::OddNet::Kind::Moves && seed == kViewOfAConcatenation);
    if (!is_always && !is_drawn(drawn, seed, core)) continue;
    ++taken;
    try {
      prove(seed, kind, zero_points);
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << " " << seed << ": " << error.what();
    }
  }
  for (const auto& [type, found] : zero_points)
    ::testing::Test::RecordProperty("zero_points_" + type,
                                    fmt::format("made {}, read {}", found.first, found.second));
  return taken;
}

void expect_zero_points(ZeroPoints& zero_points, int least) {
  for (const char* type : {"Conv", "depthwise", "padded depthwise", "PRelu", "Nonlinearity", "ElemWise",
                           "product", "average", "padded average", "Resize", "Concat"}) {
    EXPECT_GE(zero_points[type].first, least) << type;
    EXPECT_GE(zero_points[type].second, least) << type;
  }
}

TEST(JudgedNetworks, OfOddShapesGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  ZeroPoints zero_points;
  const uint64_t taken = prove_drawn("network", testing::OddNet::Kind::Layers, kCases, kCore, zero_points);
  // The few that are drawn under the sanitizers may have none.
  if (taken == kCases) expect_zero_points(zero_points, 1);
}

TEST(JudgedNetworks, OfValuesOfBothSignsGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  ZeroPoints zero_points;
  const uint64_t taken = prove_drawn("both signs", testing::OddNet::Kind::BothSigns, kOfBothSigns,
                                     kCoreOfBothSigns, zero_points);
  EXPECT_GT(zero_points["any"].first, static_cast<int>(taken / 2));
  if (taken == kOfBothSigns) expect_zero_points(zero_points, 10);
}

TEST(JudgedNetworks, ThatMoveValuesGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  ZeroPoints zero_points;
  const uint64_t taken =
      prove_drawn("moves", testing::OddNet::Kind::Moves, kOfMoves, kCoreOfMoves, zero_points);
  EXPECT_GT(taken, 0U);
  if (taken == cases(1'000, 1)) {
    EXPECT_GE(zero_points["any"].first, 10);
  }
}

TEST(JudgedNetworks, OfSequencesGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  ZeroPoints zero_points;
  const uint64_t taken =
      prove_drawn("sequences", testing::OddNet::Kind::Sequences, kOfSequences, kCoreOfSequences, zero_points);
  EXPECT_GT(taken, 0U);
}

TEST(JudgedNetworks, OfTokensGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  ZeroPoints zero_points;
  const uint64_t taken =
      prove_drawn("tokens", testing::OddNet::Kind::Tokens, kOfTokens, kCoreOfTokens, zero_points);
  if (taken < kOfTokens || kOfTokens < 600) return;
  for (const char* type : {"LayerNorm", "MatMul"}) {
    EXPECT_GE(zero_points[type].first, 5) << type << " makes";
    EXPECT_GE(zero_points[type].second, 5) << type << " reads";
  }
  EXPECT_GE(zero_points["Softmax"].second, 5);  // whose differences have none
}

TEST(JudgedNetworks, ThatJoinMapsGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  ZeroPoints zero_points;
  const uint64_t taken =
      prove_drawn("joins", testing::OddNet::Kind::Joins, kOfJoins, kCoreOfJoins, zero_points);
  EXPECT_GT(taken, 0U);
  if (taken == cases(1'000, 1)) {
    EXPECT_GE(zero_points["extreme"].first, 10);
    EXPECT_GE(zero_points["extreme"].second, 10);
    EXPECT_GE(zero_points["Border"].second, 10);
  }
}

TEST(JudgedNetworks, ThatAreLoopNestsGiveWhatJudgeAndOracleGive) {
  const log::Capture quiet;
  const std::string name = drawn_name("chain");
  uint64_t nests = 0, taken = 0;
  for (uint64_t seed = 0; seed < kChains && !HasFailure(); ++seed) {
    if (!is_drawn(name, seed, kCoreOfChains)) continue;
    ++taken;
    try {
      nests += prove_chain(seed) ? 1 : 0;
    } catch (const std::exception& error) {
      ADD_FAILURE() << "chain " << seed << ": " << error.what();
    }
  }
  RecordProperty("nests", static_cast<int>(nests));
  EXPECT_GT(nests, taken / 12);
}

}  // namespace
}  // namespace n2d2
