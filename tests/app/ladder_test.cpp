#include "ladder/ladder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr const char* kFolder = "calib_net_int8/statistics/";
constexpr std::array kLayers = {"conv1", "conv2", "conv3"};

/// Three convolutions whose values have so many bits, 0: those of the export.
std::string net_of(const std::vector<int>& bits, int weight_bits = 0) {
  std::string out =
      "DefaultModel=Frame\n"
      "[database]\nType=Glyphs_Database\nLearn=1000\nValidation=220\nTest=60\nWidth=12\nHeight=12\n"
      "[sp]\nSize=12 12\nBatchSize=20\n";
  std::string before = "sp";
  for (size_t i = 0; i < kLayers.size(); ++i) {
    out += fmt::format(
        "[{}]\nInput={}\nType=Conv\nKernelSize=3\nNbOutputs=8\n{}\nActivationFunction=Rectifier\n"
        "WeightsFiller=HeFiller\nConfigSection=learn\n",
        kLayers[i], before, i == 0 ? "Stride=2" : "Padding=1");
    if (bits.at(i) > 0) out += fmt::format("ActivationNbBits={}\n", bits[i]);
    if (weight_bits > 0) out += fmt::format("WeightNbBits={}\n", weight_bits);
    before = kLayers[i];
  }
  return out +
         "[fc]\nInput=conv3\nType=Fc\nNbOutputs=10\nWeightsFiller=XavierFiller\nConfigSection=learn\n"
         "[softmax]\nInput=fc\nType=Softmax\nNbOutputs=10\nWithLoss=1\n[softmax.Target]\n"
         "[learn]\nSolvers.LearningRate=0.05\nSolvers.Momentum=0.9\n";
}

class LadderOfExport : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
    write("net.ini", net_of({0, 0, 0}));
    if (learnt_.empty()) learn();
    std::filesystem::create_directory("weights_validation");
    for (const auto& [name, content] : learnt_) write("weights_validation/" + name, content);
  }
  static void learn() {
    run_net({"-seed", "1", "-learn-epoch", "12"});
    for (const auto& file : std::filesystem::directory_iterator("weights_validation"))
      learnt_[file.path().filename().string()] = read(file.path().string());
  }
  static std::string calibrate(const std::string& net, std::vector<std::string> more) {
    write("net.ini", net);
    std::vector<std::string> arguments{"-seed", "1", "-calibOnly", "-calib", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_net(arguments);
  }
  static Json ladder() { return Json::parse(read(std::string(kFolder) + "ladder.json")); }

 private:
  static inline std::map<std::string, std::string> learnt_;  // files of weights, once for all tests
};

TEST_F(LadderOfExport, ChangesNothingWhereTheGoalIsReached) {
  const std::string out = calibrate(net_of({0, 0, 0}), {"-max-drop", "5"});
  EXPECT_THAT(
      out, HasSubstr("Accuracy: at most 5 points below floats is asked for, on 200 Validation samples that "
                     "did not calibrate; floats: "));
  EXPECT_THAT(out, HasSubstr("  as it is\n"));
  EXPECT_THAT(out, HasSubstr("    One sample is 0.50 points, the standard error of the difference "));
  const Json found = ladder();
  ASSERT_EQ(found.at("rungs").size(), 1U);
  EXPECT_TRUE(found.at("rungs").at(0).at("holds"));
  EXPECT_TRUE(found.at("widths").empty());
}

/// The fewest values of 16 bits are found by the exports of all choices, each one a network file of its own.
TEST_F(LadderOfExport, WidensTheFewestValues) {
  const std::vector<std::string> plain{"-no-cle", "-quant-effort", "0"};
  const auto with = [&](const char* drop) {
    std::vector<std::string> out = plain;
    out.insert(out.end(), {"-max-drop", drop});
    return out;
  };
  const std::string out = calibrate(net_of({2, 2, 2}), with("3"));
  const Json found = ladder();
  EXPECT_FALSE(found.at("rungs").front().at("holds"));
  EXPECT_TRUE(found.at("rungs").back().at("holds"));
  EXPECT_TRUE(found.at("is_fewest"));
  const auto fewest = static_cast<int>(found.at("widths").size());
  ASSERT_GT(fewest, 0);
  EXPECT_THAT(out, HasSubstr("    These keys ask for the same: ["));
  EXPECT_THAT(out, HasSubstr("    No choice of fewer values of 16 bits is enough: all were measured\n"));
  std::vector<int> chosen(3, 2);
  for (const Json& widths : found.at("widths")) {
    EXPECT_EQ(widths.at("activation_bits"), 16);
    for (size_t i = 0; i < kLayers.size(); ++i)
      if (widths.at("layer") == kLayers[i]) chosen[i] = 16;
  }
  const int64_t right = found.at("rungs").back().at("right"), floats = found.at("floats_right");
  for (unsigned mask = 0; mask < 8; ++mask) {
    std::vector<int> bits(3, 2);
    for (size_t i = 0; i < bits.size(); ++i)
      if ((mask >> i & 1U) != 0) bits[i] = 16;
    calibrate(net_of(bits), with("100"));
    const Json alone = ladder();
    EXPECT_EQ(alone.at("floats_right"), floats);
    const int64_t has = alone.at("rungs").at(0).at("right");
    if (bits == chosen) {
      EXPECT_EQ(has, right) << "the network file with the keys is what was measured";
    }
    if (std::popcount(mask) < fewest) {
      EXPECT_LT(has, floats - 3 * 2) << "mask " << mask;  // 3 points of 200
    }
  }
}

