#include <gmock/gmock.h>

#include "n2d2/base/error.hpp"

#include "command_line/shell_word.hpp"
#include "explore/commands.hpp"
#include "explore/front.hpp"
#include "explore/front_report.hpp"
#include "explore/point_json.hpp"
#include "folder_test.hpp"

namespace n2d2::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Explored export_of(int number, double rate, int64_t agree, int64_t ram, int64_t flash, int64_t macs,
                   int64_t calls = 10) {
  Explored out;
  out.point.number = number;
  out.accuracy = {100, {{"fc.Target", true, rate, 0.9, agree, 100, 20.0}}};
  out.cost = {ram, flash, 0, 0, 0, macs, calls, 0};
  return out;
}

// Score and agreement up, RAM, flash, multiplications and calls down, by hand:
//   1: 90 %, 95, 1000 B, 500 B      front: the best score
//   2: 89 %, 97,  1000, 500         front: agrees more than 1
//   3: 89 %, 95,  1000, 500         beaten by 1 and by 2
//   4: 80 %, 80,   600, 500         front: the least RAM
//   5: 80 %, 80,   600, 500         as 4, which comes first
//   6: 80 %, 80,   600, 500, 21 dB  as 4, but with a larger SQNR: 4 and 5 are beaten by it
//   7: 85 %, 90,   700, 250         front: the least flash
//   8: 85 %, 90,   700, 250, slower beaten by 7
std::vector<Explored> eight() {
  std::vector<Explored> all{export_of(1, 0.90, 95, 1000, 500, 7), export_of(2, 0.89, 97, 1000, 500, 7),
                            export_of(3, 0.89, 95, 1000, 500, 7), export_of(4, 0.80, 80, 600, 500, 7),
                            export_of(5, 0.80, 80, 600, 500, 7),  export_of(6, 0.80, 80, 600, 500, 7),
                            export_of(7, 0.85, 90, 700, 250, 7),  export_of(8, 0.85, 90, 700, 250, 7, 11)};
  all[5].accuracy.targets[0].sqnr_db = 21.0;
  return all;
}

TEST(Front, KeepsWhatNoOtherBeatsByHand) {
  const std::vector<Explored> all = eight();
  EXPECT_THAT(dominators(all),
              ElementsAre(std::nullopt, std::nullopt, 1, 6, 6, std::nullopt, std::nullopt, 7));
  EXPECT_THAT(front_of(all), ElementsAre(0, 1, 6, 5)) << "by score";
}

TEST(Front, KeepsTheFirstOfEqualExports) {
  std::vector<Explored> all{export_of(1, 0.8, 80, 600, 500, 7), export_of(2, 0.8, 80, 600, 500, 7)};
  EXPECT_THAT(dominators(all), ElementsAre(std::nullopt, 1));
  EXPECT_FALSE(dominates(all[0], all[0]));
}

TEST(Front, CountsInstructionsWhereTheyAreKnown) {
  std::vector<Explored> all{export_of(1, 0.8, 80, 600, 500, 7), export_of(2, 0.8, 80, 600, 500, 9, 99)};
  all[0].cost.instructions = 1000, all[1].cost.instructions = 900;
  EXPECT_THAT(dominators(all), ElementsAre(2, std::nullopt)) << "calls and multiplications say less";
}

TEST(Front, LeavesRefusedExportsOut) {
  std::vector<Explored> all{export_of(1, 0, 0, 0, 0, 0), export_of(2, 0.8, 80, 600, 500, 7)};
  all[0].refused = "no kernel";
  EXPECT_THAT(dominators(all), ElementsAre(std::nullopt, std::nullopt));
  EXPECT_THAT(front_of(all), ElementsAre(1));
}

