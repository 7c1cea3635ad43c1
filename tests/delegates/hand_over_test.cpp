#include "n2d2/delegates/hand_over.hpp"

#include <array>
#include <cstring>

#include <gmock/gmock.h>

#include "n2d2/graph/text.hpp"
#include "n2d2/graph/verify.hpp"
#include "n2d2/ops/all.hpp"
#include "n2d2/program/memory_check.hpp"
#include "n2d2/program/validate.hpp"

#include "program/cut.hpp"
#include "with_parts.hpp"

namespace n2d2::delegates {
namespace {

///   data -> a -> b -> join -> e      data -> f       e and f leave
///             \> c ->/
graph::Graph network() {
  const std::string type = "u8 1x4x6x5 nhwc quant(8 unsigned -1 1)";
  const auto relu = [&](const char* name, const char* of, const char* factor) {
    return fmt::format("{} : {} = Relu({}) rescale=\"Floating-point 0 255 0 : {} :\"\n", name, type, of,
                       factor);
  };
  return graph::from_text("input data : " + type + "\n" + relu("a", "data", "0.9") + relu("b", "a", "0.7") +
                              "c : " + type +
                              " = Pool(a) PoolDims=\"3 3\" Padding=\"1 1 1 1\" Pooling=\"Max\"\n" +
                              "join : u8 1x8x6x5 nhwc quant(8 unsigned -1 1) = Concat(b, c)\n" +
                              "e : u8 1x8x6x5 nhwc quant(8 unsigned -1 1) = Relu(join) "
                              "rescale=\"Floating-point 0 255 0 : 0.8 :\"\n" +
                              relu("f", "data", "0.6") + "output e\noutput f\n",
                          ops::registry());
}

Tensor sample() {
  Tensor out(Shape{1, 4, 6, 5}, DataType::U8);
  for (int64_t i = 0; i < out.elements(); ++i) out.data<uint8_t>()[i] = static_cast<uint8_t>(i * 37);
  return out;
}

std::vector<std::string> names(const graph::Graph& graph, const std::vector<graph::ValueId>& ids) {
  std::vector<std::string> out;
  for (const graph::ValueId id : ids) out.push_back(graph.value(id).name);
  return out;
}

TEST(PartOf, HasTheValuesThatCrossItsBorder) {
  const graph::Graph g = network();
  std::vector<graph::ValueId> in, out;
  const graph::Graph part = part_of(g, {*g.find_node("b"), *g.find_node("c"), *g.find_node("a")}, in, out);
  graph::verify(part);
  EXPECT_EQ(names(g, in), std::vector<std::string>{"data"});
  EXPECT_EQ(names(g, out), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(names(part, part.outputs()), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(part.node(*part.find_node("b")).rescale, g.node(*g.find_node("b")).rescale);
  EXPECT_EQ(part.value(*part.find_value("c")).type, g.value(*g.find_value("c")).type);
}

TEST(HandOver, MakesOneNodeOfARegion) {
  const graph::Graph g = network();
  const HandedOver handed = hand_over(g, outputs_of(g), {loopback("a b c")}, targets::cpp::kernels(), "test");
  graph::verify(handed.graph);
  ASSERT_EQ(handed.graph.nodes().size(), 4U);
  const graph::Node& part = handed.graph.node(handed.graph.find_node("loopback").value());
  EXPECT_EQ(part.op->type(), "Part");
  EXPECT_EQ(part.op->fields_text().at(0).second, "a b c");
  EXPECT_EQ(part.outputs.size(), 2U);
  EXPECT_TRUE(part.op->clone()->equals(*part.op));
  EXPECT_EQ(handed.graph.value(handed.outputs.at(1).value).name, "f");
}

TEST(HandOver, GivesTheSameBytesForEveryChoiceOfLayers) {
  const graph::Graph g = network();
  const auto expected = values_of(without_parts(g).program, sample());
  const std::vector<std::string> layers{"a", "b", "c", "join", "e", "f"};
  for (size_t choice = 1; choice < 64; ++choice) {
    std::string chosen;
    for (size_t i = 0; i < layers.size(); ++i)
      if ((choice >> i & 1U) != 0) chosen += layers[i] + " ";
    SCOPED_TRACE(chosen);
    const WithParts parts = with_parts(g, {loopback(chosen)});
    EXPECT_GE(expect_same(values_of(parts.planned.program, sample()), expected), 2U);
    program::check_memory(parts.planned, sample(), "test");
  }
}

TEST(HandOver, TakesAWholeNetwork) {
  const graph::Graph g = network();
  const WithParts parts = with_parts(g, {loopback("")});
  EXPECT_EQ(parts.handed.graph.nodes().size(), 2U);  // f reads the input alone
  EXPECT_EQ(
      expect_same(values_of(parts.planned.program, sample()), values_of(without_parts(g).program, sample())),
      2U);
}

TEST(HandOver, LetsSeveralDelegatesCoexist) {
  const graph::Graph g = network();
  class Other final : public Delegate {
   public:
    std::string_view id() const override { return "other"; }
    void read(const KeySource&, Diagnostics&) override {}
    std::vector<NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary& kernels,
                                   std::span<const NodeSet> taken) const override {
      return inner_->partition(graph, kernels, taken);
    }
    Blob preprocess(const graph::Graph& part, const program::KernelLibrary& kernels) const override {
      return inner_->preprocess(part, kernels);
    }
    Functions functions() const override { return inner_->functions(); }

   private:
    std::shared_ptr<const Delegate> inner_ = loopback("");
  };
  const WithParts parts = with_parts(g, {loopback("b"), std::make_shared<Other>()});
  EXPECT_TRUE(parts.handed.graph.find_node("loopback"));
  EXPECT_TRUE(parts.handed.graph.find_node("other"));
  expect_same(values_of(parts.planned.program, sample()), values_of(without_parts(g).program, sample()));
}

TEST(HandOver, RefusesWhatThePartitionCheckRefuses) {
  class Greedy final : public Delegate {
   public:
    std::string_view id() const override { return "greedy"; }
    void read(const KeySource&, Diagnostics&) override {}
    std::vector<NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary&,
                                   std::span<const NodeSet>) const override {
      return {{*graph.find_node("a"), *graph.find_node("join"), *graph.find_node("b")}};
    }
    Blob preprocess(const graph::Graph&, const program::KernelLibrary&) const override { return {}; }
    Functions functions() const override { return {}; }
  };
  const graph::Graph g = network();
  try {
    hand_over(g, outputs_of(g), {std::make_shared<Greedy>()}, targets::cpp::kernels(), "export X");
    FAIL() << "taken";
  } catch (const ExportError& error) {
    EXPECT_STREQ(error.what(),
                 "export X: delegate 'greedy': region 0 is left and entered again: [a], [c], [join]");
  }
}

TEST(APart, HasStraightMapsOfItsOwn) {
  const graph::Graph g = network();
  const WithParts parts = with_parts(g, {loopback("b")});
  for (const graph::ValueId lane : program::lanes_of(parts.planned.program))
    EXPECT_NE(parts.planned.program.graph.value(lane).name, "loopback");
  for (const program::Call& call : parts.planned.program.calls) {
    if (!call.contract.opaque) continue;
    for (const auto* views : {&call.in, &call.out})
      for (const program::ViewId id : *views) {
        EXPECT_EQ(parts.planned.program.view(id).h, 1);
        EXPECT_EQ(parts.planned.program.view(id).ring, 0);
      }
  }
}

TEST(APart, RunsWholeInAProgramThatIsCut) {
  const graph::Graph g = network();
  const WithParts parts = with_parts(g, {loopback("b")});
  const auto rows = [](const program::Program& program, const program::Call& call) {
    std::vector<program::Rows> out;
    for (int y = 0; y < program.view(call.out.at(0)).h; ++y) out.push_back({y, 1});
    return out;
  };
  const program::Program in_rows = program::cut(parts.planned.program, rows);
  EXPECT_EQ(program::validate(in_rows), std::vector<std::string>{});
  EXPECT_GT(in_rows.calls.size(), parts.planned.program.calls.size());
  expect_same(values_of(in_rows, sample()), values_of(parts.planned.program, sample()));
}

TEST(APart, IsRefusedByValidateWhenItIsCutOrWraps) {
  const graph::Graph g = network();
  const WithParts parts = with_parts(g, {loopback("b")});
  program::Program program = parts.planned.program;
  for (program::Call& call : program.calls) {
    if (!call.contract.opaque) continue;
    call.rows = {0, 1};
    program.views[static_cast<size_t>(call.in.at(0))].ring = 1;
  }
  const auto found = program::validate(program);
  EXPECT_THAT(found, testing::Contains(testing::HasSubstr("'loopback': 'a.row' wraps")));
  EXPECT_THAT(found, testing::Contains(testing::HasSubstr("'loopback' does not run as a whole")));
}

/// The call of the only part.
program::Call& part_call(program::Program& program) {
  for (program::Call& call : program.calls)
    if (call.contract.opaque) return call;
  throw InternalError("no part", __FILE__, __LINE__);
}

TEST(TheStateOfAPart, IsItsOwnForTheWholeRun) {
  const graph::Graph g = network();
  const WithParts parts = with_parts(g, {loopback("b")});
  program::Program program = parts.planned.program;
  program::Call& call = part_call(program);
  ASSERT_TRUE(call.state.has_value());
  const Bytes size = call.contract.state;
  EXPECT_EQ(size, static_cast<Bytes>(2 * sizeof(void*)));
  for (const auto& pieces : program::free_bytes(program))
    for (const program::FreeBytes& piece : pieces)
      for (int64_t i = 0; i < piece.count; ++i) {
        const program::Bytes at = piece.offset + i * piece.stride;
        EXPECT_TRUE(at + piece.size <= call.state->offset || at >= call.state->offset + size);
      }
  call.state->offset = program.map_of(program.outputs.at(0).value).place->offset;
  EXPECT_THAT(program::validate(program), testing::Contains("the state of 'loopback' is overwritten"));
  call.state->offset = program.memories.front().peak - size + 1;
  EXPECT_THAT(program::validate(program), testing::ElementsAre("the state of 'loopback' leaves its memory"));
  call.state.reset();
  EXPECT_THAT(program::validate(program), testing::ElementsAre("the state of 'loopback' has no place"));
}

TEST(TheStateOfAPart, IsMissedWhenSomebodyOverwritesIt) {
  const graph::Graph g = network();
  const WithParts parts = with_parts(g, {loopback("b")});
  program::Program program = parts.planned.program;
  const program::Place place = part_call(program).state.value();
  program::RunHooks hooks;
  hooks.before_call = [&](program::CallId call, program::Arena& arena) {
    if (call == 0) std::memset(arena.at(place), 0, 2 * sizeof(void*));
  };
  try {
    values_of(program, sample(), hooks);
    FAIL() << "ran";
  } catch (const ExportError& error) {
    EXPECT_STREQ(error.what(), "[loopback] Part: delegate 'loopback': execute failed with code 1");
  }
}

/// What a caller of the three functions holds.
struct Called {
  explicit Called(const Blob& blob)
      : handle(static_cast<size_t>(blob.handle)), scratch(static_cast<size_t>(blob.scratch)) {}

