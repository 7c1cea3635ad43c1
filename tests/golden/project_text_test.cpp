// Does a generated project read as its golden files do? scripts/update_goldens.sh writes them anew.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "e2e/exported.hpp"
#include "golden/fixed_network.hpp"

namespace n2d2::golden {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// What is always 0 or always saturated would show no mistake.
TEST(FixedNetwork, HasManyValuesInEveryLayer) {
  const targets::cpp::Project project = fixed_project();
  std::map<std::string, std::set<int>> values;
  std::set<int32_t> classes;
  for (const exporter::Stimulus& stimulus : fixed_stimuli(project)) {
    classes.insert(stimulus.expected.at(0).at(0));
    for (const targets::cpp::LayerOutput& layer : project.host_run_layers(stimulus.input))
      for (int64_t i = 0; i < layer.tensor.elements(); ++i)
        values[layer.cell].insert(static_cast<const uint8_t*>(layer.tensor.raw())[i]);
  }
  EXPECT_EQ(values.size(), 8U);
  for (const auto& [cell, found] : values) EXPECT_GE(found.size(), 10U) << cell;
  EXPECT_GE(classes.size(), 2U);
}

TEST(ProjectText, IsThatOfTheGoldenFiles) {
  const e2e::TemporaryFolder folder;
  const targets::cpp::Project project = fixed_project();
  project.write(folder.path() / "project", judged_samples(project), {});
  const fs::path golden = fs::path(N2D2_SOURCE_DIR) / "tests" / "golden" / "project";
  for (const char* file : {"dnn/src/forward.cpp", "dnn/include/cells/conv1.hpp", "dnn/src/cells/conv1.cpp",
                           "dnn/include/mem_info.hpp", "include/Instance.hpp"}) {
    const std::string found = text_of(folder.path() / "project" / file);
    EXPECT_FALSE(found.empty()) << file;
    const fs::path expected = golden / fs::path(file).filename();
    if (std::getenv("N2D2_UPDATE_GOLDENS") != nullptr) std::ofstream(expected, std::ios::binary) << found;
    EXPECT_EQ(found, text_of(expected)) << file;
  }
}

TEST(ProjectText, NamesTheArenaOfATensorWhereThereAreSeveral) {
  const e2e::TemporaryFolder folder;
  targets::cpp::Parameters parameters;
  parameters.memories = {{.name = "fast", .size = 100}, {.name = "slow"}};
  parameters.layers = {{"", {}, {{}, {"fast", "slow"}}}};
  const targets::cpp::Project project = fixed_project(parameters);
  project.write(folder.path() / "project", judged_samples(project), {});
  const std::string places = text_of(folder.path() / "project" / "dnn" / "include" / "mem_info.hpp");
  EXPECT_NE(places.find("// In memory_fast.\n"), std::string::npos) << places;
  EXPECT_NE(places.find("// In memory_slow.\n"), std::string::npos) << places;
}

}  // namespace
}  // namespace n2d2::golden
