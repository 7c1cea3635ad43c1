#include "n2d2/program/memory_check.hpp"

#include "n2d2/memory/validate.hpp"
#include "n2d2/program/free_bytes.hpp"
#include "n2d2/program/run.hpp"

#include "layers.hpp"

namespace n2d2::program {
namespace {

/// sp -> a -> b, and a, b concatenated in c, which d reads; 2 x 1 pixels of one byte each, so every byte
/// counts.
graph::Graph graph() {
  const std::string type = " : u8 1x1x1x2 nhwc quant(8 unsigned -1 1)";
  const std::string both = " : u8 1x2x1x2 nhwc quant(8 unsigned -1 1)";
  const std::string pool = " PoolDims=\"1 1\" Pooling=\"Max\"\n";
  return graph::from_text("input sp" + type + "\na" + type + " = Pool(sp)" + pool + "b" + type +
                              " = Pool(a)" + pool + "c" + both + " = Concat(a, b)\nd" + both + " = Pool(c)" +
                              pool + "output d\n",
                          ops::registry(), "net.txt");
}

Planned network() {
  graph::Graph of = graph();
  const auto output = of.outputs().at(0);
  return planned(std::move(of), {{output, 2}});
}

Tensor sample() {
  Tensor out(Shape{1, 1, 1, 2}, DataType::U8);
  out.data<uint8_t>()[0] = 3, out.data<uint8_t>()[1] = 200;
  return out;
}

TEST(FreeBytes, CountLanesByteByByte) {
  // env 0..1, c with its lanes 2..5, d 6..9
  const auto free = free_bytes(without_reuse(network()).program);
  using Free = std::vector<FreeBytes>;
  ASSERT_EQ(free.size(), 4U);
  EXPECT_EQ(free[0], (Free{{0, 2, 8, 8, 1}}));
  EXPECT_EQ(free[1], (Free{{0, 0, 2, 2, 1}, {0, 3, 1, 1, 1}, {0, 5, 5, 5, 1}}));
  EXPECT_EQ(free[2], (Free{{0, 0, 2, 2, 1}, {0, 6, 4, 4, 1}}));
  EXPECT_EQ(free[3], (Free{{0, 0, 6, 6, 1}}));
}

TEST(FreeBytes, OneRowMapsAreNeededUnderEitherName) {
  // A column that a layer of several rows writes as a row, and another reads through the Concat as a row.
  const std::string quant = " nhwc quant(8 unsigned -1 1)";
  graph::Graph of =
      graph::from_text("input sp : u8 1x1x2x3" + quant + "\na : u8 1x1x1x3" + quant +
                           " = Pool(sp) PoolDims=\"1 2\" Stride=\"1 2\" Pooling=\"Max\"\nc : u8 1x2x1x3" +
                           quant + " = Concat(a, a)\nd : u8 1x2x2x3" + quant +
                           " = Padding(c) TopPadding=\"1\" BottomPadding=\"0\" LeftPadding=\"0\" "
                           "RightPadding=\"0\"\noutput d\n",
                       ops::registry(), "net.txt");
  const auto output = of.outputs().at(0);
  const Program program = without_reuse(planned(std::move(of), {{output, 2}})).program;
  ASSERT_EQ(program.calls.size(), 3U);  // a, the second part of c, d
  const Place c = program.map_of(program.graph.node(program.cells.at(1).node).outputs.at(0)).place.value();
  const auto free_before = free_bytes(program);
  for (const FreeBytes& free : free_before.at(2))
    for (int64_t piece = 0; piece < free.count; ++piece) {
      const Bytes first = free.offset + piece * free.stride;
      EXPECT_TRUE(first + free.size <= c.offset || first >= c.offset + 6) << first;
    }
}

TEST(FreeBytes, PiecesAtOneDistanceAreOneEntry) {
  Program program = without_reuse(network()).program;
  View& env = program.views[0];  // four pixels, two bytes apart
  env.w = env.h = 2, env.pixel = 2, env.row = 4;
  EXPECT_EQ(free_bytes(program)[0], (std::vector<FreeBytes>{{0, 1, 1, 2, 3}, {0, 7, 3, 3, 1}}));
}

TEST(WithoutReuse, IsValidAndSharesNothing) {
  const Planned shared = network();
  const Planned apart = without_reuse(shared);
  EXPECT_TRUE(memory::validate(apart.problem, apart.plan).empty());
  EXPECT_EQ(apart.plan.peaks[0], 10);
  EXPECT_LT(shared.plan.peaks[0], 10);
}

std::string finding(const Planned& of) {
  try {
    check_memory(of, sample(), "export CPP");
  } catch (const ExportError& error) {
    return error.what();
  }
  return "none";
}

TEST(CheckMemory, AcceptsAPlannedNetwork) {
  EXPECT_EQ(finding(network()), "none");
}

/// Another kernel's calls, spoilt by `spoil(run, args)` where they belong to a node; without a function
/// there.
class Spoilt final : public Kernel {
 public:
  using Spoil = std::function<void(const HostCall&, const HostArgs&)>;
  Spoilt(const Kernel& kernel, std::string node, Spoil spoil)
      : kernel_(kernel), node_(std::move(node)), spoil_(std::move(spoil)) {}
  std::string_view name() const override { return "spoilt"; }
  std::string_view header() const override { return kernel_.header(); }
  std::vector<std::string_view> operators() const override { return kernel_.operators(); }
  std::string refuses(const graph::Graph& graph, const graph::Node& node) const override {
    return kernel_.refuses(graph, node);
  }
  Contract contract(const graph::Graph& graph, const graph::Node& node) const override {
    return kernel_.contract(graph, node);
  }
  Config config(const Program& program, const Call& call) const override {
    return kernel_.config(program, call);
  }
  HostCall host(const Program& program, const Call& call) const override {
    const HostCall run = kernel_.host(program, call);
    if (program.node(call).name != node_) return run;
    if (!spoil_) return nullptr;
    return [run, spoil = spoil_](const HostArgs& args) { spoil(run, args); };
  }

