// Where did an export come from? provenance.json and the README, and that neither tells a folder.
#include "provenance.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "n2d2/base/sha256.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::map<std::string, std::string> files_of(const fs::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      out[entry.path().lexically_relative(folder).string()] = text_of(entry.path());
  return out;
}

class Provenance : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
    write("net.ini", kSmallNet);
    write("p.ini", "Namespace=Small\n");
  }
  static std::vector<std::string> export_of(const std::string& parameters, const std::string& calib = "5") {
    return {"-seed", "3",          "-w", "/dev/null",          "-export",  "CPP",  "-calib",
            calib,   "-db-export", "2",  "-export-parameters", parameters, "-test"};
  }
  static nlohmann::json provenance_of(const std::string& calib = "5") {
    run_net(export_of("p.ini", calib));
    return nlohmann::json::parse(text_of("export_CPP_int8/provenance.json"));
  }
};

TEST_F(Provenance, SaysWhatAnExportWasMadeOf) {
  const auto json = provenance_of();
  EXPECT_EQ(json["tool"], "n2d2");
  EXPECT_FALSE(json["version"].get<std::string>().empty());
  EXPECT_EQ(json["seed"], 3);
  EXPECT_EQ(json["options"]["calib"], "5");
  EXPECT_EQ(json["options"]["test"], "");
  EXPECT_FALSE(json["options"].contains("nbbits"));  // as by default
  EXPECT_EQ(json["model"]["file"], "net.ini");
  EXPECT_EQ(json["model"]["sha256"], sha256(kSmallNet));
  EXPECT_EQ(json["export_parameters"]["sha256"], sha256("Namespace=Small\n"));
  EXPECT_EQ(json["data"]["test"]["samples"], 60);
  EXPECT_NE(json["data"]["test"]["sha256"], json["data"]["learn"]["sha256"]);
}

TEST_F(Provenance, ChangesWithTheWeightsAndNotWithTheCalibration) {
  const auto json = provenance_of(), more = provenance_of("6");
  EXPECT_EQ(json["weights"], more["weights"]);
  run_net({"-seed", "4", "-w", "/dev/null", "-export", "CPP", "-calib", "5", "-db-export", "2"});
  const auto other = nlohmann::json::parse(text_of("export_CPP_int8/provenance.json"));
  EXPECT_NE(json["weights"], other["weights"]);
  EXPECT_FALSE(other.contains("export_parameters"));
}

TEST_F(Provenance, IsTheSameTreeFromAnotherFolder) {
  run_net(export_of("p.ini"));
  const auto here = files_of("export_CPP_int8");
  const fs::path before = fs::current_path();
  fs::create_directories("some/where else");
  fs::copy("net.ini", "some/net.ini");
  fs::copy("p.ini", "some/p.ini");
  fs::current_path("some/where else");
  run_net(export_of(fs::absolute("../p.ini").string()), "../net.ini");
  const auto there = files_of("export_CPP_int8");
  fs::current_path(before);
  ASSERT_EQ(here.size(), there.size());
  for (const auto& [name, content] : here) {
    EXPECT_TRUE(there.at(name) == content) << name;
    EXPECT_EQ(content.find(before.string()), std::string::npos) << name;
  }
}

TEST_F(Provenance, TheReadmeHasTheFiguresOfTheRun) {
  const std::string out = run_net(export_of("p.ini"));
  const std::string text = text_of("export_CPP_int8/README.md");
  EXPECT_TRUE(has(text,
                  "| model | `net.ini` |\n"
                  "| command | `n2d2 net.ini -seed 3 -test -w /dev/null -export CPP -calib 5 -db-export 2 "
                  "-export-parameters p.ini` |\n"
                  "| recognised of 60 test samples (softmax.Target) | `"))
      << text;
  const size_t at = out.find("Final recognition rate: ") + 24;
  EXPECT_TRUE(has(text, "`" + out.substr(at, out.find('%', at) - at) + " %` |\n")) << out;
  EXPECT_TRUE(has(text, "| bits of weights and layers | 8 |\n| bits of outputs | 32 |\n| RAM | ")) << text;
  EXPECT_TRUE(has(text, "| stack, portable kernels | at most 1,280 bytes (g++ -Os, -O2 or -O3) |\n"));
  EXPECT_TRUE(has(text, "| flash for weights | 1,036 bytes |\n")) << text;
  EXPECT_FALSE(has(text, "N2D2_Export"));
}

TEST_F(Provenance, NamesOfFilesAreNoMarkdown) {
  const std::string name = "a`|[x](y)\n# b.ini";
  fs::copy("net.ini", name);
  run_net({"-seed", "3", "-w", "/dev/null", "-export", "CPP", "-calib", "5", "-db-export", "0"},
          name.c_str());
  EXPECT_TRUE(has(text_of("export_CPP_int8/README.md"), "| model | `a??[x](y)?# b.ini` |\n"));
}

}  // namespace
}  // namespace n2d2::app
