// Concatenations of the same values: which lie inside which, what is copied, and do all of them hold what
// they should?
#include <algorithm>
#include <map>

#include "n2d2/program/run.hpp"

#include "layers.hpp"

namespace n2d2::program {
namespace {

using Lines = std::vector<std::string>;

/// A network over "sp", maps of 5 x 4 bytes of one scale; values are copies of others, or concatenations.
struct Maps {
  struct Map {
    std::string op;
    std::vector<int> channels;  ///< of sp
  };
  std::vector<std::pair<std::string, Map>> all;  ///< in order of creation
  int channels;

  explicit Maps(int of_input) : channels(of_input) {}

  const std::vector<int> of(const std::string& name) const {
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.first == name; });
    if (found != all.end()) return found->second.channels;
    std::vector<int> out;
    for (int c = 0; c < channels; ++c) out.push_back(c);
    return out;
  }
  Maps& copy(const std::string& name, const std::string& from) {
    all.push_back({name, {fmt::format("Pool({}) PoolDims=\"1 1\" Pooling=\"Max\"", from), of(from)}});
    return *this;
  }
  Maps& alias(const std::string& name, const std::string& from) {
    all.push_back({name, {fmt::format("Reshape({}) Dims=\"5 4 {}\"", from, of(from).size()), of(from)}});
    return *this;
  }
  Maps& concat(const std::string& name, const Lines& of_what) {
    std::vector<int> made;
    for (const std::string& part : of_what) {
      const std::vector<int> more = of(part);
      made.insert(made.end(), more.begin(), more.end());
    }
    all.push_back({name, {fmt::format("Concat({})", fmt::join(of_what, ", ")), made}});
    return *this;
  }

  graph::Graph graph(const Lines& outputs) const {
    const auto type = [](size_t count) {
      return fmt::format(" : u8 1x{}x4x5 nhwc quant(8 unsigned -1 0.5)", count);
    };
    std::string text = "input sp" + type(static_cast<size_t>(channels)) + "\n";
    for (const auto& [name, map] : all) text += name + type(map.channels.size()) + " = " + map.op + "\n";
    for (const std::string& output : outputs) text += "output " + output + "\n";
    return graph::from_text(text, ops::registry(), "net.txt");
  }
  /// All that nobody reads.
  graph::Graph graph() const {
    Lines outputs;
    for (const auto& [name, map] : all)
      if (std::none_of(all.begin(), all.end(), [&, n = name](const auto& m) { return reads(m.second, n); }))
        outputs.push_back(name);
    return graph(outputs);
  }

 private:
  static bool reads(const Map& map, const std::string& name) {
    return map.op.find("(" + name + ")") != std::string::npos ||
           map.op.find("(" + name + ",") != std::string::npos ||
           map.op.find(" " + name + ",") != std::string::npos ||
           map.op.find(" " + name + ")") != std::string::npos;
  }
};

Lowering lowering_of(const graph::Graph& graph) {
  std::vector<Output> outputs;
  for (const graph::ValueId id : graph.outputs()) outputs.push_back({id, 2});
  return {graph, outputs, targets::cpp::kernels(),
          [](const graph::Node& node, const std::string& reasons) { ADD_FAILURE() << node.name << reasons; }};
}

Program program_of(const graph::Graph& graph, const std::set<graph::ValueId>& copied = {}) {
  return lowering_of(graph).program(graph.schedule(), {}, copied);
}

/// "name in host+offset" of each view that lies in another.
Lines nested(const Program& program) {
  Lines out;
  for (const View& view : program.views)
    if (view.host != kNone)
      out.push_back(fmt::format("{} in {}+{}", view.name, program.view(view.host).name, view.inside));
  std::sort(out.begin(), out.end());
  return out;
}

/// "layer: output <- input" of each call of a concatenation.
Lines copies(const Program& program) {
  Lines out;
  for (const Call& call : program.calls)
    if (call.kernel->placement() == Placement::Parts)
      out.push_back(fmt::format("{}: {} <- {}", program.node(call).name, program.view(call.out.at(0)).name,
                                program.view(call.in.at(0)).name));
  return out;
}

