// Are the integers that ship those of a network that learnt with quantizers?
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

/// Weights of 4 bits by two rules, activations of 4 bits by two, an average pool between them.
const std::string kNet =
    "DefaultModel=Frame\n"
    "[database]\nType=Glyphs_Database\nLearn=400\nValidation=100\nTest=200\nWidth=14\nHeight=14\n"
    "[sp]\nSize=14 14\nBatchSize=20\n"
    "[conv1]\nInput=sp\nType=Conv\nKernelSize=3\nNbOutputs=6\nWeightsFiller=HeFiller\n"
    "ConfigSection=learn,plain\nQWeight=SAT\nQWeight.Range=15\nQWeight.QuantMode=Symmetric\n"
    "[bn1]\nInput=conv1\nType=BatchNorm\nNbOutputs=6\nConfigSection=learn\nActivationFunction=Linear\n"
    "QAct=SAT\nQAct.Range=15\nQAct.Alpha=4\n"
    "[conv2]\nInput=bn1\nType=Conv\nKernelSize=3\nStride=2\nNbOutputs=8\nWeightsFiller=HeFiller\n"
    "ConfigSection=learn,plain\nQWeight=LSQ\nQWeight.Range=15\n"
    "[bn2]\nInput=conv2\nType=BatchNorm\nNbOutputs=8\nConfigSection=learn\nActivationFunction=Linear\n"
    "QAct=LSQ\nQAct.Range=15\n"
    "[pool]\nInput=bn2\nType=Pool\nPooling=Average\nPoolSize=2\nStride=2\nNbOutputs=8\nMapping.Size=1\n"
    "[fc]\nInput=pool\nType=Fc\nNbOutputs=10\nWeightsFiller=XavierFiller\nConfigSection=learn\n"
    "QWeight=SAT\nQWeight.QuantMode=Symmetric\nQWeight.ApplyScaling=1\n"
    "[softmax]\nInput=fc\nType=Softmax\nNbOutputs=10\nWithLoss=1\n"
    "[softmax.Target]\n"
    "[learn]\nSolvers.LearningRate=0.05\nSolvers.Momentum=0.9\n"
    "[plain]\nNoBias=1\n";

/// The number in front of a text.
double before(const std::string& text, const std::string& part) {
  const size_t end = text.find(part);
  if (end == std::string::npos) return -1;
  size_t begin = end;
  while (begin > 0 && std::string("0123456789.,").find(text[begin - 1]) != std::string::npos) --begin;
  return std::atof(text.substr(begin, end - begin).c_str());
}

class QuantizedLearning : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
    write("net.ini", kNet);
  }
};

TEST_F(QuantizedLearning, WhatWasLearntIsWhatShips) {
  const std::string learnt = run_net({"-seed", "1", "-learn-epoch", "2", "-testQAT"});
  EXPECT_FALSE(has(learnt, "in floats, not in integers")) << learnt;
  constexpr double kMostDifferent = 0.05,
                   kMostClasses = 1;  // two scores of 200 samples may be as good as equal
  EXPECT_EQ(before(learnt, " by more than one step"), 0) << learnt;
  EXPECT_TRUE(has(learnt, " of 219,200 values differ"))
      << learnt;  // 200 times 6 x 12 x 12, 8 x 5 x 5, 8 x 2 x 2
  const size_t at = learnt.find("values differ (");
  ASSERT_NE(at, std::string::npos) << learnt;
  EXPECT_LE(std::atof(learnt.c_str() + at + 15), kMostDifferent) << learnt;
  EXPECT_LE(before(learnt, " of 200 classes differ"), kMostClasses) << learnt;
  // No calibration: every scale was learnt, or is that of bytes.
  const std::string exported =
      run_net({"-w", "weights_validation", "-export", "CPP", "-db-export", "5", "-test"});
  EXPECT_TRUE(has(exported, "Scales: all of them come with the model")) << exported;
  EXPECT_TRUE(has(exported, "no byte different")) << exported;
  EXPECT_TRUE(has(exported, "Bits of weights: 4 in 'conv1', 'conv2'; 8 in 'fc'\n")) << exported;
  EXPECT_TRUE(has(exported, "in integers against floats whose activations are not rounded: ")) << exported;
  EXPECT_TRUE(
      has(read("export_CPP_int8/README.md"), "| bits of weights | `4 in 'conv1', 'conv2'; 8 in 'fc'` |"));
  const size_t rate = learnt.find("in floats as learnt, ");
  ASSERT_NE(rate, std::string::npos);
  const std::string integers = learnt.substr(rate + 21, learnt.find('%', rate + 21) - rate - 21);
  EXPECT_TRUE(has(exported, "Final recognition rate: " + integers + "%")) << exported << integers;
  const std::string weights = read("export_CPP_int8/statistics/quantization.json");
  EXPECT_TRUE(has(weights, "\"weight_bits\": 4")) << weights;
}