  int execute(const Delegate& delegate) {
    const N2D2_Export_Source source{from.data(), 4};
    const std::array<N2D2_Export_Sink, 2> sinks{{{a.data(), 8}, {b.data(), 4}}};
    const auto step = [](int debug_handle, void* user) {
      static_cast<std::vector<int>*>(user)->push_back(debug_handle);
    };
    const N2D2_Export_Arguments arguments{&source, sinks.data(), scratch.data(), step, &steps};
    return delegate.functions().execute(handle.data(), &arguments);
  }

  std::vector<std::byte> handle, scratch;
  std::vector<uint8_t> from = std::vector<uint8_t>(120, 100), a = std::vector<uint8_t>(240, 7),
                       b = std::vector<uint8_t>(120);  // a with gaps between its pixels
  std::vector<int> steps;
};

Blob blob_of(const Delegate& delegate) {
  const graph::Graph g = network();
  std::vector<graph::ValueId> in, out;
  return delegate.preprocess(part_of(g, {*g.find_node("b"), *g.find_node("a")}, in, out),
                             targets::cpp::kernels());
}

TEST(Loopback, RunsByTheThreeFunctions) {
  const auto delegate = loopback("");
  const Blob blob = blob_of(*delegate);
  EXPECT_EQ(blob.layers, (std::map<int, std::vector<std::string>>{{0, {"a"}}, {1, {"b"}}}));
  EXPECT_THAT(blob.compile_options, testing::ElementsAre("-DN2D2_LOOPBACK_FACTORS", "-DN2D2_LOOPBACK_SOME",
                                                         "-DN2D2_LOOPBACK_U8_U8", "-DN2D2_LOOPBACK_scaling"));
  EXPECT_TRUE(blob.lasts);
  EXPECT_EQ(delegate->functions().destroy, nullptr);
  Called called(blob);
  ASSERT_EQ(delegate->functions().init(called.handle.data(), blob.bytes.data(), blob.bytes.size()), 0);
  ASSERT_EQ(called.execute(*delegate), 0);
  EXPECT_EQ(called.b, std::vector<uint8_t>(120, 63));
  for (size_t i = 0; i < called.a.size(); ++i) EXPECT_EQ(called.a[i], i % 8 < 4 ? 90 : 7) << i;
  EXPECT_EQ(called.steps, (std::vector<int>{0, 1}));
  called.handle.front() ^= std::byte{1};
  EXPECT_EQ(called.execute(*delegate), 1);
}

TEST(Loopback, DoesNotNeedABlobThatItCopied) {
  const auto delegate = loopback("", "1");
  Blob blob = blob_of(*delegate);
  EXPECT_FALSE(blob.lasts);
  Called called(blob);
  ASSERT_EQ(delegate->functions().init(called.handle.data(), blob.bytes.data(), blob.bytes.size()), 0);
  std::fill(blob.bytes.begin(), blob.bytes.end(), std::byte{0x5A});
  ASSERT_EQ(called.execute(*delegate), 0);
  EXPECT_EQ(called.b, std::vector<uint8_t>(120, 63));
}

TEST(Loopback, RefusesABlobThatIsCutShort) {
  const auto delegate = loopback("");
  const Blob blob = blob_of(*delegate);
  Called called(blob);
  for (size_t size = 0; size < blob.bytes.size(); ++size)
    EXPECT_EQ(delegate->functions().init(called.handle.data(), blob.bytes.data(), size), 2) << size;
}

/// Passes bytes on; counts what is begun and ended.
class Counting final : public Delegate {
 public:
  std::string_view id() const override { return "counting"; }
  void read(const KeySource&, Diagnostics&) override {}
  std::vector<NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary&,
                                 std::span<const NodeSet>) const override {
    return {{*graph.find_node("b")}, {*graph.find_node("f")}};
  }
  Blob preprocess(const graph::Graph& part, const program::KernelLibrary&) const override {
    Blob out;
    out.bytes = {static_cast<std::byte>(part.find_node("f") ? code_of_f : 0)};
    out.handle = 1;
    return out;
  }
  Functions functions() const override {
    return {[](void* handle, const void* blob, size_t) {
              ++begun();
              std::memcpy(handle, blob, 1);
              return 0;
            },
            [](void* handle, const N2D2_Export_Arguments*) -> int {
              return *static_cast<unsigned char*>(handle);
            },
            [](void*) { --begun(); }};
  }
  static int& begun() {
    static int count = 0;
    return count;
  }
  unsigned char code_of_f = 0;
};

TEST(ARun, EndsWhatItBegan) {
  const graph::Graph g = network();
  values_of(with_parts(g, {std::make_shared<Counting>()}).planned.program, sample());
  EXPECT_EQ(Counting::begun(), 0);
  const auto failing = std::make_shared<Counting>();
  failing->code_of_f = 9;
  const WithParts parts = with_parts(g, {failing});
  try {
    values_of(parts.planned.program, sample());
    FAIL() << "ran";
  } catch (const ExportError& error) {
    EXPECT_STREQ(error.what(), "[counting_2] Part: delegate 'counting': execute failed with code 9");
  }
  EXPECT_EQ(Counting::begun(), 0);
}

}  // namespace
}  // namespace n2d2::delegates