/// x0, a copy of it beside x0, a copy of those beside those, ...
Maps dense_block(int layers) {
  Maps maps(2);
  maps.copy("x0", "sp");
  Lines features{"x0"};
  for (int i = 1; i <= layers; ++i) {
    const std::string join = "c" + std::to_string(i), next = "x" + std::to_string(i);
    maps.concat(join, features).copy(next, join);
    features.push_back(next);
  }
  return maps.concat("all", features).copy("end", "all");
}

TEST(Lanes, PartsOfADenseBlockLieInOneBuffer) {
  const Program program = program_of(dense_block(3).graph());
  EXPECT_EQ(nested(program), (Lines{"c1 in c2+0", "c2 in c3+0", "c3 in all+0", "x0 in c1+0", "x1 in c2+2",
                                    "x2 in c3+4", "x3 in all+8"}));
  EXPECT_EQ(copies(program), Lines{});
  EXPECT_EQ(program.calls.size(), 5U);
}

TEST(Lanes, APlanOfADenseBlockIsAtItsBound) {
  const Planned found = plan(lowering_of(dense_block(3).graph()), {}, "test");
  EXPECT_EQ(copies(found.program), Lines{});
  // 4 rows of 5 pixels of 16 channels, and one in front for "end", which follows what it reads.
  EXPECT_EQ(found.program.memories[0].peak, 16 * 25);
  EXPECT_EQ(found.program.memories[0].lower_bound, 16 * 25);
}

TEST(Lanes, ARunInTheMiddleIsOne) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "sp")
                                         .copy("c", "sp")
                                         .copy("d", "sp")
                                         .concat("middle", {"b", "c"})
                                         .concat("all", {"a", "b", "c", "d"})
                                         .graph());
  EXPECT_EQ(nested(program),
            (Lines{"a in all+0", "b in middle+0", "c in middle+1", "d in all+3", "middle in all+1"}));
  EXPECT_EQ(copies(program), Lines{});
}

TEST(Lanes, TheHolderMayComeFirst) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "sp")
                                         .concat("all", {"sp", "a", "b"})
                                         .concat("part", {"sp", "a"})
                                         .concat("same", {"sp", "a", "b"})
                                         .graph());
  EXPECT_EQ(nested(program),
            (Lines{"a in part+1", "all.0 in part+0", "b in same+2", "part in same+0", "same in all+0"}));
  EXPECT_EQ(copies(program), Lines{"all: all.0 <- env"});
}

TEST(Lanes, WhatIsCopiedForOneIsThereForTheOther) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "a")
                                         .concat("part", {"sp", "a", "a"})
                                         .concat("all", {"sp", "a", "a", "b"})
                                         .graph());
  EXPECT_EQ(copies(program), (Lines{"part: part.0 <- env", "part: part.2 <- a"}));
}

TEST(Lanes, OtherOrdersAndOtherValuesAreNoRun) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "sp")
                                         .copy("c", "sp")
                                         .concat("turned", {"b", "a"})
                                         .concat("gap", {"a", "c"})
                                         .concat("all", {"a", "b", "c"})
                                         .graph());
  EXPECT_EQ(nested(program), (Lines{"a in turned+1", "all.0 in all+0", "all.1 in all+1", "all.2 in all+2",
                                    "b in turned+0", "c in gap+1", "gap.0 in gap+0"}));
}

TEST(Lanes, RunsThatOverlapAreNotBothThere) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "sp")
                                         .copy("c", "sp")
                                         .concat("left", {"a", "b"})
                                         .concat("right", {"b", "c"})
                                         .concat("all", {"a", "b", "c"})
                                         .graph());
  EXPECT_EQ(copies(program), (Lines{"right: right.0 <- b", "all: all.2 <- c"}));
  EXPECT_EQ(nested(program), (Lines{"a in left+0", "all.2 in all+2", "b in left+1", "c in right+1",
                                    "left in all+0", "right.0 in right+0"}));
}

