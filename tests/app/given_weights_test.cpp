// Which weights does a network have that reads them from an ONNX file?
#include <filesystem>
#include <fstream>

#include "folder_test.hpp"
#include "onnx/onnx_text.hpp"
#include "run_net.hpp"

namespace n2d2::app {
namespace {

constexpr int kPixels = 144, kClasses = 10;

/// Flatten and Gemm; output c is `scale` times the pixels c, c + 10, ...
std::string model_bytes(float scale) {
  std::vector<float> weights(static_cast<size_t>(kPixels * kClasses));
  for (int i = 0; i < kPixels; ++i) weights[static_cast<size_t>(i * kClasses + i % kClasses)] = scale;
  return onnx::proto_of(onnx::input("x", {1, 1, 12, 12}) + onnx::output("y") +
                        onnx::reals("w", {kPixels, kClasses}, weights) +
                        onnx::node("Flatten", {"x"}, "flat") + onnx::node("Gemm", {"flat", "w"}, "y"))
      .SerializeAsString();
}

/// The model as a section of a network whose samples no seed splits.
std::string ini_of(const std::string& more) {
  return "[database]\nType=Glyphs_Database\nLearn=40\nValidation=20\nTest=20\nWidth=12\nHeight=12\n"
         "[sp]\nSize=12 12\nBatchSize=20\n[net]\nInput=sp\nType=ONNX\nFile=net.onnx\n" +
         more;
}

class GivenWeights : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    write("net.onnx", model_bytes(1));
  }
};

constexpr const char* kScore = "Final recognition rate: ";
constexpr const char* kOfTheFile = "Weights: those of the ONNX file\n";

TEST_F(GivenWeights, OfAnIniNeedNoFolder) {
  write("net.ini", ini_of("[y.Target]\n"));
  const std::string alone = run_net({"-test"}), before = run_net({"-test", "-w", "/dev/null"});
  EXPECT_TRUE(has(alone, kOfTheFile)) << alone;
  ASSERT_TRUE(has(before, kScore)) << before;
  EXPECT_EQ(scores_in(alone), scores_in(before));
}

TEST_F(GivenWeights, OfAnIniGiveWayToThoseThatWereLearnt) {
  write("net.ini", ini_of("[y.Target]\n"));
  run_net({"-seed", "1", "-learn-epoch", "1"});
  EXPECT_TRUE(std::filesystem::exists("weights_validation"));
  const std::string said = run_net({"-test"});
  EXPECT_TRUE(has(said, "Weights: 'weights_validation'\n")) << said;
  EXPECT_FALSE(has(said, kOfTheFile)) << said;
}

TEST_F(GivenWeights, DoNotStandInForThoseOfOtherLayers) {
  write("net.ini", ini_of("[head]\nInput=net,y\nType=Fc\nNbOutputs=10\n[head.Target]\n"));
  EXPECT_THROW(run_net({"-test"}), ConfigError);
}

TEST_F(GivenWeights, OfALoneFileNeedNeitherFolderNorSeed) {
  std::filesystem::create_directory("weights");  // of some other network
  write("weights/y_weights.syntxt", "1 2 3");
  const std::string said = run_net({"-test"}, "net.onnx");
  EXPECT_TRUE(has(said, kOfTheFile)) << said;
  EXPECT_TRUE(has(said, "Seed: 1\n")) << said;
  EXPECT_FALSE(std::filesystem::exists("seed.dat"));
}

TEST_F(GivenWeights, AreThoseOfTheFolderThatIsNamed) {
  std::filesystem::create_directory("mine");
  EXPECT_THROW(run_net({"-test", "-w", "mine"}, "net.onnx"), ConfigError);
}

}  // namespace
}  // namespace n2d2::app
