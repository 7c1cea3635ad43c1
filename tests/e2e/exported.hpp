// What do tests of whole exports start from? A project that the pipeline made of INI text, and a folder and
// commands to try it.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "n2d2/graph/graph.hpp"
#include "n2d2/loader/network.hpp"
#include "n2d2/quantize/quantize_graph.hpp"
#include "n2d2/targets/cpp/project.hpp"

namespace n2d2::e2e {

struct Settings {
  int bits = 8;
  RescaleMode rescaling = RescaleMode::FloatingPoint;
  bool per_output = true;
  bool equalize = true;
  targets::cpp::Parameters parameters;
  int64_t stimuli = 4;
  /// Called once the weights are filled.
  std::function<void(loader::Network&)> prepare = {};
};

/// A network with random weights, calibrated on its Learn samples and made ready for export.
struct Exported {
  graph::Graph quantized;  ///< before adapt_layout (the float graph when bits < 0)
  std::unique_ptr<const targets::Build> build;
  const targets::cpp::Project* project = nullptr;  ///< of the build
  std::vector<exporter::Stimulus> stimuli;
};

/// Its stimuli, and the judge of the graph before adapt_layout.
exporter::Samples samples_of(const Exported& net);

Exported run_pipeline(const std::string& ini, const Settings& settings);
Exported run_pipeline(config::IniDocument document, const Settings& settings);

/// As it may stand in the name of a test.
inline std::string mode_name(RescaleMode mode) {
  std::string name = ValueText<RescaleMode>::print(mode);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Outputs of all layers of one sample by cell: the order of execution depends on the plan.
std::map<std::string, Tensor> outputs_by_cell(const targets::cpp::Project& project, const Tensor& sample);

/// An empty folder below the system's temporary folder, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string text_of(const std::filesystem::path& file);

/// Flags of clang++-14 for a program that stops at every finding of the address and undefined behaviour
/// sanitizers. g++ takes minutes for the inlined kernels of one network. Addresses are checked by calls, and
/// two checks are left to the tests of the kernels, for both together take two thirds of the time:
/// object-size, which finds nothing that address does not, and pointer-overflow, of sums that leave the
/// address space.
#define N2D2_SANITIZED_BY_CLANG                                                      \
  "-O1 -g1 -fsanitize=address,undefined -fno-sanitize=object-size,pointer-overflow " \
  "-fno-sanitize-recover=all "                                                       \
  "-Xclang -mllvm -Xclang -asan-instrumentation-with-call-threshold=0"

/// Arguments of make for such a program.
inline constexpr const char* kMakeSanitized = "CXX=clang++-14 CXXFLAGS='-Werror " N2D2_SANITIZED_BY_CLANG
                                              "' LDFLAGS='-fsanitize=address,undefined' OPENMP=0";

struct CommandResult {
  int status = 0;
  std::string output;  ///< standard output and standard error
};

/// Runs a shell command in a folder.
CommandResult run_command(const std::filesystem::path& folder, const std::string& command);

}  // namespace n2d2::e2e
