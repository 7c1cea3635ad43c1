// Do layers that run in turns give the bytes that they give one after the other, from as few rows as must be kept?
#include "n2d2/program/stream.hpp"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "n2d2/export/program_text.hpp"
#include "n2d2/memory/strategy.hpp"
#include "n2d2/program/budget.hpp"
#include "n2d2/program/memory_check.hpp"
#include "n2d2/program/run.hpp"
#include "n2d2/program/schedule.hpp"
#include "n2d2/program/validate.hpp"

#include "layers.hpp"

namespace n2d2::program {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// A graph that grows layer by layer; every map is u8 of one scale.
class Networks {
 public:
  struct Map {
    std::string name;
    int c = 0, h = 0, w = 0;
  };

  explicit Networks(Map input) {
    layers_.push_back({"input " + typed(input), {}});
    maps_.push_back(std::move(input));
  }

  const std::vector<Map>& maps() const { return maps_; }

  Map conv(const Map& in, int c, int kernel, int stride, int pad, int groups = 1) {
    const auto size = [&](int n) { return (n + 2 * pad - kernel) / stride + 1; };
    const Map out{fmt::format("m{}", maps_.size()), c, size(in.h), size(in.w)};
    const std::string w = "w" + out.name, b = "b" + out.name;
    const Shape shape{c, in.c / groups, kernel, kernel};
    std::string constants = fmt::format("constant {} : i8 {} nhwc =", w, shape.text());
    for (int64_t i = 0; i < shape.elements(); ++i)
      constants += fmt::format(" {}", static_cast<int>(rng_.below(40)) - 20);
    constants += fmt::format("\nconstant {} : i32 {} =", b, c);
    for (int i = 0; i < c; ++i) constants += fmt::format(" {}", rng_.below(900));
    return layer(
        out, {in},
        fmt::format("Conv({}, {}, {}) NbOutputs=\"{}\" KernelDims=\"{} {}\" Stride=\"{} {}\" "
                    "Padding=\"{} {} {} {}\" Groups=\"{}\" rescale=\"Floating-point 0 255 0 : 0.02 :\"",
                    in.name, w, b, c, kernel, kernel, stride, stride, pad, pad, pad, pad, groups),
        constants + "\n");
  }
  Map pool(const Map& in, int kernel, int stride) {
    const Map out{fmt::format("m{}", maps_.size()), in.c, (in.h - kernel) / stride + 1,
                  (in.w - kernel) / stride + 1};
    return layer(out, {in},
                 fmt::format("Pool({}) PoolDims=\"{} {}\" Stride=\"{} {}\" Pooling=\"Max\"", in.name, kernel,
                             kernel, stride, stride));
  }
  Map sum(const Map& a, const Map& b) {
    const Map out{fmt::format("m{}", maps_.size()), a.c, a.h, a.w};
    return layer(out, {a, b},
                 fmt::format("ElemWise({}, {}) Operation=\"Sum\" rescale=\"Fixed-point32 0 255 2 : : 1 1\"",
                             a.name, b.name));
  }
  Map concat(const Map& a, const Map& b) {
    const Map out{fmt::format("m{}", maps_.size()), a.c + b.c, a.h, a.w};
    return layer(out, {a, b}, fmt::format("Concat({}, {})", a.name, b.name));
  }

  /// Of the layers that the outputs need; not placed.
  Program program(const std::vector<Map>& outputs) const {
    std::set<std::string> needed;
    for (const Map& out : outputs) needed.insert(out.name);
    std::string text;
    for (size_t i = layers_.size(); i-- > 0;) {
      if (i > 0 && needed.count(maps_[i].name) == 0) continue;
      text = layers_[i].text + text;
      for (const Map& in : layers_[i].inputs) needed.insert(in.name);
    }
    for (const Map& out : outputs) text += "output " + out.name + "\n";
    graph::Graph graph = graph::from_text(text, ops::registry(), "net.txt");
    std::vector<Output> all;
    for (const graph::ValueId id : graph.outputs()) all.push_back({id, 2});
    const Lowering lowering(std::move(graph), all, targets::cpp::kernels(),
                            [](const graph::Node& node, const std::string& reasons) {
                              ADD_FAILURE() << node.name << ": " << reasons;
                            });
    return lowering.program(lowering.graph().schedule(), {});
  }

 private:
  struct Layer {
    std::string text;
    std::vector<Map> inputs;
  };

  static std::string typed(const Map& map) {
    return fmt::format("{} : u8 1x{}x{}x{} nhwc quant(8 unsigned -1 1)\n", map.name, map.c, map.h, map.w);
  }
  Map layer(const Map& out, std::vector<Map> inputs, const std::string& op,
            const std::string& constants = "") {
    std::string line = typed(out);
    line.insert(line.size() - 1, " = " + op);
    layers_.push_back({constants + line, std::move(inputs)});
    maps_.push_back(out);
    return out;
  }

