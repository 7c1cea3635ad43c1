#include "explore/explore.hpp"

#include <cstdio>
#include <filesystem>
#include <map>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "n2d2/base/parallel.hpp"
#include "n2d2/base/text.hpp"

#include "folder_test.hpp"
#include "run_net.hpp"
#include "small_net.hpp"
#include "targets/needs.hpp"

namespace n2d2::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
namespace fs = std::filesystem;

/// Two convolutions, of which a budget makes turns.
std::string two_convolutions() {
  std::string net = kSmallNet;
  const std::string second =
      "[conv2]\nInput=conv\nType=Conv\nKernelSize=3\nStride=2\nNbOutputs=8\nActivationFunction=Rectifier\n"
      "WeightsFiller=HeFiller\nConfigSection=learn\n";
  net.replace(net.find("Stride=2\nNbOutputs=4"), 20, "NbOutputs=8");
  net.insert(net.find("[fc]"), second);
  net.replace(net.find("[fc]\nInput=conv"), 15, "[fc]\nInput=conv2");
  return net;
}

/// The words that a shell makes of a command.
std::vector<std::string> words_of_shell(const std::string& command) {
  std::vector<std::string> out;
  FILE* pipe = ::popen(("printf '%s\\n' " + command).c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  std::string all;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) all += static_cast<char>(c);
  ::pclose(pipe);
  for (const std::string& word : split(all, '\n'))
    if (!word.empty()) out.push_back(word);
  return out;
}

/// Every file below a folder, and what it holds.
std::map<std::string, std::string> files_of(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) {
      std::ifstream in(entry.path());
      std::stringstream text;
      text << in.rdbuf();
      out[entry.path().string()] = text.str();
    }
  return out;
}

class Explore : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    N2D2_NEEDS_TARGETS("CPP");
    write("net.ini", two_convolutions());
    run_net({"-seed", "1", "-learn-epoch", "2"});
  }
  static std::string explore(std::vector<std::string> more = {}) {
    std::vector<std::string> arguments{"-pareto", "-calib", "20", "-quant-effort", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_net(arguments);
  }
  static Json found(const std::string& folder = "pareto") {
    return Json::parse(read(folder + "/pareto.json"));
  }
};

TEST_F(Explore, ComparesWidthsAndBudgetsAndKeepsAllOfThem) {
  const std::string out = explore();
  EXPECT_THAT(out, HasSubstr("Pareto: 12 exports computed, 0 taken from pareto/points\n"));
  EXPECT_THAT(out, HasSubstr(" of 12 exports are beaten by no other one\n"));
  const Json json = found();
  EXPECT_EQ(json.at("network"), "net");
  EXPECT_EQ(json.at("export"), "CPP");
  EXPECT_EQ(json.at("calibration"), "20 of 50 Validation samples");
  ASSERT_EQ(json.at("points").size(), 12U);
  ASSERT_FALSE(json.at("front").empty());
  for (const Json& number : json.at("front")) {
    const Json& point = json.at("points").at(number.get<size_t>() - 1);
    EXPECT_TRUE(point.at("dominated_by").is_null());
    EXPECT_THAT(
        out, HasSubstr(fmt::format("\n{}: {}\n", number.get<int>(), point.at("command").get<std::string>())));
  }
  const auto at = [&](size_t number) { return json.at("points").at(number - 1); };
  EXPECT_EQ(at(1).at("samples"), 60);
  EXPECT_LT(at(4).at("ram"), at(1).at("ram"));
  EXPECT_LT(at(5).at("weights"), at(1).at("weights")) << "4 bits";
  EXPECT_EQ(at(9).at("activation_bits"), 16);
  EXPECT_FALSE(fs::exists("export_CPP_int8"));
  for (const char* file : {"pareto/points.csv", "pareto/pareto.png", "pareto/pareto.svg",
                           "pareto/points/w8_v16_e1_2of3.json", "pareto/parameters/w8_v8_e1_min.ini"})
    EXPECT_TRUE(fs::exists(file)) << file;
}

