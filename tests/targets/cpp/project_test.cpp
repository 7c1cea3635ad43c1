#include "n2d2/targets/cpp/project.hpp"

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"
#include "n2d2/config/ini_document.hpp"
#include "n2d2/export/graph_files.hpp"
#include "n2d2/graph/text.hpp"
#include "n2d2/ops/all.hpp"

#include "planned_network.hpp"
#include "text/stimuli.hpp"

namespace n2d2::targets::cpp {
namespace {

graph::Graph parse(const std::string& text) {
  return graph::from_text(text, ops::registry(), "net.txt");
}

std::string failure(const std::string& text, const Options& options = {}) {
  graph::Graph graph = parse(text);
  const auto output = graph.outputs().at(0);
  try {
    prepare(std::move(graph), {{output, 2}}, options);
  } catch (const ExportError& e) {
    return e.what();
  }
  return "no error";
}

constexpr const char* kInt = "quant(8 unsigned -1 0.5)";

std::string integers(const std::string& nodes) {
  std::string text = "input sp : u8 1x2x2x2 nhwc @\n" + nodes;
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, kInt);
  return text;
}

TEST(Prepare, ListsEveryNodeWithoutKernel) {
  EXPECT_EQ(failure(integers("a : f32 1x2x2x2 = Softmax(sp)\n"
                             "b : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n"
                             "c : u8 1x4x2x2 nhwc @ = Concat(a, b)\n"
                             "output c\n")),
            "export CPP: [a] Softmax: softmax_map: input 0 is u8, output is f32\n"
            "export CPP: [c] Concat: concat_part: 'a' is f32, the output u8");
}

TEST(Prepare, SaysWhyAnElementWiseOperationHasNoKernel) {
  EXPECT_EQ(
      failure(
          integers("a : u8 1x2x2x2 nhwc @ = ElemWise(sp, sp) Operation=\"Sum\" Shifts=\"1 0\"\noutput a\n")),
      "export CPP: [a] ElemWise: maximum: only Operation=Max, not Sum; minimum: only Operation=Min, not "
      "Sum; product: only Operation=Prod, not Sum; sum: Shifts other than 0");
}

TEST(Prepare, SaysWhatAMemoryThatIsTooSmallWouldNeed) {
  Options options;
  options.parameters.memories = {{"fast", 6, 1, ".fast"}, {"slow", 7, 1, ".slow"}};
  const std::string network =
      integers("a : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\noutput a\n");
  EXPECT_EQ(
      failure(network, options),
      "export CPP: memory 'slow' has 7 bytes; what must lie there needs 12, and no plan less than 12\n"
      "  hint: Size=12 in [memory.slow], or another memory behind it in MemorySection, or layers in turns: "
      "MemoryBudget=min");
  options.parameters.memories[1].size = 12;
  EXPECT_EQ(failure(network, options), "no error");
}

TEST(Prepare, SaysTheLeastWhereABudgetIsOutOfReach) {
  Options options;
  options.parameters.memory_budget = {MemoryBudget::Kind::Bytes, 11};
  const std::string network =
      integers("a : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\noutput a\n");
  EXPECT_EQ(failure(network, options),
            "export CPP: MemoryBudget=11: the least found is 12 bytes; [a] needs them\n"
            "  hint: MemoryBudget=12");
  options.parameters.memory_budget.bytes = 12;
  EXPECT_EQ(failure(network, options), "no error");
}

TEST(Prepare, SaysWhyAnInputDoesNotComeRowByRow) {
  Options options;
  options.parameters.stream_input = true;
  std::string fc = integers(
      "constant w : i8 1x8 = 1 1 1 1 1 1 1 1\nconstant b : i32 1 = 0\n"
      "f : u8 1x1x1x1 nhwc @ = Fc(sp, w, b) NbOutputs=\"1\" "
      "rescale=\"Floating-point 0 255 0 : 0.1 :\"\noutput f\n");
  fc.insert(fc.find("\noutput"), " @ net.ini:7");
  EXPECT_EQ(failure(fc, options),
            "net.ini:7: export CPP: StreamInput=1: [f] Fc reads the input as a whole\n"
            "  hint: without StreamInput the whole input is in the arena");
  const std::string pool =
      integers("a : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\noutput a\n");
  EXPECT_EQ(failure(pool, options), "no error");
  options.parameters.memory_budget = {MemoryBudget::Kind::Bytes, 11};
  EXPECT_EQ(failure(pool, options),
            "export CPP: MemoryBudget=11: the least found is 12 bytes; [a] needs them\n"
            "  hint: MemoryBudget=12");
  options.parameters.memory_budget = {};
  options.parameters.memories = {{"slow", 0, 1, ".slow"}, {"fast", 4, 1, ".fast"}};
  options.parameters.layers = {{"env", {}, {{}, {"fast"}}}};
  EXPECT_EQ(failure(pool, options), "no error") << "a row of the input has 4 bytes";
  options.parameters.memories[1].size = 3;
  EXPECT_EQ(
      failure(pool, options),
      "export CPP: memory 'fast' has 3 bytes; what must lie there needs 4, and with layers in turns nothing "
      "less was found\n"
      "  hint: Size=4 in [memory.fast], or another memory behind it in MemorySection");
}

TEST(Prepare, GivesEveryCellAnIdentifier) {
  graph::Graph graph =
      parse(integers("Pool : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n"
                     "pool : u8 1x2x2x2 nhwc @ = Pool(Pool) PoolDims=\"1 1\" Pooling=\"Max\"\n"
                     "int : u8 1x2x2x2 nhwc @ = Pool(pool) PoolDims=\"1 1\" Pooling=\"Max\"\n"
                     "a.b : u8 1x2x2x2 nhwc @ = Pool(int) PoolDims=\"1 1\" Pooling=\"Max\"\n"
                     "output a.b\n"));
  const auto output = graph.outputs().at(0);
  const PlannedNetwork network = plan_network(std::move(graph), {{output, 2}}, {});
  std::vector<std::string> names;
  for (const program::Cell& cell : network.program().cells) names.push_back(cell.identifier);
  EXPECT_EQ(names, (std::vector<std::string>{"Pool", "pool_2", "int", "a_b"}));
}

std::string errors(const std::string& text) {
  const config::IniDocument ini = config::parse_ini(text, "export.ini");
  Diagnostics diagnostics;
  ParameterSections sections;
  for (const std::string& name : ini.section_names()) sections.emplace_back(name, ini.source(name));
  read_parameters(sections, kernels(), diagnostics);
  std::string out;
  for (const Diagnostic& d : diagnostics.errors()) out += d.text() + "\n";
  return out;
}

TEST(ParametersTest, EveryBadKeyIsReported) {
  EXPECT_EQ(errors("MemoryAlignment=4\n"), "");
  EXPECT_EQ(
      errors("MemoryAlignment=0\nMemoryBudget=25X\nMemoryManagerStrategy=Best\nNamespace=1x\n"),
      "export.ini:1: [] MemoryAlignment: expected an integer >= 1 and <= 4096, got '0'\n"
      "export.ini:2: [] MemoryBudget: expected bytes, a number with K or M behind it, 'min', or 0 for no "
      "limit, "
      "got '25X'\n"
      "export.ini:3: [] MemoryManagerStrategy: expected one of None OptimizeBest OptimizeExact "
      "OptimizeMaxHoleMaxLifetimeFirst OptimizeMaxLifetimeMaxSizeFirst OptimizeMaxLifetimeMinSizeFirst, got "
      "'Best'\n"
      "export.ini:4: [] Namespace: expected a C++ identifier, got '1x'\n"
      "  hint: a name that nobody else has, such as 'lenet_int8'\n");
}

TEST(ParametersTest, AlignmentsBeyondAPageAreRefused) {
  EXPECT_EQ(errors("MemoryAlignment=3\n[memory.a]\nAlignment=4096\n"), "");
  EXPECT_EQ(errors("MemoryAlignment=2147483647\n[memory.a]\nAlignment=9223372036854775807\n"),
            "export.ini:1: [] MemoryAlignment: expected an integer >= 1 and <= 4096, got '2147483647'\n"
            "export.ini:3: [memory.a] Alignment: expected an integer >= 1 and <= 4096, got "
            "'9223372036854775807'\n");
}

TEST(ParametersTest, ANamespaceIsTheExportsAlone) {
  constexpr const char* kHint = "\n  hint: a name that nobody else has, such as 'lenet_int8'\n";
  const auto of = [](const std::string& name) { return errors("Namespace=" + name + "\n"); };
  for (const char* name : {"N2D2_Export", "Lobby", "lenet_int8", "digits", "model", "Time"})
    EXPECT_EQ(of(name), "") << name;
  const auto refused = [&](const std::string& name, const std::string& owner) {
    EXPECT_EQ(of(name), "export.ini:1: [] Namespace: '" + name + "' is " + owner + kHint);
  };
  for (const char* name : {"int", "namespace", "and", "constinit"}) refused(name, "a keyword of C++");
  refused("a__b", "reserved for compilers");
  for (const char* name : {"NULL", "EOF", "errno", "stdin", "main", "std", "sinf", "strtok_r", "INT8_MAX",
                           "S_IFDIR", "size_t", "pthread_self", "linux"})
    refused(name, "a name of the C library");
  for (const char* name : {"cells", "Network", "N2D2_INLINE", "conv2d", "arenas", "N2D2_PACKED"})
    refused(name, "a name that the export uses");
}

TEST(ParametersTest, ABudgetIsANumberOfBytes) {
  const auto read = [](const std::string& text) -> std::optional<MemoryBudget> {
    MemoryBudget budget;
    if (!ValueText<MemoryBudget>::parse(text, budget)) return std::nullopt;
    EXPECT_EQ(ValueText<MemoryBudget>::print(budget) == "min", text == "min");
    return budget;
  };
  using Kind = MemoryBudget::Kind;
  EXPECT_EQ(read("0"), (MemoryBudget{Kind::Unlimited, 0}));
  EXPECT_EQ(read("min"), (MemoryBudget{Kind::Least, 0}));
  EXPECT_EQ(read("25600"), (MemoryBudget{Kind::Bytes, 25600}));
  EXPECT_EQ(read("25K"), (MemoryBudget{Kind::Bytes, 25600}));
  EXPECT_EQ(read("2M"), (MemoryBudget{Kind::Bytes, 2 * 1024 * 1024}));
  for (const char* wrong : {"", "K", "-1", "1.5K", "25k", "25 K", "9223372036854775807K", "least"})
    EXPECT_EQ(read(wrong), std::nullopt) << wrong;
}

TEST(ParametersTest, SectionsAreThoseOfLayersAndMemories) {
  const config::IniDocument ini = config::parse_ini(
      "NoWrap=1\n[conv*]\nNoWrap=0\nTiles=4\nMemorySection=fast slow\n[memory.fast]\nSize=4096\nAlignment=8\n"
      "[memory.slow]\nSection=.sdram\n",
      "export.ini");
  Diagnostics diagnostics;
  ParameterSections sections;
  for (const std::string& name : ini.section_names()) sections.emplace_back(name, ini.source(name));
  const Parameters p = read_parameters(sections, kernels(), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  EXPECT_TRUE(p.no_wrap("fc"));
  EXPECT_FALSE(p.no_wrap("conv3"));
  EXPECT_EQ(p.tiles_section("fc"), nullptr);
  ASSERT_NE(p.tiles_section("conv3"), nullptr);
  EXPECT_EQ(p.tiles_section("conv3")->values.tiles, 4);
  EXPECT_EQ(p.tiles_section("conv3")->tiles_at.line, 4);
  EXPECT_EQ(p.memories_of("conv3"), (std::vector<std::string>{"fast", "slow"}));
  ASSERT_EQ(p.memories.size(), 2U);
  EXPECT_EQ(p.memories[0].size, 4096);
  EXPECT_EQ(p.memories[0].alignment, 8);
  EXPECT_EQ(p.memories[0].section, ".nn_memory");
  EXPECT_EQ(p.memories[1].section, ".sdram");
}

constexpr const char* kTwoPools =
    "a : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\n"
    "b : u8 1x2x2x2 nhwc @ = Pool(a) PoolDims=\"1 1\" Pooling=\"Max\"\n"
    "output b\n";

Project prepared(const Options& options) {
  graph::Graph graph = parse(integers(kTwoPools));
  const auto output = graph.outputs().at(0);
  return prepare(std::move(graph), {{output, 2}}, options);
}

TEST(Prepare, PutsLayersIntoTheMemoriesTheyName) {
  Options options;
  options.parameters.optimize_buffer_memory = false;
  options.parameters.memories = {{.name = "fast", .size = 8}, {.name = "slow"}};
  options.parameters.layers = {{"", {}, {{}, {"slow"}}}, {"a", {}, {{}, {"fast"}}}};
  const Project project = prepared(options);
  const auto& memories = project.memory().memories;
  ASSERT_EQ(memories.size(), 2U);
  EXPECT_EQ(memories[0].peak, 8);
  EXPECT_EQ(memories[1].peak, 8);
  EXPECT_EQ(project.memory().peak, 16);
}

TEST(Prepare, RefusesWhatDoesNotFitIntoItsMemory) {
  Options options;
  options.parameters.memories = {{.name = "fast", .size = 7}};
  EXPECT_NE(failure(integers(kTwoPools), options).find("memory 'fast'"), std::string::npos)
      << failure(integers(kTwoPools), options);
}

TEST(Prepare, NamesSectionsThatNoLayerLooksInto) {
  log::Capture log;
  Options options;
  options.parameters.layers = {{"", {}, {}},
                               {"a", {"p.ini", 2}, {}},
                               {"b*", {"p.ini", 4}, {}},
                               {"pool1", {"p.ini", 6}, {}},
                               {"c*", {"p.ini", 8}, {}}};
  prepared(options);
  EXPECT_EQ(log.text(), "p.ini:6: [pool1]: unused section\np.ini:8: [c*]: unused section\n");
}

TEST(Stimuli, NamesArePaddedToTheCount) {
  EXPECT_EQ(stimulus_name(7, 100, 1), "env07.pgm");
  EXPECT_EQ(stimulus_name(7, 101, 3), "env007.ppm");
  EXPECT_EQ(stimulus_name(0, 1, 1), "env0.pgm");
}

TEST(Stimuli, DumpsAreChannelByChannel) {
  Tensor map(Shape{1, 2, 1, 2}, DataType::I8, Layout::Nhwc);
  for (int i = 0; i < 4; ++i) map.data<int8_t>()[i] = static_cast<int8_t>(i - 2);
  EXPECT_EQ(dump_text(map), "0:\n-2 0\n\n1:\n-1 1\n\n");
}

TEST(FolderName, TellsTypeAndBits) {
  EXPECT_EQ(folder_name("CPP", 8), "export_CPP_int8");
  EXPECT_EQ(folder_name("CPP", -32), "export_CPP_float32");
}

TEST(Parameters, TheMostSpecificSectionCounts) {
  Parameters p;
  p.layers = {{"", {}, {true, {"g"}}},
              {"conv*", {}, {false, {}}},
              {"c*1", {}, {true, {"m"}}},
              {"default", {}, {true, {"d"}}},
              {"conv2", {}, {true, {}}}};
  EXPECT_FALSE(p.no_wrap("conv1"));
  EXPECT_TRUE(p.no_wrap("conv2"));
  EXPECT_TRUE(p.no_wrap("fc"));
  EXPECT_EQ(p.memories_of("conv1"), std::vector<std::string>{"m"});
  EXPECT_EQ(p.memories_of("conv2"), std::vector<std::string>{"d"});
  p.layers.pop_back(), p.layers.pop_back();
  EXPECT_EQ(p.memories_of("conv2"), std::vector<std::string>{"g"});
}

TEST(GraphFiles, NamesStayInsideTheirQuotes) {
  graph::Graph graph =
      parse(integers("a : u8 1x2x2x2 nhwc @ = Pool(sp) PoolDims=\"1 1\" Pooling=\"Max\"\noutput a\n"));
  graph.rename(graph.nodes().front(), "a\"b\\");
  const auto files = exporter::graph_files(graph);
  EXPECT_NE(files.at(1).second.find("  \"a\\x22b\\x5c\" [label=\"a\\x22b\\x5c\\nPool 1x2x2x2\"];\n"),
            std::string::npos)
      << files.at(1).second;
}

}  // namespace
}  // namespace n2d2::targets::cpp
