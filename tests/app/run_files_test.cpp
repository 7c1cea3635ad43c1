#include "learn/run_files.hpp"

#include <algorithm>

#include "n2d2/config/ini_document.hpp"

#include "folder_test.hpp"
#include "pictures.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

namespace fs = std::filesystem;

class RunFiles : public FolderTest {
 protected:
  static loader::Network network(const std::string& text) {
    const log::Capture quiet;
    config::IniDocument ini = config::parse_ini(text, "net.ini");
    return loader::network(ini, {1, false, {}});
  }
  static std::string chain(const std::string& layers) {
    return "DefaultModel=Frame\n[database]\nType=Glyphs_Database\nLearn=20\nTest=20\nWidth=24\nHeight=24\n"
           "[sp]\nSize=24 24\n" +
           layers + "[fc.Target]\n";
  }
  static int64_t lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }
};

TEST_F(RunFiles, CountsThePixelsThatEachPixelDependsOn) {
  const loader::Network net = network(chain(
      "[conv]\nInput=sp\nType=Conv\nKernelSize=3\nStride=2\nNbOutputs=4\nActivationFunction=Rectifier\n"
      "[pool]\nInput=conv\nType=Pool\nPoolDims=2 2\nStride=2\nNbOutputs=4\nPooling=Max\nMapping.NbGroups=4\n"
      "[wide]\nInput=pool\nType=Conv\nKernelDims=1 3\nNbOutputs=2\n"
      "[fc]\nInput=wide\nType=Fc\nNbOutputs=10\n"));
  const auto row = [](const char* name, const char* field, const char* step) {
    return fmt::format("{:<32} {:>16} {:>16}\n", name, field, step);
  };
  // 24 -> 11 -> 5 -> 5 x 3 -> 1: sizes 3, 3 + 2, 5 + 2 * 4 along y; the Fc sees all 5 columns, 5 + 4 * 4, of
  // them and all 3 rows, 13 + 2 * 4.
  EXPECT_EQ(receptive_fields_text(net.graph), row("layer", "field", "step") + row("conv", "3x3", "2x2") +
                                                  row("conv_act", "3x3", "2x2") + row("pool", "5x5", "4x4") +
                                                  row("wide", "5x13", "4x4") + row("fc", "21x21", "4x4"));
}

TEST_F(RunFiles, DrawsABoxForEachLayerAndItsActivation) {
  const loader::Network net = network(
      chain("[a]\nInput=sp\nType=Conv\nKernelSize=3\nStride=2\nNbOutputs=4\nActivationFunction=Rectifier\n"
            "[b]\nInput=a\nType=Conv\nKernelSize=1\nNbOutputs=4\n"
            "[sum]\nInput=a,b\nType=ElemWise\nOperation=Sum\nNbOutputs=4\n"
            "[fc]\nInput=sum\nType=Fc\nNbOutputs=10\n"));
  const plot::Diagram diagram = network_diagram(net.graph, "net");
  ASSERT_EQ(diagram.nodes.size(), 5U);
  using Lines = std::vector<std::string>;
  EXPECT_EQ(diagram.nodes[1].lines, (Lines{"a", "Conv 3x3 / 2 + Relu", "4x11x11"}));
  EXPECT_EQ(diagram.nodes[4].lines, (Lines{"fc", "Fc", "10x1x1", "output"}));
  EXPECT_EQ(diagram.edges, (std::vector<std::pair<int, int>>{{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 4}}));
}

TEST_F(RunFiles, WritesTheCurveOfLearning) {
  const std::vector<training::CurvePoint> curve{{200, 1, 2.25, 0.125, 0.5}, {400, 2, 1.5, 0.25, {}}};
  EXPECT_EQ(curve_text(curve, "Sensitivity"),
            "# stimuli epoch loss learning validation (Sensitivity)\n"
            "200 1 2.25 0.125000 0.500000\n400 2 1.5 0.250000 -\n");
  const plot::Chart chart = success_chart(curve, "Sensitivity");
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].y, (std::vector<double>{12.5, 25}));
  EXPECT_EQ(chart.series[1].x, (std::vector<double>{200}));
  EXPECT_EQ(loss_chart(curve).series[0].y, (std::vector<double>{2.25, 1.5}));
}

TEST_F(RunFiles, DrawsHowTheSuccessSettles) {
  const plot::Chart chart = running_success_chart(std::vector<float>{1, 0, 0.5F, 1}, "t");
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].x, (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(chart.series[0].y, (std::vector<double>{100, 50, 50, 62.5}));
  const plot::Chart long_one = running_success_chart(std::vector<float>(2500, 1), "t");
  EXPECT_EQ(long_one.series[0].x.size(), 834U);
  EXPECT_EQ(long_one.series[0].x.back(), 2500);
  EXPECT_TRUE(running_success_chart({}, "t").series[0].x.empty());
}