TEST(Front, TakesErrorsWhereThereAreNoClasses) {
  std::vector<Explored> all{export_of(1, 0, 0, 600, 500, 7), export_of(2, 0, 0, 600, 500, 7)};
  all[0].accuracy = {10, {{"out", false, 0.25, 0.2, 0, 0, 30.0}}};
  all[1].accuracy = {10, {{"out", false, 0.5, 0.2, 0, 0, 40.0}}};
  EXPECT_EQ(all[0].accuracy.score(), -0.25);
  EXPECT_EQ(all[0].accuracy.agreement(), 1);
  EXPECT_THAT(dominators(all), ElementsAre(std::nullopt, 1));
}

TEST(Points, AreAllCombinationsOfWhatIsNotGiven) {
  const auto of = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"net.ini", "-pareto", "-calib", "-1"});
    return points_of(axes_of(parse(arguments).options));
  };
  const std::vector<Point> all = of({});
  ASSERT_EQ(all.size(), 36U);
  EXPECT_EQ(all[0].name(), "w8_v8_e0_none");
  EXPECT_EQ(all[3].name(), "w8_v8_e0_min");
  EXPECT_EQ(all[5].name(), "w4_v8_e0_2of3");
  EXPECT_EQ(all[10].name(), "w8_v16_e0_1of3");
  EXPECT_EQ(all[35].name(), "w8_v16_e2_min");
  EXPECT_EQ(all[35].number, 36);
  EXPECT_EQ(all[35].group, 8);
  EXPECT_EQ(of({"-nbbits", "8"}).size(), 12U) << "also where it is the default";
  EXPECT_EQ(of({"-quant-effort=1"}).size(), 12U);
  EXPECT_EQ(of({"-nbbits", "16", "-quant-effort", "0"})[0].name(), "w16_v16_e0_none");
}

TEST(Points, HaveBudgetsBetweenTheEnds) {
  EXPECT_EQ(memory_budget(BudgetLevel::Unlimited, 1000, 400), "0");
  EXPECT_EQ(memory_budget(BudgetLevel::TwoThirds, 1000, 400), "800");
  EXPECT_EQ(memory_budget(BudgetLevel::OneThird, 1000, 400), "600");
  EXPECT_EQ(memory_budget(BudgetLevel::Least, 1000, 400), "min");
  EXPECT_EQ(memory_budget(BudgetLevel::OneThird, 400, 400), "400");
  EXPECT_EQ(memory_budget(BudgetLevel::Given, 1000, 400), "");
}

TEST(PartOfProcesses, IsANumberOfSome) {
  EXPECT_EQ(part_of("1/3")->index, 1);
  EXPECT_EQ(part_of("1/3")->parts, 3);
  for (const char* wrong : {"", "1", "3/3", "-1/3", "a/3", "1/", "0/0", "1/3/5"})
    EXPECT_FALSE(part_of(wrong)) << wrong;
}

class CommandOfExport : public FolderTest {
 protected:
  static Options options(std::vector<std::string> more) {
    more.insert(more.begin(), {"a net.ini", "-calib=-1"});
    more.emplace_back("-explore");
    return parse(more).options;
  }
  static Explored at(int bits, int activation_bits, const char* budget) {
    Explored out;
    out.point = {7, 1, {bits, activation_bits, 2}, BudgetLevel::OneThird};
    out.memory_budget = budget;
    return out;
  }
};

TEST_F(CommandOfExport, SaysOptionsAsTheyWereTyped) {
  const Options o = options({"-w", "it's here", "-nbbits", "8", "-o", "out", "-nb-test", "5", "-quiet"});
  EXPECT_EQ(command_of(at(8, 0, "0"), o, false),
            "n2d2 'a net.ini' -calib=-1 -w 'it'\\''s here' -o out -nb-test 5 -quiet -export CPP -nbbits 8 "
            "-quant-effort 2 -test");
  EXPECT_EQ(parameters_of(at(8, 0, "0"), o), "");
  EXPECT_EQ(command_of(at(4, 0, "900"), o, true),
            "n2d2 'a net.ini' -calib=-1 -w 'it'\\''s here' -o out -nb-test 5 -quiet -export CPP -nbbits 4 "
            "-quant-effort 2 -export-parameters out/pareto/parameters/w4_v8_e2_1of3.ini -test");
  EXPECT_EQ(parameters_of(at(4, 0, "900"), o), "MemoryBudget=900\n");
}