TEST_F(LadderOfExport, LearnsWeights) {
  const std::string out = calibrate(net_of({0, 0, 0}, 2), {"-max-drop", "2"});
  EXPECT_THAT(out, HasSubstr("weights are learnt by blocks (-quant-effort 2)"));
  const Json found = ladder();
  EXPECT_EQ(found.at("rungs").at(1).at("what"), "weights learnt by blocks");
  EXPECT_TRUE(found.at("rungs").back().at("holds"));
  EXPECT_LT(found.at("rungs").front().at("right"), found.at("rungs").back().at("right"));
}

TEST_F(LadderOfExport, WidensNarrowWeights) {
  calibrate(net_of({0, 0, 0}, 2), {"-max-drop", "3", "-quant-effort", "0"});
  const Json found = ladder();
  EXPECT_FALSE(found.at("rungs").front().at("holds"));
  ASSERT_TRUE(found.at("rungs").back().at("holds")) << found.dump(1);
  EXPECT_GT(found.at("rungs").back().at("parameter_bytes"), found.at("rungs").front().at("parameter_bytes"));
  ASSERT_FALSE(found.at("widths").empty());
  EXPECT_TRUE(std::any_of(found.at("widths").begin(), found.at("widths").end(), [](const Json& widths) {
    return widths.at("weight_bits") == 8;
  })) << found.dump(1);
}

/// A budget of exactly what bytes take has no room for 16 bits.
TEST_F(LadderOfExport, IsRefusedWithWhatWasReachedInTheBudget) {
  const std::vector<std::string> plain{"-no-cle", "-quant-effort", "0", "-max-drop", "100"};
  calibrate(net_of({2, 2, 2}), plain);
  const Json found = ladder();
  const Json& rung = found.at("rungs").at(0);
  std::filesystem::remove_all("calib_net_int8");
  write("budget.ini", fmt::format("MemoryBudget={}\n", rung.at("ram_bytes").get<int64_t>()));
  std::vector<std::string> options = plain;
  options.back() = "3";
  options.insert(options.end(), {"-export-parameters", "budget.ini"});
  try {
    calibrate(net_of({2, 2, 2}), options);
    FAIL();
  } catch (const ExportError& error) {
    EXPECT_THAT(std::string(error.what()),
                HasSubstr(fmt::format(
                    "at most 3 points below floats is asked for, on 200 Validation samples that did "
                    "not calibrate: no rung is enough, the best has {} of 200 right",
                    rung.at("right").get<int64_t>())));
    EXPECT_FALSE(std::filesystem::exists("calib_net_int8"));
  }
}

TEST_F(LadderOfExport, RefusesMoreThanFloatsReach) {
  try {
    calibrate(net_of({0, 0, 0}), {"-min-accuracy", "1"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(std::string(error.what()),
                HasSubstr("option -min-accuracy: [softmax.Target]: expected a share that floats reach, 0."));
  }
}

TEST_F(LadderOfExport, IsTakenFromTheCalibrationThatIsReloaded) {
  const std::vector<std::string> options{"-max-drop", "3", "-no-cle", "-quant-effort", "0"};
  calibrate(net_of({2, 2, 2}), options);
  const std::string integers = read(std::string(kFolder) + "quantization.json");
  std::vector<std::string> again = options;
  again.emplace_back("-calib-reload");
  const std::string out = calibrate(net_of({2, 2, 2}), again);
  EXPECT_THAT(out, HasSubstr("layers, as chosen before"));
  EXPECT_EQ(read(std::string(kFolder) + "quantization.json"), integers);
  again[1] = "4";
  EXPECT_THROW(calibrate(net_of({2, 2, 2}), again), ConfigError);
}

TEST_F(LadderOfExport, IsRefusedWhereTheExportDoesNotRun) {
  N2D2_NEEDS_TARGETS("PRINT");
  try {
    run_net({"-seed", "1", "-export", "PRINT", "-calib", "20", "-max-drop", "1"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(std::string(error.what()),
                HasSubstr("option -max-drop: '-export PRINT' does not run in process"));
  }
}

TEST_F(LadderOfExport, SaysWhichSamplesJudge) {
  write("net.ini", net_of({0, 0, 0}));
  EXPECT_THAT(
      run_net({"-seed", "1", "-calibOnly", "-calib", "-1", "-max-drop", "50"}),
      HasSubstr("option -max-drop: judged by Learn samples, which a network may know; '-calib n' leaves "
                "others of Validation"));
}

}  // namespace
}  // namespace n2d2::app
