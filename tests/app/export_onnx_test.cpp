// What `n2d2 net.ini -export ONNX` leaves behind.
#include <cstring>
#include <filesystem>
#include <fstream>

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

class ExportOnnx : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP", "ONNX");
    write("net.ini", kSmallNet);
  }
  static bool exists(const std::string& path) { return std::filesystem::exists(path); }
};

/// The small network once more, read from its float export.
constexpr const char* kSmallNetOfOnnx =
    "[database]\nType=Glyphs_Database\nLearn=200\nValidation=50\nTest=60\nWidth=12\nHeight=12\n"
    "[sp]\nSize=12 12\nBatchSize=20\n"
    "[net]\nInput=sp\nType=ONNX\nFile=export_ONNX_float32/model.onnx\n";

/// Bytes of a file; fails when it is not there.
std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_F(ExportOnnx, ExportsAnIntegerOnnxModelWithTheScoreOfTheIntegers) {
  run_net({"-seed", "1", "-learn-epoch", "2"});
  const std::vector<std::string> rest{"-nbbits", "8", "-calib", "-1", "-db-export", "3", "-test"};
  std::vector<std::string> cpp{"-export", "CPP"}, onnx{"-export", "ONNX"};
  cpp.insert(cpp.end(), rest.begin(), rest.end());
  onnx.insert(onnx.end(), rest.begin(), rest.end());
  const std::string project = run_net(cpp), out = run_net(onnx);
  EXPECT_TRUE(has(out, "model.onnx: ")) << out;
  EXPECT_TRUE(has(out, "Exported to 'export_ONNX_int8' with 3 stimuli\n")) << out;
  const std::string score = "Final recognition rate: ";
  const size_t at = project.find(score);
  ASSERT_NE(at, std::string::npos);
  EXPECT_TRUE(has(out, project.substr(at, project.find('\n', at) - at))) << out;
  for (const char* file :
       {"README.md", "statistics/quantization.json", "statistics/graph/graph.txt",
        "statistics/transformations/transformations.dot", "stimuli/env2.npy", "stimuli.list",
        "reference/tensors.txt", "reference/output_0.npy", "reference/env0/000.npy"})
    EXPECT_TRUE(exists(std::string("export_ONNX_int8/") + file)) << file;
  EXPECT_FALSE(exists(".export_ONNX_int8.n2d2-new"));
  EXPECT_TRUE(has(bytes_of("export_ONNX_int8/reference/tensors.txt"), "_quantized\n"));
  const std::string model = bytes_of("export_ONNX_int8/model.onnx");
  EXPECT_TRUE(has(model, "QuantizeLinear"));
  run_net(onnx);
  EXPECT_EQ(bytes_of("export_ONNX_int8/model.onnx"), model);  // reproducible
}

TEST_F(ExportOnnx, ExportsAFakeQuantizedOnnxModel) {
  write("p.ini", "FakeQuantization=1\nReferenceStimuli=0\n");
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "16", "-calib", "-1", "-db-export",
           "2", "-act-rescaling-mode", "Fixed-point32", "-export-parameters", "p.ini"});
  const std::string model = bytes_of("export_ONNX_int16/model.onnx");
  EXPECT_FALSE(has(model, "QuantizeLinear"));
  EXPECT_TRUE(has(model, "Floor"));
  EXPECT_TRUE(exists("export_ONNX_int16/stimuli/env1.npy"));
  EXPECT_FALSE(exists("export_ONNX_int16/reference"));
}

TEST_F(ExportOnnx, AnExportedFloatModelIsANetworkWithTheSameOutputs) {
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "-32", "-db-export", "5"});
  EXPECT_TRUE(has(bytes_of("export_ONNX_float32/model.onnx"), "Softmax"));
  const std::string outputs = bytes_of("export_ONNX_float32/reference/output_0.npy");
  write("again.ini", kSmallNetOfOnnx);
  run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "-32", "-db-export", "5"},
          "again.ini");
  const std::string again = bytes_of("export_ONNX_float32/reference/output_0.npy");
  ASSERT_EQ(again.size(), outputs.size());
  EXPECT_EQ(again.substr(0, 128), outputs.substr(0, 128));
  constexpr float kTolerance = 1e-5F;  // probabilities; the same sums in another order
  for (size_t i = 128; i + 4 <= outputs.size(); i += 4) {
    float a = 0, b = 0;
    std::memcpy(&a, &outputs[i], 4);
    std::memcpy(&b, &again[i], 4);
    EXPECT_NEAR(a, b, kTolerance) << i;
  }
}

TEST_F(ExportOnnx, WarnsThatOtherRescalingModesRoundApart) {
  const std::string out = run_net({"-seed", "1", "-w", "/dev/null", "-export", "ONNX", "-nbbits", "8",
                                   "-calib", "4", "-db-export", "0", "-act-rescaling-mode", "Fixed-point32"});
  EXPECT_TRUE(has(out, "-act-rescaling-mode Fixed-point32: the ONNX model rescales in floats")) << out;
  EXPECT_FALSE(exists("export_ONNX_int8/reference"));
}

}  // namespace
}  // namespace n2d2::app
