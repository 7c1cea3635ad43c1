#include "n2d2/program/peephole.hpp"

#include <gmock/gmock.h>

#include "n2d2/program/run.hpp"

#include "layers.hpp"

namespace n2d2::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// env -> a -> b -> c, pools that change nothing.
class Chain {
 public:
  Program program() const { return lowering_.program(lowering_.graph().schedule(), {}); }
  /// Planned after the rewrites, and run: what the last cell gives.
  Tensor output(const Peephole& peephole) const {
    MemorySettings settings;
    settings.peephole = peephole;
    Tensor sample(Shape{1, 2, 2, 4}, DataType::U8);
    for (int i = 0; i < 16; ++i) sample.data<uint8_t>()[i] = static_cast<uint8_t>(10 + 3 * i);
    return run_layers(plan(lowering_, settings, "test").program, sample).back().tensor;
  }

 private:
  static graph::Graph graph() {
    const std::string type = " : u8 1x2x2x4 nhwc quant(8 unsigned -1 0.5)";
    const std::string pool = ") PoolDims=\"1 1\" Pooling=\"Max\"\n";
    return graph::from_text("input sp" + type + "\na" + type + " = Pool(sp" + pool + "b" + type +
                                " = Pool(a" + pool + "c" + type + " = Pool(b" + pool + "output c\n",
                            ops::registry(), "net.txt");
  }
  static Lowering lowered() {
    graph::Graph of = graph();
    const auto output = of.outputs().at(0);
    return {std::move(of),
            {{output, 2}},
            targets::cpp::kernels(),
            [](const graph::Node&, const std::string& reasons) { ADD_FAILURE() << reasons; }};
  }
  Lowering lowering_ = lowered();
};

std::vector<std::string> calls(const Program& program) {
  std::vector<std::string> out;
  for (const Call& call : program.calls)
    out.push_back(program.view(call.in.at(0)).name + " -> " + program.view(call.out.at(0)).name);
  return out;
}

/// Two pools are one.
Combiner skip_a_pool() {
  return {"skip_a_pool", 2, [](Program&, std::span<const Call> calls) -> Replacement {
            if (calls[1].in != calls[0].out) return std::nullopt;
            Call one = calls[1];
            one.in = calls[0].in;
            return std::vector<Call>{one};
          }};
}

/// A pool over all rows is one over the first and one over the others.
Expander halve() {
  return {"halve", [](Program& program, const Call& call) -> Replacement {
            if (call.rows.count >= 0) return std::nullopt;
            View part = program.view(call.out.at(0));
            const int height = part.h;
            part.name += ".part";
            program.views.push_back(part);
            const auto added = static_cast<ViewId>(program.views.size() - 1);
            Call first = call, second = call;
            first.out = {added}, second.in = {added};
            first.rows = second.rows = {0, height};
            return std::vector<Call>{first, second};
          }};
}

TEST(Rewrite, CombinesUntilNothingChanges) {
  Program program = Chain().program();
  rewrite(program, {{}, {skip_a_pool()}});
  EXPECT_THAT(calls(program), ElementsAre("env -> c"));
  ASSERT_EQ(program.cells.size(), 1U);  // a and b are nobody's any more
  EXPECT_EQ(program.cells[0].name, "c");
  EXPECT_EQ(program.views.size(), 2U);
  EXPECT_EQ(program.maps.size(), 2U);
}

TEST(Rewrite, ExpandsACallToSeveralOfItsCell) {
  Program program = Chain().program();
  rewrite(program, {{halve()}, {}});
  EXPECT_THAT(calls(program), ElementsAre("env -> a.part", "a.part -> a", "a -> b.part", "b.part -> b",
                                          "b -> c.part", "c.part -> c"));
  EXPECT_THAT(program.cells.at(1).calls, ElementsAre(2, 3));
}

TEST(Rewrite, KeepsTheBytes) {
  const Chain chain;
  const Tensor expected = chain.output({});
  EXPECT_TRUE(chain.output({{}, {skip_a_pool()}}) == expected);
  EXPECT_TRUE(chain.output({{halve()}, {}}) == expected);
}

std::string error_of(const Peephole& peephole) {
  Program program = Chain().program();
  try {
    rewrite(program, peephole);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "none";
}

TEST(Rewrite, NamesRewritesThatUndoEachOther) {
  const auto renamed = [](const char* name, bool from, bool to) {
    return Expander{name, [from, to](Program&, const Call& call) -> Replacement {
                      if (call.parallel != from) return std::nullopt;
                      Call other = call;
                      other.parallel = to;
                      return std::vector<Call>{other};
                    }};
  };
  EXPECT_THAT(error_of({{renamed("on", false, true), renamed("off", true, false)}, {}}),
              HasSubstr("rewrites 'off' and 'on' undo each other"));
}

TEST(Rewrite, NamesTheOneThatBreaksTheProgram) {
  const Expander lose{"lose", [](Program&, const Call&) -> Replacement { return std::vector<Call>{}; }};
  EXPECT_THAT(error_of({{lose}, {}}), HasSubstr("rewrite 'lose': 'b' reads 'a', which nobody has written"));
}

}  // namespace
}  // namespace n2d2::program
