#include "onnx_document.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "n2d2/base/error.hpp"
#include "n2d2/base/log.hpp"

#include "onnx/onnx_text.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;

/// The INI for a file that holds this graph.
std::string ini_of(const std::string& graph) {
  const log::Capture quiet;
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("n2d2_alone_{}.onnx", ::getpid())).string();
  std::ofstream(path, std::ios::binary) << onnx::proto_of(graph).SerializeAsString();
  const std::string ini = ini_for_onnx(path);
  std::filesystem::remove(path);
  return ini;
}

std::string relu(const std::vector<int>& dims) {
  return onnx::input("x", dims) + onnx::output("y/out:0") + onnx::node("Relu", {"x"}, "y/out:0");
}

TEST(OnnxDocument, ProviderAndTargetFollowFromTheFile) {
  EXPECT_THAT(ini_of(relu({0, 3, 24, 32})), HasSubstr("[sp]\nSizeX=32\nSizeY=24\nNbChannels=3\n"));
  EXPECT_THAT(ini_of(relu({1, 3, 24})), HasSubstr("[sp]\nSizeX=24\nSizeY=1\nNbChannels=3\n"));
  EXPECT_THAT(ini_of(relu({1, 640})), HasSubstr("[sp]\nSizeX=640\nSizeY=1\nNbChannels=1\n"));
  EXPECT_THAT(ini_of(relu({1, 640})), HasSubstr("[y/out:0.Target]\n"));
}

TEST(OnnxDocument, TwoInputsNeedAnIni) {
  const std::string two = onnx::input("x", {1, 2}) + onnx::input("z", {1, 2}) + onnx::output("y") +
                          onnx::node("Add", {"x", "z"}, "y");
  EXPECT_THROW(ini_of(two), ModelError);
}

TEST(OnnxDocument, KnowsFilesByTheirNames) {
  EXPECT_TRUE(is_onnx("a/b.ONNX"));
  EXPECT_FALSE(is_onnx("onnx.ini"));
}

}  // namespace
}  // namespace n2d2::app
