#include "command_line/usage.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/text.hpp"
#include "n2d2/data/database.hpp"
#include "n2d2/loader/help.hpp"
#include "n2d2/loader/network.hpp"

#include "command_line/option_table.hpp"
#include "run_net.hpp"

namespace n2d2::app {
namespace {

TEST(Usage, NamesEachOptionWithItsDefaultAndEveryFact) {
  const std::string text = usage();
  for (const Option& option : options())
    EXPECT_TRUE(has(text, fmt::format("\n  -{} ", option.name)) ||
                has(text, fmt::format("\n  -{}\n", option.name)) ||
                has(text, fmt::format("\n  -{}, ", option.name)))
        << option.name;
  EXPECT_TRUE(has(text, "\n  -seed <n>                     random seed;")) << text;
  EXPECT_TRUE(has(text, "[Floating-point]"));
  EXPECT_TRUE(has(text, "\n  -h, -help  "));
  EXPECT_TRUE(has(text, "\n  -help-layer [type] "));
  for (int group = 0; group < kGroups; ++group)
    EXPECT_TRUE(has(text, fmt::format("\n{}:\n", title(static_cast<Group>(group)))));
  EXPECT_TRUE(has(text, "\n  N2D2_DATA "));
  EXPECT_TRUE(has(text, "\nExit code:\n  0                 done\n  2   "));
}

TEST(Usage, FitsAHundredColumns) {
  for (const std::string& line : split(usage(), '\n')) EXPECT_LE(line.size(), 100U) << line;
}

TEST(Help, NoLineOfATableEndsWithABlank) {
  std::vector<std::vector<std::string>> questions{{"-help-sp"}, {"-help-target"}, {"-help-mapping"}};
  for (const std::string& name : loader::layer_types()) questions.push_back({"-help-layer", name});
  for (const std::string& name : data::databases().names()) questions.push_back({"-help-database", name});
  for (const auto& question : questions) {
    ::testing::internal::CaptureStdout();
    run(parse(question).options);
    for (const std::string& line : split(::testing::internal::GetCapturedStdout(), '\n'))
      EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(Usage, HangsTextBesideItsTerm) {
  EXPECT_EQ(hanging("  a", "b c", 6), "  a   b c\n");
  EXPECT_EQ(hanging("  a long term", "b c", 6), "  a long term\n      b c\n");
  const std::string word(60, 'w');
  EXPECT_EQ(hanging("  a", word + " " + word, 6), "  a   " + word + "\n      " + word + "\n");
}

// Command lines that are shown are ones that the program takes.
TEST(Usage, ShowsExamplesThatAreAccepted) {
  for (const Fact& fact : examples()) {
    std::vector<std::string> arguments = words(fact.term);
    ASSERT_EQ(arguments.front(), "n2d2");
    arguments.erase(arguments.begin());
    const CommandLine line = parse(arguments);
    EXPECT_EQ(line.idle, std::vector<std::string>{}) << fact.term;
  }
}

std::string told(const std::vector<std::string>& arguments) {
  ::testing::internal::CaptureStdout();
  try {
    run(parse(arguments).options);
  } catch (const ConfigError& error) {
    return ::testing::internal::GetCapturedStdout() + error.what();
  }
  return ::testing::internal::GetCapturedStdout();
}

TEST(Help, ListsWhatThereIsAndWhatIsOnlyKnown) {
  EXPECT_TRUE(has(told({"-help-layer"}), "Conv\n"));
  for (const std::string& name : loader::other_layer_types())
    EXPECT_TRUE(has(told({"-help-layer"}), "\n" + name + " ")) << name;
  for (const std::string& name : data::other_databases()) {
    EXPECT_TRUE(has(told({"-help-database", "list"}), name + " ")) << name;
    EXPECT_TRUE(has(told({"-help-database", name}),
                    "database '" + name + "' is known to N2D2, not supported\n  hint: known: "));
  }
  EXPECT_TRUE(has(told({"-help-transformation"}), "RescaleTransformation\n"));
  EXPECT_EQ(told({"-help-solver", "list"}), told({"-help-solver"}));
  EXPECT_TRUE(has(told({"-help-filler"}), "HeFiller\n"));
  EXPECT_TRUE(has(told({"-help-activation"}), "Tanh\nTanhLeCun\n"));
}

TEST(Help, TellsTheKeysOfEverySubject) {
  EXPECT_TRUE(has(told({"-help-activation", "Rectifier"}), "ActivationFunction=Rectifier\n  LeakSlope "));
  EXPECT_TRUE(has(told({"-help-activation", "Tan"}), "unknown activation 'Tan'; did you mean 'Tanh'?"));
  EXPECT_TRUE(has(told({"-help-sp"}), "[sp], [env]\n  Size "));
  EXPECT_TRUE(has(told({"-help-target"}), "[<layer>.Target]\n  Type "));
  EXPECT_TRUE(has(told({"-help-mapping"}), "  Mapping.NbIterations     an integer >= 0 [0]\n"));
  EXPECT_TRUE(has(told({"-help-layer", "Conv", "-help-solver", "SGD"}), "LearningRatePolicy"));
  const std::string version = told({"--version"});
  EXPECT_TRUE(version.starts_with("n2d2 ")) << version;
}

}  // namespace
}  // namespace n2d2::app
