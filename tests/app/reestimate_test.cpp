// Which statistics do batch normalizations have after -bn-reestimate?
#include <filesystem>

#include <gtest/gtest.h>

#include "n2d2/base/parallel.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"

namespace n2d2::app {
namespace {

const std::string kData =
    "DefaultModel=Frame\n"
    "[database]\nType=Glyphs_Database\nLearn=100\nValidation=40\nTest=40\nWidth=14\nHeight=14\n"
    "[sp]\nSize=14 14\nBatchSize=20\n"
    "[conv1]\nInput=sp\nType=Conv\nKernelSize=3\nNbOutputs=4\nWeightsFiller=HeFiller\n"
    "QWeight=LSQ\nQWeight.Range=15\n";
const std::string kNorm =
    "[bn1]\nInput=conv1\nType=BatchNorm\nNbOutputs=4\nActivationFunction=Linear\nQAct=LSQ\nQAct.Range=15\n"
    "[fc]\nInput=bn1\nType=Fc\nNbOutputs=10\nWeightsFiller=XavierFiller\n";
const std::string kEnd = "[softmax]\nInput=fc\nType=Softmax\nNbOutputs=10\nWithLoss=1\n[softmax.Target]\n";

class Reestimated : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.ini", kData + kNorm + kEnd);
  }
  void expect_error(const std::vector<std::string>& arguments, const std::string& message) {
    try {
      run_net(arguments);
      FAIL() << message;
    } catch (const ConfigError& error) {
      EXPECT_TRUE(has(error.what(), message)) << error.what();
    }
  }
};

TEST_F(Reestimated, FollowFromWeightsAndSeedAlone) {
  const std::string learnt = run_net({"-seed", "1", "-learn-epoch", "1", "-bn-reestimate", "7"});
  EXPECT_TRUE(has(learnt, "BatchNorm: means and variances of 7 batches of Learn\n")) << learnt;
  EXPECT_TRUE(has(learnt, "'weights_reestimated' saved!")) << learnt;
  std::filesystem::rename("weights_reestimated", "behind_learning");
  const int threads = max_threads();
  set_max_threads(3);
  run_net({"-w", "weights_validation", "-bn-reestimate", "7"});
  set_max_threads(threads);
  size_t others = 0;
  for (const auto& file : std::filesystem::directory_iterator("weights_validation")) {
    const std::string name = file.path().filename().string();
    EXPECT_EQ(read("behind_learning/" + name), read("weights_reestimated/" + name)) << name;
    others += read("weights_reestimated/" + name) != read("weights_validation/" + name) ? 1 : 0;
  }
  EXPECT_EQ(others, 2U) << "means and variances";
  // They are what the run is tested with, too.
  const std::string tested = run_net({"-w", "weights_reestimated", "-test"});
  const size_t at = learnt.find("Final recognition rate");
  ASSERT_NE(at, std::string::npos) << learnt;
  EXPECT_TRUE(has(tested, learnt.substr(at, learnt.find('(', at) - at))) << tested << learnt;
}

TEST_F(Reestimated, NeedABatchNormAndGrids) {
  expect_error({"-seed", "1", "-w", "/dev/null", "-bn-reestimate", "2"},
               "option -bn-reestimate: steps of activations have not been learnt yet");
  write("net.ini", kData + "[fc]\nInput=conv1\nType=Fc\nNbOutputs=10\nWeightsFiller=XavierFiller\n" + kEnd);
  expect_error({"-seed", "1", "-w", "/dev/null", "-bn-reestimate", "2"},
               "option -bn-reestimate: no BatchNorm takes statistics of batches");
}

TEST_F(Reestimated, StandBesideWhatGoesOn) {
  expect_error({"-analyze", "-bn-reestimate", "2"}, "option -bn-reestimate cannot stand beside -analyze");
  expect_error({"-find-lr", "100", "-bn-reestimate", "2"},
               "option -bn-reestimate cannot stand beside -find-lr");
  expect_error({"-bn-reestimate", "0"}, "option -bn-reestimate: expected");
}

}  // namespace
}  // namespace n2d2::app