TEST(Lanes, AConcatenationOfConcatenationsIsWhatTheyAreMadeOf) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "sp")
                                         .copy("c", "sp")
                                         .concat("ab", {"a", "b"})
                                         .concat("abc", {"ab", "c"})
                                         .concat("flat", {"a", "b", "c", "a"})
                                         .graph());
  EXPECT_EQ(nested(program), (Lines{"a in ab+0", "ab in abc+0", "abc in flat+0", "b in ab+1", "c in abc+2",
                                    "flat.3 in flat+3"}));
  EXPECT_EQ(copies(program), Lines{"flat: flat.3 <- a"});
}

TEST(Lanes, OnlyPartsThatAreNotThereAreCopied) {
  // "ab" lies in "pair"; "ca" lies in "cab" and has "a" copied already.
  const Maps maps = std::move(Maps(1)
                                  .copy("a", "sp")
                                  .copy("b", "sp")
                                  .copy("c", "sp")
                                  .concat("ab", {"a", "b"})
                                  .concat("pair", {"ab", "ab"})
                                  .concat("ca", {"c", "a"})
                                  .concat("cab", {"c", "ab"}));
  const Program program = program_of(maps.graph());
  EXPECT_EQ(copies(program), (Lines{"pair: pair.1 <- ab", "ca: ca.1 <- a", "cab: cab.1 <- b"}));
}

TEST(Lanes, PartsThatAnotherHoldsAreCopiedOneByOne) {
  const Program program = program_of(Maps(1)
                                         .copy("a", "sp")
                                         .copy("b", "sp")
                                         .copy("c", "sp")
                                         .concat("ab", {"a", "b"})
                                         .concat("pair", {"ab", "ab"})
                                         .concat("abc", {"ab", "c"})
                                         .concat("bc", {"b", "c"})
                                         .graph());
  EXPECT_EQ(copies(program), (Lines{"pair: pair.1 <- ab", "abc: abc.0_0 <- a", "abc: abc.0_1 <- b"}));
  EXPECT_EQ(nested(program), (Lines{"a in ab+0", "ab in pair+0", "abc.0_0 in abc+0", "abc.0_1 in bc+0",
                                    "b in ab+1", "bc in abc+1", "c in bc+1", "pair.1 in pair+2"}));
}

TEST(Lanes, OfOnePartAreThatPart) {
  const Program program =
      program_of(Maps(2).copy("a", "sp").concat("b", {"a"}).concat("c", {"b"}).concat("d", {"a"}).graph());
  EXPECT_EQ(nested(program), (Lines{"a in b+0", "b in d+0", "d in c+0"}));
  EXPECT_EQ(copies(program), Lines{});
}

TEST(Lanes, AreListedAndCanBeCopied) {
  const graph::Graph graph = dense_block(2).graph();
  const Program program = program_of(graph);
  Lines names;
  for (const graph::ValueId id : lanes_of(program)) names.push_back(graph.value(id).name);
  EXPECT_EQ(names, (Lines{"x0", "x1", "x2", "c1", "c2"}));
  const Program other = program_of(graph, {*graph.find_value("c2")});
  EXPECT_EQ(copies(other), (Lines{"all: all.0 <- x0", "all: all.1 <- x1"}));
}

/// Copies, aliases and concatenations of up to five values of before, often those of another concatenation.
Maps random_maps(Rng& rng) {
  const auto below = [&](size_t n) { return static_cast<size_t>(rng.below(n)); };
  Maps maps(static_cast<int>(1 + below(3)));
  Lines names{"sp"};
  std::vector<Lines> parts{{"sp"}};
  for (size_t i = 4 + below(10); i > 0; --i) {
    const std::string name = "n" + std::to_string(names.size());
    const std::string& any = names[below(names.size())];
    if (rng.chance(0.45)) {
      maps.copy(name, any);
    } else if (rng.chance(0.1)) {
      maps.alias(name, any);
    } else {
      Lines of = rng.chance(0.7) ? parts[below(parts.size())] : Lines{};
      if (of.size() > 1 && rng.chance(0.3)) of.erase(rng.chance(0.5) ? of.begin() : of.end() - 1);
      for (size_t more = below(3) + (of.empty() ? 1 : 0); more > 0; --more)
        of.push_back(names[below(names.size())]);
      if (maps.concat(name, of).of(name).size() > 60) {
        maps.all.pop_back();
        continue;
      }
      parts.push_back(of);
    }
    names.push_back(name);
  }
  if (maps.all.empty()) maps.copy("n1", "sp");
  return maps;
}

