// Exports whose parts other code computes: compiled, run, and equal to those without.
#include <set>

#include <gtest/gtest.h>

#include "n2d2/base/log.hpp"

#include "delegates/with_parts.hpp"
#include "drawn.hpp"
#include "e2e/exported.hpp"
#include "e2e/networks.hpp"

namespace n2d2::e2e {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFast = "CXX=g++ CXXFLAGS='-O1 -Werror'";

struct Case {
  const char* name;
  NamedIni net;
  const char* layers;  ///< of loopback; empty: all; null: it is not asked
  int bits = 8;
  const char* copy_blob = "0";
  const char* make = kFast;
  const char* name_space = "N2D2_Export";
  const char* of_xnnpack = nullptr;  ///< likewise
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

Settings settings_of(const Case& c, bool delegated) {
  Settings settings;
  settings.bits = c.bits;
  settings.parameters.output_bits = 8;  // the delegates take no others
  settings.parameters.reference_stimuli = 100;
  settings.parameters.namespace_name = c.name_space;
  if (delegated && c.of_xnnpack != nullptr)
    settings.parameters.delegates.push_back(delegates::xnnpack(c.of_xnnpack));
  if (delegated && c.layers != nullptr)
    settings.parameters.delegates.push_back(delegates::loopback(c.layers, c.copy_blob));
  return settings;
}

fs::path write(const Exported& net, const TemporaryFolder& folder) {
  const fs::path project = folder.path() / "project";
  net.project->write(project, samples_of(net), {});
  return project;
}

class Delegated : public testing::TestWithParam<Case> {};

TEST_P(Delegated, KeepsEveryByteOutsideAndEqualsTheHostRun) {
  const log::Capture quiet;
  const Case& c = GetParam();
  const Exported plain = run_pipeline(ini_of(c.net), settings_of(c, false));
  const Exported parts = run_pipeline(ini_of(c.net), settings_of(c, true));
  for (const exporter::Stimulus& stimulus : plain.stimuli) {
    const auto expected = outputs_by_cell(*plain.project, stimulus.input);
    const auto found = outputs_by_cell(*parts.project, stimulus.input);
    EXPECT_LE(found.size(), expected.size());
    for (const auto& [cell, tensor] : found) {
      ASSERT_TRUE(expected.contains(cell)) << cell;
      EXPECT_TRUE(tensor == expected.at(cell)) << cell;
    }
  }
  static const std::set<std::string> core{"LenetTwoParts", "LenetSanitized", "Residual16Bits",
                                          "ResidualTwoDelegates"};
  if (!core.contains(c.name) && !is_drawn(std::string("delegated ") + c.name, 4)) return;  // not compiled
  const TemporaryFolder folder;
  const fs::path project = write(parts, folder);
  // What nobody needs is overwritten, a blob after init included.
  const CommandResult make = run_command(project, std::string("make -s CHECK_MEMORY=1 ") + c.make);
  ASSERT_EQ(make.status, 0) << make.output;
  const CommandResult run = run_command(project, "./bin/run_export -compare reference");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("values, 0 different"), std::string::npos) << run.output;
}

INSTANTIATE_TEST_SUITE_P(
    Each, Delegated,
    testing::Values(Case{"LenetWhole", kLenet, ""},
                    Case{"LenetTwoParts", kLenet, "conv1 fc1 fc2", 8, "1", kFast, "Lobby"},
                    Case{"LenetSanitized", kLenet, "pool1 fc1", 8, "1", kMakeSanitized},
                    Case{"ResidualWhole", kResidual, ""},
                    Case{"ResidualSeveralOutputs", kResidual, "stem a1 a2", 8, "1"},
                    Case{"Residual16Bits", kResidual, "sum1 proj", 16, "1", kMakeSanitized},
                    Case{"ResidualFloats", kResidual, "stem a1", -32},
                    Case{"LenetXnnpack", kLenet, nullptr, 8, "0", kMakeSanitized, "Lobby", ""},
                    Case{"DepthwiseXnnpack", kDepthwise, nullptr, 8, "0", kFast, "N2D2_Export", ""},
                    Case{"CentredWhole", kCentred, ""},
                    Case{"CentredXnnpack", kCentred, nullptr, 8, "0", kFast, "N2D2_Export", ""},
                    Case{"ResidualTwoDelegates", kResidual, "sum1", 8, "1", kFast, "N2D2_Export",
                         "stem a1 proj"}),
    [](const auto& info) { return info.param.name; });

/// The scores of a class have 32 bits unless somebody says otherwise.
TEST(ADelegateOfBytes, LeavesScoresOf32BitsToTheTarget) {
  log::Capture log;
  Settings settings = settings_of({"", kLenet, "fc1 fc2"}, true);
  settings.parameters.output_bits = 0;
  const Exported parts = run_pipeline(ini_of(kLenet), settings);
  EXPECT_NE(log.text().find(
                "delegate 'loopback' leaves [fc2] Fc to the target: 'fc2' is i32, which its blob has no "
                "word for\n"),
            std::string::npos)
      << log.text();
  settings.parameters.delegates.clear();
  const Exported plain = run_pipeline(ini_of(kLenet), settings);
  const Tensor scores = parts.project->host_run(parts.stimuli[0].input).front();
  EXPECT_EQ(scores.dtype(), DataType::I32);
  EXPECT_TRUE(scores == plain.project->host_run(parts.stimuli[0].input).front());
}

class DelegatedLenet : public testing::Test {
 protected:
  void SetUp() override {
    const log::Capture quiet;
    project_ =
        write(run_pipeline(ini_of(kLenet), settings_of({"", kLenet, "conv1 pool1 fc1"}, true)), folder_);
  }
  CommandResult build_and_run(const std::string& make, const std::string& options) {
    const CommandResult built = run_command(project_, "make -s clean && make -s " + make);
    EXPECT_EQ(built.status, 0) << built.output;
    return run_command(project_, "./bin/run_export " + options);
  }

