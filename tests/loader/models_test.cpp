#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "n2d2/graph/verify.hpp"

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;

int64_t weights(const Network& net) {
  int64_t sum = 0;
  for (const Parameter& parameter : net.parameters)
    if (parameter.solver) sum += net.graph.value(parameter.constant).type.shape.elements();
  return sum;
}

TEST(Models, LenetOnGlyphsBuildsWithoutWarning) {
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

/// Every shipped model, with the database replaced by drawn pictures of the same size: what depends on data at
/// hand is tested where the data are.
TEST(Models, EveryShippedModelBuildsWithoutWarning) {
  int models = 0;
  for (const auto& entry : fs::directory_iterator(N2D2_SOURCE_DIR "/models")) {
    // Networks of ONNX files need those files: tests/bench/onnx_models.py runs them.
    if (entry.path().extension() != ".ini" || entry.path().stem().string().ends_with("_onnx")) continue;
    ++models;
    log::Capture capture;
    std::ifstream in(entry.path());
    std::stringstream all;
    all << in.rdbuf();
    std::string text = all.str();
    const bool mnist = text.find("Type=MNIST") != std::string::npos,
               cifar = text.find("Type=CIFAR") != std::string::npos;
    const size_t begin = text.find("[database]"), end = text.find("\n[", begin);
    text.replace(begin, end - begin,
                 cifar   ? "[database]\nType=Glyphs_Database\nWidth=32\nHeight=32\nNbChannels=3\nLearn=40\n"
                 : mnist ? "[database]\nType=Glyphs_Database\nLearn=40\n"
                         : text.substr(begin, end - begin));
    config::IniDocument ini = config::parse_ini(text, entry.path().filename().string());
    Network net = network(ini, {1, true, {}});
    fill(net);
    graph::verify(net.graph);
    EXPECT_EQ(capture.text(), "") << entry.path();
  }
  EXPECT_GE(models, 2);
}

}  // namespace
}  // namespace n2d2::loader