/// Two maps of three channels, each seen as a vector; both vectors behind each other.
graph::Graph joined_vectors(const std::string& outputs) {
  constexpr const char* kMap = " : u8 1x3x4x5 nhwc quant(8 unsigned -1 0.5)";
  constexpr const char* kVector = " : u8 1x60x1x1 nhwc quant(8 unsigned -1 0.5)";
  std::string text = fmt::format("input sp{}\n", kMap);
  for (const char* name : {"a", "b"}) {
    text += fmt::format("{}{} = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n", name, kMap);
    text += fmt::format("{0}_flat{1} = PixelReshape({0}) Width=\"1\" Height=\"1\" Channels=\"60\"\n", name,
                        kVector);
  }
  text += "all : u8 1x120x1x1 nhwc quant(8 unsigned -1 0.5) = Concat(a_flat, b_flat)\n";
  return graph::from_text(text + outputs, ops::registry(), "net.txt");
}

TEST(Lanes, MapsSeenAsVectorsAreWrittenWhereTheVectorsAreJoined) {
  const Program program = program_of(joined_vectors("output all\n"));
  EXPECT_EQ(nested(program), (Lines{"a in all+0", "a_flat in a+0", "b in all+60", "b_flat in b+0"}));
  EXPECT_EQ(program.calls.size(), 2U);
}

TEST(Lanes, AMapWithGapsBetweenItsPixelsIsNoPartOfAVector) {
  MemorySettings settings;
  settings.alignment = 4;
  const graph::Graph graph = joined_vectors("output all\n");
  const Program program = lowering_of(graph).program(graph.schedule(), settings);
  EXPECT_EQ(nested(program), (Lines{"all.0 in all+0", "all.1 in all+60"}));
  EXPECT_EQ(program.map_of(*graph.find_value("a")).pixel, 4);
}

TEST(Lanes, AMapThatLeavesTheNetworkIsCopied) {
  const Program program = program_of(joined_vectors("output all\noutput a\n"));
  EXPECT_EQ(nested(program), (Lines{"a_flat in a+0", "all.0 in all+0", "b in all+60", "b_flat in b+0"}));
  EXPECT_EQ(copies(program), Lines{"all: all.0 <- a_flat"});
}

TEST(Lanes, HoldWhatTheyShouldInRandomNetworks) {
  int concats_inside = 0;
  for (uint64_t seed = 0; seed < 500 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed, "lanes");
    const Maps maps = random_maps(rng);
    const graph::Graph graph = maps.graph();
    Tensor sample(Shape{1, maps.channels, 4, 5}, DataType::U8);
    for (uint8_t& x : sample.span<uint8_t>()) x = static_cast<uint8_t>(rng.below(256));
    MemorySettings settings;
    settings.input_in_arena = rng.chance(0.8);
    settings.lanes = rng.chance(0.9);
    settings.alignment = rng.chance(0.8) ? 1 : 4;
    settings.search_nodes = 500;
    const Planned found = plan(lowering_of(graph), settings, "test");
    for (const LayerValues& layer : run_layers(found.program, sample)) {
      if (layer.cell == nullptr) continue;
      const Tensor values = to_layout(layer.tensor, Layout::Nchw);
      const std::vector<int> channels = maps.of(layer.cell->name);
      ASSERT_EQ(values.elements(), static_cast<int64_t>(channels.size()) * 20);
      for (size_t c = 0; c < channels.size(); ++c)
        ASSERT_TRUE(std::equal(values.data<uint8_t>() + c * 20, values.data<uint8_t>() + (c + 1) * 20,
                               sample.data<uint8_t>() + channels[c] * 20))
            << layer.cell->name << ", channel " << c;
    }
    for (const graph::ValueId id : lanes_of(found.program))
      if (graph.op(graph.value(id).producer).type() == "Concat") ++concats_inside;
  }
  EXPECT_GE(concats_inside, 100);
}

}  // namespace
}  // namespace n2d2::program