 private:
  const Kernel& kernel_;
  std::string node_;
  Spoil spoil_;
};

/// The network with its pooling kernel spoilt in node b.
struct SpoiltNetwork {
  KernelLibrary library;
  Planned planned;
  explicit SpoiltNetwork(Spoilt::Spoil spoil) {
    library.add(std::make_unique<Spoilt>(*targets::cpp::kernels().find("max_pool"), "b", std::move(spoil)));
    library.fall_back_on(&targets::cpp::kernels());
    graph::Graph of = graph();
    const auto output = of.outputs().at(0);
    const Lowering lowering(std::move(of), {{output, 2}}, library,
                            [](const graph::Node&, const std::string& reasons) { ADD_FAILURE() << reasons; });
    planned = plan(lowering, {}, "test");
  }
};

TEST(CheckMemory, FindsAByteOutsideTheArena) {
  const Planned whole = network();
  const Program& program = whole.program;
  const auto past = whole.plan.peaks[0] - program.view(program.cells.at(1).outputs.at(0)).place->offset;
  const SpoiltNetwork spoilt([past](const HostCall& run, const HostArgs& args) {
    run(args);
    static_cast<uint8_t*>(args.out[0])[past] = 1;
  });
  EXPECT_EQ(finding(spoilt.planned),
            "export CPP: [b] writes outside the arena\n"
            "export CPP: [b] writes outside the arena");
}

TEST(CheckMemory, RefusesAKernelThatDoesNotRunInProcess) {
  EXPECT_EQ(finding(SpoiltNetwork({}).planned),
            "kernel 'spoilt' of 'b' does not run in process: its host() is null\n"
            "  hint: host() of a kernel gives the function that the exported program calls");
}

TEST(CheckMemory, FindsAValueThatComesFromFreeMemory) {
  // Before b has run, its lane holds nothing: a kernel that looks at it sees the pattern.
  const SpoiltNetwork spoilt([](const HostCall& run, const HostArgs& args) {
    auto* output = static_cast<uint8_t*>(args.out[0]);
    const uint8_t stale = output[0];
    run(args);
    output[0] ^= stale & 1;
  });
  EXPECT_NE(finding(spoilt.planned).find("[b] has another output when free memory holds 0xA5"),
            std::string::npos)
      << finding(spoilt.planned);
}

}  // namespace
}  // namespace n2d2::program
