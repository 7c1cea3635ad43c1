#include <filesystem>

#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"

#include "../working_folder.hpp"
#include "ini_text.hpp"
#include "model_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;

int64_t weights(const Network& net) {
  int64_t sum = 0;
  for (const Parameter& parameter : net.parameters)
    if (parameter.solver) sum += net.graph.value(parameter.constant).type.shape.elements();
  return sum;
}

/// Models keep statistics of their samples where they run.
class Models : public testing::Test {
  WorkingFolder folder_;
};

TEST_F(Models, LenetOnGlyphsBuildsWithoutWarning) {
  log::Capture capture;
  config::IniDocument ini = config::read_ini(N2D2_SOURCE_DIR "/models/lenet_glyphs.ini");
  Network net = network(ini, {1, true, {}});
  fill(net);
  graph::verify(net.graph);
  EXPECT_EQ(capture.text(), "");
  EXPECT_EQ(net.name, "lenet_glyphs");
  EXPECT_EQ(net.targets.size(), 1U);
  EXPECT_EQ(net.graph.value(net.graph.outputs().at(0)).type.shape, (Shape{1, 10, 1, 1}));
  EXPECT_GT(weights(net), 20000);
}

TEST_F(Models, EveryShippedModelBuildsWithoutWarning) {
  const auto models = shipped_models();
  EXPECT_GE(models.size(), 15U);
  for (const fs::path& path : models) {
    SCOPED_TRACE(path.filename().string());
    log::Capture capture;
    config::IniDocument ini = small_model(path);
    Network net = network(ini, {1, true, {}});
    fill(net);
    graph::verify(net.graph);
    // What shows its input is built without samples here.
    if (net.data->size(data::Partition::Learn) > 0)
      EXPECT_EQ(capture.text(), "");
    else
      EXPECT_TRUE(capture.text().ends_with("there are no samples\n")) << capture.text();
  }
}

}  // namespace
}  // namespace n2d2::loader
