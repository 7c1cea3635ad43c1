// Does a network with a long map between two fully connected layers fit a few bytes, with the same scores?
#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "e2e/exported.hpp"
#include "e2e/special_networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

constexpr int kInputs = 16 * 16, kBetween = 600, kClasses = 10, kSlice = 15;

struct Case {
  const char* name;
  RescaleMode rescaling;
  int output_bits;
  targets::cpp::Optimize optimize;
  const char* make;
};

class WideLayers : public testing::TestWithParam<Case> {};

TEST_P(WideLayers, NeedNoMapBetweenThem) {
  const log::Capture quiet;
  const Case& c = GetParam();
  Settings settings;
  settings.rescaling = c.rescaling;
  settings.parameters.output_bits = c.output_bits;
  settings.parameters.reference_stimuli = 100;
  const Exported whole = run_pipeline(ini_of(kWide), settings);
  settings.parameters.memory_budget = {targets::cpp::MemoryBudget::Kind::Least, 0};
  settings.parameters.optimize = c.optimize;
  settings.parameters.check_memory = true;
  const Exported least = run_pipeline(ini_of(kWide), settings);
  const int score = c.output_bits / 8;
  EXPECT_GE(whole.project->memory().peak, kInputs + kBetween);
  // Scores of four bytes lie at a multiple of four; sums find theirs in scratch.
  EXPECT_LE(least.project->memory().peak, kInputs + kClasses * (score + 4) + kSlice + 2 * 3);
  for (const exporter::Stimulus& stimulus : whole.stimuli) {
    const auto expected = outputs_by_cell(*whole.project, stimulus.input);
    const auto found = outputs_by_cell(*least.project, stimulus.input);
    ASSERT_FALSE(found.contains("fc1"));
    EXPECT_TRUE(found.at("fc2") == expected.at("fc2"));
  }
  const TemporaryFolder folder;
  const fs::path project = folder.path() / "export_CPP_int8";
  least.project->write(project, samples_of(least), {});
  const CommandResult make = run_command(project, std::string("make -s ") + c.make);
  ASSERT_EQ(make.status, 0) << make.output;
  const CommandResult run = run_command(project, "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("fc2: "), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << run.output;
  const CommandResult timed = run_command(project, "./bin/run_export -nb 1 -time 2");
  EXPECT_NE(timed.output.find("loop_nest"), std::string::npos) << timed.output;
}

INSTANTIATE_TEST_SUITE_P(Each, WideLayers,
                         testing::Values(Case{"Sanitized", RescaleMode::FloatingPoint, 32,
                                              targets::cpp::Optimize::Speed, kMakeSanitized},
                                         Case{"FixedPointForSize", RescaleMode::FixedPoint32, 32,
                                              targets::cpp::Optimize::Size, "CXX=g++ OPENMP=0"},
                                         Case{"OfEightBits", RescaleMode::FloatingPoint, 8,
                                              targets::cpp::Optimize::Speed, "CXX=g++ CXXFLAGS=-O3"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace n2d2::e2e
