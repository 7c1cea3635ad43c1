// Do calls over ranges of rows give the bytes of one call?
#include "program/cut.hpp"

#include "n2d2/program/run.hpp"
#include "n2d2/program/validate.hpp"

#include "kernel_cases.hpp"

namespace n2d2::program {
namespace {

RowCuts random_cuts(Rng& rng) {
  return [&rng](const Program& program, const Call& call) {
    std::vector<Rows> out;
    const int height = program.view(call.out.at(0)).h;
    for (int first = 0; first < height; first += out.back().count)
      out.push_back({first, 1 + static_cast<int>(rng.below(static_cast<uint64_t>(height - first)))});
    return out;
  };
}

class AnyCut : public testing::TestWithParam<KernelCase> {};

TEST_P(AnyCut, GivesTheSameBytes) {
  const Planned network = GetParam().planned();
  const Tensor sample = sample_of(network.program);
  const Tensor expected = run_layers(network.program, sample).back().tensor;
  Rng rng(3, GetParam().name);
  for (int i = 0; i < 30; ++i) {
    const Program in_pieces = cut(network.program, random_cuts(rng));
    ASSERT_TRUE(validate(in_pieces).empty()) << validate(in_pieces).front();
    ASSERT_TRUE(run_layers(in_pieces, sample).back().tensor == expected)
        << in_pieces.calls.size() << " calls";
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, AnyCut, testing::ValuesIn(kernel_cases()),
                         [](const auto& info) { return info.param.name; });

TEST(Cut, WantsRangesThatAreWhole) {
  const Planned network = planned_of(single_layers().front());
  const auto error = [&](std::vector<Rows> ranges) -> std::string {
    try {
      cut(network.program, [&](const Program&, const Call&) { return ranges; });
    } catch (const InternalError& e) {
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(error({{0, 7}}), "none");
  EXPECT_NE(error({{0, 3}, {4, 3}}).find("rows 4 to 7 where 3 is the next one"), std::string::npos);
  EXPECT_NE(error({{0, 3}}).find("rows end with 3 of 7"), std::string::npos);
}

}  // namespace
}  // namespace n2d2::program