TEST_F(QuantizedLearning, TheInputMayHaveAGridThatIsLearnt) {
  std::string net = kNet;
  net.replace(net.find("[conv1]\nInput=sp"), 16,
              "[pixels]\nInput=sp\nType=Activation\nNbOutputs=1\nActivationFunction=Linear\nQAct=LSQ\n"
              "[conv1]\nInput=pixels");
  write("net.ini", net);
  const std::string learnt = run_net({"-seed", "1", "-learn-epoch", "1", "-testQAT"});
  EXPECT_FALSE(has(learnt, "in floats, not in integers")) << learnt;
  EXPECT_TRUE(has(learnt, " of 219,200 values differ")) << learnt;
}

TEST_F(QuantizedLearning, ExportsCountPrunedWeights) {
  std::string net = kNet;
  const size_t at = net.find("QWeight=SAT\nQWeight.Range=15\nQWeight.QuantMode=Symmetric\n");
  net.replace(at, net.find("[bn1]") - at,
              "QWeight=Prune\nQWeight.PruningMode=Static\nQWeight.PruningFiller=IterNonStruct\n"
              "QWeight.Threshold=0.5\n");
  write("net.ini", net);
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::string exported =
      run_net({"-w", "weights_validation", "-export", "CPP", "-calib", "-1", "-db-export", "5"});
  EXPECT_TRUE(has(exported, "Pruned weights: 27 of 54 weights are 0 in 'conv1'\n")) << exported;
  const std::string report = read("export_CPP_int8/statistics/quantization.json");
  EXPECT_TRUE(has(report, "pruned: 27 of 54 weights are 0")) << report;
}

TEST_F(QuantizedLearning, WritesTheFoldedWeights) {
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::string tested =
      run_net({"-w", "weights_validation", "-test", "-qat-sat", "-wt-round-mode", "RINTF"});
  EXPECT_TRUE(has(tested, "in integers as exported")) << tested;
  EXPECT_TRUE(std::filesystem::exists("weights_quantized"));
}

TEST_F(QuantizedLearning, IsAnalysedAsItWouldBeExported) {
  const std::string text = run_net({"-analyze"});
  EXPECT_FALSE(has(text, "refuses")) << text;
  EXPECT_FALSE(has(text, "no integer form")) << text;
  EXPECT_TRUE(has(text, "in 'conv1'")) << text;
}

TEST_F(QuantizedLearning, NeedsQuantizers) {
  std::string plain = kNet;
  for (size_t at = plain.find("QWeight"); at != std::string::npos; at = plain.find("QWeight"))
    plain.erase(at, plain.find('\n', at) + 1 - at);
  for (size_t at = plain.find("QAct"); at != std::string::npos; at = plain.find("QAct"))
    plain.erase(at, plain.find('\n', at) + 1 - at);
  write("net.ini", plain);
  try {
    run_net({"-seed", "1", "-w", "/dev/null", "-test", "-testQAT"});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_TRUE(has(error.what(), "option -testQAT: no layer has a QWeight or a QAct")) << error.what();
  }
}

}  // namespace
}  // namespace n2d2::app
