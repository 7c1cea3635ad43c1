// Models whose tensors are in files beside them.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "imported_net.hpp"

namespace n2d2::onnx {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A folder of its own with a model y = x + w, whose w of two floats is `w` in the text.
class ExternalTensors : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "n2d2_external_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    top_ = name;
    fs::create_directories(folder());
    const std::vector<float> values{7, 8, 1, 2};
    write(folder() / "w.bin", {reinterpret_cast<const char*>(values.data()), 16});
  }
  void TearDown() override { fs::remove_all(top_); }

  fs::path folder() const { return top_ / "model"; }
  fs::path top() const { return top_; }
  static void write(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }

  /// Entries of external_data as `key`, `value` pairs.
  std::string findings_of(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string w = "initializer { name: 'w' data_type: 1 dims: 2 data_location: EXTERNAL ";
    for (const auto& [key, value] : entries)
      w += "external_data { key: '" + key + "' value: '" + value + "' } ";
    write(folder() / "net.onnx",
          proto_of(input("x", {1, 2}) + output("y") + w + "} " + node("Add", {"x", "w"}, "y"))
              .SerializeAsString());
    try {
      const Model model = read_model((folder() / "net.onnx").string());
      graph::Graph graph;
      const auto x = graph.add_input("sp", {{1, 2, 1, 1}, DataType::F32, Layout::Nchw, {}});
      const Imported imported = import_model(graph, model, {x});
      graph.set_outputs({imported.values.at("y")});
      compute::Executor executor(graph, {.backend = compute::Backend::Reference});
      executor.forward(Tensor::from({1, 2, 1, 1}, {0, 0}));
      const Tensor out = executor.read(graph.outputs().at(0));
      return fmt::format("{} {}", out.span()[0], out.span()[1]);
    } catch (const ModelError& error) {
      return error.findings().front().message + "\n" + error.findings().front().hint;
    }
  }

 private:
  fs::path top_;
};

TEST_F(ExternalTensors, AreReadFromTheirPlaceInTheFile) {
  EXPECT_EQ(findings_of({{"location", "w.bin"}, {"offset", "8"}, {"length", "8"}}), "1 2");
  EXPECT_EQ(findings_of({{"location", "w.bin"}, {"offset", "8"}}), "1 2");
  EXPECT_EQ(findings_of({{"location", "./w.bin"}, {"length", "8"}, {"checksum", "0"}}), "7 8");
}

TEST_F(ExternalTensors, MayLieInFoldersBelowAndBehindLinksThatStay) {
  fs::create_directory(folder() / "data");
  fs::rename(folder() / "w.bin", folder() / "data" / "w.bin");
  fs::create_symlink("data/w.bin", folder() / "link.bin");
  EXPECT_EQ(findings_of({{"location", "data/w.bin"}, {"length", "8"}}), "7 8");
  EXPECT_EQ(findings_of({{"location", "link.bin"}, {"length", "8"}}), "7 8");
}

TEST_F(ExternalTensors, DoNotLeaveTheFolderOfTheModel) {
  fs::rename(folder() / "w.bin", top() / "w.bin");
  const auto of = [&](const std::string& location) {
    return findings_of({{"location", location}, {"length", "8"}});
  };
  const std::string inside =
      " is no path inside the folder of the model\nkeep the files of a model in one folder, with relative "
      "paths";
  EXPECT_EQ(of("../w.bin"), "tensor 'w', whose values are in another file: '../w.bin'" + inside);
  EXPECT_THAT(of((top() / "w.bin").string()), HasSubstr(inside));
  EXPECT_THAT(of("data/../../w.bin"), HasSubstr(inside));
  EXPECT_THAT(findings_of({}), HasSubstr(inside));
  fs::create_symlink(top() / "w.bin", folder() / "w.bin");
  EXPECT_THAT(of("w.bin"), HasSubstr("'w.bin' is a link that leaves the folder of the model"));
  fs::create_directory_symlink(top(), folder() / "out");
  EXPECT_THAT(of("out/w.bin"), HasSubstr("'out/w.bin' is a link that leaves the folder of the model"));
}

TEST_F(ExternalTensors, EndWithTheFile) {
  const std::string short_of = "'w.bin' has 16 bytes, expected ";
  const auto of = [&](const std::string& offset, const std::string& length) {
    return findings_of({{"location", "w.bin"}, {"offset", offset}, {"length", length}});
  };
  EXPECT_THAT(of("12", "8"), HasSubstr(short_of + "8 from byte 12 on"));
  EXPECT_THAT(of("17", "0"), HasSubstr(short_of + "0 from byte 17 on"));
  EXPECT_THAT(of("9223372036854775807", "8"), HasSubstr(short_of));
  EXPECT_THAT(of("8", "9223372036854775807"), HasSubstr(short_of));
  EXPECT_THAT(of("-8", "8"), HasSubstr("offset '-8', expected a number of bytes"));
  EXPECT_THAT(of("0", "eight"), HasSubstr("length 'eight', expected a number of bytes"));
  EXPECT_THAT(of("0", "12"), HasSubstr("tensor 'w' holds 12 bytes, its extents ask for 8"));
}

TEST_F(ExternalTensors, AreInRegularFiles) {
  const auto of = [&](const std::string& location) {
    return findings_of({{"location", location}, {"length", "8"}});
  };
  EXPECT_THAT(of("none.bin"), HasSubstr("'none.bin': no such file\nit is looked for beside the model"));
  fs::create_symlink("self", folder() / "self");
  EXPECT_THAT(of("self"), HasSubstr("'self': Too many levels of symbolic links"));
  EXPECT_THAT(of("."), HasSubstr("expected a regular file, found a folder"));
}

TEST(ReadTensors, OfAModelInMemoryHaveNoOtherFiles) {
  EXPECT_THAT(
      findings(ends({1, 2}) +
               "initializer { name: 'w' data_type: 1 dims: 2 data_location: EXTERNAL external_data { key: "
               "'location' value: 'w.bin' } } " +
               node("Add", {"x", "w"}, "y")),
      HasSubstr("tensor 'w', whose values are in another file: 'w.bin' has no folder to look in"));
}

}  // namespace
}  // namespace n2d2::onnx
