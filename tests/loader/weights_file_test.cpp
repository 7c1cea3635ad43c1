#include "n2d2/loader/weights_file.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ini_text.hpp"

namespace n2d2::loader {
namespace {

namespace fs = std::filesystem;

class WeightsFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("n2d2_weights_{}_{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// "l: layer" keys between the data and a target.
  static Network net(const std::string& layer) {
    Network out = network_of(kInput + "[l]\nInput=sp\n" + layer + "[l.Target]\n[c]\nNoBias=1\n");
    fill(out);
    return out;
  }
  static std::string values(const Network& net, const std::string& name) {
    std::string out;
    for (const float v : net.graph.value(*net.graph.find_value(name)).constant->span())
      out += (out.empty() ? "" : " ") + print_real(v);
    return out;
  }
  static void set(Network& net, const std::string& name, std::vector<float> list) {
    const auto id = *net.graph.find_value(name);
    std::copy(list.begin(), list.end(), net.graph.mutable_constant(id).span().begin());
  }
  std::string text(const std::string& file) const {
    std::ifstream in(folder_ / "w" / file);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
  }
  void write(const std::string& file, const std::string& content) const {
    fs::create_directories(folder_ / "w");
    std::ofstream(folder_ / "w" / file) << content << (content.ends_with('\n') ? "" : "\n");
  }
  std::string load_error(Network& net, bool ignore = false) const {
    try {
      load_weights(net.graph, folder_ / "w", ignore);
    } catch (const ConfigError& error) {
      std::string out = error.what();
      for (size_t at; (at = out.find(folder_.string() + "/")) != std::string::npos;)
        out.erase(at, folder_.string().size() + 1);
      return out;
    }
    return "loaded";
  }
  fs::path folder_;
};

constexpr const char* kFc = "Type=Fc\nNbOutputs=2\n";
constexpr const char* kConv = "Type=Conv\nKernelDims=2 1\nNbOutputs=2\nConfigSection=c\n";

TEST_F(WeightsFile, WritesOneLineAnOutputThatReadsBackExactly) {
  Network net = WeightsFile::net(kConv);
  set(net, "l_weights", {0.1F, -2, 3e-9F, 16777217.0F / 3});
  save_weights(net.graph, folder_ / "w");
  EXPECT_EQ(text("l_weights.syntxt"), "0.1 -2\n3e-09 5592405.5\n");
  EXPECT_FALSE(fs::exists(folder_ / "w" / "l_biases.syntxt"));
  Network other = WeightsFile::net(kConv);
  const LoadReport report = load_weights(other.graph, folder_ / "w", false);
  EXPECT_EQ(report.loaded, 1);
  EXPECT_EQ(values(other, "l_weights"), "0.1 -2 3e-09 5592405.5");
}

TEST_F(WeightsFile, NamesWithFoldersKeepThem) {
  const std::string ini = kInput +
                          "[features/0/conv]\nInput=sp\nType=Fc\nNbOutputs=1\nConfigSection=c\n"
                          "[../up]\nInput=sp\nType=Fc\nNbOutputs=1\nConfigSection=c\n"
                          "[a//b]\nInput=sp\nType=Fc\nNbOutputs=1\nConfigSection=c\n"
                          "[/root]\nInput=sp\nType=Fc\nNbOutputs=1\nConfigSection=c\n"
                          "[/root.Target]\n[c]\nNoBias=1\n";
  Network net = network_of(ini);
  fill(net);
  save_weights(net.graph, folder_ / "w");
  EXPECT_TRUE(fs::exists(folder_ / "w/features/0/conv_weights.syntxt"));
  EXPECT_TRUE(fs::exists(folder_ / "w/.._up_weights.syntxt"));
  EXPECT_TRUE(fs::exists(folder_ / "w/a__b_weights.syntxt"));
  EXPECT_TRUE(fs::exists(folder_ / "w/_root_weights.syntxt"));
  Network other = network_of(ini);
  EXPECT_EQ(load_weights(other.graph, folder_ / "w", false).loaded, 4);
  EXPECT_EQ(values(other, "features/0/conv_weights"), values(net, "features/0/conv_weights"));
  // As it was named before.
  fs::rename(folder_ / "w/features/0/conv_weights.syntxt", folder_ / "w/features_0_conv_weights.syntxt");
  EXPECT_EQ(load_weights(other.graph, folder_ / "w", false).loaded, 4);
}

TEST_F(WeightsFile, WritesZerosForKernelsOfOtherGroups) {
  for (const std::string type : {"Conv", "Deconv"}) {
    const std::string text_ini =
        kInput +
        "[a]\nInput=sp\nType=Conv\nKernelDims=1 1\nNbOutputs=2\nConfigSection=c\n[l]\nInput=a\nType=" + type +
        "\nKernelDims=1 1\nNbOutputs=4\nMapping.NbGroups=2\nConfigSection=c\n[l.Target]\n[c]\nNoBias=1\n";
    Network net = network_of(text_ini);
    set(net, "l_weights", {1, 2, 3, 4});
    set(net, "a_weights", {7, 8});
    save_weights(net.graph, folder_ / "w");
    EXPECT_EQ(text("l_weights.syntxt"), "1 0\n2 0\n0 3\n0 4\n") << type;
    Network other = network_of(text_ini);
    load_weights(other.graph, folder_ / "w", false);
    EXPECT_EQ(values(other, "l_weights"), "1 2 3 4") << type;
  }
}

TEST_F(WeightsFile, IgnoresWeightsOfConnectionsThatDoNotExistAndSaysSo) {
  for (const std::string type : {"Conv", "Deconv"}) {
    Network net = network_of(kInput +
                             "[a]\nInput=sp\nType=Conv\nKernelDims=1 1\nNbOutputs=2\nConfigSection=c\n"
                             "[l]\nInput=a\nType=" +
                             type +
                             "\nKernelDims=1 1\nNbOutputs=2\nMapping(a)=1 1 0 1\n"
                             "ConfigSection=c\n[l.Target]\n[c]\nNoBias=1\n");
    write("a_weights.syntxt", "1 2");
    write("l_weights.syntxt", "1 9\n3 4");
    log::Capture capture;
    load_weights(net.graph, folder_ / "w", false);
    EXPECT_EQ(values(net, "l_weights"), "1 0 3 4") << type;
    EXPECT_NE(capture.text().find("1 values of channels that are not connected are ignored"),
              std::string::npos);
  }
}

TEST_F(WeightsFile, ReplacesTheFolderAsASet) {
  Network net = WeightsFile::net(kConv);
  write("stale_weights.syntxt", "1");
  save_weights(net.graph, folder_ / "w");
  EXPECT_FALSE(fs::exists(folder_ / "w" / "stale_weights.syntxt"));
  EXPECT_TRUE(fs::exists(folder_ / "w" / "l_weights.syntxt"));
  // What a killed run left beside the set does not get into the next one.
  fs::create_directories(folder_ / ".w.n2d2-new");
  std::ofstream(folder_ / ".w.n2d2-new" / "half.syntxt") << "1";
  save_weights(net.graph, folder_ / "w");
  EXPECT_FALSE(fs::exists(folder_ / "w" / "half.syntxt"));
}

TEST_F(WeightsFile, ReadsTheLegacyFileWithABiasAfterTheWeightsOfAnOutput) {
  Network net = network_of(
      "[database]\n[sp]\nSize=2 "
      "1\n[l]\nInput=sp\nType=Fc\nNbOutputs=2\n"
      "[l.Target]\n");
  write("l.syntxt", "1 2 10\n3 4 20\n");
  load_weights(net.graph, folder_ / "w", false);
  EXPECT_EQ(values(net, "l_weights"), "1 2 3 4");
  EXPECT_EQ(values(net, "l_biases"), "10 20");
}

TEST_F(WeightsFile, NeverWaitsForAPipe) {
  Network net = WeightsFile::net(kFc);
  write("l_weights.syntxt", "1 2 3");
  ASSERT_EQ(::mkfifo((folder_ / "w" / "l_biases.syntxt").c_str(), 0600), 0);
  EXPECT_NE(load_error(net).find("w/l_biases.syntxt: expected a regular file, found a pipe"),
            std::string::npos);
}

TEST_F(WeightsFile, RefusesALinkThatLeadsToItself) {
  Network net = WeightsFile::net(kFc);
  write("l_weights.syntxt", "1 2 3");
  fs::create_symlink("l_biases.syntxt", folder_ / "w" / "l_biases.syntxt");
  for (const bool ignores_missing : {false, true})
    EXPECT_NE(load_error(net, ignores_missing)
                  .find("w/l_biases.syntxt: cannot be read: Too many levels of symbolic links"),
              std::string::npos)
        << load_error(net, ignores_missing);
}

TEST_F(WeightsFile, ReadsTextOfEveryEditor) {
  Network net = WeightsFile::net(kConv);
  write("l_weights.syntxt",
        "\xEF\xBB\xBF"
        "1 2\r\n3 4\r\n");
  EXPECT_EQ(load_error(net), "loaded");
  EXPECT_EQ(values(net, "l_weights"), "1 2 3 4");
}

TEST_F(WeightsFile, ReportsEveryFindingWithItsFile) {
  Network net = WeightsFile::net(kFc);
  write("l_weights.syntxt", "1 2 3");
  write("l_biases.syntxt", "1\nx\n");
  EXPECT_EQ(load_error(net),
            "w/l_biases.syntxt:2: expected a number, got 'x'\n"
            "w/l_weights.syntxt: expected 1568 values for the weights of [l] (2x784), found 3");
}

TEST_F(WeightsFile, RefusesNumbersThatAreNotFinite) {
  Network net = WeightsFile::net(kConv);
  write("l_weights.syntxt", "1 2 nan 4");
  EXPECT_EQ(load_error(net), "w/l_weights.syntxt:1: expected a number, got 'nan'");
}

TEST_F(WeightsFile, RefusesAFileThatIsCutOffInANumber) {
  Network net = WeightsFile::net(kConv);
  fs::create_directories(folder_ / "w");
  std::ofstream(folder_ / "w" / "l_weights.syntxt") << "1 2\n3 4";
  EXPECT_EQ(load_error(net),
            "w/l_weights.syntxt:2: the file ends in '4', expected a line feed behind it\n"
            "  hint: was it cut off while it was written or copied?");
  EXPECT_EQ(load_error(net, true), load_error(net));
}

TEST_F(WeightsFile, KeepsInitialValuesOnlyWhenAsked) {
  Network net = WeightsFile::net(kFc);
  write("l_biases.syntxt", "1 2");
  EXPECT_EQ(load_error(net),
            "w/l_weights.syntxt: no such file\n"
            "  hint: '-w <folder>' names another folder, '-w-ignore' keeps the initial values");
  const std::string before = values(net, "l_weights");
  const LoadReport report = load_weights(net.graph, folder_ / "w", true);
  EXPECT_EQ(report.loaded, 1);
  EXPECT_EQ(report.missing, 1);
  EXPECT_EQ(values(net, "l_weights"), before);
}

TEST_F(WeightsFile, ReportsAFolderThatIsNotThere) {
  Network net = WeightsFile::net(kFc);
  EXPECT_EQ(load_error(net),
            "w: no such folder of weights\n"
            "  hint: '-w <folder>' names another folder, '-w-ignore' keeps the initial values");
  EXPECT_EQ(load_weights(net.graph, folder_ / "w", true).missing, 2);
}

TEST_F(WeightsFile, ReportsAFolderThatCannotBeWritten) {
  Network net = WeightsFile::net(kFc);
  std::ofstream(folder_ / "file") << "x";
  EXPECT_THROW(save_weights(net.graph, folder_ / "file" / "w"), ConfigError);
}

TEST_F(WeightsFile, MakesFileNamesOfLayerNames) {
  Network net = network_of(kInput + "[a|b]\nInput=sp\nType=Fc\nNbOutputs=2\n[a|b.Target]\n");
  save_weights(net.graph, folder_ / "w");
  EXPECT_TRUE(fs::exists(folder_ / "w" / "a_b_weights.syntxt"));
}

const char* const kTwoOfOneFile =
    "[a/b]\nInput=sp\nType=Fc\nNbOutputs=2\nConfigSection=c\n[a_b]\nInput=a/b\nType=Fc\nNbOutputs=2\n"
    "ConfigSection=c\n[a_b.Target]\n[a/b.Target]\n[c]\nNoBias=1\n";

TEST_F(WeightsFile, GivesEachLayerAFileOfItsOwn) {
  Network net = network_of(kInput + kTwoOfOneFile);
  EXPECT_NE(net.targets[0].folder, net.targets[1].folder);
  fill(net);
  save_weights(net.graph, folder_ / "w");
  const std::string first = values(net, "a/b_weights"), second = values(net, "a_b_weights");
  Network again = network_of(kInput + kTwoOfOneFile);
  EXPECT_EQ(load_weights(again.graph, folder_ / "w", false).loaded, 2);
  EXPECT_EQ(values(again, "a/b_weights"), first);
  EXPECT_EQ(values(again, "a_b_weights"), second);
}

TEST_F(WeightsFile, RefusesAFileThatMayBeOfAnotherLayer) {
  Network net = network_of(kInput + kTwoOfOneFile);
  const std::string shared = "may hold the weights of any of the layers 'a/b', 'a_b'";
  write("a_b_weights.syntxt", "1 2 3 4\n");
  EXPECT_NE(load_error(net).find("w/a_b_weights.syntxt: the file " + shared), std::string::npos)
      << load_error(net);
  EXPECT_NE(load_error(net, true).find(shared), std::string::npos);
  fs::rename(folder_ / "w" / "a_b_weights.syntxt", folder_ / "w" / "a_b.syntxt");
  EXPECT_NE(load_error(net).find("w/a_b.syntxt: the file " + shared), std::string::npos) << load_error(net);
}

TEST_F(WeightsFile, ReadsNamesOfOlderFolders) {
  const std::string name(210, 'n');
  const std::string text = kInput + "[" + name + "]\nInput=sp\nType=Fc\nNbOutputs=2\n[" + name + ".Target]\n";
  Network net = network_of(text);
  fill(net);
  for (const char* role : {"_weights", "_biases"}) write(name + role + ".syntxt", values(net, name + role));
  Network again = network_of(text);
  EXPECT_EQ(load_weights(again.graph, folder_ / "w", false).loaded, 2);
  EXPECT_EQ(values(again, name + "_weights"), values(net, name + "_weights"));
  save_weights(again.graph, folder_ / "w");
  EXPECT_FALSE(fs::exists(folder_ / "w" / (name + "_weights.syntxt")));
  EXPECT_EQ(load_weights(again.graph, folder_ / "w", false).loaded, 2);
}

}  // namespace
}  // namespace n2d2::loader