TEST_F(Explore, PrintsCommandsThatMakeTheSameExports) {
  fs::create_directories("my runs");
  fs::copy("weights_validation", "my runs/weights_validation");
  fs::copy("net.ini", "it's a net.ini");
  write("mine.ini", "; all layers but one\nNamespace=Mine\n[fc]\nWeightNbBits=6\n");
  run_net({"-pareto", "-calib", "20", "-quant-effort", "1", "-o", "my runs", "-seed", "1", "-nb-test", "50",
           "-export-parameters", "mine.ini"},
          "it's a net.ini");
  const Json json = found("my runs/pareto");
  for (const Json& number : json.at("front")) {
    const Json& point = json.at("points").at(number.get<size_t>() - 1);
    const auto command = point.at("command").get<std::string>();
    std::vector<std::string> arguments = words_of_shell(command);
    ASSERT_GE(arguments.size(), 2U) << command;
    EXPECT_EQ(arguments[0], "n2d2");
    EXPECT_EQ(arguments[1], "it's a net.ini");
    const CommandLine parsed = parse({arguments.begin() + 1, arguments.end()});
    EXPECT_TRUE(parsed.idle.empty()) << parsed.idle.front();
    run_net({arguments.begin() + 2, arguments.end()}, arguments[1].c_str());
    const std::string folder = fmt::format("my runs/export_CPP_int{}/", point.at("nbbits").get<int>());
    const Json score = Json::parse(read(folder + "statistics/score.json"));
    EXPECT_EQ(point.at("samples"), score.at("samples")) << command;
    for (const char* key : {"integer_rate", "float_rate", "agree", "decisions", "sqnr_db"})
      EXPECT_EQ(point.at("targets").at(0).at(key), score.at("targets").at(0).at(key)) << key << command;
    const std::string readme = read(folder + "README.md");
    const auto bytes = [&](const char* what, const char* key) {
      EXPECT_THAT(readme, HasSubstr(fmt::format("| {} | {} bytes |\n", what,
                                                with_thousands(point.at(key).get<int64_t>()))))
          << command;
    };
    bytes("RAM", "ram"), bytes("flash for weights", "weights");
    bytes("flash for biases and factors", "biases_and_factors");
    EXPECT_THAT(read(folder + "dnn/include/env.hpp"), HasSubstr("Mine")) << command;
  }
}

TEST_F(Explore, HasTheFlashAndInstructionsOfMicrocontrollers) {
  N2D2_NEEDS_TARGETS("CortexM");
  const std::string out = explore({"-export", "CPP_CortexM", "-nbbits", "8"});
  EXPECT_THAT(out, HasSubstr("  instructions  "));
  const Json json = found();
  const Json& point = json.at("points").at(json.at("front").at(0).get<size_t>() - 1);
  std::vector<std::string> arguments = words_of_shell(point.at("command").get<std::string>());
  run_net({arguments.begin() + 2, arguments.end()});
  const std::string readme = read("export_CPP_CortexM_int8/README.md");
  const auto text = [&](const char* key) { return with_thousands(point.at(key).get<int64_t>()); };
  EXPECT_THAT(readme, HasSubstr("| flash in all | " + text("flash") + " bytes: code about " + text("code")));
  EXPECT_THAT(readme, HasSubstr(": arena " + text("ram") + ", stack"));
  EXPECT_THAT(readme, HasSubstr("| instructions of an inference | " + text("instructions")));
}

