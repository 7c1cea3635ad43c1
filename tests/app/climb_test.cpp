#include "ladder/climb.hpp"

#include <algorithm>

#include <gmock/gmock.h>

namespace n2d2::app {
namespace {

using ::testing::ElementsAre;

/// Decisions that are right: a base, and what each value of 16 bits and each weight of 8 bits adds, but no
/// more than `most`.
struct Synthetic {
  std::vector<int64_t> of_values, of_weights;
  int64_t base = 50, needed = 60, most = 100;
  std::vector<int64_t> bytes = {};  ///< of planned RAM that each value adds; none: 10
  std::vector<Widening> measured = {};

  Figures figures(const Widening& w) const {
    Figures out{base, 100};
    for (size_t i = 0; i < w.values.size(); ++i)
      if (w.values[i]) out.right += of_values[i], out.ram += bytes.empty() ? 10 : bytes[i];
    for (size_t i = 0; i < w.weights.size(); ++i)
      if (w.weights[i]) out.right += of_weights[i], out.flash += 10;
    out.right = std::min(out.right, most);
    out.lacking = needed - out.right;
    return out;
  }
  /// Gains are those of the candidates, or wrong ones.
  Climbed climb(std::vector<double> gains_of_values, std::vector<double> gains_of_weights = {}) {
    Candidates candidates;
    for (size_t i = 0; i < gains_of_values.size(); ++i)
      candidates.values.push_back(
          {"v" + std::to_string(i), gains_of_values[i], bytes.empty() ? 10 : bytes[i]});
    for (size_t i = 0; i < gains_of_weights.size(); ++i)
      candidates.weights.push_back({"w" + std::to_string(i), gains_of_weights[i], 10});
    const Widening none{std::vector<bool>(gains_of_values.size()),
                        std::vector<bool>(gains_of_weights.size())};
    return app::climb(candidates, figures(none), [&](const Widening& w) -> std::optional<Figures> {
      measured.push_back(w);
      return figures(w);
    });
  }
};

TEST(ClimbLadder, WidensNoMoreThanIsNeeded) {
  Synthetic net{{1, 2, 10, 3, 4}, {}};
  const Climbed found = net.climb({0.05, 0.1, 0.5, 0.15, 0.2});
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(false, false, true, false, false));
  EXPECT_TRUE(found.rungs.back().figures.holds());
  EXPECT_TRUE(found.is_fewest);
  EXPECT_EQ(found.rungs.front().what, "values of 16 bits for v2");
  EXPECT_EQ(found.rungs.back().what, "needed: values of 16 bits for v2");
}

TEST(ClimbLadder, FindsTheFewestWhereGainsMislead) {
  Synthetic net{{1, 2, 10, 3, 4}, {}};
  const Climbed found = net.climb({0.5, 0.2, 0.05, 0.15, 0.1});
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(false, false, true, false, false));
  EXPECT_TRUE(found.is_fewest);
}

TEST(ClimbLadder, TakesTheLeastMemoryAmongEquallyMany) {
  Synthetic net{{12, 11, 10}, {}};
  net.bytes = {30, 20, 25};
  const Climbed found = net.climb({0.9, 0.05, 0.04});
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(false, true, false));
  EXPECT_EQ(found.rungs.back().figures.ram, 20);
}

TEST(ClimbLadder, BeginsWithWhatCostsNothing) {
  Synthetic net{{5, 5, 0}, {}};
  net.bytes = {10, 0, 10};
  const Climbed found = net.climb({0.5, 0.01, 0.4});
  EXPECT_EQ(found.rungs.front().what, "values of 16 bits for v1");
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(true, true, false));
}

TEST(ClimbLadder, TakesBackWhatIsNotNeededAmongMany) {
  Synthetic net;
  net.of_values.assign(20, 0);
  net.of_values[4] = net.of_values[11] = 5;
  std::vector<double> gains(20);
  for (size_t i = 0; i < gains.size(); ++i) gains[i] = 1.0 / static_cast<double>(i + 1);
  const Climbed found = net.climb(gains);
  std::vector<bool> expected(20);
  expected[4] = expected[11] = true;
  EXPECT_EQ(found.rungs.back().widening.values, expected);
  EXPECT_FALSE(found.is_fewest) << "too many to measure all choices";
  EXPECT_LT(net.measured.size(), 40U);
}

TEST(ClimbLadder, WidensWeightsWhereValuesDoNotHelp) {
  Synthetic net{{1, 1}, {2, 9, 3}};
  const Climbed found = net.climb({0.1, 0.1}, {0.2, 0.9, 0.3});
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(false, false));
  EXPECT_THAT(found.rungs.back().widening.weights, ElementsAre(false, true, true));
  EXPECT_EQ(found.rungs.back().what, "needed: weights of 8 bits for w1, w2");
}

TEST(ClimbLadder, TakesTheLargestWeightsBackFirst) {
  Synthetic net{{}, {6, 5, 5}};
  const Candidates candidates{{}, {{"w0", 0.9, 900}, {"w1", 0.1, 200}, {"w2", 0.1, 300}}};
  const Climbed found = climb(candidates, net.figures({{}, {false, false, false}}),
                              [&](const Widening& w) -> std::optional<Figures> { return net.figures(w); });
  EXPECT_THAT(found.rungs.front().widening.weights, ElementsAre(true, false, false));
  EXPECT_THAT(found.rungs.back().widening.weights, ElementsAre(true, true, false));
  net.of_weights = {2, 6, 6};
  const Climbed other = climb(candidates, net.figures({{}, {false, false, false}}),
                              [&](const Widening& w) -> std::optional<Figures> { return net.figures(w); });
  EXPECT_THAT(other.rungs.back().widening.weights, ElementsAre(false, true, true));
}

TEST(ClimbLadder, WidensBothWhereOneOfThemIsNotEnough) {
  Synthetic net{{3, 5}, {2, 3}};
  const Climbed found = net.climb({0.1, 0.2}, {0.2, 0.3});
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(false, true));
  EXPECT_THAT(found.rungs.back().widening.weights, ElementsAre(true, true));
  EXPECT_TRUE(found.rungs.back().figures.holds());
}

TEST(ClimbLadder, EndsWithWhatDoesNotHold) {
  Synthetic net{{1, 1}, {1}};
  const Climbed found = net.climb({0.1, 0.2}, {0.2});
  EXPECT_FALSE(found.rungs.back().figures.holds());
  EXPECT_EQ(found.rungs.back().what, "nothing widened");
  Synthetic without{{}, {}};
  EXPECT_FALSE(without.climb({}).rungs.back().figures.holds());
}

TEST(ClimbLadder, PassesOverWidthsThatNoKernelTakes) {
  Synthetic net{{20, 5, 5, 1}, {}};
  const Candidates candidates{{{"v0", 0.9, 10}, {"v1", 0.5, 10}, {"v2", 0.3, 10}, {"v3", 0.1, 10}}, {}};
  const Climbed found = climb(candidates, net.figures({{false, false, false, false}, {}}),
                              [&](const Widening& w) -> std::optional<Figures> {
                                if (w.values[0] || (w.values[1] && w.values[3])) return {};
                                return net.figures(w);
                              });
  EXPECT_TRUE(found.rungs.back().figures.holds());
  EXPECT_THAT(found.rungs.back().widening.values, ElementsAre(false, true, true, false));
}

}  // namespace
}  // namespace n2d2::app
