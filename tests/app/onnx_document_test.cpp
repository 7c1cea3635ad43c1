#include "lone_onnx/onnx_document.hpp"

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
using ::testing::Not;

Options options_of(const std::string& path) {
  Options out;
  out.model = path;
  return out;
}

/// The INI for a file that holds this graph.
std::string ini_of(const std::string& graph) {
  const log::Capture quiet;
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("n2d2_alone_{}.onnx", ::getpid())).string();
  std::ofstream(path, std::ios::binary) << onnx::proto_of(graph).SerializeAsString();
  const std::string ini = config::print(document_for_onnx(options_of(path)));
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

// What a name says is no INI text: no other database, no other file, no key that somebody reads.
TEST(OnnxDocument, NamesAreNoText) {
  const std::string name = "y]\\n[database]\\nType=CSV\\nFile=/etc/passwd\\n[z",
                    variable = "${HOME}]#;$(1+1)";
  for (const std::string& output : {name, variable}) {
    const std::string ini =
        ini_of(onnx::input("x", {1, 640}) + onnx::output(output) + onnx::node("Relu", {"x"}, output));
    EXPECT_THAT(ini, Not(HasSubstr("\nType=CSV")));
    EXPECT_THAT(ini, HasSubstr("; a section follows whose name no line can hold\n"));
  }
}

TEST(OnnxDocument, PathsAreNoText) {
  const log::Capture quiet;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("n2d2 ${{HOME}} #;\"$(1+1) {}", ::getpid());
  std::filesystem::create_directories(folder);
  const std::string path = (folder / "net.onnx").string();
  std::ofstream(path, std::ios::binary) << onnx::proto_of(relu({1, 640})).SerializeAsString();
  const config::IniDocument document = document_for_onnx(options_of(path));
  EXPECT_EQ(document.find("net", "File")->text, path);
  EXPECT_THAT(config::print(document), HasSubstr("; no line can hold the value of File\n"));
  std::filesystem::remove_all(folder);
}

TEST(OnnxDocument, EveryOutputOfTheFileLeavesTheNetwork) {
  std::string graph = onnx::input("x", {1, 8});
  std::string expected;
  for (const std::string output : {"a", "b", "c", "d"}) {
    graph += onnx::output(output) + onnx::node(output == "a" ? "Relu" : "Sigmoid", {"x"}, output);
    expected += "[" + output + ".Target]\n";
  }
  const std::string ini = ini_of(graph);
  std::string found;
  for (size_t at = ini.find(".Target]"); at != std::string::npos; at = ini.find(".Target]", at + 1)) {
    const size_t begin = ini.rfind('[', at);
    found += ini.substr(begin, ini.find('\n', at) + 1 - begin);
  }
  EXPECT_EQ(found, expected);
}

TEST(OnnxDocument, KnowsFilesByTheirNames) {
  EXPECT_TRUE(options_of("a/b.ONNX").reads_onnx());
  EXPECT_FALSE(options_of("onnx.ini").reads_onnx());
}

}  // namespace
}  // namespace n2d2::app