TEST_F(RunFiles, MarksWhatIntegersReachInAHistogram) {
  quantize::Histogram histogram(-1, 1, 1000);
  histogram.insert(0.999, 5);
  histogram.insert(-0.999, 2);
  QuantParams integers;
  integers.scale = {0.5F / 127};
  const plot::Chart chart = histogram_chart("conv", histogram, integers);
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].y.size(), 250U);
  EXPECT_EQ(chart.series[0].x.size(), 251U);
  EXPECT_EQ(chart.series[0].y.front(), 2);
  EXPECT_EQ(chart.series[0].y.back(), 5);
  ASSERT_EQ(chart.markers.size(), 2U);
  EXPECT_NEAR(chart.markers[0].x, 0.5, 1e-6);
  EXPECT_EQ(chart.markers[0].label, "0.5: 127");
  EXPECT_NEAR(chart.markers[1].x, -0.5 * 128 / 127, 1e-6);
  EXPECT_EQ(chart.title, "conv: 100.000 % clipped");
  EXPECT_EQ(clipped_share(histogram, integers), 1);
  histogram.insert(0.25, 21);
  EXPECT_EQ(clipped_share(histogram, integers), 0.25);
  integers.is_signed = false, integers.bits = 8, integers.scale = {2.0F / 255};
  EXPECT_EQ(histogram_chart("conv", histogram, integers).markers.size(), 1U) << "0 is no limit";
}

TEST_F(RunFiles, AreWrittenWhenTheyAreAskedFor) {
  std::string text = kSmallNet +
                     "Solvers.LearningRatePolicy=StepDecay\nSolvers.LearningRateStepSize=200\n"
                     "Solvers.LearningRateDecay=0.5\n";
  write("net.ini", text.insert(text.find("[learn]"), "TopN=2\n"));
  run_net({"-seed", "1", "-learn-epoch", "2"});
  EXPECT_EQ(lines(read("softmax.Target/learning_curve.dat")), 3);
  for (const char* name : {"map", "schedule", "frames", "net.ini.svg", "receptive_fields.log"})
    EXPECT_FALSE(fs::exists(name)) << name;
  const std::string out = run_net({"-seed", "1", "-learn-epoch", "2", "-log-files"});
  for (const char* file :
       {"map/conv_map.dat", "map/fc_map.dat", "frames/frame_9.dat", "frames/test_frame_0.dat", "net.ini.svg",
        "net.ini.png", "receptive_fields.log", "schedule/learning_rate.svg",
        "softmax.Target/learning_curve.svg", "softmax.Target/learning_loss.png",
        "softmax.Target/ConfusionMatrix_test.svg", "softmax.Target/Success_learning.svg",
        "softmax.Target/Success_validation.png", "softmax.Target/Success_test.svg",
        "softmax.Target/Success_test.png", "softmax.Target/SuccessTopN_test.svg",
        "softmax.Target/SuccessTopN_validation.dat"})
    EXPECT_TRUE(fs::exists(file)) << file;
  EXPECT_EQ(read("map/conv_map.dat"), "1 1 1 1\n");
  EXPECT_EQ(lines(read("frames/frame_0.dat")), 13);
  EXPECT_EQ(lines(read("frames/frames.txt")), 21);
  EXPECT_EQ(read("frames/frame_9.png").substr(1, 3), "PNG");
  EXPECT_EQ(read("frames/test_frame_0.png").substr(16, 8), std::string("\0\0\0\x0c\0\0\0\x0c", 8));
  // 2 epochs of 10 batches; the second epoch has half the rate.
  const std::string rates = read("schedule/learning_rate.dat");
  EXPECT_EQ(lines(rates), 21);
  EXPECT_TRUE(has(rates, "# stimuli \"conv_weights and 3 more\"\n0 0.1\n")) << rates;
  EXPECT_TRUE(has(rates, "\n180 0.1\n200 0.05\n")) << rates;
  // Each sample that is not right has its line.
  const std::string success = read("softmax.Target/Success_test.dat");
  int64_t wrong = 0;
  for (size_t at = 0; (at = success.find(" 0\n", at)) != std::string::npos; ++at) ++wrong;
  EXPECT_EQ(lines(read("softmax.Target/Misclassified_test.dat")), 1 + wrong);
}

TEST_F(RunFiles, OfAnExportLieInItsStatistics) {
  N2D2_NEEDS_TARGETS("CPP");
  write("net.ini", kSmallNet);
  run_net(
      {"-seed", "1", "-w", "/dev/null", "-export", "CPP", "-calib", "10", "-db-export", "0", "-log-files"});
  for (const char* file : {"export_CPP_int8/statistics/calibration/outputs_histogram/conv.svg",
                           "weights_export/conv_weights.syntxt"})
    EXPECT_TRUE(fs::exists(file)) << file;
}

}  // namespace
}  // namespace n2d2::app