TEST_F(CommandOfExport, ChangesTheParametersOfTheUser) {
  write(
      "mine.ini",
      "; comment\nNamespace=Mine\n[conv*]\nNoWrap=1\n[default]\nActivationNbBits=4\nTiles=2\n[x]\nTiles=3\n");
  const Options o = options({"-export-parameters", "mine.ini"});
  EXPECT_EQ(parameters_of(at(8, 16, "min"), o),
            "Namespace=Mine\nMemoryBudget=min\n[conv*]\nNoWrap=1\n[default]\nActivationNbBits=16\nTiles=2\n"
            "[x]\nTiles=3\n");
  EXPECT_EQ(parameters_of(at(8, 0, ""), o),
            "Namespace=Mine\n[conv*]\nNoWrap=1\n[default]\nActivationNbBits=4\nTiles=2\n[x]\nTiles=3\n");
}

TEST_F(CommandOfExport, RefusesParametersThatNoLineHolds) {
  ::setenv("N2D2_TEST_LINES", "a\nb", 1);
  write("mine.ini", "Namespace=${N2D2_TEST_LINES}\n");
  const Options o = options({"-export-parameters", "mine.ini"});
  try {
    parameters_of(at(8, 16, "min"), o);
    ADD_FAILURE() << "nothing was refused";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "mine.ini: option -pareto: no line can hold [] Namespace and its value, which a variable has\n"
        "  hint: write the value into the file");
  }
}

TEST(ShellWord, IsReadBackByAShell) {
  EXPECT_EQ(shell_word("a-b_c./d:e=f+1,2"), "a-b_c./d:e=f+1,2");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME `x` \"y\""), "'$HOME `x` \"y\"'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

TEST(ExploredJson, IsReadAsItWasWritten) {
  Explored one = export_of(3, 0.5, 7, 600, 500, 7);
  one.point.integers = {4, 0, 2}, one.point.budget = BudgetLevel::TwoThirds, one.memory_budget = "123";
  one.accuracy.targets.push_back({"b", false, 0.25, 0.125, 0, 0, std::nullopt});
  one.cost.instructions = 12, one.cost.code = 3, one.cost.filling = 2;
  const Explored read = explored_of(json_of(one));
  EXPECT_EQ(json_of(read), json_of(one));
  EXPECT_TRUE(read.point.is_export_of(one.point));
  EXPECT_EQ(read.cost.flash(), 505);
  EXPECT_FALSE(read.accuracy.targets[1].has_classes);
  EXPECT_EQ(read.accuracy.targets[1].sqnr_db, std::nullopt);
  EXPECT_THROW(explored_of(nlohmann::ordered_json::parse("{\"nbbits\": 8}")), nlohmann::json::exception);
}

TEST(FrontText, HasALineAndACommandForEachOfTheFront) {
  Comparison comparison{"net", "CPP", "20 samples", eight(), {}};
  comparison.explored[7].refused = "no kernel";
  for (const Explored& each : comparison.explored)
    comparison.commands.push_back(fmt::format("n2d2 {}", each.point.number));
  const std::string text = front_text(comparison);
  EXPECT_THAT(text, HasSubstr("4 of 8 exports are beaten by no other one\nFloats: 90.00 %\n"));
  EXPECT_THAT(text, HasSubstr("\n1: n2d2 1\n2: n2d2 2\n7: n2d2 7\n6: n2d2 6\nRefused: 8: no kernel\n"));
  const plot::Chart chart = front_chart(comparison);
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_THAT(chart.series[0].x, ElementsAre(89, 80, 80));
  EXPECT_TRUE(chart.series[0].hollow);
  EXPECT_THAT(chart.series[1].labels, ElementsAre("1", "2", "6", "7"));
}

}  // namespace
}  // namespace n2d2::app