TEST_F(Explore, TakesWhatAnEarlierRunHasFound) {
  explore();
  const auto first = files_of("pareto");
  EXPECT_THAT(explore(), HasSubstr("Pareto: 0 exports computed, 12 taken from pareto/points\n"));
  EXPECT_EQ(files_of("pareto"), first);
  fs::remove("pareto/points/w4_v8_e1_1of3.json");
  write("pareto/points/w8_v8_e1_min.json", first.at("pareto/points/w8_v8_e1_min.json").substr(0, 100));
  const std::string out = explore();
  EXPECT_THAT(out, HasSubstr("pareto/points/w8_v8_e1_min.json: no complete file of an export: such exports "
                             "are computed anew\n"));
  EXPECT_THAT(out, HasSubstr("Pareto: 2 exports computed, 10 taken from pareto/points\n"));
  EXPECT_EQ(files_of("pareto"), first);
  // What is given is not varied; what was found before still counts.
  EXPECT_THAT(explore({"-nbbits", "4"}),
              HasSubstr("Pareto: 0 exports computed, 4 taken from pareto/points\n"));
}

TEST_F(Explore, ComputesAnewForOtherWeightsOrSamples) {
  explore({"-nbbits", "8"});
  const std::string other = "of another network, of other weights, samples or options, or of another program";
  EXPECT_THAT(explore({"-nbbits", "8", "-nb-test", "30"}), HasSubstr(other));
  EXPECT_THAT(explore({"-nbbits", "8", "-nb-test", "30"}), Not(HasSubstr(other)));
  std::string net = two_convolutions();
  net.replace(net.find("NbOutputs=8"), 11, "NbOutputs=7");
  write("net.ini", net);
  run_net({"-seed", "1", "-learn-epoch", "1"});
  const std::string out = explore({"-nbbits", "8", "-nb-test", "30"});
  EXPECT_THAT(out, HasSubstr(other));
  EXPECT_THAT(out, HasSubstr("Pareto: 4 exports computed, 0 taken"));
}

TEST_F(Explore, DealsPointsOutToProcesses) {
  explore();
  const auto whole = files_of("pareto");
  fs::remove_all("pareto");
  EXPECT_THAT(explore({"-pareto-part", "0/2"}), HasSubstr("Pareto: 8 exports computed, 0 taken"));
  EXPECT_FALSE(fs::exists("pareto/pareto.json"));
  EXPECT_THAT(explore({"-pareto-part", "1/2"}), HasSubstr("Pareto: 4 exports computed, 0 taken"));
  EXPECT_THAT(explore(), HasSubstr("Pareto: 0 exports computed, 12 taken"));
  EXPECT_EQ(files_of("pareto"), whole);
}

TEST_F(Explore, FindsTheSameWithAnyNumberOfThreads) {
  const int threads = max_threads();
  set_max_threads(1);
  explore();
  const auto alone = files_of("pareto");
  fs::remove_all("pareto");
  set_max_threads(2);
  explore();
  set_max_threads(threads);
  EXPECT_EQ(files_of("pareto"), alone);
}

TEST_F(Explore, ListsWhatIsRefusedWithTheReason) {
  write("small.ini", "[memory.fast]\nSize=100\n");
  std::string net = two_convolutions();
  net.replace(net.find("Rectifier"), 9, "Tanh");
  write("net.ini", net);
  const std::string out = explore();
  EXPECT_THAT(out, HasSubstr("Refused: 9, 10, 11, 12: "));
  EXPECT_THAT(read("pareto/points.csv"), HasSubstr("\n9,8,16,1,"));
  EXPECT_TRUE(found().at("points").at(8).contains("refused"));
  EXPECT_THROW(explore({"-export-parameters", "small.ini"}), ExportError) << "nothing is left";
}

TEST_F(Explore, KeepsTheBudgetThatTheParametersSay) {
  write("mine.ini", "MemoryBudget=min\n");
  const std::string out = explore({"-export-parameters", "mine.ini"});
  EXPECT_THAT(out, HasSubstr("Pareto: 3 exports computed, 0 taken"));
  EXPECT_EQ(found().at("points").at(0).at("budget"), "given");
}

}  // namespace
}  // namespace n2d2::app