  Rng rng_{11};
  std::vector<Layer> layers_;  // of each map
  std::vector<Map> maps_;
};

using Map = Networks::Map;

Planned with_plan(Program program) {
  memory::Plan plan = memory::solve(memory_problem(program), memory::kDefaultStrategy);
  return placed(std::move(program), std::move(plan));
}

Tensor any_sample(const Program& program) {
  Rng rng(7);
  const TensorType& type = program.graph.value(program.input()).type;
  Tensor out(type.shape, type.dtype);
  for (uint8_t& x : out.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
  return out;
}

/// The plan is accepted, also by runs, and every layer has the bytes it has where it runs by itself.
void expect_same_bytes(const Planned& planned) {
  SCOPED_TRACE(exporter::program_text(planned.program));
  ASSERT_NO_THROW(expect_valid(planned, "test"));
  const Tensor sample = any_sample(planned.program);
  const auto found = run_layers(planned.program, sample);
  const Planned apart = without_reuse(planned);
  const auto expected = run_layers(apart.program, sample);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(found[i].tensor == expected[i].tensor)
        << "layer " << i << " of " << planned.program.regions.size() << " regions";
  ASSERT_NO_THROW(check_memory(planned, sample, "test"));
}

std::vector<std::pair<std::string, int>> rows_of(const Program& program, const Stream& stream) {
  std::vector<std::pair<std::string, int>> out;
  for (const auto& [view, rows] : stream.rings) out.emplace_back(program.view(view).name, rows);
  return out;
}

TEST(Stream, KeepsTheRowsOfAWindow) {
  Networks n({"sp", 3, 16, 8});
  const Map a = n.conv({"sp", 3, 16, 8}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 1, 1);
  const Program program = n.program({n.conv(b, 2, 1, 1, 0)});
  const auto stream = Streams(program).find(0, 3, 1);
  ASSERT_TRUE(stream);
  EXPECT_THAT(rows_of(program, *stream), ElementsAre(Pair(a.name, 3), Pair(b.name, 1)));
  // Row 0 of b is made of rows 0 and 1 of a, in the turn that makes the second of them.
  EXPECT_THAT(stream->region.paces, ElementsAre(Pace{1, 1, 1}, Pace{1, 1, 0}, Pace{1, 1, 0}));
  EXPECT_EQ(stream->region.turns, 16 + 1);
}

TEST(Stream, MakesAsManyRowsAsStridesTake) {
  Networks n({"sp", 3, 17, 9});
  const Map a = n.conv({"sp", 3, 17, 9}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 2, 1);
  const Program program = n.program({n.pool(b, 2, 2)});
  const auto stream = Streams(program).find(0, 3, 1);
  ASSERT_TRUE(stream);
  EXPECT_THAT(rows_of(program, *stream), ElementsAre(Pair(a.name, 3), Pair(b.name, 2)));
  EXPECT_EQ(stream->region.paces[0].every, 1);
  EXPECT_EQ(stream->region.paces[1].every, 2);
  EXPECT_EQ(stream->region.paces[2].every, 4);
}

TEST(Stream, RefusesWhatIsNotMadeOfRows) {
  Networks n({"sp", 3, 8, 8});
  const Map a = n.conv({"sp", 3, 8, 8}, 4, 3, 1, 1);
  const Map b = n.conv(a, 4, 3, 1, 1);
  const Map c = n.sum(a, b);
  const Program program = n.program({c});
  const Streams streams(program);
  EXPECT_TRUE(streams.find(0, 3, 1));
  EXPECT_FALSE(streams.find(0, 2, 1)) << "two maps are needed afterwards";
  EXPECT_FALSE(streams.find(0, 1, 1)) << "one call";
  EXPECT_FALSE(Streams(n.program({b, c})).find(0, 3, 1)) << "two outputs";
}

/// Layers on any map that there is; sizes are such that sums and concatenations find partners.
Program random_network(Rng& rng) {
  const auto pick = [&](int lo, int hi) {
    return lo + static_cast<int>(rng.below(static_cast<uint64_t>(hi - lo + 1)));
  };
  Networks n({"sp", pick(1, 3), pick(6, 20), pick(2, 7)});
  const int layers = pick(3, 9);
  for (int i = 0; i < layers; ++i) {
    const Map in = rng.chance(0.7) ? n.maps().back() : n.maps()[rng.below(n.maps().size())];
    const auto partner = std::find_if(n.maps().begin(), n.maps().end(), [&](const Map& m) {
      return m.name != in.name && m.h == in.h && m.w == in.w && m.name != "sp";
    });
    const bool pair = partner != n.maps().end() && in.name != "sp";
    if (pair && rng.chance(0.3))
      n.concat(in, *partner);
    else if (pair && partner->c == in.c && rng.chance(0.6))
      n.sum(in, *partner);
    else if (rng.chance(0.2) && in.h >= 4 && in.w >= 2)
      n.pool(in, 2, pick(1, 2));
    else if (rng.chance(0.3))
      n.conv(in, in.c, 3, pick(1, 2), 1, in.c);
    else if (rng.chance(0.3))
      n.conv(in, pick(1, 5), 1, 1, 0);
    else
      n.conv(in, pick(1, 5), 3, pick(1, 2), 1);
  }
  return n.program({n.maps().back()});
}

TEST(Stream, OfAnyCallsGivesTheSameBytes) {
  Rng rng(17);
  int streamed = 0, several = 0;
  for (int i = 0; i < 400; ++i) {
    const Program program = random_network(rng);
    const Streams streams(program);
    const auto calls = static_cast<CallId>(program.calls.size());
    Program with = program;
    for (CallId first = 0; first + 1 < calls; ++first) {
      const auto end = first + 2 + static_cast<CallId>(rng.below(static_cast<uint64_t>(calls - first - 1)));
      const auto stream = streams.find(first, end, 1 << rng.below(4));
      if (!stream || rng.chance(0.3)) continue;
      add_region(with, *stream);
      first = end - 1;
    }
    if (with.regions.empty()) continue;
    streamed += 1, several += with.regions.size() > 1 ? 1 : 0;
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes(with_plan(std::move(with)))) << "network " << i;
  }
  EXPECT_GT(streamed, 150);
  EXPECT_GT(several, 20);
}

/// One row less in any ring: a row is overwritten that is still to be read, and the checker says so.
TEST(Stream, KeepsNoRowTooMany) {
  Rng rng(23);
  int rings = 0;
  for (int i = 0; i < 100; ++i) {
    const Program program = random_network(rng);
    const auto stream = Streams(program).find(0, static_cast<CallId>(program.calls.size()), 1);
    if (!stream) continue;
    for (size_t r = 0; r < stream->rings.size(); ++r) {
      if (stream->rings[r].second < 2) continue;
      Stream less = *stream;
      --less.rings[r].second;
      Program with = program;
      add_region(with, less);
      EXPECT_FALSE(validate(with_plan(std::move(with)).program).empty()) << "network " << i << ", ring " << r;
      ++rings;
    }
  }
  EXPECT_GT(rings, 30);
}

/// Of all ways to cut the calls into regions, by trying every one.
Bytes least_of_all(const Program& program, const Streams& streams, CallId from, Program with) {
  if (from == static_cast<CallId>(program.calls.size())) return memory::lower_bound(memory_problem(with));
  Bytes least = least_of_all(program, streams, from + 1, with);
  for (CallId end = from + 2; end <= static_cast<CallId>(program.calls.size()); ++end)
    if (const auto stream = streams.find(from, end, 1)) {
      Program more = with;
      add_region(more, *stream);
      least = std::min(least, least_of_all(program, streams, end, std::move(more)));
    }
  return least;
}

TEST(StreamChoices, FindsTheLeastThereIs) {
  Rng rng(29);
  int lower = 0;
  for (int i = 0; i < 60; ++i) {
    const Program program = random_network(rng);
    const Streaming found = StreamChoices(program).within(0);
    const Bytes least = least_of_all(program, Streams(program), 0, program);
    EXPECT_EQ(found.bound, least) << "network " << i;
    EXPECT_EQ(memory::lower_bound(memory_problem(found.program)), found.bound) << "network " << i;
    lower += found.bound < memory::lower_bound(memory_problem(program)) ? 1 : 0;
  }
  EXPECT_GT(lower, 10);
}

TEST(StreamChoices, TakesNoMoreThanTheBudgetAndFewerCallsForMore) {
  Rng rng(31);
  for (int i = 0; i < 60; ++i) {
    const Program program = random_network(rng);
    const StreamChoices choices(program);
    const Bytes most = choices.most(), least = choices.least();
    EXPECT_EQ(most, memory::lower_bound(memory_problem(program)));
    int64_t runs = std::numeric_limits<int64_t>::max();
    for (Bytes budget = least; budget <= most; budget += std::max<Bytes>(1, (most - least) / 4)) {
      const Streaming found = choices.within(budget);
      EXPECT_LE(found.bound, budget);
      EXPECT_LE(found.runs, runs) << "network " << i;
      runs = found.runs;
    }
    EXPECT_TRUE(choices.within(most).program.regions.empty());
  }
}

}  // namespace
}  // namespace n2d2::program
