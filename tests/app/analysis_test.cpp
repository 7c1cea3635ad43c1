#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"

namespace n2d2::app {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class Analysis : public FolderTest {
 protected:
  static Json json(std::vector<std::string> more = {}, const char* net = "net.ini") {
    std::vector<std::string> arguments{"-analyze", "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const std::string text = run_net(arguments, net);  // what was logged stands before
    return Json::parse(text.substr(text.find("{\n")));
  }
  static Json layer(const Json& analysis, const std::string& name) {
    for (const Json& found : analysis.at("layers"))
      if (found.at("name") == name) return found;
    ADD_FAILURE() << "no layer " << name;
    return {};
  }
  /// The bytes of "Weights: 1.25 KiB ..." and the like.
  static double kib_behind(const std::string& text, const std::string& words) {
    const size_t at = text.find(words);
    EXPECT_NE(at, std::string::npos) << words << " in\n" << text;
    return at == std::string::npos ? -1 : std::stod(text.substr(at + words.size()));
  }
};

TEST_F(Analysis, SaysWhatEachLayerIsAndCosts) {
  write("net.ini", kSmallNet);
  const std::string text = run_net({"-analyze"});
  EXPECT_THAT(text, HasSubstr("Network 'net', input 'sp' 1x12x12\n"));
  EXPECT_THAT(text,
              HasSubstr("conv      Conv     1x12x12  4x5x5           40    900    100  yes     conv2d\n"));
  EXPECT_THAT(text,
              HasSubstr("conv_act  Relu     4x5x5    4x5x5            0      0    100  -       in 'conv'\n"));
  EXPECT_THAT(text,
              HasSubstr("softmax   Softmax  10x1x1   10x1x1           0      0     10  -       left out\n"));
  EXPECT_THAT(text, HasSubstr("all                                      1,050  1,900    220\n"));
  EXPECT_THAT(text, Not(HasSubstr("refuses")));
  EXPECT_FALSE(std::filesystem::exists("stats")) << "nothing is written";
}

TEST_F(Analysis, JsonSaysTheSame) {
  write("net.ini", kSmallNet);
  const Json analysis = json();
  EXPECT_EQ(analysis.at("input").at("shape"), Json({1, 1, 12, 12}));
  const Json conv = layer(analysis, "conv");
  EXPECT_EQ(conv.at("type"), "Conv");
  EXPECT_EQ(conv.at("place"), "net.ini:12");
  EXPECT_EQ(conv.at("parents"), Json({"sp"}));
  EXPECT_EQ(conv.at("output"), Json({1, 4, 5, 5}));
  EXPECT_EQ(conv.at("parameters"), 40);
  EXPECT_EQ(conv.at("mac"), 900);
  EXPECT_EQ(conv.at("activation_bytes"), 100);
  EXPECT_TRUE(conv.at("trainable") && conv.at("quantizable") && conv.at("exportable"));
  EXPECT_TRUE(layer(analysis, "softmax").at("trainable").is_null());
  EXPECT_EQ(analysis.at("totals").at("mac"), 1900);
  EXPECT_EQ(analysis.at("export").at("weights_bytes"), 4 * 9 + 10 * 100);
  EXPECT_TRUE(analysis.at("refused").empty());
}

TEST_F(Analysis, MemoryIsThatOfTheExport) {
  write("net.ini", kSmallNet);
  const std::string exported =
      run_net({"-export", "CPP", "-calib", "8", "-seed", "1", "-w", "/dev/null", "-db-export", "0"});
  const Json sizes = json().at("export");
  EXPECT_NEAR(sizes.at("ram_bytes").get<double>() / 1024, kib_behind(exported, "RAM: "), 0.01);
  EXPECT_NEAR(sizes.at("weights_bytes").get<double>() / 1024, kib_behind(exported, "Weights: "), 0.01);
  EXPECT_NEAR(sizes.at("other_constants_bytes").get<double>() / 1024,
              kib_behind(exported, "biases and factors: "), 0.01);
}

TEST_F(Analysis, WeightsOfFewBitsAreCountedAsTheyAreStored) {
  write("net.ini", kSmallNet);
  EXPECT_EQ(json({"-nbbits", "4"}).at("export").at("weights_bytes"), 4 * 5 + 10 * 50);
  const std::string exported = run_net(
      {"-export", "CPP", "-nbbits", "4", "-calib", "8", "-seed", "1", "-w", "/dev/null", "-db-export", "0"});
  EXPECT_NEAR((4 * 5 + 10 * 50) / 1024.0, kib_behind(exported, "Weights: "), 0.01);
}

TEST_F(Analysis, BiasesOfCutWindowsAreCounted) {
  std::string text = kSmallNet;
  text.replace(text.find("KernelSize=3"), 12, "KernelSize=3\nPadding=1");
  text.insert(text.find("[conv]"),
              "[sp.Transformation]\nType=RangeAffineTransformation\nFirstOperator=Minus\nFirstValue=127.5\n"
              "SecondOperator=Divides\nSecondValue=127.5\n");
  write("net.ini", text);
  const std::string exported =
      run_net({"-export", "CPP", "-calib", "8", "-seed", "1", "-w", "/dev/null", "-db-export", "0"});
  const Json sizes = json().at("export");
  EXPECT_TRUE(sizes.at("knows_bytes_of_input"));
  EXPECT_NEAR(sizes.at("other_constants_bytes").get<double>() / 1024,
              kib_behind(exported, "biases and factors: "), 0.01);
  write("plain.ini", kSmallNet);
  EXPECT_GT(sizes.at("other_constants_bytes").get<int>(),
            json({}, "plain.ini").at("export").at("other_constants_bytes").get<int>());
}

TEST_F(Analysis, ABatchNormMayBecomeALayerOfItsOwn) {
  std::string text = kSmallNet;
  text.replace(text.find("[fc]\nInput=conv"), 15,
               "[pool]\nInput=conv\nType=Pool\nPoolDims=1 1\nPooling=Max\nNbOutputs=4\nMapping.Size=1\n"
               "[bn]\nInput=pool\nType=BatchNorm\nNbOutputs=4\n[fc]\nInput=bn");
  write("net.ini", text);
  const Json analysis = json();
  EXPECT_EQ(layer(analysis, "bn").at("becomes"), "conv2d_depthwise");
  EXPECT_EQ(layer(analysis, "conv_act").at("becomes"), "in 'conv'");
}

TEST_F(Analysis, NeedsNoSamplesAndNoEpoch) {
  write("net.ini",
        "[database]\nType=ILSVRC2012_Database\nLearn=1\nDataPath=nowhere\n[sp]\nSize=16 "
        "16\nNbChannels=3\nBatchSize=4\n"
        "[up]\nInput=sp\nType=Deconv\nKernelDims=2 2\nStride=2\nNbOutputs=2\nConfigSection=learn\n"
        "[fc]\nInput=up\nType=Fc\nNbOutputs=5\nConfigSection=learn\n[fc.Target]\n"
        "[learn]\nSolvers.LearningRatePolicy=StepDecay\nSolvers.LearningRateStepSize=[sp]_EpochSize\n"
        "Solvers.Decay=$(1.0 / [sp]_EpochSize )\n");
  const Json analysis = json();
  // 2x3 kernels of 2x2 for each of 16x16 pixels.
  EXPECT_EQ(layer(analysis, "up").at("mac"), 2 * 3 * 4 * 16 * 16);
  EXPECT_TRUE(layer(analysis, "fc").at("trainable"));
}

TEST_F(Analysis, SaysThatNoPictureTellsOfBytes) {
  write("net.ini",
        "[database]\nType=ILSVRC2012_Database\nLearn=1\nDataPath=nowhere\n[sp]\nSize=16 16\nNbChannels=3\n"
        "[fc]\nInput=sp\nType=Fc\nNbOutputs=5\n[fc.Target]\n");
  EXPECT_THAT(run_net({"-analyze"}), HasSubstr("No picture tells what bytes of the input stand for"));
  EXPECT_FALSE(json().at("export").at("knows_bytes_of_input"));
}

TEST_F(Analysis, SaysWhatTheExportRefusesAndGoesOn) {
  write("net.ini",
        "[database]\n[sp]\nSize=8 8\nNbChannels=2\nBatchSize=4\n"
        "[norm]\nInput=sp\nType=LRN\nNbOutputs=2\nConfigSection=bare\n[bare]\nK=0\n"
        "[conv]\nInput=norm\nType=Conv\nKernelDims=1 "
        "1\nNbOutputs=2\n[fc]\nInput=conv\nType=Fc\nNbOutputs=5\n[fc.Target]\n");
  const Json analysis = json();
  ASSERT_FALSE(analysis.at("refused").empty());
  EXPECT_EQ(analysis.at("refused")[0].at("file"), "net.ini");
  EXPECT_NE(analysis.at("refused")[0].at("hint"), "");
  EXPECT_FALSE(layer(analysis, "norm").at("exportable"));
  EXPECT_TRUE(layer(analysis, "fc").at("exportable"));
  EXPECT_FALSE(analysis.at("export").contains("ram_bytes"));
  EXPECT_THAT(run_net({"-analyze"}), Not(HasSubstr("there are no samples")));
  EXPECT_THAT(run_net({"-analyze"}),
              AllOf(HasSubstr("-export CPP -nbbits 8 refuses:\n"), HasSubstr("no integer form\n")));
}

TEST_F(Analysis, IsOfTheExportThatIsNamed) {
  write("net.ini", kSmallNet);
  const Json floats = json({"-export", "CPP", "-nbbits", "-32"});
  EXPECT_EQ(floats.at("export").at("weights_bytes"), 4 * (4 * 9 + 10 * 100));
  EXPECT_EQ(layer(floats, "conv").at("activation_bytes"), 400);
  EXPECT_FALSE(std::filesystem::exists("export_CPP_float32"));
  const Json onnx = json({"-export", "ONNX"});
  EXPECT_FALSE(onnx.at("export").contains("ram_bytes")) << "it is no program";
}

}  // namespace
}  // namespace n2d2::app