  TemporaryFolder folder_;
  fs::path project_;
};

TEST_F(DelegatedLenet, TimesAndComparesUnderTheNamesOfItsLayers) {
  const CommandResult run = build_and_run(kFast, "-nb 1 -time 3 -compare reference");
  EXPECT_EQ(run.status, 0) << run.output;
  for (const char* layer : {"conv1", "pool1", "conv2", "fc1", "fc2"})
    EXPECT_NE(run.output.find(std::string(layer) + ": min "), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("pool1: 144 values, 0 different"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("loopback: 144 values"), std::string::npos) << run.output;
}

TEST_F(DelegatedLenet, CarriesErrorsToTheCaller) {
  const CommandResult run = build_and_run(std::string(kFast) + " DELEGATE_FLAGS=-DN2D2_LOOPBACK_SOME", "");
  EXPECT_EQ(run.status, 2) << run.output;
  EXPECT_NE(run.output.find("a delegate failed with code 3"), std::string::npos) << run.output;
}

TEST_F(DelegatedLenet, CompilesOnlyWhatItsPartsNeed) {
  const std::string sources = text_of(project_ / "sources.mk");
  EXPECT_NE(sources.find("delegates/loopback/loopback.cpp"), std::string::npos) << sources;
  EXPECT_NE(
      sources.find("DELEGATE_FLAGS = -DN2D2_LOOPBACK_FACTORS -DN2D2_LOOPBACK_SOME -DN2D2_LOOPBACK_U8_U8 "
                   "-DN2D2_LOOPBACK_conv2d -DN2D2_LOOPBACK_fc -DN2D2_LOOPBACK_max_pool\n"),
      std::string::npos)
      << sources;
}

/// Loopback with a run time of one file of this name.
class OfOneFile final : public delegates::Delegate {
 public:
  explicit OfOneFile(std::string file) : file_(std::move(file)) {}
  std::string_view id() const override { return loopback_->id(); }
  void read(const KeySource&, Diagnostics&) override {}
  std::vector<delegates::NodeSet> partition(const graph::Graph& graph, const program::KernelLibrary& kernels,
                                            std::span<const delegates::NodeSet> taken) const override {
    return loopback_->partition(graph, kernels, taken);
  }
  delegates::Blob preprocess(const graph::Graph& part, const program::KernelLibrary& kernels) const override {
    return loopback_->preprocess(part, kernels);
  }
  delegates::Functions functions() const override { return loopback_->functions(); }
  std::vector<delegates::RunTimeFile> run_time() const override {
    return {{file_, "#include \"delegates/x.h\"\n"}};
  }

 private:
  std::string file_;
  std::shared_ptr<const delegates::Delegate> loopback_ = delegates::loopback("");
};

Exported of_one_file(const std::string& file) {
  const log::Capture quiet;
  Settings settings = settings_of({"", kLenet, ""}, false);
  settings.parameters.delegates = {std::make_shared<OfOneFile>(file)};
  return run_pipeline(ini_of(kLenet), settings);
}

TEST(RunTimeOfADelegate, IsWrittenAsTheDelegateGivesIt) {
  const TemporaryFolder folder;
  const fs::path project = write(of_one_file("run.cpp"), folder);
  EXPECT_EQ(text_of(project / "delegates/loopback/run.cpp"), "#include \"../x.h\"\n");
  EXPECT_NE(text_of(project / "sources.mk").find("delegates/loopback/run.cpp"), std::string::npos);
}

TEST(RunTimeOfADelegate, HasFilesThatAnExportCanCompile) {
  for (const char* file : {"run.c", "../run.cpp", "run"}) {
    const TemporaryFolder folder;
    try {
      write(of_one_file(file), folder);
      ADD_FAILURE() << file;
    } catch (const ExportError& error) {
      EXPECT_EQ(std::string(error.what()),
                fmt::format(
                    "export CPP: delegate 'loopback': expected a name of a .cpp, .hpp or .h file of its run "
                    "time, got '{}'",
                    file));
    }
  }
}

TEST(ADelegateThatIsNotAsked, LeavesNoTrace) {
  const log::Capture quiet;
  const TemporaryFolder folder;
  const fs::path project = write(run_pipeline(ini_of(kLenet), settings_of({"", kLenet, ""}, false)), folder);
  EXPECT_FALSE(fs::exists(project / "delegates"));
  EXPECT_EQ(text_of(project / "dnn/src/forward.cpp").find("parts::"), std::string::npos);
}

}  // namespace
}  // namespace n2d2::e2e
